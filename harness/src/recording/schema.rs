//! The format as JSON Schema, for readers in other languages.
//!
//! Owns: one schema for each kind of line and the manifest, derived from the types. The committed copies in
//! `harness/schema` are compared by a test. Does not own: the types.

use super::{Exchange, FlowLine, Manifest, ProcessLine};
use schemars::schema_for;
use serde_json::Value;

/// File name and schema: the manifest, a line of `flow.jsonl`, the two kinds of lines of `wire.jsonl`.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("manifest.schema.json", schema_for!(Manifest).to_value()),
        ("flow.schema.json", schema_for!(FlowLine).to_value()),
        ("exchange.schema.json", schema_for!(Exchange).to_value()),
        ("process.schema.json", schema_for!(ProcessLine).to_value()),
    ]
}
