//! The session's own rules, in memory and in virtual time: ids, dialogs, limits, windows.

mod driver;
mod still;

use driver::ELEMENT;
use fake_iedriver::session::Pace;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout};

fn css(value: &str) -> Value {
    json!({ "using": "css selector", "value": value })
}

/// Virtual time. Not to the millisecond: the first timer of a runtime comes late on a loaded machine.
fn took(start: Instant, ms: u128) {
    let passed = start.elapsed().as_millis();
    assert!((ms..ms + 240).contains(&passed), "{passed} ms instead of {ms}");
}

#[tokio::test(start_paused = true)]
async fn a_page_is_read_and_typed_into() {
    let driver = still::start(json!({})).await;
    assert_eq!(driver.value("GET", "/title", json!({})).await, "Home");
    assert_eq!(driver.value("GET", "/url", json!({})).await, "http://still.test/");
    let field = driver.find("#a").await;
    let at = format!("/element/{field}");
    driver.value("POST", &format!("{at}/clear"), json!({})).await;
    driver.value("POST", &format!("{at}/value"), json!({ "text": "12.50" })).await;
    assert_eq!(driver.value("GET", &format!("{at}/property/value"), json!({})).await, "12.50");
    assert_eq!(driver.value("GET", &format!("{at}/name"), json!({})).await, "input");
    assert_eq!(driver.value("GET", &format!("{at}/enabled"), json!({})).await, true);
    let items = driver.value("POST", "/elements", css(".i")).await;
    assert_eq!(items.as_array().map(Vec::len), Some(2));
    assert_eq!(driver.value("POST", "/elements", css(".none")).await, json!([]));
    let option = driver.find("#o").await;
    driver.value("POST", &format!("/element/{option}/click"), json!({})).await;
    assert_eq!(driver.value("GET", &format!("/element/{option}/selected"), json!({})).await, true);
    let link = driver.find("#go").await;
    driver.value("POST", &format!("/element/{link}/click"), json!({})).await;
    assert_eq!(driver.value("GET", "/title", json!({})).await, "Second");
    assert!(
        driver
            .value("GET", "/screenshot", json!({}))
            .await
            .as_str()
            .is_some_and(|png| png.starts_with("iVBOR"))
    );
}

#[tokio::test(start_paused = true)]
async fn elements_that_cannot_be_used_say_so_in_the_drivers_words() {
    let driver = still::start(json!({})).await;
    for (css, command, code, message) in [
        ("#hidden", "click", "element not interactable", "Element is not displayed"),
        (
            "#file",
            "click",
            "invalid argument",
            "Cannot call click on an <input type='file'> element. Use sendKeys to upload files.",
        ),
        (
            "#off",
            "value",
            "element not interactable",
            "Element cannot be interacted with via the keyboard because it is not enabled",
        ),
        ("#off", "clear", "invalid element state", "Element must not be read-only or disabled"),
        (
            "#hidden",
            "value",
            "element not interactable",
            "Element cannot be interacted with via the keyboard because it is not displayed",
        ),
    ] {
        let id = driver.find(css).await;
        let error = driver.error("POST", &format!("/element/{id}/{command}"), json!({ "text": "x" })).await;
        assert_eq!(error, (code.to_owned(), message.to_owned()), "{css} {command}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_element_is_stale_once_and_then_unknown() {
    let driver = still::start(json!({})).await;
    let gone = driver.find("#gone").await;
    assert_eq!(driver.find("#gone").await, gone);
    let remove = json!({ "script": "remove", "args": [{ ELEMENT: gone }] });
    driver.value("POST", "/execute/sync", remove.clone()).await;
    let text = format!("/element/{gone}/text");
    let stale = ("stale element reference".to_owned(), "Element is no longer valid".to_owned());
    assert_eq!(driver.error("GET", &text, json!({})).await, stale);
    let unknown = ("no such element".to_owned(), format!("Invalid internal element ID requested: {gone}"));
    assert_eq!(driver.error("GET", &text, json!({})).await, unknown);
    let below = driver.error("POST", &format!("/element/{gone}/element"), css("a")).await;
    assert_eq!(below, ("invalid argument".to_owned(), "Element is no longer valid".to_owned()));
    let script = driver.error("POST", "/execute/sync", remove).await;
    assert_eq!(script, ("no such element".to_owned(), "Error executing JavaScript".to_owned()));
    // A new page makes all stale.
    let field = driver.find("#a").await;
    driver.value("POST", "/refresh", json!({})).await;
    assert_eq!(driver.error("GET", &format!("/element/{field}/text"), json!({})).await, stale);
}

/// What happens to a command that meets an open dialog, by `unhandledPromptBehavior`.
#[tokio::test(start_paused = true)]
async fn every_prompt_behaviour_does_what_the_driver_does() {
    for (behavior, answered, title) in [
        (json!("ignore"), false, "Home"),
        (Value::Null, false, "Dismissed"),
        (json!("dismiss and notify"), false, "Dismissed"),
        (json!("accept and notify"), false, "Accepted"),
        (json!("accept"), true, "Accepted"),
        (json!("dismiss"), true, "Dismissed"),
    ] {
        let driver = still::start(json!({ "unhandledPromptBehavior": behavior })).await;
        let button = driver.find("#ask").await;
        // The click has been done and answers; the script behind it stands still.
        let click = format!("/element/{button}/click");
        assert_eq!(driver.value("POST", &click, json!({})).await, Value::Null);
        assert_eq!(driver.value("GET", "/alert/text", json!({})).await, "Sure?");
        assert!(driver.value("GET", "/window/handles", json!({})).await.is_array());
        let (status, first) = driver.send("GET", "/title", json!({})).await;
        if answered {
            assert_eq!((status, first), (200, json!(title)), "{behavior}");
            continue;
        }
        assert_eq!((status, &first["data"]), (500, &json!({ "text": "Sure?" })), "{behavior}");
        assert_eq!(first["message"], "Modal dialog present with text: Sure?");
        if behavior == "ignore" {
            let write = driver.error("POST", "/alert/text", json!({ "text": "x" })).await;
            assert_eq!(write.1, "Modal dialog did not have a text box - maybe it was an alert");
            driver.value("POST", "/alert/dismiss", json!({})).await;
            assert_eq!(driver.value("GET", "/title", json!({})).await, "Dismissed");
        } else {
            assert_eq!(driver.value("GET", "/title", json!({})).await, title, "{behavior}");
        }
        let none = driver.error("POST", "/alert/accept", json!({})).await;
        assert_eq!(none, ("no such alert".to_owned(), "No alert is active".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_that_asks_answers_null_and_its_later_value_goes_nowhere() {
    let driver = still::start(json!({ "unhandledPromptBehavior": "ignore" })).await;
    let ask = json!({ "script": "ask", "args": [] });
    assert_eq!(driver.value("POST", "/execute/sync", ask).await, Value::Null);
    // The script returns 5 once the dialog is closed; the command that closed it gives null.
    assert_eq!(driver.value("POST", "/alert/accept", json!({})).await, Value::Null);
    assert_eq!(driver.value("GET", "/title", json!({})).await, "Home");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_session_does_not_wait_for_an_answer_to_a_dialog() {
    let mut driver = still::start(json!({ "unhandledPromptBehavior": "ignore" })).await;
    driver.value("POST", "/execute/sync", json!({ "script": "ask", "args": [] })).await;
    assert_eq!(driver.value("DELETE", "", json!({})).await, Value::Null);
    driver.begin(json!({})).await;
    assert_eq!(driver.value("GET", "/title", json!({})).await, "Home");
}

#[tokio::test(start_paused = true)]
async fn delete_overtakes_a_running_command() {
    let driver = still::start(json!({ "timeouts": { "script": null } })).await;
    let wait = json!({ "script": "wait", "args": [] });
    let (waited, deleted) = tokio::join!(driver.send("POST", "/execute/sync", wait), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        timeout(Duration::from_secs(1), driver.send("DELETE", "", json!({}))).await
    });
    assert_eq!(deleted.expect("answered at once"), (200, Value::Null));
    assert_eq!(waited.1["error"], "no such window");
    assert_eq!(driver.error("GET", "/title", json!({})).await.0, "invalid session id");
}

#[tokio::test(start_paused = true)]
async fn implicit_waits_poll_and_count_whole_seconds() {
    let driver = still::start(json!({})).await;
    // Without one a miss comes at once, or after 250 ms at the driver's pace.
    let start = Instant::now();
    assert_eq!(driver.error("POST", "/element", css("#late")).await.0, "no such element");
    assert!(start.elapsed().is_zero());
    // One millisecond is one second.
    driver.value("POST", "/timeouts", json!({ "implicit": 1 })).await;
    let start = Instant::now();
    assert_eq!(
        driver.error("POST", "/element", css("#late")).await.1,
        "Unable to find element with css selector == #late"
    );
    took(start, 1000);
    driver.value("POST", "/execute/sync", json!({ "script": "later", "args": [] })).await;
    let start = Instant::now();
    driver.find("#late").await;
    took(start, 750);
    assert_eq!(
        driver.value("GET", "/timeouts", json!({})).await,
        json!({ "implicit": 1, "pageLoad": 300_000, "script": 30_000 })
    );
    let slow = still::with_pace(json!({}), Pace::Ie).await;
    let start = Instant::now();
    assert_eq!(slow.value("POST", "/elements", css("#late")).await, json!([]));
    took(start, 250);
}

#[tokio::test(start_paused = true)]
async fn limits_of_pages_and_scripts_have_their_errors() {
    let driver = still::start(json!({ "timeouts": { "pageLoad": 2999, "script": 1500 } })).await;
    let start = Instant::now();
    let load = driver.error("POST", "/url", json!({ "url": "http://still.test/never" })).await;
    assert_eq!(load, ("timeout".to_owned(), "Timed out waiting for page to load.".to_owned()));
    took(start, 2000);
    for (path, message) in [
        ("/execute/sync", "Timed out waiting for script to complete."),
        ("/execute/async", "Timeout expired waiting for async script"),
    ] {
        let start = Instant::now();
        let error = driver.error("POST", path, json!({ "script": "wait", "args": [] })).await;
        assert_eq!(error, ("script timeout".to_owned(), message.to_owned()));
        took(start, 1000);
    }
    let url = driver.error("POST", "/url", json!({ "url": "nonsense" })).await;
    assert_eq!(url, ("invalid argument".to_owned(), "Specified URL (nonsense) is not valid.".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn the_focus_stays_on_a_closed_window_and_the_last_one_ends_the_session() {
    let driver = still::start(json!({})).await;
    let first = driver.value("GET", "/window", json!({})).await;
    let new = driver.value("POST", "/window/new", json!({ "type": "tab" })).await;
    assert_eq!(new["type"], "tab");
    assert_eq!(driver.value("GET", "/window", json!({})).await, first);
    assert_eq!(driver.value("DELETE", "/window", json!({})).await, json!([new["handle"]]));
    for (path, message) in [
        ("/window", "Window is closed"),
        ("/title", "Unable to get browser"),
        ("/window/rect", "Error retrieving window"),
    ] {
        let error = driver.error("GET", path, json!({})).await;
        assert_eq!(error, ("no such window".to_owned(), message.to_owned()));
    }
    let find = driver.error("POST", "/elements", css("a")).await;
    assert_eq!(find.1, "Unable to find elements on closed window");
    let unknown = driver.error("POST", "/window", json!({ "handle": "x" })).await;
    assert_eq!(unknown, ("no such window".to_owned(), "No window found".to_owned()));
    driver.value("POST", "/window", json!({ "handle": new["handle"] })).await;
    assert_eq!(driver.value("GET", "/title", json!({})).await, "");
    assert_eq!(driver.value("DELETE", "/window", json!({})).await, json!([]));
    assert_eq!(driver.error("GET", "/title", json!({})).await.0, "invalid session id");
}

#[tokio::test(start_paused = true)]
async fn cookies_and_rectangles_keep_what_was_set() {
    let driver = still::start(json!({})).await;
    let cookie = json!({ "cookie": { "name": "n", "value": "v", "path": "/a.html", "httpOnly": true } });
    driver.value("POST", "/cookie", cookie).await;
    let seen = json!({ "domain": "still.test", "httpOnly": false, "name": "n", "path": "/", "secure": false, "value": "v" });
    assert_eq!(driver.value("GET", "/cookie", json!({})).await, json!([seen]));
    assert_eq!(driver.value("GET", "/cookie/n", json!({})).await, seen);
    driver.value("DELETE", "/cookie/n", json!({})).await;
    let none = driver.error("GET", "/cookie/n", json!({})).await;
    assert_eq!(none, ("no such cookie".to_owned(), "No cookie could be found with the name 'n'.".to_owned()));
    let foreign = json!({ "cookie": { "name": "n", "value": "v", "domain": "other.test" } });
    assert_eq!(driver.error("POST", "/cookie", foreign).await.0, "invalid cookie domain");
    let before = driver.value("GET", "/window/rect", json!({})).await;
    // A lone member is ignored.
    assert_eq!(driver.value("POST", "/window/rect", json!({ "x": 5 })).await, before);
    let moved = driver.value("POST", "/window/rect", json!({ "x": -5, "y": 6 })).await;
    assert_eq!((&moved["x"], &moved["y"], &moved["width"]), (&json!(-5), &json!(6), &before["width"]));
    assert_eq!(driver.value("POST", "/window/maximize", json!({})).await["x"], -8);
}
