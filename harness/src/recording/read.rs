//! Reads a recording and says what is wrong with a damaged one.
//!
//! Owns: the messages: file, line, what, remedy. Does not own: the meaning of lines.

use super::{Exchange, FLOW, FlowLine, Format, MANIFEST, Manifest, WIRE};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A recording in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What it says about itself.
    pub manifest: Manifest,
    /// Tool calls in order of arrival.
    pub flow: Vec<FlowLine>,
    /// Exchanges in order of arrival.
    pub wire: Vec<Exchange>,
}

/// Why a recording cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1, in files of lines.
    pub line: Option<usize>,
    /// What is wrong and what helps.
    pub what: String,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for Damage {}

/// Reads the recording in `folder`.
///
/// # Errors
/// If a file is missing or damaged, or the format is newer than this version reads.
pub fn read(folder: &Path) -> Result<Recording, Damage> {
    let manifest = manifest(&folder.join(MANIFEST))?;
    Ok(Recording { manifest, flow: lines(&folder.join(FLOW))?, wire: lines(&folder.join(WIRE))? })
}

fn manifest(file: &Path) -> Result<Manifest, Damage> {
    let damage = |what: String| Damage { file: file.to_owned(), line: None, what };
    let value: Value =
        serde_json::from_str(&text(file)?).map_err(|error| damage(format!("is not JSON: {error}")))?;
    // The version is looked at first: a newer format may have other members throughout.
    let format: Format =
        value.get("format").and_then(|format| serde_json::from_value(format.clone()).ok()).ok_or_else(
            || damage("has no member format {major, minor}: not a manifest of a recording".into()),
        )?;
    if format.major != Format::CURRENT.major {
        return Err(damage(format!(
            "has format {}.{}, this harness reads {}.x: use a harness that knows it",
            format.major,
            format.minor,
            Format::CURRENT.major
        )));
    }
    serde_json::from_value(value).map_err(|error| damage(error.to_string()))
}

fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, Damage> {
    let text = text(file)?;
    let damage = |line: usize, what: String| Damage { file: file.to_owned(), line: Some(line), what };
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        all.push(serde_json::from_str(line).map_err(|error| damage(index + 1, error.to_string()))?);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(damage(all.len(), "the last line is cut: remove it or record again".into()));
    }
    Ok(all)
}

fn text(file: &Path) -> Result<String, Damage> {
    std::fs::read_to_string(file).map_err(|error| Damage {
        file: file.to_owned(),
        line: None,
        what: format!("cannot be read: {error}"),
    })
}
