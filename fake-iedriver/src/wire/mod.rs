//! Everything a client can see that is not a page: the command table, the envelope, error texts and
//! the HTTP habits of the real driver. Does not own: what commands do (`Backend`).

mod backend;
pub mod capabilities;
mod connection;
mod debug_log;
mod envelope;
mod guid;
mod json;
mod lenient;
pub mod parameters;
mod received;
mod request;
mod serve;
mod table;

pub use backend::{Backend, Broken, Call, DriverError, Reply, SessionReply};
pub use debug_log::{DebugLog, LogLevel};
pub use envelope::{Answer, Head, status_of};
pub use guid::guid;
pub use received::{CommandLog, Received};
pub use request::Request;
pub use serve::{Outcome, Wire, WireOptions};
pub use table::{COMMANDS, Class, Command, Route, by_name, parameter, route};
