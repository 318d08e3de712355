//! Where a client stands in a model, and what its requests are answered with.
//!
//! Owns: answering questions from facts, first that fits; the moves between phases (polling moves the world) and
//! epochs (effects do); the tiers counted. Does not own: ids, time, transport: `now` is told by the caller.

use super::{
    Code, Context, Fact, Intent, Key, Model, NoAnswer, Request, Schedule, Tier, Tiers, Windows, miss::Way,
    state,
};
use crate::recording::Answer;
use fake_iedriver::wire::Class;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// More repeats of one question without change wait for something that never happens.
const HORIZON: u64 = 200;

/// What a request is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The answer, with symbols.
    pub answer: Answer,
    /// How long it took when it was recorded, in ms.
    pub cost: u64,
    /// The exit code, if the driver ended instead of answering.
    pub exit: Option<i32>,
    /// Where the answer is from.
    pub tier: Tier,
}

impl Given {
    fn of(fact: &Fact, tier: Tier) -> Self {
        Self { answer: fact.answer.clone(), cost: fact.cost, exit: fact.exit, tier }
    }

    fn state(answer: Answer) -> Self {
        Self { answer, cost: 0, exit: None, tier: Tier::State }
    }

    fn value(value: Value) -> Self {
        Self::state(Answer::Ok(value))
    }
}

/// A client's way through a model.
#[derive(Clone, Debug)]
pub struct Run {
    model: Model,
    schedule: Schedule,
    windows: Windows,
    epoch: usize,
    phase: usize,
    /// When this epoch was entered.
    entered: u64,
    /// Tool call that is running.
    call: Option<u64>,
    /// Questions asked in this phase.
    asked: HashSet<Key>,
    /// How often each question was asked in this phase beyond the first.
    repeats: HashMap<Key, u64>,
    /// Refused effects, and how often each was refused in this epoch.
    refused: HashMap<Key, u64>,
    /// Questions that had their old answer once more (schedule `cold`).
    shown_old: HashSet<Key>,
    /// What of the expected text is still to be typed.
    rest: Option<String>,
    /// Effects that changed places and are done already, by epoch.
    ahead: HashSet<usize>,
    tiers: Tiers,
    way: Way,
    closing: bool,
}

impl Run {
    /// At the beginning.
    pub fn new(model: Model, schedule: Schedule) -> Self {
        let windows = Windows::new(model.first_windows.clone());
        let way = Way::new(&model);
        let mut run = Self {
            model,
            schedule,
            windows,
            epoch: 0,
            phase: 0,
            entered: 0,
            call: None,
            asked: HashSet::new(),
            repeats: HashMap::new(),
            refused: HashMap::new(),
            shown_old: HashSet::new(),
            rest: None,
            ahead: HashSet::new(),
            tiers: Tiers::default(),
            way,
            closing: false,
        };
        run.enter(0, 0);
        run
    }

    /// The model it runs through.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How many answers came from which tier.
    pub fn tiers(&self) -> Tiers {
        self.tiers
    }

    /// Tells which tool call runs from now on.
    pub fn begin_call(&mut self, call: u64) {
        self.call = Some(call);
    }

    /// From now on the client is ending: it may end its session even if the recorded one did not.
    pub fn close(&mut self) {
        self.call = None;
        self.closing = true;
    }

    /// Answers a request that comes at `now`, in ms on the client's clock.
    ///
    /// # Errors
    /// If the recording does not have it here.
    pub fn ask(&mut self, request: &Request, now: u64) -> Result<Given, NoAnswer> {
        let key = request.key(self.windows.now());
        self.way.follow(&key, self.call);
        if let Schedule::Recorded = self.schedule {
            self.follow_clock(now);
        }
        let given = if request.class() == Class::Effect {
            self.effect(request, &key, now)
        } else {
            self.question(request, &key)
        }?;
        self.tiers.count(given.tier);
        self.windows.follow(request, &given.answer);
        Ok(given)
    }

    /// Effects that the client never asked for, each with its tool call and place.
    pub fn left_over(&self) -> Vec<(Option<u64>, String)> {
        let left =
            self.model.epochs.iter().enumerate().skip(self.epoch).filter(|(n, _)| !self.ahead.contains(n));
        left.filter_map(|(_, epoch)| epoch.exit.as_ref())
            .filter(|exit| !(exit.optional || exit.intent == Intent::End && exit.call.is_none()))
            .map(|exit| (exit.call, exit.place()))
            .collect()
    }

    fn enter(&mut self, epoch: usize, now: u64) {
        self.epoch = epoch;
        while self.ahead.contains(&self.epoch) {
            self.epoch += 1;
        }
        self.entered = now;
        self.rest = None;
        self.refused.clear();
        self.shown_old.clear();
        let last = self.model.epochs[self.epoch].phases.len() - 1;
        self.go_to(if self.schedule == Schedule::Eager { last } else { 0 });
    }

    fn go_to(&mut self, phase: usize) {
        self.phase = phase;
        self.asked.clear();
        self.repeats.clear();
    }

    fn follow_clock(&mut self, now: u64) {
        let passed = now.saturating_sub(self.entered);
        let phases = &self.model.epochs[self.epoch].phases;
        let phase = phases.iter().rposition(|phase| phase.from <= passed).unwrap_or(0);
        if phase > self.phase {
            self.go_to(phase);
        }
    }

    /// Polling moves the world here.
    fn moves(&self) -> bool {
        match self.schedule {
            Schedule::Demand | Schedule::Cold | Schedule::Eager => true,
            Schedule::Recorded => false,
            Schedule::Stall(epoch) => epoch != self.epoch,
        }
    }

    /// A later phase is out of reach while the recording saw its change in a later tool call only.
    fn in_reach(&self, phase: usize, key: &Key) -> bool {
        let seen = self.model.epochs[self.epoch].phases[phase].fact(key).and_then(|fact| fact.first_call);
        match (seen, self.call) {
            (Some(seen), Some(now)) => seen <= now,
            _ => true,
        }
    }

    fn question(&mut self, request: &Request, key: &Key) -> Result<Given, NoAnswer> {
        if let Some(old) = self.old_answer(key) {
            return Ok(old);
        }
        let again = self.asked.contains(key);
        let epoch = &self.model.epochs[self.epoch];
        let here = epoch.phases[self.phase].fact(key);
        let known = here.or_else(|| epoch.before(self.phase, key));
        let mut next = None;
        if self.moves() && (again || known.is_none()) {
            next = epoch
                .next_other(self.phase, key, known.map(|fact| &fact.answer))
                .filter(|phase| self.in_reach(*phase, key));
        }
        let given = match (next, here, known) {
            (Some(phase), ..) => epoch.phases[phase].fact(key).map(|fact| Given::of(fact, Tier::Recorded)),
            (None, Some(fact), _) => Some(Given::of(fact, Tier::Recorded)),
            (None, None, Some(fact)) => Some(Given::of(fact, Tier::Carried)),
            (None, None, None) => None,
        };
        if let Some(given) = given {
            if let Some(phase) = next {
                self.go_to(phase);
            }
            return self.noted(request, key, again && next.is_none(), given);
        }
        let given = self.below_facts(request, key)?;
        self.noted(request, key, again, given)
    }

    fn noted(
        &mut self,
        request: &Request,
        key: &Key,
        repeated: bool,
        given: Given,
    ) -> Result<Given, NoAnswer> {
        self.asked.insert(key.clone());
        // A stalled wait shall run into its own limit.
        let stalls = matches!(self.schedule, Schedule::Stall(_));
        if repeated && !stalls && request.class() == Class::Question {
            let count = self.repeats.entry(key.clone()).or_default();
            *count += 1;
            let recorded =
                self.model.epochs[self.epoch].phases[self.phase].fact(key).map_or(0, |fact| fact.count);
            if *count > HORIZON.max(2 * recorded) {
                return Err(self.no_answer(Code::R009, None, Vec::new()));
            }
        }
        Ok(given)
    }

    /// Schedule `cold`: the last answer before the effect, once more.
    fn old_answer(&mut self, key: &Key) -> Option<Given> {
        if self.schedule != Schedule::Cold || self.epoch == 0 || self.shown_old.contains(key) {
            return None;
        }
        self.shown_old.insert(key.clone());
        let old = self.model.epochs[self.epoch - 1].last(key)?;
        let now = self.model.epochs[self.epoch].phases.iter().find_map(|phase| phase.fact(key))?;
        (old.answer != now.answer && matches!(old.answer, Answer::Ok(_)))
            .then(|| Given::of(old, Tier::Recorded))
    }

    /// Tiers below this epoch's own facts.
    fn below_facts(&self, request: &Request, key: &Key) -> Result<Given, NoAnswer> {
        let epoch = &self.model.epochs[self.epoch];
        let order = (0..=self.phase).rev().chain(self.phase + 1..epoch.phases.len());
        let phases = || order.clone().map(|n| &epoch.phases[n]);
        // Known only from later: this is how it will be.
        if let Some(fact) = phases().find_map(|phase| phase.fact(key)) {
            return Ok(Given::of(fact, Tier::Carried));
        }
        let here = self.windows.now();
        let alike = |fact: &&Fact| fact.request.equivalent(request, &fact.key, key);
        if let Some(fact) = phases().find_map(|phase| phase.facts.iter().find(alike)) {
            return Ok(Given::of(fact, Tier::Equivalent));
        }
        if let Some(answer) = self.model.state_error(self.epoch, self.phase, request, here) {
            return Ok(Given::state(answer));
        }
        if let Some(given) = self.cursor(request, here).or_else(|| self.carried(request, key)) {
            return Ok(given);
        }
        Err(self.unknown(request, key))
    }

    /// Cursor commands are answered by what exists.
    fn cursor(&self, request: &Request, here: &Context) -> Option<Given> {
        match request.command.name {
            "setTimeouts" => Some(Given::value(Value::Null)),
            "switchToFrame" if request.members.get("id").is_none_or(Value::is_null) => {
                Some(Given::value(Value::Null))
            }
            "switchToParentFrame" => Some(Given::value(Value::Null)),
            "switchToWindow" => {
                let window = request.window()?;
                self.model.knows_window(window).then(|| Given::value(Value::Null))
            }
            "getWindowHandle" if !here.window.is_empty() => Some(Given::value(here.window.clone().into())),
            _ => None,
        }
    }

    /// From other epochs: what effects do not change, and what is equal before and after.
    fn carried(&self, request: &Request, key: &Key) -> Option<Given> {
        let before = self.model.epochs[..self.epoch].iter().rev().find_map(|epoch| epoch.last(key));
        let after = self.model.epochs[self.epoch + 1..]
            .iter()
            .find_map(|epoch| epoch.phases.iter().find_map(|phase| phase.fact(key)));
        let lasting = matches!(
            request.command.name,
            "getWindowHandles"
                | "getAllCookies"
                | "getTimeouts"
                | "getWindowRect"
                | "getSessionCapabilities"
                | "switchToFrame"
        );
        match (before, after) {
            (Some(before), Some(after)) if before.answer == after.answer => {
                Some(Given::of(before, Tier::Carried))
            }
            (Some(before), _) if lasting || self.untouched(key, before) => {
                Some(Given::of(before, Tier::Carried))
            }
            _ => None,
        }
    }

    /// True if every effect since the fact was in another window.
    fn untouched(&self, key: &Key, fact: &Fact) -> bool {
        let window = &key.context().window;
        let line = fact.lines.last().copied().unwrap_or(0);
        let since = self.model.epochs[..self.epoch].iter().filter_map(|epoch| epoch.exit.as_ref());
        !window.is_empty()
            && since.filter(|exit| exit.line > line).all(|exit| {
                let other = &exit.key.context().window;
                !other.is_empty() && other != window
            })
    }

    fn effect(&mut self, request: &Request, key: &Key, now: u64) -> Result<Given, NoAnswer> {
        if let Some(given) = self.refusal(key) {
            return Ok(given);
        }
        let wanted = Intent::of(request);
        let Some(found) = self.expected(key, &wanted) else {
            // It failed when it was recorded, and would again.
            let epoch = &self.model.epochs[self.epoch];
            if let Some(fact) = epoch.last(key) {
                return Ok(Given::of(fact, Tier::Recorded));
            }
            if self.closing && wanted == Intent::End {
                return Ok(Given::value(Value::Null));
            }
            if let Some(answer) = self.model.state_error(self.epoch, self.phase, request, self.windows.now())
            {
                return Ok(Given::state(answer));
            }
            return Err(self.unexpected(&wanted, key));
        };
        let Some(exit) = self.model.epochs[found].exit.clone() else {
            return Err(self.unexpected(&wanted, key));
        };
        let phase = &self.model.epochs[self.epoch].phases[self.phase];
        if exit.checked
            && found == self.epoch
            && let Some(answer) = state::forbids(phase, request)
        {
            return Ok(Given::state(answer));
        }
        if exit.intent == Intent::Begin
            && let Some(expected) = exit.request.incompatible(request)
        {
            return Err(self.no_answer(Code::R010, Some(expected), Vec::new()));
        }
        let given = Given {
            answer: exit.answer.clone(),
            cost: exit.cost,
            exit: exit.exit,
            tier: if exit.key == *key { Tier::Recorded } else { Tier::Equivalent },
        };
        if found == self.epoch && self.types_a_piece(&exit.intent, &wanted, now) {
            return Ok(given);
        }
        if found == self.epoch {
            self.enter(found + 1, now);
        } else {
            self.ahead.insert(found);
        }
        Ok(given)
    }

    /// A recorded refusal of this effect that was not given yet.
    fn refusal(&mut self, key: &Key) -> Option<Given> {
        let epoch = &self.model.epochs[self.epoch];
        let facts = || epoch.phases.iter().filter_map(|phase| phase.fact(key));
        let recorded: u64 = facts().map(|fact| fact.count).sum();
        let given = self.refused.entry(key.clone()).or_default();
        if *given >= recorded {
            return None;
        }
        *given += 1;
        let mut passed = *given;
        let fact = facts().find(|fact| {
            let here = passed <= fact.count;
            passed = passed.saturating_sub(fact.count);
            here
        })?;
        Some(Given::of(fact, Tier::Recorded))
    }

    /// The epoch whose exit this effect is: this one's, one behind optional effects, or one that may come first.
    fn expected(&self, key: &Key, wanted: &Intent) -> Option<usize> {
        let mut n = self.epoch;
        let mut passed: Vec<&str> = Vec::new();
        loop {
            let exit = self.model.epochs.get(n)?.exit.as_ref()?;
            let fits = exit.key == *key || exit.intent == *wanted || self.continues(n, &exit.intent, wanted);
            let other_nodes = exit.intent.filled().is_none_or(|node| !passed.contains(&node));
            if fits && !self.ahead.contains(&n) && (passed.is_empty() || other_nodes) {
                return Some(n);
            }
            if exit.commutes_with_next {
                passed.extend(exit.intent.filled());
            } else if !exit.optional {
                return None;
            }
            n += 1;
        }
    }

    /// A text typed in pieces is the text typed at once, either way round.
    fn continues(&self, epoch: usize, expected: &Intent, wanted: &Intent) -> bool {
        let (Intent::Enter(node, whole), Intent::Enter(other, piece)) = (expected, wanted) else {
            return false;
        };
        if node != other || piece.is_empty() || epoch != self.epoch {
            return false;
        }
        let rest = self.rest.as_ref().unwrap_or(whole);
        if rest.starts_with(piece.as_str()) {
            return true;
        }
        let Some(more) = piece.strip_prefix(rest.as_str()) else { return false };
        self.pieces_until(epoch + 1, node, more).is_some()
    }

    /// The epoch of the last of several recorded pieces that together are this text.
    fn pieces_until(&self, epoch: usize, node: &str, text: &str) -> Option<usize> {
        match &self.model.epochs.get(epoch)?.exit.as_ref()?.intent {
            Intent::Enter(other, piece) if other == node && !piece.is_empty() => {
                match text.strip_prefix(piece.as_str())? {
                    "" => Some(epoch),
                    more => self.pieces_until(epoch + 1, node, more),
                }
            }
            _ => None,
        }
    }

    /// Handles a piece of a text; false if it was the whole one.
    fn types_a_piece(&mut self, expected: &Intent, wanted: &Intent, now: u64) -> bool {
        let (Intent::Enter(node, whole), Intent::Enter(_, piece)) = (expected, wanted) else { return false };
        let rest = self.rest.clone().unwrap_or_else(|| whole.clone());
        if let Some(more) = rest.strip_prefix(piece.as_str()) {
            if more.is_empty() {
                return false;
            }
            self.rest = Some(more.to_owned());
            return true;
        }
        let last =
            piece.strip_prefix(rest.as_str()).and_then(|more| self.pieces_until(self.epoch + 1, node, more));
        if let Some(last) = last {
            self.enter(last + 1, now);
        }
        last.is_some()
    }

    fn unexpected(&self, wanted: &Intent, key: &Key) -> NoAnswer {
        let exits =
            |range: &[super::Epoch]| range.iter().filter_map(|epoch| epoch.exit.clone()).collect::<Vec<_>>();
        let ahead = exits(&self.model.epochs[self.epoch..]);
        let behind = exits(&self.model.epochs[..self.epoch]);
        let is_it = |exit: &super::Exit| exit.key == *key || exit.intent == *wanted;
        let just_done = behind.last().is_some_and(is_it);
        let later = ahead.iter().find(|exit| is_it(exit));
        let mut candidates = Vec::new();
        if just_done && let Some(exit) = behind.last() {
            candidates.push(format!("{}: done already", exit.place()));
        } else if let Some(exit) = behind.iter().rev().find(|exit| is_it(exit)) {
            candidates.push(format!("{}: done earlier", exit.place()));
        }
        if let Some(exit) = later {
            candidates.push(format!("{}: expected later", exit.place()));
        }
        let same_command = |exit: &&super::Exit| Some(exit.request.command) == key.command() && !is_it(exit);
        if let Some(exit) = ahead.iter().find(same_command) {
            candidates.push(format!("{}: of something else", exit.place()));
        }
        let code = if later.is_some() && !just_done { Code::R005 } else { Code::R004 };
        let expected = ahead.first().map_or_else(|| "no further side effect".to_owned(), super::Exit::place);
        self.no_answer(code, Some(expected), candidates)
    }

    fn unknown(&self, request: &Request, key: &Key) -> NoAnswer {
        let mut candidates = Vec::new();
        let mut code = if request.names_unknown() { Code::R007 } else { Code::R001 };
        let all = self.model.epochs.iter().enumerate();
        for (n, epoch) in all {
            for fact in epoch.phases.iter().flat_map(|phase| &phase.facts).filter(|fact| fact.count > 0) {
                if fact.key == *key {
                    code = Code::R002;
                    candidates.push(format!("{}: known in epoch {n} \"{}\"", fact.place(), epoch.name));
                } else if n == self.epoch && fact.key.asks_the_same(key) {
                    code = if code == Code::R001 { Code::R003 } else { code };
                    candidates.push(format!("{}: in another window or frame", fact.place()));
                } else if n == self.epoch
                    && fact.request.command == request.command
                    && fact.key.context() == key.context()
                {
                    candidates.push(format!("{}: asks for something else", fact.place()));
                }
            }
        }
        candidates.dedup();
        candidates.truncate(3);
        self.no_answer(code, None, candidates)
    }

    fn no_answer(&self, code: Code, expected: Option<String>, candidates: Vec<String>) -> NoAnswer {
        let epoch = &self.model.epochs[self.epoch];
        NoAnswer {
            code,
            expected,
            state: format!(
                "epoch {} \"{}\", phase {} of {}",
                self.epoch,
                epoch.name,
                self.phase + 1,
                epoch.phases.len()
            ),
            diverged: self.way.diverged(),
            candidates,
        }
    }
}

impl Model {
    /// True if the window is ever listed.
    fn knows_window(&self, window: &str) -> bool {
        self.epochs.iter().flat_map(|epoch| &epoch.phases).flat_map(|phase| &phase.facts).any(|fact| {
            match &fact.answer {
                Answer::Ok(Value::Array(handles)) if fact.request.command.name == "getWindowHandles" => {
                    handles.iter().any(|handle| handle.as_str() == Some(window))
                }
                Answer::Ok(Value::String(handle)) => {
                    fact.request.command.name == "getWindowHandle" && handle == window
                }
                _ => false,
            }
        })
    }
}
