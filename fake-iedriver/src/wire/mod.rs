//! Everything a client can see that is not a page: the command table, the envelope, error texts and
//! the HTTP habits of the real driver. Does not own: what commands do (`Backend`).

mod backend;
mod table;

pub use backend::{Backend, Broken, Call, DriverError, Reply, SessionReply};
pub use table::{COMMANDS, Class, Command, Route, by_name, parameter, route};
