//! Emulator of IEDriverServer, true to the real driver on the wire.
//!
//! Code map: `wire` is what every client sees; behind its [`wire::Backend`] stands the emulator
//! (`session`, `browser`, `dom`, `script`) or a `bridge` to a real browser; `fault` breaks answers
//! on purpose; `handle` and `switches` start it, in a test or as a program. Knows nothing of MCP, of recordings or of the server that is tested with it.

pub mod bridge;
pub mod browser;
pub mod clock;
pub mod dom;
pub mod fault;
pub mod handle;
pub mod script;
pub mod session;
pub mod switches;
pub mod wire;
