//! Every tool on the demonstration application, judged by what the page shows and what its server counted.

use crate::setup::{browser, counted, done, element, fails, id, live};
use base64::{Engine, prelude::BASE64_STANDARD};
use harness::demo_app::{LOGIN_PASSWORD, LOGIN_USER};
use serde_json::{Map, Value, json};

#[tokio::test]
async fn the_customer_search_works_in_its_eleven_steps() {
    if !browser("the_customer_search_works_in_its_eleven_steps") {
        return;
    }
    let live = live("", &[]).await;
    let started = done(&live, "browser_start", Value::Null).await;
    assert_eq!((&started["status"], &started["reused"]), (&json!("ready"), &json!(false)));
    let opened = done(&live, "navigate", json!({ "url": "http://demo.test/customer" })).await;
    assert_eq!(opened["title"], "顧客検索");
    assert_eq!(opened["url"], "http://demo.test/customer");
    let page = done(&live, "inspect_page", Value::Null).await;
    assert_eq!((&page["title"], &page["truncated"]), (&json!("顧客検索"), &json!(false)));
    let branch = element(&page, "branch");
    assert_eq!((&branch["text"], &branch["optionCount"]), (&json!("東京支店"), &json!(12)));
    assert_eq!(element(&page, "searchButton")["text"], "検索");
    let typed = json!({ "selector": id("customerName"), "text": "山田" });
    assert_eq!(done(&live, "type", typed).await["status"], "ok");
    let selected =
        done(&live, "select", json!({ "selector": id("branch"), "by": "text", "value": "大阪支店" })).await;
    assert_eq!(
        (&selected["text"], &selected["value"], &selected["index"]),
        (&json!("大阪支店"), &json!("08"), &json!(7))
    );
    let clicked = done(&live, "click", json!({ "selector": id("searchButton") })).await;
    assert_eq!(clicked["title"], "顧客検索");
    let visible = done(&live, "wait_for", json!({ "type": "visible", "selector": id("results") })).await;
    assert_eq!(visible["type"], "visible");
    assert!(visible["waitedMs"].is_u64(), "{visible}");
    let page = done(&live, "inspect_page", Value::Null).await;
    assert!(page["text"].as_str().unwrap().contains("1 件"), "{page}");
    let link = json!({ "selector": { "by": "linkText", "value": "山田製作所" } });
    done(&live, "click", link).await;
    done(&live, "wait_for", json!({ "type": "title", "text": "顧客詳細" })).await;
    let page = done(&live, "inspect_page", Value::Null).await;
    assert_eq!(page["url"], "http://demo.test/customer/1002");
    assert!(page["text"].as_str().unwrap().contains("大阪支店"), "{page}");
    assert_eq!(live.app.counters().page("/customer/1002"), 1);
    live.end().await;
}

#[tokio::test]
async fn forms_frames_windows_and_old_encodings_work() {
    if !browser("forms_frames_windows_and_old_encodings_work") {
        return;
    }
    let live = live("", &[]).await;
    done(&live, "browser_start", Value::Null).await;

    // An order, with text appended and replaced.
    done(&live, "navigate", json!({ "url": "http://demo.test/order" })).await;
    done(&live, "type", json!({ "selector": id("item"), "text": "A-" })).await;
    done(&live, "type", json!({ "selector": id("item"), "text": "1", "clear": false })).await;
    done(&live, "type", json!({ "selector": { "by": "name", "value": "quantity" }, "text": "3" })).await;
    let page = done(&live, "inspect_page", Value::Null).await;
    assert_eq!(element(&page, "item")["value"], "A-1");
    assert_eq!(element(&page, "quantity")["value"], "3");
    done(&live, "click", json!({ "selector": { "by": "xpath", "value": "//input[@type='submit']" } })).await;
    done(&live, "wait_for", json!({ "type": "url", "text": "/order/done/1" })).await;
    assert_eq!(live.app.counters().orders, 1);

    // A login whose password is nowhere.
    done(&live, "navigate", json!({ "url": "http://demo.test/login" })).await;
    done(&live, "type", json!({ "selector": id("user"), "text": LOGIN_USER })).await;
    done(&live, "type", json!({ "selector": id("password"), "text": LOGIN_PASSWORD })).await;
    let page = done(&live, "inspect_page", Value::Null).await;
    assert!(!page.to_string().contains(LOGIN_PASSWORD), "{page}");
    done(&live, "click", json!({ "selector": { "by": "css", "value": "#loginButton" } })).await;
    done(&live, "wait_for", json!({ "type": "url", "text": "/home" })).await;
    assert_eq!(live.app.counters().logins, 1);

    // A form in an iframe.
    done(&live, "navigate", json!({ "url": "http://demo.test/iframe" })).await;
    let frame = json!({ "by": "name", "value": "entryFrame" });
    let page = done(&live, "inspect_page", json!({ "frame": frame })).await;
    assert_eq!(element(&page, "kind")["text"], "入庫");
    fails(&live, "click", json!({ "selector": id("register"), "timeoutMs": 300 }), "ELEMENT_NOT_FOUND").await;
    done(&live, "type", json!({ "frame": frame, "selector": id("code"), "text": "A-100" })).await;
    done(&live, "select", json!({ "frame": frame, "selector": id("kind"), "by": "index", "value": 1 })).await;
    done(&live, "click", json!({ "frame": frame, "selector": id("register") })).await;
    assert_eq!(counted(&live, |counters| counters.registrations > 0).await.registrations, 1);

    // Select by text, value, index; what cannot be.
    done(&live, "navigate", json!({ "url": "http://demo.test/select" })).await;
    let by = |by: &str, value: Value| json!({ "selector": id("many"), "by": by, "value": value });
    assert_eq!(done(&live, "select", by("value", json!("250"))).await["text"], "項目 250");
    assert_eq!(done(&live, "select", by("index", json!(0))).await["value"], "1");
    fails(&live, "select", by("text", json!("項目 301")), "ELEMENT_NOT_FOUND").await;

    // A window, and the way back.
    done(&live, "navigate", json!({ "url": "http://demo.test/popup" })).await;
    done(&live, "click", json!({ "selector": id("pickButton") })).await;
    let newest = done(&live, "switch_window", json!({ "target": "newest" })).await;
    assert_eq!(
        (&newest["title"], &newest["index"], &newest["windowCount"]),
        (&json!("顧客選択"), &json!(1), &json!(2))
    );
    done(&live, "select", json!({ "selector": id("customer"), "by": "text", "value": "鈴木運輸" })).await;
    done(&live, "click", json!({ "selector": id("chooseButton") })).await;
    let back = done(&live, "switch_window", json!({ "index": 0 })).await;
    assert_eq!((&back["title"], &back["windowCount"]), (&json!("見積入力"), &json!(1)));
    let page = done(&live, "inspect_page", Value::Null).await;
    assert_eq!(element(&page, "customerCode")["value"], "1003");

    // Shift_JIS both ways.
    done(&live, "navigate", json!({ "url": "http://demo.test/sjis" })).await;
    done(&live, "type", json!({ "selector": id("product"), "text": "ボルト" })).await;
    done(&live, "click", json!({ "selector": id("findButton") })).await;
    let found = json!({ "type": "text", "selector": id("found"), "text": "ボルト: 3 件" });
    done(&live, "wait_for", found).await;

    // A click in the frame of a frameset moves another frame.
    done(&live, "navigate", json!({ "url": "http://demo.test/menu" })).await;
    let menu = json!({ "by": "name", "value": "menu" });
    let link = json!({ "frame": menu, "selector": { "by": "linkText", "value": "売上照会" } });
    done(&live, "click", link).await;
    assert_eq!(counted(&live, |counters| counters.page("/menu/sales") > 0).await.page("/menu/sales"), 1);

    let picture = live.server.call("screenshot", Map::new()).await.unwrap();
    let png = BASE64_STANDARD.decode(picture.picture().expect("a picture")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    live.end().await;
}

#[tokio::test]
async fn each_condition_can_be_waited_for() {
    if !browser("each_condition_can_be_waited_for") {
        return;
    }
    let live = live("", &[]).await;
    done(&live, "browser_start", Value::Null).await;
    done(&live, "navigate", json!({ "url": "http://demo.test/states" })).await;
    let condition = |kind: &str, name: &str| json!({ "type": kind, "selector": id(name), "timeoutMs": 300 });
    done(&live, "wait_for", condition("present", "hidden")).await;
    fails(&live, "wait_for", condition("visible", "hidden"), "TIMEOUT").await;
    fails(&live, "wait_for", condition("enabled", "disabled"), "TIMEOUT").await;
    fails(&live, "wait_for", condition("present", "nowhere"), "TIMEOUT").await;
    done(&live, "click", json!({ "selector": id("laterButton") })).await;
    done(&live, "wait_for", json!({ "type": "visible", "selector": id("lateShown") })).await;
    done(&live, "wait_for", json!({ "type": "enabled", "selector": id("lateEnabled") })).await;
    done(&live, "click", json!({ "selector": id("lateEnabled") })).await;
    done(&live, "wait_for", json!({ "type": "text", "selector": id("answer"), "text": "lateEnabled" })).await;
    done(&live, "click", json!({ "selector": id("below") })).await;
    done(&live, "wait_for", json!({ "type": "text", "selector": id("answer"), "text": "below" })).await;
    done(&live, "wait_for", json!({ "type": "url", "text": "/states" })).await;
    done(&live, "wait_for", json!({ "type": "title", "text": "部品" })).await;
    live.end().await;
}
