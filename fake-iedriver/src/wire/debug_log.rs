//! The driver's own log file at level DEBUG.
//!
//! Owns: the record form of `reference/field-logs.md` section 2 for commands and answers. Like the real
//! one it holds typed text. Does not own: our diagnostics (`tracing`).

use crate::clock;
use std::{
    fmt,
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};

/// Source path and line numbers of drivers 4.8 to 4.11 (section 2.2).
const SERVER: &str = r"C:\projects\seleniumhq\selenium\cpp\webdriver-server\server.cc";

/// A log that clones share.
#[derive(Clone)]
pub struct DebugLog(Arc<Mutex<Box<dyn Write + Send>>>);

impl DebugLog {
    /// Writes to anything; a failed write does not stop the driver.
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(out))))
    }

    pub(super) fn command(&self, verb: &str, path: &str, body: &str) {
        self.record(343, &format!("Command: {verb} {path} {body}"));
    }

    pub(super) fn response(&self, body: &[u8]) {
        self.record(426, &format!("Response: {}", String::from_utf8_lossy(body).trim_end()));
    }

    fn record(&self, line: u32, text: &str) {
        let stamp = clock::now().log_stamp();
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(out, "D {stamp} {SERVER}({line}) {text}").and_then(|()| out.flush());
    }
}

impl fmt::Debug for DebugLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DebugLog")
    }
}
