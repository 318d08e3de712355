//! Entry point: stands where IEDriverServer.exe would.
//!
//! Owns: from switches to a listening driver, and its end: a signal, `/shutdown`, the death of the
//! process that started it. Does not own: the wire, what answers behind it, the texts printed (`switches`).

use fake_iedriver::{
    bridge::{self, Bridge, BridgeOptions},
    browser::{net::Network, pages::Pageful},
    fault::{Plan, StartFault},
    session::{Emulator, EmulatorOptions},
    switches::Switches,
    wire::{
        Backend, DebugLog, LogLevel, Wire, WireOptions,
        capabilities::{self, Machine},
    },
};
use std::{io::Write, net::Ipv4Addr, process::ExitCode, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    if let Some(folder) = std::env::var_os(bridge::KEEPER) {
        bridge::keep(folder.as_ref());
        return ExitCode::SUCCESS;
    }
    let parent = parent();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&format!("cannot start: {error}")),
    };
    let code = runtime.block_on(run(parent));
    runtime.shutdown_timeout(Duration::from_millis(500));
    code
}

async fn run(parent: u32) -> ExitCode {
    let extra = std::env::var("FAKE_IEDRIVER_ARGS").unwrap_or_default();
    let extra = match shell_words::split(&extra) {
        Ok(words) => words,
        Err(error) => return refuse(&format!("FAKE_IEDRIVER_ARGS: {error}")),
    };
    let switches = match Switches::parse(extra.into_iter().chain(std::env::args().skip(1))) {
        Ok(switches) => switches,
        Err(error) => return refuse(&error),
    };
    if switches.version || switches.help {
        say(&if switches.version { switches.version_line() } else { switches.usage() });
        return ExitCode::SUCCESS;
    }
    let faults = match faults(&switches) {
        Ok(faults) => faults,
        Err(error) => return refuse(&error),
    };
    let debug_log = match debug_log(&switches) {
        Ok(log) => log,
        Err(error) => return refuse(&error),
    };
    let process = faults.process();
    let mut stop = match Stop::listen(parent) {
        Ok(stop) => stop,
        Err(error) => return refuse(&format!("cannot listen for signals: {error}")),
    };
    match process.start {
        Some(StartFault::Exit) => return ExitCode::from(process.exit_code),
        Some(StartFault::Hang) => {
            stop.told(process.ignore_sigterm).await;
            return ExitCode::SUCCESS;
        }
        Some(StartFault::Late) => fake_iedriver::clock::wait(Duration::from_millis(process.start_ms)).await,
        None => {}
    }
    let address = switches.host.clone().unwrap_or_else(|| Ipv4Addr::LOCALHOST.to_string());
    let Ok(listener) = TcpListener::bind((address.as_str(), switches.port)).await else {
        say(&switches.start_failure());
        return ExitCode::from(4);
    };
    let port = listener.local_addr().map_or(switches.port, |address| address.port());
    let backend = match backend(&switches, port).await {
        Ok(backend) => backend,
        Err(error) => return refuse(&error),
    };
    let options = WireOptions {
        version: switches.version_text(),
        idle_close: Some(Duration::from_secs(1)),
        real_hangs: switches.real_hangs,
        faults,
        debug_log,
    };
    if let Some(log) = &options.debug_log {
        log.started(port, switches.host.as_deref().unwrap_or_default(), &options.version);
    }
    let wire = Wire::new(backend, options);
    if !switches.silent {
        say(&switches.banner(port));
    }
    let closing = CancellationToken::new();
    let serving = tokio::spawn(Arc::clone(&wire).serve_listener(listener, closing.clone()));
    tokio::select! {
        () = stop.told(process.ignore_sigterm) => {}
        () = wire.gone() => {}
    }
    closing.cancel();
    let code = wire.exit_code();
    // A browser that does not answer is ended by its mark when the bridge is dropped.
    let _ = tokio::time::timeout(Duration::from_secs(5), wire.end_session()).await;
    let _ = serving.await;
    drop(wire);
    ExitCode::from(code.unwrap_or(0) as u8)
}

fn faults(switches: &Switches) -> Result<Plan, String> {
    let mut text = String::new();
    for file in &switches.faults {
        text += &std::fs::read_to_string(file).map_err(|error| format!("--faults {file}: {error}"))?;
        text.push('\n');
    }
    Plan::from_toml(&text)
}

/// The log at the level asked for: a file, truncated, or stdout, among the banner's lines.
fn debug_log(switches: &Switches) -> Result<Option<DebugLog>, String> {
    let Some(level) = switches.log_level.as_deref().and_then(LogLevel::from_switch) else {
        return Ok(None);
    };
    let log = match switches.log_file.as_deref() {
        None | Some("stdout") => DebugLog::new(std::io::stdout(), level, &switches.emulate),
        Some("stderr") => DebugLog::new(std::io::stderr(), level, &switches.emulate),
        Some(file) => {
            let out = std::fs::File::create(file).map_err(|error| format!("--log-file={file}: {error}"))?;
            DebugLog::new(out, level, &switches.emulate)
        }
    };
    Ok(Some(log))
}

/// A real browser if one is asked for, else pages of our own.
async fn backend(switches: &Switches, port: u16) -> Result<Arc<dyn Backend>, String> {
    let start_url = format!("http://localhost:{port}/");
    // Drivers before 4.5 look for no Edge (`reference/iedriver-wire.md` section 4.7).
    let edge_path = if switches.emulate.starts_with("4.0.") { "" } else { capabilities::EDGE_PATH };
    let machine = Machine { start_url, edge_path: edge_path.into() };
    if let Some(bridge) = &switches.bridge {
        return Ok(Arc::new(Bridge::start(bridge_options(switches, bridge, machine)?).await?));
    }
    let maps = switches.map.iter().map(|map| Network::parse_map(map)).collect::<Result<_, _>>()?;
    let engine = Pageful { fallback_mode: switches.document_mode };
    let options = EmulatorOptions { machine, pace: switches.pace };
    Ok(Arc::new(Emulator::new(Arc::new(engine), Arc::new(Network::new(maps)), options)))
}

fn bridge_options(switches: &Switches, bridge: &str, machine: Machine) -> Result<BridgeOptions, String> {
    let mut map = Vec::new();
    for pair in &switches.map {
        let parse = |text: &str| url::Url::parse(text).ok().filter(url::Url::has_host);
        let parsed = pair.split_once('=').and_then(|(origin, target)| Some((parse(origin)?, parse(target)?)));
        map.push(parsed.ok_or(format!(
            "--map {pair}: give ORIGIN=URL, for example http://demo.test=http://127.0.0.1:8080"
        ))?);
    }
    Ok(BridgeOptions {
        chromedriver: std::env::var_os("FAKE_IEDRIVER_CHROMEDRIVER").map(Into::into),
        url: (bridge != "chromedriver").then(|| bridge.to_owned()),
        browser: std::env::var_os("FAKE_IEDRIVER_BROWSER").map(Into::into),
        map,
        keeper: std::env::current_exe().ok(),
        machine,
    })
}

/// The banner and the version line: the only texts of this program on stdout, as in the real one.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // A reader that has gone does not stop the driver.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn refuse(reason: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "fake-iedriver: {reason}");
    ExitCode::from(2)
}

#[cfg(unix)]
fn parent() -> u32 {
    nix::unistd::getppid().as_raw() as u32
}

#[cfg(not(unix))]
fn parent() -> u32 {
    0
}

/// What tells the program to stop: SIGTERM, SIGINT, the parent's death.
#[cfg(unix)]
struct Stop {
    term: tokio::signal::unix::Signal,
    int: tokio::signal::unix::Signal,
    death: tokio::signal::unix::Signal,
    parent: u32,
}

#[cfg(unix)]
impl Stop {
    /// From now on the signals end nothing by themselves. Before the banner: who reads it may signal.
    fn listen(parent: u32) -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (term, int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let stop = Self { term, int, death: signal(SignalKind::user_defined1())?, parent };
        // The signal comes when the *thread* that started this process ends, so it is a hint to look. One
        // of its own, for SIGTERM means to stop in any case.
        #[cfg(target_os = "linux")]
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGUSR1);
        Ok(stop)
    }

    /// Returns when told; never if deaf.
    async fn told(&mut self, deaf: bool) {
        if deaf {
            return std::future::pending().await;
        }
        while parent() == self.parent {
            tokio::select! {
                _ = self.term.recv() => return,
                _ = self.int.recv() => return,
                _ = self.death.recv() => {}
            }
        }
    }
}

#[cfg(not(unix))]
struct Stop;

#[cfg(not(unix))]
impl Stop {
    fn listen(_parent: u32) -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn told(&mut self, deaf: bool) {
        if deaf {
            return std::future::pending().await;
        }
        let _ = tokio::signal::ctrl_c().await;
    }
}
