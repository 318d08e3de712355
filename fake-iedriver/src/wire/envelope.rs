//! From a reply to status and body.
//!
//! Owns: the error object, the HTTP status that follows from it, and the fixed bodies of the HTTP layer
//! (`reference/iedriver-wire.md` sections 2.2, 2.5 to 2.7, 2.11 and 7). Does not own: head lines
//! (`http`), JSON text (`json`).

use super::{backend::DriverError, json};
use serde_json::{Value, json};

/// Status, type and body of one HTTP answer, before head lines are put in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// What the head says beside the status.
    pub head: Head,
    /// Bytes of the body.
    pub body: Vec<u8>,
}

/// The driver knows three kinds of heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// JSON, five lines.
    Json,
    /// The start page, five lines. A raw 404 follows it on the connection.
    StartPage,
    /// 405: three lines, with the accepted methods.
    WrongMethod(String),
    /// Lines of a fault.
    Odd(Vec<(String, String)>),
}

/// Body of `/` and `/shutdown`.
const START_PAGE: &str = "<html><head><title>WebDriver</title></head><body><p id='main'>This is the initial start page for the WebDriver server.</p></body></html>\r\n";

/// HTTP status of an error code (section 7); any other text is a success.
pub fn status_of(code: &str) -> u16 {
    match code {
        "element click intercepted"
        | "element not selectable"
        | "element not interactable"
        | "insecure certificate"
        | "invalid argument"
        | "invalid cookie domain"
        | "invalid coordinates"
        | "invalid element state"
        | "invalid selector" => 400,
        "invalid session id"
        | "no such cookie"
        | "no such alert"
        | "no such element"
        | "no such frame"
        | "no such window"
        | "stale element reference"
        | "unknown command" => 404,
        "unknown method" => 405,
        "javascript error"
        | "move target out of bounds"
        | "script timeout"
        | "session not created"
        | "unable to set cookie"
        | "unable to capture screen"
        | "unexpected alert open"
        | "unknown error"
        | "unsupported operation"
        | "timeout" => 500,
        _ => 200,
    }
}

impl Answer {
    /// A `value`. The status is found by looking at it, as the driver does: a script that returns an
    /// object with an error code in `error` makes an error answer (section 2.11).
    pub fn value(value: Value) -> Self {
        let status = value.get("error").and_then(Value::as_str).map_or(200, status_of);
        Self { status, head: Head::Json, body: body(value) }
    }

    /// An error. One with the empty code is a success with its message as value (section 5.1.1).
    pub fn error(error: DriverError) -> Self {
        if error.code.is_empty() {
            return Self::value(error.message.into());
        }
        let mut value = json!({ "error": error.code, "message": error.message, "stacktrace": "" });
        if let Some(data) = error.data {
            value["data"] = data;
        }
        Self::value(value)
    }

    /// The fixed answer to `DELETE` of an unknown session.
    pub fn already_deleted() -> Self {
        Self { status: 200, head: Head::Json, body: b"{ \"value\" : null }\r\n".to_vec() }
    }

    /// The start page.
    pub fn start_page() -> Self {
        Self { status: 200, head: Head::StartPage, body: START_PAGE.into() }
    }

    /// No such route.
    pub fn unknown_path(verb: &str, path: &str) -> Self {
        Self::error(DriverError::new("unknown command", format!("Command not found: {verb} {path}")))
    }

    /// A known path and a wrong verb.
    pub fn wrong_method(verb: &str, path: &str, verbs: &[&str]) -> Self {
        let list = verbs.join(",");
        let message = format!(
            "Invalid method requested: {verb} is not a valid HTTP verb for {path}; acceptable verbs are: {list}"
        );
        let data = Some(json!({ "verbs": list }));
        let error = DriverError { code: "unknown method".into(), message, data };
        Self { head: Head::WrongMethod(list), ..Self::error(error) }
    }

    /// Every command but a few on an id that is not in the table.
    pub fn no_session(session: &str) -> Self {
        let message = format!("session {session} does not exist");
        Self::error(DriverError::new("invalid session id", message))
    }

    /// A second session.
    pub fn session_exists() -> Self {
        const MESSAGE: &str = "Only one session may be created at a time, and a session already exists.";
        Self::error(DriverError::new("session not created", MESSAGE))
    }

    /// A body or path value that left no parameters.
    pub fn no_parameters() -> Self {
        const MESSAGE: &str = "parameters property of command is not a valid JSON object";
        Self::error(DriverError::new("invalid argument", MESSAGE))
    }

    /// What stands here where the real driver would hang or die; the text names that.
    pub fn real_driver_hangs(what: &str) -> Self {
        Self::error(DriverError::new("unknown error", format!("IEDriverServer never answers this: {what}")))
    }
}

fn body(value: Value) -> Vec<u8> {
    let mut bytes = json::write(&json!({ "value": value })).into_bytes();
    bytes.extend_from_slice(b"\r\n");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_the_lengths_of_the_reference() {
        let miss =
            DriverError::new("no such element", "Unable to find element with css selector == #missing");
        assert_eq!(Answer::error(miss).body.len(), 144);
        assert_eq!(Answer::error(DriverError::dialog_open("Hello")).body.len(), 176);
        let wrong = Answer::wrong_method("PUT", "/session", &["POST"]);
        assert_eq!((wrong.status, wrong.body.len()), (405, 227));
        assert_eq!(Answer::value(Value::Null).body.len(), 21);
    }

    #[test]
    fn a_script_result_that_looks_like_an_error_gets_its_status() {
        assert_eq!(Answer::value(json!({ "error": "no such element" })).status, 404);
        assert_eq!(Answer::value(json!({ "error": 5 })).status, 200);
        let leaked = Answer::error(DriverError::new("", "Missing parameter: text"));
        assert_eq!(leaked, Answer::value(json!("Missing parameter: text")));
    }
}
