//! Timeouts (`reference/iedriver-wire.md` section 5.3).

use super::{Outcome, Run};
use serde_json::Value;

pub(super) fn get(run: &Run<'_>) -> Outcome {
    Ok(Value::Object(run.session.timeouts_value()))
}

pub(super) fn set(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    let mut timeouts = run.session.timeouts.get();
    let whole = |value: &Value| value.as_f64().map(|number| number as u64);
    for (name, value) in &run.call.body {
        match (name.as_str(), whole(value)) {
            ("implicit", Some(ms)) => timeouts.implicit = ms,
            ("pageLoad", Some(ms)) => timeouts.page_load = ms,
            ("script", ms) => timeouts.script = ms,
            _ => {}
        }
    }
    run.session.timeouts.set(timeouts);
    Ok(Value::Null)
}
