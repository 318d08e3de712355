//! The Windows programs, run under Wine by real processes: what only Windows can show.
//!
//! Owns: the list of tests. Does not own: building the programs, Wine and the real driver (`.ci/windows` does, and names
//! them in the variables that [`place`] reads). Without those variables nothing runs, and one line says so.

mod client;
mod driver;
mod emulated;
mod parity;
mod place;
mod program;
mod recorder;
mod server;
mod wire;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

#[allow(
    clippy::print_stderr,
    reason = "a test runner says what it did not run; stdout belongs to the list of tests"
)]
fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // One at a time: some tests change the registry, which all programs of the prefix share.
    arguments.test_threads = Some(1);
    let trials: Vec<Trial> = match place::Place::from_environment() {
        Ok(place) => {
            let place: &'static place::Place = Box::leak(Box::new(place));
            [
                driver::trials(place),
                parity::trials(place),
                emulated::trials(place),
                recorder::trials(place),
                server::trials(place),
            ]
            .into_iter()
            .flatten()
            .collect()
        }
        Err(missing) => {
            eprintln!("wine: did not run: the variable {missing} is not set; run .ci/windows");
            Vec::new()
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}
