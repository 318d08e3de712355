//! Click (`reference/iedriver-wire.md` section 5.7).

use super::{Outcome, Run, invalid};
use crate::dom::{VIEWPORT_HEIGHT, VIEWPORT_WIDTH};
use crate::session::pages::{Modifiers, Mouse, MouseAction, NodeRef};
use crate::wire::DriverError;
use serde_json::Value;

pub(super) fn click(run: &Run<'_>) -> Outcome {
    let at = run.element()?;
    let (is_upload, is_option) = run
        .with(at.page, |document| (document.control_type(at.node) == "file", document.is(at.node, "option")));
    if is_upload {
        let message = "Cannot call click on an <input type='file'> element. Use sendKeys to upload files.";
        return Err(invalid(message));
    }
    let shown = run.with(at.page, |document| document.is_displayed_ignoring_opacity(at.node));
    if !shown {
        return Err(DriverError::new("element not interactable", "Element is not displayed"));
    }
    if is_option {
        // The atom's click: no mouse events on the list.
        run.pages.choose(at);
        return Ok(Value::Null);
    }
    let at_top = run.session.settings.granted.echo["se:ieOptions"]["elementScrollBehavior"] != 1;
    run.pages.scroll_into_view(at, at_top);
    obscured(run, at)?;
    let point = middle(run, at);
    for action in [MouseAction::Move, MouseAction::Down, MouseAction::Up] {
        let event = Mouse { action, button: 0, clicks: 1, point, modifiers: Modifiers::default() };
        run.pages.mouse(at, &event);
    }
    Ok(Value::Null)
}

/// Only a positioned element counts as a cover: the layout rules tell no more.
fn obscured(run: &Run<'_>, at: NodeRef) -> Result<(), DriverError> {
    let (x, y) = middle(run, at);
    let intercepted = |x: f64, y: f64, other: &str, index: i32| {
        let message = format!(
            "Element not clickable at point ({},{}). Other element would receive the click: {other} (elementsFromPoint index {index})",
            x as i64, y as i64
        );
        DriverError::new("element click intercepted", message)
    };
    let (untouchable, cover) = run.with(at.page, |document| {
        let untouchable = document.style(at.node).get("pointer-events") == "none";
        (untouchable, document.covered_by(at.node).map(|cover| document.start_tag(cover)))
    });
    if untouchable {
        return Err(intercepted(0.0, 0.0, "", -1));
    }
    if let Some(cover) = cover {
        return Err(intercepted(x, y, &cover, 0));
    }
    let inside = (0.0..VIEWPORT_WIDTH).contains(&x) && (0.0..VIEWPORT_HEIGHT).contains(&y);
    if inside {
        return Ok(());
    }
    Err(DriverError::new(
        "element not interactable",
        "The point at which the driver is attempting to click on the element was not scrolled into the viewport.",
    ))
}

/// The middle of the part of an element that is in the viewport, in its coordinates.
pub(super) fn middle(run: &Run<'_>, at: NodeRef) -> (f64, f64) {
    let rect = run.with(at.page, |document| document.rect(at.node));
    let (left, top) = run.pages.scroll_offset(at.page);
    let (x, y) = (rect.x - left, rect.y - top);
    let part = |start: f64, length: f64, whole: f64| {
        let (from, to) = (start.max(0.0), (start + length).min(whole));
        if from <= to { (from + to) / 2.0 } else { start + length / 2.0 }
    };
    (part(x, rect.width, VIEWPORT_WIDTH), part(y, rect.height, VIEWPORT_HEIGHT))
}
