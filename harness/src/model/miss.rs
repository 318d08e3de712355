//! Why a request has no answer, and where the client left the recorded way (`replay.md` section 8).
//!
//! Owns: the codes with their meaning and remedy, following the recorded order. Does not own: finding answers
//! (`run`), the whole text of a failure (`replay`).

use super::{Key, Model};
use serde::Serialize;

/// Code of a miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // each meaning stands in `meaning`
pub enum Code {
    R001,
    R002,
    R003,
    R004,
    R005,
    R006,
    R007,
    R009,
    R010,
}

impl Code {
    /// What the code means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::R001 => "a question this recording cannot answer",
            Self::R002 => "right question, wrong time",
            Self::R003 => "right question, wrong window or frame",
            Self::R004 => "a side effect the recording does not contain",
            Self::R005 => "side effect out of order",
            Self::R006 => "recorded side effect never happened",
            Self::R007 => "an id nobody handed out",
            Self::R009 => "waits for something that never happens",
            Self::R010 => "session capabilities incompatible",
        }
    }

    /// What helps.
    pub fn help(self) -> &'static str {
        match self {
            Self::R001 | Self::R002 | Self::R003 => {
                "the server asks something new here: see why; if it is meant, record the flow again"
            }
            Self::R004 | Self::R005 | Self::R006 => {
                "the server acts differently: find the change in the server; if it is meant, record the flow again"
            }
            Self::R007 => "the server made up an id, or keeps one of another session",
            Self::R009 => "the server polls for a state that the recording never reaches",
            Self::R010 => "the server asks for another kind of session: record the flow again",
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// Kind of the miss.
    pub code: Code,
    /// What was expected instead.
    pub expected: Option<String>,
    /// Epoch by name, and phase.
    pub state: String,
    /// Where the client first did something else than the recorded one.
    pub diverged: Option<String>,
    /// Up to three that are near, each with the reason why it is not the answer.
    pub candidates: Vec<String>,
}

/// The recorded order, followed as long as a client keeps to it; polls do not count.
#[derive(Clone, Debug)]
pub(super) struct Way {
    order: Vec<(u64, Key, String)>,
    next: usize,
    requests: u64,
    left: Option<(u64, Option<u64>, String)>,
}

/// How far ahead a request is looked for when others were left out.
const AHEAD: usize = 30;

impl Way {
    pub(super) fn new(model: &Model) -> Self {
        Self { order: model.order.clone(), next: 0, requests: 0, left: None }
    }

    pub(super) fn follow(&mut self, key: &Key, call: Option<u64>) {
        self.requests += 1;
        if self.left.is_some() {
            return;
        }
        let ahead = &self.order[self.next..];
        match ahead.iter().take(AHEAD).position(|(_, expected, _)| expected == key) {
            Some(0) => self.next += 1,
            Some(skipped) => {
                let seen = &self.order[..self.next];
                // What is left out may be only another round of a poll.
                let missing =
                    ahead[..skipped].iter().find(|(_, key, _)| !seen.iter().any(|(_, old, _)| old == key));
                if let Some((line, _, text)) = missing {
                    let text = format!("the recording asked {text} (wire {line}), the server did not");
                    self.left = Some((self.requests, call, text));
                }
                self.next += skipped + 1;
            }
            None if self.order[..self.next].iter().any(|(_, old, _)| old == key) => {}
            None => {
                self.left = Some((self.requests, call, "the server asked what the recording did not".into()));
            }
        }
    }

    /// Where the way was left, if it was before the last request.
    pub(super) fn diverged(&self) -> Option<String> {
        let (request, call, text) = self.left.as_ref()?;
        let ago = self.requests - request;
        if ago == 0 {
            return None;
        }
        let call = call.map(|call| format!("call {call}, ")).unwrap_or_default();
        let requests = if ago == 1 { "request" } else { "requests" };
        Some(format!("{call}{ago} {requests} earlier: {text}"))
    }
}
