//! `harness run`: a flow against a live driver, without recording.

use super::{Exit, Failure, live_runtime};
use crate::flow::{
    self, Launch, Outcome, ToolServer,
    executables::{self, SERVER},
    live::{self, Difference, Live, LiveControls},
};
use clap::Args;
use std::{collections::BTreeMap, path::PathBuf};

/// Runs the tool calls of a file against a driver and shows what they answer.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The flow, one tool call a line; a recording's flow.jsonl as well.
    flow: PathBuf,
    /// The driver's executable, or the address of a driver or Selenium Grid hub that runs already; by
    /// default Chromium on the demonstration application, which the flow knows as http://demo.test.
    #[arg(long, value_name = "PATH|URL")]
    driver: Option<String>,
    /// Show results in full.
    #[arg(long)]
    full: bool,
}

/// Characters of a result that are shown unless it is asked for in full.
const SHOWN: usize = 160;

impl RunArgs {
    /// Prints one line per call. A tool's error is a result and no failure.
    ///
    /// # Errors
    /// If the flow cannot be read or run to its end.
    #[allow(clippy::print_stdout, reason = "the command line owns stdout")]
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let steps = flow::read(&self.flow).map_err(|error| Failure::usage(error.to_string()))?;
        let failed = |error: &dyn std::fmt::Display| Failure::usage(error.to_string());
        let outcomes = live_runtime()?.block_on(async {
            match &self.driver {
                Some(driver) => {
                    let server =
                        ToolServer::spawn(&with_driver(driver)?).await.map_err(|error| failed(&error))?;
                    let outcomes = flow::run(&steps, &server, &mut LiveControls::of(&server)).await;
                    server.close().await;
                    outcomes.map_err(|error| failed(&error))
                }
                None => {
                    if let Some(reason) = live::missing_browser() {
                        return Err(Failure::usage(format!("{reason}; or name a driver with --driver")));
                    }
                    let faults = live::faults_beside(&self.flow).map_err(|error| failed(&error))?;
                    let difference = Difference { faults, ..Difference::default() };
                    let live = Live::start(difference).await.map_err(|error| failed(&error))?;
                    let outcomes = flow::run(&steps, &live.server, &mut LiveControls::of(&live.server)).await;
                    live.end().await;
                    outcomes.map_err(|error| failed(&error))
                }
            }
        })?;
        for outcome in &outcomes {
            println!("{}", self.line(outcome));
        }
        Ok(Exit::Fine)
    }

    fn line(&self, outcome: &Outcome) -> String {
        let mut text = outcome.result.text().unwrap_or("(no text)").to_owned();
        if !self.full && text.chars().count() > SHOWN {
            text = text.chars().take(SHOWN).chain("...".chars()).collect();
        }
        format!("{:>3} {:<14} {:>6} ms  {text}", outcome.call, outcome.tool, outcome.result.took_ms)
    }
}

fn with_driver(driver: &str) -> Result<Launch, Failure> {
    let program = executables::find(SERVER).map_err(|error| Failure::usage(error.to_string()))?;
    let name = if driver.starts_with("http://") { "IE_MCP_DRIVER_URL" } else { "IE_MCP_DRIVER_PATH" };
    let variables = BTreeMap::from([(name.to_owned(), driver.to_owned())]);
    Ok(Launch { program, arguments: Vec::new(), variables })
}
