//! The whole set-up with real processes: demonstration application, built server, built driver, browser.
//!
//! Owns: starting them so that each finds the next, and the mark by which anything left behind is found.
//! Does not own: what is done with them.

use super::{
    Controls, Launch, StartError, ToolServer,
    executables::{self, FAKE_IEDRIVER, Missing, SERVER},
    processes::{self, Process},
};
use crate::demo_app::DemoApp;
use futures::future::BoxFuture;
use std::{collections::BTreeMap, fmt, io, path::Path, time::Duration};
use tempfile::TempDir;

/// The name under which flows and recordings know the demonstration application.
pub const DEMO_ORIGIN: &str = "http://demo.test";
/// The same application as another origin.
pub const OTHER_ORIGIN: &str = "http://other.test";

/// An origin whose server refuses every connection.
pub const GONE_ORIGIN: &str = "http://gone.test";

/// Where scripted failures are read from at each start of the driver, below the set-up's folder.
const FAULTS: &str = "faults.toml";

/// Why there is no browser to test with; none if there is one. The variables with which the far end is
/// told where they are count as well.
pub fn missing_browser() -> Option<String> {
    let named = |variable| std::env::var_os(variable).is_some();
    if !named("FAKE_IEDRIVER_CHROMEDRIVER") && executables::on_path(&["chromedriver"]).is_none() {
        return Some("chromedriver is not on PATH (Debian: chromium-driver)".to_owned());
    }
    let browsers = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    if !named("FAKE_IEDRIVER_BROWSER") && executables::on_path(&browsers).is_none() {
        return Some("no Chromium is on PATH (Debian: chromium)".to_owned());
    }
    None
}

/// What stands behind the driver's wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FarEnd {
    /// A real browser through the bridge.
    #[default]
    Bridge,
    /// The emulator's own pages: no browser is needed.
    Emulator,
}

/// What differs from the plain set-up.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// What stands behind the driver's wire.
    pub far_end: FarEnd,
    /// Scripted failures of the driver, in the fault room's TOML; [`Live::set_faults`] changes them.
    pub faults: String,
    /// Variables of the server beside those that name the driver.
    pub variables: BTreeMap<String, String>,
}

/// A running server whose driver is the built `fake-iedriver` in front of a real browser.
#[derive(Debug)]
pub struct Live {
    /// The application the browser sees as [`DEMO_ORIGIN`] and [`OTHER_ORIGIN`].
    pub app: DemoApp,
    /// The server.
    pub server: ToolServer,
    folder: TempDir,
}

/// Why the set-up does not stand.
#[derive(Debug)]
pub enum LiveError {
    /// An executable of ours was not built.
    Missing(Missing),
    /// No socket, no folder.
    Io(io::Error),
    /// The server did not start.
    Start(StartError),
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(missing) => missing.fmt(f),
            Self::Io(error) => write!(f, "cannot prepare the live set-up: {error}"),
            Self::Start(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LiveError {}

impl From<Missing> for LiveError {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

impl From<io::Error> for LiveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<StartError> for LiveError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

impl Live {
    /// Starts application and server; browser and driver start with the first `browser_start`.
    ///
    /// # Errors
    /// If an executable of ours is not built or something does not start.
    pub async fn start(difference: Difference) -> Result<Self, LiveError> {
        let app = DemoApp::start().await?;
        let folder = TempDir::with_prefix("ie-mode-live-")?;
        let launch = launch(&app, folder.path(), difference)?;
        let server = ToolServer::spawn(&launch).await?;
        Ok(Self { app, server, folder })
    }

    /// Scripted failures from the next start of the driver on, which counts commands anew.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn set_faults(&self, toml: &str) -> io::Result<()> {
        std::fs::write(self.folder.path().join(FAULTS), toml)
    }

    /// What the command line or environment of every process below the server contains: the server's
    /// temporary folder, in which the far end keeps the browser's user-data-dir.
    pub fn mark(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// The driver process the server started, if one runs.
    pub fn driver(&self) -> Option<Process> {
        let server = self.server.id()?;
        processes::children(server).into_iter().find(|process| process.command.contains(FAKE_IEDRIVER))
    }

    /// Ends the server by closing its input and hands out what is still to be looked at: the
    /// application, the mark (its folder lives as long as the value) and the server's end.
    pub async fn close(self) -> (DemoApp, TempDir, super::Ended) {
        let ended = self.server.close().await;
        (self.app, self.folder, ended)
    }

    /// Closes it and waits, for at most 5 s, until nothing uses the folder any more: a browser that is
    /// ending still writes, and would keep the folder from being removed.
    pub async fn end(self) {
        let mark = self.mark();
        let (_, _folder, _) = self.close().await;
        // What is left then is told by the tests of process life.
        let _ = processes::gone(&mark, Duration::from_secs(5)).await;
    }

    /// As [`Live::close`], when something else ends the server.
    pub async fn ended(self) -> (DemoApp, TempDir, super::Ended) {
        let ended = self.server.ended().await;
        (self.app, self.folder, ended)
    }
}

/// The scripted failures that belong to a flow: `NAME.faults.toml` beside `NAME.jsonl`; empty if there
/// is no such file.
///
/// # Errors
/// If it is there and cannot be read.
pub fn faults_beside(flow: &Path) -> io::Result<String> {
    match std::fs::read_to_string(flow.with_extension("faults.toml")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read,
    }
}

/// The server's launch in front of this application, with temporary files in this folder.
///
/// # Errors
/// If an executable is not built or the folder cannot be written.
pub fn launch(app: &DemoApp, folder: &Path, difference: Difference) -> Result<Launch, LiveError> {
    let program = executables::find(SERVER)?;
    let driver = executables::find(FAKE_IEDRIVER)?;
    let faults = folder.join(FAULTS);
    std::fs::write(&faults, &difference.faults)?;
    let mut switches = match difference.far_end {
        FarEnd::Bridge => vec!["--bridge".to_owned(), "chromedriver".to_owned()],
        FarEnd::Emulator => Vec::new(),
    };
    switches.extend([
        "--map".to_owned(),
        format!("{DEMO_ORIGIN}={}", app.url()),
        "--map".to_owned(),
        format!("{OTHER_ORIGIN}={}", app.url()),
        "--map".to_owned(),
        // Nobody listens on the port of a service of the 1980s.
        format!("{GONE_ORIGIN}=http://127.0.0.1:1"),
        "--fault".to_owned(),
        faults.display().to_string(),
    ]);
    let mut variables = BTreeMap::from([
        ("IE_MCP_DRIVER_PATH".to_owned(), driver.display().to_string()),
        ("FAKE_IEDRIVER_ARGS".to_owned(), shell_words::join(&switches)),
        ("TMPDIR".to_owned(), folder.display().to_string()),
    ]);
    variables.extend(difference.variables);
    Ok(Launch { program, arguments: Vec::new(), variables })
}

/// Control lines against a live set-up.
pub struct LiveControls {
    server: Option<u32>,
}

impl LiveControls {
    /// Controls of the driver below this server.
    pub fn of(server: &ToolServer) -> Self {
        Self { server: server.id() }
    }
}

impl Controls for LiveControls {
    fn kill_driver(&mut self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let server = self.server.ok_or("the server runs in this process and has no driver process")?;
            let driver = processes::children(server)
                .into_iter()
                .next()
                .ok_or("the server has no driver process now; call browser_start first")?;
            processes::kill(driver.id)?;
            while processes::alive(driver.id) {
                tokio::task::yield_now().await;
            }
            Ok(())
        })
    }
}
