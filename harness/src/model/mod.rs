//! The rules by which a recording answers (`replay.md` section 3). Pure: no file, no socket, no clock.
//!
//! Code map: `request` is what is asked, `context` in which window and frame, `script` what a page script is
//! known by, `intent` what an effect means, `locator` which
//! searches find the same; `epoch` holds the compiled recording, `compile` makes it, `run`
//! answers from it, `state` knows what is forbidden, `schedule` when phases change, `miss` why there is no
//! answer. Does not own: ids (`recording`), transport and time (`replay`).

mod compile;
mod context;
mod epoch;
mod intent;
mod locator;
mod miss;
mod request;
mod run;
mod schedule;
mod script;
mod state;

pub use compile::{Sent, client};
pub use context::{Context, Windows};
pub use epoch::{Epoch, Exit, Fact, Figures, Model, Phase};
pub use intent::Intent;
pub use miss::{Code, NoAnswer};
pub use request::{Key, Request, happened, is_effect};
pub use run::{Given, Run};
pub use schedule::{Schedule, Tier, Tiers};
pub use script::Marker;

#[cfg(test)]
mod tests;
