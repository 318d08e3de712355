//! A browser of still pages behind the session's seam: no scripts, no loading, only what the tests of the
//! session's own rules need. A page is a text of HTML; `data-alert` on a clicked element opens a dialog.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use super::driver::{Driver, ELEMENT};
use fake_iedriver::{
    browser::{cookies::Jar, net::Network},
    dom::{Document, NodeId},
    session::{
        Emulator, EmulatorOptions, Pace, Session,
        pages::{
            Child, Context, Dialog, DialogKind, ElementIds, Engine, Modifiers, Mouse, MouseAction, NodeRef,
            Pages, Readiness, Script, ScriptFailure, Settled, Window,
        },
        port::{Ended, Millis, Port},
    },
    wire::capabilities::Machine,
};
use serde_json::Value;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    path::PathBuf,
    rc::Rc,
    sync::{Arc, atomic::AtomicBool},
};

const HOME: &str = "<title>Home</title><input id=a value=x><input id=off disabled><p id=hidden style='display:none'>h</p>\
    <button id=ask data-alert=Sure?>ask</button><a id=go href=/second>go</a><p id=gone>gone</p>\
    <ul><li class=i>1<li class=i>2</ul><input id=file type=file><select id=s><option id=o>one</select>";

struct Still;

struct Browser {
    session: Rc<Session>,
    port: Rc<Port>,
    windows: RefCell<Vec<(Window, u32)>>,
    pages: RefCell<BTreeMap<u32, Document>>,
    numbers: Cell<u32>,
    loads: Cell<u32>,
    dialog: RefCell<Option<Dialog>>,
    answer: Cell<Option<bool>>,
    jar: RefCell<Jar>,
    /// An element to add when its time comes.
    later: Cell<Option<(Millis, u32)>>,
    never_ready: Cell<bool>,
}

impl Engine for Still {
    fn run(&self, session: Rc<Session>, port: Rc<Port>, _: Arc<AtomicBool>) {
        let browser = Browser {
            session: Rc::clone(&session),
            port,
            windows: RefCell::default(),
            pages: RefCell::default(),
            numbers: Cell::new(0),
            loads: Cell::new(0),
            dialog: RefCell::default(),
            answer: Cell::new(None),
            jar: RefCell::default(),
            later: Cell::new(None),
            never_ready: Cell::new(false),
        };
        browser.open_window();
        session.serve(&browser);
    }
}

impl Browser {
    fn number(&self) -> u32 {
        self.numbers.set(self.numbers.get() + 1);
        self.numbers.get()
    }

    fn show(&self, window: Context, url: &str) {
        self.never_ready.set(url.ends_with("/never"));
        let html = if url.ends_with("/second") { "<title>Second</title>" } else { HOME };
        let html = if url == "about:blank" { "" } else { html };
        let mut windows = self.windows.borrow_mut();
        let Some((_, page)) = windows.iter_mut().find(|(open, _)| open.context == window) else { return };
        self.pages.borrow_mut().remove(page);
        *page = self.number();
        self.pages.borrow_mut().insert(*page, Document::parse(url, html));
        self.loads.set(self.loads.get() + 1);
    }

    fn ask(&self, text: &str) {
        let dialog = Dialog { kind: DialogKind::Confirm, text: text.to_owned() };
        self.dialog.replace(Some(dialog));
        let _ = self.session.hold_dialog(self);
    }
}

impl Pages for Browser {
    fn windows(&self) -> Vec<Window> {
        self.windows.borrow().iter().map(|(window, _)| window.clone()).collect()
    }

    fn open_window(&self) -> Option<String> {
        let (context, page) = (self.number(), self.number());
        let handle = format!("window-{context}");
        let window = Window { handle: handle.clone(), context, modal: false };
        self.windows.borrow_mut().push((window, page));
        self.pages.borrow_mut().insert(page, Document::parse("about:blank", ""));
        Some(handle)
    }

    fn close_window(&self, window: Context) {
        self.windows.borrow_mut().retain(|(open, _)| open.context != window);
    }

    fn parent(&self, _: Context) -> Option<Context> {
        None
    }

    fn frames(&self, _: Context) -> Vec<Child> {
        Vec::new()
    }

    fn completed_loads(&self, _: Context) -> u32 {
        self.loads.get()
    }

    fn page(&self, context: Context) -> Option<u32> {
        self.windows.borrow().iter().find(|(open, _)| open.context == context).map(|(_, page)| *page)
    }

    fn with_document(&self, page: u32, body: &mut dyn FnMut(&mut Document)) -> bool {
        match self.pages.borrow_mut().get_mut(&page) {
            Some(document) => {
                body(document);
                true
            }
            None => false,
        }
    }

    fn scroll_offset(&self, _: u32) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn scroll_into_view(&self, _: NodeRef, _: bool) {}

    fn url(&self, window: Context) -> String {
        let page = self.page(window).unwrap_or_default();
        self.pages.borrow().get(&page).map(|document| document.url.clone()).unwrap_or_default()
    }

    fn title(&self, window: Context) -> String {
        let page = self.page(window).unwrap_or_default();
        self.pages.borrow().get(&page).map(Document::title).unwrap_or_default()
    }

    fn navigate(&self, window: Context, url: &str) {
        self.show(window, url);
    }

    fn go(&self, _: Context, _: i32) {}

    fn reload(&self, window: Context) {
        let url = self.url(window);
        self.show(window, &url);
    }

    fn settle(&self, _: Context, _: Readiness, until: Millis) -> Settled {
        if !self.never_ready.get() {
            return Settled::Ready;
        }
        match self.port.wait_until(until) {
            Ok(()) => Settled::TimedOut,
            Err(Ended) => Settled::Ended,
        }
    }

    fn pass(&self, until: Millis) -> Result<(), Ended> {
        self.port.wait_until(until)?;
        if let Some((_, page)) = self.later.get().filter(|(due, _)| *due <= until) {
            self.with_document(page, &mut |document| {
                let late = document.create_element("p");
                document.set_attribute(late, "id", "late");
                if let Some(body) = document.body() {
                    document.append(body, late).expect("appended");
                }
            });
            self.later.set(None);
        }
        Ok(())
    }

    fn next_timer(&self) -> Option<Millis> {
        None
    }

    fn mouse(&self, at: NodeRef, event: &Mouse) {
        if event.action != MouseAction::Up {
            return;
        }
        let mut attributes = (None, None);
        self.with_document(at.page, &mut |document| {
            let get = |name| document.attribute(at.node, name).map(str::to_owned);
            attributes = (get("data-alert"), get("href"));
        });
        if let Some(text) = attributes.0 {
            self.ask(&text);
            // What the script does with the answer.
            let title = if self.answer.take() == Some(true) { "Accepted" } else { "Dismissed" };
            self.with_document(at.page, &mut |document| {
                let node = document.descendants(document.root()).find(|&node| document.is(node, "title"));
                document.set_text_content(node.expect("title"), title);
            });
        }
        if let Some(href) = attributes.1 {
            let window =
                self.windows.borrow().iter().find(|(_, page)| *page == at.page).map(|(w, _)| w.context);
            self.show(window.expect("window"), &format!("http://still.test{href}"));
        }
    }

    fn focus(&self, _: NodeRef) -> bool {
        true
    }

    fn active(&self, _: u32) -> Option<NodeId> {
        None
    }

    fn type_text(&self, at: NodeRef, text: &str) {
        self.with_document(at.page, &mut |document| {
            let value = document.value(at.node).unwrap_or_default() + text;
            document.set_value(at.node, &value);
        });
    }

    fn key(&self, _: u32, _: char, _: Modifiers) {}

    fn clear(&self, at: NodeRef) {
        self.with_document(at.page, &mut |document| document.set_value(at.node, ""));
    }

    fn choose(&self, option: NodeRef) {
        self.with_document(option.page, &mut |document| document.set_selected(option.node, true));
    }

    fn upload(&self, _: NodeRef, _: Vec<PathBuf>) {}

    /// `remove` takes its argument out of the page, `later` adds an element after 700 ms, `ask` asks and
    /// returns 5, `wait` never ends; anything else returns its arguments.
    fn run_script(
        &self,
        context: Context,
        script: &Script<'_>,
        ids: &dyn ElementIds,
    ) -> Result<Value, ScriptFailure> {
        let page = self.page(context).expect("page");
        match script.body {
            "remove" => {
                let node = ids.node_of(script.args[0][ELEMENT].as_str().expect("id")).expect("node");
                self.with_document(node.page, &mut |document| document.remove(node.node));
            }
            "later" => self.later.set(Some((self.port.now() + 700, page))),
            "ask" => {
                self.ask("Really?");
                return Ok(5.into());
            }
            "wait" => {
                let limit = script.limit_ms.unwrap_or(u64::MAX / 2);
                self.port.wait_until(self.port.now() + limit).map_err(|_| ScriptFailure::Ended)?;
                return Err(ScriptFailure::TimedOut);
            }
            _ => return Ok(Value::Array(script.args.to_vec())),
        }
        Ok(Value::Null)
    }

    fn property(&self, at: NodeRef, name: &str, _: &dyn ElementIds) -> Result<Value, ScriptFailure> {
        let mut value = Value::Null;
        self.with_document(at.page, &mut |document| {
            if name == "value" {
                value = document.value(at.node).into();
            }
        });
        Ok(value)
    }

    fn dialog(&self) -> Option<Dialog> {
        self.dialog.borrow().clone()
    }

    fn write_into_dialog(&self, _: &str) {}

    fn answer_dialog(&self, accept: bool) {
        self.dialog.take();
        self.answer.set(Some(accept));
    }

    fn jar(&self) -> &RefCell<Jar> {
        &self.jar
    }
}

/// A driver over still pages, with a session on the home page.
pub async fn start(always: Value) -> Driver {
    with_pace(always, Pace::Fast).await
}

/// As `start`, at a pace.
pub async fn with_pace(always: Value, pace: Pace) -> Driver {
    let machine = Machine { start_url: "http://still.test/".into(), ..Machine::default() };
    let options = EmulatorOptions { machine, pace };
    let emulator = Emulator::new(Arc::new(Still), Arc::new(Network::new(Vec::new())), options);
    Driver::over(emulator, always).await
}
