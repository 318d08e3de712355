//! How a session comes to be. Owns: the order of steps, the capabilities, the causes of failure.
//! Does not own: the process (`process`), commands (`session`).

use super::cable::{Cable, Dial, tcp};
use super::process::{self, Process};
use super::session::{Budget, Session};
use super::{Driver, http};
use crate::DriverAccess;
use crate::config::Config;
use crate::error::{ToolError, short};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

/// The session of `browser_start`.
pub struct Started {
    /// Whether a live session was kept.
    pub reused: bool,
    /// Version and bitness of the driver, if `/status` told them.
    pub build: Option<(String, u32)>,
}

/// Body of `POST /session` (`contract.md` sections 1.2, 2.2, 2.4).
pub fn new_session_body(config: &Config) -> Value {
    let whole = |ms: u64| (ms / 1000).max(1) * 1000;
    let mut options = json!({
        "ie.edgechromium": true,
        "ignoreZoomSetting": true,
        // The driver's own 3 s are too short for a slow share (case C68).
        "ie.fileUploadDialogTimeout": 10_000,
        // The driver waits twice as long as told, and 0 means for ever.
        "browserAttachTimeout": whole((config.start_ms.saturating_sub(15_000) / 2).min(20_000)),
    });
    if let Some(path) = &config.edge_path {
        options["ie.edgepath"] = path.to_string_lossy().into();
    }
    json!({ "capabilities": {
        "alwaysMatch": {
            "browserName": "internet explorer",
            "unhandledPromptBehavior": "ignore",
            "timeouts": {
                "implicit": 0,
                "pageLoad": whole(config.page_load_ms.min(54_000)),
                "script": whole(config.timeout_ms.min(50_000)),
            },
            "se:ieOptions": options,
        },
        // An empty list makes the driver hang (`reference/windows.md`).
        "firstMatch": [{}],
    }})
}

impl Driver {
    pub(super) async fn start_new(&mut self, config: &Config, budget: &Budget) -> Result<Started, ToolError> {
        let (dial, base) = self.reach(config, budget).await?;
        let cable = Cable::new(dial.clone());
        let started = new_session(&cable, &base, config, budget).await;
        cable.cut();
        let (id, capabilities, build) = started?;
        self.session = Some(Session::new(id, base.to_string(), dial, capabilities, budget.clone()));
        self.build.clone_from(&build);
        Ok(Started { reused: false, build })
    }

    /// A driver that listens, and how to get there.
    async fn reach(&mut self, config: &Config, budget: &Budget) -> Result<(Dial, url::Url), ToolError> {
        if let DriverAccess::Dial(dial) = &self.access {
            return Ok((dial.clone(), address("http://driver.invalid/")?));
        }
        if let Some(text) = &config.driver_url {
            let mut url = address(text)?;
            if !url.path().ends_with('/') {
                url.set_path(&format!("{}/", url.path()));
            }
            let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            return Ok((tcp(host, url.port_or_known_default().unwrap_or(80)), url));
        }
        let Some(path) = process::find(config.driver_path.as_ref()) else {
            return Err(not_found(config));
        };
        for _ in 0..3 {
            let running = Process::spawn(&path).map_err(|error| {
                ToolError::internal(format!(
                    "IEDriverServer could not be started from {}: {error}",
                    path.display()
                ))
                .reason("driver_not_found")
                .hint("Check IE_MCP_DRIVER_PATH: it must name the executable.")
            })?;
            let port = running.port;
            self.process = Some(running);
            if self.listens(port, budget).await? {
                return Ok((tcp("127.0.0.1".into(), port), address(&format!("http://127.0.0.1:{port}/"))?));
            }
        }
        Err(ToolError::internal("IEDriverServer could not listen on a port of its own.").reason("port").hint(
            "Three free ports were taken by other programs meanwhile, or a firewall forbids listening.",
        ))
    }

    /// False if the port was taken by another program meanwhile.
    async fn listens(&mut self, port: u16, budget: &Budget) -> Result<bool, ToolError> {
        let cable = Cable::new(tcp("127.0.0.1".into(), port));
        let status = address(&format!("http://127.0.0.1:{port}/status"))?;
        loop {
            let asked = timeout_at(budget.deadline, http::exchange(&cable, &status, None));
            tokio::select! {
                biased;
                () = budget.cancel.cancelled() => return Err(cancelled()),
                answer = asked => if answer.is_ok_and(|answer| answer.is_ok()) { return Ok(true) },
            }
            if let Some(process) = &mut self.process
                && let Some(exit) = process.exited()
            {
                if exit.code() == Some(4) {
                    self.process = None;
                    return Ok(false);
                }
                let words = process.last_words();
                return Err(ToolError::internal(format!(
                    "IEDriverServer ended while starting ({exit}). It said: {words}"
                ))
                .reason("driver_exited")
                .hint("Run the driver by hand to see why; `ie-mode-mcp doctor` checks the machine."));
            }
            if Instant::now() >= budget.deadline {
                return Err(ToolError::internal("IEDriverServer did not answer /status within the limit.")
                    .reason("port")
                    .hint("Something may keep the driver from listening on 127.0.0.1, such as a firewall."));
            }
            process::breathe().await;
        }
    }
}

fn address(text: &str) -> Result<url::Url, ToolError> {
    text.parse()
        .map_err(|error| ToolError::internal(format!("The driver's address {text} is not valid: {error}")))
}

fn not_found(config: &Config) -> ToolError {
    match &config.driver_path {
        Some(path) => ToolError::internal(format!("IE_MCP_DRIVER_PATH names no file: {}", path.display()))
            .reason("driver_not_found")
            .hint("Set IE_MCP_DRIVER_PATH to the full path of IEDriverServer.exe."),
        None if !cfg!(windows) => {
            ToolError::internal("IE mode exists on Windows only, and IEDriverServer is not on PATH.")
                .reason("not_windows")
                .hint("Run the server on Windows, or set IE_MCP_DRIVER_URL to a driver there.")
        }
        None => ToolError::internal("IEDriverServer.exe is not on PATH.")
            .reason("driver_not_found")
            .hint("Download the 32-bit build and set IE_MCP_DRIVER_PATH to its full path."),
    }
}

type New = (String, Value, Option<(String, u32)>);

async fn new_session(
    cable: &Cable,
    base: &url::Url,
    config: &Config,
    budget: &Budget,
) -> Result<New, ToolError> {
    let join = |path| base.join(path).map_err(|error| ToolError::internal(error.to_string()));
    let (status_url, session_url) = (join("status")?, join("session")?);
    let status = tokio::select! {
        biased;
        () = budget.cancel.cancelled() => return Err(cancelled()),
        status = timeout_at(budget.deadline.min(Instant::now() + std::time::Duration::from_secs(5)), http::exchange(cable, &status_url, None)) => status,
    };
    let build = status.ok().and_then(Result::ok).and_then(|status| build_of(&status));
    let body = new_session_body(config);
    let answer = tokio::select! {
        biased;
        () = budget.cancel.cancelled() => return Err(cancelled()),
        answer = timeout_at(budget.deadline, http::exchange(cable, &session_url, Some(&body))) => answer,
    };
    let answer = match answer {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            return Err(ToolError::internal(format!("The driver gave no session: {error}"))
                .reason("driver_exited")
                .hint("The driver broke off while starting the browser; `ie-mode-mcp doctor` checks the machine."));
        }
        Err(_) => return Err(attach_timeout("The driver did not start the browser within IE_MCP_START_MS.")),
    };
    let value = &answer["value"];
    match value["sessionId"].as_str() {
        Some(id) if !id.is_empty() => Ok((id.to_owned(), value["capabilities"].clone(), build)),
        _ => Err(refusal(value)),
    }
}

fn build_of(status: &Value) -> Option<(String, u32)> {
    let text = status["value"]["build"]["version"].as_str()?;
    let version = text.split_whitespace().next()?.to_owned();
    Some((version, if text.contains("64-bit") { 64 } else { 32 }))
}

fn cancelled() -> ToolError {
    ToolError::internal("The start was cancelled.").reason("cancelled")
}

fn attach_timeout(message: impl Into<String>) -> ToolError {
    ToolError::internal(message).reason("attach_timeout").hint(
        "Known causes: locked screen or closed remote desktop, administrator rights, IE mode forbidden by policy, \
         Edge already running under another profile.",
    )
}

/// Causes by the driver's texts (`reference/iedriver-wire.md` sections 4.3 and 4.6).
fn refusal(value: &Value) -> ToolError {
    let message = value["message"].as_str().unwrap_or("no session id in the answer");
    let line = format!("The driver gave no session: {}", short(message));
    if message.contains("Protected Mode settings") {
        ToolError::internal(line)
            .reason("protected_mode")
            .hint("In Internet Options, Security, set Enable Protected Mode to the same value for all zones.")
    } else if message.contains("CreateProcess() failed") {
        ToolError::internal(line)
            .reason("edge_not_found")
            .hint("Set IE_MCP_EDGE_PATH to the full path of msedge.exe.")
    } else if message.contains("session already exists") {
        ToolError::internal(line)
            .reason("session_exists")
            .hint("Another client holds this driver's only session: end it, or use a driver of your own.")
    } else if message.contains("Could not find an Internet Explorer window")
        || message.contains("window handle")
    {
        attach_timeout(line)
    } else {
        ToolError::internal(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_those_of_the_contract() {
        let body = new_session_body(&Config::default());
        assert_eq!(
            body["capabilities"]["alwaysMatch"],
            json!({
                "browserName": "internet explorer",
                "unhandledPromptBehavior": "ignore",
                "timeouts": { "implicit": 0, "pageLoad": 30_000, "script": 10_000 },
                "se:ieOptions": { "ie.edgechromium": true, "ignoreZoomSetting": true, "ie.fileUploadDialogTimeout": 10_000, "browserAttachTimeout": 20_000 },
            })
        );
        assert_eq!(body["capabilities"]["firstMatch"], json!([{}]));
    }

    #[test]
    fn values_told_to_the_driver_are_whole_seconds_of_at_least_one() {
        let config = Config { timeout_ms: 0, page_load_ms: 1_999, start_ms: 1, ..Config::default() };
        let body = new_session_body(&config);
        let always = &body["capabilities"]["alwaysMatch"];
        assert_eq!(always["timeouts"], json!({ "implicit": 0, "pageLoad": 1_000, "script": 1_000 }));
        assert_eq!(always["se:ieOptions"]["browserAttachTimeout"], 1_000);
    }

    #[test]
    fn each_known_refusal_has_its_reason() {
        for (message, reason) in [
            (
                "Unexpected error launching Internet Explorer. Protected Mode settings are not the same for all zones.",
                Some("protected_mode"),
            ),
            (
                "Unexpected error launching Internet Explorer. CreateProcess() failed for edge with the following command: x",
                Some("edge_not_found"),
            ),
            (
                "Only one session may be created at a time, and a session already exists.",
                Some("session_exists"),
            ),
            (
                "Could not find an Internet Explorer window belonging to the process with ID 1 within 10000 milliseconds.",
                Some("attach_timeout"),
            ),
            ("something else", None),
        ] {
            assert_eq!(
                refusal(&json!({ "error": "session not created", "message": message })).reason,
                reason
            );
        }
    }
}
