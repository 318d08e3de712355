//! Frames (`reference/iedriver-wire.md` section 5.6).

use super::{Lookup, Outcome, Run, invalid};
use crate::wire::DriverError;
use serde_json::Value;

const GONE: &str = "Unable to get browser";

pub(super) fn switch(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    let context = run.context(GONE)?;
    let id = run.call.body.get("id").unwrap_or(&Value::Null);
    let none = || DriverError::new("no such frame", "No frame found");
    let frames = run.pages.frames(context);
    let found = match id {
        Value::Null => Some(run.session.focus.borrow().window),
        Value::Object(_) => match run.referenced(id) {
            Some(Lookup::Here(node)) => {
                frames.iter().find(|frame| frame.element == node).map(|frame| frame.context)
            }
            Some(Lookup::Detached | Lookup::Elsewhere) => {
                return Err(DriverError::new("stale element reference", "Element is no longer valid"));
            }
            Some(Lookup::Unknown) => None,
            None => {
                return Err(invalid("Frame identifier was an object, but not a web element reference"));
            }
        },
        _ => {
            let index = id.as_u64().and_then(|index| usize::try_from(index).ok());
            index.and_then(|index| frames.get(index)).map(|frame| frame.context)
        }
    };
    run.session.focus.borrow_mut().context = found.ok_or_else(none)?;
    Ok(Value::Null)
}

/// Does nothing at the top.
pub(super) fn parent(run: &Run<'_>) -> Outcome {
    let context = run.context(GONE)?;
    if let Some(parent) = run.pages.parent(context) {
        run.session.focus.borrow_mut().context = parent;
    }
    Ok(Value::Null)
}
