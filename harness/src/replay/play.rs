//! A recorded flow, run against the server in front of its recording, and judged.
//!
//! Owns: the set-up in both modes, the watchdog, the verdict. Does not own: answers (`far_end`),
//! the rule of comparison (`flow::compare`), output (`report`).

use super::{Asked, FarEnd, InMemory, Miss, Pace, stand_in::StandIns};
use crate::{
    flow::{
        Controls, Launch, Outcome, RunError, Step, ToolServer,
        compare::{self, Difference},
        live::LiveControls,
        run_into,
    },
    model::{Schedule, Tiers},
    recording::{Exchange, FlowLine, Recording},
};
use futures::future::BoxFuture;
use ie_mode_mcp::{Config, DriverAccess, config::VARIABLES};
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Longest virtual time of a flow: one that waits for nothing would wait for ever.
const WATCHDOG: Duration = Duration::from_secs(24 * 3600);

/// Longest real time of a flow in front of the built server.
const REAL_WATCHDOG: Duration = Duration::from_secs(600);

/// How the server runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In this process, over pipes in memory, in virtual time.
    InProcess,
    /// This executable over its real stdio, with the harness's executable as its driver.
    Binary {
        /// The server.
        server: PathBuf,
        /// The harness, which stands in for the driver.
        harness: PathBuf,
    },
}

impl Mode {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::InProcess => "in process",
            Self::Binary { .. } => "binary",
        }
    }
}

/// How a flow is played.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the server runs.
    pub mode: Mode,
    /// From which ids and the order of windows follow.
    pub seed: u64,
    /// When the world moves on by itself.
    pub schedule: Schedule,
    /// Further members count as differences too.
    pub exact: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { mode: Mode::InProcess, seed: 1, schedule: Schedule::default(), exact: false }
    }
}

/// One tool call with what was recorded and what came.
#[derive(Clone, Debug)]
pub struct CallReport {
    /// Number of the call, from 1.
    pub call: u64,
    /// Its tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// The result now, as MCP carries it.
    pub got: Value,
    /// Where it differs from the recorded one.
    pub differences: Vec<Difference>,
}

/// A flow that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// Name of the recording.
    pub name: String,
    /// Its calls, as far as it came.
    pub calls: Vec<CallReport>,
    /// How many calls the recording has.
    pub recorded_calls: usize,
    /// What the server asked of the driver.
    pub asked: Vec<Asked>,
    /// What the recording could not answer.
    pub misses: Vec<Miss>,
    /// How many answers came from which tier.
    pub tiers: Tiers,
    /// Why it could not be played to its end.
    pub stopped: Option<String>,
}

/// What is to be said of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every result is as recorded and every effect happened.
    Same,
    /// A result differs.
    Differs,
    /// The recording was asked what it does not hold, or an effect never came.
    Missed,
    /// It could not be played to its end, or not at all.
    Stopped,
}

impl Played {
    /// The verdict; a miss goes first, since differences follow from it.
    pub fn verdict(&self) -> Verdict {
        if !self.misses.is_empty() {
            Verdict::Missed
        } else if self.stopped.is_some() {
            Verdict::Stopped
        } else if self.calls.iter().any(|call| !call.differences.is_empty()) {
            Verdict::Differs
        } else {
            Verdict::Same
        }
    }

    /// What is wrong, for a person; empty if nothing is. Names flow, tool call and member.
    pub fn trouble(&self) -> String {
        let mut parts = Vec::new();
        if let Some(first) = self.misses.first() {
            let mut text = first.to_string().replacen('\n', &format!("    flow {}\n", self.name), 1);
            if self.misses.len() > 1 {
                text += &format!("\n  then       {} more", self.misses.len() - 1);
            }
            parts.push(text);
        }
        for call in &self.calls {
            for difference in &call.differences {
                parts.push(format!("flow {}, call {} {}: {difference}", self.name, call.call, call.tool));
            }
        }
        if let Some(stopped) = &self.stopped {
            parts.push(format!("flow {}: {stopped}", self.name));
        }
        parts.join("\n")
    }
}

/// Plays a recording under this name.
///
/// Trouble with the recording or the set-up is part of what is returned, so that one flow never stops
/// the others.
pub fn play(name: &str, recording: &Recording, options: &Options) -> Played {
    let mut played = Played {
        name: name.to_owned(),
        calls: Vec::new(),
        recorded_calls: recording.flow.iter().filter(|line| line.members.contains_key("tool")).count(),
        asked: Vec::new(),
        misses: Vec::new(),
        tiers: Tiers::default(),
        stopped: None,
    };
    if let Err(text) = attempt(recording, options, &mut played) {
        played.stopped = Some(text);
    }
    played
}

fn attempt(recording: &Recording, options: &Options, played: &mut Played) -> Result<(), String> {
    let config = config(recording)?;
    let pace = if options.mode == Mode::InProcess { Pace::Recorded } else { Pace::AtOnce };
    let far_end = Arc::new(FarEnd::new(recording, options.seed, options.schedule, pace)?);
    let steps = steps(recording, &far_end)?;
    let version = version(&recording.wire);
    let mut outcomes = Vec::new();
    let ran = match &options.mode {
        Mode::InProcess => tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .map_err(|error| error.to_string())?
            .block_on(in_process(&far_end, version, config, &steps, &mut outcomes)),
        Mode::Binary { server, harness } => {
            let launch = launch(server, harness, &config);
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| error.to_string())?
                .block_on(binary(&far_end, version, launch, &steps, &mut outcomes))
        }
    };
    let recorded: Vec<&FlowLine> =
        recording.flow.iter().filter(|line| line.members.contains_key("tool")).collect();
    played.calls = outcomes
        .into_iter()
        .zip(&recorded)
        .map(|(outcome, line)| report(outcome, line, recording, &far_end, options.exact))
        .collect();
    played.asked = far_end.asked();
    played.tiers = far_end.tiers();
    played.misses = far_end.misses(|call| {
        let line = recorded.get(usize::try_from(call).ok()?.checked_sub(1)?)?;
        line.members.get("tool")?.as_str().map(str::to_owned)
    });
    ran
}

async fn in_process(
    far_end: &Arc<FarEnd>,
    version: Option<String>,
    config: Config,
    steps: &[Step],
    outcomes: &mut Vec<Outcome>,
) -> Result<(), String> {
    let mut driver = InMemory::new(far_end.clone(), version);
    let work = async {
        let server = ToolServer::in_process(config, DriverAccess::Dial(driver.dial()))
            .await
            .map_err(|error| error.to_string())?;
        let ran = run_into(steps, &server, &mut driver, outcomes).await;
        far_end.close();
        server.close().await;
        ran.map_err(|error: RunError| error.to_string())
    };
    tokio::time::timeout(WATCHDOG, work)
        .await
        .unwrap_or_else(|_| Err("R009 waits for something that never happens".to_owned()))
}

async fn binary(
    far_end: &Arc<FarEnd>,
    version: Option<String>,
    mut launch: Launch,
    steps: &[Step],
    outcomes: &mut Vec<Outcome>,
) -> Result<(), String> {
    let stand_ins = StandIns::listen(far_end.clone(), version)
        .await
        .map_err(|error| format!("cannot listen on the loopback device: {error}"))?;
    launch.variables.extend([stand_ins.variable()]);
    let server = ToolServer::spawn(&launch).await.map_err(|error| error.to_string())?;
    let mut controls = Told { far_end: far_end.clone(), live: LiveControls::of(&server) };
    let ran = tokio::time::timeout(REAL_WATCHDOG, run_into(steps, &server, &mut controls, outcomes)).await;
    far_end.close();
    let ended = server.close().await;
    match ran {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(format!("{error}; the server said: {}", ended.log.trim())),
        Err(_) => Err(format!("it did not end within {} s", REAL_WATCHDOG.as_secs())),
    }
}

/// Controls of a live server whose far end wants to know the running call.
struct Told {
    far_end: Arc<FarEnd>,
    live: LiveControls,
}

impl Controls for Told {
    fn kill_driver(&mut self) -> BoxFuture<'_, Result<(), String>> {
        self.live.kill_driver()
    }

    fn calling(&mut self, call: u64, tool: &str) {
        self.far_end.begin_call(call, tool);
    }
}

fn launch(server: &Path, harness: &Path, config: &Config) -> Launch {
    let mut variables = variables(config);
    variables.insert("IE_MCP_DRIVER_PATH".to_owned(), harness.display().to_string());
    Launch { program: server.to_owned(), arguments: Vec::new(), variables }
}

/// The configuration as the server's environment.
fn variables(config: &Config) -> BTreeMap<String, String> {
    let members = serde_json::to_value(config).unwrap_or_default();
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::Bool(on) => Some(if *on { "1" } else { "0" }.to_owned()),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            (!items.is_empty()).then(|| items.join(","))
        }
        other => Some(other.to_string()),
    };
    VARIABLES
        .iter()
        .filter_map(|variable| {
            let member = variable.name.strip_prefix("IE_MCP_")?.to_lowercase();
            Some((variable.name.to_owned(), text(&members[member])?))
        })
        .collect()
}

fn report(
    outcome: Outcome,
    line: &FlowLine,
    recording: &Recording,
    far_end: &FarEnd,
    exact: bool,
) -> CallReport {
    let got = far_end.recorded(&serde_json::to_value(&outcome.result.result).unwrap_or_default());
    let member = |name: &str| line.members.get(name).map(|value| recording.expand(value)).unwrap_or_default();
    CallReport {
        call: outcome.call as u64,
        differences: compare::differences(&outcome.tool, &member("result"), &got, exact),
        tool: outcome.tool,
        arguments: member("arguments").as_object().cloned().unwrap_or_default(),
        got,
    }
}

/// The steps of a recorded flow.
fn steps(recording: &Recording, far_end: &FarEnd) -> Result<Vec<Step>, String> {
    let mut text = String::new();
    for line in &recording.flow {
        let mut members = line.members.clone();
        ["result", "error", "cancelled", "progress"]
            .iter()
            .for_each(|name| drop(members.shift_remove(*name)));
        if let Some(arguments) = members.get_mut("arguments") {
            *arguments = far_end.arguments(&recording.expand(arguments));
        }
        text += &Value::Object(members).to_string();
        text.push('\n');
    }
    crate::flow::parse(&text, Path::new(crate::recording::FLOW)).map_err(|error| error.to_string())
}

fn config(recording: &Recording) -> Result<Config, String> {
    let config = Value::Object(recording.manifest.config.clone());
    let config: Config = serde_json::from_value(config)
        .map_err(|error| format!("manifest.json: member config is no configuration: {error}"))?;
    // Where the driver is, is ours to say.
    Ok(Config { driver_path: None, driver_url: None, edge_path: None, ..config })
}

/// The driver's version and bits, as `/status` gave them.
fn version(wire: &[Exchange]) -> Option<String> {
    wire.iter().filter(|exchange| exchange.cmd == "status").find_map(|exchange| match &exchange.res {
        crate::recording::Answer::Ok(value) => value["build"]["version"].as_str().map(str::to_owned),
        _ => None,
    })
}
