//! The rules by which a recording answers (`replay.md` section 3). Pure: no file, no socket, no clock.
//!
//! Owns: what one request asks (`request`), in which window and frame (`context`), what a page script
//! is known by (`script`). Does not own: the order in which answers are given (`replay::tape`), ids
//! (`recording`), transport.

mod context;
mod request;
mod script;

pub use context::{Context, Windows};
pub use request::{Key, Request, happened, is_effect};
pub use script::Marker;
