//! A real page behind the driver's wire: commands, ids and errors in the driver's words.

mod program;

use program::{Session, command, pages};
use serde_json::{Value, json};

const PAGES: &[(&str, &str)] = &[
    (
        "/",
        "<title>Demo</title><input id=a><input id=off disabled><button id=b onclick=\"alert('Hi')\">go</button>\
         <iframe id=f src=/inner></iframe><p id=gone>x</p>",
    ),
    ("/inner", "<title>Inner</title><p id=p>inside</p>"),
];

fn demo(always: Value) -> Option<Session> {
    let target = pages(PAGES);
    let mut command = command();
    command.args(["--port=0", "--bridge=chromedriver", &format!("--map=http://demo.test=http://{target}")]);
    let session = Session::start(command, always)?;
    assert_eq!(session.send("POST", "/url", json!({ "url": "http://demo.test/" })), (200, Value::Null));
    Some(session)
}

fn is_guid(id: &str) -> bool {
    let lengths: Vec<usize> = id.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

#[test]
fn a_real_page_is_driven_in_the_drivers_words() {
    let Some(session) = demo(json!({ "browserName": "internet explorer" })) else { return };
    assert_eq!(session.capabilities["browserName"], "internet explorer");
    assert_eq!(session.send("GET", "/title", json!({})), (200, json!("Demo")));
    assert_eq!(session.send("GET", "/url", json!({})), (200, json!("http://demo.test/")));
    assert_eq!(
        session.fails("POST", "/element", json!({ "using": "css selector", "value": "#x" })),
        (404, "no such element".into(), "Unable to find element with css selector == #x".into())
    );
    let input = session.find("#a");
    let at = format!("/element/{input}");
    assert_eq!(session.send("POST", &format!("{at}/value"), json!({ "text": "12.50" })), (200, Value::Null));
    assert_eq!(session.send("GET", &format!("{at}/property/value"), json!({})), (200, json!("12.50")));
    let off = session.find("#off");
    assert_eq!(
        session.fails("POST", &format!("/element/{off}/value"), json!({ "text": "x" })).2,
        "Element cannot be interacted with via the keyboard because it is not enabled"
    );
    let (status, second) = session.program.send("POST", "/session", r#"{"capabilities":{}}"#);
    assert_eq!((status, &second["error"]), (500, &json!("session not created")));
    assert_eq!(session.send("DELETE", "", json!({})), (200, Value::Null));
    assert_eq!(session.send("GET", "/title", json!({})).0, 404);
}

#[test]
fn ids_have_the_drivers_shape_and_life() {
    let Some(session) = demo(json!({})) else { return };
    assert!(is_guid(&session.id), "{}", session.id);
    let (_, handle) = session.send("GET", "/window", json!({}));
    assert!(handle.as_str().is_some_and(is_guid), "{handle}");
    assert_eq!(session.send("GET", "/window/handles", json!({})).1, json!([handle]));
    assert_eq!(session.send("POST", "/window", json!({ "handle": handle })), (200, Value::Null));
    assert_eq!(
        session.fails("POST", "/window", json!({ "handle": "x" })),
        (404, "no such window".into(), "No window found".into())
    );
    let gone = session.find("#gone");
    assert!(is_guid(&gone), "{gone}");
    assert_eq!(session.find("#gone"), gone);
    // The same id goes into scripts and comes out of them.
    let script = json!({ "script": "return [arguments[0], {p: document.getElementById('gone')}]", "args": [{ program::ELEMENT: gone }] });
    let (_, both) = session.send("POST", "/execute/sync", script);
    assert_eq!(both, json!([{ program::ELEMENT: gone }, { "p": { program::ELEMENT: gone } }]));
    let window = json!({ "script": "return window", "args": [] });
    assert_eq!(session.fails("POST", "/execute/sync", window).1, "javascript error");
    let remove = json!({ "script": "arguments[0].parentNode.removeChild(arguments[0])", "args": [{ program::ELEMENT: gone }] });
    assert_eq!(session.send("POST", "/execute/sync", remove), (200, Value::Null));
    let text = |id: &str| session.fails("GET", &format!("/element/{id}/text"), json!({}));
    assert_eq!(text(&gone).1, "stale element reference");
    assert_eq!(
        text(&gone),
        (404, "no such element".into(), format!("Invalid internal element ID requested: {gone}"))
    );
    assert_eq!(
        session.fails(
            "POST",
            &format!("/element/{gone}/element"),
            json!({ "using": "tag name", "value": "a" })
        ),
        (400, "invalid argument".into(), "Element is no longer valid".into())
    );
}

#[test]
fn an_element_of_another_frame_is_stale_until_its_frame_is_focused_again() {
    let Some(session) = demo(json!({})) else { return };
    let outer = session.find("#a");
    let frame = json!({ "id": { program::ELEMENT: session.find("#f") } });
    assert_eq!(session.send("POST", "/frame", frame), (200, Value::Null));
    let inner = session.find("#p");
    let text = |id: &str| session.send("GET", &format!("/element/{id}/text"), json!({}));
    assert_eq!(text(&inner), (200, json!("inside")));
    for _ in 0..2 {
        assert_eq!(text(&outer).1["error"], "stale element reference");
    }
    // Always of the top page.
    assert_eq!(session.send("GET", "/title", json!({})).1, "Demo");
    assert_eq!(session.send("POST", "/frame", json!({ "id": null })), (200, Value::Null));
    assert_eq!(text(&outer), (200, json!("")));
    assert_eq!(
        session.fails("POST", "/frame", json!({ "id": "name" })).2,
        "Frame identifier argument must be null, an integer, or a web element reference"
    );
    assert_eq!(
        session.fails("POST", "/frame", json!({ "id": 7 })),
        (404, "no such frame".into(), "No frame found".into())
    );
}

#[test]
fn a_dialog_stays_open_under_ignore_and_is_closed_with_notice_by_default() {
    for (behavior, stays) in [(json!("ignore"), true), (Value::Null, false)] {
        let Some(session) = demo(json!({ "unhandledPromptBehavior": behavior })) else { return };
        let button = session.find("#b");
        assert_eq!(session.send("POST", &format!("/element/{button}/click"), json!({})), (200, Value::Null));
        let (status, open) = session.send("GET", "/title", json!({}));
        assert_eq!(
            (status, open),
            (
                500,
                json!({
                    "data": { "text": "Hi" },
                    "error": "unexpected alert open",
                    "message": "Modal dialog present with text: Hi",
                    "stacktrace": "",
                })
            )
        );
        let text = session.send("GET", "/alert/text", json!({}));
        if stays {
            assert_eq!(text, (200, json!("Hi")));
            assert_eq!(session.send("GET", "/window/handles", json!({})).0, 200);
            assert_eq!(
                session.fails("POST", "/alert/text", json!({ "text": "x" })).2,
                "Modal dialog did not have a text box - maybe it was an alert"
            );
            assert_eq!(session.send("POST", "/alert/accept", json!({})), (200, Value::Null));
        } else {
            assert_eq!((text.0, &text.1["error"]), (404, &json!("no such alert")));
        }
        assert_eq!(session.send("GET", "/title", json!({})), (200, json!("Demo")));
    }
}
