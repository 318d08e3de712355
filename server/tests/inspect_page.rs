//! `inspect_page` against scripted documents in memory, in virtual time. What its script sees in a page is tested in a
//! browser.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod agent;
mod far_end;

use agent::{Agent, dialog_open, error, found, quiet, said};
use far_end::{FarEnd, Reply, value};
use ie_mode_mcp::Config;
use serde_json::{Value, json};

const LOOK: &str = "POST /execute/sync inspect";

/// A document with these elements, each with its reference.
fn document(url: &str, elements: &[(&str, Value)], more: Value) -> Reply {
    let listed: Vec<&Value> = elements.iter().map(|(_, element)| element).collect();
    let ids: Vec<&str> = elements.iter().map(|(id, _)| *id).collect();
    let mut text =
        json!({ "url": url, "title": "T", "text": "words", "total": elements.len(), "elements": listed });
    for (name, value) in more.as_object().into_iter().flatten() {
        text[name] = value.clone();
    }
    said(&text, &ids)
}

fn input(name: &str) -> Value {
    json!({ "tag": "input", "name": name, "type": "text" })
}

#[tokio::test(start_paused = true)]
async fn a_page_without_frames_takes_one_request() {
    let far = FarEnd::new(|asked, _| match asked {
        LOOK => document("http://a.test/", &[("x1", input("q"))], json!({ "documentMode": 5 })),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let view = agent.call("inspect_page", json!({})).await.unwrap();
    assert_eq!(
        view,
        json!({
            "url": "http://a.test/", "title": "T", "documentMode": 5, "text": "words",
            "elements": [{ "ref": "e1", "tag": "input", "name": "q", "type": "text" }],
            "truncated": false, "total": 1,
        })
    );
    assert_eq!(far.asked(), [LOOK]);
    let content = agent.content("inspect_page", json!({})).await;
    assert_eq!(content.as_array().unwrap().len(), 1, "text only");
}

#[tokio::test(start_paused = true)]
async fn arguments_reach_the_script_and_the_rest_is_told() {
    let far = FarEnd::new(|asked, _| match asked {
        LOOK => {
            document("http://a.test/", &[("x1", input("q"))], json!({ "total": 9, "textTruncated": true }))
        }
        "POST /execute/sync tables" => said(&json!({ "tables": [{ "rows": [["a"]] }] }), &[]),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let args = json!({ "query": "保存", "offset": 2, "limit": 1, "textOffset": 4000, "tables": true });
    let view = agent.call("inspect_page", args).await.unwrap();
    assert_eq!(far.script_args("inspect")[0], json!(["保存", 2, 1, 4000, 4000]));
    assert_eq!(
        (&view["truncated"], &view["total"], &view["nextOffset"]),
        (&json!(true), &json!(9), &json!(3))
    );
    assert_eq!((&view["textTruncated"], &view["tables"]), (&json!(true), &json!([{ "rows": [["a"]] }])));
    let error = agent.call("inspect_page", json!({ "limit": 301 })).await.unwrap_err();
    assert_eq!(error["error"], "INVALID_ARGUMENT");
}

#[tokio::test(start_paused = true)]
async fn frames_are_entered_one_after_another_and_their_refs_know_them() {
    let frame =
        |at: Option<u32>, index: u32, name: Option<&str>| json!({ "at": at, "index": index, "name": name });
    let far = FarEnd::new(move |asked, before| match (asked, before) {
        (LOOK, 0) => document(
            "http://a.test/",
            &[("f1", json!({ "tag": "frame", "name": "menu" })), ("f2", json!({ "tag": "frame" }))],
            json!({ "frames": [frame(Some(0), 0, Some("menu")), frame(Some(1), 1, None),
                { "index": 2, "src": "http://a.test/helper", "hidden": true }] }),
        ),
        (LOOK, 1) => document("http://a.test/menu", &[("x1", input("q"))], json!({})),
        (LOOK, 2) => document(
            "http://a.test/inner",
            &[("f3", json!({ "tag": "iframe" }))],
            json!({ "frames": [frame(Some(0), 0, None)] }),
        ),
        (LOOK, _) => document("http://b.test/deep", &[("x2", input("z"))], json!({})),
        ("POST /frame" | "POST /frame/parent", _) => value("null"),
        ("POST /execute/sync glance", _) => found("x2", json!({})),
        ("POST /element/x2/value", _) => value("null"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let view = agent.call("inspect_page", json!({})).await.unwrap();
    let frames = view["frames"].as_array().unwrap();
    let paths: Vec<&Value> = frames.iter().map(|frame| &frame["frame"]).collect();
    let index = |n: &str| json!({ "by": "index", "value": n });
    let shown =
        [json!({ "by": "name", "value": "menu" }), index("1"), json!([index("1"), index("0")]), index("2")];
    assert_eq!(paths, shown.iter().collect::<Vec<_>>());
    assert_eq!(frames[2]["elements"][0]["ref"], "e5");
    assert_eq!((&frames[3]["hidden"], &frames[3]["url"]), (&json!(true), &json!("http://a.test/helper")));
    assert_eq!(view["total"], 5);
    assert_eq!(far.count(LOOK), 4);
    assert_eq!(far.asked().len(), 4 + 3 * 2, "three requests a frame");

    far.begin();
    let first = far.bodies.lock().unwrap().len();
    agent
        .call("wait_for", json!({ "type": "visible", "selector": { "by": "ref", "value": "e5" } }))
        .await
        .unwrap();
    let entered: Vec<Value> = far.bodies.lock().unwrap()[first..]
        .iter()
        .map(|body| body["id"].clone())
        .filter(|id| !id.is_null())
        .collect();
    assert_eq!(entered, [json!(1), json!(0)], "by place, without a search");
}

#[tokio::test(start_paused = true)]
async fn a_frame_with_nothing_to_operate_is_not_entered() {
    let still = json!({ "url": "http://a.test/notice", "title": "Notice", "text": "Closed at 17:00" });
    let far = FarEnd::new(move |asked, _| match asked {
        LOOK => document(
            "http://a.test/",
            &[("f1", json!({ "tag": "iframe" }))],
            json!({ "frames": [{ "at": 0, "index": 0, "name": "notice", "still": still }] }),
        ),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let view = agent.call("inspect_page", json!({})).await.unwrap();
    assert_eq!(
        view["frames"],
        json!([{ "frame": { "by": "name", "value": "notice" }, "url": "http://a.test/notice", "title": "Notice",
            "text": "Closed at 17:00", "elements": [] }])
    );
    assert_eq!(far.asked(), [LOOK]);
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_cannot_be_read_is_listed_and_spoils_nothing() {
    for fault in ["enter", "read"] {
        let far = FarEnd::new(move |asked, before| match (asked, before) {
            (LOOK, 0) => document(
                "http://a.test/",
                &[("f1", json!({ "tag": "iframe" })), ("x1", input("q"))],
                json!({ "frames": [{ "at": 0, "index": 0, "src": "http://b.test/" }] }),
            ),
            (LOOK, _) => error(500, "javascript error", "Access is denied."),
            ("POST /frame", 0) if fault == "enter" => error(404, "no such frame", "No frame found"),
            ("POST /frame", _) => value("null"),
            (other, _) => quiet(other),
        });
        let view = Agent::start(&far).await.call("inspect_page", json!({})).await.unwrap();
        assert_eq!(
            view["frames"],
            json!([{ "frame": { "by": "index", "value": "0" }, "url": "http://b.test/", "unreadable": true }])
        );
        assert_eq!(view["elements"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn with_a_dialog_open_there_is_the_dialog_and_no_element_case_c09() {
    let far = FarEnd::new(|asked, _| match asked {
        LOOK => dialog_open("Sure?"),
        "GET /alert/text" => value("\"Sure?\""),
        other => quiet(other),
    });
    let view = Agent::start(&far).await.call("inspect_page", json!({})).await.unwrap();
    assert_eq!(
        view,
        json!({ "text": "", "elements": [], "truncated": false, "dialog": { "text": "Sure?" } })
    );
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_opens_while_the_script_runs_is_told() {
    let far = FarEnd::new(|asked, _| match asked {
        LOOK => value("null"),
        "GET /alert/text" => value("\"Now\""),
        other => quiet(other),
    });
    let view = Agent::start(&far).await.call("inspect_page", json!({})).await.unwrap();
    assert_eq!((&view["dialog"], &view["elements"]), (&json!({ "text": "Now" }), &json!([])));
}

#[tokio::test(start_paused = true)]
async fn an_error_page_or_a_window_without_document_is_told_cases_c06_and_c66() {
    for (source, code, reason) in [
        ("<script src=invalidcert.js>", "NAVIGATION_FAILED", "certificate"),
        ("", "INTERNAL_ERROR", "no_document"),
    ] {
        let far = FarEnd::new(move |asked, _| match asked {
            LOOK => error(500, "javascript error", "Error executing JavaScript"),
            "GET /url" => value("\"http://a.test/x\""),
            "GET /title" => value("\"\""),
            "GET /source" => value(&json!(source).to_string()),
            other => quiet(other),
        });
        let error = Agent::start(&far).await.call("inspect_page", json!({})).await.unwrap_err();
        assert_eq!((&error["error"], &error["reason"]), (&json!(code), &json!(reason)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_form_fits_into_forty_kilobytes_by_losing_options_case_c62() {
    let select = |n: usize| {
        json!({ "tag": "select", "id": format!("s{n}"), "optionCount": 10,
        "options": vec!["a choice of twenty char"; 10] })
    };
    let elements: Vec<Value> = (0..300).map(select).collect();
    let ids: Vec<String> = (0..300).map(|n| format!("x{n}")).collect();
    let far = FarEnd::new(move |asked, _| match asked {
        LOOK => {
            let all: Vec<(&str, Value)> =
                ids.iter().map(String::as_str).zip(elements.iter().cloned()).collect();
            document("http://a.test/", &all, json!({}))
        }
        other => quiet(other),
    });
    let view = Agent::start(&far).await.call("inspect_page", json!({})).await.unwrap();
    assert!(view.to_string().len() <= 40_000, "{}", view.to_string().len());
    assert_eq!(view["elements"].as_array().unwrap().len(), 300);
    assert!(view["elements"][0]["options"].is_array());
    assert_eq!(view["truncated"], false);
}

#[tokio::test(start_paused = true)]
async fn in_strict_mode_a_frame_from_elsewhere_is_listed_with_its_address_only() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (LOOK, 0) => document(
            "http://a.test/",
            &[("f1", json!({ "tag": "iframe" }))],
            json!({ "frames": [{ "at": 0, "index": 0 }] }),
        ),
        (LOOK, _) => document("http://b.test/", &[("x1", input("secret"))], json!({})),
        ("POST /frame", _) => value("null"),
        (other, _) => quiet(other),
    });
    let config = Config {
        allowed_origins: vec!["http://a.test".into()],
        allowed_origins_strict: true,
        ..Config::default()
    };
    let view = Agent::start_with(&far, config).await.call("inspect_page", json!({})).await.unwrap();
    assert_eq!(
        view["frames"],
        json!([{ "frame": { "by": "index", "value": "0" }, "url": "http://b.test/", "originAllowed": false }])
    );
}

#[tokio::test(start_paused = true)]
async fn a_typed_password_stays_masked_when_the_page_shows_it_case_c81() {
    let shown = json!({ "tag": "input", "id": "pw", "type": "text", "value": "Tana-8842-x" });
    let far = FarEnd::new(move |asked, _| match asked {
        "POST /execute/sync probe" => found("x1", json!({ "kind": "password" })),
        "POST /execute/sync read-back" => said(&json!({ "same": true, "length": 11 }), &[]),
        "POST /element/x1/value" => value("null"),
        LOOK => document("http://a.test/", &[("x2", shown.clone())], json!({ "text": "pw Tana-8842-x" })),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let args = json!({ "selector": { "by": "id", "value": "pw" }, "text": "Tana-8842-x" });
    let typed = agent.call("type", args).await;
    let view = agent.call("inspect_page", json!({})).await.unwrap();
    assert_eq!((&view["elements"][0]["value"], &view["text"]), (&json!("••••"), &json!("pw ••••")));
    assert!(!format!("{typed:?}").contains("Tana"));
}
