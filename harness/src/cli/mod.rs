//! The command line: the list of verbs, exit codes, and where a failure becomes text.
//!
//! Owns: stdout and stderr of the harness. Does not own: what a verb does below its own file.
//!
//! To add a verb: one file with `Args` and `run`, one line in [`Verb`], one in [`Verb::run`].

mod audit;
mod bench;
mod demo_app;
mod record;
mod repair;
mod replay;
mod run;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Records and replays sessions of the MCP server with a real driver.
#[derive(Debug, Parser)]
#[command(name = "harness", version)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// What can be done, one file each.
#[derive(Debug, Subcommand)]
enum Verb {
    Audit(audit::AuditArgs),
    Bench(bench::BenchArgs),
    DemoApp(demo_app::DemoAppArgs),
    Record(record::RecordArgs),
    Repair(repair::RepairArgs),
    Replay(replay::ReplayArgs),
    Run(run::RunArgs),
}

impl Verb {
    fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Audit(args) => args.run(),
            Self::Bench(args) => args.run(),
            Self::DemoApp(args) => args.run(),
            Self::Record(args) => args.run(),
            Self::Repair(args) => args.run(),
            Self::Replay(args) => args.run(),
            Self::Run(args) => args.run(),
        }
    }
}

impl Cli {
    /// Runs the verb; the only place where a failure is printed.
    #[allow(clippy::print_stderr, reason = "the command line owns stderr")]
    pub fn run(self) -> ExitCode {
        match self.verb.run() {
            Ok(exit) => exit.into(),
            Err(failure) => {
                eprintln!("harness: {}", failure.text);
                failure.exit.into()
            }
        }
    }
}

/// Exit codes of the harness (`replay.md` section 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All as it should be.
    Fine = 0,
    /// A result differs from the recorded one.
    Differs = 1,
    /// The command line is wrong, or something it names is not there.
    Usage = 2,
    /// The replayer was asked what the recording cannot answer.
    Miss = 3,
    /// The audit found something.
    Finding = 4,
    /// Two recordings differ.
    RecordingsDiffer = 5,
    /// A recording is damaged or of a format this version does not read.
    Damage = 6,
    /// More derived answers than the manifest allows.
    TooManyDerived = 7,
    /// The live driver's state differs.
    LiveDiffers = 8,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a verb could not do its work.
#[derive(Debug)]
pub struct Failure {
    /// The exit code that goes with it.
    pub exit: Exit,
    /// What is wrong and what helps, for a person.
    pub text: String,
}

impl Failure {
    /// A failure with its exit code.
    pub fn new(exit: Exit, text: impl Into<String>) -> Self {
        Self { exit, text: text.into() }
    }

    /// Something on the command line, or something it names, is wrong.
    pub fn usage(text: impl Into<String>) -> Self {
        Self::new(Exit::Usage, text)
    }
}

/// A runtime for verbs that deal with real sockets and processes.
///
/// # Errors
/// If the operating system gives no threads or no event queue.
pub fn live_runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("cannot start the async runtime: {error}")))
}

/// The recordings asked for, or all of the folder in order of their names.
fn recordings(recordings: &std::path::Path, asked: Vec<String>) -> Result<Vec<String>, Failure> {
    if !asked.is_empty() {
        return Ok(asked);
    }
    let entries = std::fs::read_dir(recordings).map_err(|error| {
        Failure::usage(format!(
            "cannot read the folder of recordings {}: {error}; give --recordings",
            recordings.display()
        ))
    })?;
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    Ok(names)
}
