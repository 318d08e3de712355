//! Records a session: MCP above the server, WebDriver below it.
//!
//! Code map: `session` starts everything and ends it, `tap` sits on the server's stdio, `shim` stands in for the driver
//! executable and tells of each exchange by `events`, `scribe` is the only writer, `calls` knows which tool call runs, `own_tools` are for
//! an agent that is recorded, `places` knows where commands carry secrets,
//! `secrets` and `encodings` are the redactor before every line, `close` the search at the end, `repair` closes what a
//! killed recorder left, `launch` tells the server's configuration. Does not own: the format (`recording`).

mod calls;
mod close;
mod encodings;
mod events;
mod launch;
mod own_tools;
mod places;
mod repair;
mod scribe;
mod secrets;
mod session;
pub mod shim;
mod tap;

pub use close::Summary;
pub use launch::{FlowSecrets, NoValue, take_flag};
pub use repair::{RepairError, Repaired, repair};
pub use session::{Order, RecordError, Source, record};
