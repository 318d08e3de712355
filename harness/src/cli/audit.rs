//! `harness audit`: looks for what must not be in recordings.

use super::{Exit, Failure};
use crate::audit::{Finding, audit};
use clap::Args;
use serde_json::json;
use std::{fs, path::PathBuf};

/// Looks through recordings for secrets, ids, machine paths and damage.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// Names of recordings; all of the folder if none is given.
    names: Vec<String>,
    /// Folder of the recordings.
    #[arg(long, default_value = "recordings")]
    recordings: PathBuf,
    /// File with terms that must not occur, one a line, such as names of customers.
    #[arg(long)]
    deny: Option<PathBuf>,
    /// Findings as one JSON object.
    #[arg(long)]
    json: bool,
}

impl AuditArgs {
    /// Prints the findings, one a line.
    ///
    /// # Errors
    /// If a recording or the deny list is not there.
    #[allow(clippy::print_stdout, reason = "the command line owns stdout")]
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let deny = match &self.deny {
            None => Vec::new(),
            Some(file) => fs::read_to_string(file)
                .map_err(|error| {
                    Failure::usage(format!("cannot read the deny list {}: {error}", file.display()))
                })?
                .lines()
                .map(str::to_owned)
                .collect(),
        };
        let mut all: Vec<(String, Vec<Finding>)> = Vec::new();
        for name in super::recordings(&self.recordings, self.names)? {
            let folder = self.recordings.join(&name);
            let findings = audit(&folder, &deny).map_err(|error| {
                Failure::usage(format!("cannot read the recording {}: {error}", folder.display()))
            })?;
            all.push((name, findings));
        }
        let count: usize = all.iter().map(|(_, findings)| findings.len()).sum();
        if self.json {
            let recordings: serde_json::Map<_, _> =
                all.into_iter().map(|(name, findings)| (name, json!(findings))).collect();
            println!("{}", json!({ "findings": count, "recordings": recordings }));
        } else {
            for (name, findings) in &all {
                findings.iter().for_each(|finding| println!("{name}/{finding}"));
            }
            println!("audit: {} recordings, {count} findings", all.len());
        }
        Ok(if count == 0 { Exit::Fine } else { Exit::Finding })
    }
}
