//! The matcher: which recorded exchange answers a request.
//!
//! Owns: the place on the tape. Effects are matched strictly and in order. Between two effects a
//! question gets the answer it had at this place; asked again, it moves on to its next answer that
//! differs, so that the number of polls does not matter. Does not own: ids (symbols only here), time,
//! transport.

use super::miss::Code;
use crate::{
    model::{Context, Key, Request, Windows, is_effect},
    recording::{Answer, Exchange, Recording},
};
use fake_iedriver::wire::Class;
use serde_json::Value;
use std::collections::HashMap;

/// A recorded exchange, ready to be compared.
#[derive(Clone, Debug)]
struct Item {
    n: u64,
    call: Option<u64>,
    request: Request,
    key: Key,
    answer: Answer,
    cost: u64,
    effect: bool,
    exit: Option<i32>,
}

impl Item {
    fn place(&self) -> String {
        let call = self.call.map(|call| format!(", call {call}")).unwrap_or_default();
        format!("{} (wire {}{call})", self.request, self.n)
    }
}

/// What a request is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The answer, with symbols.
    pub answer: Answer,
    /// How long it took when it was recorded, in ms.
    pub cost: u64,
    /// The exit code, if the driver ended instead of answering.
    pub exit: Option<i32>,
}

impl Given {
    fn null() -> Self {
        Self { answer: Answer::Ok(Value::Null), cost: 0, exit: None }
    }
}

/// Why there is no answer: the code, and what the recording has instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// Kind of the miss.
    pub code: Code,
    /// What was expected, or where an answer is known.
    pub expected: Option<String>,
}

/// A recording as a tape with one place.
#[derive(Clone, Debug)]
pub struct Tape {
    items: Vec<Item>,
    windows: Windows,
    /// First item behind the last effect.
    start: usize,
    /// Furthest item answered since.
    at: usize,
    /// Which item answered each question since the last effect.
    asked: HashMap<Key, usize>,
    last_effect: Option<Key>,
    closing: bool,
}

/// Commands that the HTTP layer answers by itself, the empty name for what is in no table: they never reach a
/// tape.
const NOT_ON_TAPE: [&str; 3] = ["status", "getSessions", ""];

impl Tape {
    /// A tape at its beginning.
    ///
    /// # Errors
    /// If an exchange names a command that is not in the wire's table.
    pub fn new(recording: &Recording) -> Result<Self, String> {
        let wire = &recording.wire;
        let first = first_windows(wire);
        let mut windows = Windows::new(first.clone());
        let mut items = Vec::new();
        let mut live = false;
        for exchange in wire {
            if NOT_ON_TAPE.contains(&exchange.cmd.as_str()) {
                continue;
            }
            let exchange = &expanded(recording, exchange);
            let request = Request::recorded(exchange)?;
            let answered = matches!(exchange.res, Answer::Ok(_));
            match request.command.name {
                "newSession" if answered => live = true,
                // The HTTP layer answers for a session that is gone.
                "deleteSession" if !live => continue,
                "deleteSession" => live = false,
                "closeWindow" if is_empty_list(&exchange.res) => live = false,
                _ => {}
            }
            let key = request.key(windows.now());
            windows.follow(&request, &exchange.res);
            items.push(Item {
                n: exchange.n,
                call: exchange.call,
                key,
                cost: exchange.cost,
                effect: is_effect(&request, &exchange.res),
                exit: exit_code(exchange),
                answer: exchange.res.clone(),
                request,
            });
        }
        Ok(Self {
            items,
            windows: Windows::new(first),
            start: 0,
            at: 0,
            asked: HashMap::new(),
            last_effect: None,
            closing: false,
        })
    }

    /// From now on the server is ending: it may end its session even if the recorded one did not.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Answers a request.
    ///
    /// # Errors
    /// If the recording does not have it here.
    pub fn ask(&mut self, request: &Request) -> Result<Given, NoAnswer> {
        let key = request.key(self.windows.now());
        let given = if request.class() == Class::Effect {
            self.effect(request, &key)
        } else {
            self.question(request, &key)
        }?;
        self.windows.follow(request, &given.answer);
        Ok(given)
    }

    /// Effects that the server never asked for, each with its place.
    pub fn left_over(&self) -> Vec<(Option<u64>, String)> {
        let left = self.items[self.start..].iter().filter(|item| item.effect);
        let is_end = |item: &Item| item.request.command.name == "deleteSession" && item.call.is_none();
        left.filter(|item| !is_end(item)).map(|item| (item.call, item.place())).collect()
    }

    /// Index of the effect that ends this stretch of questions, or the end of the tape.
    fn end(&self) -> usize {
        self.items[self.start..]
            .iter()
            .position(|item| item.effect)
            .map_or(self.items.len(), |n| self.start + n)
    }

    fn effect(&mut self, request: &Request, key: &Key) -> Result<Given, NoAnswer> {
        let end = self.end();
        // Refused ones come first: the effect that closes this stretch is the attempt that succeeded.
        let from = self.asked.get(key).map_or(self.at, |n| self.at.max(n + 1));
        if let Some(n) = (from..end).find(|n| self.items[*n].key == *key) {
            return Ok(self.answer(n));
        }
        if self.items.get(end).is_some_and(|item| item.key == *key) {
            let given = self.give(end);
            self.start = end + 1;
            self.at = self.start;
            self.asked.clear();
            self.last_effect = Some(key.clone());
            return Ok(given);
        }
        if let Some(n) = self.asked.get(key) {
            return Ok(self.give(*n));
        }
        if self.closing && request.command.name == "deleteSession" {
            return Ok(Given::null());
        }
        let later =
            self.items.get(end..).is_some_and(|rest| rest.iter().any(|item| item.effect && item.key == *key));
        let code = if later && self.last_effect.as_ref() != Some(key) { Code::R005 } else { Code::R004 };
        let expected = self.items.get(end).map_or_else(|| "no further side effect".to_owned(), Item::place);
        Err(NoAnswer { code, expected: Some(expected) })
    }

    fn question(&mut self, request: &Request, key: &Key) -> Result<Given, NoAnswer> {
        let (start, end) = (self.start, self.end());
        let is_it = |n: &usize| self.items[*n].key == *key;
        let chosen = match self.asked.get(key).copied() {
            None => (self.at..end).find(is_it).or_else(|| (start..self.at.min(end)).rev().find(is_it)),
            Some(before) => {
                // Later questions may have been answered from further on: then that is the present.
                let present = (before + 1..(self.at + 1).min(end)).rev().find(is_it);
                let next = (before + 1..end)
                    .find(|n| is_it(n) && self.items[*n].answer != self.items[before].answer);
                present.or(next).or(Some(before))
            }
        };
        match chosen {
            Some(n) => Ok(self.answer(n)),
            None => self.elsewhere(request, key),
        }
    }

    /// What holds although it was not asked here, or why there is no answer.
    fn elsewhere(&self, request: &Request, key: &Key) -> Result<Given, NoAnswer> {
        let here = self.windows.now();
        let value = |value: Value| Ok(Given { answer: Answer::Ok(value), ..Given::null() });
        let before = self.items[..self.start].iter().rev().find(|item| item.key == *key);
        match request.command.name {
            "setTimeouts" => return value(Value::Null),
            "switchToFrame" if request.members.get("id").is_none_or(Value::is_null) => {
                return value(Value::Null);
            }
            "switchToParentFrame" if !here.frames.is_empty() => return value(Value::Null),
            "switchToWindow" if self.items.iter().any(|item| item.answers_window(request.window())) => {
                return value(Value::Null);
            }
            "getWindowHandle" if !here.window.is_empty() => return value(here.window.clone().into()),
            "getWindowHandles" | "getTimeouts" | "switchToFrame" => {
                if let Some(item) = before {
                    return Ok(item.given());
                }
            }
            _ => {}
        }
        let anywhere = before.or_else(|| self.items[self.start..].iter().find(|item| item.key == *key));
        if let Some(item) = anywhere {
            return Err(NoAnswer { code: Code::R002, expected: Some(format!("it at {}", item.place())) });
        }
        let same = |item: &&Item| item.request.key(&Context::default()) == request.key(&Context::default());
        match self.items[self.start..self.end()].iter().find(same) {
            Some(item) => {
                Err(NoAnswer { code: Code::R003, expected: Some(format!("it at {}", item.place())) })
            }
            None if request.names_unknown() => Err(NoAnswer { code: Code::R007, expected: None }),
            None => Err(NoAnswer { code: Code::R001, expected: None }),
        }
    }

    fn answer(&mut self, n: usize) -> Given {
        self.at = self.at.max(n);
        self.asked.insert(self.items[n].key.clone(), n);
        self.give(n)
    }

    fn give(&self, n: usize) -> Given {
        self.items[n].given()
    }
}

impl Item {
    fn given(&self) -> Given {
        Given { answer: self.answer.clone(), cost: self.cost, exit: self.exit }
    }

    fn answers_window(&self, window: Option<&str>) -> bool {
        let Answer::Ok(Value::Array(handles)) = &self.answer else { return false };
        self.request.command.name == "getWindowHandles"
            && handles.iter().any(|handle| handle.as_str() == window && window.is_some())
    }
}

fn is_empty_list(answer: &Answer) -> bool {
    matches!(answer, Answer::Ok(Value::Array(list)) if list.is_empty())
}

/// The window in which each session starts, as far as the client asked for it.
fn first_windows(wire: &[Exchange]) -> Vec<String> {
    let mut windows = Vec::new();
    let mut open = false;
    for exchange in wire {
        match (exchange.cmd.as_str(), &exchange.res) {
            ("newSession", Answer::Ok(_)) => {
                windows.push(String::new());
                open = true;
            }
            ("switchToWindow" | "closeWindow", Answer::Ok(_)) => open = false,
            ("getWindowHandle", Answer::Ok(Value::String(window))) if open => {
                if let Some(last) = windows.last_mut() {
                    last.clone_from(window);
                }
                open = false;
            }
            _ => {}
        }
    }
    windows
}

/// The exit code if the driver's process ended instead of answering.
fn exit_code(exchange: &Exchange) -> Option<i32> {
    let process = exchange.process.as_ref()?;
    let broken = matches!(exchange.res, Answer::Transport(_));
    let ended = broken && matches!(process.event.as_str(), "exit" | "killed");
    ended.then(|| process.code.and_then(|code| i32::try_from(code).ok()).unwrap_or(1))
}

/// The exchange with its long texts in their places.
fn expanded(recording: &Recording, exchange: &Exchange) -> Exchange {
    let mut whole = exchange.clone();
    for value in whole.req.values_mut().chain(whole.params.values_mut()) {
        *value = recording.expand(value);
    }
    if let Answer::Ok(value) = &mut whole.res {
        *value = recording.expand(value);
    }
    whole
}
