//! The runner: every step of a flow in order, with what came back.
//!
//! Owns: order and collection. A tool error is a result and does not stop the flow; a call without any
//! result does. Does not own: judging results.

use super::{CallError, Control, Step, ToolResult, ToolServer};
use crate::clock;
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use std::{fmt, time::Duration};

/// What a control line does; whoever owns the far end knows how.
pub trait Controls: Send {
    /// Ends the driver as a crash would, and returns when it is gone.
    fn kill_driver(&mut self) -> BoxFuture<'_, Result<(), String>>;

    /// Told before each call, counted from 1.
    fn calling(&mut self, _call: u64, _tool: &str) {}

    /// Lets time pass. On tokio's clock unless said otherwise.
    fn advance(&mut self, ms: u64) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            clock::pause(Duration::from_millis(ms)).await;
            Ok(())
        })
    }
}

/// A tool call of a flow and its result.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which call of the flow, from 1; control lines are not counted.
    pub call: usize,
    /// Name of the tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// What it answered.
    pub result: ToolResult,
}

/// Why a flow could not be run to its end.
#[derive(Debug)]
pub enum RunError {
    /// This call (from 1) brought no result.
    Call(usize, CallError),
    /// A control line after this many calls failed.
    Control(usize, Control, String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call, error) => write!(f, "call {call}: {error}"),
            Self::Control(calls, control, error) => write!(f, "{control:?} after call {calls}: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

/// Runs the steps one after another.
///
/// # Errors
/// If a call brings no result or a control line fails.
pub async fn run(
    steps: &[Step],
    server: &ToolServer,
    controls: &mut dyn Controls,
) -> Result<Vec<Outcome>, RunError> {
    let mut outcomes = Vec::new();
    run_into(steps, server, controls, &mut outcomes).await?;
    Ok(outcomes)
}

/// As [`run`]; what came back before an error is kept.
///
/// # Errors
/// As [`run`].
pub async fn run_into(
    steps: &[Step],
    server: &ToolServer,
    controls: &mut dyn Controls,
    outcomes: &mut Vec<Outcome>,
) -> Result<(), RunError> {
    for step in steps {
        match step {
            Step::Call { tool, arguments } => {
                let call = outcomes.len() + 1;
                controls.calling(call as u64, tool);
                let result = server
                    .call(tool, arguments.clone())
                    .await
                    .map_err(|error| RunError::Call(call, error))?;
                outcomes.push(Outcome { call, tool: tool.clone(), arguments: arguments.clone(), result });
            }
            Step::Control(control) => {
                let done = match control {
                    Control::KillDriver => controls.kill_driver().await,
                    Control::Advance { ms } => controls.advance(*ms).await,
                };
                done.map_err(|error| RunError::Control(outcomes.len(), *control, error))?;
            }
        }
    }
    Ok(())
}
