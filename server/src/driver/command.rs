//! The one raw command type through which everything goes to the driver.
//!
//! Owns: method, path, body, class and expected type of answer of each command the server uses. Does
//! not own: sending (`session`).

use fantoccini::wd::WebDriverCompatibleCommand;
use serde_json::{Value, json};

/// Key of an element reference (W3C WebDriver section 12.2).
pub const ELEMENT_KEY: &str = "element-6066-11e4-a52e-4f735466cecf";

/// What a command does to the world (`replay.md` section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Changes page, browser or session: written at most once.
    Effect,
    /// Changes only which window, frame or limit later commands mean: written at most once too, since
    /// a frame is entered relative to the current one.
    Cursor,
    /// Reads: may be sent again after a lost connection.
    Question,
}

/// The JSON type a true answer has. The driver gives some errors as 200 with a text
/// (`reference/iedriver-wire.md` section 5.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// null.
    Null,
    /// A text.
    Text,
    /// A list.
    List,
    /// An object.
    Object,
    /// Whatever a script returns.
    Any,
}

impl Reply {
    /// Whether this is such an answer.
    pub fn admits(self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Text => value.is_string(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
            Self::Any => true,
        }
    }
}

/// A command of a session.
#[derive(Clone)]
pub struct Command {
    /// W3C name in camel case, for the log.
    pub name: &'static str,
    /// HTTP method.
    pub method: http::Method,
    /// Path below `/session/{id}/`, percent-encoded.
    pub path: String,
    /// Body; POST always has one, an object.
    pub body: Option<Value>,
    /// What it does to the world.
    pub class: Class,
    /// What a true answer looks like.
    pub reply: Reply,
}

/// Bodies hold typed text, so they are not shown.
impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)
    }
}

fn get(name: &'static str, path: impl Into<String>, reply: Reply) -> Command {
    Command { name, method: http::Method::GET, path: path.into(), body: None, class: Class::Question, reply }
}

fn post(name: &'static str, path: impl Into<String>, body: Value, class: Class, reply: Reply) -> Command {
    Command { name, method: http::Method::POST, path: path.into(), body: Some(body), class, reply }
}

/// Percent-encodes one piece of a path: fantoccini does not.
fn piece(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC)
        .to_string()
        .replace("%2D", "-")
}

#[allow(missing_docs)] // each is the W3C command of its name
impl Command {
    pub fn navigate(url: &str) -> Self {
        post("navigateTo", "url", json!({ "url": url }), Class::Effect, Reply::Null)
    }
    pub fn back() -> Self {
        post("back", "back", json!({}), Class::Effect, Reply::Null)
    }
    pub fn forward() -> Self {
        post("forward", "forward", json!({}), Class::Effect, Reply::Null)
    }
    pub fn refresh() -> Self {
        post("refresh", "refresh", json!({}), Class::Effect, Reply::Null)
    }
    pub fn url() -> Self {
        get("getCurrentUrl", "url", Reply::Text)
    }
    pub fn title() -> Self {
        get("getTitle", "title", Reply::Text)
    }
    pub fn source() -> Self {
        get("getPageSource", "source", Reply::Text)
    }
    pub fn window_handle() -> Self {
        get("getWindowHandle", "window", Reply::Text)
    }
    pub fn window_handles() -> Self {
        get("getWindowHandles", "window/handles", Reply::List)
    }
    pub fn switch_to_window(handle: &str) -> Self {
        post("switchToWindow", "window", json!({ "handle": handle }), Class::Cursor, Reply::Null)
    }
    pub fn close_window() -> Self {
        Self {
            method: http::Method::DELETE,
            class: Class::Effect,
            ..get("closeWindow", "window", Reply::List)
        }
    }
    /// To the top document.
    pub fn top_frame() -> Self {
        post("switchToFrame", "frame", json!({ "id": null }), Class::Cursor, Reply::Null)
    }
    pub fn frame_index(index: u16) -> Self {
        post("switchToFrame", "frame", json!({ "id": index }), Class::Cursor, Reply::Null)
    }
    pub fn frame_element(id: &str) -> Self {
        post("switchToFrame", "frame", json!({ "id": element(id) }), Class::Cursor, Reply::Null)
    }
    /// To the document that holds the current frame.
    pub fn parent_frame() -> Self {
        post("switchToParentFrame", "frame/parent", json!({}), Class::Cursor, Reply::Null)
    }
    /// Strategies of the driver: `css selector`, `tag name`, `link text`, `partial link text`, `xpath`.
    pub fn find_element(using: &str, value: &str) -> Self {
        let body = json!({ "using": using, "value": value });
        post("findElement", "element", body, Class::Question, Reply::Object)
    }
    pub fn find_elements(using: &str, value: &str) -> Self {
        let body = json!({ "using": using, "value": value });
        post("findElements", "elements", body, Class::Question, Reply::List)
    }
    pub fn click(id: &str) -> Self {
        post("elementClick", format!("element/{}/click", piece(id)), json!({}), Class::Effect, Reply::Null)
    }
    pub fn clear(id: &str) -> Self {
        post("elementClear", format!("element/{}/clear", piece(id)), json!({}), Class::Effect, Reply::Null)
    }
    pub fn send_keys(id: &str, text: &str) -> Self {
        let path = format!("element/{}/value", piece(id));
        post("elementSendKeys", path, json!({ "text": text }), Class::Effect, Reply::Null)
    }
    /// A page script; its marker says whether it is pure (a question) or an effect.
    pub fn script(source: &str, args: Value, class: Class) -> Self {
        let body = json!({ "script": source, "args": args });
        post("executeScript", "execute/sync", body, class, Reply::Any)
    }
    pub fn perform_actions(actions: Value) -> Self {
        post("performActions", "actions", json!({ "actions": actions }), Class::Effect, Reply::Null)
    }
    pub fn release_actions() -> Self {
        let command = get("releaseActions", "actions", Reply::Null);
        Self { method: http::Method::DELETE, class: Class::Effect, ..command }
    }
    pub fn alert_text() -> Self {
        get("getAlertText", "alert/text", Reply::Text)
    }
    pub fn accept_alert() -> Self {
        post("acceptAlert", "alert/accept", json!({}), Class::Effect, Reply::Null)
    }
    pub fn dismiss_alert() -> Self {
        post("dismissAlert", "alert/dismiss", json!({}), Class::Effect, Reply::Null)
    }
    pub fn send_alert_text(text: &str) -> Self {
        post("sendAlertText", "alert/text", json!({ "text": text }), Class::Effect, Reply::Null)
    }
    pub fn screenshot() -> Self {
        get("takeScreenshot", "screenshot", Reply::Text)
    }
    pub fn element_screenshot(id: &str) -> Self {
        get("takeElementScreenshot", format!("element/{}/screenshot", piece(id)), Reply::Text)
    }
    /// Ends the session.
    pub fn delete_session() -> Self {
        let command = get("deleteSession", "", Reply::Null);
        Self { method: http::Method::DELETE, class: Class::Effect, ..command }
    }
}

/// The W3C element object of an id.
pub fn element(id: &str) -> Value {
    json!({ ELEMENT_KEY: id })
}

/// The id in a W3C element object.
pub fn element_id(value: &Value) -> Option<&str> {
    value.get(ELEMENT_KEY)?.as_str()
}

/// What fantoccini is given.
#[derive(Debug)]
pub(super) struct Raw(pub(super) Command);

impl WebDriverCompatibleCommand for Raw {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        let session = session.unwrap_or_default();
        if self.0.path.is_empty() {
            base.join(&format!("session/{session}"))
        } else {
            base.join(&format!("session/{session}/{}", self.0.path))
        }
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (self.0.method.clone(), self.0.body.as_ref().map(Value::to_string))
    }
}
