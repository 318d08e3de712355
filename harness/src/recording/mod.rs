//! The recording on disk: its types, reader and writer (`replay.md` section 7).
//!
//! Owns: file names, line shapes, format version, messages about damage. Does not own: what is
//! recorded (`record`) nor how it answers (`replay`, `model`).

mod lines;
mod manifest;
mod read;
mod write;

pub use lines::{Answer, Exchange, FlowLine, WireError};
pub use manifest::{Format, Manifest};
pub use read::{Damage, Recording, read};
pub use write::Lines;

/// Name of the manifest inside a recording's folder.
pub const MANIFEST: &str = "manifest.json";
/// Name of the file of tool calls.
pub const FLOW: &str = "flow.jsonl";
/// Name of the file of exchanges.
pub const WIRE: &str = "wire.jsonl";
