//! A side effect is sent once, whatever becomes of its answer.

use crate::setup::{browser, counted, done, element, fails, id, live};
use serde_json::{Value, json};

/// The driver acts, then its answer is lost.
const LOST_ANSWERS: &str = "[[fault]]\ncommand = \"elementClick\"\naction = \"reset-after\"\n\
                            [[fault]]\ncommand = \"elementSendKeys\"\naction = \"reset-after\"\n";

#[tokio::test]
async fn a_click_and_a_text_whose_answer_is_lost_are_sent_once() {
    if !browser("a_click_and_a_text_whose_answer_is_lost_are_sent_once") {
        return;
    }
    let live = live(LOST_ANSWERS, &[]).await;
    done(&live, "browser_start", Value::Null).await;

    done(&live, "navigate", json!({ "url": "http://demo.test/order" })).await;
    let lost = fails(&live, "click", json!({ "selector": id("saveButton") }), "INTERNAL_ERROR").await;
    assert_eq!(lost["outcome"], "unknown", "{lost}");
    assert!(lost["hint"].as_str().is_some_and(|hint| hint.contains("look")), "{lost}");
    // The page that follows the save is there, so a second save would have been counted.
    done(&live, "wait_for", json!({ "type": "url", "text": "/order/done/" })).await;
    assert_eq!(live.app.counters().orders, 1);

    done(&live, "navigate", json!({ "url": "http://demo.test/typing" })).await;
    let typed = json!({ "selector": id("field"), "text": "abc" });
    let lost = fails(&live, "type", typed, "INTERNAL_ERROR").await;
    assert_eq!(lost["outcome"], "unknown", "{lost}");
    assert!(!lost.to_string().contains("abc"), "the text itself is never repeated: {lost}");
    let page = done(&live, "inspect_page", Value::Null).await;
    assert_eq!(element(&page, "field")["value"], "abc");
    assert_eq!(counted(&live, |counters| counters.hit("key") >= 3).await.hit("key"), 3);
    live.end().await;
}
