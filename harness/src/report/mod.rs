//! What came out, for people and programs.
//!
//! Owns: lines and table of a replay (`text`), JUnit XML (`junit`). Does not own: verdicts (`replay`),
//! stdout (`cli`).

mod junit;
mod text;

pub use junit::junit;
pub use text::{json, line, summary, table};
