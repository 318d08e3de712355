//! A case as it lies in `data/`: its steps and expectations.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::{fs, path::PathBuf};

/// One `case.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) serve: Value,
    #[serde(default)]
    pub(crate) wire: Value,
    pub(crate) steps: Vec<Step>,
    pub(crate) expect: Vec<Expectation>,
}

/// A tool call, or the answer to a dialog.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Step {
    #[serde(default)]
    pub(crate) tool: String,
    #[serde(default)]
    pub(crate) args: Map<String, Value>,
    pub(crate) element: Option<Element>,
    pub(crate) ref_from: Option<RefFrom>,
    pub(crate) dialog: Option<String>,
    pub(crate) text: Option<String>,
    #[serde(default)]
    pub(crate) parallel: Vec<Step>,
}

/// Which element a step means.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Element {
    pub(crate) css: Option<String>,
    pub(crate) id: Option<String>,
    /// The name shown to the agent.
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) frame: Vec<String>,
}

/// An element by the ref that an earlier view gave it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RefFrom {
    pub(crate) view: usize,
    pub(crate) css: String,
}

/// What must hold after a step.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Expectation {
    pub(crate) after: usize,
    pub(crate) must: String,
    #[serde(default)]
    pub(crate) value: Value,
}

/// Folder of a case.
pub(crate) fn folder(id: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/data").join(id)
}

/// Reads a case.
pub(crate) fn read(id: &str) -> Case {
    let text = fs::read_to_string(folder(id).join("case.json")).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{id}/case.json: {error}"))
}

/// The driver's scripted answers of a case, if it has some.
pub(crate) fn script(case: &Case) -> Option<Value> {
    let file = folder(&case.id).join(case.wire.as_str().unwrap_or("wire.json"));
    let text = fs::read_to_string(file).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}/wire.json: {error}", case.id)))
}
