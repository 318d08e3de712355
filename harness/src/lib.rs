//! Recorder, replayer and demonstration application around the MCP server.
//!
//! Code map: `recording` is the format on disk, `record` writes it between a live server and a live
//! driver, `replay` is the far end that answers from it, `model` the rules by which it answers (no
//! I/O), `flow` plays tool calls against a server and compares results, `audit` looks for leaks in
//! recordings, `report` shows what came out, `demo_app` is the legacy application that flows run on,
//! `bench` the measurements, `cli` one file per verb, `testing` what a test file uses. Time comes from
//! `clock` only.

pub mod audit;
pub mod bench;
pub mod cli;
pub mod clock;
pub mod demo_app;
pub mod flow;
pub mod model;
pub mod record;
pub mod recording;
pub mod replay;
pub mod report;
pub mod testing;
