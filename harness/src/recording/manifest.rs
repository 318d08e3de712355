//! The manifest of a recording. Owns: its members and the format version. Does not own: reading files.

use super::Forms;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Version of the format: an own major is read whatever its minor, a newer major is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Format {
    /// Raised when older readers would misunderstand.
    pub major: u64,
    /// Raised when members were added.
    pub minor: u64,
}

impl Format {
    /// What this version writes.
    pub const CURRENT: Self = Self { major: 1, minor: 0 };
}

/// What a recording says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Version of the format.
    pub format: Format,
    /// Name of the recording: that of its folder.
    pub id: String,
    /// When it was made, UTC.
    pub when: String,
    /// The MCP server, as it introduced itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Software>,
    /// The driver, as `/status` told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<Software>,
    /// The browser, as the capabilities told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<Software>,
    /// The driver's operating system, as `/status` told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<Software>,
    /// The server's configuration without paths and addresses, for an equal one on replay.
    pub config: Map<String, Value>,
    /// The forms of the driver's ids.
    #[serde(default, skip_serializing_if = "Forms::is_empty")]
    pub ids: Forms,
    /// What is in the files; absent while it is being recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// What was masked; absent while it is being recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction: Option<Redaction>,
    /// How it ended; absent while it is being recorded or if its recorder was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ending>,
    /// Members that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Name and version of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Software {
    /// Its name.
    pub name: String,
    /// Its version, as it told.
    pub version: String,
}

/// How much was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Tool calls.
    pub calls: u64,
    /// Exchanges with the driver.
    pub exchanges: u64,
    /// Files in `blobs/`.
    pub blobs: u64,
}

/// What was kept from the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Redaction {
    /// Names of the secrets, as in `{{secret:<slot>}}`.
    pub slots: Vec<String>,
    /// Places found only by the search at the end.
    pub late: u64,
}

/// How a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The client disconnected, or the flow was through.
    Closed,
    /// The server or the flow failed; what was there is kept.
    Failed,
    /// The recorder was killed; closed later by `harness repair`.
    Repaired,
}
