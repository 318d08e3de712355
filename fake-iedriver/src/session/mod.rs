//! Sessions of the emulator.
//!
//! Code map: `emulator` is the wire's backend and starts a thread per session; `actor` and `port` are the two
//! ends of the channel to it; `serve` takes commands from it, one at a time, with the alert gate in front;
//! `commands` has one function for each; `elements` keeps their ids; `pages` is the seam to the browser
//! behind. Does not own: routes and bytes (`wire`), pages (`browser`, `dom`, `script`).

pub mod actor;
mod commands;
mod elements;
mod emulator;
pub mod pages;
pub mod port;
mod serve;

pub use emulator::{Emulator, EmulatorOptions};
pub use serve::{Pace, Session, Settings};
