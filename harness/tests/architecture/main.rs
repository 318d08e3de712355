//! The rules of the architecture as tests: what may name what, where time and output come from, the form
//! of page scripts, sizes and names of files, the README's tables.
//!
//! Owns: the rules. A finding reads `file:line: what`. Does not own: lints that clippy enforces already.

#![allow(clippy::unwrap_used, reason = "a rule that cannot be checked fails")]

mod dependencies;
mod files;
mod readme;
mod recordings;
mod rooms;
mod scripts;
mod sources;
