//! Actions (`reference/iedriver-wire.md` section 5.13).
//!
//! Ticks run one action of every source. Touch and pen count as the mouse, wheel is refused, an element
//! as origin is not scrolled into view, fractions of a point count as 0.

use super::{Lookup, Outcome, Run, invalid};
use crate::dom::{VIEWPORT_HEIGHT, VIEWPORT_WIDTH};
use crate::session::pages::{Modifiers, Mouse, MouseAction, NodeRef};
use crate::wire::DriverError;
use serde_json::Value;

/// What stays pressed between commands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Input {
    modifiers: Modifiers,
    point: (f64, f64),
    /// Button held.
    held: Option<u8>,
    /// Clicks in a row on one spot.
    clicks: u8,
    last_click: Option<(f64, f64)>,
}

pub(super) fn perform(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    run.window("Unable to get current browser")?;
    let empty = Vec::new();
    let sources = run.call.body.get("actions").and_then(Value::as_array).unwrap_or(&empty);
    let lists: Vec<(&str, &Vec<Value>)> = sources
        .iter()
        .map(|source| {
            let kind = source.get("type").and_then(Value::as_str).unwrap_or_default();
            let actions = source.get("actions").and_then(Value::as_array).unwrap_or(&empty);
            if matches!(kind, "none" | "key" | "pointer") { Ok((kind, actions)) } else { Err(failed()) }
        })
        .collect::<Result<_, _>>()?;
    let ticks = lists.iter().map(|(_, actions)| actions.len()).max().unwrap_or_default();
    for tick in 0..ticks {
        let mut longest = 0;
        for (kind, actions) in &lists {
            let Some(action) = actions.get(tick) else { continue };
            let duration = action.get("duration").and_then(Value::as_u64).unwrap_or_default();
            // Pauses of keys become 10 ms.
            longest = longest.max(if *kind == "key" { duration.min(10) } else { duration });
            one(run, kind, action)?;
        }
        if longest > 0 {
            let until = run.session.port.now() + longest;
            run.pages.pass(until).map_err(|_| failed())?;
        }
    }
    Ok(Value::Null)
}

pub(super) fn release(run: &Run<'_>) -> Outcome {
    run.window("Unable to get current browser")?;
    let input = *run.session.input.borrow();
    if let Some(button) = input.held {
        pointer(run, MouseAction::Up, button)?;
    }
    run.session.input.replace(Input { point: input.point, ..Input::default() });
    Ok(Value::Null)
}

fn failed() -> DriverError {
    invalid("Unexpected error performing action sequence.")
}

fn one(run: &Run<'_>, source: &str, action: &Value) -> Result<(), DriverError> {
    let kind = action.get("type").and_then(Value::as_str).unwrap_or_default();
    let button = action.get("button").and_then(Value::as_u64).map_or(0, |button| button.min(2) as u8);
    match (source, kind) {
        (_, "pause") | ("pointer", "pointerCancel") => Ok(()),
        ("key", "keyDown" | "keyUp") => {
            let key = action.get("value").and_then(Value::as_str).and_then(|text| text.chars().next());
            press(run, key.ok_or_else(failed)?, kind == "keyDown")
        }
        ("pointer", "pointerMove") => travel(run, action),
        ("pointer", "pointerDown") => pointer(run, MouseAction::Down, button),
        ("pointer", "pointerUp") => pointer(run, MouseAction::Up, button),
        _ => Err(failed()),
    }
}

/// A key is entered when it goes down.
fn press(run: &Run<'_>, key: char, down: bool) -> Result<(), DriverError> {
    let mut input = run.session.input.borrow_mut();
    match key {
        '\u{e008}' | '\u{e050}' => input.modifiers.shift = down,
        '\u{e009}' | '\u{e051}' => input.modifiers.control = down,
        '\u{e00a}' | '\u{e052}' => input.modifiers.alt = down,
        _ => {
            let modifiers = input.modifiers;
            drop(input);
            if down {
                run.pages.key(run.page()?, key, modifiers);
            }
        }
    }
    Ok(())
}

fn travel(run: &Run<'_>, action: &Value) -> Result<(), DriverError> {
    // Fractions count as 0: they are read as integers.
    let number = |name: &str| action.get(name).and_then(Value::as_i64).unwrap_or_default() as f64;
    let (dx, dy) = (number("x"), number("y"));
    let origin = match action.get("origin") {
        None => (0.0, 0.0),
        Some(Value::String(name)) if name == "viewport" => (0.0, 0.0),
        Some(Value::String(name)) if name == "pointer" => run.session.input.borrow().point,
        Some(reference) => match run.referenced(reference) {
            Some(Lookup::Here(node)) => super::click::middle(run, node),
            Some(Lookup::Detached | Lookup::Elsewhere) => {
                return Err(DriverError::new("stale element reference", "Element is no longer valid"));
            }
            _ => return Err(failed()),
        },
    };
    let (x, y) = (origin.0 + dx, origin.1 + dy);
    if !(0.0..=VIEWPORT_WIDTH).contains(&x) || !(0.0..=VIEWPORT_HEIGHT).contains(&y) {
        let message = format!(
            "The requested mouse movement to ({}, {}) would be outside the bounds of the current view port (left: 0, right: {VIEWPORT_WIDTH}, top: 0, bottom: {VIEWPORT_HEIGHT})",
            x as i64, y as i64
        );
        return Err(DriverError::new("move target out of bounds", message));
    }
    run.session.input.borrow_mut().point = (x, y);
    pointer(run, MouseAction::Move, 0)
}

fn pointer(run: &Run<'_>, action: MouseAction, button: u8) -> Result<(), DriverError> {
    let page = run.page()?;
    let point = run.session.input.borrow().point;
    let (left, top) = run.pages.scroll_offset(page);
    let (x, y) = (point.0 + left, point.1 + top);
    let target = run.with(page, |document| document.element_at(x, y).or_else(|| document.body()));
    let target = target.map(|node| NodeRef { page, node });
    let event = {
        let mut input = run.session.input.borrow_mut();
        match action {
            MouseAction::Down => {
                input.held = Some(button);
                let again = input.last_click == Some(point) && input.clicks == 1;
                input.clicks = if again { 2 } else { 1 };
                input.last_click = Some(point);
            }
            MouseAction::Up => input.held = None,
            MouseAction::Move => {}
        }
        Mouse { action, button, clicks: input.clicks.max(1), point, modifiers: input.modifiers }
    };
    if let Some(target) = target {
        run.pages.mouse(target, &event);
    }
    Ok(())
}
