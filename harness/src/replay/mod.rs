//! The far end that answers from a recording, and flows played against it.
//!
//! Code map: `tape` decides what is answered, `miss` says why something is not, `secrets` puts texts
//! in the place of masked ones, `far_end` is a WebDriver driver over these, `memory` reaches it without a socket, `stand_in` as a
//! driver process, `play` runs a recorded flow against a server in front of it and judges it, `transcript`
//! writes down what was done. Does not own: the recording's format (`recording`), comparing results
//! (`flow::compare`), output (`report`).

mod far_end;
mod memory;
mod miss;
mod play;
mod secrets;
pub mod stand_in;
mod tape;
mod transcript;

pub use far_end::{Asked, FarEnd, Pace};
pub use memory::InMemory;
pub use miss::{Code, Miss};
pub use play::{CallReport, Mode, Options, Played, Verdict, play};
pub use tape::{Given, Tape};
pub use transcript::transcript;
