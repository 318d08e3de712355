//! `navigate`: opens an address, or moves in the history.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::Command;
use crate::driver::session::Failure;
use crate::error::{Code, Outcome, ToolError};
use crate::mcp::{schema_of, schemars};
use crate::page::dialog::{self, DialogAnswer};
use crate::page::{error_page, origin, state};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The tool.
pub struct Navigate;

static SPEC: Spec = Spec {
    name: "navigate",
    title: "Open an address",
    description: "Open an address and wait until it is loaded, or go back, forward or refresh.",
    read_only: false,
    effect: true,
    loads: true,
    despite_dialog: false,
    input: schema_of::<Args>,
    output: Some(output),
};

/// Exactly one of `url` and `history`.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "schemars")]
struct Args {
    /// Absolute address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Instead of url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    history: Option<History>,
    /// Answer to a dialog that opens meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialog: Option<DialogAnswer>,
}

#[derive(Clone, Copy, Debug, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "schemars")]
enum History {
    Back,
    Forward,
    Refresh,
}

fn output() -> Map<String, Value> {
    super::page_output(json!({}))
}

impl Tool for Navigate {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            let (command, asked) = match (&args.url, args.history) {
                (Some(url), None) => {
                    let address = origin::may_open(call.config, url)?;
                    (Command::navigate(&address), Some(origin::without_user_info(&address)))
                }
                (None, Some(History::Back)) => (Command::back(), None),
                (None, Some(History::Forward)) => (Command::forward(), None),
                (None, Some(History::Refresh)) => (Command::refresh(), None),
                _ => return Err(ToolError::invalid("navigate needs either url or history.")),
            };
            if let Err(failure) = call.run(command).await {
                return Err(failed(call, failure, asked.as_deref()).await);
            }
            // Not known until it is read again, which an open dialog may prevent.
            (call.memory().url, call.memory().title) = (None, None);
            arrive(call, asked.as_deref(), args.dialog).await
        })
    }
}

/// What is to be said of a command that gave no success.
async fn failed(call: &mut Call<'_>, failure: Failure, asked: Option<&str>) -> ToolError {
    let unloaded = failure.is("timeout");
    let refused = failure.is("unknown error") && asked.is_some();
    let mut error = ToolError::from(failure);
    if refused {
        error.code = Code::NavigationFailed;
    }
    if unloaded {
        error.message = "The page did not finish loading within the page-load limit.".into();
        error.hint = Some("It may still load: look with inspect_page, or wait_for something of it.".into());
        // Where the browser stands tells how far it came, such as a sign-in page.
        if let Ok(state) = state::read(call).await {
            error = error.detail("url", origin::without_user_info(&state.url)).detail("title", state.title);
        }
    } else if let Some(asked) = asked {
        error = error.detail("url", asked);
    }
    error
}

/// Says where the browser is after a navigation, and answers a dialog that opened on the way.
async fn arrive(
    call: &mut Call<'_>,
    asked: Option<&str>,
    answer: Option<DialogAnswer>,
) -> Result<Output, ToolError> {
    let mut result = Map::new();
    let mut seen = state::read(call).await;
    if seen.as_ref().is_err_and(Failure::is_dialog)
        && let Some(answer) = answer
    {
        let text = dialog::answer(call, &answer).await?;
        result.insert("answered".into(), dialog::answered(&text, answer.action));
        seen = state::read(call).await;
    }
    let state = match seen {
        Ok(state) => state,
        Err(failure) if failure.is_dialog() => return Ok(Output::from(Value::Object(result))),
        Err(failure) => return Err(failure.into()),
    };
    // IE's error pages refuse scripts, which alone tell the ready state.
    if error_page::is_address(&state.url) || state.ready_state.is_empty() {
        let source = call.run(Command::source()).await.unwrap_or_default();
        let source = source.as_str().unwrap_or_default();
        if let Some(reason) = error_page::recognise(&state.url, &state.title, source) {
            let message = format!("The browser shows an error page: {}", state.title);
            return Err(ToolError::new(Code::NavigationFailed, message)
                .detail("url", asked.map_or_else(|| origin::without_user_info(&state.url), str::to_owned))
                .reason(reason)
                .outcome(Outcome::Done));
        }
    }
    result.insert("url".into(), state.url.into());
    result.insert("title".into(), state.title.into());
    Ok(Output::from(Value::Object(result)))
}
