//! The far end that answers from a recording, and flows played against it.
//!
//! Code map: `miss` says why something is not answered, `secrets` puts texts
//! in the place of masked ones, `far_end` is a WebDriver driver over the model, `memory` reaches it without a socket, `stand_in` as a
//! driver process, `play` runs a recorded flow against a server in front of it and judges it, `transcript`
//! writes down what was done. Does not own: what is answered
//! (`model`), the recording's format (`recording`), comparing results
//! (`flow::compare`), output (`report`).

mod far_end;
mod memory;
mod miss;
mod play;
mod secrets;
pub mod stand_in;
mod transcript;

pub use far_end::{Asked, FarEnd, Pace};
pub use memory::InMemory;
pub use miss::Miss;
pub use play::{CallReport, Mode, Options, Played, Verdict, play};
pub use transcript::transcript;
