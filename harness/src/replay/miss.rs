//! What a flow missed in its recording, as text (`replay.md` section 8).
//!
//! Owns: the block a person reads and the line the server gets. Does not own: finding out (`model`).

use crate::model::Code;
use serde::Serialize;
use std::fmt;

/// A request that the recording does not answer, or an effect that never came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// What kind of miss.
    pub code: Code,
    /// Tool call during which it happened, from 1; none before the first and after the last.
    pub call: Option<u64>,
    /// Tool of that call.
    pub tool: Option<String>,
    /// What was asked, if anything.
    pub got: Option<String>,
    /// What the recording expects next, with its line.
    pub expected: Option<String>,
    /// Epoch by name, and phase.
    pub state: Option<String>,
    /// Where the server first did something else than when it was recorded.
    pub diverged: Option<String>,
    /// What is near, each with the reason why it is not the answer.
    pub candidates: Vec<String>,
}

impl Miss {
    /// One line for the answer on the wire: the server's own error path carries it.
    pub fn line(&self) -> String {
        let mut line = format!("{:?} {}", self.code, self.code.meaning());
        if let Some(got) = &self.got {
            line += &format!(": {got}");
        }
        if let Some(expected) = &self.expected {
            line += &format!("; expected {expected}");
        }
        line
    }
}

/// The block of `replay.md` section 8, without the flow's name.
impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.code, self.code.meaning())?;
        if let Some(call) = self.call {
            write!(f, ", call {call}")?;
        }
        if let Some(tool) = &self.tool {
            write!(f, " {tool}")?;
        }
        if let Some(got) = &self.got {
            write!(f, "\n  got        {got}")?;
        }
        let rows = [("expected", &self.expected), ("state", &self.state), ("diverged", &self.diverged)];
        for (name, text) in rows {
            if let Some(text) = text {
                write!(f, "\n  {name:<10} {text}")?;
            }
        }
        for candidate in &self.candidates {
            write!(f, "\n  not        {candidate}")?;
        }
        write!(f, "\n  help       {}", self.code.help())
    }
}
