//! One recorded session from start to end.
//!
//! Owns: the server's process with the harness in the driver's place, who speaks MCP to it (an agent on stdin and
//! stdout, or a flow), the loopback listener for the stand-in, the order in which all of it ends. Does not own: lines
//! (`scribe`), the demonstration set-up (`flow::live`).

use super::{
    close::Summary,
    events::{Event, REAL_DRIVER, SHIM},
    launch::config_of,
    scribe::{Beginning, Scribe},
    shim,
    tap::{self, Shared, Tap},
};
use crate::flow::{self, Control, Controls, Launch, Step, ToolServer, live::LiveControls};
use crate::recording::Ending;
use futures::future::BoxFuture;
use std::{
    collections::BTreeMap,
    fmt,
    io::{self, ErrorKind},
    net::Ipv4Addr,
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex, split},
    net::{TcpListener, TcpStream},
    process::{Child, Command},
};
use tokio_util::sync::CancellationToken;

/// How long the server may take to end after its stdin was closed: the contract's 5 s and something for a loaded
/// machine.
const END: Duration = Duration::from_secs(10);
/// How long the stand-in's last news may take after the server has ended.
const NEWS: Duration = Duration::from_secs(2);
/// Bytes a pipe in memory holds.
const PIPE: usize = 64 * 1024;

/// What is to be recorded.
#[derive(Clone, Debug)]
pub struct Order {
    /// Name of the recording.
    pub id: String,
    /// Its folder, which must not exist.
    pub folder: PathBuf,
    /// The MCP server. What its variables say of a driver is replaced.
    pub server: Launch,
    /// The driver behind the stand-in.
    pub driver: PathBuf,
    /// The harness's executable, which stands in.
    pub harness: PathBuf,
    /// Values that are secret from the start, by slot.
    pub secrets: BTreeMap<String, String>,
    /// Who calls the tools.
    pub source: Source,
}

/// Who calls the tools.
#[derive(Clone, Debug)]
pub enum Source {
    /// An MCP client on this process's stdin and stdout.
    Stdio,
    /// These steps.
    Flow(Vec<Step>),
}

/// Why there is no recording, or a broken one.
#[derive(Debug)]
pub enum RecordError {
    /// The folder exists.
    Exists(PathBuf),
    /// Something could not be started or written.
    Io(String, io::Error),
    /// The session failed; what was there is kept.
    Failed(String, Box<Summary>),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(folder) => write!(
                f,
                "{} exists: a recording is never overwritten; remove it or choose another name",
                folder.display()
            ),
            Self::Io(what, error) => write!(f, "{what}: {error}"),
            Self::Failed(what, summary) => write!(f, "the session failed: {what}; kept: {summary}"),
        }
    }
}

impl std::error::Error for RecordError {}

/// Records a session.
///
/// # Errors
/// See [`RecordError`].
pub async fn record(order: Order) -> Result<Summary, RecordError> {
    let beginning = Beginning {
        id: order.id.clone(),
        config: config_of(&order.server),
        driver: driver_name(&order),
        secrets: order.secrets.clone().into_iter().collect(),
    };
    let scribe = Scribe::create(&order.folder, beginning).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => RecordError::Exists(order.folder.clone()),
        _ => RecordError::Io(format!("cannot write the recording {}", order.folder.display()), error),
    })?;
    let scribe: Shared = Arc::new(Mutex::new(Some(scribe)));
    let failed = run(&order, &scribe).await.err();
    let scribe = scribe.lock().unwrap_or_else(PoisonError::into_inner).take();
    let ending = if failed.is_some() { Ending::Failed } else { Ending::Closed };
    let closed =
        scribe.ok_or_else(|| io::Error::other("it was closed twice")).and_then(|scribe| scribe.close(ending));
    let summary = closed.map_err(|error| RecordError::Io("cannot close the recording".into(), error))?;
    match failed {
        None => Ok(summary),
        Some(what) => Err(RecordError::Failed(what, Box::new(summary))),
    }
}

fn driver_name(order: &Order) -> String {
    let name = order.driver.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let switches = order.server.variables.get("FAKE_IEDRIVER_ARGS").cloned();
    let switches = switches.or_else(|| std::env::var("FAKE_IEDRIVER_ARGS").ok()).unwrap_or_default();
    let bridged = name == flow::executables::FAKE_IEDRIVER && switches.contains("bridge");
    if bridged { format!("{name} with chromedriver") } else { name }
}

/// Runs the session to its end; the text says what failed.
async fn run(order: &Order, scribe: &Shared) -> Result<(), String> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(|error| format!("no port: {error}"))?;
    let address = listener.local_addr().map_err(|error| format!("no port: {error}"))?;
    let token = format!("{:032x}", fastrand::u128(..));
    let stop = CancellationToken::new();
    let mut news = tokio::spawn(hear(listener, token.clone(), Arc::clone(scribe), stop.clone()));
    let mut child = server(order, &format!("{address},{token}"))
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", order.server.program.display()))?;
    let result = speak(order, &mut child, scribe).await;
    let ended = match tokio::time::timeout(END, child.wait()).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(format!("lost sight of the server: {error}")),
        Err(_) => {
            let _ = child.kill().await;
            Err(format!("the server did not end within {} s of its input's end", END.as_secs()))
        }
    };
    stop.cancel();
    if tokio::time::timeout(NEWS, &mut news).await.is_err() {
        news.abort();
    }
    result.and(ended)
}

fn server(order: &Order, shim: &str) -> Command {
    let mut command = Command::new(&order.server.program);
    command
        .args(&order.server.arguments)
        .envs(&order.server.variables)
        .env_remove("IE_MCP_DRIVER_URL")
        .env("IE_MCP_DRIVER_PATH", &order.harness)
        .env(SHIM, shim)
        .env(REAL_DRIVER, &order.driver)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    if matches!(order.source, Source::Flow(_)) {
        command.stderr(Stdio::piped());
    }
    command
}

/// Speaks MCP to the server until the client, the flow or the server ends.
async fn speak(order: &Order, child: &mut Child, scribe: &Shared) -> Result<(), String> {
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes to the server".into());
    };
    match &order.source {
        Source::Stdio => {
            let tap = Tap::new(Arc::clone(scribe), tokio::io::stdout(), true);
            stdio(Arc::clone(&tap).up(tokio::io::stdin(), stdin), tap.down(stdout)).await
        }
        Source::Flow(steps) => {
            let log = child.stderr.take().map(|mut stderr| {
                tokio::spawn(async move {
                    let mut bytes = Vec::new();
                    let _ = stderr.read_to_end(&mut bytes).await;
                    String::from_utf8_lossy(&bytes).into_owned()
                })
            });
            let (near, far) = duplex(PIPE);
            let (from_client, to_client) = split(far);
            let tap = Tap::new(Arc::clone(scribe), to_client, false);
            let up = tokio::spawn(Arc::clone(&tap).up(from_client, stdin));
            let down = tokio::spawn(tap.down(stdout));
            let result = tokio::select! {
                result = play(steps, near, child.id(), scribe) => result,
                () = shim::told_to_stop() => Err("it was interrupted".to_owned()),
            };
            let _ = up.await;
            let _ = down.await;
            match (result, log) {
                (Err(text), Some(log)) => {
                    let log = log.await.unwrap_or_default();
                    let last = log.lines().rev().take(3).collect::<Vec<_>>();
                    let last = last.into_iter().rev().collect::<Vec<_>>().join(" ");
                    Err(if last.is_empty() { text } else { format!("{text}; the server said: {last}") })
                }
                (result, _) => result,
            }
        }
    }
}

/// Until the client has ended and the server after it; a server that ends first is a failure.
async fn stdio(
    up: impl Future<Output = io::Result<()>>,
    down: impl Future<Output = io::Result<()>>,
) -> Result<(), String> {
    let mut down = Box::pin(down);
    {
        // Dropped at the end of the block: that closes the server's input.
        let up = Box::pin(up);
        tokio::select! {
            biased;
            () = shim::told_to_stop() => {}
            _ = up => {}
            _ = &mut down => return Err("the server ended before its client".into()),
        }
    }
    // A client that is gone reads no more: what is lost on its way does not matter.
    let _ = tokio::time::timeout(END, down).await;
    Ok(())
}

async fn play(
    steps: &[Step],
    io: tokio::io::DuplexStream,
    server: Option<u32>,
    scribe: &Shared,
) -> Result<(), String> {
    let server = ToolServer::attached(io, server).await.map_err(|error| error.to_string())?;
    let mut controls = Told { scribe: Arc::clone(scribe), live: LiveControls::of(&server) };
    let result = flow::run(steps, &server, &mut controls).await;
    server.close().await;
    result.map(drop).map_err(|error| error.to_string())
}

/// Controls that are written down before they are carried out.
struct Told {
    scribe: Shared,
    live: LiveControls,
}

impl Controls for Told {
    fn kill_driver(&mut self) -> BoxFuture<'_, Result<(), String>> {
        tap::with(&self.scribe, |scribe| scribe.control(Control::KillDriver));
        self.live.kill_driver()
    }

    fn advance(&mut self, ms: u64) -> BoxFuture<'_, Result<(), String>> {
        tap::with(&self.scribe, |scribe| scribe.control(Control::Advance { ms }));
        self.live.advance(ms)
    }
}

/// Hears stand-ins until it is told to stop and the last of them is gone.
async fn hear(listener: TcpListener, token: String, scribe: Shared, stop: CancellationToken) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            biased;
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                connections.spawn(hear_one(stream, token.clone(), Arc::clone(&scribe)));
            }
            Some(_) = connections.join_next() => {}
            () = stop.cancelled() => break,
        }
    }
    while connections.join_next().await.is_some() {}
}

/// Hears one stand-in; one without the token is not listened to.
async fn hear_one(mut stream: TcpStream, token: String, scribe: Shared) {
    let _ = stream.set_nodelay(true);
    let (reader, mut writer) = stream.split();
    let mut lines = BufReader::new(reader).lines();
    let mut known = false;
    let mut running = false;
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(event) = serde_json::from_str::<Event>(&line) else { break };
        match &event {
            Event::Hello { token: told } => known = *told == token,
            Event::Started { .. } => running = true,
            Event::Exited(_) | Event::Answered { exit: Some(_), .. } => running = false,
            _ => {}
        }
        if !known {
            break;
        }
        tap::with(&scribe, |scribe| scribe.of_driver(event));
        if writer.write_all(b"\n").await.is_err() {
            break;
        }
    }
    if running {
        tap::with(&scribe, Scribe::driver_vanished);
    }
}
