//! What all parts of one session's browser share.
//!
//! Owns: the pages, browsing contexts (windows and frames), timers, cookies and queued navigations,
//! all behind `RefCell`s that are never borrowed over a call into script. Does not own: what happens
//! to them. Native functions capture only an `Rc` of this: values of the engine inside it are
//! `Persistent` and dropped by [`Host::clear`] before the runtime ends.

use super::cookies::Jar;
use crate::dom::{Document, Mode, NodeId, Parser};
use crate::script::budget::Budget;
use crate::session::port::{Millis, Port};
use rquickjs::{Ctx, Function, Object, Persistent, Value};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use url::Url;

/// A saved object.
pub type SavedObject = Persistent<Object<'static>>;
/// A saved function.
pub type SavedFunction = Persistent<Function<'static>>;

/// Where a listener sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    /// A node; the root is the document.
    Node(NodeId),
    /// The page's window.
    Window,
}

/// How a listener was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `onclick = …` or the attribute.
    Handler,
    /// `attachEvent`.
    Attached,
    /// `addEventListener`; true in the capture phase.
    Listener(bool),
}

/// One listener.
#[derive(Clone)]
pub struct Listener {
    /// Event type without `on`.
    pub kind: String,
    /// How it was set.
    pub style: Style,
    /// What is called; none where a handler was taken away (so that the attribute stays dead).
    pub function: Option<SavedFunction>,
    /// Text of the attribute the function was compiled from.
    pub source: Option<String>,
}

/// A document with its realm.
pub struct Page {
    /// Names the page for its life; never used again.
    pub id: u32,
    /// Browsing context it is or was shown in.
    pub frame: u32,
    /// The tree.
    pub document: RefCell<Document>,
    /// Document mode, fixed before the first script.
    pub mode: Mode,
    /// `window` of the realm.
    pub global: SavedObject,
    /// The realm's own `eval`: calling it runs text in this realm.
    pub eval: SavedFunction,
    /// Prototypes by interface.
    pub prototypes: RefCell<HashMap<&'static str, SavedObject>>,
    /// The one object of each node a script has seen.
    pub objects: RefCell<HashMap<NodeId, SavedObject>>,
    /// Listeners of each place in the order they were set.
    pub listeners: RefCell<HashMap<Spot, Vec<Listener>>>,
    /// Style objects scripts have seen, inline and computed.
    pub styles: RefCell<HashMap<(NodeId, Facet), SavedObject>>,
    /// Names by which elements can be reached as globals: the object that holds them, and the
    /// version of the tree they are of.
    pub names: SavedObject,
    /// Version of the tree the names were read from.
    pub named_at: Cell<u64>,
    /// `window.event`.
    pub event: RefCell<Option<SavedObject>>,
    /// `window.status`, `defaultStatus` and such texts a script can set without effect.
    pub texts: RefCell<HashMap<&'static str, String>>,
    /// Place of the caret in the focused control, in characters.
    pub caret: Cell<usize>,
    /// Scroll position of the window.
    pub scroll: Cell<(f64, f64)>,
    /// False for windows without a document, such as a PDF viewer.
    pub has_document: bool,
    /// Address the page was asked for where an error page stands in its place.
    pub location: RefCell<String>,
    /// Origin of the page that opened an `about:blank`.
    pub inherited_origin: String,
    /// Address of the page that led here.
    pub referrer: String,
    /// A POST that led here, so that a refresh repeats it.
    pub post: Option<(Vec<u8>, String)>,
    /// The parser while the page loads or a script writes it.
    pub parser: RefCell<Option<Parser>>,
    /// True while the loader feeds the parser; else a script opened it.
    pub parsing: Cell<bool>,
    /// Script elements that have run.
    pub scripts_run: RefCell<std::collections::HashSet<NodeId>>,
    /// Nodes that were left when unheld ones were freed last.
    pub nodes_kept: Cell<usize>,
    /// Element on which a mouse button went down.
    pub pressed: Cell<Option<NodeId>>,
    /// Element under the mouse.
    pub hovered: Cell<Option<NodeId>>,
    /// True once a person typed into the focused control.
    pub typed: Cell<bool>,
    /// The whole text of the focused control is marked.
    pub all_selected: Cell<bool>,
    /// A box of an old mode was changed and has not told so yet.
    pub change_due: Cell<bool>,
    /// `document.readyState`.
    pub ready: Cell<&'static str>,
    /// Element with the focus.
    pub active: Cell<Option<NodeId>>,
    /// Text of the focused control when it got the focus: `change` fires if it differs at blur.
    pub text_at_focus: RefCell<Option<String>>,
}

/// Which object of an element a script holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Facet {
    /// The element or other node itself.
    Node,
    /// `style`.
    Style,
    /// `currentStyle` and computed style.
    Computed,
    /// An XMLHttpRequest of the page, by number.
    Request(u32),
}

impl Page {
    /// The engine's realm of the page.
    ///
    /// # Errors
    /// The page is of another session.
    pub fn realm<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Ctx<'js>> {
        Ok(self.global.clone().restore(ctx)?.ctx().clone())
    }

    /// Scheme, host and port: what scripts of other pages are measured by.
    pub fn origin(&self) -> String {
        match self.url() {
            Some(url) if url.scheme() != "about" => url.origin().ascii_serialization(),
            _ => self.inherited_origin.clone(),
        }
    }

    /// The page's address.
    pub fn url(&self) -> Option<Url> {
        Url::parse(&self.document.borrow().url).ok()
    }
}

/// A window or frame.
pub struct Frame {
    /// Parent context of a frame.
    pub parent: Option<u32>,
    /// The element a frame is shown in: page and node.
    pub element: Option<(u32, NodeId)>,
    /// `window.name`.
    pub name: String,
    /// The page shown now.
    pub page: u32,
    /// Window handle of a top-level window.
    pub handle: Option<String>,
    /// Context that opened this window.
    pub opener: Option<u32>,
    /// Documents completed in it.
    pub loads: u32,
    /// Addresses visited and the place in them.
    pub history: (Vec<String>, usize),
    /// What other pages hold instead of the window itself: it stays when another page is loaded.
    pub proxy: SavedObject,
    /// `returnValue` of a modal dialog window, `dialogArguments`.
    pub modal: Option<SavedObject>,
}

/// A `setTimeout` or `setInterval`.
pub struct Timer {
    /// Number the script got.
    pub id: u32,
    /// Page it belongs to; dies with it.
    pub page: u32,
    /// When it fires.
    pub due: Millis,
    /// Again after this long.
    pub every: Option<Millis>,
    /// What it runs.
    pub task: Task,
}

/// What a timer does.
#[derive(Clone)]
pub enum Task {
    /// Calls a function.
    Call(SavedFunction),
    /// Runs a text.
    Source(String),
    /// Sends an asynchronous request.
    Request(u32),
    /// `meta http-equiv=refresh`.
    Navigate(String),
}

/// A queued load.
#[derive(Clone, Debug)]
pub struct Navigation {
    /// Context to load into.
    pub frame: u32,
    /// Address.
    pub url: String,
    /// Body and content type of a POST.
    pub post: Option<(Vec<u8>, String)>,
    /// False where the history entry is replaced (reload, back).
    pub entry: bool,
    /// Page whose script or link asked for it.
    pub from: Option<u32>,
}

/// The kinds of script dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogKind {
    /// `alert`
    Alert,
    /// `confirm`
    Confirm,
    /// `prompt`
    Prompt,
    /// The question of `onbeforeunload`.
    Leave,
}

/// An open dialog.
#[derive(Clone, Debug)]
pub struct Dialog {
    /// Kind.
    pub kind: DialogKind,
    /// What it says.
    pub text: String,
    /// What stands in a prompt's field.
    pub input: String,
    /// Set when answered: true for OK.
    pub answered: Option<bool>,
}

/// What serves commands while a script waits for a person; false ends the session.
pub type Gate = Rc<dyn for<'js> Fn(&Rc<Host>, &Ctx<'js>) -> bool>;

/// Everything of one session's browser.
pub struct Host {
    /// Channel to the asynchronous side.
    pub port: Rc<Port>,
    /// Script limits.
    pub budget: Budget,
    /// Living pages.
    pub pages: RefCell<HashMap<u32, Rc<Page>>>,
    /// Living browsing contexts.
    pub frames: RefCell<BTreeMap<u32, Frame>>,
    /// Timers of all pages.
    pub timers: RefCell<Vec<Timer>>,
    /// Cookies.
    pub jar: RefCell<Jar>,
    /// Loads to do when the running script has ended.
    pub navigations: RefCell<VecDeque<Navigation>>,
    /// The open dialog.
    pub dialog: RefCell<Option<Dialog>>,
    /// Windows that were closed by a script and go when it has ended.
    pub closing: RefCell<Vec<u32>>,
    /// Windows that links and forms asked for: number used by their navigation, name, opener.
    pub opening: RefCell<Vec<(u32, String, u32)>>,
    /// Pages into which scripts put frames.
    pub frames_due: RefCell<std::collections::BTreeSet<u32>>,
    /// Serves one command while a modal dialog's window is open; set by the session. False ends it.
    pub modal: RefCell<Option<Gate>>,
    /// Page of each realm, by the realm's address.
    pub realms: RefCell<HashMap<usize, u32>>,
    /// Requests of scripts.
    pub requests: RefCell<HashMap<u32, crate::script::interfaces::Request>>,
    /// `localStorage` and `sessionStorage`: kind, origin, key.
    pub storage: RefCell<BTreeMap<(&'static str, String, String), String>>,
    /// True while a command's own script limit is in force.
    pub granted: Cell<bool>,
    /// How deep scripts run inside of each other.
    pub depth: Cell<u32>,
    /// Limit of a load in milliseconds (`pageLoad`).
    pub load_limit: Cell<u64>,
    /// Mode of pages that ask for none.
    pub fallback_mode: Option<Mode>,
    /// Answers commands while a dialog is open; set by the session.
    pub gate: RefCell<Option<Gate>>,
    counter: Cell<u32>,
}

impl Host {
    /// An empty browser.
    pub fn new(port: Rc<Port>, budget: Budget, fallback_mode: Option<Mode>) -> Self {
        Self {
            port,
            budget,
            pages: RefCell::default(),
            frames: RefCell::default(),
            timers: RefCell::default(),
            jar: RefCell::default(),
            navigations: RefCell::default(),
            dialog: RefCell::default(),
            closing: RefCell::default(),
            opening: RefCell::default(),
            frames_due: RefCell::default(),
            modal: RefCell::default(),
            realms: RefCell::default(),
            requests: RefCell::default(),
            storage: RefCell::default(),
            granted: Cell::new(false),
            depth: Cell::new(0),
            load_limit: Cell::new(300_000),
            fallback_mode,
            gate: RefCell::default(),
            counter: Cell::new(0),
        }
    }

    /// A number no page, frame or timer of this session had before.
    pub fn number(&self) -> u32 {
        self.counter.set(self.counter.get() + 1);
        self.counter.get()
    }

    /// A living page.
    pub fn page(&self, id: u32) -> Option<Rc<Page>> {
        self.pages.borrow().get(&id).cloned()
    }

    /// The page whose script runs in this realm.
    pub fn viewer(&self, ctx: &Ctx<'_>) -> Option<Rc<Page>> {
        let page = self.realms.borrow().get(&(ctx.as_raw().as_ptr() as usize)).copied()?;
        self.page(page)
    }

    /// The page a context shows.
    pub fn page_of(&self, frame: u32) -> Option<Rc<Page>> {
        let page = self.frames.borrow().get(&frame)?.page;
        self.page(page)
    }

    /// A child context by its name.
    pub fn child_named(&self, frame: u32, name: &str) -> Option<u32> {
        let frames = self.frames.borrow();
        let mut children = frames.iter().filter(|(_, child)| child.parent == Some(frame));
        children.find(|(_, child)| child.name == name).map(|(&id, _)| id)
    }

    /// What a script in `ctx`'s realm holds for a window: its own global object for its own window,
    /// the lasting stand-in for others.
    ///
    /// # Errors
    /// Out of memory.
    pub fn window<'js>(&self, ctx: &Ctx<'js>, frame: u32) -> rquickjs::Result<Value<'js>> {
        if let Some(viewer) = self.viewer(ctx)
            && viewer.frame == frame
            && self.page_of(frame).is_some_and(|page| page.id == viewer.id)
        {
            return Ok(viewer.global.clone().restore(ctx)?.into_value());
        }
        let proxy = self.frames.borrow().get(&frame).map(|frame| frame.proxy.clone());
        match proxy {
            Some(proxy) => Ok(proxy.restore(ctx)?.into_value()),
            None => Ok(Value::new_null(ctx.clone())),
        }
    }

    /// The context whose page has this global object.
    pub fn frame_of_global<'js>(&self, ctx: &Ctx<'js>, object: &Object<'js>) -> Option<u32> {
        let pages = self.pages.borrow();
        let same = |page: &&Rc<Page>| {
            page.global.clone().restore(ctx).is_ok_and(|global| global.as_value() == object.as_value())
        };
        pages.values().find(same).map(|page| page.frame)
    }

    /// The context whose window an object is, global object or stand-in.
    pub fn frame_of_window<'js>(&self, ctx: &Ctx<'js>, object: &Object<'js>) -> Option<u32> {
        let same = |saved: &SavedObject| {
            saved.clone().restore(ctx).is_ok_and(|saved| {
                // Compared as values: both are of this runtime.
                saved.as_value() == object.as_value()
            })
        };
        let frames = self.frames.borrow();
        if let Some((&frame, _)) = frames.iter().find(|(_, frame)| same(&frame.proxy)) {
            return Some(frame);
        }
        self.pages.borrow().values().find(|page| same(&page.global)).map(|page| page.frame)
    }

    /// Child contexts in document order of their elements.
    pub fn children(&self, frame: u32) -> Vec<u32> {
        let frames = self.frames.borrow();
        frames.iter().filter(|(_, child)| child.parent == Some(frame)).map(|(&id, _)| id).collect()
    }

    /// The top-level context above (or the context itself).
    pub fn top(&self, mut frame: u32) -> u32 {
        while let Some(parent) = self.frames.borrow().get(&frame).and_then(|f| f.parent) {
            frame = parent;
        }
        frame
    }

    /// Forgets a context, the ones below and their pages.
    pub fn discard(&self, frame: u32) {
        for child in self.children(frame) {
            self.discard(child);
        }
        if let Some(frame) = self.frames.borrow_mut().remove(&frame) {
            self.discard_page(frame.page);
        }
    }

    /// Forgets a page and its timers.
    pub fn discard_page(&self, page: u32) {
        let gone = self.pages.borrow_mut().remove(&page);
        if let Some(page) = gone {
            let timers: Vec<Timer> = self.timers.take();
            self.timers.replace(timers.into_iter().filter(|timer| timer.page != page.id).collect());
            self.realms.borrow_mut().retain(|_, known| *known != page.id);
            self.requests.borrow_mut().retain(|_, request| !request.belongs_to(page.id));
            page.objects.take();
            page.styles.take();
            page.listeners.take();
            page.prototypes.take();
            page.event.take();
        }
    }

    /// When the next timer is due.
    pub fn next_timer(&self) -> Option<Millis> {
        self.timers.borrow().iter().map(|timer| timer.due).min()
    }

    /// Drops every value of the engine.
    pub fn clear(&self) {
        self.gate.take();
        self.modal.take();
        self.timers.take();
        self.requests.take();
        let frames: Vec<u32> = self.frames.borrow().keys().copied().collect();
        for frame in frames {
            self.discard(frame);
        }
        self.pages.take();
    }
}
