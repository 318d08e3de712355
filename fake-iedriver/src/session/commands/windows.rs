//! Windows and their rectangles (`reference/iedriver-wire.md` sections 5.4 and 5.5).

use super::{Outcome, Run};
use crate::session::serve::WindowRect;
use crate::wire::DriverError;
use serde_json::{Value, json};

/// Tries of a switch before the handle counts as unknown, 100 ms apart.
const TRIES: u32 = 10;

pub(super) fn handle(run: &Run<'_>) -> Outcome {
    run.window("Window is closed")?;
    Ok(run.session.focus.borrow().handle.clone().into())
}

/// In the order of the ids, which has nothing to do with the order of opening.
pub(super) fn handles(run: &Run<'_>) -> Outcome {
    let mut handles: Vec<String> = run.pages.windows().into_iter().map(|window| window.handle).collect();
    handles.sort_unstable();
    Ok(handles.into())
}

pub(super) fn switch(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    let wanted = run.call.text("handle").unwrap_or_default();
    for _ in 0..TRIES {
        run.session.pause(run.pages, 100);
        if let Some(window) = run.pages.windows().into_iter().find(|window| window.handle == wanted) {
            run.session.focus_window(run.pages, window.handle, window.context);
            return Ok(Value::Null);
        }
    }
    Err(DriverError::new("no such window", "No window found"))
}

/// The handles that are left. The focus stays on the closed window.
pub(super) fn close(run: &Run<'_>) -> Outcome {
    let window = run.window("Unable to get browser")?;
    run.pages.close_window(window);
    run.session.pause(run.pages, 50);
    handles(run)
}

pub(super) fn open(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    run.window("Error retrieving current window")?;
    let kind = if run.call.text("type") == Some("window") { "window" } else { "tab" };
    match run.pages.open_window() {
        Some(handle) => Ok(json!({ "handle": handle, "type": kind })),
        None => Err(DriverError::new("no such window", "New window not created")),
    }
}

/// A window as it opens: 1,024 x 768 px of page and its frame around it.
const OPENED: WindowRect = WindowRect { x: 10, y: 10, width: 1040, height: 884 };
/// As field logs show it on a screen of 1,920 x 1,080.
const MAXIMIZED: WindowRect = WindowRect { x: -8, y: -8, width: 1936, height: 1056 };
const FULL: WindowRect = WindowRect { x: 0, y: 0, width: 1920, height: 1080 };
/// Where Windows puts what is minimised.
const MINIMIZED: WindowRect = WindowRect { x: -32_000, y: -32_000, width: 160, height: 28 };

const NO_RECT: &str = "Error retrieving window";

pub(super) fn rect(run: &Run<'_>) -> Outcome {
    let window = run.window(NO_RECT)?;
    Ok(value(current(run, window)))
}

/// `x` and `y` count as a pair only, `width` and `height` likewise.
pub(super) fn set_rect(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    let window = run.window("Error retrieving current window")?;
    let number = |name: &str| run.call.body.get(name).and_then(Value::as_f64).map(|number| number as i64);
    let mut rect = current(run, window);
    if let (Some(x), Some(y)) = (number("x"), number("y")) {
        (rect.x, rect.y) = (x, y);
    }
    if let (Some(width), Some(height)) = (number("width"), number("height")) {
        (rect.width, rect.height) = (width, height);
    }
    keep(run, window, rect)
}

pub(super) fn maximize(run: &Run<'_>) -> Outcome {
    keep(run, run.window(NO_RECT)?, MAXIMIZED)
}

pub(super) fn minimize(run: &Run<'_>) -> Outcome {
    keep(run, run.window(NO_RECT)?, MINIMIZED)
}

pub(super) fn fullscreen(run: &Run<'_>) -> Outcome {
    keep(run, run.window(NO_RECT)?, FULL)
}

fn current(run: &Run<'_>, window: u32) -> WindowRect {
    run.session.rects.borrow().get(&window).copied().unwrap_or(OPENED)
}

fn keep(run: &Run<'_>, window: u32, rect: WindowRect) -> Outcome {
    run.session.rects.borrow_mut().insert(window, rect);
    Ok(value(rect))
}

fn value(rect: WindowRect) -> Value {
    let WindowRect { x, y, width, height } = rect;
    json!({ "height": height, "width": width, "x": x, "y": y })
}
