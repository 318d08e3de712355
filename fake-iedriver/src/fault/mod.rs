//! Scripted failures.
//!
//! Owns: which command fails how and how often; read from TOML, from a switch or given by a test. The
//! wire asks before and after each command and does what is said. Does not own: failing itself
//! (`wire`).
//!
//! ```toml
//! [[fault]]
//! command = "elementClick"   # name of the table, or "*"
//! action = "reset-after"     # the driver acts, the answer is lost
//! nth = 2                    # from the second click on (default 1)
//! times = 1                  # once (default 1; 0 is for ever)
//! ```

use serde::Deserialize;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// What goes wrong. Times are milliseconds on tokio's clock.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Action {
    /// The command runs this much later.
    Delay {
        /// How long.
        ms: u64,
    },
    /// The command does not run and nothing is ever answered; later commands of the session queue.
    Hang,
    /// The command runs, nothing is ever answered.
    HangAfter,
    /// The connection is reset, the command does not run.
    ResetBefore,
    /// The command runs, then the connection is reset: the answer is lost.
    ResetAfter,
    /// The command runs, the answer is cut in the middle of its body.
    ClosedEarly,
    /// The command does not run and this is answered.
    Odd {
        /// HTTP status.
        #[serde(default = "ok")]
        status: u16,
        /// Body as it goes out.
        #[serde(default)]
        body: String,
    },
    /// The process ends without running the command.
    Exit {
        /// Exit code.
        #[serde(default = "one")]
        code: i32,
    },
    /// The process ends after the command ran.
    ExitAfter {
        /// Exit code.
        #[serde(default = "one")]
        code: i32,
    },
    /// The command does not run, but this value is answered: a click without effect, a black picture,
    /// handles in which a new window is still missing.
    Answer {
        /// The value.
        #[serde(default)]
        value: Value,
    },
}

fn ok() -> u16 {
    200
}

fn one() -> i32 {
    1
}

/// One failure and when it happens.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Fault {
    /// Name of the command in the table, or `*`.
    #[serde(default = "any")]
    pub command: String,
    /// First occurrence of the command that fails, from 1.
    #[serde(default = "first")]
    pub nth: u32,
    /// How many occurrences fail; 0 is all.
    #[serde(default = "first")]
    pub times: u32,
    /// What happens.
    #[serde(flatten)]
    pub action: Action,
}

fn any() -> String {
    "*".into()
}

fn first() -> u32 {
    1
}

impl Fault {
    /// The next occurrence of a command fails.
    pub fn once(command: &str, action: Action) -> Self {
        Self { command: command.into(), nth: 1, times: 1, action }
    }

    /// Every occurrence of a command fails.
    pub fn always(command: &str, action: Action) -> Self {
        Self { times: 0, ..Self::once(command, action) }
    }

    fn check(&self) -> Result<(), String> {
        let known = self.command == "*" || crate::wire::by_name(&self.command).is_some();
        if !known {
            return Err(format!(
                "fault for unknown command {:?}; names are those of the table, or \"*\"",
                self.command
            ));
        }
        if self.nth == 0 { Err("nth counts from 1".into()) } else { Ok(()) }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    fault: Vec<Fault>,
}

/// The faults of one driver; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Plan(Arc<Mutex<Vec<(Fault, u32)>>>);

impl Plan {
    /// Reads a TOML text.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| format!("faults: {error}"))?;
        let plan = Self::default();
        for fault in file.fault {
            fault.check().map_err(|error| format!("faults: {error}"))?;
            plan.add(fault);
        }
        Ok(plan)
    }

    /// Adds a fault; it counts occurrences from now on.
    pub fn add(&self, fault: Fault) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((fault, 0));
    }

    /// Forgets all faults.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The action for this occurrence of a command; the first fault that matches wins.
    pub(crate) fn next(&self, command: &str) -> Option<Action> {
        let mut found = None;
        for (fault, seen) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            if fault.command != "*" && fault.command != command {
                continue;
            }
            *seen = seen.saturating_add(1);
            let due = *seen >= fault.nth && (fault.times == 0 || *seen - fault.nth < fault.times);
            if due && found.is_none() {
                found = Some(fault.action.clone());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurrences_are_counted_per_command() {
        let plan = Plan::from_toml(
            "[[fault]]\ncommand = \"elementClick\"\nnth = 2\naction = \"reset-after\"\n\
             [[fault]]\ncommand = \"status\"\ntimes = 0\naction = \"delay\"\nms = 5",
        )
        .expect("reads");
        assert_eq!(plan.next("elementClick"), None);
        assert_eq!(plan.next("status"), Some(Action::Delay { ms: 5 }));
        assert_eq!(plan.next("elementClick"), Some(Action::ResetAfter));
        assert_eq!(plan.next("elementClick"), None);
        assert_eq!(plan.next("status"), Some(Action::Delay { ms: 5 }));
    }

    #[test]
    fn a_misspelt_command_is_named() {
        let error = Plan::from_toml("[[fault]]\ncommand = \"clik\"\naction = \"hang\"").expect_err("refused");
        assert!(error.contains("\"clik\""), "{error}");
        assert!(Plan::from_toml("[[fault]]\naction = \"explode\"").expect_err("refused").contains("explode"));
    }
}
