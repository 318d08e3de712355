//! Navigation and the top-level page's texts (`reference/iedriver-wire.md` section 5.2).

use super::{Outcome, Run, invalid};
use crate::wire::DriverError;
use serde_json::Value;

const GONE: &str = "Unable to get browser";

pub(super) fn navigate(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    let window = run.window(GONE)?;
    let url = run.call.text("url").unwrap_or_default();
    let Ok(parsed) = url::Url::parse(url) else {
        return Err(invalid(format!("Specified URL ({url}) is not valid.")));
    };
    if parsed.scheme() == "file" {
        let path = parsed
            .to_file_path()
            .map_err(|()| invalid(format!("Specified URL ({url}) is a file, but the path was not valid.")))?;
        if path.is_dir() {
            return Err(invalid(format!(
                "Specified URL ({url}) is a directory, and the browser opens directories outside the browser window."
            )));
        }
    }
    if is_modal(run, window) {
        let message = format!(
            "Failed to navigate to {url}. This usually means that a call to the COM method IWebBrowser2::Navigate2() failed."
        );
        return Err(DriverError::new("unknown error", message));
    }
    to_the_top(run);
    run.pages.navigate(window, url);
    Ok(Value::Null)
}

pub(super) fn back(run: &Run<'_>) -> Outcome {
    history(run, -1)
}

pub(super) fn forward(run: &Run<'_>) -> Outcome {
    history(run, 1)
}

fn history(run: &Run<'_>, steps: i32) -> Outcome {
    let window = run.window(GONE)?;
    if !is_modal(run, window) {
        run.pages.go(window, steps);
    }
    Ok(Value::Null)
}

pub(super) fn refresh(run: &Run<'_>) -> Outcome {
    let window = run.window(GONE)?;
    if !is_modal(run, window) {
        to_the_top(run);
        run.pages.reload(window);
    }
    Ok(Value::Null)
}

/// Always of the top page, whatever frame has the focus.
pub(super) fn url(run: &Run<'_>) -> Outcome {
    Ok(run.pages.url(run.window(GONE)?).into())
}

/// As `url`.
pub(super) fn title(run: &Run<'_>) -> Outcome {
    Ok(run.pages.title(run.window(GONE)?).into())
}

/// Of the focused frame; empty without a document.
pub(super) fn source(run: &Run<'_>) -> Outcome {
    let context = run.context(GONE)?;
    let Some(page) = run.pages.page(context) else { return Ok("".into()) };
    Ok(run.with(page, |document| document.page_source()).into())
}

fn to_the_top(run: &Run<'_>) {
    let mut focus = run.session.focus.borrow_mut();
    focus.context = focus.window;
}

fn is_modal(run: &Run<'_>, window: u32) -> bool {
    run.pages.windows().iter().any(|open| open.context == window && open.modal)
}
