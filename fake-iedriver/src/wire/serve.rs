//! From request to answer.
//!
//! Owns: the order in which the driver looks at a request, the session table, one command at a time,
//! the ghost session, scripted faults (`reference/iedriver-wire.md` sections 2.4 and 2.12). Does not
//! own: bytes on the connection (`connection`), what commands do (`Backend`).

use super::{
    backend::{Backend, Broken, Call, Reply, SessionReply},
    connection::{self, Ending},
    debug_log::DebugLog,
    envelope::{Answer, Head},
    lenient::{self, Body},
    received::{CommandLog, Received},
    request::Request,
    table::{self, Command, Route},
};
use crate::{
    clock,
    fault::{Action, Plan},
};
use serde_json::{Map, Value, json};
use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::Mutex as AsyncMutex,
};
use tokio_util::sync::CancellationToken;

/// How this driver behaves on the wire.
#[derive(Clone, Debug)]
pub struct WireOptions {
    /// Four-part version and bits, as in `/status`.
    pub version: String,
    /// Closes a kept connection after this time without a request. The real driver does after 0.5 to
    /// 1 s; in memory under a paused clock it is better left out.
    pub idle_close: Option<Duration>,
    /// Hangs where the real driver hangs, instead of an error that names it.
    pub real_hangs: bool,
    /// Scripted failures.
    pub faults: Plan,
    /// Where commands and answers are logged, if at all.
    pub debug_log: Option<DebugLog>,
}

impl Default for WireOptions {
    fn default() -> Self {
        Self {
            version: "4.14.0.0 (32-bit)".into(),
            idle_close: None,
            real_hangs: false,
            faults: Plan::default(),
            debug_log: None,
        }
    }
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An answer.
    Answer(Answer),
    /// The connection is reset.
    Reset,
    /// Nothing is answered and the connection stays open.
    NoAnswer,
    /// The head and half of the body, then the connection closes.
    ClosedEarly(Answer),
    /// An answer, then the connection closes without notice.
    ThenClosed(Answer),
    /// The process has ended.
    Exit,
}

/// A request that met a row of the table.
struct Routed {
    command: &'static Command,
    params: Vec<(&'static str, String)>,
    body: Body,
    /// The body as it goes into the session's command text.
    text: String,
}

/// The session in the table.
#[derive(Debug)]
struct Session {
    /// Empty for the ghost that a bad new-session body leaves.
    id: String,
    /// Held while a command of it runs.
    turn: AsyncMutex<()>,
}

/// A driver without its process: answers requests from any byte stream.
pub struct Wire {
    backend: Arc<dyn Backend>,
    options: WireOptions,
    session: Mutex<Option<Arc<Session>>>,
    starting: AsyncMutex<()>,
    log: CommandLog,
    exit_code: OnceLock<i32>,
    gone: CancellationToken,
}

impl Wire {
    /// A driver without a session in front of a backend.
    pub fn new(backend: Arc<dyn Backend>, options: WireOptions) -> Arc<Self> {
        Arc::new(Self {
            backend,
            options,
            session: Mutex::default(),
            starting: AsyncMutex::default(),
            log: CommandLog::default(),
            exit_code: OnceLock::new(),
            gone: CancellationToken::new(),
        })
    }

    /// How it behaves.
    pub fn options(&self) -> &WireOptions {
        &self.options
    }

    /// Commands it received.
    pub fn log(&self) -> &CommandLog {
        &self.log
    }

    /// Scripted failures; more can be added while it runs.
    pub fn faults(&self) -> &Plan {
        &self.options.faults
    }

    /// The exit code once the driver has ended by itself (`/shutdown`, a fault).
    pub fn exit_code(&self) -> Option<i32> {
        self.exit_code.get().copied()
    }

    /// Returns when the driver has ended by itself.
    pub async fn gone(&self) {
        self.gone.cancelled().await;
    }

    /// Ends as by the task manager: connections are reset, nothing is answered any more.
    pub fn exit(&self, code: i32) {
        self.leave(code);
    }

    /// Serves one connection until either side ends it. A driver that is gone closes at once.
    pub async fn serve_connection<I>(self: Arc<Self>, mut io: I)
    where
        I: AsyncRead + AsyncWrite + Send + Unpin,
    {
        connection::run(self, &mut io).await;
    }

    /// Serves the connections of a listener until `stop` or the end of the driver, then closes them.
    pub async fn serve_listener(self: Arc<Self>, listener: TcpListener, stop: CancellationToken) {
        let mut connections = tokio::task::JoinSet::new();
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = self.gone.cancelled() => break,
                Some(_) = connections.join_next() => continue,
                accepted = listener.accept() => accepted,
            };
            // A failed accept (no descriptors left) concerns that peer only.
            let Ok((mut stream, _)) = accepted else {
                tokio::task::yield_now().await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let wire = Arc::clone(&self);
            connections.spawn(async move {
                if connection::run(wire, &mut stream).await == Ending::Reset {
                    let _ = stream.set_zero_linger();
                }
            });
        }
    }

    /// Ends the session, if there is one: what the driver does when it is told to stop.
    pub async fn end_session(&self) {
        if let Some(session) = self.take_session(None) {
            self.backend.end_session(&session.id).await;
        }
    }

    fn current(&self) -> Option<Arc<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn enter(&self, id: &str) {
        let session = Session { id: id.to_owned(), turn: AsyncMutex::default() };
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(session));
    }

    /// Removes the session if it has this id, or any.
    fn take_session(&self, id: Option<&str>) -> Option<Arc<Session>> {
        let mut table = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = table.as_ref().is_some_and(|session| id.is_none_or(|id| session.id == id));
        if fits { table.take() } else { None }
    }

    /// What a request becomes, without a connection.
    pub async fn answer(&self, request: Request) -> Outcome {
        if self.exit_code().is_some() {
            return Outcome::Exit;
        }
        let Request { verb, path, body } = request;
        let shown = if verb == "POST" { String::from_utf8_lossy(&body).into_owned() } else { "{}".into() };
        if let Some(log) = &self.options.debug_log {
            log.request(&verb, &path, &shown);
        }
        if path == "/" {
            return Outcome::Answer(Answer::start_page());
        }
        if path == "/shutdown" {
            self.end_session().await;
            self.leave_soon(0);
            return Outcome::Answer(Answer::start_page());
        }
        if let Some(log) = &self.options.debug_log {
            log.command(&verb, &path, &shown);
        }
        let outcome = self.routed(&verb, &path, body).await;
        if let (Some(log), Outcome::Answer(answer)) = (&self.options.debug_log, &outcome) {
            log.response(answer.status, &answer.body);
        }
        outcome
    }

    async fn routed(&self, verb: &str, path: &str, body: Vec<u8>) -> Outcome {
        let (command, mut params) = match table::route(verb, path) {
            Route::Command(command, params) => (command, params),
            Route::WrongMethod(verbs) => return Outcome::Answer(Answer::wrong_method(verb, path, &verbs)),
            Route::Unknown => return Outcome::Answer(Answer::unknown_path(verb, path)),
        };
        let text = if verb == "POST" { String::from_utf8_lossy(&body).into_owned() } else { "{}".into() };
        let mut parsed = if verb == "POST" { lenient::parse(&body) } else { Body::Object(Map::new()) };
        let members = if let Body::Object(members) = &parsed { members.clone() } else { Map::new() };
        self.log.push(Received { command, params: params.clone(), body: members, bytes: body });
        // The path's values are pasted into the command's text, and members of the body override them.
        for (name, value) in &mut params {
            if *name == "s" {
                continue;
            }
            match lenient::unescape(value) {
                Some(decoded) => *value = decoded,
                None => parsed = Body::NotAnObject,
            }
            let key = if *name == "e" { "id" } else { name };
            if let Body::Object(members) = &parsed
                && let Some(text) = members.get(key).and_then(Value::as_str)
            {
                *value = text.to_owned();
            }
        }
        let action = self.options.faults.next(command.name, path);
        let routed = Routed { command, params, body: parsed, text };
        match action {
            None => self.run(routed).await,
            Some(action) => self.run_with(action, routed).await,
        }
    }

    async fn run_with(&self, action: Action, routed: Routed) -> Outcome {
        match action {
            Action::Delay { ms } => clock::wait(Duration::from_millis(ms)).await,
            Action::Hang => {
                // Kept for ever: the session's thread is stuck.
                if let Some(session) = self.current() {
                    let _turn = session.turn.lock().await;
                    self.gone.cancelled().await;
                }
                return Outcome::NoAnswer;
            }
            Action::ResetBefore => return Outcome::Reset,
            Action::Odd { status, body } => {
                let kind = vec![("Content-Type".to_owned(), "text/plain".to_owned())];
                return Outcome::Answer(Answer { status, head: Head::Odd(kind), body: body.into_bytes() });
            }
            Action::Exit { code } => return self.leave(code),
            Action::Answer { value } => return Outcome::Answer(Answer::value(value)),
            Action::HangAfter
            | Action::ResetAfter
            | Action::ClosedEarly
            | Action::CloseAfter
            | Action::ExitAfter { .. } => {}
        }
        let outcome = self.run(routed).await;
        match (action, outcome) {
            (Action::HangAfter, _) => Outcome::NoAnswer,
            (Action::ResetAfter, _) => Outcome::Reset,
            (Action::ExitAfter { code }, _) => self.leave(code),
            (Action::ClosedEarly, Outcome::Answer(answer)) => Outcome::ClosedEarly(answer),
            (Action::CloseAfter, Outcome::Answer(answer)) => Outcome::ThenClosed(answer),
            (_, outcome) => outcome,
        }
    }

    async fn run(&self, routed: Routed) -> Outcome {
        let command = routed.command;
        match command.name {
            "status" => return Outcome::Answer(Answer::value(self.status())),
            "getSessions" => return self.sessions().await,
            "newSession" => return self.new_session(routed).await,
            _ => {}
        }
        let id =
            routed.params.iter().find(|(name, _)| *name == "s").map(|(_, id)| id.clone()).unwrap_or_default();
        if command.name == "deleteSession" {
            // It does not wait for a running command.
            return Outcome::Answer(match self.take_session(Some(&id)) {
                Some(session) => {
                    self.log_raw(&routed);
                    self.backend.end_session(&session.id).await;
                    Answer::value(Value::Null)
                }
                None => Answer::already_deleted(),
            });
        }
        let Some(session) = self.current().filter(|session| session.id == id) else {
            return Outcome::Answer(Answer::no_session(&id));
        };
        let _turn = session.turn.lock().await;
        let still_there = self.current().is_some_and(|now| Arc::ptr_eq(&now, &session));
        if !still_there {
            return Outcome::Answer(Answer::no_session(&id));
        }
        self.log_raw(&routed);
        if session.id.is_empty() {
            return Outcome::Answer(Answer::value(ghost_capabilities()));
        }
        if !command.implemented {
            return Outcome::Answer(Answer::error(super::DriverError::new(
                "unknown command",
                "Command not implemented",
            )));
        }
        let Routed { params, body, .. } = routed;
        let body = match body {
            Body::Object(members) => members,
            Body::NotAnObject => return Outcome::Answer(Answer::no_parameters()),
            Body::TooDeep => return self.real_hang("a body nested deeper than its parser stands"),
        };
        let SessionReply { reply, ended } = self.backend.call(Call { command, params, body }).await;
        if ended {
            self.take_session(Some(&id));
        }
        self.outcome(reply)
    }

    fn log_raw(&self, routed: &Routed) {
        if let Some(log) = &self.options.debug_log {
            log.raw(routed.command, &routed.params, &routed.text);
        }
    }

    async fn new_session(&self, routed: Routed) -> Outcome {
        let _starting = self.starting.lock().await;
        if self.current().is_some() {
            return Outcome::Answer(Answer::session_exists());
        }
        self.log_raw(&routed);
        let body = match routed.body {
            Body::Object(members) => members,
            Body::NotAnObject => {
                self.enter("");
                return Outcome::Answer(Answer::no_parameters());
            }
            Body::TooDeep => return self.real_hang("a body nested deeper than its parser stands"),
        };
        let reply = self.backend.new_session(body).await;
        if let Reply::Value(value) = &reply
            && let Some(id) = value.get("sessionId").and_then(Value::as_str)
        {
            self.enter(id);
        }
        self.outcome(reply)
    }

    fn outcome(&self, reply: Reply) -> Outcome {
        match reply {
            Reply::Value(value)
                if value.get("error").is_some_and(|error| error.is_object() || error.is_array()) =>
            {
                self.real_hang("a result whose member `error` is an object or a list ends its process")
            }
            Reply::Value(value) => Outcome::Answer(Answer::value(value)),
            Reply::Error(error) => Outcome::Answer(Answer::error(error)),
            Reply::Broken(Broken::Reset) => Outcome::Reset,
            Reply::Broken(Broken::NoAnswer) => Outcome::NoAnswer,
            Reply::Broken(Broken::ClosedEarly) => Outcome::ClosedEarly(Answer::value(Value::Null)),
            Reply::Broken(Broken::Odd { status, headers, body }) => {
                Outcome::Answer(Answer { status, head: Head::Odd(headers), body })
            }
            Reply::Broken(Broken::Exit(code)) => self.leave(code),
        }
    }

    fn real_hang(&self, what: &str) -> Outcome {
        if self.options.real_hangs {
            Outcome::NoAnswer
        } else {
            Outcome::Answer(Answer::real_driver_hangs(what))
        }
    }

    fn leave(&self, code: i32) -> Outcome {
        let _ = self.exit_code.set(code);
        self.gone.cancel();
        Outcome::Exit
    }

    /// Ends after the answer to `/shutdown` had its chance to go out.
    fn leave_soon(&self, code: i32) {
        let _ = self.exit_code.set(code);
        let gone = self.gone.clone();
        tokio::spawn(async move {
            clock::wait(Duration::from_millis(50)).await;
            gone.cancel();
        });
    }

    fn status(&self) -> Value {
        let ready = self.current().is_none();
        let message =
            if ready { "Ready to create session" } else { "Maximum number of sessions already created" };
        json!({
            "build": { "version": self.options.version },
            "message": message,
            "os": { "arch": "x64", "name": "windows", "version": "10.0.19043.1466" },
            "ready": ready,
        })
    }

    async fn sessions(&self) -> Outcome {
        let Some(session) = self.current() else { return Outcome::Answer(Answer::value(json!([]))) };
        let _turn = session.turn.lock().await;
        let capabilities = if session.id.is_empty() {
            ghost_capabilities()
        } else {
            let Some(command) = table::by_name("getSessionCapabilities") else { return Outcome::NoAnswer };
            let call = Call { command, params: vec![("s", session.id.clone())], body: Map::new() };
            match self.backend.call(call).await.reply {
                Reply::Value(value) => value,
                other => return self.outcome(other),
            }
        };
        Outcome::Answer(Answer::value(json!([{ "capabilities": capabilities, "id": session.id }])))
    }
}

/// The flat capabilities of the session that a bad body leaves behind (capture `19-sessions`).
fn ghost_capabilities() -> Value {
    json!({
        "browserAttachTimeout": 0,
        "browserName": "internet explorer",
        "browserVersion": "9",
        "elementScrollBehavior": 0,
        "enablePersistentHover": false,
        "ie.browserCommandLineSwitches": "",
        "ie.ensureCleanSession": false,
        "ie.fileUploadDialogTimeout": 3000,
        "ie.forceCreateProcessApi": false,
        "ie.usePerProcessProxy": false,
        "ignoreProtectedModeSettings": false,
        "ignoreZoomSetting": false,
        "initialBrowserUrl": "",
        "nativeEvents": true,
        "pageLoadStrategy": "normal",
        "platformName": "windows",
        "requireWindowFocus": true,
        "unhandledPromptBehavior": "",
    })
}
