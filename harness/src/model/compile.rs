//! From a recording to its model.
//!
//! Owns: walking the exchanges in order of arrival: an effect closes the epoch, equal answers to one key are one
//! fact, another answer opens a phase, a key that is equal in two phases holds in between; which effects
//! are optional or commute. Does not own: answering (`run`).

use super::{Context, Epoch, Exit, Fact, Intent, Key, Model, Phase, Request, Windows, is_effect, state};
use crate::recording::{Answer, Exchange, Recording};
use serde_json::Value;

/// Commands that the HTTP layer answers by itself, the empty name for what is in no table.
const NOT_ASKED: [&str; 3] = ["status", "getSessions", ""];

/// Effects on the window's place and size: no page is the other for them.
const OPTIONAL: [&str; 4] = ["setWindowRect", "maximizeWindow", "minimizeWindow", "fullscreenWindow"];

impl Model {
    /// Compiles a recording.
    ///
    /// # Errors
    /// If an exchange names a command that is not in the wire's table.
    pub fn compile(recording: &Recording) -> Result<Self, String> {
        let first_windows = first_windows(&recording.wire);
        let mut windows = Windows::new(first_windows.clone());
        let mut model = Self { epochs: vec![Epoch::new("start".into())], order: Vec::new(), first_windows };
        let mut began = 0;
        for (exchange, request) in &asked(recording)? {
            let request = request.clone();
            let key = request.key(windows.now());
            windows.follow(&request, &exchange.res);
            model.order.push((exchange.n, key.clone(), request.to_string()));
            let Some(epoch) = model.epochs.last_mut() else { continue };
            if is_effect(&request, &exchange.res) {
                let name = format!("after {request} (wire {})", exchange.n);
                epoch.exit = Some(exit(exchange, request, key));
                model.epochs.push(Epoch::new(name));
                began = exchange.t + exchange.cost;
            } else {
                epoch.saw(exchange, request, key, exchange.t.saturating_sub(began));
            }
        }
        model.epochs.iter_mut().for_each(Epoch::conclude);
        model.judge();
        Ok(model)
    }

    /// Which effects are checked against the state, and which commute.
    fn judge(&mut self) {
        for n in 0..self.epochs.len() {
            let commutes = self.commute(n);
            let epoch = &self.epochs[n];
            let allowed = epoch.exit.as_ref().is_none_or(|exit| {
                epoch.phases.last().is_none_or(|phase| state::forbids(phase, &exit.request).is_none())
            });
            if let Some(exit) = &mut self.epochs[n].exit {
                exit.checked = allowed;
                exit.commutes_with_next = commutes;
            }
        }
    }

    /// Filling in two different nodes, with nothing else seen to change meanwhile.
    fn commute(&self, n: usize) -> bool {
        let filled = |n: usize| self.epochs.get(n)?.exit.as_ref()?.intent.filled();
        let (Some(one), Some(other)) = (filled(n), filled(n + 1)) else { return false };
        if one == other {
            return false;
        }
        // How it was before them, all in between, and how it was first after them.
        let before = self.epochs[n].phases.iter().rev();
        let between = self.epochs[n + 1].phases.iter();
        let after = self.epochs.get(n + 2).and_then(|epoch| epoch.phases.first());
        let mut known: Vec<&Fact> = Vec::new();
        for fact in before.flat_map(|phase| &phase.facts) {
            if !known.iter().any(|later| later.key == fact.key) {
                known.push(fact);
            }
        }
        known.extend(between.chain(after).flat_map(|phase| &phase.facts));
        let mut seen: Vec<&Fact> = Vec::new();
        for fact in known {
            if fact.request.speaks_of(one)
                || fact.request.speaks_of(other)
                || mentions(&fact.answer, &[one, other])
            {
                continue;
            }
            match seen.iter().find(|earlier| earlier.key == fact.key) {
                Some(earlier) if earlier.answer != fact.answer => return false,
                Some(_) => {}
                None => seen.push(fact),
            }
        }
        true
    }
}

/// The exchanges that reach a far end behind the HTTP layer, long texts in their places.
fn asked(recording: &Recording) -> Result<Vec<(Exchange, Request)>, String> {
    let mut all = Vec::new();
    let mut live = false;
    for exchange in recording.wire.iter().filter(|line| !NOT_ASKED.contains(&line.cmd.as_str())) {
        let exchange = expanded(recording, exchange);
        let request = Request::recorded(&exchange)?;
        match request.command.name {
            "newSession" if matches!(exchange.res, Answer::Ok(_)) => live = true,
            // The HTTP layer answers for a session that is gone.
            "deleteSession" if !live => continue,
            "deleteSession" => live = false,
            "closeWindow" if is_empty_list(&exchange.res) => live = false,
            _ => {}
        }
        all.push((exchange, request));
    }
    Ok(all)
}

/// A request of the client that was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// What it asked.
    pub request: Request,
    /// The tool call it belongs to.
    pub call: Option<u64>,
    /// Whether it is matched strictly.
    pub effect: bool,
}

/// The requests of the recorded client in order, to make other clients of.
///
/// # Errors
/// If an exchange names a command that is not in the wire's table.
pub fn client(recording: &Recording) -> Result<Vec<Sent>, String> {
    let sent = asked(recording)?.into_iter().map(|(exchange, request)| Sent {
        effect: is_effect(&request, &exchange.res),
        call: exchange.call,
        request,
    });
    Ok(sent.collect())
}

fn mentions(answer: &Answer, nodes: &[&str]) -> bool {
    let Answer::Ok(value) = answer else { return false };
    fn any(value: &Value, nodes: &[&str]) -> bool {
        match value {
            Value::Array(items) => items.iter().any(|item| any(item, nodes)),
            Value::Object(members) => {
                members.get("el").and_then(Value::as_str).is_some_and(|symbol| nodes.contains(&symbol))
                    || members.values().any(|value| any(value, nodes))
            }
            _ => false,
        }
    }
    any(value, nodes)
}

impl Epoch {
    fn new(name: String) -> Self {
        Self { name, phases: vec![Phase::default()], exit: None }
    }

    /// Takes in a question with its answer.
    fn saw(&mut self, exchange: &Exchange, request: Request, key: Key, from: u64) {
        let Some(phase) = self.phases.last_mut() else { return };
        let exit = exit_code(exchange);
        match phase.facts.iter_mut().find(|fact| fact.key == key) {
            Some(fact) if fact.answer == exchange.res && fact.exit == exit => {
                fact.count += 1;
                fact.cost = fact.cost.max(exchange.cost);
                fact.lines.push(exchange.n);
                return;
            }
            Some(_) => self.phases.push(Phase { from, ..Phase::default() }),
            None => {}
        }
        let Some(phase) = self.phases.last_mut() else { return };
        if matches!(&exchange.res, Answer::Err(error) if error.code == "unexpected alert open") {
            phase.alert = Some(exchange.res.clone());
        }
        phase.facts.push(Fact {
            request,
            key,
            answer: exchange.res.clone(),
            cost: exchange.cost,
            count: 1,
            lines: vec![exchange.n],
            first_call: exchange.call,
            exit,
        });
    }

    /// A key that is equal in two phases holds in between.
    fn conclude(&mut self) {
        let keys: Vec<Key> =
            self.phases.iter().flat_map(|phase| &phase.facts).map(|fact| fact.key.clone()).collect();
        for key in keys {
            let mut last: Option<(usize, Fact)> = None;
            for n in 0..self.phases.len() {
                let Some(fact) = self.phases[n].fact(&key).cloned() else { continue };
                if let Some((before, earlier)) = last
                    && earlier.answer == fact.answer
                    && !matches!(fact.answer, Answer::Transport(_))
                {
                    for phase in &mut self.phases[before + 1..n] {
                        phase.facts.push(Fact { count: 0, lines: Vec::new(), ..earlier.clone() });
                    }
                }
                last = Some((n, fact));
            }
        }
    }
}

fn exit(exchange: &Exchange, request: Request, key: Key) -> Exit {
    Exit {
        intent: Intent::of(&request),
        optional: OPTIONAL.contains(&request.command.name),
        request,
        key,
        answer: exchange.res.clone(),
        cost: exchange.cost,
        exit: exit_code(exchange),
        checked: true,
        commutes_with_next: false,
        line: exchange.n,
        call: exchange.call,
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
                windows.push(Context::default().window);
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
