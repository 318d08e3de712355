//! Entry point: arguments and environment become a `Config`, then MCP is served on stdio.

use clap::{Arg, ArgAction, ArgMatches, Command};
use ie_mode_mcp::config::VARIABLES;
use ie_mode_mcp::{Config, DriverAccess, World, doctor, log, serve};
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let matches = command_line().get_matches();
    log::install();
    let config = match Config::read(|name| flag(&matches, name).or_else(|| std::env::var(name).ok())) {
        Ok(config) => config,
        Err(message) => {
            tracing::error!(event = "configuration", message);
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(event = "runtime", message = error.to_string());
            return ExitCode::FAILURE;
        }
    };
    if let Some(asked) = matches.subcommand_matches("doctor") {
        let findings = runtime.block_on(doctor::examine(&config));
        return match doctor::report(&findings, asked.get_flag("json"), &mut std::io::stdout().lock()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) | Err(_) => ExitCode::FAILURE,
        };
    }
    let served = runtime.block_on(async {
        let stop = CancellationToken::new();
        tokio::spawn(signals(stop.clone()));
        tracing::info!(event = "started", transport = "stdio");
        let world = World {
            reader: Box::new(tokio::io::stdin()),
            writer: Box::new(tokio::io::stdout()),
            driver: DriverAccess::Configured,
            stop,
        };
        serve(config, world).await
    });
    // A blocked read of stdin cannot be cancelled.
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(event = "handshake", message = error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn command_line() -> Command {
    let flags = VARIABLES.iter().map(|variable| {
        Arg::new(variable.name)
            .long(variable.flag)
            .value_name("VALUE")
            .global(true)
            .help(format!("{} [{}, default: {}]", variable.meaning, variable.name, variable.default))
    });
    Command::new("ie-mode-mcp")
        .version(env!("CARGO_PKG_VERSION"))
        .about("MCP server on stdio that operates pages in the IE mode of Microsoft Edge")
        .args(flags)
        .subcommand(
            Command::new("doctor")
                .about("Checks this machine and says what keeps the driver from working; starts nothing")
                .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Findings as JSON")),
        )
}

fn flag(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}

/// Ctrl-C and SIGTERM end the server; on Windows also Ctrl-Break, the end of the console and of the user's session.
async fn signals(stop: CancellationToken) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            return;
        };
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
    }
    #[cfg(windows)]
    {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
        let (Ok(mut c), Ok(mut pause), Ok(mut close), Ok(mut logoff), Ok(mut shutdown)) =
            (ctrl_c(), ctrl_break(), ctrl_close(), ctrl_logoff(), ctrl_shutdown())
        else {
            return;
        };
        tokio::select! {
            _ = c.recv() => {}
            _ = pause.recv() => {}
            _ = close.recv() => {}
            _ = logoff.recv() => {}
            _ = shutdown.recv() => {}
        }
    }
    stop.cancel();
}
