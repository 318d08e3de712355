//! Each error code is produced, with what the contract says goes with it.

use crate::setup::{browser, call, done, fails, id, live};
use harness::flow::{Controls, live::LiveControls};
use serde_json::{Value, json};

/// What the real driver answers when protected mode differs between zones.
const REFUSED_START: &str = r#"
[[fault]]
command = "newSession"
action = "odd"
status = 500
body = '{"value":{"error":"session not created","message":"Unexpected error launching Internet Explorer. Protected Mode settings are not the same for all zones.","stacktrace":""}}'
"#;

#[tokio::test]
async fn every_error_code_comes_with_what_helps() {
    if !browser("every_error_code_comes_with_what_helps") {
        return;
    }
    let variables =
        [("IE_MCP_ALLOWED_ORIGINS", "http://demo.test/, http://gone.test"), ("IE_MCP_TIMEOUT_MS", "1000")];
    let live = live(REFUSED_START, &variables).await;

    for (tool, arguments) in [
        ("navigate", json!({ "url": "http://demo.test/" })),
        ("inspect_page", json!({})),
        ("click", json!({ "selector": id("x") })),
        ("type", json!({ "selector": id("x"), "text": "t" })),
        ("select", json!({ "selector": id("x"), "by": "text", "value": "v" })),
        ("wait_for", json!({ "type": "title", "text": "t" })),
        ("switch_window", json!({ "index": 0 })),
        ("screenshot", json!({})),
    ] {
        fails(&live, tool, arguments, "BROWSER_NOT_STARTED").await;
    }
    let refused = fails(&live, "browser_start", Value::Null, "INTERNAL_ERROR").await;
    assert_eq!(refused["reason"], "protected_mode", "{refused}");

    live.set_faults("").unwrap();
    done(&live, "browser_start", Value::Null).await;
    let url = json!({ "url": "http://other.test/other" });
    assert_eq!(fails(&live, "navigate", url, "URL_NOT_ALLOWED").await["outcome"], "not_done");
    assert_eq!(live.app.counters().page("/other"), 0, "nothing was sent");
    fails(&live, "navigate", json!({ "url": "file:///etc/hostname" }), "URL_NOT_ALLOWED").await;
    let refused = fails(&live, "navigate", json!({ "url": "http://gone.test/" }), "NAVIGATION_FAILED").await;
    assert_eq!(refused["reason"], "refused", "{refused}");

    done(&live, "navigate", json!({ "url": "http://demo.test/states" })).await;
    let missing = fails(&live, "click", json!({ "selector": id("nowhere") }), "ELEMENT_NOT_FOUND").await;
    assert_eq!(missing["message"], "Element was not found: id=nowhere");
    assert_eq!((&missing["selector"], &missing["outcome"]), (&id("nowhere"), &json!("not_done")));
    let late = json!({ "type": "title", "text": "別の画面", "timeoutMs": 300 });
    fails(&live, "wait_for", late, "TIMEOUT").await;
    let disabled = fails(&live, "click", json!({ "selector": id("disabled") }), "TIMEOUT").await;
    assert_eq!((&disabled["reason"], &disabled["outcome"]), (&json!("disabled"), &json!("not_done")));
    fails(&live, "switch_window", json!({ "index": 7 }), "WINDOW_NOT_FOUND").await;
    for (tool, arguments) in [
        ("click", json!({})),
        ("click", json!({ "selector": { "by": "colour", "value": "red" } })),
        ("click", json!({ "selector": id("hidden"), "colour": "red" })),
        ("select", json!({ "selector": id("readonly"), "by": "text", "value": "x" })),
        ("wait_for", json!({ "type": "visible" })),
        ("wait_for", json!({ "type": "title" })),
        ("wait_for", json!({ "type": "title", "text": "t", "timeoutMs": 55_001 })),
        ("navigate", json!({ "url": "no address" })),
    ] {
        fails(&live, tool, arguments, "INVALID_ARGUMENT").await;
    }
    fails(&live, "type", json!({ "selector": id("readonly"), "text": "x" }), "NOT_INTERACTABLE").await;

    done(&live, "navigate", json!({ "url": "http://demo.test/dialogs" })).await;
    let opened = done(&live, "click", json!({ "selector": id("alertButton") })).await;
    assert_eq!(opened["dialog"]["text"], "保存しました");
    let open = fails(&live, "click", json!({ "selector": id("confirmButton") }), "DIALOG_OPEN").await;
    assert_eq!((&open["dialog"]["text"], &open["outcome"]), (&json!("保存しました"), &json!("not_done")));

    LiveControls::of(&live.server).kill_driver().await.unwrap();
    fails(&live, "inspect_page", Value::Null, "DRIVER_LOST").await;
    fails(&live, "inspect_page", Value::Null, "BROWSER_NOT_STARTED").await;
    let again = done(&live, "browser_start", Value::Null).await;
    assert_eq!(again["reused"], false);
    done(&live, "navigate", json!({ "url": "http://demo.test/order" })).await;
    LiveControls::of(&live.server).kill_driver().await.unwrap();
    let lost = fails(&live, "click", json!({ "selector": id("saveButton") }), "DRIVER_LOST").await;
    assert!(lost["outcome"].is_string(), "{lost}");
    assert_eq!(live.app.counters().orders, 0);
    assert_eq!(call(&live, "browser_close", Value::Null).await, json!({ "status": "closed" }));
    live.end().await;
}
