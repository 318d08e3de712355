//! The rules of the architecture as tests: what may name what, where time and output come from, the form
//! of page scripts, sizes and names of files.
//!
//! Owns: the rules. A finding reads `file:line: what`. Does not own: lints that clippy enforces already.

mod dependencies;
mod files;
mod recordings;
mod rooms;
mod scripts;
mod sources;
