//! The seam between the wire and what answers behind it.
//!
//! Owns: the shape of one command and of its answer. Emulator, bridge and the harness's replayer
//! implement [`Backend`]; the wire room turns answers into the real driver's bytes. Does not own:
//! routes (`table`), text of bodies (`envelope`).

use super::table::Command;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

/// One routed command, its body parsed as the driver parses it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The row of the table.
    pub command: &'static Command,
    /// Values of the path's parameters by name (`s`, `e`, `name`, …), percent-decoded.
    pub params: Vec<(&'static str, String)>,
    /// The JSON object of the request; empty for GET and DELETE.
    pub body: Map<String, Value>,
}

impl Call {
    /// Value of a path parameter; a member of the body with the same name overrides it, as in the
    /// driver (`reference/iedriver-wire.md` section 2.10), but never the session.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }

    /// Text of a member of the body.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.body.get(name).and_then(Value::as_str)
    }

    /// Session id of the path, empty for commands without one.
    pub fn session(&self) -> &str {
        self.param("s").unwrap_or_default()
    }
}

/// An error as the driver words it (`reference/iedriver-wire.md` section 7).
#[derive(Clone, Debug, PartialEq)]
pub struct DriverError {
    /// W3C error code, for example `no such element`. The HTTP status follows from it.
    pub code: String,
    /// Human-readable text, literal as the driver gives it.
    pub message: String,
    /// Only for `unknown method` (`verbs`) and `unexpected alert open` (`text`).
    pub data: Option<Value>,
}

impl DriverError {
    /// An error without `data`.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), data: None }
    }

    /// The error every command but a few gives while a dialog is open and stays open or was
    /// closed with notice (section 5.1.5).
    pub fn dialog_open(text: &str) -> Self {
        Self {
            code: "unexpected alert open".into(),
            message: format!("Modal dialog present with text: {text}"),
            data: Some(serde_json::json!({ "text": text })),
        }
    }
}

/// What goes back to the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Success with this `value`.
    Value(Value),
    /// An error body with the status of its code.
    Error(DriverError),
    /// Something the real driver would never say on purpose: faults and recorded transport errors.
    Broken(Broken),
}

/// How an answer can fail below WebDriver (`replay.md` section 7, member `transport`).
#[derive(Clone, Debug, PartialEq)]
pub enum Broken {
    /// The connection is reset and nothing is answered.
    Reset,
    /// Nothing is ever answered; the connection stays open.
    NoAnswer,
    /// The head and part of the body come, then the connection closes.
    ClosedEarly,
    /// These status, headers and bytes instead of the driver's own.
    Odd {
        /// HTTP status.
        status: u16,
        /// Header names and values.
        headers: Vec<(String, String)>,
        /// Body as it goes out.
        body: Vec<u8>,
    },
    /// The driver process ends (exit code); in memory every connection is cut and later dials are
    /// refused.
    Exit(i32),
}

/// Whatever answers commands. Session bookkeeping of the HTTP layer (unknown session, second
/// session, `/status`) is done before, by the wire room.
pub trait Backend: Send + Sync + 'static {
    /// `POST /session` with an object body, before validation of its capabilities.
    /// Success is `{"sessionId": …, "capabilities": …}`.
    fn new_session(&self, body: Map<String, Value>) -> BoxFuture<'_, Reply>;

    /// Any command of a live session but `DELETE /session/{s}`.
    fn call(&self, call: Call) -> BoxFuture<'_, SessionReply>;

    /// `DELETE /session/{s}` and every other end of the session (driver shut down, SIGTERM).
    /// The answer is always null; what failed is logged.
    fn end_session(&self, session: &str) -> BoxFuture<'_, ()>;
}

/// Answer of a command inside a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionReply {
    /// What the client gets.
    pub reply: Reply,
    /// True if the session is gone now (its last window was closed).
    pub ended: bool,
}

impl From<Reply> for SessionReply {
    fn from(reply: Reply) -> Self {
        Self { reply, ended: false }
    }
}
