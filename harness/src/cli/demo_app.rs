//! `harness demo-app`: the legacy application on a port, until Ctrl-C.

use super::{Exit, Failure, live_runtime};
use crate::demo_app::DemoApp;
use clap::Args;

/// Serves the legacy demonstration application on the loopback device.
#[derive(Debug, Args)]
pub(super) struct DemoAppArgs {
    /// Port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

impl DemoAppArgs {
    /// Prints the address as the first line and serves until Ctrl-C.
    ///
    /// # Errors
    /// If the port is taken.
    #[allow(clippy::print_stdout, reason = "the command line owns stdout")]
    pub(super) fn run(self) -> Result<Exit, Failure> {
        live_runtime()?.block_on(async {
            let mut app = DemoApp::start_on(self.port).await.map_err(|error| {
                Failure::usage(format!("cannot listen on port {}: {error}; give another --port", self.port))
            })?;
            println!("{}", app.url());
            tokio::select! {
                () = app.wait() => Err(Failure::usage("the demo application's socket failed")),
                _ = tokio::signal::ctrl_c() => Ok(Exit::Fine),
            }
        })
    }
}
