//! The lines of `flow.jsonl` and `wire.jsonl`.
//!
//! Owns: their members and order. Does not own: files (`read`, `write`). Numbers are integers, times are
//! ms since the recording's start, unknown members survive a rewrite.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One line of `flow.jsonl`: a tool call with its result, or a control line.
///
/// Members of a call: `tool`, `arguments`, `result` (the MCP result as it came; absent if the client had
/// gone) or `error` (a JSON-RPC error), `cancelled` (ms since the start at which the client cancelled it),
/// `progress` (how many notifications of progress came).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    /// Number of the line, from 1 without gaps; process events count too.
    pub n: u64,
    /// Tool call it belongs to; absent outside any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// When the request arrived, ms.
    pub t: u64,
    /// How long the driver took, ms.
    pub cost: u64,
    /// Name of the command in the wire's table; the empty name for a request that is not in it, whose
    /// `params` are then `method` and `path`.
    pub cmd: String,
    /// Symbol of the session in the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub s: Option<String>,
    /// Symbol of the element in the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub el: Option<String>,
    /// Further parameters of the path: `name`, `propertyName`, `other`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Body of the request, ids as symbols.
    #[serde(default)]
    pub req: Map<String, Value>,
    /// What came back.
    pub res: Answer,
    /// What happened to the driver's process during the exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessEvent>,
    /// Members that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What came back for a request: exactly one of three.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// Something that happened to the driver's process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessEvent {
    /// `start`, `exit` (by itself) or `killed` (from outside).
    pub event: String,
    /// Exit code, if it left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// Members that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One line of `wire.jsonl` that is no exchange: a process event between two of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessLine {
    /// Number of the line, in one sequence with the exchanges.
    pub n: u64,
    /// Tool call during which it happened; absent outside any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// When it was seen, ms.
    pub t: u64,
    /// What happened.
    pub process: ProcessEvent,
    /// Members that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
