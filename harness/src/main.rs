//! Entry point: the command line. Does not own: what a verb does (`cli`).

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(address) = harness::replay::stand_in::address() {
        return harness::replay::stand_in::run(&address);
    }
    harness::cli::Cli::parse().run()
}
