//! The manifest of a recording. Owns: its members and the format version. Does not own: reading files.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Version of the format: an own major is read whatever its minor, a newer major is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format.
    pub format: Format,
    /// Name of the recording: that of its folder.
    pub id: String,
    /// When it was made, UTC.
    pub when: String,
    /// The server's configuration without paths and addresses, for an equal one on replay.
    pub config: Map<String, Value>,
    /// Members that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
