//! The lines of `flow.jsonl` and `wire.jsonl`.
//!
//! Owns: their members and order. Does not own: files (`read`, `write`). Numbers are integers, times are
//! ms since the recording's start, unknown members survive a rewrite.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One line of `flow.jsonl`: a tool call with its result, or a control line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowLine {
    /// Number of the call, from 1; absent on a control line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// When it arrived, ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t: Option<u64>,
    /// How long it took, ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// Tool, arguments, result or control, as they came.
    #[serde(flatten)]
    pub members: Map<String, Value>,
}

/// One line of `wire.jsonl`: one WebDriver request with its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Number of the exchange, from 1 without gaps.
    pub n: u64,
    /// Tool call it belongs to; absent outside any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// When the request arrived, ms.
    pub t: u64,
    /// How long the driver took, ms.
    pub cost: u64,
    /// Name of the command in the wire's table.
    pub cmd: String,
    /// Symbol of the element in the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub el: Option<String>,
    /// Body of the request, ids as symbols.
    #[serde(default)]
    pub req: Map<String, Value>,
    /// What came back.
    pub res: Answer,
    /// Members that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What came back for a request: exactly one of three.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Success with this value.
    Ok(Value),
    /// A WebDriver error.
    Err(WireError),
    /// No HTTP answer: `kind` is reset, refused, closed_early, no_answer or bad_http.
    Transport(Map<String, Value>),
}

/// An error as it stood in the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WireError {
    /// W3C error code.
    pub code: String,
    /// Its text.
    pub msg: String,
    /// HTTP status.
    pub http: u16,
    /// Members that this version does not know, `data` among them.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
