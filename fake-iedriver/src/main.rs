//! Entry point: stands where IEDriverServer.exe would.
//!
//! Owns: from switches to a listening driver, and its end: a signal, `/shutdown`, the death of the
//! process that started it. Does not own: the wire, the bridge, the texts printed (`switches`).

use fake_iedriver::{
    bridge::{self, Bridge, BridgeOptions},
    fault::{Plan, StartFault},
    switches::Switches,
    wire::{DebugLog, LogLevel, Wire, WireOptions},
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
    match process.start {
        Some(StartFault::Exit) => return ExitCode::from(process.exit_code),
        Some(StartFault::Hang) => {
            told_to_stop(parent, process.ignore_sigterm).await;
            return ExitCode::SUCCESS;
        }
        Some(StartFault::Late) => tokio::time::sleep(Duration::from_millis(process.start_ms)).await,
        None => {}
    }
    let address = switches.host.clone().unwrap_or_else(|| Ipv4Addr::LOCALHOST.to_string());
    let Ok(listener) = TcpListener::bind((address.as_str(), switches.port)).await else {
        say(&switches.start_failure());
        return ExitCode::from(4);
    };
    let port = listener.local_addr().map_or(switches.port, |address| address.port());
    let backend = match bridge_options(&switches, port) {
        Ok(options) => Bridge::start(options).await,
        Err(error) => Err(error),
    };
    let backend = match backend {
        Ok(bridge) => Arc::new(bridge),
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
    let stop = CancellationToken::new();
    let serving = tokio::spawn(Arc::clone(&wire).serve_listener(listener, stop.clone()));
    tokio::select! {
        () = told_to_stop(parent, process.ignore_sigterm) => {}
        () = wire.gone() => {}
    }
    stop.cancel();
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

fn bridge_options(switches: &Switches, port: u16) -> Result<BridgeOptions, String> {
    let Some(bridge) = &switches.bridge else {
        return Err("give --bridge chromedriver (or FAKE_IEDRIVER_ARGS='--bridge chromedriver')".into());
    };
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
        url: (bridge != "chromedriver").then(|| bridge.clone()),
        browser: std::env::var_os("FAKE_IEDRIVER_BROWSER").map(Into::into),
        map,
        keeper: std::env::current_exe().ok(),
        start_url: format!("http://localhost:{port}/"),
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

/// Returns at SIGTERM, SIGINT and when the parent has died; never if it is deaf to them.
#[cfg(unix)]
async fn told_to_stop(parent_at_start: u32, deaf: bool) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int), Ok(mut death)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
        signal(SignalKind::user_defined1()),
    ) else {
        return std::future::pending().await;
    };
    if deaf {
        // The handlers above stay: taken, the signals end nothing.
        return std::future::pending().await;
    }
    // The signal comes when the *thread* that started this process ends, so it is a hint to look. One
    // of its own, for SIGTERM means to stop in any case.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGUSR1);
    loop {
        if parent() != parent_at_start {
            return;
        }
        tokio::select! {
            _ = term.recv() => return,
            _ = int.recv() => return,
            _ = death.recv() => {}
        }
    }
}

#[cfg(not(unix))]
async fn told_to_stop(_parent: u32, _deaf: bool) {
    let _ = tokio::signal::ctrl_c().await;
}
