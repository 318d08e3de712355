//! The browser as the session's commands see it.
//!
//! Owns: [`Pages`] over the parts of this room, the engine thread of a session. Does not own: what
//! commands mean (`session`), what happens in pages (the other files here, `script`).

use super::host::{self, Facet, Host, Navigation, Page};
use super::{act, cookies::Jar, focus, frames, keys, load, timers, windows};
use crate::dom::{Document, Mode, NodeId};
use crate::script::budget::Budget;
use crate::script::execute::{self, Ended as ScriptEnded};
use crate::script::node;
use crate::script::value::{self, References};
use crate::script::{engine, run};
use crate::session::Session;
use crate::session::pages::{
    Child, Context, Dialog, DialogKind, ElementIds, Engine, Modifiers, Mouse, MouseAction, NodeRef, Pages,
    Readiness, Script, ScriptFailure, Settled, Window,
};
use crate::session::port::{Ended, Millis, Port};
use rquickjs::{Ctx, Exception, Object, Result as JsResult, Value as JsValue};
use serde_json::Value;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Builds a browser with pages and scripts for each session.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pageful {
    /// Document mode of pages that ask for none.
    pub fallback_mode: Option<Mode>,
}

impl Engine for Pageful {
    fn run(&self, session: Rc<Session>, port: Rc<Port>, abort: Arc<AtomicBool>) {
        let budget = Budget::new(abort);
        let served = engine::run(&budget.clone(), |ctx| {
            let host = Rc::new(Host::new(port, budget, self.fallback_mode));
            // Values of the engine must be dropped before it, also when a command panicked.
            let result = catch_unwind(AssertUnwindSafe(|| serve(&session, &host, &ctx)));
            host.clear();
            if result.is_err() {
                tracing::error!("a command ended the session's thread");
            }
        });
        if let Err(error) = served {
            tracing::error!(%error, "no memory for a session");
        }
    }
}

fn serve(session: &Rc<Session>, host: &Rc<Host>, ctx: &Ctx<'_>) {
    if windows::open_blank(host, ctx).is_none() {
        return;
    }
    let during_dialog = Rc::clone(session);
    host.gate.replace(Some(Rc::new(move |host: &Rc<Host>, ctx: &Ctx<'_>| {
        during_dialog.hold_dialog(&Browser { host, ctx }).is_ok()
    })));
    let during_modal = Rc::clone(session);
    host.modal.replace(Some(Rc::new(move |host: &Rc<Host>, ctx: &Ctx<'_>| {
        during_modal.serve_one(&Browser { host, ctx }).is_ok()
    })));
    session.serve(&Browser { host, ctx });
}

/// The browser at one moment of the engine thread.
struct Browser<'a, 'js> {
    host: &'a Rc<Host>,
    ctx: &'a Ctx<'js>,
}

/// Element references of a command's values.
struct Refs<'a> {
    host: &'a Rc<Host>,
    ids: &'a dyn ElementIds,
}

impl<'js> References<'js> for Refs<'_> {
    fn id_of(&self, object: &Object<'js>) -> Option<String> {
        let (page, found) = node::target(self.host, object.as_value())?;
        let element = found.facet == Facet::Node && page.document.borrow().element(found.node).is_some();
        element.then(|| self.ids.id_of(NodeRef { page: page.id, node: found.node }))
    }

    fn is_window(&self, object: &Object<'js>) -> bool {
        self.host.frame_of_window(object.ctx(), object).is_some()
    }

    fn element(&self, ctx: &Ctx<'js>, id: &str) -> JsResult<JsValue<'js>> {
        let found = self.ids.node_of(id).and_then(|at| Some((self.host.page(at.page)?, at.node)));
        match found {
            Some((page, node)) => node::wrap(ctx, self.host, &page, Some(node)),
            None => Err(Exception::throw_message(ctx, "Element is no longer valid")),
        }
    }
}

impl From<ScriptEnded> for ScriptFailure {
    fn from(ended: ScriptEnded) -> Self {
        match ended {
            ScriptEnded::Thrown(text) => Self::Thrown(text),
            ScriptEnded::TimedOut => Self::TimedOut,
            ScriptEnded::Reloaded => Self::Reloaded,
            ScriptEnded::Aborted => Self::Ended,
        }
    }
}

impl Browser<'_, '_> {
    /// Runs an action on the page of a node, if it lives.
    fn at(&self, node: NodeRef, action: impl FnOnce(&Rc<Page>, NodeId)) {
        if let Some(page) = self.host.page(node.page) {
            action(&page, node.node);
        }
    }

    /// What scripts and commands asked for and has not been done.
    fn has_work(&self) -> bool {
        !self.host.navigations.borrow().is_empty()
            || !self.host.closing.borrow().is_empty()
            || !self.host.opening.borrow().is_empty()
            || !self.host.frames_due.borrow().is_empty()
    }

    fn queue(&self, navigation: Navigation) {
        self.host.navigations.borrow_mut().push_back(navigation);
    }
}

impl Pages for Browser<'_, '_> {
    fn windows(&self) -> Vec<Window> {
        let frames = self.host.frames.borrow();
        let window = |(&context, frame): (&u32, &host::Frame)| {
            let handle = frame.handle.clone()?;
            Some(Window { handle, context, modal: frame.modal.is_some() })
        };
        frames.iter().filter_map(window).collect()
    }

    fn open_window(&self) -> Option<String> {
        let frame = windows::open_blank(self.host, self.ctx)?;
        self.host.frames.borrow().get(&frame)?.handle.clone()
    }

    fn close_window(&self, window: Context) {
        let modal = self.host.frames.borrow().get(&window).is_some_and(|frame| frame.modal.is_some());
        if modal {
            // The function that waits for it ends it.
            windows::close(self.host, window);
        } else {
            windows::end(self.host, self.ctx, window);
        }
    }

    fn parent(&self, context: Context) -> Option<Context> {
        self.host.frames.borrow().get(&context)?.parent
    }

    fn frames(&self, context: Context) -> Vec<Child> {
        let Some(page) = self.host.page_of(context) else { return Vec::new() };
        let elements: Vec<NodeId> = {
            let document = page.document.borrow();
            let is_frame = |&id: &NodeId| document.is(id, "iframe") || document.is(id, "frame");
            document.descendant_elements(document.root()).filter(is_frame).collect()
        };
        let child = |node| {
            let context = frames::shown_in(self.host, &page, node)?;
            Some(Child { element: NodeRef { page: page.id, node }, context })
        };
        elements.into_iter().filter_map(child).collect()
    }

    /// Every load shows a page with a number of its own.
    fn completed_loads(&self, window: Context) -> u32 {
        self.host.page_of(window).map_or(0, |page| page.id)
    }

    fn page(&self, context: Context) -> Option<u32> {
        self.host.page_of(context).filter(|page| page.has_document).map(|page| page.id)
    }

    fn with_document(&self, page: u32, body: &mut dyn FnMut(&mut Document)) -> bool {
        match self.host.page(page) {
            Some(page) => {
                body(&mut page.document.borrow_mut());
                true
            }
            None => false,
        }
    }

    fn active(&self, page: u32) -> Option<NodeId> {
        self.host.page(page)?.active.get()
    }

    fn scroll_offset(&self, page: u32) -> (f64, f64) {
        self.host.page(page).map_or((0.0, 0.0), |page| page.scroll.get())
    }

    fn scroll_into_view(&self, node: NodeRef, _at_top: bool) {
        self.at(node, |page, node| act::scroll_to(page, node));
    }

    fn url(&self, window: Context) -> String {
        self.host.page_of(window).map(|page| page.location.borrow().clone()).unwrap_or_default()
    }

    fn title(&self, window: Context) -> String {
        self.host.page_of(window).map(|page| page.document.borrow().title()).unwrap_or_default()
    }

    fn navigate(&self, window: Context, url: &str) {
        self.queue(Navigation { frame: window, url: url.to_owned(), post: None, entry: true, from: None });
    }

    fn go(&self, window: Context, steps: i32) {
        windows::travel(self.host, window, i64::from(steps));
    }

    fn reload(&self, window: Context) {
        if let Some(page) = self.host.page_of(window) {
            self.queue(windows::again(&page));
        }
    }

    /// Loads are done when this returns; what is left open are timers.
    fn settle(&self, _: Context, _: Readiness, until: Millis) -> Settled {
        let whole = self.host.load_limit.replace(until.saturating_sub(self.host.port.now()));
        let loading = load::settle(self.host, self.ctx);
        self.host.load_limit.set(whole);
        match loading {
            _ if self.host.budget.is_aborted() => Settled::Ended,
            load::Loading::Done => Settled::Ready,
            load::Loading::TimedOut => Settled::TimedOut,
        }
    }

    fn pass(&self, until: Millis) -> Result<(), Ended> {
        loop {
            load::settle(self.host, self.ctx);
            let ran = timers::run_due(self.host, self.ctx);
            if self.host.budget.is_aborted() {
                return Err(Ended);
            }
            if ran || self.has_work() {
                continue;
            }
            let now = self.host.port.now();
            if now >= until {
                return Ok(());
            }
            let next = self.host.next_timer().map_or(until, |timer| timer.min(until));
            self.host.port.wait_until(next.max(now + 1))?;
        }
    }

    fn next_timer(&self) -> Option<Millis> {
        if self.has_work() { Some(self.host.port.now()) } else { self.host.next_timer() }
    }

    fn mouse(&self, node: NodeRef, event: &Mouse) {
        let Mouse { action, button, clicks, point, modifiers } = *event;
        let stroke = act::Stroke { point, button, held: held(modifiers) };
        self.at(node, |page, node| match action {
            MouseAction::Move => act::hover_at(self.host, self.ctx, page, node, stroke),
            MouseAction::Down => act::down(self.host, self.ctx, page, node, stroke),
            MouseAction::Up => act::up(self.host, self.ctx, page, node, stroke, clicks),
        });
    }

    fn focus(&self, node: NodeRef) -> bool {
        let Some(page) = self.host.page(node.page) else { return false };
        focus::set(self.host, self.ctx, &page, Some(node.node));
        page.active.get() == Some(node.node) || page.document.borrow().is(node.node, "body")
    }

    fn type_text(&self, node: NodeRef, text: &str) {
        self.at(node, |page, node| keys::type_text(self.host, self.ctx, page, node, text));
    }

    fn key(&self, page: u32, key: char, modifiers: Modifiers) {
        if let Some(page) = self.host.page(page) {
            keys::key(self.host, self.ctx, &page, key, held(modifiers));
        }
    }

    fn clear(&self, node: NodeRef) {
        self.at(node, |page, node| act::clear(self.host, self.ctx, page, node));
    }

    fn choose(&self, option: NodeRef) {
        self.at(option, |page, option| act::choose(self.host, self.ctx, page, option));
    }

    fn upload(&self, node: NodeRef, files: Vec<PathBuf>) {
        let files = files.iter().map(|file| file.display().to_string()).collect();
        self.at(node, |page, node| act::upload(self.host, self.ctx, page, node, files));
    }

    fn run_script(
        &self,
        context: Context,
        script: &Script<'_>,
        ids: &dyn ElementIds,
    ) -> Result<Value, ScriptFailure> {
        let page = self.host.page_of(context).ok_or(ScriptFailure::Ended)?;
        let refs = Refs { host: self.host, ids };
        let run = if script.asynchronous { execute::asynchronous } else { execute::sync };
        run(self.host, self.ctx, &page, &refs, script.body, script.args, script.limit_ms)
            .map_err(ScriptFailure::from)
    }

    fn property(&self, node: NodeRef, name: &str, ids: &dyn ElementIds) -> Result<Value, ScriptFailure> {
        let page = self.host.page(node.page).ok_or(ScriptFailure::Reloaded)?;
        let refs = Refs { host: self.host, ids };
        let value = run::enter(self.host, self.ctx, &page, |realm| {
            let object = node::wrap(realm, self.host, &page, Some(node.node))?;
            let Some(object) = object.as_object() else { return Ok(Value::Null) };
            value::to_json(realm, &refs, &object.get(name)?)
        });
        value.map_err(|failure| ScriptEnded::from(failure).into())
    }

    fn dialog(&self) -> Option<Dialog> {
        let dialog = self.host.dialog.borrow();
        let open = dialog.as_ref().filter(|dialog| dialog.answered.is_none())?;
        let kind = match open.kind {
            host::DialogKind::Alert => DialogKind::Alert,
            host::DialogKind::Confirm => DialogKind::Confirm,
            host::DialogKind::Prompt => DialogKind::Prompt,
            host::DialogKind::Leave => DialogKind::BeforeUnload,
        };
        Some(Dialog { kind, text: open.text.clone() })
    }

    fn write_into_dialog(&self, text: &str) {
        if let Some(dialog) = self.host.dialog.borrow_mut().as_mut() {
            text.clone_into(&mut dialog.input);
        }
    }

    fn answer_dialog(&self, accept: bool) {
        if let Some(dialog) = self.host.dialog.borrow_mut().as_mut() {
            dialog.answered = Some(accept);
        }
    }

    fn jar(&self) -> &RefCell<Jar> {
        &self.host.jar
    }
}

fn held(modifiers: Modifiers) -> act::Held {
    [modifiers.alt, modifiers.control, modifiers.shift]
}
