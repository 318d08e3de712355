//! Entry point: the command line. Does not own: what a verb does (`cli`).

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(address) = harness::replay::stand_in::address() {
        return harness::replay::stand_in::run(&address);
    }
    // Started by a server in the driver's place: the command line is then the driver's.
    if harness::record::shim::is_wanted() {
        return harness::record::shim::main();
    }
    harness::cli::Cli::parse().run()
}
