//! What each command does: one function for each row of the wire's table.
//!
//! Owns: the list [`HANDLERS`] and what the functions share: the focused window, element lookup. Does not own:
//! when a command may run (`serve`), checks of its parameters (`wire::parameters`).

mod actions;
mod alert;
mod click;
mod cookies;
mod element;
mod find;
mod frames;
mod keys;
mod navigation;
mod screenshot;
mod script;
mod timeouts;
mod windows;

pub(super) use actions::Input;

use super::Session;
use super::pages::{Context, ElementIds, NodeRef, Pages};
use crate::dom::{Document, NodeId};
use crate::wire::{Call, DriverError, Reply, parameters};
use serde_json::{Value, json};

/// What a command gives.
pub(super) type Outcome = Result<Value, DriverError>;

/// How a command is run.
pub(super) struct Handler {
    /// Name in the wire's table.
    pub(super) name: &'static str,
    /// What it does.
    pub(super) run: fn(&Run<'_>) -> Outcome,
    /// True if the driver waits for the page behind it (`reference/iedriver-wire.md` section 5.1.6).
    pub(super) waits: bool,
    /// True if it is answered only when the script behind the dialog has ended.
    pub(super) closes_dialog: bool,
}

impl Handler {
    /// The answer if a dialog opens while it runs: what acts has acted, what searches has not found.
    pub(super) fn noted(&self, call: &Call) -> Reply {
        match self.name {
            "findElement" | "findElementFromElement" => Reply::Error(find::missed(call)),
            "findElements" | "findElementsFromElement" => Reply::Value(Value::Array(Vec::new())),
            _ => Reply::Value(Value::Null),
        }
    }
}

const fn at_once(name: &'static str, run: fn(&Run<'_>) -> Outcome) -> Handler {
    Handler { name, run, waits: false, closes_dialog: false }
}

const fn then_wait(name: &'static str, run: fn(&Run<'_>) -> Outcome) -> Handler {
    Handler { name, run, waits: true, closes_dialog: false }
}

const fn closing(name: &'static str, run: fn(&Run<'_>) -> Outcome) -> Handler {
    Handler { name, run, waits: true, closes_dialog: true }
}

/// All commands of a session that need its thread, in the order of the wire's table.
pub(super) static HANDLERS: &[Handler] = &[
    at_once("getTimeouts", timeouts::get),
    at_once("setTimeouts", timeouts::set),
    at_once("getCurrentUrl", navigation::url),
    then_wait("navigateTo", navigation::navigate),
    then_wait("back", navigation::back),
    then_wait("forward", navigation::forward),
    then_wait("refresh", navigation::refresh),
    at_once("getTitle", navigation::title),
    at_once("getPageSource", navigation::source),
    at_once("getWindowHandle", windows::handle),
    then_wait("switchToWindow", windows::switch),
    at_once("closeWindow", windows::close),
    at_once("getWindowHandles", windows::handles),
    at_once("newWindow", windows::open),
    at_once("getWindowRect", windows::rect),
    at_once("setWindowRect", windows::set_rect),
    at_once("maximizeWindow", windows::maximize),
    at_once("minimizeWindow", windows::minimize),
    at_once("fullscreenWindow", windows::fullscreen),
    at_once("switchToFrame", frames::switch),
    at_once("switchToParentFrame", frames::parent),
    at_once("getActiveElement", element::active),
    at_once("findElement", find::one),
    at_once("findElements", find::many),
    at_once("findElementFromElement", find::one_below),
    at_once("findElementsFromElement", find::many_below),
    at_once("getElementAttribute", element::attribute),
    at_once("getElementProperty", element::property),
    at_once("getElementCssValue", element::css),
    at_once("getElementText", element::text),
    at_once("getElementTagName", element::name),
    at_once("getElementRect", element::rect),
    at_once("isElementSelected", element::selected),
    at_once("isElementEnabled", element::enabled),
    at_once("isElementDisplayed", element::displayed),
    at_once("elementEquals", element::equals),
    then_wait("elementClick", click::click),
    at_once("elementClear", keys::clear),
    at_once("elementSendKeys", keys::send),
    at_once("executeScript", script::sync),
    at_once("executeAsyncScript", script::asynchronous),
    at_once("getAllCookies", cookies::all),
    at_once("addCookie", cookies::add),
    at_once("deleteAllCookies", cookies::delete_all),
    at_once("getNamedCookie", cookies::one),
    at_once("deleteCookie", cookies::delete),
    at_once("performActions", actions::perform),
    at_once("releaseActions", actions::release),
    closing("dismissAlert", alert::dismiss),
    closing("acceptAlert", alert::accept),
    at_once("getAlertText", alert::text),
    at_once("sendAlertText", alert::write),
    at_once("setAlertCredentials", alert::credentials),
    at_once("takeScreenshot", screenshot::viewport),
    at_once("takeElementScreenshot", screenshot::element),
];

/// The handler of a command.
pub(super) fn handler(name: &str) -> Option<&'static Handler> {
    HANDLERS.iter().find(|handler| handler.name == name)
}

/// One command on its way.
pub(super) struct Run<'a> {
    pub(super) session: &'a Session,
    pub(super) pages: &'a dyn Pages,
    pub(super) call: &'a Call,
}

/// Where an element id led.
enum Lookup {
    Here(NodeRef),
    Elsewhere,
    Detached,
    Unknown,
}

impl Run<'_> {
    /// What the parameters alone decide.
    fn checked(&self) -> Result<(), Outcome> {
        match parameters::refused(self.call) {
            None => Ok(()),
            Some(Reply::Value(value)) => Err(Ok(value)),
            Some(Reply::Error(error)) => Err(Err(error)),
            Some(Reply::Broken(_)) => Ok(()),
        }
    }

    /// The focused window, which must be open.
    ///
    /// # Errors
    /// `no such window` with this text (section 5.1.2).
    fn window(&self, message: &str) -> Result<Context, DriverError> {
        let window = self.session.focus.borrow().window;
        let open = self.pages.windows().iter().any(|open| open.context == window);
        if open { Ok(window) } else { Err(DriverError::new("no such window", message)) }
    }

    /// The focused frame's context, in a window that is open.
    fn context(&self, message: &str) -> Result<Context, DriverError> {
        self.window(message)?;
        Ok(self.session.focus.borrow().context)
    }

    /// The page of the focused frame.
    fn page(&self) -> Result<u32, DriverError> {
        const GONE: &str = "Unable to get browser";
        let context = self.context(GONE)?;
        self.pages.page(context).ok_or_else(|| DriverError::new("no such window", GONE))
    }

    /// Reads or changes a page's tree; the default if the page is gone.
    fn with<T: Default>(&self, page: u32, mut body: impl FnMut(&mut Document) -> T) -> T {
        let mut result = T::default();
        self.pages.with_document(page, &mut |document| result = body(document));
        result
    }

    /// True for IE's own pages, on which the driver can run no script (`reference/field-logs.md` section 3).
    fn refuses_scripts(&self, page: u32) -> bool {
        self.with(page, |document| document.url.starts_with("res:"))
    }

    fn look_up(&self, id: &str, page: u32) -> Lookup {
        let Some(node) = self.session.elements.node_of(id) else { return Lookup::Unknown };
        let attached = self.with(node.page, |document| document.is_connected(node.node));
        if !attached {
            self.session.elements.forget(id);
            return Lookup::Detached;
        }
        if node.page == page { Lookup::Here(node) } else { Lookup::Elsewhere }
    }

    /// The element of the path, by the rules of section 5.1.4.
    fn element(&self) -> Result<NodeRef, DriverError> {
        let id = self.call.param("e").unwrap_or_default();
        let page = self.page()?;
        match self.look_up(id, page) {
            Lookup::Here(node) => Ok(node),
            Lookup::Unknown => {
                let message = format!("Invalid internal element ID requested: {id}");
                Err(DriverError::new("no such element", message))
            }
            Lookup::Detached | Lookup::Elsewhere => {
                Err(DriverError::new("stale element reference", "Element is no longer valid"))
            }
        }
    }

    /// The element of a reference in the body.
    fn referenced(&self, value: &Value) -> Option<Lookup> {
        let id = value.get(parameters::ELEMENT_KEY)?.as_str()?;
        let page = self.page().ok()?;
        Some(self.look_up(id, page))
    }

    /// The reference to a node.
    fn reference(&self, page: u32, node: NodeId) -> Value {
        json!({ parameters::ELEMENT_KEY: self.session.elements.id_of(NodeRef { page, node }) })
    }
}

fn invalid(message: impl Into<String>) -> DriverError {
    DriverError::new("invalid argument", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::COMMANDS;

    #[test]
    fn every_command_of_the_table_has_its_function() {
        // These are answered before the session's thread.
        const ELSEWHERE: [&str; 5] =
            ["newSession", "deleteSession", "getSessionCapabilities", "getSessions", "status"];
        let rows = COMMANDS.iter().filter(|row| row.implemented && !ELSEWHERE.contains(&row.name));
        let names: Vec<_> = rows.map(|row| row.name).collect();
        assert_eq!(names, HANDLERS.iter().map(|handler| handler.name).collect::<Vec<_>>());
    }
}
