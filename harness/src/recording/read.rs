//! Reads a recording and says what is wrong with a damaged one.
//!
//! Owns: the messages: file, line, what, remedy. Does not own: the meaning of lines.

use super::{BLOBS, Blobs, Exchange, FLOW, FlowLine, Format, MANIFEST, Manifest, ProcessLine, WIRE, blobs};
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
    /// What happened to the driver's process between exchanges; `n` counts with theirs.
    pub processes: Vec<ProcessLine>,
    /// Long texts and pictures by file name; see [`Recording::expand`].
    pub blobs: Blobs,
}

impl Recording {
    /// A value of a line with its long texts in their places.
    pub fn expand(&self, value: &Value) -> Value {
        blobs::expand(value, &self.blobs)
    }
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
    let flow: Vec<FlowLine> = lines(&folder.join(FLOW))?;
    let wire_file = folder.join(WIRE);
    let (mut wire, mut processes) = (Vec::new(), Vec::new());
    for (index, line) in lines::<Value>(&wire_file)?.into_iter().enumerate() {
        let damage = |what: String| Damage { file: wire_file.clone(), line: Some(index + 1), what };
        let n = line.get("n").and_then(Value::as_u64);
        if n != Some(index as u64 + 1) {
            return Err(damage("its member n does not count on: a line is missing; record again".into()));
        }
        if line.get("cmd").is_some() {
            wire.push(serde_json::from_value(line).map_err(|error| damage(error.to_string()))?);
        } else {
            processes.push(serde_json::from_value(line).map_err(|error| damage(error.to_string()))?);
        }
    }
    let recording = Recording { manifest, flow, wire, processes, blobs: contents(folder)? };
    referenced(folder, &recording)?;
    Ok(recording)
}

/// The content of `blobs/`; what a name says about its content must hold.
fn contents(folder: &Path) -> Result<Blobs, Damage> {
    let mut all = Blobs::new();
    let Ok(entries) = std::fs::read_dir(folder.join(BLOBS)) else { return Ok(all) };
    for entry in entries.filter_map(Result::ok) {
        let file = entry.path();
        let damage = |what: String| Damage { file: file.clone(), line: None, what };
        let content = std::fs::read(&file).map_err(|error| damage(format!("cannot be read: {error}")))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if blobs::name_of(&content) != name {
            return Err(damage("its content is not what its name says: it was changed; record again".into()));
        }
        all.insert(name, content);
    }
    Ok(all)
}

/// Every file that a line names is there.
fn referenced(folder: &Path, recording: &Recording) -> Result<(), Damage> {
    let missing = |file: &str, line: usize, value: &Value| {
        let mut found = Ok(());
        blobs::each_reference(value, &mut |name| {
            if found.is_ok() && !recording.blobs.contains_key(name) {
                found = Err(Damage {
                    file: folder.join(file),
                    line: Some(line),
                    what: format!("names {BLOBS}/{name}, which is not there: restore it or record again"),
                });
            }
        });
        found
    };
    for (index, line) in recording.flow.iter().enumerate() {
        line.members.values().try_for_each(|value| missing(FLOW, index + 1, value))?;
    }
    for line in &recording.wire {
        let at = usize::try_from(line.n).unwrap_or_default();
        line.req.values().chain(line.params.values()).try_for_each(|value| missing(WIRE, at, value))?;
        missing(WIRE, at, &serde_json::to_value(&line.res).unwrap_or_default())?;
    }
    Ok(())
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
    let whole = text.is_empty() || text.ends_with('\n');
    let count = text.lines().count();
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if !whole && index + 1 == count {
            return Err(damage(count, "the last line is cut: run `harness repair`".into()));
        }
        all.push(serde_json::from_str(line).map_err(|error| damage(index + 1, error.to_string()))?);
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
