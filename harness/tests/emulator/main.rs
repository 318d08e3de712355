//! The emulator under the production server, in memory and virtual time.
//!
//! Owns: flows that must answer there as they answered in front of Chromium, and the fault matrix. Does not own: the emulator's parts
//! (fake-iedriver's own tests).

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a flow that cannot be run fails; figures are printed"
)]

mod faults;
mod flows;
