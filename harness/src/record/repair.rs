//! Closes a recording whose recorder was killed.
//!
//! Owns: what may be cut: a last line without its end, files that no line names. Does not own: reading
//! (`recording`), masking: what was written had passed the redactor.

use crate::recording::{
    self, BLOBS, Counts, Damage, Ending, FLOW, MANIFEST, Recording, WIRE, blobs, write_manifest,
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Bytes cut from files of lines.
    pub cut: Vec<(PathBuf, u64)>,
    /// Files removed because no line names them.
    pub removed: Vec<PathBuf>,
    /// What is in the recording now.
    pub counts: Counts,
}

/// Why a recording cannot be repaired.
#[derive(Debug)]
pub enum RepairError {
    /// It is closed already.
    Closed(PathBuf),
    /// It is damaged in a way that no killed recorder leaves.
    Damage(Damage),
    /// A file cannot be read or written.
    Io(io::Error),
}

impl std::fmt::Display for RepairError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Closed(folder) => write!(f, "{} was closed in order: nothing to repair", folder.display()),
            Self::Damage(damage) => write!(f, "{damage}; a killed recorder does not leave this"),
            Self::Io(error) => write!(f, "cannot repair: {error}"),
        }
    }
}

impl std::error::Error for RepairError {}

impl From<io::Error> for RepairError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Repairs the recording in a folder.
///
/// # Errors
/// If it is closed, damaged otherwise, or cannot be written.
pub fn repair(folder: &Path) -> Result<Repaired, RepairError> {
    let mut repaired = Repaired::default();
    let manifest = fs::read_to_string(folder.join(MANIFEST))?;
    let closed =
        serde_json::from_str::<Value>(&manifest).is_ok_and(|manifest| manifest.get("ended").is_some());
    for name in [FLOW, WIRE] {
        let file = folder.join(name);
        let bytes = fs::read(&file)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < bytes.len() {
            fs::OpenOptions::new()
                .write(true)
                .open(&file)?
                .set_len(u64::try_from(whole).unwrap_or(u64::MAX))?;
            repaired.cut.push((file, u64::try_from(bytes.len() - whole).unwrap_or(u64::MAX)));
        }
    }
    if closed && repaired.cut.is_empty() {
        return Err(RepairError::Closed(folder.to_owned()));
    }
    for leftover in [folder.join("manifest.json.new"), folder.join("flow.new"), folder.join("wire.new")] {
        if leftover.exists() {
            fs::remove_file(&leftover)?;
            repaired.removed.push(leftover);
        }
    }
    let named = named(folder)?;
    for entry in fs::read_dir(folder.join(BLOBS)).into_iter().flatten() {
        let entry = entry?;
        if !named.contains(&entry.file_name().to_string_lossy().into_owned()) {
            fs::remove_file(entry.path())?;
            repaired.removed.push(entry.path());
        }
    }
    let Recording { mut manifest, flow, wire, blobs, .. } =
        recording::read(folder).map_err(RepairError::Damage)?;
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    repaired.counts = Counts {
        calls: count(flow.iter().filter(|line| line.call.is_some()).count()),
        exchanges: count(wire.len()),
        blobs: count(blobs.len()),
    };
    manifest.counts = Some(repaired.counts);
    manifest.ended = Some(Ending::Repaired);
    write_manifest(folder, &manifest)?;
    Ok(repaired)
}

/// Names of files that a line refers to.
fn named(folder: &Path) -> Result<BTreeSet<String>, RepairError> {
    let mut names = BTreeSet::new();
    for name in [FLOW, WIRE] {
        for line in fs::read_to_string(folder.join(name))?.lines() {
            if let Ok(value) = serde_json::from_str::<Value>(line) {
                blobs::each_reference(&value, &mut |name| names.extend([name.to_owned()]));
            }
        }
    }
    Ok(names)
}
