//! The list of commands a driver received.
//!
//! Owns: keeping it and telling subscribers. Does not own: what a command means.

use super::table::Command;
use serde_json::{Map, Value};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

/// Commands kept; the oldest go first.
const KEPT: usize = 10_000;

/// One request that met a row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The row.
    pub command: &'static Command,
    /// Values of the path's parameters.
    pub params: Vec<(&'static str, String)>,
    /// The body as the driver understood it.
    pub body: Map<String, Value>,
    /// The body as it came.
    pub bytes: Vec<u8>,
}

/// Commands in the order in which they came.
#[derive(Debug, Default)]
pub struct CommandLog(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    kept: std::collections::VecDeque<Received>,
    subscribers: Vec<mpsc::UnboundedSender<Received>>,
}

impl CommandLog {
    /// A copy of what came until now.
    pub fn all(&self) -> Vec<Received> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).kept.iter().cloned().collect()
    }

    /// Names of what came until now.
    pub fn names(&self) -> Vec<&'static str> {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.kept.iter().map(|received| received.command.name).collect()
    }

    /// What comes from now on, told when it comes and before it runs.
    pub fn subscribe(&self) -> mpsc::UnboundedReceiver<Received> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).subscribers.push(sender);
        receiver
    }

    pub(super) fn push(&self, received: Received) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.subscribers.retain(|subscriber| subscriber.send(received.clone()).is_ok());
        if inner.kept.len() == KEPT {
            inner.kept.pop_front();
        }
        inner.kept.push_back(received);
    }
}
