//! Acceptance with a real browser: the built server in front of the built far end in front of Chromium,
//! on the demonstration application.
//!
//! Without a browser each test says in one line that it did not run, and passes; with
//! `HARNESS_REQUIRE_BROWSER=1` it fails. A browser start costs about a second, so a test does as much with
//! one as its subject allows.

#![allow(clippy::unwrap_used, reason = "a test fails by panic")]
#![cfg(target_os = "linux")]

mod alike;
mod errors;
mod once;
mod process_life;
mod setup;
mod silent_driver;
mod tools;
