//! Cases of clicking, typing and choosing.

use super::play::{play, play_with};
use serde_json::json;

#[tokio::test]
async fn c34_signs_and_capitals_arrive_as_they_are() {
    let Some(mut case) = play("C34").await else { return };
    // Faults of the keyboard need a far end that has them (server/tests, `type`): it never writes a second time by itself.
    case.proved(2);
    case.proved(3);
    case.finish().await;
}

#[tokio::test]
async fn c38_a_text_as_value_of_a_click_is_an_error() {
    let Some(case) = play("C38").await else { return };
    case.finish().await;
}

#[tokio::test]
async fn c40_areas_of_image_maps() {
    let Some(case) = play("C40").await else { return };
    case.finish().await;
}

#[tokio::test]
async fn c42_another_element_would_get_the_click() {
    let Some(case) = play_with("C42", |_, steps| {
        steps[1].element = serde_json::from_value(json!({ "name": "Send" })).ok();
    })
    .await
    else {
        return;
    };
    case.finish().await;
}

#[tokio::test]
async fn c45_a_form_is_sent_with_the_right_fields() {
    let Some(mut case) = play("C45").await else { return };
    let received = case.pages.received();
    assert_eq!(received.len(), 1, "{received:?}");
    case.proved(0);
    let (route, body) = &received[0];
    assert_eq!(route, "POST /take");
    let wanted = regex::Regex::new(r"^q=a\+b%26c&hid=1&cb=on&sel=2&go\.x=\d+&go\.y=\d+$").unwrap();
    assert!(wanted.is_match(body), "{body}");
    case.proved(1);
    case.proved(2);
    case.finish().await;
}

#[tokio::test]
async fn c46_one_change_event_and_exactly_these_choices() {
    let Some(mut case) = play_with("C46", |_, steps| {
        let days = steps[5].args.remove("option").unwrap_or_default();
        steps[5].args.insert("values".into(), days);
        steps[5].args.insert("by".into(), "text".into());
    })
    .await
    else {
        return;
    };
    let shown = case.shown(4);
    let city = shown.iter().find(|shown| shown["id"] == "city").unwrap();
    let options = city["options"].to_string();
    assert!(
        options.contains("Sakai") && options.contains("Suita") && !options.contains("Minato"),
        "{options}"
    );
    case.proved(1);
    assert!(!case.results[&6].is_error(), "{}", case.json(6));
    let chosen = "var o = document.getElementById('days').options, t = [], i; for (i = 0; i < o.length; i++) if (o[i].selected) t.push(o[i].text); return t";
    assert_eq!(case.far_end.observe(chosen, json!([])).await, json!(["Tue", "Fri"]));
    case.proved(3);
    case.finish().await;
}

#[tokio::test]
async fn c48_disabled_and_grouped_options() {
    // Two options read "A" in different groups: their values tell them apart.
    let Some(mut case) = play_with("C48", |_, steps| {
        steps[5].args.insert("option".into(), "sa".into());
        steps[5].args.insert("by".into(), "value".into());
    })
    .await
    else {
        return;
    };
    let view = case.text(3);
    assert!(view.contains("North B") && view.contains("Old"), "{view}");
    case.proved(0);
    case.finish().await;
}

#[tokio::test]
async fn c57_ids_with_special_characters() {
    let Some(mut case) = play("C57").await else { return };
    let values = "var o = {}, l = document.getElementsByTagName('input'), i; for (i = 0; i < l.length; i++) o[l[i].id] = l[i].value; return o";
    let held = case.far_end.observe(values, json!([])).await;
    let fields = [
        "ctl00$Main$txtName",
        "j_id12:form:user",
        "item[0].qty",
        "2nd",
        "a.b",
        "a b",
        "it's",
        "say \"hi\"",
        "x#y",
        "氏名",
        "-",
        "back\\slash",
    ];
    for (n, field) in fields.iter().enumerate() {
        assert_eq!(held[*field], format!("v{n}"), "{field}");
    }
    case.proved(1);
    case.finish().await;
}

#[tokio::test]
async fn c60_a_ref_means_one_element_for_its_life() {
    let Some(mut case) = play("C60").await else { return };
    assert_eq!(case.json(6)["error"], "ELEMENT_NOT_FOUND", "{}", case.json(6));
    assert_eq!(case.json(6)["reason"], "stale", "{}", case.json(6));
    case.proved(1);
    case.finish().await;
}

#[tokio::test]
async fn c68_a_file_field_is_not_clicked() {
    let Some(mut case) = play("C68").await else { return };
    assert!(case.shown(3).iter().any(|shown| shown["type"] == "file"), "{}", case.json(3));
    case.proved(0);
    let timeout = case.far_end.bodies("newSession")[0]["capabilities"].to_string();
    assert!(timeout.contains("\"ie.fileUploadDialogTimeout\":10000"), "{timeout}");
    case.proved(3);
    case.finish().await;
}

#[tokio::test]
async fn c79_calls_side_by_side_run_in_order() {
    let Some(mut case) = play("C79").await else { return };
    assert!((0..5).all(|n| !case.results[&(300 + n)].is_error()));
    case.proved(0);
    assert_eq!(case.far_end.most_at_once(), 1);
    case.proved(2);
    case.finish().await;
}
