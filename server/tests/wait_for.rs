//! `wait_for` against scripted pages in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod agent;
mod far_end;

use agent::{Agent, absent, dialog_open, error, found, quiet, said, state};
use far_end::{FarEnd, Reply, value};
use serde_json::{Value, json};
use tokio::time::Instant;

const PROBE: &str = "POST /execute/sync glance";

fn wait(kind: &str) -> Value {
    json!({ "type": kind, "selector": { "by": "id", "value": "x" } })
}

fn wait_text(kind: &str, text: &str) -> Value {
    json!({ "type": kind, "selector": { "by": "id", "value": "x" }, "text": text })
}

/// A page on which the probe gives the first reply twice, then the second for ever.
async fn turning(first: fn() -> Reply, second: fn() -> Reply) -> (FarEnd, Agent) {
    let far = FarEnd::new(move |asked, before| match (asked, before) {
        (PROBE, 0 | 1) => first(),
        (PROBE, _) => second(),
        (other, _) => quiet(other),
    });
    let agent = Agent::start(&far).await;
    (far, agent)
}

fn shown() -> Reply {
    found("x", json!({}))
}

fn hidden() -> Reply {
    found("x", json!({ "shown": false }))
}

#[tokio::test(start_paused = true)]
async fn each_condition_ends_when_it_holds_with_one_question_a_look() {
    let disabled = || found("x", json!({ "enabled": false }));
    let transparent = || found("x", json!({ "transparent": true }));
    let has = || found("x", json!({ "has": true, "text": "1 件" }));
    let has_not = || found("x", json!({ "text": "検索中" }));
    for (args, before, after) in [
        (wait("present"), absent as fn() -> Reply, hidden as fn() -> Reply),
        (wait("visible"), hidden, shown),
        (wait("visible"), transparent, shown),
        (wait("enabled"), disabled, shown),
        (wait("enabled"), hidden, shown),
        (wait_text("text", "1 件"), has_not, has),
        (wait("gone"), hidden, absent),
        (wait("hidden"), shown, hidden),
        (wait("hidden"), shown, absent),
        (wait_text("textGone", "1 件"), has, has_not),
        (wait_text("textGone", "1 件"), has, absent),
    ] {
        let (far, mut agent) = turning(before, after).await;
        let begun = Instant::now();
        let result = agent.call("wait_for", args.clone()).await.unwrap();
        let waited = u64::try_from(begun.elapsed().as_millis()).unwrap();
        assert_eq!(result, json!({ "type": args["type"], "waitedMs": waited }));
        assert_eq!(waited, 600, "{args}");
        assert_eq!(far.asked(), [PROBE; 3], "{args}");
    }
}

#[tokio::test(start_paused = true)]
async fn url_and_title_are_read_in_one_question() {
    for (kind, text) in [("url", "/detail"), ("title", "詳細")] {
        let far = FarEnd::new(|asked, before| match (asked, before) {
            ("POST /execute/sync state", 0) => state("http://a.test/", "検索"),
            ("POST /execute/sync state", _) => state("http://a.test/detail", "顧客詳細"),
            (other, _) => quiet(other),
        });
        let mut agent = Agent::start(&far).await;
        let result = agent.call("wait_for", json!({ "type": kind, "text": text })).await.unwrap();
        assert_eq!(result, json!({ "type": kind, "waitedMs": 300 }));
        assert_eq!(far.asked().len(), 2);
        let args = json!({ "type": kind, "text": "nowhere", "timeoutMs": 1000 });
        let error = agent.call("wait_for", args).await.unwrap_err();
        assert_eq!(error["error"], "TIMEOUT");
        assert!(error["lastText"].as_str().unwrap().contains(text), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn ies_own_pages_refuse_scripts_so_the_driver_tells_url_and_title() {
    let far = FarEnd::new(|asked, _| match asked {
        "POST /execute/sync state" => error(500, "javascript error", "Error executing JavaScript"),
        "GET /url" => value("\"http://gone.test/\""),
        "GET /title" => value("\"Can’t reach this page\""),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("wait_for", json!({ "type": "title", "text": "reach" })).await.unwrap();
    agent.call("wait_for", json!({ "type": "url", "text": "gone.test" })).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timeout_tells_what_was_seen_last() {
    for (args, reply, seen) in [
        (wait("visible"), absent as fn() -> Reply, "absent"),
        (wait("visible"), hidden, "hidden"),
        (wait("enabled"), || found("x", json!({ "enabled": false })), "visible and disabled"),
        (wait("gone"), shown, "visible and enabled"),
    ] {
        let (_, mut agent) = turning(reply, reply).await;
        let begun = Instant::now();
        let error = agent.call("wait_for", args).await.unwrap_err();
        assert_eq!(begun.elapsed().as_secs(), 10);
        assert_eq!((&error["error"], &error["seen"]), (&json!("TIMEOUT"), &json!(seen)));
        assert_eq!(error["selector"], json!({ "by": "id", "value": "x" }));
        assert_eq!(error.get("outcome"), None, "a wait has no effect");
    }
    let (_, mut agent) = turning(|| found("x", json!({ "text": "検索中" })), absent).await;
    let args =
        json!({ "type": "text", "selector": { "by": "id", "value": "x" }, "text": "件", "timeoutMs": 0 });
    let error = agent.call("wait_for", args).await.unwrap_err();
    assert_eq!(error["lastText"], "検索中");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_cannot_be_read_is_not_taken_for_one_without_the_element() {
    let broken = || error(500, "javascript error", "Error from JavaScript: Access is denied.");
    for reply in [broken as fn() -> Reply, || value("[]"), || value("\"text\"")] {
        let (_, mut agent) = turning(reply, reply).await;
        let mut args = wait("gone");
        args["timeoutMs"] = json!(500);
        let error = agent.call("wait_for", args).await.unwrap_err();
        assert_eq!(
            (&error["error"], &error["seen"]),
            (&json!("TIMEOUT"), &json!("a page that cannot be read"))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_missing_is_told() {
    let far = FarEnd::new(|asked, _| quiet(asked));
    let mut agent = Agent::start(&far).await;
    for (args, text) in [
        (json!({ "type": "visible" }), "wait_for with type visible needs selector."),
        (json!({ "type": "url" }), "wait_for with type url needs text."),
        (json!({ "type": "title", "text": "" }), "wait_for with type title needs text."),
        (wait("text"), "wait_for with type text needs text."),
        (json!({ "type": "text", "text": "x" }), "wait_for with type text needs selector."),
        (json!({ "type": "idle" }), "unknown variant `idle`"),
    ] {
        let error = agent.call("wait_for", args).await.unwrap_err();
        assert_eq!(error["error"], "INVALID_ARGUMENT");
        assert!(error["message"].as_str().unwrap().starts_with(text), "{error}");
    }
    assert!(far.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_dialog_ends_a_wait_at_once() {
    let (far, mut agent) = turning(absent, || dialog_open("Time is up")).await;
    let begun = Instant::now();
    let error = agent.call("wait_for", wait("visible")).await.unwrap_err();
    assert_eq!(begun.elapsed().as_millis(), 600, "the third look");
    assert_eq!(
        (&error["error"], &error["dialog"]),
        (&json!("DIALOG_OPEN"), &json!({ "text": "Time is up" }))
    );
    assert_eq!(far.count(PROBE), 3);
}

#[tokio::test(start_paused = true)]
async fn a_dialog_can_be_waited_for() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        ("GET /alert/text", 2..) => value("\"Time is up\""),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let result = agent.call("wait_for", json!({ "type": "dialog" })).await.unwrap();
    assert_eq!(result["dialog"], json!({ "text": "Time is up" }));
    // It is still open: another wait says so, one for a dialog holds at once.
    let error = agent.call("wait_for", wait("visible")).await.unwrap_err();
    assert_eq!(error["error"], "DIALOG_OPEN");
    let result = agent.call("wait_for", json!({ "type": "dialog" })).await.unwrap();
    assert_eq!(result["waitedMs"], 0);
}

#[tokio::test(start_paused = true)]
async fn a_new_window_can_be_waited_for() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        ("GET /window/handles", 3..) => value("[\"w2\",\"w1\"]"),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let result = agent.call("wait_for", json!({ "type": "window" })).await.unwrap();
    assert_eq!(result["waitedMs"], 900);
}

#[tokio::test(start_paused = true)]
async fn without_a_session_nothing_is_asked() {
    let far = FarEnd::new(|asked, _| quiet(asked));
    let mut agent = Agent::start(&far).await;
    agent.call("browser_close", json!({})).await.unwrap();
    let before = far.asked().len();
    for args in [wait("visible"), json!({ "type": "url", "text": "a" }), json!({ "type": "dialog" })] {
        assert_eq!(agent.call("wait_for", args).await.unwrap_err()["error"], "BROWSER_NOT_STARTED");
    }
    assert_eq!(far.asked().len(), before);
}

#[tokio::test(start_paused = true)]
async fn a_selector_that_can_never_be_valid_is_told_at_once() {
    let (_, mut agent) = turning(|| said(&json!({ "found": false, "invalid": "no" }), &[]), absent).await;
    let begun = Instant::now();
    let args = json!({ "type": "gone", "selector": { "by": "css", "value": "[" } });
    assert_eq!(agent.call("wait_for", args).await.unwrap_err()["error"], "INVALID_ARGUMENT");
    assert_eq!(begun.elapsed().as_millis(), 0);
}
