//! A session on its engine thread: takes commands, one at a time.
//!
//! Owns: the loop, the alert gate in front of every command (`reference/iedriver-wire.md` section 5.1.5),
//! the wait for a page behind some (5.1.6), what a session knows between commands. Does not own: what a
//! command does (`commands`).

use super::commands::{self, Handler, Run};
use super::elements::Elements;
use super::pages::{Context, DialogKind, Pages, Readiness, Settled};
use super::port::{Down, Ended, Millis, Port};
use crate::wire::capabilities::Granted;
use crate::wire::{Call, DriverError, Reply, SessionReply};
use serde_json::{Map, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Whether answers take the real driver's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// As fast as it goes; only limits a client set are waited for.
    #[default]
    Fast,
    /// The minimal waits of the driver: a miss, a switch, an alert (section 9).
    Ie,
}

/// What is fixed when a session starts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the client was granted.
    pub granted: Granted,
    /// Whether to wait as the driver does.
    pub pace: Pace,
}

/// Milliseconds as the client set them; the driver counts whole seconds (section 5.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    pub(super) implicit: u64,
    pub(super) page_load: u64,
    /// None is no limit.
    pub(super) script: Option<u64>,
}

/// Position and size of a window as last set.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowRect {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
}

/// Which window and frame commands mean.
#[derive(Clone, Debug, Default)]
pub(super) struct Focus {
    pub(super) handle: String,
    pub(super) window: Context,
    /// The window itself or a frame below it.
    pub(super) context: Context,
    /// Loads of the window when the frame was chosen.
    loads: u32,
}

/// One session, on its engine thread.
pub struct Session {
    pub(super) settings: Settings,
    pub(super) port: Rc<Port>,
    pub(super) timeouts: Cell<Timeouts>,
    pub(super) focus: RefCell<Focus>,
    pub(super) elements: Elements,
    pub(super) rects: RefCell<HashMap<Context, WindowRect>>,
    pub(super) input: RefCell<commands::Input>,
}

impl Session {
    /// A session that serves from a port.
    pub fn new(settings: Settings, port: Rc<Port>) -> Self {
        let limits = settings.granted.echo.get("timeouts").cloned().unwrap_or_default();
        let number = |name: &str, default| limits.get(name).map_or(Some(default), Value::as_u64);
        let timeouts = Timeouts {
            implicit: number("implicit", 0).unwrap_or(0),
            page_load: number("pageLoad", 300_000).unwrap_or(300_000),
            script: number("script", 30_000),
        };
        Self {
            settings,
            port,
            timeouts: Cell::new(timeouts),
            focus: RefCell::default(),
            elements: Elements::default(),
            rects: RefCell::default(),
            input: RefCell::default(),
        }
    }

    /// Serves commands until the session ends.
    pub fn serve(&self, pages: &dyn Pages) {
        if let Some(first) = pages.windows().into_iter().next() {
            self.focus_window(pages, first.handle, first.context);
        }
        while self.serve_one(pages).is_ok() {}
    }

    /// Waits for one command or timer and serves it; called by the browser from inside
    /// `showModalDialog`, too.
    ///
    /// # Errors
    /// The session ends.
    pub fn serve_one(&self, pages: &dyn Pages) -> Result<(), Ended> {
        match self.port.next(pages.next_timer())? {
            Down::Call(call, _) => self.answer(pages, &call),
            Down::Tick(now) => pages.pass(now)?,
            Down::Fetched(..) | Down::Quit => {}
        }
        // A command that closed a dialog is answered when the script behind it has ended.
        if self.port.is_waiting() {
            let _ = self.wait_for_page(pages);
            self.port.answer_noted();
        }
        Ok(())
    }

    /// Serves commands while a dialog is open; called by the browser from inside `alert` and the like.
    /// Returns when the dialog was answered.
    ///
    /// # Errors
    /// The session ends: the script must end, too.
    pub fn hold_dialog(&self, pages: &dyn Pages) -> Result<(), Ended> {
        self.port.answer_noted();
        while pages.dialog().is_some() {
            if let Down::Call(call, _) = self.port.next(None)? {
                self.answer(pages, &call);
            }
        }
        Ok(())
    }

    fn answer(&self, pages: &dyn Pages, call: &Call) {
        let Some(handler) = commands::handler(call.command.name) else {
            let error = DriverError::new("unknown command", "Command not implemented");
            let ticket = self.port.begin(Reply::Value(Value::Null));
            return self.port.answer(ticket, Reply::Error(error).into());
        };
        if !call.command.passes_dialog && !self.gate(pages, call) {
            return;
        }
        self.follow(pages);
        let ticket = self.port.begin(handler.noted(call));
        let run = Run { session: self, pages, call };
        match (handler.run)(&run) {
            // The answer comes when the script behind the dialog has ended, see `serve`.
            Ok(_) if handler.closes_dialog => {}
            result => self.port.answer(ticket, self.finish(pages, handler, result)),
        }
    }

    fn finish(
        &self,
        pages: &dyn Pages,
        handler: &Handler,
        result: Result<Value, DriverError>,
    ) -> SessionReply {
        let result = result.and_then(|value| {
            if handler.waits { self.wait_for_page(pages).map(|()| value) } else { Ok(value) }
        });
        let ended = handler.name == "closeWindow" && pages.windows().is_empty();
        let reply = match result {
            Ok(value) => Reply::Value(value),
            Err(error) => Reply::Error(error),
        };
        SessionReply { reply, ended }
    }

    /// True if the command may run. Otherwise it was answered, or runs when the dialog is gone.
    fn gate(&self, pages: &dyn Pages, call: &Call) -> bool {
        let Some(dialog) = pages.dialog() else { return true };
        let close = |accept| pages.answer_dialog(accept);
        let behavior = match dialog.kind {
            DialogKind::BeforeUnload => "accept",
            _ => self.settings.granted.prompt_behavior(),
        };
        let quietly = matches!(behavior, "accept" | "dismiss");
        if quietly {
            close(behavior == "accept");
            self.port.defer(call.clone());
            return false;
        }
        let ticket = self.port.begin(Reply::Value(Value::Null));
        self.port.answer(ticket, Reply::Error(DriverError::dialog_open(&dialog.text)).into());
        if behavior != "ignore" {
            close(behavior == "accept and notify");
        }
        false
    }

    /// Sets the focus back to the top if the window has loaded another document since.
    fn follow(&self, pages: &dyn Pages) {
        let mut focus = self.focus.borrow_mut();
        let loads = pages.completed_loads(focus.window);
        if loads != focus.loads {
            focus.loads = loads;
            focus.context = focus.window;
        }
    }

    /// Focuses the top of a window.
    pub(super) fn focus_window(&self, pages: &dyn Pages, handle: String, window: Context) {
        let loads = pages.completed_loads(window);
        self.focus.replace(Focus { handle, window, context: window, loads });
    }

    /// The driver's wait for the focused window (section 5.1.6).
    fn wait_for_page(&self, pages: &dyn Pages) -> Result<(), DriverError> {
        let readiness = match self.settings.granted.page_load_strategy() {
            "none" => return Ok(()),
            "eager" => Readiness::Interactive,
            _ => Readiness::Complete,
        };
        let window = self.focus.borrow().window;
        if pages.page(window).is_none() && !pages.windows().iter().any(|open| open.context == window) {
            return Ok(());
        }
        let whole_seconds = self.timeouts.get().page_load / 1000 * 1000;
        match pages.settle(window, readiness, self.port.now() + whole_seconds) {
            Settled::Ready | Settled::Ended => Ok(()),
            Settled::TimedOut => Err(DriverError::new("timeout", "Timed out waiting for page to load.")),
        }
    }

    /// Waits as the driver does, if this session keeps its pace.
    pub(super) fn pause(&self, pages: &dyn Pages, ms: Millis) {
        if self.settings.pace == Pace::Ie {
            // The end of the session is met by the next read of the port.
            let _ = pages.pass(self.port.now() + ms);
        }
    }

    /// The limits as `GET /timeouts` gives them.
    pub(super) fn timeouts_value(&self) -> Map<String, Value> {
        let Timeouts { implicit, page_load, script } = self.timeouts.get();
        let pairs =
            [("implicit", implicit.into()), ("pageLoad", page_load.into()), ("script", script.into())];
        pairs.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value)).collect()
    }
}
