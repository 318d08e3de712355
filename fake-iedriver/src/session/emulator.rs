//! The emulator as a backend of the wire.
//!
//! Owns: validating a new session, its thread and its end. Does not own: commands (`serve`), the browser
//! (an [`Engine`]).

use super::actor::{self, Clock, Job};
use super::pages::Engine;
use super::port::Port;
use super::serve::{Pace, Session, Settings};
use crate::browser::net::Network;
use crate::wire::capabilities::{self, Granted, Machine};
use crate::wire::{Backend, Call, DriverError, Reply, SessionReply, by_name, guid};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Stack of an engine thread: native code that calls native code is not counted by the script
/// engine's own check (`reference/emulator.md` section 4.3).
const STACK: usize = 16 << 20;

/// How sessions of an emulator start.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// First page of a session that names none (empty for none), and where Edge is said to be.
    pub machine: Machine,
    /// Whether answers take the real driver's time.
    pub pace: Pace,
}

/// Pages, DOM and scripts of our own behind the driver's wire.
pub struct Emulator {
    engine: Arc<dyn Engine>,
    network: Arc<Network>,
    options: EmulatorOptions,
    running: Mutex<Option<Running>>,
}

struct Running {
    id: String,
    jobs: mpsc::Sender<Job>,
    abort: Arc<AtomicBool>,
    granted: Granted,
    /// Ends the asynchronous side, and with it the thread.
    _end: DropGuard,
}

impl Drop for Running {
    fn drop(&mut self) {
        // A script that runs is stopped; a command in progress loses its answer, as in the driver.
        self.abort.store(true, Ordering::Relaxed);
    }
}

impl Emulator {
    /// An emulator without a session.
    pub fn new(engine: Arc<dyn Engine>, network: Arc<Network>, options: EmulatorOptions) -> Self {
        Self { engine, network, options, running: Mutex::default() }
    }

    async fn create(&self, body: Map<String, Value>) -> Result<Value, DriverError> {
        let granted = capabilities::grant(&body, &self.options.machine)?;
        let (start_url, echo) = (granted.start_url.clone(), granted.echo.clone());
        let id = guid();
        let jobs = self.start(&id, granted)?;
        if !start_url.is_empty()
            && let Some(command) = by_name("navigateTo")
        {
            let body = Map::from_iter([("url".to_owned(), Value::from(start_url))]);
            // A first page that does not load is no failure of the session.
            let _ = ask(&jobs, Call { command, params: vec![("s", id.clone())], body }).await;
        }
        Ok(json!({ "sessionId": id, "capabilities": echo }))
    }

    fn start(&self, id: &str, granted: Granted) -> Result<mpsc::Sender<Job>, DriverError> {
        let (jobs, waiting) = mpsc::channel(1);
        let (down, down_end) = std::sync::mpsc::channel();
        let (up, up_end) = std::sync::mpsc::channel();
        let abort = Arc::new(AtomicBool::new(false));
        let clock = Clock::start();
        let settings = Settings { granted: granted.clone(), pace: self.options.pace };
        let thread = std::thread::Builder::new().name("session".into()).stack_size(STACK);
        let (engine, stop) = (Arc::clone(&self.engine), Arc::clone(&abort));
        let started = thread.spawn(move || {
            let port = Rc::new(Port::new(up, down_end, clock.now()));
            let session = Rc::new(Session::new(settings, Rc::clone(&port)));
            engine.run(session, port, stop);
        });
        started.map_err(|error| {
            let message = format!("Unexpected error launching Internet Explorer. {error}");
            DriverError::new("session not created", message)
        })?;
        let end = CancellationToken::new();
        let (ended, network) = (end.clone(), Arc::clone(&self.network));
        tokio::spawn(ended.run_until_cancelled_owned(actor::drive(waiting, down, up_end, network, clock)));
        let (id, _end) = (id.to_owned(), end.drop_guard());
        let running = Running { id, jobs: jobs.clone(), abort, granted, _end };
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
        Ok(jobs)
    }

    async fn run(&self, call: Call) -> SessionReply {
        let jobs = {
            let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(running) = running.as_ref().filter(|running| running.id == call.session()) else {
                return gone();
            };
            if call.command.name == "getSessionCapabilities" {
                return Reply::Value(capabilities::flat(&running.granted.echo)).into();
            }
            running.jobs.clone()
        };
        ask(&jobs, call).await
    }
}

async fn ask(jobs: &mpsc::Sender<Job>, call: Call) -> SessionReply {
    let (reply, answer) = oneshot::channel();
    if jobs.send(Job { call, reply }).await.is_err() {
        return gone();
    }
    answer.await.unwrap_or_else(|_| gone())
}

/// The session's thread has ended under a command.
fn gone() -> SessionReply {
    Reply::Error(DriverError::new("no such window", "Unable to get browser")).into()
}

impl Backend for Emulator {
    fn new_session(&self, body: Map<String, Value>) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            match self.create(body).await {
                Ok(value) => Reply::Value(value),
                Err(error) => Reply::Error(error),
            }
        })
    }

    fn call(&self, call: Call) -> BoxFuture<'_, SessionReply> {
        Box::pin(self.run(call))
    }

    fn end_session<'a>(&'a self, session: &str) -> BoxFuture<'a, ()> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(|running| running.id == session) {
            running.take();
        }
        Box::pin(async {})
    }
}
