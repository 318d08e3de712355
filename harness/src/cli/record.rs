//! `harness record`: a session with a real driver becomes a recording.

use super::{Exit, Failure, live_runtime};
use crate::{
    demo_app::{DemoApp, LOGIN_PASSWORD},
    flow::{
        self, Launch, Step,
        executables::{self, SERVER},
        live::{self, Difference},
        processes,
    },
    record::{self, FlowSecrets, Order, RecordError, Source, take_flag},
};
use clap::Args;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;

/// Records tool calls and WebDriver traffic.
///
/// Put it where an agent's configuration names the server: it passes MCP on stdin and stdout to the server and
/// stands between the server and its driver. With --flow it makes the calls itself. Files with secrets are named by
/// --secrets or HARNESS_SECRETS: TOML lines such as password = "…".
#[derive(Debug, Args)]
pub(super) struct RecordArgs {
    /// Name of the recording: a new folder below the folder of recordings.
    name: String,
    /// File of tool calls to make, one a line (a recording's flow.jsonl is one).
    #[arg(long)]
    flow: Option<PathBuf>,
    /// Starts the demonstration application with a browser behind the bridge, as http://demo.test.
    #[arg(long)]
    demo: bool,
    /// Scripted failures of the driver (TOML of fake-iedriver); with --demo.
    #[arg(long, requires = "demo")]
    faults: Option<PathBuf>,
    /// The driver; else the server's --driver-path, IE_MCP_DRIVER_PATH, or IEDriverServer.exe on PATH.
    #[arg(long, conflicts_with = "demo")]
    driver: Option<PathBuf>,
    /// Folder of the recordings.
    #[arg(long, default_value = "recordings")]
    recordings: PathBuf,
    /// File of values that must never be written.
    #[arg(long, env = "HARNESS_SECRETS", hide_env_values = true)]
    secrets: Option<PathBuf>,
    /// The server and its arguments; else the built ie-mode-mcp.
    #[arg(last = true)]
    server: Vec<String>,
}

impl RecordArgs {
    /// Records until the client disconnects or the flow is through.
    ///
    /// # Errors
    /// If something named is not there, or the session failed (what was there is kept).
    #[allow(clippy::print_stderr, reason = "stdout belongs to MCP; the command line owns stderr")]
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let name = Path::new(&self.name);
        if self.name.is_empty() || name.components().count() != 1 || name.file_name().is_none() {
            return Err(Failure::usage(format!("{:?} is no name of a folder", self.name)));
        }
        let mut secrets = self.secrets()?;
        if self.demo {
            secrets.0.entry("password".to_owned()).or_insert_with(|| LOGIN_PASSWORD.to_owned());
        }
        let source = match &self.flow {
            None => Source::Stdio,
            Some(file) => Source::Flow(steps(file, &secrets)?),
        };
        let harness = std::env::current_exe()
            .map_err(|error| Failure::usage(format!("cannot find this executable: {error}")))?;
        let runtime = live_runtime()?;
        let recorded = runtime.block_on(async {
            let demo = if self.demo { Some(self.demonstration().await?) } else { None };
            let mut server = self.server(demo.as_ref().map(|demo| &demo.launch))?;
            let url = take_flag(&mut server, "IE_MCP_DRIVER_URL");
            if url.or_else(|| server.variables.remove("IE_MCP_DRIVER_URL")).is_some_and(|url| !url.is_empty()) {
                return Err(Failure::usage(
                    "a driver that runs already (IE_MCP_DRIVER_URL) cannot be recorded: name its executable instead",
                ));
            }
            let flag = take_flag(&mut server, "IE_MCP_DRIVER_PATH").map(PathBuf::from);
            let driver = match &demo {
                Some(demo) => demo.driver.clone(),
                None => self.driver(flag)?,
            };
            let order = Order {
                id: self.name.clone(),
                folder: self.recordings.join(&self.name),
                server,
                driver,
                harness,
                secrets: secrets.0,
                source,
            };
            let recorded = record::record(order).await.map_err(failure);
            if let Some(demo) = &demo {
                // A browser that is ending still writes, and would keep the folder from being removed.
                let mark = demo.folder.path().display().to_string();
                let _ = processes::gone(&mark, Duration::from_secs(5)).await;
            }
            recorded
        });
        // A blocked read of stdin cannot be cancelled.
        runtime.shutdown_background();
        eprintln!("{}", recorded?);
        Ok(Exit::Fine)
    }

    fn secrets(&self) -> Result<FlowSecrets, Failure> {
        let Some(file) = &self.secrets else { return Ok(FlowSecrets::default()) };
        let wrong = |text: String| Failure::usage(format!("--secrets {}: {text}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
        // The parser's own text would quote the line.
        toml::from_str(&text)
            .map(FlowSecrets)
            .map_err(|_| wrong("must hold TOML lines such as password = \"…\"".into()))
    }

    /// The server as it was named, with this process's variables for it.
    fn server(&self, demo: Option<&Launch>) -> Result<Launch, Failure> {
        let mut launch = match demo {
            Some(launch) => launch.clone(),
            None => Launch::default(),
        };
        match self.server.split_first() {
            Some((program, arguments)) => {
                launch.program = program.into();
                launch.arguments = arguments.to_vec();
            }
            None if demo.is_none() => {
                launch.program =
                    executables::find(SERVER).map_err(|error| Failure::usage(error.to_string()))?;
            }
            None => {}
        }
        for (name, value) in std::env::vars().filter(|(name, _)| name.starts_with("IE_MCP_")) {
            launch.variables.entry(name).or_insert(value);
        }
        Ok(launch)
    }

    /// The driver; `flag` is the server's own.
    fn driver(&self, flag: Option<PathBuf>) -> Result<PathBuf, Failure> {
        let variable = || std::env::var_os("IE_MCP_DRIVER_PATH").map(PathBuf::from);
        let named = self.driver.clone().or(flag).or_else(variable);
        match named.filter(|path| !path.as_os_str().is_empty()) {
            Some(path) if path.is_file() => Ok(path),
            Some(path) => Err(Failure::usage(format!("the driver {} is not there", path.display()))),
            None => executables::on_path(&["IEDriverServer", "IEDriverServer.exe"])
                .ok_or_else(|| Failure::usage("give the driver with --driver or IE_MCP_DRIVER_PATH")),
        }
    }

    async fn demonstration(&self) -> Result<Demonstration, Failure> {
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::usage(format!("cannot start the demonstration: {error}"))
        };
        if let Some(missing) = live::missing_browser() {
            return Err(wrong(&missing));
        }
        let faults =
            self.faults.as_ref().map(std::fs::read_to_string).transpose().map_err(|error| wrong(&error))?;
        let app = DemoApp::start().await.map_err(|error| wrong(&error))?;
        let folder = TempDir::with_prefix("ie-mode-record-").map_err(|error| wrong(&error))?;
        let difference = Difference { faults: faults.unwrap_or_default(), ..Difference::default() };
        let mut launch = live::launch(&app, folder.path(), difference).map_err(|error| wrong(&error))?;
        let driver = launch.variables.remove("IE_MCP_DRIVER_PATH").unwrap_or_default().into();
        Ok(Demonstration { launch, driver, _app: app, folder })
    }
}

/// The demonstration set-up; ends on drop.
struct Demonstration {
    launch: Launch,
    driver: PathBuf,
    _app: DemoApp,
    folder: TempDir,
}

fn steps(file: &Path, secrets: &FlowSecrets) -> Result<Vec<Step>, Failure> {
    let steps = flow::read(file).map_err(|error| Failure::usage(error.to_string()))?;
    secrets.fill(steps).map_err(|error| Failure::usage(error.to_string()))
}

fn failure(error: RecordError) -> Failure {
    let exit = match error {
        RecordError::Failed(..) => Exit::Differs,
        _ => Exit::Usage,
    };
    Failure::new(exit, error.to_string())
}
