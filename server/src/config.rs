//! Configuration of the server: one struct, every default written here. Does not own: the command
//! line (`main.rs`).

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the operator may set (`contract.md` sections 1.2, 2.2, 2.6, 2.7). Holds nothing secret: the
/// harness stores it in the manifest of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// `IE_MCP_EDGE_PATH`: path of msedge.exe; unset: the driver finds Edge.
    pub edge_path: Option<PathBuf>,
    /// `IE_MCP_DRIVER_PATH`: path of IEDriverServer.exe; unset: searched on `PATH`.
    pub driver_path: Option<PathBuf>,
    /// `IE_MCP_DRIVER_URL`: a driver or hub that runs already; then no process is started or ended.
    pub driver_url: Option<String>,
    /// `IE_MCP_ALLOWED_ORIGINS`: origins that `navigate` may open; empty means any.
    pub allowed_origins: Vec<String>,
    /// `IE_MCP_ALLOWED_ORIGINS_STRICT`: pages reached on other origins are refused too.
    pub allowed_origins_strict: bool,
    /// `IE_MCP_TIMEOUT_MS`: default limit for finding elements and for waits, in ms.
    pub timeout_ms: u64,
    /// `IE_MCP_PAGE_LOAD_MS`: limit of a page load, in ms.
    pub page_load_ms: u64,
    /// `IE_MCP_START_MS`: limit of `browser_start`, in ms.
    pub start_ms: u64,
    /// `IE_MCP_READ_ONLY`: `click`, `type` and `select` refuse.
    pub read_only: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            edge_path: None,
            driver_path: None,
            driver_url: None,
            allowed_origins: Vec::new(),
            allowed_origins_strict: false,
            timeout_ms: 10_000,
            page_load_ms: 30_000,
            start_ms: 55_000,
            read_only: false,
        }
    }
}
