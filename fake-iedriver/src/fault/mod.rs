//! Scripted failures.
//!
//! Owns: which command fails how and how often, and what the process does wrong; read from TOML, from a
//! switch or given by a test. The wire asks before each command and does what is said. Does not own:
//! failing itself (`wire`, `main`).
//!
//! ```toml
//! [[fault]]
//! command = "elementClick"   # name of the table, or "*" (default); section 3 of the wire reference
//! except = []                # names that "*" does not mean
//! path = ""                  # text that must occur in the request's path
//! nth = 2                    # from the second click on (default 1)
//! times = 1                  # once (default 1; 0 is for ever)
//! action = "reset-after"     # the driver acts, the answer is lost
//! # delay {ms}, hang, hang-after, reset-before, reset-after, closed-early, odd {status, body},
//! # exit {code}, exit-after {code}, answer {value}
//!
//! [process]
//! ignore-sigterm = true      # only a kill ends it
//! start = "hang"             # never listens; or "exit" {exit-code}, or "late" {start-ms}
//! ```
//!
//! | wanted | file |
//! | --- | --- |
//! | a click acts, its answer is lost | `command = "elementClick"`, `action = "reset-after"` |
//! | typing acts, its answer is lost | `command = "elementSendKeys"`, `action = "reset-after"` |
//! | nothing but `/status` is answered | `except = ["status"]`, `times = 0`, `action = "hang"` |
//! | a new session hangs | `command = "newSession"`, `action = "hang"` |
//! | SIGTERM is ignored | `[process]`, `ignore-sigterm = true` |

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
    /// The command runs and is answered, then the connection closes without notice: the next request
    /// meets a closed one.
    CloseAfter,
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
    /// Names that `*` does not mean.
    #[serde(default)]
    pub except: Vec<String>,
    /// Text that must occur in the request's path; empty for any path.
    #[serde(default)]
    pub path: String,
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
        Self { command: command.into(), except: Vec::new(), path: String::new(), nth: 1, times: 1, action }
    }

    /// Every occurrence of a command fails.
    pub fn always(command: &str, action: Action) -> Self {
        Self { times: 0, ..Self::once(command, action) }
    }

    fn check(&self) -> Result<(), String> {
        let named = std::iter::once(&self.command).chain(&self.except);
        for name in named.filter(|name| *name != "*") {
            if crate::wire::by_name(name).is_none() {
                return Err(format!(
                    "fault for unknown command {name:?}; names are those of the table, or \"*\""
                ));
            }
        }
        if self.nth == 0 { Err("nth counts from 1".into()) } else { Ok(()) }
    }

    fn means(&self, command: &str, path: &str) -> bool {
        (self.command == "*" || self.command == command)
            && !self.except.iter().any(|name| name == command)
            && path.contains(&self.path)
    }
}

/// What the process itself does wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ProcessFault {
    /// SIGTERM and the parent's death do not end it.
    pub ignore_sigterm: bool,
    /// What goes wrong before it listens.
    pub start: Option<StartFault>,
    /// Exit code of `start = "exit"`.
    pub exit_code: u8,
    /// Delay of `start = "late"`, in milliseconds.
    pub start_ms: u64,
}

/// How a start goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartFault {
    /// It never listens.
    Hang,
    /// It ends without having listened.
    Exit,
    /// It listens later.
    Late,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    fault: Vec<Fault>,
    #[serde(default)]
    process: ProcessFault,
}

/// The faults of one driver; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    faults: Arc<Mutex<Vec<(Fault, u32)>>>,
    process: ProcessFault,
}

impl Plan {
    /// Reads a TOML text.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| format!("faults: {error}"))?;
        let plan = Self { process: file.process, ..Self::default() };
        for fault in file.fault {
            fault.check().map_err(|error| format!("faults: {error}"))?;
            plan.add(fault);
        }
        Ok(plan)
    }

    /// Adds a fault; it counts occurrences from now on.
    pub fn add(&self, fault: Fault) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).push((fault, 0));
    }

    /// What the process does wrong.
    pub fn process(&self) -> ProcessFault {
        self.process
    }

    /// Forgets all faults.
    pub fn clear(&self) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The action for this occurrence of a command; the first fault that matches wins.
    pub(crate) fn next(&self, command: &str, path: &str) -> Option<Action> {
        let mut found = None;
        for (fault, seen) in self.faults.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            if !fault.means(command, path) {
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
        assert_eq!(plan.next("elementClick", "/"), None);
        assert_eq!(plan.next("status", "/"), Some(Action::Delay { ms: 5 }));
        assert_eq!(plan.next("elementClick", "/"), Some(Action::ResetAfter));
        assert_eq!(plan.next("elementClick", "/"), None);
        assert_eq!(plan.next("status", "/"), Some(Action::Delay { ms: 5 }));
    }

    #[test]
    fn everything_but_a_name_and_only_a_path_can_be_meant() {
        let plan = Plan::from_toml(
            "[[fault]]\nexcept = [\"status\"]\npath = \"/e7/\"\ntimes = 0\naction = \"hang\"\n\
             [process]\nignore-sigterm = true\nstart = \"late\"\nstart-ms = 20",
        )
        .expect("reads");
        assert_eq!(plan.next("elementClick", "/session/1/element/e8/click"), None);
        assert_eq!(plan.next("elementClick", "/session/1/element/e7/click"), Some(Action::Hang));
        assert_eq!(plan.next("status", "/e7/"), None);
        let process = plan.process();
        assert_eq!((process.ignore_sigterm, process.start), (true, Some(StartFault::Late)));
    }

    #[test]
    fn a_misspelt_command_is_named() {
        let error = Plan::from_toml("[[fault]]\ncommand = \"clik\"\naction = \"hang\"").expect_err("refused");
        assert!(error.contains("\"clik\""), "{error}");
        assert!(Plan::from_toml("[process]\nstart = \"slow\"").is_err());
        assert!(Plan::from_toml("[[fault]]\naction = \"explode\"").expect_err("refused").contains("explode"));
    }
}
