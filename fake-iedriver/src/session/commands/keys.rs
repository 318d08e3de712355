//! Clear and send keys (`reference/iedriver-wire.md` section 5.8).

use super::{Outcome, Run, invalid};
use crate::session::pages::NodeRef;
use crate::wire::DriverError;
use serde_json::Value;
use std::path::PathBuf;

pub(super) fn clear(run: &Run<'_>) -> Outcome {
    let at = run.element()?;
    let (editable, disabled, fixed, shown) = run.with(at.page, |document| {
        let editable = document.is_text_control(at.node)
            || matches!(document.control_type(at.node), "select-multiple" | "file")
            || document.attribute(at.node, "contenteditable").is_some_and(|value| value != "false");
        let fixed = document.has_attribute(at.node, "readonly");
        (editable, document.is_disabled(at.node), fixed, document.is_displayed(at.node))
    });
    if disabled || fixed {
        let message = "Element must not be read-only or disabled";
        return Err(DriverError::new("invalid element state", message));
    }
    if !shown {
        let message =
            "Element is not interactable, it must not be hidden and it must be able to receive focus";
        return Err(DriverError::new("element not interactable", message));
    }
    if !editable {
        let message = "A JavaScript error was encountered clearing the element. The driver assumes this is because the element is hidden, disabled or read-only, and it must not be to clear the element.";
        return Err(DriverError::new("invalid element state", message));
    }
    run.pages.clear(at);
    Ok(Value::Null)
}

/// Null whatever happens while typing, and no wait for a page that Enter may load.
pub(super) fn send(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    let id = run.call.param("e").unwrap_or_default();
    let at = run.element().map_err(|mut error| {
        if error.message == format!("Invalid internal element ID requested: {id}") {
            error.message = "Element is no longer valid".into();
        }
        error
    })?;
    let text = run.call.text("text").unwrap_or_default();
    let (list, is_upload) = run.with(at.page, |document| {
        (document.option_select(at.node), document.control_type(at.node) == "file")
    });
    let at = NodeRef { node: list.unwrap_or(at.node), ..at };
    if is_upload {
        return upload(run, at, text);
    }
    let blocked = |what: &str| {
        let message = format!("Element cannot be interacted with via the keyboard because it is not {what}");
        Err(DriverError::new("element not interactable", message))
    };
    let (shown, disabled) =
        run.with(at.page, |document| (document.is_displayed(at.node), document.is_disabled(at.node)));
    if !shown {
        return blocked("displayed");
    }
    if disabled {
        return blocked("enabled");
    }
    run.pages.scroll_into_view(at, true);
    if !run.pages.focus(at) {
        return blocked("focusable");
    }
    run.pages.type_text(at, text);
    Ok(Value::Null)
}

fn upload(run: &Run<'_>, at: NodeRef, text: &str) -> Outcome {
    let paths: Vec<&str> = text.split('\n').filter(|path| !path.is_empty()).collect();
    if paths.is_empty() {
        return Err(invalid("Upload file cannot be an empty string."));
    }
    let many = run.with(at.page, |document| document.has_attribute(at.node, "multiple"));
    if paths.len() > 1 && !many {
        return Err(invalid(
            "Attempting to upload multiple files to file upload element without multiple attribute.",
        ));
    }
    let files: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    for (path, file) in paths.iter().zip(&files) {
        if !file.exists() {
            return Err(invalid(format!("Attempting to upload file '{path}' which does not exist.")));
        }
        if file.is_dir() {
            return Err(invalid(format!("Attempting to upload file '{path}' which is a directory.")));
        }
    }
    if files.windows(2).any(|pair| pair[0].parent() != pair[1].parent()) {
        return Err(invalid(
            "Attempting to upload multiple files, but all files must be in the same directory.",
        ));
    }
    run.pages.upload(at, files);
    Ok(Value::Null)
}
