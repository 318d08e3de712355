//! Entry point: the command line. Does not own: what a verb does (`cli`).

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    harness::cli::Cli::parse().run()
}
