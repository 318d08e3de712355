//! The one wrapper around every tool call: arguments, order, deadline, dialog check, panic, outcome, notes, log line.
//!
//! Owns: everything the tools have in common. Does not own: MCP types (`mod.rs`).

use super::{Progress, arguments};
use crate::config::Config;
use crate::driver::Driver;
use crate::driver::command::Command;
use crate::driver::session::Budget;
use crate::error::{Code, Outcome, ToolError};
use crate::page::origin;
use crate::tools::{Call, Output, Spec, Tool};
use futures::FutureExt;
use serde_json::{Map, Value, json};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Many clients give up at 60 s.
const CAP: Duration = Duration::from_secs(58);

/// What all calls share. The mutex is fair: calls run in order of arrival.
pub(super) struct Desk {
    pub(super) config: Config,
    pub(super) driver: Mutex<Driver>,
    pub(super) stop: CancellationToken,
    pub(super) note: std::sync::Mutex<Option<String>>,
}

/// Runs a call to its answer.
pub(super) async fn call(
    desk: &Desk,
    tool: &'static dyn Tool,
    args: Map<String, Value>,
    cancel: CancellationToken,
    progress: Option<Progress>,
) -> Result<Output, ToolError> {
    let begun = Instant::now();
    let spec = tool.spec();
    let line = described(spec, &args);
    let result = guarded(desk, tool, args, cancel, progress).await;
    let result = result.map_err(|error| match error.code {
        Code::InvalidArgument => arguments::explain(spec, error),
        _ => error,
    });
    log(line, &result, begun.elapsed());
    result
}

async fn guarded(
    desk: &Desk,
    tool: &'static dyn Tool,
    args: Map<String, Value>,
    cancel: CancellationToken,
    progress: Option<Progress>,
) -> Result<Output, ToolError> {
    let spec = tool.spec();
    let not_done = |error: ToolError| if spec.effect { error.outcome(Outcome::NotDone) } else { error };
    let timeout = arguments::check(spec, &args).map_err(not_done)?;
    let mut driver = tokio::select! {
        biased;
        // A call cancelled while it waits its turn never acts.
        () = cancel.cancelled() => return Err(not_done(ToolError::internal("The call was cancelled.").reason("cancelled"))),
        () = desk.stop.cancelled() => return Err(not_done(ToolError::internal("The server stops.").reason("cancelled"))),
        driver = desk.driver.lock() => driver,
    };
    let (wait, limit) = limits(&desk.config, tool, &args, timeout);
    // Cancelled by the client or by the end of the server.
    let either = desk.stop.child_token();
    let budget = Budget { deadline: Instant::now() + limit, cancel: either.clone() };
    if let Some(session) = &mut driver.session {
        session.begin(budget.clone());
    }
    let result = {
        let work =
            AssertUnwindSafe(run(desk, tool, args, &mut driver, budget, wait, progress)).catch_unwind();
        tokio::pin!(work);
        let net = tokio::time::sleep(limit + Duration::from_millis(200));
        tokio::pin!(net);
        let mut watching = true;
        loop {
            tokio::select! {
                biased;
                result = &mut work => break result.unwrap_or_else(|_| Err(ToolError::internal("The tool failed inside; see the log."))),
                () = cancel.cancelled(), if watching => { either.cancel(); watching = false; }
                // The session keeps the deadline of commands; this ends a tool that waits for something else.
                // A start or close ends by itself, with everything cleaned up.
                () = &mut net, if !matches!(spec.name, "browser_start" | "browser_close") => {
                    break Err(ToolError::new(Code::Timeout, "The call did not end within its limit."));
                }
            }
        }
    };
    settle(desk, spec, &mut driver, result, cancel.is_cancelled()).await
}

async fn run(
    desk: &Desk,
    tool: &'static dyn Tool,
    args: Map<String, Value>,
    driver: &mut Driver,
    budget: Budget,
    wait: Duration,
    progress: Option<Progress>,
) -> Result<Output, ToolError> {
    let spec = tool.spec();
    if let Some(session) = &mut driver.session
        && session.dialog.is_some()
    {
        // It may have been answered by hand meanwhile.
        let asked = session.run(Command::alert_text()).await;
        if !spec.despite_dialog
            && asked.is_ok()
            && let Some(text) = &session.dialog
        {
            return Err(ToolError::dialog(text));
        }
    }
    if desk.config.read_only && matches!(spec.name, "click" | "type" | "select") {
        return Err(
            ToolError::internal("IE_MCP_READ_ONLY is set: this tool refuses to act.").reason("read_only")
        );
    }
    let mut call = Call { driver, config: &desk.config, budget, wait, progress };
    tool.run(Value::Object(args), &mut call).await
}

/// Element wait and whole limit of a call (`contract.md` section 2.2).
fn limits(
    config: &Config,
    tool: &dyn Tool,
    args: &Map<String, Value>,
    timeout: Option<u64>,
) -> (Duration, Duration) {
    let spec = tool.spec();
    if spec.name == "browser_start" {
        return (Duration::ZERO, Duration::from_millis(config.start_ms).min(CAP));
    }
    let wait = Duration::from_millis(timeout.unwrap_or(config.timeout_ms)).min(CAP - Duration::from_secs(2));
    // The answer to a dialog can send a form.
    let load = if spec.loads || args.contains_key("dialog") {
        Duration::from_millis(config.page_load_ms)
    } else {
        Duration::ZERO
    };
    let extra = Duration::from_millis(tool.extra_ms(args)) + Duration::from_secs(2);
    (wait, (wait + load + extra).min(CAP))
}

/// What holds after a call: outcome, note, dialog; a lost session is dropped.
async fn settle(
    desk: &Desk,
    spec: &Spec,
    driver: &mut Driver,
    result: Result<Output, ToolError>,
    cancelled: bool,
) -> Result<Output, ToolError> {
    let result = masked(driver, result);
    let account = driver.session.as_ref().map(crate::driver::session::Session::account).unwrap_or_default();
    if result.as_ref().is_err_and(|error| error.code == Code::Timeout)
        && let Some(session) = &mut driver.session
    {
        session.cut();
    }
    let dialog = driver.session.as_ref().and_then(|session| session.dialog.clone());
    if result.as_ref().is_err_and(|error| error.code == Code::DriverLost) {
        driver.discard().await;
    }
    let mut note = desk.note.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if cancelled {
        if account.touched() {
            *note = Some(format!("The cancelled {} may have happened.", spec.name));
        }
        return result;
    }
    let note = note.take();
    match result.and_then(|output| reached(&desk.config, driver, output)) {
        Ok(mut output) => {
            if let Some(text) = dialog {
                output.json.entry("dialog").or_insert_with(|| json!({ "text": text }));
            }
            if let Some(note) = note {
                output.json.insert("note".into(), note.into());
            }
            Ok(output)
        }
        Err(mut error) => {
            if spec.effect && error.outcome.is_none() {
                error.outcome = Some(account.outcome());
            }
            if error.outcome == Some(Outcome::Unknown) && error.hint.is_none() {
                error.hint =
                    Some("It may have happened: look with inspect_page before doing it again.".into());
            }
            if let Some(note) = note {
                error = error.detail("note", note);
            }
            Err(error)
        }
    }
}

/// Without what was typed into password fields, in whatever text of the page it turns up.
fn masked(driver: &Driver, result: Result<Output, ToolError>) -> Result<Output, ToolError> {
    let secrets = &driver.memory.secrets;
    match result {
        Ok(mut output) => {
            output.json.values_mut().for_each(|value| secrets.mask(value));
            Ok(output)
        }
        Err(mut error) => {
            error.message = secrets.masked(&error.message).unwrap_or(error.message);
            error.details.iter_mut().for_each(|(_, value)| secrets.mask(value));
            Err(error)
        }
    }
}

/// Marks a page that was reached on an origin that is not on the list, or withholds it (`contract.md` section 2.6).
fn reached(config: &Config, driver: &Driver, mut output: Output) -> Result<Output, ToolError> {
    let Some(address) = output.json.get("url").and_then(Value::as_str) else { return Ok(output) };
    if origin::may_stay(config, address, driver.start_page()) {
        return Ok(output);
    }
    if config.allowed_origins_strict {
        return Err(ToolError::new(
            Code::UrlNotAllowed,
            "The browser shows a page of an origin that is not on the list.",
        )
        .detail("url", origin::without_user_info(address))
        .hint("navigate to an allowed address, or switch to another window."));
    }
    output.json.insert("originAllowed".into(), false.into());
    Ok(output)
}

/// Members of the log line known before the call: never typed text.
fn described(spec: &Spec, args: &Map<String, Value>) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("tool".into(), spec.name.into());
    if let Some(url) = args.get("url").and_then(Value::as_str) {
        line.insert("url".into(), origin::without_user_info(url).into());
    }
    if let Some(selector) = args.get("selector") {
        line.insert("selector".into(), selector.clone());
    }
    if spec.name == "type"
        && let Some(text) = args.get("text").and_then(Value::as_str)
    {
        line.insert("textLength".into(), text.chars().count().into());
    }
    line
}

fn log(mut line: Map<String, Value>, result: &Result<Output, ToolError>, took: Duration) {
    let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    if let Err(error) = result {
        line.insert("error".into(), error.code.as_str().into());
        line.insert("message".into(), error.message.clone().into());
    }
    line.insert("durationMs".into(), took.into());
    let json = Value::Object(line).to_string();
    if result.is_ok() {
        tracing::info!(json);
    } else {
        tracing::error!(json);
    }
}
