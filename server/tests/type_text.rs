//! `type` against scripted pages in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod agent;
mod far_end;

use agent::{Agent, dialog_open, element, error, found, quiet, said};
use far_end::{FarEnd, Reply, value};
use serde_json::{Value, json};
use tokio::time::Instant;

const PROBE: &str = "POST /execute/sync probe";
const BACK: &str = "POST /execute/sync read-back";
const SET: &str = "POST /execute/sync set-value";
const CLEAR: &str = "POST /element/f1/clear";
const KEYS: &str = "POST /element/f1/value";

fn typing(text: &str) -> Value {
    json!({ "selector": { "by": "id", "value": "name" }, "text": text })
}

fn same(length: usize) -> Reply {
    said(&json!({ "same": true, "length": length }), &[])
}

/// A field in which these units stand and which takes what is typed.
fn field(different: Value, back: fn() -> Reply) -> FarEnd {
    FarEnd::new(move |asked, _| match asked {
        PROBE => found("f1", different.clone()),
        BACK => back(),
        CLEAR | KEYS => value("null"),
        SET => said(&json!({}), &[]),
        other => quiet(other),
    })
}

/// Texts that were sent as keys.
fn sent(far: &FarEnd) -> Vec<Value> {
    let bodies = far.bodies.lock().unwrap();
    bodies.iter().map(|body| body["text"].clone()).filter(|text| !text.is_null()).collect()
}

#[tokio::test(start_paused = true)]
async fn text_is_written_once_and_compared_in_the_page() {
    let far = field(json!({}), || same(2));
    let mut agent = Agent::start(&far).await;
    let result = agent.call("type", typing("山田")).await.unwrap();
    assert_eq!(result, json!({ "status": "ok", "verified": true }));
    assert_eq!(far.asked(), [PROBE, KEYS, BACK], "an empty field is not cleared");
    assert_eq!(sent(&far), ["山田"]);
    assert_eq!(far.script_args("read-back"), [json!([element("f1"), "山田", 0])]);
}

#[tokio::test(start_paused = true)]
async fn text_in_the_field_is_cleared_first_or_appended_to() {
    let far = field(json!({ "length": 5 }), || same(2));
    let mut agent = Agent::start(&far).await;
    agent.call("type", typing("ab")).await.unwrap();
    assert_eq!(far.asked(), [PROBE, CLEAR, KEYS, BACK]);
    let mut append = typing("ab");
    append["clear"] = json!(false);
    agent.call("type", append).await.unwrap();
    assert_eq!(far.asked()[4..], [PROBE, KEYS, BACK]);
    let before: Vec<_> = far.script_args("read-back").iter().map(|args| args[2].clone()).collect();
    assert_eq!(before, [0, 5]);
}

#[tokio::test(start_paused = true)]
async fn c34_a_field_that_holds_something_else_is_told_and_never_written_again() {
    let far = field(json!({ "kind": "password" }), || said(&json!({ "same": false, "length": 7 }), &[]));
    let mut agent = Agent::start(&far).await;
    let result = agent.call("type", typing("s3cret#pw")).await.unwrap();
    assert_eq!(
        (&result["verified"], &result["expectedLength"], &result["actualLength"]),
        (&json!(false), &json!(9), &json!(7))
    );
    assert!(!result.to_string().contains("s3cret"));
    assert_eq!((far.count(KEYS), far.count(CLEAR)), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn what_takes_no_text_is_refused_at_once() {
    for (different, code, word) in [
        (json!({ "readOnly": true }), "NOT_INTERACTABLE", "read-only"),
        (json!({ "tag": "select", "kind": "", "editable": false }), "NOT_INTERACTABLE", "no text"),
        (json!({ "kind": "checkbox", "editable": false }), "NOT_INTERACTABLE", "no text"),
        (json!({ "kind": "hidden", "editable": false, "shown": false }), "NOT_INTERACTABLE", "no text"),
        (json!({ "kind": "file", "editable": false }), "INVALID_ARGUMENT", "not absolute"),
    ] {
        let far = field(different, || same(1));
        let mut agent = Agent::start(&far).await;
        let begun = Instant::now();
        let error = agent.call("type", typing("x")).await.unwrap_err();
        assert_eq!(begun.elapsed().as_millis(), 0);
        assert_eq!((&error["error"], &error["outcome"]), (&json!(code), &json!("not_done")));
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
        assert_eq!(far.count(KEYS), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hidden_or_disabled_field_is_waited_for() {
    for (different, reason) in
        [(json!({ "shown": false }), "hidden"), (json!({ "enabled": false }), "disabled")]
    {
        let far = field(different, || same(1));
        let mut agent = Agent::start(&far).await;
        let begun = Instant::now();
        let error = agent.call("type", typing("x")).await.unwrap_err();
        assert_eq!(begun.elapsed().as_secs(), 10);
        assert_eq!(
            (&error["error"], &error["reason"], &error["outcome"]),
            (&json!("TIMEOUT"), &json!(reason), &json!("not_done"))
        );
        assert_eq!(far.count(KEYS), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_covered_field_can_be_typed_into() {
    let far = field(json!({ "coveredBy": "label" }), || same(1));
    let mut agent = Agent::start(&far).await;
    agent.call("type", typing("x")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_field_replaced_before_the_first_key_is_looked_for_again() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (PROBE, 0) => found("old", json!({})),
        (PROBE, _) => found("f1", json!({})),
        ("POST /element/old/value", _) => error(404, "stale element reference", "Element is no longer valid"),
        (KEYS, _) => value("null"),
        (BACK, _) => same(1),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("type", typing("x")).await.unwrap();
    assert_eq!(far.count(KEYS), 1);
}

#[tokio::test(start_paused = true)]
async fn keys_without_an_answer_leave_an_unknown_outcome_and_are_not_sent_again() {
    for reply in [|| Reply::Close, || Reply::Hang] {
        let far = FarEnd::new(move |asked, _| match asked {
            PROBE => found("f1", json!({})),
            KEYS => reply(),
            other => quiet(other),
        });
        let mut agent = Agent::start(&far).await;
        let error = agent.call("type", typing("x")).await.unwrap_err();
        assert_eq!(error["outcome"], "unknown", "{error}");
        assert_eq!(far.count(KEYS), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_field_that_is_gone_after_the_keys_was_typed_into() {
    let far = field(json!({}), || error(404, "stale element reference", "Element is no longer valid"));
    let mut agent = Agent::start(&far).await;
    let result = agent.call("type", typing("x")).await.unwrap();
    assert_eq!((&result["status"], &result["verified"]), (&json!("ok"), &json!(false)));
    assert!(result["hint"].as_str().unwrap().contains("gone"));
}

#[tokio::test(start_paused = true)]
async fn keys_that_leave_the_field_are_not_compared() {
    for text in ["x\n", "x\t", "x\u{E007}"] {
        let far = field(json!({}), || same(1));
        let mut agent = Agent::start(&far).await;
        assert_eq!(agent.call("type", typing(text)).await.unwrap(), json!({ "status": "ok" }));
        assert_eq!(far.count(BACK), 0);
    }
    let far = field(json!({ "tag": "textarea", "kind": "" }), || same(3));
    let mut agent = Agent::start(&far).await;
    let result = agent.call("type", typing("a\r\nb")).await.unwrap();
    assert_eq!(result["verified"], true, "a line break stays in a text area");
    assert_eq!(sent(&far), ["a\nb"]);
}

#[tokio::test(start_paused = true)]
async fn keys_are_pressed_by_name_and_nothing_is_cleared() {
    let far = field(json!({ "length": 3, "readOnly": true }), || same(1));
    let mut agent = Agent::start(&far).await;
    let args = json!({ "selector": { "by": "id", "value": "name" }, "keys": ["Tab", "Control+a"] });
    assert_eq!(agent.call("type", args).await.unwrap(), json!({ "status": "ok" }));
    assert_eq!(far.asked(), [PROBE, KEYS]);
    assert_eq!(sent(&far), ["\u{E004}\u{E009}a\u{E009}"]);
    let args = json!({ "selector": { "by": "id", "value": "name" }, "keys": ["Retrun"] });
    let error = agent.call("type", args).await.unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("\"Retrun\""), "{error}");
    for wrong in
        [json!({}), json!({ "text": "a", "keys": ["Tab"] }), json!({ "keys": ["Tab"], "strategy": "value" })]
    {
        let mut args = wrong;
        args["selector"] = json!({ "by": "id", "value": "name" });
        assert_eq!(agent.call("type", args).await.unwrap_err()["error"], "INVALID_ARGUMENT");
    }
}

#[tokio::test(start_paused = true)]
async fn submit_presses_enter_after_the_text_was_compared() {
    let far = field(json!({}), || same(1));
    let mut agent = Agent::start(&far).await;
    let mut args = typing("x");
    args["submit"] = json!(true);
    assert_eq!(agent.call("type", args).await.unwrap()["verified"], true);
    assert_eq!(far.asked(), [PROBE, KEYS, BACK, KEYS]);
    assert_eq!(sent(&far), ["x", "\u{E007}"]);
}

#[tokio::test(start_paused = true)]
async fn a_value_can_be_set_instead_of_typed() {
    let far = field(json!({ "length": 3 }), || same(1));
    let mut agent = Agent::start(&far).await;
    let mut args = typing("x");
    args["strategy"] = json!("value");
    assert_eq!(agent.call("type", args).await.unwrap()["verified"], true);
    assert_eq!(far.asked(), [PROBE, SET, BACK]);
    assert_eq!(far.script_args("set-value"), [json!([element("f1"), "x", true])]);
}

#[tokio::test(start_paused = true)]
async fn a_dialog_opened_by_typing_is_told() {
    let far = field(json!({}), || dialog_open("Check the amount"));
    let mut agent = Agent::start(&far).await;
    let result = agent.call("type", typing("x")).await.unwrap();
    assert_eq!(result, json!({ "status": "ok", "dialog": { "text": "Check the amount" } }));
}

#[tokio::test(start_paused = true)]
async fn a_dialog_opened_by_the_clearing_keeps_the_text_from_being_typed_unless_it_is_answered() {
    let page = || {
        FarEnd::new(|asked, before| match (asked, before) {
            (PROBE, _) => found("f1", json!({ "length": 3 })),
            (KEYS, 0) => dialog_open("Must not be empty"),
            (CLEAR | KEYS | "POST /alert/accept", _) => value("null"),
            (BACK, _) => same(1),
            (other, _) => quiet(other),
        })
    };
    let far = page();
    let mut agent = Agent::start(&far).await;
    let error = agent.call("type", typing("x")).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("DIALOG_OPEN"), &json!("unknown")));
    assert!(error["message"].as_str().unwrap().contains("not typed"));

    let far = page();
    let mut agent = Agent::start(&far).await;
    let mut args = typing("x");
    args["dialog"] = json!({ "action": "accept" });
    let result = agent.call("type", args).await.unwrap();
    assert_eq!(result["answered"], json!({ "text": "Must not be empty", "action": "accept" }));
    assert_eq!(result["verified"], true);
    assert_eq!(far.count(CLEAR), 1);
}

#[tokio::test(start_paused = true)]
async fn c36_the_limit_grows_with_the_text() {
    let far = FarEnd::new(|asked, _| match asked {
        PROBE => found("f1", json!({})),
        KEYS => Reply::Hang,
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let begun = Instant::now();
    agent.call("type", typing(&"x".repeat(500))).await.unwrap_err();
    assert_eq!(begun.elapsed().as_secs(), 10 + 2 + 20);
}
