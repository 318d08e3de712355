//! The only error a tool returns and the only mapping from the driver's failures to it.
//!
//! Owns: the eleven codes with their texts (README's error table derives from [`ERRORS`]), the
//! outcome, the JSON shape. Does not own: when a tool fails.

use crate::driver::session::Failure;
use serde_json::{Map, Value, json};

/// Code of a tool error (`contract.md` sections 1.6 and 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each meaning stands in ERRORS
pub enum Code {
    BrowserNotStarted,
    ElementNotFound,
    Timeout,
    WindowNotFound,
    NavigationFailed,
    DriverLost,
    UrlNotAllowed,
    InvalidArgument,
    InternalError,
    DialogOpen,
    NotInteractable,
}

impl Code {
    /// The code as the agent sees it.
    pub fn as_str(self) -> &'static str {
        ERRORS[self as usize].name
    }
}

/// One row of the error table.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    /// The code.
    pub code: Code,
    /// The code as the agent sees it.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What the agent should do.
    pub action: &'static str,
}

const fn row(code: Code, name: &'static str, meaning: &'static str, action: &'static str) -> ErrorRow {
    ErrorRow { code, name, meaning, action }
}

/// All codes in the order of [`Code`].
pub static ERRORS: [ErrorRow; 11] = [
    row(Code::BrowserNotStarted, "BROWSER_NOT_STARTED", "no session", "call `browser_start`"),
    row(
        Code::ElementNotFound,
        "ELEMENT_NOT_FOUND",
        "element, frame or option not found",
        "look again with `inspect_page`",
    ),
    row(
        Code::Timeout,
        "TIMEOUT",
        "a condition was not met in time",
        "check condition and limit; the page may differ from what was expected",
    ),
    row(Code::WindowNotFound, "WINDOW_NOT_FOUND", "no such window", "check the index"),
    row(
        Code::NavigationFailed,
        "NAVIGATION_FAILED",
        "the page could not be opened",
        "check address, network, sign-in",
    ),
    row(
        Code::DriverLost,
        "DRIVER_LOST",
        "driver or browser died",
        "`browser_start`, then `inspect_page` before going on",
    ),
    row(Code::UrlNotAllowed, "URL_NOT_ALLOWED", "origin not on the list", "–"),
    row(Code::InvalidArgument, "INVALID_ARGUMENT", "arguments wrong", "read the tool's schema"),
    row(
        Code::InternalError,
        "INTERNAL_ERROR",
        "anything else, a failed start included",
        "read `message` and the log",
    ),
    row(
        Code::DialogOpen,
        "DIALOG_OPEN",
        "an alert, confirm or prompt is open",
        "answer the dialog, then go on",
    ),
    row(
        Code::NotInteractable,
        "NOT_INTERACTABLE",
        "the element cannot be operated, and waiting will not change that",
        "read `message`; use another element or tool",
    ),
];

/// What became of the side effect of a failed call (`contract.md` section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing reached the page; trying again is safe.
    NotDone,
    /// It happened.
    Done,
    /// The command was sent and no answer came.
    Unknown,
}

impl Outcome {
    /// The value of the member `outcome`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotDone => "not_done",
            Self::Done => "done",
            Self::Unknown => "unknown",
        }
    }
}

/// The error of a tool.
#[derive(Clone, Debug)]
pub struct ToolError {
    /// Its code.
    pub code: Code,
    /// One line for agent and log; holds no typed text and no HTML.
    pub message: String,
    /// Set by the tool when it knows better than the session's own account of the call's effects.
    pub outcome: Option<Outcome>,
    /// What to do.
    pub hint: Option<String>,
    /// The cause as a word.
    pub reason: Option<&'static str>,
    /// Further members, in order.
    pub details: Vec<(&'static str, Value)>,
}

impl ToolError {
    /// An error with this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), outcome: None, hint: None, reason: None, details: Vec::new() }
    }

    /// `INVALID_ARGUMENT`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// `INTERNAL_ERROR`.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::InternalError, message)
    }

    /// `DIALOG_OPEN` with the dialog's text.
    pub fn dialog(text: &str) -> Self {
        Self::new(Code::DialogOpen, "A dialog is open in the page.")
            .detail("dialog", json!({ "text": text }))
            .hint(
                "Answer it first: switch_window with target \"dialog\" and action \"accept\" or \"dismiss\".",
            )
    }

    /// Sets the outcome.
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Sets the hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the reason.
    pub fn reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Adds a member.
    pub fn detail(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.details.push((name, value.into()));
        self
    }

    /// The JSON object of the text block.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("error".into(), self.code.as_str().into());
        object.insert("message".into(), self.message.clone().into());
        for (name, value) in &self.details {
            object.insert((*name).into(), value.clone());
        }
        if let Some(reason) = self.reason {
            object.insert("reason".into(), reason.into());
        }
        if let Some(outcome) = self.outcome {
            object.insert("outcome".into(), outcome.as_str().into());
        }
        if let Some(hint) = &self.hint {
            object.insert("hint".into(), hint.clone().into());
        }
        object
    }
}

/// Cuts a driver's message to its first line, before any markup, at most 300 characters: messages of
/// intercepted clicks carry the HTML of another element (`reference/iedriver-wire.md` section 5.7).
pub fn short(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.split('<').next().unwrap_or_default().trim().chars().take(300).collect()
}

impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::W3c { code, message, data } => from_w3c(&code, &message, &data),
            Failure::NoSession => Self::new(Code::BrowserNotStarted, "The browser is not started."),
            Failure::DriverLost => {
                Self::new(Code::DriverLost, "The connection to the driver or browser was lost.")
                    .hint("Call browser_start, then look with inspect_page before doing anything again.")
            }
            Failure::ConnectionLost => {
                Self::internal("The driver closed the connection instead of answering; it still runs.")
                    .reason("connection_lost")
            }
            Failure::Deadline { .. } => {
                Self::new(Code::Timeout, "The driver did not answer within the limit of this call.")
                    .detail("driver", "busy")
            }
            Failure::Cancelled => Self::internal("The call was cancelled.").reason("cancelled"),
            Failure::Odd(text) => {
                Self::internal(format!("The driver gave an unexpected answer: {}", short(&text)))
            }
        }
    }
}

fn from_w3c(code: &str, message: &str, data: &Value) -> ToolError {
    let text = short(message);
    match code {
        "unexpected alert open" => ToolError::dialog(data["text"].as_str().unwrap_or_default()),
        "no such element" | "no such frame" => ToolError::new(Code::ElementNotFound, text),
        "stale element reference" | "detached shadow root" => {
            ToolError::new(Code::ElementNotFound, text).reason("stale")
        }
        "no such window" => ToolError::new(Code::WindowNotFound, text),
        "timeout" | "script timeout" => ToolError::new(Code::Timeout, text),
        "invalid selector" | "invalid argument" => ToolError::invalid(text),
        "element not interactable" | "element click intercepted" | "invalid element state" => {
            ToolError::new(Code::NotInteractable, text)
        }
        "invalid session id" => Failure::DriverLost.into(),
        _ => ToolError::internal(format!("The driver reports {code}: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_at_its_own_row() {
        for (n, row) in ERRORS.iter().enumerate() {
            assert_eq!(row.code as usize, n);
        }
    }

    #[test]
    fn html_of_an_intercepting_element_is_cut() {
        let failure = Failure::w3c(
            "element click intercepted",
            "Other element would receive the click: <div class=x>secret",
        );
        let error = ToolError::from(failure);
        assert_eq!(error.code, Code::NotInteractable);
        assert!(!error.message.contains("secret"), "{}", error.message);
    }
}
