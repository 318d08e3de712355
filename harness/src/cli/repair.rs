//! `harness repair`: closes recordings whose recorder was killed.

use super::{Exit, Failure};
use crate::record::{RepairError, repair};
use clap::Args;
use std::path::PathBuf;

/// Closes recordings whose recorder was killed.
#[derive(Debug, Args)]
pub(super) struct RepairArgs {
    /// Names of the recordings.
    #[arg(required = true)]
    names: Vec<String>,
    /// Folder of the recordings.
    #[arg(long, default_value = "recordings")]
    recordings: PathBuf,
}

impl RepairArgs {
    /// Prints what was cut and what is left, one recording a line.
    ///
    /// # Errors
    /// If a recording is not there, was closed in order or is damaged otherwise.
    #[allow(clippy::print_stdout, reason = "the command line owns stdout")]
    pub(super) fn run(self) -> Result<Exit, Failure> {
        for name in &self.names {
            let folder = self.recordings.join(name);
            let repaired = repair(&folder).map_err(|error| match error {
                RepairError::Damage(_) => Failure::new(Exit::Damage, error.to_string()),
                RepairError::Closed(_) => Failure::usage(error.to_string()),
                RepairError::Io(error) => {
                    Failure::usage(format!("cannot repair {}: {error}", folder.display()))
                }
            })?;
            let cut: u64 = repaired.cut.iter().map(|(_, bytes)| bytes).sum();
            println!(
                "{name}: {cut} bytes cut, {} files removed; {} calls and {} exchanges left",
                repaired.removed.len(),
                repaired.counts.calls,
                repaired.counts.exchanges
            );
        }
        Ok(Exit::Fine)
    }
}
