//! The engine thread's side of the channel to the asynchronous world.
//!
//! Owns: messages in both directions, the virtual now, which command still waits for its answer.
//! Does not own: what commands do. The engine thread never sleeps and never reads a clock: it asks
//! for `WaitUntil` or a `Fetch` and blocks until the other side has done it on tokio's clock
//! (`reference/crates.md` section 10).

use crate::browser::net::{Fetched, Request};
use crate::wire::{Call, Reply, SessionReply};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender};

/// Milliseconds since 1970 on the session's clock.
pub type Millis = u64;

/// To the engine thread.
#[derive(Debug)]
pub enum Down {
    /// A command and the time it came.
    Call(Box<Call>, Millis),
    /// Time has come: answer to [`Up::WaitUntil`], or a timer of a page is due.
    Tick(Millis),
    /// Answer to [`Up::Fetch`].
    Fetched(Result<Fetched, String>, Millis),
    /// The session ends.
    Quit,
}

/// From the engine thread.
#[derive(Debug)]
pub enum Up {
    /// Load this and send [`Down::Fetched`].
    Fetch(Box<Request>),
    /// The running command's answer; work for it may go on.
    Answer(Box<SessionReply>),
    /// Send [`Down::Tick`] at this time.
    WaitUntil(Millis),
    /// Ready for the next command; the next page timer is due then.
    Idle(Option<Millis>),
}

/// Why a wait on the port ended without what was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

/// Names one command until it is answered. A script that a dialog stopped may outlive its command:
/// what its command would have answered then must not answer a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// The channel as the engine thread sees it.
pub struct Port {
    up: Sender<Up>,
    down: Receiver<Down>,
    now: Cell<Millis>,
    /// The command that is not answered yet, with the answer that goes out if a dialog opens first.
    waiting: RefCell<Option<(Ticket, Reply)>>,
    tickets: Cell<u64>,
    /// Commands that must run after the script which a dialog of theirs stopped.
    deferred: RefCell<VecDeque<Call>>,
}

impl Port {
    /// A port over both ends; `now` until the first message tells another time.
    pub fn new(up: Sender<Up>, down: Receiver<Down>, now: Millis) -> Self {
        Self {
            up,
            down,
            now: Cell::new(now),
            waiting: RefCell::default(),
            tickets: Cell::new(0),
            deferred: RefCell::default(),
        }
    }

    /// The session's now.
    pub fn now(&self) -> Millis {
        self.now.get()
    }

    /// Notes that a command began; if a dialog opens before it ends, `reply` answers it.
    pub fn begin(&self, reply: Reply) -> Ticket {
        self.tickets.set(self.tickets.get() + 1);
        let ticket = Ticket(self.tickets.get());
        self.waiting.replace(Some((ticket, reply)));
        ticket
    }

    /// True while a command that began is not answered.
    pub fn is_waiting(&self) -> bool {
        self.waiting.borrow().is_some()
    }

    /// Answers the waiting command with what it noted, if one waits.
    pub fn answer_noted(&self) {
        if let Some((_, reply)) = self.waiting.take() {
            self.send(Up::Answer(Box::new(reply.into())));
        }
    }

    /// Answers a command; nothing happens if a dialog answered it before.
    pub fn answer(&self, ticket: Ticket, reply: SessionReply) {
        let waits = self.waiting.borrow().as_ref().is_some_and(|(waiting, _)| *waiting == ticket);
        if waits {
            self.waiting.take();
            self.send(Up::Answer(Box::new(reply)));
        }
    }

    /// Keeps a command for after the running script.
    pub fn defer(&self, call: Call) {
        self.deferred.borrow_mut().push_back(call);
    }

    /// Next message while idle: a deferred command first.
    ///
    /// # Errors
    /// The session ends.
    pub fn next(&self, next_timer: Option<Millis>) -> Result<Down, Ended> {
        if let Some(call) = self.deferred.borrow_mut().pop_front() {
            return Ok(Down::Call(Box::new(call), self.now.get()));
        }
        self.send(Up::Idle(next_timer));
        self.receive()
    }

    /// Loads something; blocks this thread, not the clock.
    ///
    /// # Errors
    /// Text of the network failure, or of the end of the session.
    pub fn fetch(&self, request: Request) -> Result<Fetched, String> {
        self.send(Up::Fetch(Box::new(request)));
        match self.receive() {
            Ok(Down::Fetched(result, _)) => result,
            _ => Err("the session ends".into()),
        }
    }

    /// Blocks until the session's clock shows `time`.
    ///
    /// # Errors
    /// The session ends.
    pub fn wait_until(&self, time: Millis) -> Result<(), Ended> {
        if time <= self.now.get() {
            return Ok(());
        }
        self.send(Up::WaitUntil(time));
        self.receive().map(drop)
    }

    fn receive(&self) -> Result<Down, Ended> {
        let message = self.down.recv().map_err(|_| Ended)?;
        match &message {
            Down::Call(_, now) | Down::Tick(now) | Down::Fetched(_, now) => {
                self.now.set((*now).max(self.now.get()))
            }
            Down::Quit => return Err(Ended),
        }
        Ok(message)
    }

    fn send(&self, message: Up) {
        // The other side is gone only when the session ends; the next receive says so.
        let _ = self.up.send(message);
    }
}
