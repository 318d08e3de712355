//! Sessions of the emulator.
//!
//! Owns: the engine thread of a session and the channel to it, one command at a time, the alert
//! gate, element ids, the commands. Does not own: routes and bytes (`wire`), pages (`browser`, `dom`).

pub mod actor;
pub mod port;
