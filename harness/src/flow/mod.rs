//! Tool calls from a file, run against a server, with what came back.
//!
//! Owns: the flow file (`step`), a server as an MCP client sees it (`server`), the runner (`run`),
//! where our executables lie (`executables`) and the whole set-up with a real browser (`live`). Does not
//! own: what a result is compared with (`replay`), how a session is written down (`record`).

pub mod executables;
pub mod live;
pub mod processes;
mod run;
mod server;
mod step;

pub use run::{Controls, Outcome, RunError, run};
pub use server::{CallError, Ended, Launch, StartError, ToolResult, ToolServer};
pub use step::{Control, FlowError, Step, parse, read};
