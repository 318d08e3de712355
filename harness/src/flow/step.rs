//! The flow file: one tool call or control line per line, as JSON.
//!
//! Owns: reading and its errors. A tool call looks as in `flow.jsonl` without its result, a control line
//! is something that happens to the far end between calls (`replay.md` section 9). Does not own: what a
//! call does (`run`).
//!
//! ```text
//! {"tool":"navigate","arguments":{"url":"http://demo.test/customer"}}
//! {"control":"kill_driver"}
//! ```
//! Empty lines and lines that start with `#` are skipped.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// One line of a flow file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Step {
    /// A tool call.
    Call {
        /// Name of the tool.
        tool: String,
        /// Its arguments; empty if the line has none.
        arguments: Map<String, Value>,
    },
    /// Something that happens between calls.
    Control(Control),
}

/// What can happen to the far end between two calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "control", rename_all = "snake_case", deny_unknown_fields)]
pub enum Control {
    /// The driver process dies, as by the task manager.
    KillDriver,
    /// Time passes.
    Advance {
        /// How much, in ms.
        ms: u64,
    },
}

/// Why a flow file cannot be run.
#[derive(Debug)]
pub enum FlowError {
    /// The file cannot be read.
    Unreadable(PathBuf, std::io::Error),
    /// A line (counted from 1) is not a step.
    Line(PathBuf, usize, String),
    /// There is no step in it.
    Empty(PathBuf),
}

impl std::fmt::Display for FlowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(path, error) => write!(f, "cannot read flow {}: {error}", path.display()),
            Self::Line(path, line, text) => write!(f, "flow {} line {line}: {text}", path.display()),
            Self::Empty(path) => write!(f, "flow {} holds no tool call", path.display()),
        }
    }
}

impl std::error::Error for FlowError {}

/// Reads a flow file.
///
/// # Errors
/// If it cannot be read, a line is no step, or there is none.
pub fn read(path: &Path) -> Result<Vec<Step>, FlowError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| FlowError::Unreadable(path.to_owned(), error))?;
    parse(&text, path)
}

/// Parses the text of a flow file; `path` is named in errors.
///
/// # Errors
/// If a line is no step or there is none.
pub fn parse(text: &str, path: &Path) -> Result<Vec<Step>, FlowError> {
    let mut steps = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let step = step(line).map_err(|text| FlowError::Line(path.to_owned(), index + 1, text))?;
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(FlowError::Empty(path.to_owned()));
    }
    Ok(steps)
}

/// What a recorder adds to a step: a recording's `flow.jsonl` is a flow file as well.
const RECORDED: [&str; 4] = ["call", "t", "cost", "result"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallLine {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// Decides by the member that names the kind, so that an error speaks of that kind only.
fn step(line: &str) -> Result<Step, String> {
    let mut value: Value = serde_json::from_str(line).map_err(|error| format!("is not JSON: {error}"))?;
    if let Value::Object(members) = &mut value {
        for member in RECORDED {
            members.shift_remove(member);
        }
    }
    if value.get("tool").is_some() {
        let call: CallLine =
            serde_json::from_value(value).map_err(|error| format!("is no tool call: {error}"))?;
        Ok(Step::Call { tool: call.tool, arguments: call.arguments })
    } else if value.get("control").is_some() {
        serde_json::from_value(value)
            .map(Step::Control)
            .map_err(|error| format!("is no control line: {error}"))
    } else {
        Err("has neither a member `tool` nor `control`".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text, Path::new("a.flow.jsonl")).unwrap_err().to_string()
    }

    #[test]
    fn calls_and_controls_are_read_in_order() {
        let text = "# start\n{\"tool\":\"browser_start\"}\n\n{\"control\":\"kill_driver\"}\n{\"control\":\"advance\",\"ms\":300}\n\
                    {\"tool\":\"navigate\",\"arguments\":{\"url\":\"http://demo.test/\"}}\n";
        let steps = parse(text, Path::new("a")).unwrap();
        assert_eq!(steps[0], Step::Call { tool: "browser_start".into(), arguments: Map::new() });
        assert_eq!(steps[1], Step::Control(Control::KillDriver));
        assert_eq!(steps[2], Step::Control(Control::Advance { ms: 300 }));
        assert_eq!(
            serde_json::to_string(&steps[3]).unwrap(),
            r#"{"tool":"navigate","arguments":{"url":"http://demo.test/"}}"#
        );
        assert_eq!(serde_json::to_string(&steps[2]).unwrap(), r#"{"control":"advance","ms":300}"#);
    }

    #[test]
    fn what_a_recorder_added_is_left_out() {
        let text = "{\"call\":1,\"t\":3,\"cost\":40,\"tool\":\"browser_close\",\"arguments\":{},\"result\":{\"content\":[]}}\n\
                    {\"t\":50,\"control\":\"kill_driver\"}\n";
        let steps = parse(text, Path::new("a")).unwrap();
        assert_eq!(steps[0], Step::Call { tool: "browser_close".into(), arguments: Map::new() });
        assert_eq!(steps[1], Step::Control(Control::KillDriver));
    }

    #[test]
    fn a_broken_line_is_named_by_file_and_number() {
        assert!(error("{\"tool\":\"a\"}\n{\"tool\":").starts_with("flow a.flow.jsonl line 2: is not JSON"));
        assert!(error("{\"tool\":\"a\",\"argumens\":{}}").contains("argumens"));
        assert!(error("{\"control\":\"reboot\"}").contains("reboot"));
        assert_eq!(error("{\"x\":1}"), "flow a.flow.jsonl line 1: has neither a member `tool` nor `control`");
        assert_eq!(error("# nothing\n"), "flow a.flow.jsonl holds no tool call");
    }

    #[test]
    fn every_flow_of_this_project_reads_with_its_faults() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("flows");
        let mut flows = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                read(&path).unwrap();
                let faults = crate::flow::live::faults_beside(&path).unwrap();
                fake_iedriver::fault::Plan::from_toml(&faults).unwrap();
                flows += 1;
            }
        }
        assert!(flows >= 8, "only {flows} flows");
    }
}
