//! Tool calls from a file, run against a server, with what came back.
//!
//! Owns: the flow file (`step`), a server as an MCP client sees it (`server`), the runner (`run`),
//! where our executables lie (`executables`), the whole set-up with a real browser (`live`) and the rule by
//! which two results are equal (`compare`). Does not own: how a session is written down (`record`) and
//! answered (`replay`).

pub mod compare;
pub mod emulated;
pub mod executables;
pub mod live;
pub mod processes;
mod run;
mod server;
mod step;

pub use run::{Controls, Outcome, RunError, run, run_into};
pub use server::{CallError, Ended, Launch, StartError, ToolResult, ToolServer};
pub use step::{Control, FlowError, Step, parse, read};
