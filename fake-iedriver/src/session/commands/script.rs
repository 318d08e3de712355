//! Scripts of the client (`reference/iedriver-wire.md` section 5.10).

use super::{Lookup, Outcome, Run};
use crate::session::pages::{Script, ScriptFailure};
use crate::wire::{DriverError, parameters::ELEMENT_KEY};
use serde_json::Value;

const FAILED: &str = "Error executing JavaScript";

pub(super) fn sync(run: &Run<'_>) -> Outcome {
    execute(run, false)
}

pub(super) fn asynchronous(run: &Run<'_>) -> Outcome {
    execute(run, true)
}

fn execute(run: &Run<'_>, asynchronous: bool) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    let context = run.context("Unable to get browser")?;
    let page = run.page()?;
    if run.refuses_scripts(page) {
        return Err(DriverError::new("javascript error", FAILED));
    }
    let empty = Vec::new();
    let args = run.call.body.get("args").and_then(Value::as_array).unwrap_or(&empty);
    for argument in args {
        resolve(run, page, argument)?;
    }
    let script = Script {
        body: run.call.text("script").unwrap_or_default(),
        args,
        asynchronous,
        limit_ms: run.session.timeouts.get().script.map(|ms| ms / 1000 * 1000),
    };
    run.pages.run_script(context, &script, &run.session.elements).map_err(|failure| match failure {
        ScriptFailure::Thrown(text) if text.is_empty() => DriverError::new("javascript error", FAILED),
        ScriptFailure::Thrown(text) => DriverError::new("javascript error", text),
        ScriptFailure::TimedOut => timed_out(asynchronous),
        ScriptFailure::Reloaded => {
            DriverError::new("javascript error", "Page reload detected during async script")
        }
        ScriptFailure::Ended => DriverError::new("no such window", "Unable to get browser"),
    })
}

pub(super) fn timed_out(asynchronous: bool) -> DriverError {
    DriverError::new(
        "script timeout",
        if asynchronous {
            "Timeout expired waiting for async script"
        } else {
            "Timed out waiting for script to complete."
        },
    )
}

/// All references in an argument, at any depth, must lead somewhere before the script runs.
fn resolve(run: &Run<'_>, page: u32, argument: &Value) -> Result<(), DriverError> {
    match argument {
        Value::Array(items) => items.iter().try_for_each(|item| resolve(run, page, item)),
        Value::Object(members) => match members.get(ELEMENT_KEY).and_then(Value::as_str) {
            None => members.values().try_for_each(|member| resolve(run, page, member)),
            Some(id) => match run.look_up(id, page) {
                Lookup::Here(_) => Ok(()),
                Lookup::Unknown => Err(DriverError::new("no such element", FAILED)),
                Lookup::Detached | Lookup::Elsewhere => {
                    Err(DriverError::new("stale element reference", FAILED))
                }
            },
        },
        _ => Ok(()),
    }
}
