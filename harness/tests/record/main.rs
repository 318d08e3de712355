//! The recorder with real processes: bytes, broken connections, secrets, a kill at any moment, an agent's session.
//!
//! Most need no browser: `fake-iedriver` in front of a chromedriver that is not there answers `/status` and errors.
//! Those with a browser say in one line that they did not run without one; with `HARNESS_REQUIRE_BROWSER=1` they
//! fail.

#![allow(clippy::unwrap_used, reason = "a test fails by panic")]
#![cfg(target_os = "linux")]

mod agent;
mod bytes;
mod crash;
mod foreign;
mod secrets;
mod tools;
