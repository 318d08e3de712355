//! A server as an MCP client sees it: in this process over a pipe in memory, or the built executable over
//! its real stdin and stdout.
//!
//! Owns: start, calls, end. Does not own: what lies behind the server.

use crate::clock;
use ie_mode_mcp::{Config, DriverAccess, ServeError, World};
use rmcp::{
    RoleClient, ServiceError, ServiceExt,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, Tool},
    service::{Peer, RunningService},
};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, fmt, io, path::PathBuf, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncReadExt, DuplexStream, duplex, split},
    process::{Child, Command},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// Bytes a pipe in memory holds (`reference/crates.md` section 10: smaller ones are slower).
const PIPE: usize = 64 * 1024;

/// How long a server process may take to end after its stdin was closed, before it is killed: the
/// contract's 5 s with a hung driver, and something for a loaded machine.
const END: Duration = Duration::from_secs(10);

/// A server process to be: everything of its environment that matters to it is said here.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The executable.
    pub program: PathBuf,
    /// Its command line.
    pub arguments: Vec<String>,
    /// Variables set for it. Variables of this process named `IE_MCP_*` are not passed on.
    pub variables: BTreeMap<String, String>,
}

/// A running server with an initialized MCP session.
#[derive(Debug)]
pub struct ToolServer {
    client: RunningService<RoleClient, ()>,
    life: Life,
}

#[derive(Debug)]
enum Life {
    InProcess { stop: CancellationToken, task: JoinHandle<Result<(), ServeError>> },
    Process { child: Box<Child>, log: JoinHandle<String> },
    Elsewhere { id: Option<u32> },
}

/// Why a server did not start.
#[derive(Debug)]
pub enum StartError {
    /// The executable could not be started.
    Spawn(PathBuf, io::Error),
    /// It started and did not complete the MCP handshake; its stderr is given.
    Handshake(String, String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn(path, error) => write!(f, "cannot start {}: {error}", path.display()),
            Self::Handshake(error, log) if log.is_empty() => write!(f, "the server did not answer: {error}"),
            Self::Handshake(error, log) => {
                write!(f, "the server did not answer: {error}; it said: {}", log.trim())
            }
        }
    }
}

impl std::error::Error for StartError {}

/// Why a call brought no tool result at all.
#[derive(Debug)]
pub struct CallError {
    /// The tool that was called.
    pub tool: String,
    /// What the MCP client says.
    pub error: ServiceError,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} brought no result: {}", self.tool, self.error)
    }
}

impl std::error::Error for CallError {}

/// How a server ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit code of the process; 0 for one in this process that ended well; none if it was killed.
    pub code: Option<i32>,
    /// All of its stderr, or the error of a server in this process.
    pub log: String,
}

impl ToolServer {
    /// Starts a server in this process. Under a paused clock everything it waits for is virtual, as
    /// long as `driver` is in memory as well.
    ///
    /// # Errors
    /// If the MCP handshake fails.
    pub async fn in_process(config: Config, driver: DriverAccess) -> Result<Self, StartError> {
        let (near, far) = duplex(PIPE);
        let (reader, writer) = split(far);
        let stop = CancellationToken::new();
        let world = World { reader: Box::new(reader), writer: Box::new(writer), driver, stop: stop.clone() };
        let task = tokio::spawn(ie_mode_mcp::serve(config, world));
        let client =
            ().serve(near).await.map_err(|error| StartError::Handshake(error.to_string(), String::new()))?;
        Ok(Self { client, life: Life::InProcess { stop, task } })
    }

    /// Starts the built executable. It dies with this handle.
    ///
    /// # Errors
    /// If it cannot be started or does not complete the MCP handshake.
    pub async fn spawn(launch: &Launch) -> Result<Self, StartError> {
        let mut child =
            launch.command().spawn().map_err(|error| StartError::Spawn(launch.program.clone(), error))?;
        let (Some(stdin), Some(stdout), Some(mut stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            let error = io::Error::other("no pipes to it");
            return Err(StartError::Spawn(launch.program.clone(), error));
        };
        let log = tokio::spawn(async move {
            let mut bytes = Vec::new();
            // What came before a broken pipe is still worth reading.
            let _ = stderr.read_to_end(&mut bytes).await;
            String::from_utf8_lossy(&bytes).into_owned()
        });
        match ().serve((stdout, stdin)).await {
            Ok(client) => Ok(Self { client, life: Life::Process { child: Box::new(child), log } }),
            Err(error) => {
                // It may be alive and silent: end it, so that its stderr ends.
                let _ = child.kill().await;
                Err(StartError::Handshake(error.to_string(), log.await.unwrap_or_default()))
            }
        }
    }

    /// Speaks to a server that someone else started and ends: its stdin and stdout, or what stands before
    /// them, and its process id.
    ///
    /// # Errors
    /// If the MCP handshake fails.
    pub async fn attached(io: DuplexStream, id: Option<u32>) -> Result<Self, StartError> {
        match ().serve(io).await {
            Ok(client) => Ok(Self { client, life: Life::Elsewhere { id } }),
            Err(error) => Err(StartError::Handshake(error.to_string(), String::new())),
        }
    }

    /// Calls a tool and waits for its result.
    ///
    /// # Errors
    /// If no result came: the server is gone, or the answer is a JSON-RPC error.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<ToolResult, CallError> {
        call(&self.client, tool, arguments).await
    }

    /// A second end of the same MCP session, for calls that run beside others.
    pub fn peer(&self) -> Peer<RoleClient> {
        self.client.peer().clone()
    }

    /// The tools the server lists, sorted as it lists them.
    ///
    /// # Errors
    /// If the server is gone or answers with an error.
    pub async fn tools(&self) -> Result<Vec<Tool>, CallError> {
        self.client.list_all_tools().await.map_err(|error| CallError { tool: "tools/list".to_owned(), error })
    }

    /// Process id of the server; none for one in this process.
    pub fn id(&self) -> Option<u32> {
        match &self.life {
            Life::InProcess { .. } => None,
            Life::Process { child, .. } => child.id(),
            Life::Elsewhere { id } => *id,
        }
    }

    /// Closes the server's input and waits for its end; a process that does not end is killed.
    pub async fn close(self) -> Ended {
        // Dropping the client's transport is what closes the pipe.
        let _ = self.client.cancel().await;
        self.life.ended().await
    }

    /// Waits until the server ends by itself.
    pub async fn ended(self) -> Ended {
        let _ = self.client.waiting().await;
        self.life.ended().await
    }
}

impl Life {
    async fn ended(self) -> Ended {
        match self {
            Self::InProcess { task, stop } => {
                let ended = match task.await {
                    Ok(Ok(())) => Ended { code: Some(0), log: String::new() },
                    Ok(Err(error)) => Ended { code: Some(1), log: error.to_string() },
                    Err(error) => Ended { code: None, log: error.to_string() },
                };
                stop.cancel();
                ended
            }
            Self::Process { mut child, log } => {
                let waited = tokio::time::timeout(END, child.wait()).await;
                let code = match waited {
                    Ok(Ok(status)) => status.code(),
                    Ok(Err(_)) => None,
                    Err(_) => {
                        let _ = child.kill().await;
                        None
                    }
                };
                Ended { code, log: log.await.unwrap_or_default() }
            }
            Self::Elsewhere { .. } => Ended { code: None, log: String::new() },
        }
    }
}

impl Launch {
    /// The command with pipes on all three streams, killed on drop.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("IE_MCP_") {
                command.env_remove(name);
            }
        }
        command.envs(&self.variables);
        command
    }
}

/// Calls a tool on any end of an MCP session.
pub(super) async fn call(
    peer: &Peer<RoleClient>,
    tool: &str,
    arguments: Map<String, Value>,
) -> Result<ToolResult, CallError> {
    let watch = clock::Stopwatch::start();
    let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    match peer.call_tool(request).await {
        Ok(result) => Ok(ToolResult { result, took_ms: watch.elapsed_ms() }),
        Err(error) => Err(CallError { tool: tool.to_owned(), error }),
    }
}

/// What a tool answered.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// The result as it came.
    pub result: CallToolResult,
    /// How long it took on tokio's clock, in ms.
    pub took_ms: u64,
}

impl ToolResult {
    /// True if the tool reports an error.
    pub fn is_error(&self) -> bool {
        self.result.is_error == Some(true)
    }

    /// The JSON of the first text block; null if there is none or it is not JSON.
    pub fn json(&self) -> Value {
        self.text().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The first text block.
    pub fn text(&self) -> Option<&str> {
        self.result.content.iter().find_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
    }

    /// The first picture, in base64.
    pub fn picture(&self) -> Option<&str> {
        self.result.content.iter().find_map(|block| match block {
            ContentBlock::Image(image) => Some(image.data.as_str()),
            _ => None,
        })
    }

    /// The error code (`contract.md` section 1.6) if this is an error.
    pub fn error_code(&self) -> Option<String> {
        self.is_error().then(|| self.json()["error"].as_str().unwrap_or("(none)").to_owned())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Launch {
        Launch {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            variables: BTreeMap::from([("MARK".to_owned(), "given".to_owned())]),
        }
    }

    #[tokio::test]
    async fn a_server_that_ends_at_once_is_reported_with_its_stderr() {
        let error = ToolServer::spawn(&shell("echo broken $MARK >&2; exit 3")).await.unwrap_err().to_string();
        assert!(error.contains("it said: broken given"), "{error}");
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_named() {
        let launch = Launch { program: "/no/such/server".into(), ..Launch::default() };
        let error = ToolServer::spawn(&launch).await.unwrap_err().to_string();
        assert!(error.starts_with("cannot start /no/such/server"), "{error}");
    }
}
