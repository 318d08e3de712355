//! A compiled recording: epochs, their phases, the facts in them.
//!
//! Owns: these types and looking facts up. Does not own: how they come from a recording (`compile`), where a
//! client stands (`run`).

use super::{Intent, Key, Request};
use crate::recording::Answer;

/// A recording, compiled at load and never stored.
#[derive(Clone, Debug)]
pub struct Model {
    /// In order; the last one has no exit.
    pub epochs: Vec<Epoch>,
    /// Every line in order of arrival, for telling where a client left the recorded way.
    pub(super) order: Vec<(u64, Key, String)>,
    /// The window in which each session starts, as far as it is known.
    pub(super) first_windows: Vec<String>,
}

/// The time between two effects.
#[derive(Clone, Debug)]
pub struct Epoch {
    /// What a person calls it: the effect that began it.
    pub name: String,
    /// At least one.
    pub phases: Vec<Phase>,
    /// The effect that ends it; none in the last.
    pub exit: Option<Exit>,
}

/// A stretch of an epoch in which no observed answer changed.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// When it began, ms after its epoch.
    pub from: u64,
    /// What is known to hold in it.
    pub facts: Vec<Fact>,
    /// The error that most commands give while a dialog is open.
    pub alert: Option<Answer>,
}

/// An answer known to hold in a phase.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// To what.
    pub request: Request,
    /// The same, to be compared.
    pub key: Key,
    /// What was answered.
    pub answer: Answer,
    /// How long the answer took, ms; the longest of several.
    pub cost: u64,
    /// How often it was seen; 0 if it was concluded.
    pub count: u64,
    /// The lines in which it was seen.
    pub lines: Vec<u64>,
    /// The tool call in which it was first seen.
    pub first_call: Option<u64>,
    /// The exit code, if the driver ended instead of answering.
    pub exit: Option<i32>,
}

/// The effect that ends an epoch.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The request.
    pub request: Request,
    /// The same, to be compared.
    pub key: Key,
    /// What it means to do.
    pub intent: Intent,
    /// What was answered.
    pub answer: Answer,
    /// How long the answer took, ms.
    pub cost: u64,
    /// The exit code, if the driver ended instead of answering.
    pub exit: Option<i32>,
    /// It may be left out.
    pub optional: bool,
    /// What the last phase knows does not forbid it: where the browser allowed what it should not have, nothing can
    /// be said.
    pub checked: bool,
    /// It and the next one may change places.
    pub commutes_with_next: bool,
    /// Its line.
    pub line: u64,
    /// The tool call it belongs to.
    pub call: Option<u64>,
}

impl Exit {
    /// The request with its line, for a person.
    pub fn place(&self) -> String {
        let call = self.call.map(|call| format!(", call {call}")).unwrap_or_default();
        format!("{} (wire {}{call})", self.request, self.line)
    }
}

impl Phase {
    /// The fact with this key.
    pub fn fact(&self, key: &Key) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.key == *key)
    }
}

impl Epoch {
    /// The nearest fact with this key before a phase.
    pub(super) fn before(&self, phase: usize, key: &Key) -> Option<&Fact> {
        self.phases[..phase].iter().rev().find_map(|phase| phase.fact(key))
    }

    /// The last fact with this key.
    pub(super) fn last(&self, key: &Key) -> Option<&Fact> {
        self.before(self.phases.len(), key)
    }

    /// The next phase behind this one that has another answer.
    pub(super) fn next_other(&self, phase: usize, key: &Key, answer: Option<&Answer>) -> Option<usize> {
        (phase + 1..self.phases.len())
            .find(|n| self.phases[*n].fact(key).is_some_and(|fact| Some(&fact.answer) != answer))
    }
}

impl Fact {
    /// The question with its line, for a person.
    pub fn place(&self) -> String {
        match self.lines.first() {
            Some(line) => format!("{} (wire {line})", self.request),
            None => self.request.to_string(),
        }
    }
}

/// What the model knows, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Epochs.
    pub epochs: usize,
    /// Phases in all.
    pub phases: usize,
    /// Effects that must happen in their place.
    pub required: usize,
    /// Effects that may be left out.
    pub optional: usize,
    /// Pairs of effects that may change places.
    pub commuting: usize,
}

impl Model {
    /// Counts what it knows.
    pub fn figures(&self) -> Figures {
        let exits = || self.epochs.iter().filter_map(|epoch| epoch.exit.as_ref());
        Figures {
            epochs: self.epochs.len(),
            phases: self.epochs.iter().map(|epoch| epoch.phases.len()).sum(),
            required: exits().filter(|exit| !exit.optional).count(),
            optional: exits().filter(|exit| exit.optional).count(),
            commuting: exits().filter(|exit| exit.commutes_with_next).count(),
        }
    }
}
