//! A recording as a driver without a socket.
//!
//! Owns: the dial function, the life of the driver: killed, it refuses connections until the next
//! `browser_start`, as a server's driver process would. Does not own: answers (`far_end`).

use super::FarEnd;
use crate::flow::Controls;
use fake_iedriver::{
    handle,
    wire::{Wire, WireOptions},
};
use futures::future::BoxFuture;
use ie_mode_mcp::driver::cable::{Dial, Io};
use std::sync::{Arc, Mutex, PoisonError};

/// Exit code of a killed process, as a shell gives it.
const KILLED: i32 = 137;

/// The driver in memory.
#[derive(Clone)]
pub struct InMemory {
    far_end: Arc<FarEnd>,
    options: WireOptions,
    running: Arc<Mutex<Arc<Wire>>>,
}

impl InMemory {
    /// A driver that runs; `version` is what its `/status` says.
    pub fn new(far_end: Arc<FarEnd>, version: Option<String>) -> Self {
        let options = wire_options(version);
        let wire = Wire::new(far_end.clone(), options.clone());
        Self { far_end, options, running: Arc::new(Mutex::new(wire)) }
    }

    /// Opens a connection to the driver that runs now.
    pub fn dial(&self) -> Dial {
        let driver = self.clone();
        Arc::new(move || {
            let wire = driver.wire();
            Box::pin(async move { handle::dial(&wire).map(|pipe| Box::new(pipe) as Box<dyn Io>) })
        })
    }

    /// The driver that runs now. A `browser_start` finds a new one in the place of one that is gone.
    fn wire(&self) -> Arc<Wire> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.exit_code().is_some() && self.far_end.tool().as_deref() == Some("browser_start") {
            *running = Wire::new(self.far_end.clone(), self.options.clone());
        }
        running.clone()
    }
}

/// The wire of a driver of this version; idle connections are kept, since the clock jumps.
pub(super) fn wire_options(version: Option<String>) -> WireOptions {
    let default = WireOptions::default();
    WireOptions { version: version.unwrap_or(default.version), ..default }
}

impl Controls for InMemory {
    fn kill_driver(&mut self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            self.running.lock().unwrap_or_else(PoisonError::into_inner).exit(KILLED);
            Ok(())
        })
    }

    fn calling(&mut self, call: u64, tool: &str) {
        self.far_end.begin_call(call, tool);
    }
}
