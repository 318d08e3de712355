//! The tools. Owns: what a tool is, what a running call may use, the list [`TOOLS`]. Does not own:
//! MCP (`mcp`), the wire (`driver`).

pub mod browser_close;
pub mod browser_start;
pub mod click;
pub mod inspect_page;
pub mod navigate;
pub mod screenshot;
pub mod select;
pub mod switch_window;
pub mod type_text;
pub mod wait_for;

use crate::config::Config;
use crate::driver::Driver;
use crate::driver::command::Command;
use crate::driver::session::{Budget, Failure};
use crate::error::ToolError;
use crate::mcp::Progress;
use crate::page::Memory;
use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::Instant;

/// All tools in the order in which they are listed.
pub static TOOLS: &[&dyn Tool] = &[
    &browser_start::BrowserStart,
    &browser_close::BrowserClose,
    &navigate::Navigate,
    &inspect_page::InspectPage,
    &click::Click,
    &type_text::Type,
    &select::Select,
    &wait_for::WaitFor,
    &switch_window::SwitchWindow,
    &screenshot::Screenshot,
];

/// Top-level members of results that differ from run to run though nothing differs: durations. Pictures
/// differ as well. Whoever compares two results leaves out these and nothing else.
pub static VOLATILE: &[(&str, &str)] = &[("wait_for", "waitedMs")];

/// What is said of a tool. Annotations, limits and the wrapper's behaviour derive from it.
#[derive(Clone, Copy)]
pub struct Spec {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Changes nothing.
    pub read_only: bool,
    /// Its errors carry `outcome`.
    pub effect: bool,
    /// A page load can follow, so its limit includes the page-load limit.
    pub loads: bool,
    /// It has something to say while a dialog is open.
    pub despite_dialog: bool,
    /// JSON schema of the arguments; an object.
    pub input: fn() -> Map<String, Value>,
    /// JSON schema of the result, if it is sent as structured content too.
    pub output: Option<fn() -> Map<String, Value>>,
}

/// What a tool answers.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The object of the text block.
    pub json: Map<String, Value>,
    /// A PNG in base64, put before the text block.
    pub png: Option<String>,
}

impl From<Value> for Output {
    fn from(value: Value) -> Self {
        let json = match value {
            Value::Object(json) => json,
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        Self { json, png: None }
    }
}

/// A tool: one unit struct in one file.
pub trait Tool: Sync {
    /// What is said of it.
    fn spec(&self) -> &'static Spec;

    /// Milliseconds its limit grows by for these arguments (typing: 40 a character).
    fn extra_ms(&self, _args: &Map<String, Value>) -> u64 {
        0
    }

    /// Runs it.
    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>>;
}

/// Reads arguments. Names of the accepted ones are added by the wrapper.
///
/// # Errors
/// `INVALID_ARGUMENT` with serde's text, which names the member.
pub fn parse<T: DeserializeOwned>(args: Value) -> Result<T, ToolError> {
    serde_json::from_value(args).map_err(|error| ToolError::invalid(error.to_string()))
}

/// An object schema without members.
pub fn no_arguments() -> Map<String, Value> {
    let Value::Object(schema) =
        serde_json::json!({ "type": "object", "properties": {}, "additionalProperties": false })
    else {
        return Map::new();
    };
    schema
}

/// The schema of a result with address and title, which are absent while a dialog is open and nothing is known; other
/// members may stand beside these.
pub fn page_output(more: Value) -> Map<String, Value> {
    let text = serde_json::json!({ "type": "string" });
    let mut members = Map::from_iter([("url".to_owned(), text.clone()), ("title".to_owned(), text)]);
    if let Value::Object(more) = more {
        members.extend(more);
    }
    Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), Value::Object(members))])
}

/// What a running call may use.
pub struct Call<'a> {
    /// Driver and session.
    pub driver: &'a mut Driver,
    /// The operator's settings.
    pub config: &'a Config,
    /// End of the call and its cancellation.
    pub budget: Budget,
    /// Element wait of this call: `timeoutMs`, or the configured one, shortened to fit the cap.
    pub wait: Duration,
    /// Where progress goes, if the client asked for it.
    pub progress: Option<Progress>,
}

impl Call<'_> {
    /// Sends a command to the session.
    ///
    /// # Errors
    /// [`Failure::NoSession`] without a session, else what [`crate::driver::session::Session::run`] says.
    pub async fn run(&mut self, command: Command) -> Result<Value, Failure> {
        match &mut self.driver.session {
            Some(session) => session.run(command).await,
            None => Err(Failure::NoSession),
        }
    }

    /// What is remembered of the page.
    pub fn memory(&mut self) -> &mut Memory {
        &mut self.driver.memory
    }

    /// Text of the dialog met last, if it was not answered since.
    pub fn dialog(&self) -> Option<&str> {
        self.driver.session.as_ref()?.dialog.as_deref()
    }

    /// When the element wait that begins now ends.
    pub fn wait_until(&self) -> Instant {
        (Instant::now() + self.wait).min(self.budget.deadline)
    }

    /// Tells the client how far a wait is; does nothing if it did not ask.
    pub async fn report(&mut self, message: &str) {
        if let Some(progress) = &mut self.progress {
            progress.report(message).await;
        }
    }
}
