//! `harness replay`: plays recorded flows against the server and compares every result.

use super::{Exit, Failure};
use crate::{
    flow::executables,
    model::Schedule,
    recording,
    replay::{Mode, Options, Played, Verdict, play},
    report,
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::{
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
};

/// Plays recorded flows against the server and compares every result with the recorded one.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// Names of recordings; all of the folder if none is given.
    names: Vec<String>,
    /// Folder of the recordings.
    #[arg(long, default_value = "recordings")]
    recordings: PathBuf,
    /// From which ids and the order of windows follow.
    #[arg(long, default_value_t = Options::default().seed)]
    seed: u64,
    /// When the world moves on by itself: demand, eager, cold, recorded, stall:<epoch>.
    #[arg(long, default_value = "demand")]
    schedule: Schedule,
    /// Use this built server over real stdio instead of the one in this program.
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Members that were not recorded are differences too.
    #[arg(long)]
    exact: bool,
    /// Results as one JSON object.
    #[arg(long)]
    json: bool,
}

impl ReplayArgs {
    /// Prints one line per flow (a table on a terminal), then what is wrong.
    ///
    /// # Errors
    /// If the folder, a named recording or an executable is not there.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let options =
            Options { mode: self.mode()?, seed: self.seed, schedule: self.schedule, exact: self.exact };
        let names = super::recordings(&self.recordings, self.names)?;
        if names.is_empty() {
            return Err(Failure::usage(format!(
                "there is no recording in {}; make one with `harness record`, or give --recordings",
                self.recordings.display()
            )));
        }
        let mode = options.mode.name();
        let in_lines = !self.json && !std::io::stdout().is_terminal();
        // A reader that has gone does not stop the replay.
        let mut out = std::io::stdout();
        let bar = bar(names.len() as u64);
        let (mut all, mut damaged) = (Vec::new(), Vec::new());
        for name in names {
            bar.set_message(name.clone());
            match read(&self.recordings, &name)? {
                Ok(recording) => {
                    let played = play(&name, &recording, &options);
                    if in_lines {
                        let _ = writeln!(out, "{}", report::line(&played, mode));
                    }
                    all.push(played);
                }
                Err(text) => {
                    if in_lines {
                        let _ = writeln!(out, "{:7} {name}", "damaged");
                    }
                    damaged.push((name, text));
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        if let Some(file) = &self.junit {
            let text = report::junit(&all, &damaged, mode).map_err(Failure::usage)?;
            std::fs::write(file, text)
                .map_err(|error| Failure::usage(format!("cannot write {}: {error}", file.display())))?;
        }
        if self.json {
            let flows: Vec<_> = all.iter().map(report::json).collect();
            let damaged: Vec<_> =
                damaged.iter().map(|(name, text)| json!({ "name": name, "damage": text })).collect();
            let _ = writeln!(
                out,
                "{}",
                json!({ "mode": mode, "seed": options.seed, "flows": flows, "damaged": damaged })
            );
        } else {
            if !in_lines {
                let _ = write!(out, "{}", report::table(&all));
            }
            for played in all.iter().filter(|played| played.verdict() != Verdict::Same) {
                let _ = writeln!(out, "\n{}", played.trouble());
            }
            for (_, text) in &damaged {
                let _ = writeln!(out, "\n{text}");
            }
            let _ = writeln!(out, "{}", report::summary(&all, damaged.len()));
        }
        Ok(exit(&all, damaged.len()))
    }

    fn mode(&self) -> Result<Mode, Failure> {
        let Some(server) = &self.binary else { return Ok(Mode::InProcess) };
        if !server.is_file() {
            return Err(Failure::usage(format!(
                "--binary {}: there is no such file; build the server with `cargo build -p {}`",
                server.display(),
                executables::SERVER
            )));
        }
        let harness = std::env::current_exe()
            .map_err(|error| Failure::usage(format!("cannot find this program's own file: {error}")))?;
        Ok(Mode::Binary { server: server.clone(), harness })
    }
}

/// The recording, or what is wrong with it.
fn read(folder: &Path, name: &str) -> Result<Result<recording::Recording, String>, Failure> {
    let folder = folder.join(name);
    if !folder.is_dir() {
        return Err(Failure::usage(format!("there is no recording {}", folder.display())));
    }
    Ok(recording::read(&folder).map_err(|damage| damage.to_string()))
}

fn exit(all: &[Played], damaged: usize) -> Exit {
    let any = |wanted: Verdict| all.iter().any(|played| played.verdict() == wanted);
    if damaged > 0 {
        Exit::Damage
    } else if any(Verdict::Missed) {
        Exit::Miss
    } else if any(Verdict::Differs) || any(Verdict::Stopped) {
        Exit::Differs
    } else {
        Exit::Fine
    }
}

/// Progress on stderr; hidden where that is no terminal.
fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}
