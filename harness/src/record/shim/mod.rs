//! The harness as the driver's stand-in: started by the server where IEDriverServer would be.
//!
//! Owns: the real driver as a child with the same switches on another port, its output and its end, the listening
//! port, telling the recorder. Does not own: one connection (`relay`), what is written (`scribe`).
//!
//! The driver is in a group or job of its own and watches its parent (`fake-iedriver` does) or dies with the job:
//! nothing of it is left when the stand-in is killed.

mod fields;
mod http;
mod relay;

use super::events::{Event, Exit, REAL_DRIVER, SHIM, Teller};
use crate::clock;
use fake_iedriver::switches::Switches;
use fields::Fields;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use std::{
    io::{self, Write},
    net::Ipv4Addr,
    path::Path,
    process::{ExitCode, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicU64},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    net::TcpListener,
    sync::watch,
};

/// How long the driver may take to end after it was asked to; the server gives the stand-in 1.2 s.
const GRACE: Duration = Duration::from_millis(1000);

/// How long a lost connection waits for news of the driver's end.
const NEWS: Duration = Duration::from_millis(150);

/// What connections share.
struct Shim {
    teller: Teller,
    driver_port: u16,
    requests: AtomicU64,
    fields: Mutex<Fields>,
    exit: watch::Receiver<Option<Exit>>,
    told: std::sync::atomic::AtomicBool,
}

impl Shim {
    fn fields<T>(&self, of: impl FnOnce(&mut Fields) -> T) -> T {
        of(&mut self.fields.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The driver's end, if it is coming with a lost connection and was not told yet.
    async fn exit_soon(&self) -> Option<Exit> {
        let mut exit = self.exit.clone();
        let ended =
            tokio::time::timeout(NEWS, exit.wait_for(Option::is_some)).await.ok()?.ok()?.as_ref().copied();
        ended.filter(|_| !self.told.swap(true, std::sync::atomic::Ordering::Relaxed))
    }
}

/// Whether this process was started as the stand-in.
pub fn is_wanted() -> bool {
    std::env::var_os(SHIM).is_some()
}

/// Stands in for the driver until it ends or this process is told to.
pub fn main() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&format!("cannot start: {error}")),
    };
    let code = match runtime.block_on(run()) {
        Ok(code) => code,
        Err(error) => refuse(&error),
    };
    runtime.shutdown_timeout(Duration::from_millis(100));
    code
}

/// A driver's texts go to its parent, which keeps the last words of one that refuses to start.
fn refuse(reason: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "harness as driver: {reason}");
    ExitCode::from(2)
}

async fn run() -> Result<ExitCode, String> {
    let told_to_stop = told_to_stop();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let switches = Switches::parse(words.iter().cloned())?;
    let program = std::env::var(REAL_DRIVER)
        .map_err(|_| format!("{REAL_DRIVER} does not name the driver; start it by `harness record`"))?;
    if switches.version || switches.help {
        let status = driver(Path::new(&program), words, Stdio::inherit()).spawn();
        let mut child = status.map_err(|error| format!("cannot start {program}: {error}"))?;
        return Ok(code_of(child.wait().await.ok()));
    }
    let text = std::env::var(SHIM).unwrap_or_default();
    let teller =
        Teller::connect(&text).await.map_err(|error| format!("the recorder does not answer: {error}"))?;
    tokio::pin!(told_to_stop);
    let start = tokio::select! {
        start = listening(Path::new(&program), &words) => start?,
        () = &mut told_to_stop => return Ok(ExitCode::SUCCESS),
    };
    let child = match start {
        Start::Listening(child) => child,
        Start::Ended(status) => return Ok(code_of(Some(status))),
    };
    let host = switches.host.clone().unwrap_or_else(|| Ipv4Addr::LOCALHOST.to_string());
    let Ok(listener) = TcpListener::bind((host.as_str(), switches.port)).await else {
        end(child.child).await;
        say(&switches.start_failure());
        return Ok(ExitCode::from(4));
    };
    teller.tell(&Event::Started { port: child.port }).await;
    let port = listener.local_addr().map_or(switches.port, |address| address.port());
    child.output.pass_on(child.port, port);
    let (exit_seen, exit) = watch::channel(None);
    let shim = Arc::new(Shim {
        teller,
        driver_port: child.port,
        requests: AtomicU64::new(0),
        fields: Mutex::default(),
        exit,
        told: false.into(),
    });
    let mut connections = tokio::task::JoinSet::new();
    let mut process = child.child;
    let status = loop {
        tokio::select! {
            biased;
            status = process.wait() => break status.ok(),
            () = &mut told_to_stop => break end(process).await,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let _ = stream.set_nodelay(true);
                let shim = Arc::clone(&shim);
                connections.spawn(async move { relay::run(&shim, stream).await });
            }
        }
    };
    drop(listener);
    let exit = exit_of(status);
    let _ = exit_seen.send(Some(exit));
    // Connections that were lost with the driver tell of it themselves.
    let last = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(NEWS, last).await;
    if !shim.told.swap(true, std::sync::atomic::Ordering::Relaxed) {
        shim.teller.tell(&Event::Exited(exit)).await;
    }
    Ok(code_of(status))
}

/// The real driver, started.
struct Driver {
    child: Box<dyn ChildWrapper>,
    port: u16,
    output: Output,
}

enum Start {
    Listening(Driver),
    /// It ended by itself; its output was passed on.
    Ended(ExitStatus),
}

/// Starts the driver on a free port and waits until it listens.
async fn listening(program: &Path, words: &[String]) -> Result<Start, String> {
    let mut last = None;
    for _ in 0..3 {
        let port = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .map_err(|error| format!("no free port: {error}"))?
            .port();
        let words = words.iter().filter(|word| !is_port(word)).cloned().chain([format!("--port={port}")]);
        let mut child = driver(program, words.collect(), Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let output = Output::of(child.stdout().take());
        let status = loop {
            if relay::connect(port).await.is_ok() {
                return Ok(Start::Listening(Driver { child, port, output }));
            }
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => clock::pause(Duration::from_millis(10)).await,
                Err(error) => return Err(format!("lost sight of {}: {error}", program.display())),
            }
        };
        output.pass_on(port, port);
        last = Some(status);
        // Code 4: another program took the port meanwhile.
        if status.code() != Some(4) {
            break;
        }
    }
    last.map(Start::Ended).ok_or_else(|| "no free port".to_owned())
}

fn is_port(word: &str) -> bool {
    let bare = word.trim_start_matches(['-', '/']);
    bare.split('=').next().is_some_and(|name| name.eq_ignore_ascii_case("port"))
}

fn driver(program: &Path, words: Vec<String>, stdout: Stdio) -> CommandWrap {
    let mut command = CommandWrap::with_new(program, |command| {
        command.args(words).env_remove(SHIM).env_remove(REAL_DRIVER).stdin(Stdio::null()).stdout(stdout);
    });
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    command.wrap(KillOnDrop);
    command
}

/// Asks the driver to end, then ends it with all it started.
async fn end(mut child: Box<dyn ChildWrapper>) -> Option<ExitStatus> {
    #[cfg(unix)]
    let _ = child.signal(nix::sys::signal::Signal::SIGTERM as i32);
    #[cfg(unix)]
    if let Ok(Ok(status)) = tokio::time::timeout(GRACE, child.wait()).await {
        return Some(status);
    }
    let _ = child.start_kill();
    tokio::time::timeout(GRACE, child.wait()).await.ok()?.ok()
}

fn exit_of(status: Option<ExitStatus>) -> Exit {
    let Some(status) = status else { return Exit::default() };
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(i64::from);
    #[cfg(not(unix))]
    let signal = None;
    Exit { code: status.code().map(i64::from), signal }
}

/// The same end as the driver's, as far as a code can say it.
fn code_of(status: Option<ExitStatus>) -> ExitCode {
    let code = status.and_then(|status| status.code()).unwrap_or(1);
    ExitCode::from(u8::try_from(code & 0xff).unwrap_or(1))
}

/// The driver's stdout: kept until the stand-in listens, for a banner means that the port does.
struct Output(watch::Sender<Option<(u16, u16)>>);

impl Output {
    fn of(stdout: Option<impl AsyncRead + Send + Unpin + 'static>) -> Self {
        let (sender, mut ports) = watch::channel(None::<(u16, u16)>);
        if let Some(stdout) = stdout {
            tokio::spawn(async move {
                let mut lines = BufReader::new(stdout);
                let Ok((from, to)) =
                    ports.wait_for(Option::is_some).await.map(|ports| ports.unwrap_or_default())
                else {
                    return;
                };
                let mut line = Vec::new();
                while matches!(lines.read_until(b'\n', &mut line).await, Ok(1..)) {
                    say(&String::from_utf8_lossy(&line).replace(&from.to_string(), &to.to_string()));
                    line.clear();
                }
            });
        }
        Self(sender)
    }

    /// Lets it through, with the stand-in's port for the driver's.
    fn pass_on(&self, from: u16, to: u16) {
        let _ = self.0.send(Some((from, to)));
    }
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    // A reader that has gone does not stop the driver.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Returns when this process is asked to end.
#[cfg(unix)]
pub(super) fn told_to_stop() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    async move {
        let [Ok(mut term), Ok(mut int)] = signals else { return std::future::pending().await };
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
    }
}

/// Returns when this process is asked to end.
#[cfg(not(unix))]
pub(super) async fn told_to_stop() {
    let _ = tokio::signal::ctrl_c().await;
}
