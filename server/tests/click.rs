//! `click` against scripted pages in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod agent;
mod far_end;

use agent::{Agent, absent, dialog_open, element, error, found, quiet, state};
use far_end::{FarEnd, Reply, value};
use serde_json::{Value, json};
use tokio::time::Instant;

const PROBE: &str = "POST /execute/sync probe";
const CLICK: &str = "POST /element/b1/click";

fn button() -> Reply {
    found("b1", json!({ "tag": "button", "kind": "submit", "editable": false }))
}

fn by_id(id: &str) -> Value {
    json!({ "selector": { "by": "id", "value": id } })
}

fn with(mut args: Value, name: &str, value: Value) -> Value {
    args[name] = value;
    args
}

#[tokio::test(start_paused = true)]
async fn a_click_is_one_look_one_click_and_one_look_at_the_outcome() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => button(),
        CLICK => value("null"),
        "POST /execute/sync state" => state("http://a.test/next", "Next"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("click", by_id("save")).await.unwrap();
    let first = far.asked().len();
    let result = agent.call("click", by_id("save")).await.unwrap();
    assert_eq!(result, json!({ "url": "http://a.test/next", "title": "Next", "navigated": true }));
    assert_eq!(
        far.asked()[first..],
        [PROBE, CLICK, "POST /execute/sync state", "GET /window/handles"].map(str::to_owned)
    );
    assert_eq!(far.script_args("probe")[0], json!(["id", "save", null, null]));
}

#[tokio::test(start_paused = true)]
async fn a_hidden_disabled_or_covered_element_is_waited_for_and_then_told() {
    for (different, reason) in [
        (json!({ "shown": false }), "hidden"),
        (json!({ "enabled": false }), "disabled"),
        (json!({ "coveredBy": "div#layer" }), "covered"),
    ] {
        let far = FarEnd::new(move |asked, _| match asked {
            PROBE => found("b1", different.clone()),
            other => quiet(other),
        });
        let mut agent = Agent::start(&far).await;
        let begun = Instant::now();
        let error = agent.call("click", with(by_id("save"), "timeoutMs", json!(1500))).await.unwrap_err();
        assert_eq!(begun.elapsed().as_millis(), 1500);
        assert_eq!((&error["error"], &error["reason"]), (&json!("TIMEOUT"), &json!(reason)));
        assert_eq!(error["outcome"], "not_done");
        assert_eq!(error["selector"], json!({ "by": "id", "value": "save" }));
        assert_eq!(far.count(CLICK), 0);
        assert!((5..12).contains(&far.count(PROBE)), "{} looks", far.count(PROBE));
    }
}

#[tokio::test(start_paused = true)]
async fn an_element_that_comes_late_is_clicked() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (PROBE, 0 | 1) => absent(),
        (PROBE, 2) => found("b1", json!({ "enabled": false })),
        (PROBE, _) => button(),
        (CLICK, _) => value("null"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    assert_eq!(agent.call("click", by_id("save")).await.unwrap()["url"], "http://a.test/");
    assert_eq!(far.count(CLICK), 1);
}

#[tokio::test(start_paused = true)]
async fn an_absent_element_is_not_found_after_the_wait() {
    let far = FarEnd::new(|asked, _| if asked == PROBE { absent() } else { quiet(asked) });
    let mut agent = Agent::start(&far).await;
    let begun = Instant::now();
    let error = agent.call("click", by_id("searchButton")).await.unwrap_err();
    assert_eq!(begun.elapsed().as_secs(), 10);
    assert_eq!(
        error,
        json!({ "error": "ELEMENT_NOT_FOUND", "message": "Element was not found: id=searchButton",
            "selector": { "by": "id", "value": "searchButton" }, "outcome": "not_done" })
    );
}

#[tokio::test(start_paused = true)]
async fn an_element_replaced_between_look_and_click_is_looked_for_again() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (PROBE, 0) => found("old", json!({})),
        (PROBE, _) => button(),
        ("POST /element/old/click", _) => error(404, "stale element reference", "Element is no longer valid"),
        (CLICK, _) => value("null"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("click", by_id("save")).await.unwrap();
    assert_eq!((far.count("POST /element/old/click"), far.count(CLICK)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn c42_the_html_of_a_covering_element_stays_out_of_the_error() {
    let message = format!(
        "Element not clickable at point (5,5). Other element would receive the click: \
         <DIV class=\"x\" id=\"menu\" name=\"m\">{}",
        "secret ".repeat(6000)
    );
    let far = FarEnd::new(move |asked, _| match asked {
        PROBE => button(),
        CLICK => error(400, "element click intercepted", &message),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("click", by_id("save")).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("NOT_INTERACTABLE"), &json!("not_done")));
    assert_eq!(error["coveredBy"], "div#menu[name=m]");
    assert!(!error.to_string().contains("secret"));
    assert_eq!(far.count(CLICK), 1);
}

#[tokio::test(start_paused = true)]
async fn c38_a_text_instead_of_null_is_no_success() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => button(),
        CLICK => value("\"Cannot click on element\""),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("click", by_id("save")).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("INTERNAL_ERROR"), &json!("unknown")));
    assert!(error["hint"].as_str().unwrap().contains("inspect_page"));
    assert_eq!(far.count(CLICK), 1);
}

#[tokio::test(start_paused = true)]
async fn a_click_that_opens_a_dialog_succeeds_with_the_dialog() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (PROBE, _) => button(),
        (CLICK, _) => value("null"),
        ("POST /execute/sync state", 0) => state("http://a.test/", "A"),
        ("POST /execute/sync state", _) => dialog_open("Saved: 3"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("click", by_id("save")).await.unwrap();
    let result = agent.call("click", by_id("save")).await.unwrap();
    // The last known address and title.
    assert_eq!(result, json!({ "url": "http://a.test/", "title": "A", "dialog": { "text": "Saved: 3" } }));
}

#[tokio::test(start_paused = true)]
async fn a_dialog_is_answered_as_told() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (PROBE, _) => button(),
        (CLICK | "POST /alert/accept", _) => value("null"),
        ("POST /execute/sync state", 0) => dialog_open("Delete?"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let args = with(by_id("save"), "dialog", json!({ "action": "accept" }));
    let result = agent.call("click", args).await.unwrap();
    assert_eq!(
        result,
        json!({ "answered": { "text": "Delete?", "action": "accept" }, "url": "http://a.test/", "title": "A" })
    );
    assert_eq!(far.count("POST /alert/accept"), 1);
}

#[tokio::test(start_paused = true)]
async fn c03_a_click_that_closes_its_own_window_is_a_success_in_the_opener() {
    let gone = || error(404, "no such window", "Unable to get browser");
    for click_answers in [true, false] {
        let far = FarEnd::new(move |asked, before| match (asked, before) {
            (PROBE, _) => button(),
            (CLICK, _) if click_answers => value("null"),
            (CLICK, _) => gone(),
            ("POST /execute/sync state", 0) => gone(),
            ("GET /window", _) => value("\"w2\""),
            ("POST /window w1", _) => value("null"),
            (other, _) => quiet(other),
        });
        let mut agent = Agent::start(&far).await;
        let result = agent.call("click", by_id("choose")).await.unwrap();
        assert_eq!((&result["closedCurrent"], &result["url"]), (&json!(true), &json!("http://a.test/")));
        assert_eq!(result["windows"][0]["current"], true);
        assert_eq!(far.count(CLICK), 1);
        let switched = far.bodies.lock().unwrap().contains(&json!({ "handle": "w1" }));
        assert!(switched);
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_that_opened_is_told() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => button(),
        CLICK => value("null"),
        "GET /window/handles" => value("[\"w0\",\"w1\"]"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let result = agent.call("click", by_id("pick")).await.unwrap();
    let windows =
        json!([{ "index": 0, "title": "A", "url": "http://a.test/", "current": true }, { "index": 1 }]);
    assert_eq!(result["windows"], windows);
    assert_eq!(agent.call("click", by_id("pick")).await.unwrap().get("windows"), None, "told once");
}

#[tokio::test(start_paused = true)]
async fn a_file_field_is_not_clicked() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => found("b1", json!({ "kind": "file" })),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let begun = Instant::now();
    let error = agent.call("click", by_id("upload")).await.unwrap_err();
    assert_eq!(begun.elapsed().as_millis(), 0);
    assert_eq!((&error["error"], &error["reason"]), (&json!("NOT_INTERACTABLE"), &json!("file")));
    assert!(error["hint"].as_str().unwrap().contains("type"));
}

#[tokio::test(start_paused = true)]
async fn a_selector_that_cannot_be_read_is_told_at_once() {
    let invalid = json!({ "found": false, "invalid": "not a selector" });
    let far = FarEnd::new(move |asked, _| match asked {
        PROBE => agent::said(&invalid, &[]),
        "POST /element" => error(400, "invalid selector", "An invalid or illegal selector was specified"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    for by in ["css", "xpath"] {
        let begun = Instant::now();
        let args = json!({ "selector": { "by": by, "value": "[" } });
        let error = agent.call("click", args).await.unwrap_err();
        assert_eq!(begun.elapsed().as_millis(), 0);
        assert_eq!(error["error"], "INVALID_ARGUMENT");
    }
}

#[tokio::test(start_paused = true)]
async fn xpath_and_link_text_are_found_by_the_driver_and_looked_at_by_one_script() {
    let far = FarEnd::new(|asked, _| match asked {
        "POST /element" => value(&element("b1").to_string()),
        PROBE => button(),
        CLICK => value("null"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("click", json!({ "selector": { "by": "linkText", "value": "山田商事" } })).await.unwrap();
    assert_eq!(far.script_args("probe"), [json!(["element", element("b1"), null, null])]);
    let bodies = far.bodies.lock().unwrap();
    assert!(bodies.contains(&json!({ "using": "link text", "value": "山田商事" })));
}

#[tokio::test(start_paused = true)]
async fn css_goes_to_the_driver_where_the_document_mode_has_no_selectors() {
    let unable = json!({ "found": false, "unable": true });
    let far = FarEnd::new(move |asked, before| match (asked, before) {
        (PROBE, 0) => agent::said(&unable, &[]),
        ("POST /element", _) => value(&element("b1").to_string()),
        (PROBE, _) => button(),
        (CLICK, _) => value("null"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("click", json!({ "selector": { "by": "css", "value": "td > button" } })).await.unwrap();
    assert_eq!((far.count("POST /element"), far.count(CLICK)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_frame_is_entered_from_the_top_at_every_look_and_left_for_the_outcome() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        ("POST /execute/sync glance", _) => found("f1", json!({ "tag": "iframe" })),
        (PROBE, 0) => absent(),
        (PROBE, _) => button(),
        (CLICK, _) => value("null"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let frame = json!([{ "by": "name", "value": "main" }, { "by": "index", "value": "1" }]);
    agent.call("click", with(by_id("save"), "frame", frame)).await.unwrap();
    let frames: Vec<Value> = {
        let (seen, bodies) = (far.seen.lock().unwrap(), far.bodies.lock().unwrap());
        let of = seen.iter().zip(bodies.iter()).filter(|(asked, _)| *asked == "POST /frame");
        of.map(|(_, body)| body["id"].clone()).collect()
    };
    let once = [element("f1"), json!(1)];
    let expected = [once.to_vec(), vec![json!(null)], once.to_vec(), vec![json!(null)]].concat();
    assert_eq!(frames, expected);
}

#[tokio::test(start_paused = true)]
async fn a_missing_frame_is_told() {
    // Each look goes to the top document first, but the very first.
    let far = FarEnd::new(|asked, before| match asked {
        "POST /frame" if before % 2 == 0 => error(404, "no such frame", "No frame found"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let args = with(by_id("save"), "frame", json!({ "by": "index", "value": 7 }));
    let error = agent.call("click", with(args, "timeoutMs", json!(300))).await.unwrap_err();
    assert_eq!(error["error"], "ELEMENT_NOT_FOUND");
    assert_eq!(error["message"], "Frame was not found: index=7");
    assert_eq!(error["frame"], json!({ "by": "index", "value": "7" }));
}

#[tokio::test(start_paused = true)]
async fn a_ref_that_was_never_given_is_stale() {
    let far = FarEnd::new(|asked, _| quiet(asked));
    let mut agent = Agent::start(&far).await;
    let error = agent.call("click", json!({ "selector": { "by": "ref", "value": "e7" } })).await.unwrap_err();
    assert_eq!((&error["error"], &error["reason"]), (&json!("ELEMENT_NOT_FOUND"), &json!("stale")));
    assert_eq!(error["outcome"], "not_done");
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_opens_before_the_click_keeps_it_from_happening() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (PROBE, 0) => absent(),
        (PROBE, _) => dialog_open("Session ends"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("click", by_id("save")).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("DIALOG_OPEN"), &json!("not_done")));
    assert_eq!(error["dialog"], json!({ "text": "Session ends" }));
}

#[tokio::test(start_paused = true)]
async fn a_check_box_is_brought_to_a_state_not_toggled() {
    let page = |before: bool, after: bool| {
        FarEnd::new(move |asked, looks| match asked {
            PROBE => {
                let checked = if looks == 0 { before } else { after };
                found("b1", json!({ "kind": "checkbox", "editable": false, "checked": checked }))
            }
            CLICK => value("null"),
            other => quiet(other),
        })
    };
    for (before, wanted, after, clicks) in
        [(false, true, true, 1), (true, true, true, 0), (true, false, false, 1), (false, true, false, 1)]
    {
        let far = page(before, after);
        let mut agent = Agent::start(&far).await;
        let result = agent.call("click", with(by_id("box"), "checked", json!(wanted))).await.unwrap();
        assert_eq!(result["checked"], json!(after), "what it is now, not what was asked for");
        assert_eq!(far.count(CLICK), clicks);
    }
}

#[tokio::test(start_paused = true)]
async fn checked_is_for_what_can_be_checked() {
    for (kind, checked) in [("submit", true), ("radio", false)] {
        let far = FarEnd::new(move |asked, _| match asked {
            PROBE => found("b1", json!({ "kind": kind })),
            other => quiet(other),
        });
        let mut agent = Agent::start(&far).await;
        let error = agent.call("click", with(by_id("b"), "checked", json!(checked))).await.unwrap_err();
        assert_eq!((&error["error"], &error["outcome"]), (&json!("INVALID_ARGUMENT"), &json!("not_done")));
        let error = agent.call("click", with(by_id("b"), "count", json!(3))).await.unwrap_err();
        assert_eq!(error["error"], "INVALID_ARGUMENT");
        assert_eq!(far.count(CLICK), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_double_or_right_click_is_one_sequence_of_actions_on_an_element_in_view() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (PROBE, 0) => found("b1", json!({ "inView": false })),
        (PROBE, _) => button(),
        ("POST /execute/sync reveal", _) => agent::said(&json!({}), &[]),
        ("POST /actions", _) => value("null"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("click", with(by_id("row"), "count", json!(2))).await.unwrap();
    assert_eq!(far.asked()[..4], [PROBE, "POST /execute/sync reveal", PROBE, "POST /actions"]);
    agent.call("click", with(by_id("row"), "button", json!("right"))).await.unwrap();
    let bodies = far.bodies.lock().unwrap();
    let buttons: Vec<Vec<i64>> = bodies
        .iter()
        .filter_map(|body| body["actions"][0]["actions"].as_array())
        .map(|steps| steps.iter().filter_map(|step| step["button"].as_i64()).collect())
        .collect();
    assert_eq!(buttons, [vec![0, 0, 0, 0], vec![2, 2]]);
}
