//! The recording on disk: its types, reader and writer (`replay.md` section 7).
//!
//! Owns: file names, line shapes, symbols for ids, long texts as files, format version, messages about damage. Does
//! not own: what is recorded (`record`) nor how it answers (`replay`, `model`).

pub mod blobs;
mod lines;
mod manifest;
mod read;
mod schema;
mod symbol_forms;
mod symbols;
mod write;

pub use blobs::Blobs;
pub use lines::{Answer, Exchange, FlowLine, ProcessEvent, ProcessLine, WireError};
pub use manifest::{Counts, Ending, Format, Manifest, Redaction, Software};
pub use read::{Damage, Recording, read};
pub use schema::schemas;
pub use symbol_forms::Forms;
pub use symbols::{Asked, Symbols};
pub use write::{Lines, write_blob, write_manifest};

/// Name of the manifest inside a recording's folder.
pub const MANIFEST: &str = "manifest.json";
/// Name of the file of tool calls.
pub const FLOW: &str = "flow.jsonl";
/// Name of the file of exchanges.
pub const WIRE: &str = "wire.jsonl";
/// Name of the folder of long texts and pictures.
pub const BLOBS: &str = "blobs";
