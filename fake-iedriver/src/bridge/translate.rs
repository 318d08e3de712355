//! Answers of chromedriver in the words of the driver.
//!
//! Owns: error texts, values that differ, and the few commands the bridge answers alone
//! (`reference/iedriver-wire.md` sections 5 to 7). Does not own: sending.

use crate::wire::{Call, DriverError, Reply, SessionReply};
use serde_json::Value;

/// Key of an element reference.
pub(super) const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Answers that need no browser: what the driver refuses or does not have.
pub(super) fn answered_here(call: &Call) -> Option<Reply> {
    let text = |name: &str| call.body.get(name).and_then(Value::as_str);
    let refuse = |message: String| Some(Reply::Error(DriverError::new("invalid argument", message)));
    let missing = |names: &[&'static str]| names.iter().find(|name| !call.body.contains_key(**name)).copied();
    match call.command.name {
        "findElement" | "findElements" | "findElementFromElement" | "findElementsFromElement" => {
            const KNOWN: [&str; 5] = ["css selector", "tag name", "link text", "partial link text", "xpath"];
            if let Some(name) = missing(&["using", "value"]) {
                return refuse(format!("Missing parameter: {name}"));
            }
            for name in ["using", "value"] {
                if text(name).is_none() {
                    return refuse(format!("{name} parameter must be a string"));
                }
            }
            let using = text("using").filter(|using| !KNOWN.contains(using))?;
            refuse(format!("using parameter value '{using}' is not a valid value"))
        }
        "elementSendKeys" if !call.body.contains_key("text") => {
            Some(Reply::Value("Missing parameter: text".into()))
        }
        "elementSendKeys" if text("text").is_none() => refuse("parameter 'text' must be a string".into()),
        "executeScript" | "executeAsyncScript" => {
            if let Some(name) = missing(&["script", "args"]) {
                return refuse(format!("Missing parameter: {name}"));
            }
            if text("script").is_none() {
                return refuse("script parameter must be a string".into());
            }
            let is_list = call.body.get("args").is_some_and(Value::is_array);
            if is_list { None } else { refuse("args parameter must be an array".into()) }
        }
        "navigateTo" => missing(&["url"]).and_then(|name| refuse(format!("Missing parameter: {name}"))),
        // The driver names the wrong parameter.
        "switchToWindow" => missing(&["handle"]).and_then(|_| refuse("Missing parameter: name".into())),
        "switchToFrame" => match call.body.get("id") {
            None => refuse("Missing parameter: id".into()),
            Some(Value::String(_) | Value::Bool(_) | Value::Array(_)) => refuse(
                "Frame identifier argument must be null, an integer, or a web element reference".into(),
            ),
            Some(Value::Object(reference)) if !reference.contains_key(ELEMENT) => {
                refuse("Frame identifier was an object, but not a web element reference".into())
            }
            Some(_) => None,
        },
        "setAlertCredentials" => {
            Some(Reply::Error(DriverError::new("unexpected alert open", "Could not set user name")))
        }
        _ => None,
    }
}

/// The reply to a command from chromedriver's `value`.
pub(super) fn reply(call: &Call, value: Value) -> SessionReply {
    let Some((code, message)) = error_of(&value) else {
        let ended = call.command.name == "closeWindow" && value.as_array().is_some_and(Vec::is_empty);
        return SessionReply { reply: Reply::Value(value), ended };
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
    Reply::Error(DriverError::new(code, text_for(call, code, message))).into()
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
        "no such element" => {
            format!("Invalid internal element ID requested: {}", call.param("e").unwrap_or_default())
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
        "element not interactable" => "Element is not displayed".into(),
        "invalid element state" => "Element must not be read-only or disabled".into(),
        "element click intercepted" => intercepted(message).unwrap_or_else(|| plain(code, message)),
        _ => plain(code, message),
    }
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
}
