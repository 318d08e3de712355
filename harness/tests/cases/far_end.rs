//! The driver of a case: a real browser behind the driver's wire, in this process, with the answers that the
//! case scripts put before it.
//!
//! Owns: matching requests with `wire.json`, the record of what was asked. Does not own: the wire itself.

use fake_iedriver::{
    bridge::{Bridge, BridgeOptions},
    fault::{Action, Fault},
    wire::{Backend, Broken, Call, Reply, SessionReply, Wire, WireOptions, by_name},
};
use futures::{FutureExt, future::BoxFuture};
use ie_mode_mcp::{DriverAccess, driver::cable::Dial};
use serde_json::{Map, Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::io::duplex;

/// A driver in memory in front of a browser.
pub(crate) struct FarEnd {
    wire: Arc<Wire>,
    scripted: Arc<Scripted>,
}

impl FarEnd {
    /// Starts the browser's driver; the browser starts with the session.
    pub(crate) async fn start(script: Option<Value>) -> Self {
        let bridge = Bridge::start(BridgeOptions::default()).await.unwrap();
        let script = script.unwrap_or_default();
        let mut options = WireOptions::default();
        let scripted = Scripted::new(bridge, &script);
        for answer in scripted.answers.lock().unwrap().iter_mut() {
            // What the wire answers without its backend.
            let whole = &answer.reply["body"]["value"];
            match (answer.method.as_str(), answer.path.as_str()) {
                ("GET", "/status") => {
                    if let Some(version) = whole["build"]["version"].as_str() {
                        let bits = if whole["os"]["arch"] == "x64" { 64 } else { 32 };
                        options.version = format!("{version}.0 ({bits}-bit)");
                    }
                    answer.asked = true;
                }
                ("DELETE", "/session/{sid}") if answer.reply["never_answers"] == true => {
                    options.faults.add(Fault::once("deleteSession", Action::Hang));
                    answer.asked = true;
                }
                ("DELETE", "/session/{sid}") => answer.asked = true,
                _ => {}
            }
        }
        let scripted = Arc::new(scripted);
        let wire = Wire::new(Arc::new(Shared(scripted.clone())), options);
        Self { wire, scripted }
    }

    /// How the server reaches it.
    pub(crate) fn access(&self) -> DriverAccess {
        let wire = self.wire.clone();
        let dial: Dial = Arc::new(move || {
            let wire = wire.clone();
            async move {
                let (near, far) = duplex(64 * 1024);
                tokio::spawn(wire.serve_connection(far));
                Ok(Box::new(near) as _)
            }
            .boxed()
        });
        DriverAccess::Dial(dial)
    }

    /// Runs a script in the current page beside the server, without leaving anything on the wire.
    pub(crate) async fn observe(&self, script: &str, args: Value) -> Value {
        let id = self.scripted.session.lock().unwrap().clone();
        let call = Call {
            command: by_name("executeScript").unwrap(),
            params: vec![("s", id)],
            body: Map::from_iter([("script".to_owned(), script.into()), ("args".to_owned(), args)]),
        };
        match self.scripted.browser.call(call).await.reply {
            Reply::Value(value) => value,
            other => panic!("the page cannot be observed: {other:?}"),
        }
    }

    /// Whether the server has a session.
    pub(crate) fn session_is_open(&self) -> bool {
        !self.scripted.session.lock().unwrap().is_empty()
    }

    /// Says which step of the case comes now: scripted answers may hold from one step on only.
    pub(crate) fn now_at(&self, step: usize) {
        *self.scripted.step.lock().unwrap() = step;
    }

    /// Names of the commands that arrived, in order.
    pub(crate) fn commands(&self) -> Vec<&'static str> {
        self.scripted.commands.lock().unwrap().iter().map(|(name, _)| *name).collect()
    }

    /// Bodies of one command, in order.
    pub(crate) fn bodies(&self, command: &str) -> Vec<Map<String, Value>> {
        let commands = self.scripted.commands.lock().unwrap();
        commands.iter().filter(|(name, _)| *name == command).map(|(_, body)| body.clone()).collect()
    }

    /// Most commands that ran at the same time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.scripted.running.lock().unwrap().1
    }

    /// Scripted answers that nobody asked for.
    pub(crate) fn not_asked(&self) -> Vec<String> {
        let answers = self.scripted.answers.lock().unwrap();
        answers.iter().filter(|a| !a.asked && !a.rule).map(|a| format!("{} {}", a.method, a.path)).collect()
    }

    /// Ends the browser.
    pub(crate) async fn end(&self) {
        self.wire.end_session().await;
    }
}

struct Scripted {
    browser: Bridge,
    answers: Mutex<Vec<Scripting>>,
    commands: Mutex<Vec<(&'static str, Map<String, Value>)>>,
    running: Mutex<(usize, usize)>,
    session: Mutex<String>,
    window: Mutex<String>,
    step: Mutex<usize>,
    /// The step from which on the answers hold.
    from: usize,
}

struct Scripting {
    method: String,
    path: String,
    reply: Value,
    /// Answers every time, and need not be asked.
    rule: bool,
    /// Answers again once all are used.
    repeat: bool,
    asked: bool,
}

impl Scripted {
    fn new(browser: Bridge, script: &Value) -> Self {
        let one = |request: &Value, reply: &Value, rule: bool| Scripting {
            method: request["method"].as_str().unwrap_or_default().to_owned(),
            path: request["path"].as_str().unwrap_or_default().to_owned(),
            reply: reply.clone(),
            rule,
            repeat: script["repeat"] == true,
            asked: false,
        };
        let list = |name: &str| script[name].as_array().cloned().unwrap_or_default();
        let mut answers: Vec<Scripting> =
            list("exchanges").iter().map(|e| one(&e["request"], &e["response"], false)).collect();
        answers.extend(list("rules").iter().map(|e| one(&e["request"], &e["response"], true)));
        answers.extend(list("one_of").iter().map(|reply| one(&script["request"], reply, false)));
        Self {
            browser,
            answers: Mutex::new(answers),
            commands: Mutex::default(),
            running: Mutex::default(),
            session: Mutex::default(),
            window: Mutex::default(),
            step: Mutex::default(),
            from: script["when"]
                .as_str()
                .and_then(|when| when.strip_prefix("step ")?.parse().ok())
                .unwrap_or_default(),
        }
    }

    fn scripted(&self, method: &str, path: &str) -> Option<Value> {
        if *self.step.lock().unwrap() < self.from {
            return None;
        }
        let mut answers = self.answers.lock().unwrap();
        let fits = |a: &Scripting| a.method == method && a.path == path;
        let at = answers
            .iter()
            .position(|a| fits(a) && (a.rule || !a.asked))
            .or_else(|| answers.iter().rposition(|a| fits(a) && a.repeat))?;
        answers[at].asked = true;
        Some(answers[at].reply.clone())
    }

    fn bytes(&self, value: &Value) -> Vec<u8> {
        let text = value.to_string();
        text.replace("{w1}", &self.window.lock().unwrap()).into_bytes()
    }

    async fn reply(&self, scripted: Value, body: &Map<String, Value>) -> Reply {
        if let Some(ms) = scripted["delay_ms"].as_u64() {
            tokio::time::sleep(Duration::from_millis(ms)).await;
        }
        if let Some(ms) = scripted["delay_ms_per_char"].as_u64() {
            let characters =
                body.get("text").and_then(Value::as_str).unwrap_or_default().chars().count() as u64;
            tokio::time::sleep(Duration::from_millis(ms * characters)).await;
        }
        if scripted["never_answers"] == true {
            return Reply::Broken(Broken::NoAnswer);
        }
        let mut headers = vec![("Content-Type".to_owned(), "application/json; charset=utf-8".to_owned())];
        for (name, value) in scripted["headers"].as_object().into_iter().flatten() {
            headers.retain(|(own, _)| !own.eq_ignore_ascii_case(name));
            headers.push((name.clone(), value.as_str().unwrap_or_default().to_owned()));
        }
        let body = match scripted["body_raw"].as_str() {
            Some(raw) => raw.as_bytes().to_vec(),
            None => self.bytes(&scripted["body"]),
        };
        let status = scripted["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
        Reply::Broken(Broken::Odd { status, headers, body })
    }
}

/// Lets the wire own its backend while the test looks at it.
struct Shared(Arc<Scripted>);

impl Backend for Shared {
    fn new_session(&self, body: Map<String, Value>) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            self.0.commands.lock().unwrap().push(("newSession", body.clone()));
            if let Some(scripted) = self.0.scripted("POST", "/session")
                && scripted["body"]["value"].get("error").is_some()
            {
                return self.0.reply(scripted, &body).await;
            }
            let reply = self.0.browser.new_session(body).await;
            if let Reply::Value(value) = &reply {
                *self.0.session.lock().unwrap() = value["sessionId"].as_str().unwrap_or_default().to_owned();
                let handle = self.0.browser.call(Call {
                    command: by_name("getWindowHandle").unwrap(),
                    params: vec![("s", self.0.session.lock().unwrap().clone())],
                    body: Map::new(),
                });
                if let Reply::Value(Value::String(handle)) = handle.await.reply {
                    *self.0.window.lock().unwrap() = handle;
                }
            }
            reply
        })
    }

    fn call(&self, call: Call) -> BoxFuture<'_, SessionReply> {
        Box::pin(async move {
            self.0.commands.lock().unwrap().push((call.command.name, call.body.clone()));
            let mut path = call.command.path.replace("{s}", "{sid}").replace("{e}", "{eid}");
            for (name, value) in call.params.iter().filter(|(name, _)| !matches!(*name, "s" | "e")) {
                path = path.replace(&format!("{{{name}}}"), value);
            }
            {
                let mut running = self.0.running.lock().unwrap();
                running.0 += 1;
                running.1 = running.1.max(running.0);
            }
            let answer = match self.0.scripted(call.command.method, &path) {
                Some(scripted) => {
                    // These errors say what the command did to the browser, so it must do it.
                    let error = scripted["body"]["value"]["error"].as_str().unwrap_or_default();
                    if matches!(error, "no such window" | "unexpected alert open") {
                        self.0.browser.call(call.clone()).await;
                    }
                    self.0.reply(scripted, &call.body).await.into()
                }
                None => self.0.browser.call(call).await,
            };
            self.0.running.lock().unwrap().0 -= 1;
            answer
        })
    }

    fn end_session<'a>(&'a self, session: &str) -> BoxFuture<'a, ()> {
        self.0.browser.end_session(session)
    }
}

/// Whether a body of a new-session request asks for something.
pub(crate) fn asks_for(body: &Map<String, Value>, name: &str) -> bool {
    json!(body).to_string().contains(&format!("\"{name}\""))
}
