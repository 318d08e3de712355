//! The MCP server through which an agent operates pages in the IE mode of Microsoft Edge.
//!
//! Code map: `mcp` is the protocol edge, `tools` holds one file per tool, `page` what tools share of
//! a page, `script` the ES3 scripts that run in it, `driver` everything that talks to or lives with
//! IEDriverServer, `doctor` the checks of a machine. Knows nothing of recordings or emulators: the
//! WebDriver wire is the only seam ([`driver::cable`]).

pub mod config;
pub mod doctor;
pub mod driver;
pub mod error;
pub mod log;
pub mod mcp;
pub mod page;
pub mod script;
pub mod tools;

use driver::cable::Dial;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

pub use config::Config;

/// What the outside world is to one server: its MCP peer, its driver, its end.
pub struct World {
    /// Where MCP messages come from. Its end is the end of the server.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// Where MCP messages go. Nothing else is ever written to it.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// How the driver is reached.
    pub driver: DriverAccess,
    /// Cancelled when the process shall end (Ctrl-C, SIGTERM).
    pub stop: CancellationToken,
}

/// How the driver is reached.
pub enum DriverAccess {
    /// As the configuration says: a process of our own, or an address.
    Configured,
    /// By this dial function; no process is started or ended. For far ends in memory.
    Dial(Dial),
}

/// Why the server could not serve.
#[derive(Debug)]
pub enum ServeError {
    /// The MCP handshake failed; the text says how.
    Handshake(String),
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Handshake(text) => write!(f, "the MCP client sent no proper first message: {text}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Serves MCP until the reader ends or `stop` is cancelled, then closes browser and driver.
///
/// Not generic on purpose: rmcp's service is instantiated once, here.
///
/// # Errors
/// If the MCP handshake fails.
pub async fn serve(config: Config, world: World) -> Result<(), ServeError> {
    mcp::serve(config, world).await
}

/// What the server offers, as data: README's tables are generated from it.
pub struct Catalogue {
    /// The tools, in order.
    pub tools: Vec<&'static tools::Spec>,
    /// The error codes.
    pub errors: &'static [error::ErrorRow],
    /// The environment variables.
    pub variables: &'static [config::Variable],
}

/// See [`Catalogue`].
pub fn catalogue() -> Catalogue {
    Catalogue {
        tools: tools::TOOLS.iter().map(|tool| tool.spec()).collect(),
        errors: &error::ERRORS,
        variables: config::VARIABLES,
    }
}
