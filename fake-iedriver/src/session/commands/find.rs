//! Element location (`reference/iedriver-wire.md` section 6).

use super::{Lookup, Outcome, Run, invalid};
use crate::dom::{InvalidSelector, NodeId, Strategy};
use crate::session::Pace;
use crate::wire::{Call, DriverError};
use serde_json::Value;

/// Pause after a miss, which comes before the look at the limit.
const MISS_MS: u64 = 250;

pub(super) fn one(run: &Run<'_>) -> Outcome {
    find(run, false, false)
}

pub(super) fn many(run: &Run<'_>) -> Outcome {
    find(run, true, false)
}

pub(super) fn one_below(run: &Run<'_>) -> Outcome {
    find(run, false, true)
}

pub(super) fn many_below(run: &Run<'_>) -> Outcome {
    find(run, true, true)
}

fn find(run: &Run<'_>, many: bool, below: bool) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    let text = |name: &str| run.call.text(name).unwrap_or_default();
    let (using, value) = (text("using"), text("value"));
    let Some(strategy) = Strategy::from_wire(using) else {
        return Err(invalid(format!("using parameter value '{using}' is not a valid value")));
    };
    let closed = if many {
        "Unable to find elements on closed window"
    } else {
        "Unable to find element on closed window"
    };
    let implicit = run.session.timeouts.get().implicit;
    // Below one second is rounded up, else cut to whole seconds (section 5.3).
    let implicit = if implicit == 0 { 0 } else { (implicit / 1000 * 1000).max(1000) };
    let start = run.session.port.now();
    loop {
        // The page may have become another one during the pause.
        let context = run.context(closed)?;
        let page = run.pages.page(context);
        let within = if below { Some(parent(run, page)?) } else { None };
        let found = match page {
            Some(page) if !run.refuses_scripts(page) => search(run, page, within, strategy, value),
            _ => Ok(Vec::new()),
        };
        let found = found.map_err(|error| DriverError::new("invalid selector", error.0))?;
        match (found.first(), page) {
            (Some(&first), Some(page)) if !many => return Ok(run.reference(page, first)),
            (Some(_), Some(page)) => {
                return Ok(found.into_iter().map(|node| run.reference(page, node)).collect());
            }
            _ => {}
        }
        let now = run.session.port.now();
        if implicit > 0 || run.session.settings.pace == Pace::Ie {
            run.pages.pass(now + MISS_MS).map_err(|_| DriverError::new("no such window", closed))?;
        }
        if run.session.port.now() >= start + implicit || run.pages.dialog().is_some() {
            break;
        }
    }
    if many {
        return Ok(Value::Array(Vec::new()));
    }
    Err(missed(run.call))
}

/// Nothing was found.
pub(super) fn missed(call: &Call) -> DriverError {
    let text = |name: &str| call.text(name).unwrap_or_default();
    let message = format!("Unable to find element with {} == {}", text("using"), text("value"));
    DriverError::new("no such element", message)
}

/// Below an element only descendants count; XPath beginning with `//` searches everywhere.
fn search(
    run: &Run<'_>,
    page: u32,
    within: Option<NodeId>,
    strategy: Strategy,
    value: &str,
) -> Result<Vec<NodeId>, InvalidSelector> {
    let mut result = Ok(Vec::new());
    run.pages.with_document(page, &mut |document| {
        result = document.find(within.unwrap_or(document.root()), strategy, value);
    });
    result
}

fn parent(run: &Run<'_>, page: Option<u32>) -> Result<NodeId, DriverError> {
    let id = run.call.param("e").unwrap_or_default();
    match run.look_up(id, page.unwrap_or_default()) {
        Lookup::Here(node) => Ok(node.node),
        Lookup::Unknown => Err(invalid("Element is no longer valid")),
        Lookup::Detached | Lookup::Elsewhere => Err(DriverError::new(
            "stale element reference",
            "Specified parent element is no longer attached to the DOM",
        )),
    }
}
