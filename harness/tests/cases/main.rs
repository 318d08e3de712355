//! Field problems as tests: each case plays its steps against the server in front of a far end, and every
//! expectation of its `case.json` is asserted.
//!
//! Owns: the cases. Files `window.rs`, `dialog.rs`, … hold one test per case; `data/` holds the inputs. A
//! case counts only if every exchange it scripts was asked for. Does not own: what the tools promise
//! (`contract.md`).

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a case that cannot be played fails; what did not run is said"
)]

mod act;
mod case;
mod dialog;
mod far_end;
mod frame;
mod list;
mod pages;
mod play;
mod see;
mod window;
mod wire;
