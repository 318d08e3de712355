//! The page's alerts, confirms and prompts. Owns: how one is answered. Does not own: noticing one (`driver::session`).

use crate::driver::command::Command;
use crate::driver::session::Failure;
use crate::error::{Code, Outcome, ToolError};
use crate::mcp::schemars;
use crate::tools::Call;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The answer to give if a dialog opens during the call.
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "schemars")]
pub struct DialogAnswer {
    /// What to press.
    pub action: DialogAction,
    /// Text for a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What to press.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "schemars")]
pub enum DialogAction {
    /// OK.
    Accept,
    /// Cancel; an alert has only OK.
    Dismiss,
}

impl DialogAction {
    /// The word the agent used.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Dismiss => "dismiss",
        }
    }
}

/// What was answered, for the member `answered` of a result.
pub fn answered(text: &str, action: DialogAction) -> Value {
    Value::Object(Map::from_iter([
        ("text".to_owned(), text.into()),
        ("action".to_owned(), action.as_str().into()),
    ]))
}

/// Answers the open dialog; gives the text it showed.
///
/// # Errors
/// As the commands, but `NOT_INTERACTABLE` for a text in a dialog that takes none, and
/// `ELEMENT_NOT_FOUND` with reason `no_dialog` if none is open.
pub async fn answer(call: &mut Call<'_>, answer: &DialogAnswer) -> Result<String, ToolError> {
    let shown = match call.dialog() {
        Some(text) => text.to_owned(),
        None => read(call).await?,
    };
    if let Some(text) = &answer.text
        && answer.action == DialogAction::Accept
    {
        call.run(Command::send_alert_text(text)).await.map_err(no_text_field)?;
    }
    let press = match answer.action {
        DialogAction::Accept => Command::accept_alert(),
        DialogAction::Dismiss => Command::dismiss_alert(),
    };
    call.run(press).await.map_err(none_open)?;
    Ok(shown)
}

/// The text of the open dialog.
///
/// # Errors
/// As [`answer`].
pub async fn read(call: &mut Call<'_>) -> Result<String, ToolError> {
    let text = call.run(Command::alert_text()).await.map_err(none_open)?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

fn none_open(failure: Failure) -> ToolError {
    if failure.is("no such alert") {
        ToolError::new(Code::ElementNotFound, "No dialog is open.")
            .reason("no_dialog")
            .outcome(Outcome::NotDone)
    } else {
        failure.into()
    }
}

fn no_text_field(failure: Failure) -> ToolError {
    if failure.is("element not interactable") || failure.is("unsupported operation") {
        ToolError::new(Code::NotInteractable, "The open dialog takes no text: it is not a prompt.")
            .outcome(Outcome::NotDone)
    } else {
        none_open(failure)
    }
}
