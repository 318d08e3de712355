//! The only writer of a recording.
//!
//! Owns: what becomes a line, in which order, and that nothing unmasked reaches the disk. Does not own: where its
//! news come from (`tap`, `events`), how calls look in MCP (`calls`), the end of a recording (`close`).
//!
//! A line of `flow.jsonl` is held until its call has ended: only then is it known whether its text was secret.

use super::{
    calls::{Call, Calls},
    close::{self, Summary},
    events::{Came, Event, Exit, Field},
    places::{self, Around},
    secrets::Secrets,
};
use crate::{
    clock::{self, Stopwatch},
    flow::Control,
    recording::{
        Answer, Blobs, Ending, Exchange, FLOW, FlowLine, Format, Lines, Manifest, ProcessEvent, ProcessLine,
        Software, Symbols, WIRE, WireError, blobs, write_blob, write_manifest,
    },
};
use fake_iedriver::wire::{Command, Route, route};
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

/// Name of the file of marks and notes.
const NOTES: &str = "notes.md";

/// What is known before the first line.
#[derive(Clone, Debug, Default)]
pub(super) struct Beginning {
    /// Name of the recording.
    pub(super) id: String,
    /// The server's configuration without paths and addresses.
    pub(super) config: Map<String, Value>,
    /// Name of the driver.
    pub(super) driver: String,
    /// Values that are secret from the start, by slot.
    pub(super) secrets: Vec<(String, String)>,
}

/// A recording in the making.
#[derive(Debug)]
pub(super) struct Scribe {
    folder: PathBuf,
    watch: Stopwatch,
    /// Time spent on the recorder's own questions, ms: taken out of all times.
    injected: u64,
    flow: Lines,
    wire: Lines,
    lines: u64,
    exchanges: u64,
    manifest: Manifest,
    driver: String,
    symbols: Symbols,
    pub(super) secrets: Secrets,
    pub(super) calls: Calls,
    open: HashMap<u64, Open>,
    failed: Option<io::Error>,
}

/// A request that has no answer yet.
#[derive(Debug)]
struct Open {
    t: u64,
    call: Option<u64>,
    method: String,
    target: String,
    body: String,
    field: Option<Field>,
}

impl Scribe {
    /// Starts a recording in a new folder.
    ///
    /// # Errors
    /// If the folder exists or cannot be made.
    pub(super) fn create(folder: &Path, beginning: Beginning) -> io::Result<Self> {
        if let Some(parent) = folder.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::create_dir(folder)?;
        let manifest = Manifest {
            format: Format::CURRENT,
            id: beginning.id,
            when: clock::now_utc(),
            server: None,
            driver: None,
            browser: None,
            os: None,
            config: beginning.config,
            ids: crate::recording::Forms::default(),
            counts: None,
            redaction: None,
            ended: None,
            other: Map::new(),
        };
        write_manifest(folder, &manifest)?;
        let mut secrets = Secrets::default();
        for (slot, value) in &beginning.secrets {
            secrets.add(slot, value);
        }
        Ok(Self {
            folder: folder.to_owned(),
            watch: Stopwatch::start(),
            injected: 0,
            flow: Lines::create(&folder.join(FLOW))?,
            wire: Lines::create(&folder.join(WIRE))?,
            lines: 0,
            exchanges: 0,
            manifest,
            driver: beginning.driver,
            symbols: Symbols::new(),
            secrets,
            calls: Calls::default(),
            open: HashMap::new(),
            failed: None,
        })
    }

    /// Milliseconds since the start, without the recorder's own.
    fn now(&self) -> u64 {
        self.watch.elapsed_ms().saturating_sub(self.injected)
    }

    /// A message of the MCP client.
    pub(super) fn of_client(&mut self, message: &Value) {
        let now = self.now();
        self.calls.of_client(message, now);
    }

    /// A message of the MCP server.
    pub(super) fn of_server(&mut self, message: &Value) {
        let now = self.now();
        if let Some(info) = message.pointer("/result/serverInfo")
            && let (Some(name), Some(version)) = (info["name"].as_str(), info["version"].as_str())
        {
            self.manifest.server = Some(Software { name: name.to_owned(), version: version.to_owned() });
            self.keep_manifest();
        }
        self.calls.of_server(message, now);
        while let Some(call) = self.calls.next_ended() {
            self.write_call(call);
        }
    }

    /// A control line, before it is carried out.
    pub(super) fn control(&mut self, control: Control) {
        let mut members = Map::new();
        if let Ok(Value::Object(control)) = serde_json::to_value(control) {
            members.extend(control);
        }
        let line = FlowLine { call: None, t: Some(self.now()), cost: None, members };
        let written = self.flow.push(&line);
        self.note(written);
    }

    /// What a person or an agent wants to say about this moment.
    pub(super) fn note_down(&mut self, kind: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = self.secrets.redact_text(self.symbols.text(&text));
        let seconds = self.now() / 1000;
        let line = format!("- {kind} at {seconds} s, after call {}: {text}\n", self.calls.seen());
        let written = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.join(NOTES))
            .and_then(|mut file| io::Write::write_all(&mut file, line.as_bytes()));
        self.note(written);
    }

    /// News of the driver's stand-in.
    pub(super) fn of_driver(&mut self, event: Event) {
        match event {
            Event::Hello { .. } => {}
            Event::Started { port } => {
                self.symbols.driver_listens_on(port);
                self.process(ProcessEvent { event: "start".into(), code: None, other: Map::new() });
            }
            Event::Asked { id, method, target, body, field, injected } => {
                self.injected += injected;
                let call = self.calls.running().map(|call| call.number);
                let open = Open { t: self.now(), call, method, target, body, field };
                self.learn(&open);
                self.open.insert(id, open);
            }
            Event::Answered { id, cost, came, exit } => {
                if let Some(open) = self.open.remove(&id) {
                    self.write_exchange(open, cost, came, exit);
                }
            }
            Event::Exited(exit) => self.process(ended(exit)),
        }
    }

    /// The stand-in is gone without a word.
    pub(super) fn driver_vanished(&mut self) {
        self.process(ProcessEvent { event: "killed".into(), code: None, other: Map::new() });
    }

    /// Takes the secrets of a request before it is passed on.
    fn learn(&mut self, open: &Open) {
        let Some((command, _)) = routed(&open.method, &open.target) else { return };
        let body: Value = serde_json::from_str(&open.body).unwrap_or_default();
        let typed = self.calls.running().and_then(Call::typed_text).map(str::to_owned);
        if let Some(field) = open.field
            && let Some(call) = self.calls.running_mut()
        {
            let reaches = command.name == "elementSendKeys"
                || typed.as_ref().is_some_and(|text| places::strings(&body["args"]).any(|arg| arg == text));
            if reaches {
                call.goes_into(field);
            }
        }
        let around = Around { field: open.field, typed: typed.as_deref(), in_call: open.call.is_some() };
        places::learn(&mut self.secrets, command.name, &body, around);
    }

    fn write_call(&mut self, call: Call) {
        self.calls.written += 1;
        let mut arguments = Value::Object(call.arguments.clone());
        if let Some(text) = call.typed_text() {
            let mask = match call.field {
                Some(Field::Plain) => None,
                Some(Field::Password | Field::Unknown) => self.secrets.whole(text),
                // It reached no field, so nothing says that it was no password.
                None => {
                    self.secrets.whole(text).or_else(|| Some(format!("{{{{secret:call{}}}}}", call.number)))
                }
            };
            if let Some(mask) = mask.filter(|_| !text.is_empty()) {
                arguments["text"] = mask.into();
            }
        }
        let mut members = Map::new();
        members.insert("tool".into(), call.tool.clone().into());
        let arguments = self.masked(&arguments);
        members.insert("arguments".into(), arguments);
        if let Some((name, value)) = call.ended {
            let value = self.symbols.value(&value);
            let value = self.secrets.redact(value);
            let value = self.blobs(value);
            members.insert(name.into(), value);
        }
        if let Some(t) = call.cancelled {
            members.insert("cancelled".into(), t.into());
        }
        if call.progress > 0 {
            members.insert("progress".into(), call.progress.into());
        }
        let cost = call.ended_at.map(|end| end.saturating_sub(call.t));
        let line = FlowLine { call: Some(call.number), t: Some(call.t), cost, members };
        let written = self.flow.push(&line);
        self.note(written);
    }

    /// Arguments as they are written. Symbols first: what looks like a mark by itself is escaped.
    fn masked(&mut self, arguments: &Value) -> Value {
        let value = with_marks_kept(arguments, &mut self.symbols);
        let value = self.secrets.redact(value);
        self.blobs(value)
    }

    fn write_exchange(&mut self, open: Open, cost: u64, came: Came, exit: Option<Exit>) {
        let body: Option<Map<String, Value>> = serde_json::from_str(&open.body).ok();
        let mut other = Map::new();
        if body.is_none() && !open.body.is_empty() {
            other.insert("raw".into(), self.secrets.redact_text(self.symbols.text(&open.body)).into());
        }
        let body = body.unwrap_or_default();
        let (cmd, asked) = match routed(&open.method, &open.target) {
            Some((command, params)) => (command.name, self.symbols.request(&params, &body)),
            None => {
                let mut asked = self.symbols.request(&[], &body);
                asked.params.insert("method".into(), open.method.clone().into());
                asked.params.insert("path".into(), self.symbols.text(&open.target).into());
                ("", asked)
            }
        };
        let res = self.answer(cmd, came);
        let around = Around { field: open.field, typed: None, in_call: open.call.is_some() };
        let req = Value::Object(asked.req);
        let req = places::mask_request(&mut self.secrets, cmd, &Value::Object(body), req, around);
        let req = members(self.blobs(req));
        let params = members(self.secrets.redact(Value::Object(asked.params)));
        self.lines += 1;
        self.exchanges += 1;
        let line = Exchange {
            n: self.lines,
            call: open.call,
            t: open.t,
            cost,
            cmd: cmd.to_owned(),
            s: asked.s,
            el: asked.el,
            params,
            req,
            res,
            process: exit.map(ended),
            other,
        };
        let written = self.wire.push(&line);
        self.note(written);
        self.keep_manifest();
    }

    fn answer(&mut self, cmd: &str, came: Came) -> Answer {
        let (status, body) = match came {
            Came::Http { status, body } => (status, body),
            Came::Broken { kind, after_bytes } => {
                return Answer::Transport(Map::from_iter([
                    ("kind".to_owned(), kind.into()),
                    ("after_bytes".to_owned(), after_bytes.into()),
                ]));
            }
        };
        let Some(value) = serde_json::from_str::<Value>(&body)
            .ok()
            .and_then(|mut answer| answer.get_mut("value").map(Value::take))
        else {
            let body = self.secrets.redact_text(self.symbols.text(&body));
            let body = self.blobs(body.into());
            return Answer::Transport(Map::from_iter([
                ("kind".to_owned(), "bad_http".into()),
                ("status".to_owned(), status.into()),
                ("body".to_owned(), body),
            ]));
        };
        if let Some(error) = self.error(status, &value) {
            return Answer::Err(error);
        }
        self.introduce(cmd, &value);
        let value = self.symbols.answer(cmd, &value);
        let value = places::mask_answer(&mut self.secrets, cmd, value);
        Answer::Ok(self.blobs(value))
    }

    fn error(&mut self, status: u16, value: &Value) -> Option<WireError> {
        let members = value.as_object()?;
        // A script may return an object with an `error` member; only errors have a `stacktrace` as well.
        let (code, message) = (members.get("error")?.as_str()?, members.get("message")?.as_str()?);
        let stack = members.get("stacktrace")?.as_str()?;
        let mut other = Map::new();
        if let Some(data) = members.get("data") {
            let data = self.symbols.value(data);
            other.insert("data".into(), self.secrets.redact(data));
        }
        if !stack.is_empty() {
            let stack = self.secrets.redact_text(self.symbols.text(stack));
            other.insert("stacktrace".into(), self.blobs(stack.into()));
        }
        let msg = self.secrets.redact_text(self.symbols.text(message));
        Some(WireError { code: code.to_owned(), msg, http: status, other })
    }

    /// Driver, system and browser tell their versions.
    fn introduce(&mut self, cmd: &str, value: &Value) {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        match cmd {
            "status" => {
                if let Some(version) = text("/build/version") {
                    self.manifest.driver = Some(Software { name: self.driver.clone(), version });
                }
                if let (Some(name), Some(version)) = (text("/os/name"), text("/os/version")) {
                    self.manifest.os = Some(Software { name, version });
                }
            }
            "newSession" => {
                if let (Some(name), Some(version)) =
                    (text("/capabilities/browserName"), text("/capabilities/browserVersion"))
                {
                    self.manifest.browser = Some(Software { name, version });
                }
            }
            _ => {}
        }
    }

    fn process(&mut self, process: ProcessEvent) {
        self.lines += 1;
        let call = self.calls.running().map(|call| call.number);
        let line = ProcessLine { n: self.lines, call, t: self.now(), process, other: Map::new() };
        let written = self.wire.push(&line);
        self.note(written);
    }

    /// Long strings go to files before the line that names them.
    fn blobs(&mut self, value: Value) -> Value {
        let mut found = Blobs::new();
        let value = blobs::extract(value, &mut found);
        for (name, content) in found {
            let written = write_blob(&self.folder, &name, &content);
            self.note(written);
        }
        value
    }

    /// Rewrites the manifest if something new is known: a killed recorder leaves a whole one.
    fn keep_manifest(&mut self) {
        if *self.symbols.forms() != self.manifest.ids || self.manifest.driver.is_none() {
            self.manifest.ids = self.symbols.forms().clone();
            let written = write_manifest(&self.folder, &self.manifest);
            self.note(written);
        }
    }

    /// The session goes on when the disk is full; the end tells of it.
    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    /// Writes what is held, searches every file for every secret, completes the manifest.
    ///
    /// # Errors
    /// If something could not be written, or a secret cannot be removed (then the folder was moved away).
    pub(super) fn close(mut self, ending: Ending) -> io::Result<Summary> {
        for call in self.calls.rest() {
            self.write_call(call);
        }
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.manifest.ids = self.symbols.forms().clone();
        self.manifest.ended = Some(ending);
        close::close(&self.folder, self.manifest, &mut self.secrets, self.calls.written, self.exchanges)
    }
}

/// Arguments whose `{{secret:…}}` stand for what a flow file or this scribe masked already.
fn with_marks_kept(arguments: &Value, symbols: &mut Symbols) -> Value {
    let Value::Object(members) = arguments else { return symbols.value(arguments) };
    members
        .iter()
        .map(|(name, value)| {
            let masked = name == "text" && value.as_str().is_some_and(|text| text.starts_with("{{secret:"));
            (name.clone(), if masked { value.clone() } else { symbols.value(value) })
        })
        .collect::<Map<_, _>>()
        .into()
}

fn ended(exit: Exit) -> ProcessEvent {
    let other = exit.signal.map(|signal| ("signal".to_owned(), signal.into())).into_iter().collect();
    ProcessEvent { event: "exit".into(), code: exit.code, other }
}

fn routed(method: &str, target: &str) -> Option<(&'static Command, Vec<(&'static str, String)>)> {
    let path = target.split('?').next().unwrap_or_default();
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    match route(method, &path) {
        Route::Command(command, params) => Some((command, params)),
        _ => None,
    }
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
