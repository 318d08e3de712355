//! Checks of arguments that need no tool: names, presence, the limit. Owns: the texts that name the accepted
//! arguments. Does not own: the meaning of arguments.

use crate::error::ToolError;
use crate::tools::Spec;
use serde_json::{Map, Value};

/// Largest `timeoutMs` (`contract.md` section 2.2).
pub(super) const MAX_TIMEOUT_MS: u64 = 55_000;

/// Names of the accepted arguments.
fn accepted(schema: &Map<String, Value>) -> Vec<String> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|p| p.keys().cloned().collect())
        .unwrap_or_default()
}

/// Adds the accepted names to an `INVALID_ARGUMENT`.
pub(super) fn explain(spec: &Spec, error: ToolError) -> ToolError {
    error.detail("accepted", accepted(&(spec.input)()))
}

/// Checks names and presence; gives `timeoutMs` if it stands there.
pub(super) fn check(spec: &Spec, args: &Map<String, Value>) -> Result<Option<u64>, ToolError> {
    let schema = (spec.input)();
    let names = accepted(&schema);
    if let Some(unknown) = args.keys().find(|name| !names.contains(name)) {
        return Err(ToolError::invalid(format!("{} has no argument \"{unknown}\".", spec.name)));
    }
    let required =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !args.contains_key(name) {
            return Err(ToolError::invalid(format!("{} needs the argument \"{name}\".", spec.name)));
        }
    }
    match args.get("timeoutMs") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(ms) if ms <= MAX_TIMEOUT_MS => Ok(Some(ms)),
            _ => Err(ToolError::invalid(format!(
                "timeoutMs must be a whole number from 0 to {MAX_TIMEOUT_MS}."
            ))),
        },
    }
}
