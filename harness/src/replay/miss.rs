//! Why a request could not be answered from a recording (`replay.md` section 8).
//!
//! Owns: the codes and the text for a person. Does not own: finding out (`tape`).

use serde::Serialize;
use std::fmt;

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
            Self::R010 => "session capabilities incompatible",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::R001 | Self::R002 | Self::R003 => {
                "the server asks something new here: record the flow again, or see what it asked for"
            }
            Self::R004 | Self::R005 | Self::R006 => {
                "the server acts differently: find the change in the server; if it is meant, record the flow again"
            }
            Self::R007 => "the server made up an id, or keeps one of another session",
            Self::R010 => "the server asks for another kind of session: record the flow again",
        }
    }
}

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
    /// What the recording expects next, with its line, or where it knows an answer.
    pub expected: Option<String>,
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
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected   {expected}")?;
        }
        write!(f, "\n  help       {}", self.code.help())
    }
}
