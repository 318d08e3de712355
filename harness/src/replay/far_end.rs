//! A WebDriver driver that answers from a recording.
//!
//! Owns: one run through the model behind the wire's `Backend`, translation between ids and symbols, the recorded cost of
//! an answer, the list of what was asked and missed. Does not own: what is answered (`model`), sockets
//! (`memory`, `stand_in`).

use super::{miss::Miss, secrets::Secrets};
use crate::{
    clock,
    model::{Code, Given, Model, NoAnswer, Request, Run, Schedule, Tiers},
    recording::{Answer, Recording, Symbols},
};
use fake_iedriver::wire::{Backend, Broken, Call, Command, DriverError, Reply, SessionReply, by_name};
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// How long answers take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As long as when they were recorded: for virtual time.
    Recorded,
    /// No time: for real time.
    AtOnce,
}

/// A request and what became of it, in symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The tool call that was running.
    pub call: Option<u64>,
    /// What was asked.
    pub request: String,
    /// The answer in short.
    pub answer: String,
}

struct State {
    run: Run,
    symbols: Symbols,
    secrets: Secrets,
    call: Option<u64>,
    tool: Option<String>,
    asked: Vec<Asked>,
    misses: Vec<Miss>,
    watch: clock::Stopwatch,
}

/// The far end. All driver processes of one flow share it.
pub struct FarEnd {
    state: Mutex<State>,
    pace: Pace,
}

impl FarEnd {
    /// A far end at the beginning of a recording.
    ///
    /// # Errors
    /// If the recording names a command that is not in the wire's table.
    pub fn new(recording: &Recording, seed: u64, schedule: Schedule, pace: Pace) -> Result<Self, String> {
        let state = State {
            run: Run::new(Model::compile(recording)?, schedule),
            symbols: Symbols::minting(seed, &recording.manifest.ids),
            secrets: Secrets::new(seed),
            call: None,
            tool: None,
            asked: Vec::new(),
            misses: Vec::new(),
            watch: clock::Stopwatch::start(),
        };
        Ok(Self { state: Mutex::new(state), pace })
    }

    /// Tells which tool call runs from now on.
    pub fn begin_call(&self, call: u64, tool: &str) {
        self.with(|state| {
            state.call = Some(call);
            state.run.begin_call(call);
            state.tool = Some(tool.to_owned());
        });
    }

    /// The tool whose call runs.
    pub fn tool(&self) -> Option<String> {
        self.with(|state| state.tool.clone())
    }

    /// Tells that no call comes any more and the server is about to end.
    pub fn close(&self) {
        self.with(|state| {
            state.call = None;
            state.tool = None;
            state.run.close();
        });
    }

    /// Recorded arguments of a tool call as they are sent now.
    pub fn arguments(&self, arguments: &Value) -> Value {
        self.with(|state| state.secrets.open(&state.symbols.ids(arguments)))
    }

    /// A result of a tool call as it would be recorded.
    pub fn recorded(&self, result: &Value) -> Value {
        self.with(|state| state.secrets.masked(&state.symbols.value(result)))
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.with(|state| state.asked.clone())
    }

    /// What could not be answered, and the effects that never came.
    pub fn misses(&self, tool_of: impl Fn(u64) -> Option<String>) -> Vec<Miss> {
        self.with(|state| {
            let mut misses = state.misses.clone();
            // After a first miss the rest of the flow runs differently: what is left over says nothing.
            if misses.is_empty() {
                misses.extend(state.run.left_over().into_iter().map(|(call, expected)| Miss {
                    code: Code::R006,
                    call,
                    tool: call.and_then(&tool_of),
                    got: None,
                    expected: Some(expected),
                    state: None,
                    diverged: None,
                    candidates: Vec::new(),
                }));
            }
            misses
        })
    }

    /// How many answers came from which tier.
    pub fn tiers(&self) -> Tiers {
        self.with(|state| state.run.tiers())
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn answer(
        &self,
        command: &'static Command,
        params: &[(&'static str, String)],
        body: &Map<String, Value>,
    ) -> Reply {
        let (reply, cost) = self.with(|state| state.answer(command, params, body));
        if self.pace == Pace::Recorded && cost > 0 {
            clock::pause(Duration::from_millis(cost)).await;
        }
        reply
    }
}

impl State {
    /// The reply and the time it takes, in ms.
    fn answer(
        &mut self,
        command: &'static Command,
        params: &[(&'static str, String)],
        body: &Map<String, Value>,
    ) -> (Reply, u64) {
        let request = self.request(command, params, body);
        let got = request.to_string();
        match self.run.ask(&request, self.watch.elapsed_ms()) {
            Ok(given) => {
                self.note(got, short(&given));
                (self.reply(command, &given), given.cost)
            }
            Err(no_answer) => (self.miss(got, no_answer), 0),
        }
    }

    fn request(
        &mut self,
        command: &'static Command,
        params: &[(&'static str, String)],
        body: &Map<String, Value>,
    ) -> Request {
        let asked = self.symbols.request(params, body);
        let mut members: Map<String, Value> =
            asked.req.iter().map(|(name, value)| (name.clone(), self.secrets.masked(value))).collect();
        members.extend(asked.params);
        Request { command, element: asked.el, members }
    }

    fn note(&mut self, request: String, answer: String) {
        self.asked.push(Asked { call: self.call, request, answer });
    }

    fn miss(&mut self, got: String, no_answer: NoAnswer) -> Reply {
        let miss = Miss {
            code: no_answer.code,
            call: self.call,
            tool: self.tool.clone(),
            got: Some(got.clone()),
            expected: no_answer.expected,
            state: Some(no_answer.state),
            diverged: no_answer.diverged,
            candidates: no_answer.candidates,
        };
        let line = miss.line();
        self.note(got, format!("{:?}", miss.code));
        self.misses.push(miss);
        Reply::Error(DriverError::new("unknown error", line))
    }

    /// A recorded value as this client sees it.
    fn value(&mut self, command: &Command, value: &Value) -> Value {
        let mut value = self.secrets.open(&self.symbols.ids(value));
        if let ("getWindowHandles" | "closeWindow", Value::Array(handles)) = (command.name, &mut value) {
            // In no useful order, as from the driver, but always in the same.
            handles.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        }
        value
    }

    fn text(&mut self, text: &str) -> String {
        self.secrets.open_text(&self.symbols.ids_in(text))
    }

    fn reply(&mut self, command: &Command, given: &Given) -> Reply {
        if let Some(code) = given.exit {
            return Reply::Broken(Broken::Exit(code));
        }
        match &given.answer {
            Answer::Ok(value) => Reply::Value(self.value(command, value)),
            Answer::Err(error) => Reply::Error(DriverError {
                code: error.code.clone(),
                message: self.text(&error.msg),
                data: error.other.get("data").map(|data| self.secrets.open(&self.symbols.ids(data))),
            }),
            Answer::Transport(members) => Reply::Broken(broken(members)),
        }
    }
}

/// What the recorder saw below WebDriver (`replay.md` section 7).
fn broken(members: &Map<String, Value>) -> Broken {
    match members.get("kind").and_then(Value::as_str) {
        Some("no_answer") => Broken::NoAnswer,
        Some("closed_early") => Broken::ClosedEarly,
        Some("bad_http") => Broken::Odd {
            status: members
                .get("status")
                .and_then(Value::as_u64)
                .and_then(|status| u16::try_from(status).ok())
                .unwrap_or(500),
            headers: vec![("Content-Type".to_owned(), "text/plain".to_owned())],
            body: members.get("body").and_then(Value::as_str).unwrap_or_default().as_bytes().to_vec(),
        },
        // Refused: a connection that was made here already can only be reset.
        _ => Broken::Reset,
    }
}

/// The answer in a few words: ids as symbols, values cut at 60 characters.
fn short(given: &Given) -> String {
    if let Some(code) = given.exit {
        return format!("the driver exits with {code}");
    }
    let text = match &given.answer {
        Answer::Ok(Value::Object(members)) if members.contains_key("sessionId") => {
            members["sessionId"].as_str().unwrap_or_default().to_owned()
        }
        Answer::Ok(value) => match value.get("el") {
            Some(Value::String(symbol)) => symbol.clone(),
            _ => value.to_string(),
        },
        Answer::Err(error) => format!("error {}", error.code),
        Answer::Transport(members) => {
            format!("transport {}", members.get("kind").and_then(Value::as_str).unwrap_or("broken"))
        }
    };
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

impl Backend for FarEnd {
    fn new_session(&self, body: Map<String, Value>) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            match by_name("newSession") {
                Some(command) => self.answer(command, &[], &body).await,
                None => Reply::Broken(Broken::Reset),
            }
        })
    }

    fn call(&self, call: Call) -> BoxFuture<'_, SessionReply> {
        Box::pin(async move {
            let reply = self.answer(call.command, &call.params, &call.body).await;
            // The session ends with its last window.
            let ended = call.command.name == "closeWindow"
                && matches!(&reply, Reply::Value(Value::Array(left)) if left.is_empty());
            SessionReply { reply, ended }
        })
    }

    fn end_session(&self, _: &str) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(command) = by_name("deleteSession") {
                self.answer(command, &[], &Map::new()).await;
            }
        })
    }
}
