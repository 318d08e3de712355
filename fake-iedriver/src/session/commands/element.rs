//! State of elements (`reference/iedriver-wire.md` section 5.9).

use super::{Lookup, Outcome, Run};
use crate::session::pages::ScriptFailure;
use crate::wire::DriverError;
use serde_json::{Value, json};

pub(super) fn active(run: &Run<'_>) -> Outcome {
    let gone = || DriverError::new("no such window", "Document is not found");
    let page = run.pages.page(run.context("Unable to get browser")?).ok_or_else(gone)?;
    let focused = run.pages.active(page);
    let node = run.with(page, |document| {
        focused.filter(|&node| document.is_connected(node)).or_else(|| document.body())
    });
    match node {
        Some(node) => Ok(run.reference(page, node)),
        None => {
            Err(DriverError::new("no such element", "No active element found, and no body element present."))
        }
    }
}

/// The mix of attribute and property of the Selenium atom: text or null, never another type.
pub(super) fn attribute(run: &Run<'_>) -> Outcome {
    let (at, name) = (run.element()?, run.call.param("name").unwrap_or_default());
    Ok(run.with(at.page, |document| document.driver_attribute(at.node, name)).into())
}

pub(super) fn property(run: &Run<'_>) -> Outcome {
    let (at, name) = (run.element()?, run.call.param("name").unwrap_or_default());
    match run.pages.property(at, name, &run.session.elements) {
        Ok(value) => Ok(value),
        Err(ScriptFailure::TimedOut) => Err(super::script::timed_out(false)),
        Err(_) => Ok(Value::Null),
    }
}

/// Lower-cased as a whole; the basic colour names become numbers.
pub(super) fn css(run: &Run<'_>) -> Outcome {
    let (at, name) = (run.element()?, run.call.param("propertyName").unwrap_or_default());
    let value = run.with(at.page, |document| document.style(at.node).get(name).to_lowercase());
    let named = name.contains("color").then(|| colour(&value)).flatten();
    Ok(named.map_or(value, str::to_owned).into())
}

fn colour(name: &str) -> Option<&'static str> {
    Some(match name {
        "aqua" => "#00ffff",
        "black" => "#000000",
        "blue" => "#0000ff",
        "fuchsia" => "#ff00ff",
        "gray" => "#808080",
        "green" => "#008000",
        "lime" => "#00ff00",
        "maroon" => "#800000",
        "navy" => "#000080",
        "olive" => "#808000",
        "purple" => "#800080",
        "red" => "#ff0000",
        "silver" => "#c0c0c0",
        "teal" => "#008080",
        "white" => "#ffffff",
        "yellow" => "#ffff00",
        _ => return None,
    })
}

pub(super) fn text(run: &Run<'_>) -> Outcome {
    let at = run.element()?;
    Ok(run.with(at.page, |document| document.rendered_text(at.node)).into())
}

pub(super) fn name(run: &Run<'_>) -> Outcome {
    let at = run.element()?;
    Ok(run.with(at.page, |document| document.name(at.node).to_lowercase()).into())
}

pub(super) fn rect(run: &Run<'_>) -> Outcome {
    let at = run.element()?;
    let rect = run.with(at.page, |document| document.rect(at.node));
    Ok(json!({
        "height": number(rect.height),
        "width": number(rect.width),
        "x": number(rect.x),
        "y": number(rect.y),
    }))
}

/// Whole numbers are integers on the wire.
fn number(number: f64) -> Value {
    if number.fract() == 0.0 { (number as i64).into() } else { number.into() }
}

pub(super) fn selected(run: &Run<'_>) -> Outcome {
    let at = run.element()?;
    let selected = run.with(at.page, |document| match document.name(at.node) {
        "option" => document.selected(at.node),
        "input" => document.checked(at.node),
        _ => false,
    });
    Ok(selected.into())
}

pub(super) fn enabled(run: &Run<'_>) -> Outcome {
    let at = run.element()?;
    let enabled = run.with(at.page, |document| {
        let list = document.option_select(at.node);
        !document.is_disabled(at.node) && !list.is_some_and(|list| document.is_disabled(list))
    });
    Ok(enabled.into())
}

pub(super) fn displayed(run: &Run<'_>) -> Outcome {
    let at = run.element()?;
    Ok(run.with(at.page, |document| document.is_displayed(at.node)).into())
}

pub(super) fn equals(run: &Run<'_>) -> Outcome {
    let page = run.page()?;
    let look_up = |param: &str, name: &str| {
        let id = run.call.param(param).unwrap_or_default();
        let message = format!("Element specified by '{name}' is no longer valid");
        match run.look_up(id, page) {
            Lookup::Here(node) => Ok(node),
            Lookup::Unknown => Err(DriverError::new("no such element", message)),
            Lookup::Detached | Lookup::Elsewhere => Err(DriverError::new("stale element reference", message)),
        }
    };
    Ok((look_up("e", "id")? == look_up("other", "other")?).into())
}
