//! A WebDriver session: how commands are sent and what may go wrong.
//!
//! Owns: deadlines, the at-most-once rule, the account of a call's effects, the dialog seen last.
//! Does not own: starting and ending (`mod.rs`), what commands mean.

use super::cable::{Cable, Dial};
use super::command::{Class, Command, Raw};
use crate::error::Outcome;
use fantoccini::Client;
use fantoccini::error::CmdError;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A connection idle for longer is not used again: the driver drops idle ones without notice after
/// 0.5 to 1 s (`reference/iedriver-wire.md` section 2.3).
const IDLE: Duration = Duration::from_millis(300);

/// How long a call waits for a driver that was busy when the last call ended.
const COME_BACK: Duration = Duration::from_secs(3);

/// Why a command gave no value.
#[derive(Clone, Debug)]
pub enum Failure {
    /// An error of the WebDriver protocol.
    W3c {
        /// W3C error code.
        code: String,
        /// The driver's message.
        message: String,
        /// Extra data, such as the text of an open dialog; else null.
        data: Value,
    },
    /// There is no session.
    NoSession,
    /// Driver or browser died.
    DriverLost,
    /// The connection broke after the command was written, but the driver still answers.
    ConnectionLost,
    /// No answer within the limit of the call.
    Deadline {
        /// Whether any byte of the command was written.
        written: bool,
    },
    /// The client cancelled the call, or the server stops.
    Cancelled,
    /// An answer that is neither a value of the right type nor an error.
    Odd(String),
}

impl Failure {
    /// A protocol error without data.
    pub fn w3c(code: &str, message: &str) -> Self {
        Self::W3c { code: code.into(), message: message.into(), data: Value::Null }
    }

    /// Whether it is the protocol error with this code.
    pub fn is(&self, wanted: &str) -> bool {
        matches!(self, Self::W3c { code, .. } if code == wanted)
    }

    /// Whether an open dialog kept the command from running.
    pub fn is_dialog(&self) -> bool {
        self.is("unexpected alert open")
    }
}

/// What the running call may spend.
#[derive(Clone, Debug)]
pub struct Budget {
    /// When the call ends, whatever happens.
    pub deadline: Instant,
    /// Cancelled by the client or by the end of the server.
    pub cancel: CancellationToken,
}

/// What became of the effects of the running call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    done: u32,
    refused: u32,
    unknown: u32,
}

impl Account {
    /// Whether any effect may have reached the page.
    pub fn touched(&self) -> bool {
        self.done + self.unknown > 0
    }

    /// The outcome of a call that failed.
    pub fn outcome(&self) -> Outcome {
        match (self.done, self.refused, self.unknown) {
            (0, _, 0) => Outcome::NotDone,
            (_, 0, 0) => Outcome::Done,
            _ => Outcome::Unknown,
        }
    }
}

/// A live session.
pub struct Session {
    id: String,
    base: String,
    dial: Dial,
    line: Option<(Client, Cable)>,
    last_answer: Instant,
    budget: Budget,
    account: Account,
    unsettled: bool,
    at_top: bool,
    /// Text of the dialog that the last command met.
    pub dialog: Option<String>,
    /// Capabilities the driver answered with.
    pub capabilities: Value,
}

enum Sent {
    Answer(Result<Value, CmdError>),
    Late,
    Cancelled,
}

impl Session {
    pub(super) fn new(id: String, base: String, dial: Dial, capabilities: Value, budget: Budget) -> Self {
        Self {
            id,
            base,
            dial,
            line: None,
            last_answer: Instant::now(),
            budget,
            account: Account::default(),
            unsettled: false,
            at_top: true,
            dialog: None,
            capabilities,
        }
    }

    /// Begins a call: later commands have this budget, and effects are counted anew.
    pub fn begin(&mut self, budget: Budget) {
        self.budget = budget;
        self.account = Account::default();
    }

    /// The account of the running call.
    pub fn account(&self) -> Account {
        self.account
    }

    /// Whether the last command was given up without an answer.
    pub fn unsettled(&self) -> bool {
        self.unsettled
    }

    /// Whether commands are known to mean the top document of the window. Inside a frame a page can also
    /// get there without notice (`reference/iedriver-wire.md` section 5.6), so false means unknown.
    pub fn at_top(&self) -> bool {
        self.at_top
    }

    /// Cuts the connection, so that nothing queued is sent late.
    pub fn cut(&mut self) {
        if let Some((client, cable)) = self.line.take() {
            cable.cut();
            drop(client);
        }
    }

    /// Sends a command within the budget of the running call.
    ///
    /// Effects and cursors are written at most once; a question may be sent again once when the
    /// connection broke.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn run(&mut self, command: Command) -> Result<Value, Failure> {
        if self.unsettled {
            self.settle().await?;
        }
        let result = self.attempt(&command).await;
        self.note(&command, &result);
        result
    }

    /// Asks the driver to end the session, whatever state it is in: a delete overtakes a running
    /// command (`reference/iedriver-wire.md` section 2.12).
    pub(super) async fn delete(&mut self, limit: Duration) {
        self.budget = Budget { deadline: Instant::now() + limit, cancel: CancellationToken::new() };
        // The answer does not matter: the process is ended next.
        let _ = self.attempt(&Command::delete_session()).await;
        self.cut();
    }

    /// Waits briefly for a driver that was busy, with a question that passes dialogs.
    async fn settle(&mut self) -> Result<(), Failure> {
        let whole = self.budget.clone();
        self.budget.deadline = whole.deadline.min(Instant::now() + COME_BACK);
        let answer = self.attempt(&Command::window_handle()).await;
        self.budget = whole;
        match answer {
            Ok(_) | Err(Failure::W3c { .. } | Failure::Odd(_)) => {
                self.unsettled = false;
                Ok(())
            }
            Err(Failure::Deadline { .. }) => Err(Failure::Deadline { written: false }),
            Err(other) => Err(other),
        }
    }

    async fn attempt(&mut self, command: &Command) -> Result<Value, Failure> {
        let mut again = true;
        loop {
            if self.budget.cancel.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            if Instant::now() >= self.budget.deadline {
                return Err(Failure::Deadline { written: false });
            }
            let (sent, written) = self.send(command).await?;
            match sent {
                Sent::Answer(Ok(value)) if command.reply.admits(&value) => return Ok(value),
                Sent::Answer(Ok(value)) => return Err(Failure::Odd(odd(&value))),
                Sent::Answer(Err(error)) => match translate(error) {
                    Some(failure) => return Err(failure),
                    None => {
                        self.cut();
                        if again && (!written || command.class == Class::Question) {
                            again = false;
                            continue;
                        }
                        if written && command.class == Class::Effect {
                            self.account.unknown += 1;
                        }
                        return Err(if written && self.alive().await {
                            Failure::ConnectionLost
                        } else {
                            Failure::DriverLost
                        });
                    }
                },
                Sent::Late | Sent::Cancelled => {
                    self.cut();
                    self.unsettled |= written;
                    if written && command.class == Class::Effect {
                        self.account.unknown += 1;
                    }
                    return Err(match sent {
                        Sent::Cancelled => Failure::Cancelled,
                        _ => Failure::Deadline { written },
                    });
                }
            }
        }
    }

    async fn send(&mut self, command: &Command) -> Result<(Sent, bool), Failure> {
        if self.last_answer.elapsed() > IDLE {
            self.cut();
        }
        if self.line.is_none() {
            let cable = Cable::new(self.dial.clone());
            let client = Client::with_existing_session(&self.base, &self.id, cable.clone())
                .await
                .map_err(|error| Failure::Odd(error.to_string()))?;
            client.persist().await.map_err(|error| Failure::Odd(error.to_string()))?;
            self.line = Some((client, cable));
        }
        let Some((client, cable)) = &self.line else { return Err(Failure::DriverLost) };
        let before = cable.written();
        let sent = tokio::select! {
            biased;
            answer = client.issue_cmd(Raw(command.clone())) => unlabelled(Sent::Answer(answer)),
            () = self.budget.cancel.cancelled() => Sent::Cancelled,
            () = tokio::time::sleep_until(self.budget.deadline) => Sent::Late,
        };
        let written = cable.written() > before;
        self.last_answer = Instant::now();
        tracing::debug!(command = command.name, written, "driver command");
        Ok((sent, written))
    }

    /// Whether the driver still answers for this session on a new connection.
    async fn alive(&mut self) -> bool {
        self.cut();
        let limit = self.budget.deadline.min(Instant::now() + COME_BACK);
        let whole =
            std::mem::replace(&mut self.budget, Budget { deadline: limit, cancel: CancellationToken::new() });
        let answer = self.send(&Command::window_handle()).await;
        self.budget = whole;
        match answer {
            Ok((Sent::Answer(Ok(_)), _)) => true,
            Ok((Sent::Answer(Err(error)), _)) => {
                translate(error).is_some_and(|failure| !failure.is("invalid session id"))
            }
            _ => {
                self.cut();
                false
            }
        }
    }

    fn note(&mut self, command: &Command, result: &Result<Value, Failure>) {
        if let Err(Failure::W3c { data, .. }) = result
            && result.as_ref().is_err_and(Failure::is_dialog)
        {
            self.dialog = Some(data["text"].as_str().unwrap_or_default().to_owned());
        }
        if matches!(command.name, "getAlertText") {
            self.dialog = match result {
                Ok(text) => text.as_str().map(str::to_owned),
                Err(failure) if failure.is("no such alert") => None,
                Err(_) => self.dialog.take(),
            };
        }
        // After a switch it is not known whether the window has one.
        if matches!(command.name, "acceptAlert" | "dismissAlert" | "switchToWindow") && result.is_ok() {
            self.dialog = None;
        }
        self.at_top = match (command.name, &command.body) {
            ("switchToFrame", Some(body)) => result.is_ok() && body["id"].is_null(),
            ("switchToWindow" | "navigateTo", _) if result.is_ok() => true,
            _ => self.at_top,
        };
        if command.class != Class::Effect {
            return;
        }
        match result {
            Ok(_) => self.account.done += 1,
            Err(Failure::W3c { code, .. }) if refused(code) => self.account.refused += 1,
            Err(Failure::W3c { .. } | Failure::Odd(_)) => self.account.unknown += 1,
            // Counted where it is known whether anything was written.
            Err(_) => {}
        }
    }
}

/// Errors the driver gives before it acts. After others, such as `timeout`, it may have acted.
fn refused(code: &str) -> bool {
    !matches!(code, "timeout" | "script timeout" | "javascript error" | "unknown error" | "no such window")
}

/// A value that came without the content type of JSON is still one: some hubs leave it away.
fn unlabelled(sent: Sent) -> Sent {
    if let Sent::Answer(Err(CmdError::NotJson(text))) = &sent
        && let Ok(Value::Object(mut body)) = serde_json::from_str::<Value>(text)
        && body.get("value").is_some_and(|value| value["error"].is_null())
    {
        return Sent::Answer(Ok(body.remove("value").unwrap_or_default()));
    }
    sent
}

/// None: the connection broke before the answer was complete.
fn translate(error: CmdError) -> Option<Failure> {
    match error {
        CmdError::Standard(error) => Some(Failure::W3c {
            code: error.error.to_string(),
            message: error.message.into_owned(),
            data: error.data.unwrap_or(Value::Null),
        }),
        // A 405 says text/html but carries JSON (`reference/iedriver-wire.md` section 2.6).
        CmdError::NotJson(text) => Some(match serde_json::from_str::<Value>(&text) {
            Ok(body) => from_value(&body["value"]),
            Err(_) => Failure::Odd(text),
        }),
        CmdError::NotW3C(Value::String(code)) => Some(Failure::w3c(&code, "")),
        CmdError::NotW3C(value) => Some(from_value(&value)),
        CmdError::Failed(_) | CmdError::FailedC(_) | CmdError::Lost(_) => None,
        other => Some(Failure::Odd(other.to_string())),
    }
}

fn from_value(value: &Value) -> Failure {
    match value["error"].as_str() {
        Some(code) => Failure::W3c {
            code: code.into(),
            message: value["message"].as_str().unwrap_or_default().into(),
            data: value["data"].clone(),
        },
        None => Failure::Odd(odd(value)),
    }
}

fn odd(value: &Value) -> String {
    value.as_str().map_or_else(|| "a value of the wrong type".to_owned(), str::to_owned)
}
