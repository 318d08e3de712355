//! Answers of chromedriver in the words of the driver.
//!
//! Owns: error texts, values that differ, and the few commands the bridge answers alone
//! (`reference/iedriver-wire.md` sections 5 to 7). Does not own: sending.

use crate::wire::{Call, DriverError, Reply, SessionReply, parameters};
use serde_json::Value;

/// Answers that need no browser: what the driver refuses or does not have.
pub(super) fn answered_here(call: &Call) -> Option<Reply> {
    parameters::refused(call).or_else(|| {
        let no_login = call.command.name == "setAlertCredentials";
        no_login.then(|| Reply::Error(DriverError::new("unexpected alert open", "Could not set user name")))
    })
}

/// The reply to a command from chromedriver's `value`.
pub(super) fn reply(call: &Call, value: Value) -> SessionReply {
    let Some((code, message)) = error_of(&value) else {
        let ended = call.command.name == "closeWindow" && value.as_array().is_some_and(Vec::is_empty);
        let page =
            (call.command.name == "getPageSource").then(|| value.as_str().and_then(error_page)).flatten();
        return SessionReply { reply: Reply::Value(page.map_or(value, Value::String)), ended };
    };
    // A page that does not load is a success with an error page.
    if call.command.name == "navigateTo" && message.contains("net::ERR_") {
        return Reply::Value(Value::Null).into();
    }
    let dead = code == "invalid session id" || message.contains("disconnected");
    if dead {
        return Reply::Error(DriverError::new("no such window", "Unable to get browser")).into();
    }
    if code == "unexpected alert open" {
        let in_data = value.pointer("/data/text").and_then(Value::as_str);
        let in_message = message.split_once("{Alert text : ").map(|(_, rest)| rest.trim_end_matches('}'));
        return Reply::Error(DriverError::dialog_open(in_data.or(in_message).unwrap_or_default())).into();
    }
    let code = if is_of_another_frame(call, &value) { "stale element reference" } else { code };
    Reply::Error(DriverError::new(code, text_for(call, code, message))).into()
}

/// Of the browser's own error page only what tells that it is one, and its code: the page is 250 kB
/// of Chromium's sources and pictures, and no client of the driver ever sees it.
fn error_page(source: &str) -> Option<String> {
    let (_, after) = source.split_once("\"errorCode\":\"")?;
    let code = after.split('"').next().filter(|code| code.starts_with("ERR_"))?;
    let title = source.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"))?.0;
    source.contains("id=\"main-frame-error\"").then(|| {
        format!(
            "<html><head><title>{title}</title></head><body id=\"main-frame-error\">{{\"errorCode\":\"{code}\",}}</body></html>"
        )
    })
}

/// True if the browser's driver does not know an element because another frame has the focus. For IE's
/// such an element is stale, but not forgotten.
pub(super) fn is_of_another_frame(call: &Call, value: &Value) -> bool {
    error_of(value).is_some_and(|(code, message)| {
        let missed = match call.command.name {
            "findElement" | "findElements" => true,
            "findElementFromElement" | "findElementsFromElement" => message.contains("Unable to locate"),
            _ => false,
        };
        code == "no such element" && !missed
    })
}

/// Code and message if the value is chromedriver's error object. A script may return an object with
/// an `error` member; only errors have a `stacktrace` as well.
fn error_of(value: &Value) -> Option<(&str, &str)> {
    value.get("stacktrace")?;
    Some((value.get("error")?.as_str()?, value.get("message")?.as_str()?))
}

fn text_for(call: &Call, code: &str, message: &str) -> String {
    let text = |name: &str| call.body.get(name).and_then(Value::as_str).unwrap_or_default();
    let name = call.command.name;
    match code {
        "no such element" if name.starts_with("find") => {
            format!("Unable to find element with {} == {}", text("using"), text("value"))
        }
        "stale element reference" if name.starts_with("execute") => "Error executing JavaScript".into(),
        "stale element reference" if name == "takeElementScreenshot" => {
            "Could not get element of which to take a screenshot".into()
        }
        "stale element reference" if name.ends_with("FromElement") => {
            "Specified parent element is no longer attached to the DOM".into()
        }
        "stale element reference" => "Element is no longer valid".into(),
        "no such alert" => "No alert is active".into(),
        "no such frame" => "No frame found".into(),
        "no such window" => no_window(name).into(),
        "no such cookie" => {
            format!("No cookie could be found with the name '{}'.", call.param("name").unwrap_or_default())
        }
        "timeout" => "Timed out waiting for page to load.".into(),
        "script timeout" if name == "executeAsyncScript" => "Timeout expired waiting for async script".into(),
        "script timeout" => "Timed out waiting for script to complete.".into(),
        "invalid selector" => "An invalid or illegal selector was specified".into(),
        "element not interactable" if name == "elementSendKeys" => {
            "Element cannot be interacted with via the keyboard because it is not displayed".into()
        }
        "element not interactable" if name == "elementClear" => {
            "Element is not interactable, it must not be hidden and it must be able to receive focus".into()
        }
        "element not interactable" if name == "sendAlertText" => {
            "Modal dialog did not have a text box - maybe it was an alert".into()
        }
        "element not interactable" => "Element is not displayed".into(),
        "invalid argument" if name == "elementClick" => {
            "Cannot call click on an <input type='file'> element. Use sendKeys to upload files.".into()
        }
        "invalid argument" if name == "navigateTo" => {
            format!("Specified URL ({}) is not valid.", text("url"))
        }
        "invalid argument" if name == "elementSendKeys" && message.contains("File not found") => {
            let file = message.split_once("File not found : ").map_or("", |(_, rest)| rest);
            let file = file.lines().next().unwrap_or_default();
            format!("Attempting to upload file '{file}' which does not exist.")
        }
        "invalid element state" => "Element must not be read-only or disabled".into(),
        "element click intercepted" => intercepted(message).unwrap_or_else(|| plain(code, message)),
        _ => plain(code, message),
    }
}

/// An id that was never given or is forgotten, by the rules of section 5.1.4.
pub(super) fn unknown_element(call: &Call, id: &str) -> DriverError {
    let (code, message) = match call.command.name {
        "elementSendKeys" => ("no such element", "Element is no longer valid"),
        "findElementFromElement" | "findElementsFromElement" => {
            ("invalid argument", "Element is no longer valid")
        }
        "elementEquals" if call.param("e") == Some(id) => {
            ("no such element", "Element specified by 'id' is no longer valid")
        }
        "elementEquals" => ("no such element", "Element specified by 'other' is no longer valid"),
        "takeElementScreenshot" => ("no such element", "Could not get element of which to take a screenshot"),
        "switchToFrame" => ("no such frame", "No frame found"),
        "executeScript" | "executeAsyncScript" => ("no such element", "Error executing JavaScript"),
        "performActions" => ("invalid argument", "Unexpected error performing action sequence."),
        _ => {
            let message = format!("Invalid internal element ID requested: {id}");
            return DriverError::new("no such element", message);
        }
    };
    DriverError::new(code, message)
}

fn no_window(command: &str) -> &'static str {
    match command {
        "switchToWindow" => "No window found",
        "getWindowHandle" => "Window is closed",
        "findElement" => "Unable to find element on closed window",
        "findElements" => "Unable to find elements on closed window",
        "getWindowRect" | "maximizeWindow" | "minimizeWindow" | "fullscreenWindow" => {
            "Error retrieving window"
        }
        "setWindowRect" | "newWindow" => "Error retrieving current window",
        "acceptAlert" | "performActions" | "addCookie" => "Unable to get current browser",
        _ => "Unable to get browser",
    }
}

fn intercepted(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("at point (")?;
    let (point, rest) = rest.split_once(')')?;
    let (_, other) = rest.split_once("receive the click: ")?;
    let other = other.split_inclusive('>').next().unwrap_or_default();
    let point = point.replace(' ', "");
    Some(format!(
        "Element not clickable at point ({point}). Other element would receive the click: {other} (elementsFromPoint index 0)"
    ))
}

/// Chromedriver's text without its code in front and its session lines behind.
fn plain(code: &str, message: &str) -> String {
    let first = message.split("\n  (Session info").next().unwrap_or_default();
    first.strip_prefix(code).map_or(first, |rest| rest.trim_start_matches(": ")).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::by_name;
    use serde_json::{Map, json};

    fn call(name: &str, body: Value) -> Call {
        let Value::Object(body) = body else { panic!("object") };
        Call {
            command: by_name(name).expect("row"),
            params: vec![("s", "1".into()), ("e", "9".into())],
            body,
        }
    }

    fn text(call: &Call, code: &str, message: &str) -> String {
        let value = json!({ "error": code, "message": message, "stacktrace": "#0" });
        match reply(call, value).reply {
            Reply::Error(error) => error.message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn errors_speak_as_the_driver_does() {
        let find = call("findElement", json!({ "using": "css selector", "value": "#x" }));
        assert_eq!(
            text(&find, "no such element", "no such element: …"),
            "Unable to find element with css selector == #x"
        );
        let click = call("elementClick", json!({}));
        assert_eq!(
            text(
                &click,
                "element click intercepted",
                "element click intercepted: Element <b> is not clickable at point (5, 6). Other element would receive the click: <i a=\"1\">...</i>\n  (Session info: chrome=1)"
            ),
            "Element not clickable at point (5,6). Other element would receive the click: <i a=\"1\"> (elementsFromPoint index 0)"
        );
        assert_eq!(text(&click, "javascript error", "javascript error: boom\n  (Session info: x)"), "boom");
    }

    #[test]
    fn an_open_dialog_keeps_its_text() {
        let value = json!({ "error": "unexpected alert open", "message": "unexpected alert open: {Alert text : Hi}", "stacktrace": "" });
        let title = Call { command: by_name("getTitle").expect("row"), params: vec![], body: Map::new() };
        assert_eq!(reply(&title, value).reply, Reply::Error(DriverError::dialog_open("Hi")));
    }

    #[test]
    fn pages_that_do_not_load_are_a_success() {
        let go = call("navigateTo", json!({ "url": "http://x/" }));
        let value = json!({ "error": "unknown error", "message": "unknown error: net::ERR_CONNECTION_REFUSED", "stacktrace": "" });
        assert_eq!(reply(&go, value).reply, Reply::Value(Value::Null));
    }

    #[test]
    fn of_an_error_page_only_its_code_is_left() {
        let page = "<title>gone.test</title><style>/* long */</style><div id=\"main-frame-error\"></div>\
                    <script>var data = {\"details\":\"x\",\"errorCode\":\"ERR_CONNECTION_REFUSED\",\"more\":1};</script>";
        let left = "<html><head><title>gone.test</title></head><body id=\"main-frame-error\">{\"errorCode\":\"ERR_CONNECTION_REFUSED\",}</body></html>";
        assert_eq!(error_page(page).as_deref(), Some(left));
        assert_eq!(error_page("<title>Page</title><p>\"errorCode\":\"ERR_X\"</p>"), None);
        assert_eq!(error_page("<html></html>"), None);
    }
}
