//! The seam between commands and the browser behind them.
//!
//! Owns: what the commands ask of windows, pages and scripts ([`Pages`]), and how an engine thread is
//! built ([`Engine`]). Does not own: what commands mean (`commands`), how pages live (`browser`, `script`).
//!
//! Everything runs on the engine thread and takes `&self`: a script that opens a dialog stops inside
//! one of these calls, and [`super::Session::hold_dialog`] serves further commands from there. So no
//! borrow of a document may be held over a call that can run script.

use super::Session;
use super::port::{Ended, Millis, Port};
use crate::browser::cookies::Jar;
use crate::dom::{Document, NodeId};
use serde_json::Value;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Number of a window or frame; never used again in a session.
pub type Context = u32;

/// A node of a page. Page numbers are never used again in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeRef {
    /// Number of the page (one load of one document).
    pub page: u32,
    /// Node of the page's tree.
    pub node: NodeId,
}

/// A top-level window, a dialog page of `showModalDialog` among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Lower-case GUID (`reference/iedriver-wire.md` section 5.1.3).
    pub handle: String,
    /// Its context.
    pub context: Context,
    /// True for a window of `showModalDialog` (section 5.15).
    pub modal: bool,
}

/// A frame of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The `frame` or `iframe` element.
    pub element: NodeRef,
    /// The context it shows.
    pub context: Context,
}

/// Kinds of dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogKind {
    /// `alert`
    Alert,
    /// `confirm`
    Confirm,
    /// `prompt`
    Prompt,
    /// `onbeforeunload` asks; the driver accepts it whatever the session says.
    BeforeUnload,
}

/// The open dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// Kind.
    pub kind: DialogKind,
    /// What it says.
    pub text: String,
}

/// How far a page must have come (`pageLoadStrategy`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// `document.readyState` is `interactive` or later.
    Interactive,
    /// The page and all frames below are complete.
    Complete,
}

/// How a wait for a page ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is ready, or a dialog opened, which the driver takes for ready.
    Ready,
    /// The time came first.
    TimedOut,
    /// The session ends.
    Ended,
}

/// Keys held down, for keyboard and mouse events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Shift.
    pub shift: bool,
    /// Control.
    pub control: bool,
    /// Alt.
    pub alt: bool,
}

/// What a mouse does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    /// Moves: `mouseout`, `mouseover`, `mousemove`.
    Move,
    /// A button goes down: `mousedown`, focus.
    Down,
    /// A button goes up: `mouseup`, and `click` with its default action if it went down on the same
    /// element.
    Up,
}

/// A mouse event over an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouse {
    /// What happens.
    pub action: MouseAction,
    /// W3C button: 0 left, 1 middle, 2 right.
    pub button: u8,
    /// Of `Up`: 2 for the second click of a double click, else 1; it is a click only if the button went
    /// down on the same element.
    pub clicks: u8,
    /// Point in the viewport of the element's page, in px.
    pub point: (f64, f64),
    /// Keys held.
    pub modifiers: Modifiers,
}

/// A script of a command.
#[derive(Clone, Copy, Debug)]
pub struct Script<'a> {
    /// Body of the anonymous function.
    pub body: &'a str,
    /// Its arguments; element references in them are known and attached.
    pub args: &'a [Value],
    /// Wait for the callback, which is the last argument.
    pub asynchronous: bool,
    /// Limit; none is no limit.
    pub limit_ms: Option<u64>,
}

/// Why a script gave no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptFailure {
    /// It threw; IE's text.
    Thrown(String),
    /// Its limit passed.
    TimedOut,
    /// The page went away under an asynchronous one.
    Reloaded,
    /// The session ends.
    Ended,
}

/// Ids of elements, for values that go in and out of scripts.
pub trait ElementIds {
    /// The node's id; the same for its life.
    fn id_of(&self, node: NodeRef) -> String;
    /// The node of an id.
    fn node_of(&self, id: &str) -> Option<NodeRef>;
}

/// The browser as commands see it.
pub trait Pages {
    /// Open windows in the order in which they opened.
    fn windows(&self) -> Vec<Window>;
    /// Opens `about:blank` in a new window; its handle. None if it cannot.
    fn open_window(&self) -> Option<String>;
    /// Closes a window; `onbeforeunload` is not heard.
    fn close_window(&self, window: Context);
    /// The context around a frame; none for windows and for what is gone.
    fn parent(&self, context: Context) -> Option<Context>;
    /// Frames of the page a context shows, in document order.
    fn frames(&self, context: Context) -> Vec<Child>;
    /// How many documents of this window's top level were completed. A change silently sets the focus
    /// back to the top (section 5.6).
    fn completed_loads(&self, window: Context) -> u32;

    /// The page a context shows; none if the context is gone or shows no document (a PDF).
    fn page(&self, context: Context) -> Option<u32>;
    /// Lets a living page's tree be read or changed; false if the page is gone. Runs no script.
    fn with_document(&self, page: u32, body: &mut dyn FnMut(&mut Document)) -> bool;
    /// The element with the focus.
    fn active(&self, page: u32) -> Option<NodeId>;
    /// Scroll offset of a page, in px.
    fn scroll_offset(&self, page: u32) -> (f64, f64);
    /// Scrolls so that the element is in view, at the top or at the bottom of the viewport.
    fn scroll_into_view(&self, node: NodeRef, at_top: bool);
    /// Address of a window as `LocationURL` gives it: the one asked for where a load failed.
    fn url(&self, window: Context) -> String;
    /// Title of a window's top document.
    fn title(&self, window: Context) -> String;

    /// Starts loading an address into a window.
    fn navigate(&self, window: Context, url: &str);
    /// Goes through the history; nothing happens at its ends.
    fn go(&self, window: Context, steps: i32);
    /// Starts loading the page again.
    fn reload(&self, window: Context);
    /// Loads, runs scripts and timers until the window is ready or the time has come. Returns at once
    /// with `Ready` while a dialog is open.
    fn settle(&self, window: Context, readiness: Readiness, until: Millis) -> Settled;
    /// Lets time pass: timers that are due by then run, loads go on. Returns early if a dialog opened.
    ///
    /// # Errors
    /// The session ends.
    fn pass(&self, until: Millis) -> Result<(), Ended>;
    /// When the next timer of a page is due.
    fn next_timer(&self) -> Option<Millis>;

    /// A mouse event; default actions follow.
    fn mouse(&self, node: NodeRef, event: &Mouse);
    /// Gives an element the focus, caret behind its text; false if it cannot take it.
    fn focus(&self, node: NodeRef) -> bool;
    /// Types into an element that has the focus: characters and code points of the W3C's table
    /// (U+E000 to U+E05D). Modifiers go down at their first mention and up at the second or at the
    /// end. Default actions follow: text is entered, Enter submits.
    fn type_text(&self, node: NodeRef, text: &str);
    /// Presses and releases one key, not a modifier, on the focused element of a page.
    fn key(&self, page: u32, key: char, modifiers: Modifiers);
    /// Empties a control as the driver's atom does, `change` included.
    fn clear(&self, node: NodeRef);
    /// Chooses an option as the driver's click atom does (in a multiple list: toggles), with events.
    fn choose(&self, option: NodeRef);
    /// Puts files into an upload control, `change` included.
    fn upload(&self, node: NodeRef, files: Vec<PathBuf>);

    /// Runs a script in the page a context shows.
    ///
    /// # Errors
    /// See [`ScriptFailure`]. While a dialog of the script is open this does not return.
    fn run_script(
        &self,
        context: Context,
        script: &Script<'_>,
        ids: &dyn ElementIds,
    ) -> Result<Value, ScriptFailure>;
    /// Raw property of a node's object; null if there is none.
    ///
    /// # Errors
    /// As [`Pages::run_script`].
    fn property(&self, node: NodeRef, name: &str, ids: &dyn ElementIds) -> Result<Value, ScriptFailure>;

    /// The open dialog.
    fn dialog(&self) -> Option<Dialog>;
    /// Replaces the text of a prompt.
    fn write_into_dialog(&self, text: &str);
    /// Presses OK or Cancel. The script goes on once `hold_dialog` has returned.
    fn answer_dialog(&self, accept: bool);

    /// Cookies of the session.
    fn jar(&self) -> &RefCell<Jar>;
}

/// Builds the browser of one session.
pub trait Engine: Send + Sync + 'static {
    /// Called on a thread of its own. Makes a browser with one window that shows `about:blank` and
    /// calls [`Session::serve`] with it; a dialog calls [`Session::hold_dialog`] from inside. `abort`
    /// becomes true when running scripts must end at once.
    fn run(&self, session: Rc<Session>, port: Rc<Port>, abort: Arc<AtomicBool>);
}
