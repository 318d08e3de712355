//! Processes of this machine as tests look at them: who is whose child, who carries a mark.
//!
//! Owns: reading `/proc`. On systems without it nothing is found. Does not own: ending browsers; the far
//! end does that itself.

use crate::clock;
use std::{fs, time::Duration};

/// A running process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub id: u32,
    /// Id of its parent.
    pub parent: u32,
    /// Its command line, words joined by blanks.
    pub command: String,
}

/// Every process this user may read that still runs (a zombie does not).
pub fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).filter_map(one).collect()
}

/// Processes whose command line or environment contains this mark, for example a user-data-dir.
pub fn marked(mark: &str) -> Vec<Process> {
    let me = std::process::id();
    all()
        .into_iter()
        .filter(|process| process.id != me && (process.command.contains(mark) || inherits(process.id, mark)))
        .collect()
}

/// Waits until no process carries this mark; those that still do at the end of the limit.
///
/// # Errors
/// What is left.
pub async fn gone(mark: &str, limit: Duration) -> Result<(), Vec<Process>> {
    let none_left = async {
        while !marked(mark).is_empty() {
            clock::pause(Duration::from_millis(20)).await;
        }
    };
    match tokio::time::timeout(limit, none_left).await {
        Ok(()) => Ok(()),
        Err(_) => match marked(mark) {
            left if left.is_empty() => Ok(()),
            left => Err(left),
        },
    }
}

fn inherits(id: u32, mark: &str) -> bool {
    fs::read(format!("/proc/{id}/environ")).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(mark))
}

/// Processes whose parent is this one.
pub fn children(parent: u32) -> Vec<Process> {
    all().into_iter().filter(|process| process.parent == parent).collect()
}

/// True while a process of this id runs.
pub fn alive(id: u32) -> bool {
    one(id).is_some()
}

/// Ends a process at once.
///
/// # Errors
/// The operating system's text, or that this system cannot.
pub fn kill(id: u32) -> Result<(), String> {
    signal(id, Signal::Kill)
}

/// Asks a process to end (SIGTERM).
///
/// # Errors
/// The operating system's text, or that this system cannot.
pub fn terminate(id: u32) -> Result<(), String> {
    signal(id, Signal::Terminate)
}

/// Stops a process in its tracks (SIGSTOP): it hangs, and its sockets stay open.
///
/// # Errors
/// The operating system's text, or that this system cannot.
pub fn freeze(id: u32) -> Result<(), String> {
    signal(id, Signal::Freeze)
}

/// Lets a frozen process go on (SIGCONT).
///
/// # Errors
/// The operating system's text, or that this system cannot.
pub fn thaw(id: u32) -> Result<(), String> {
    signal(id, Signal::Thaw)
}

enum Signal {
    Kill,
    Terminate,
    Freeze,
    Thaw,
}

#[cfg(unix)]
fn signal(id: u32, signal: Signal) -> Result<(), String> {
    use nix::{
        sys::signal::{Signal as Number, kill},
        unistd::Pid,
    };
    let number = match signal {
        Signal::Kill => Number::SIGKILL,
        Signal::Terminate => Number::SIGTERM,
        Signal::Freeze => Number::SIGSTOP,
        Signal::Thaw => Number::SIGCONT,
    };
    let id = i32::try_from(id).map_err(|error| error.to_string())?;
    kill(Pid::from_raw(id), number).map_err(|error| format!("cannot signal process {id}: {error}"))
}

#[cfg(not(unix))]
fn signal(id: u32, _: Signal) -> Result<(), String> {
    Err(format!("cannot signal process {id}: not supported on this system"))
}

fn one(id: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in brackets may hold blanks and brackets: the fields begin after the last one.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    if fields.next()? == "Z" {
        return None;
    }
    let parent = fields.next()?.parse().ok()?;
    let command = fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ").trim().to_owned();
    Some(Process { id, parent, command })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_found_by_parent_and_by_mark_and_gone_after_the_kill() {
        let mut child = std::process::Command::new("sleep").arg("86399.25").spawn().unwrap();
        let found = Process { id: child.id(), parent: std::process::id(), command: "sleep 86399.25".into() };
        // Until exec is through, the child still shows our own command line.
        while marked("86399.25") != [found.clone()] {
            std::thread::yield_now();
        }
        assert!(children(std::process::id()).contains(&found));
        kill(child.id()).unwrap();
        child.wait().unwrap();
        assert!(!alive(child.id()));
    }
}
