//! The driver's own log.
//!
//! Owns: the record form of `reference/field-logs.md` section 2 for start, commands and answers, at the levels
//! where the real one writes them. Like the real one it holds typed text. Does not own: our
//! diagnostics (`tracing`), what the driver logs about its inner steps.

use super::table::{Command, parameter};
use crate::clock;
use std::{
    fmt,
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};

/// How much is written; each level writes what the ones before it write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Start of the server.
    Info,
    /// Commands and answers.
    Debug,
    /// Requests and statuses too.
    Trace,
}

impl LogLevel {
    /// The level of a `--log-level`; none for those at which nothing of ours is written.
    pub fn from_switch(level: &str) -> Option<Self> {
        Some(match level {
            "INFO" => Self::Info,
            "DEBUG" => Self::Debug,
            "TRACE" => Self::Trace,
            _ => return None,
        })
    }
}

/// A log that clones share.
#[derive(Clone)]
pub struct DebugLog {
    out: Arc<Mutex<Box<dyn Write + Send>>>,
    level: LogLevel,
    /// Folder of the sources on the machine that built the driver (section 2.2).
    sources: &'static str,
}

impl DebugLog {
    /// Writes to anything; a failed write does not stop the driver. `version` has four parts.
    pub fn new(out: impl Write + Send + 'static, level: LogLevel, version: &str) -> Self {
        let sources = if version.starts_with("4.0.") {
            r"C:\Projects\selenium\cpp"
        } else {
            r"C:\projects\seleniumhq\selenium\cpp"
        };
        Self { out: Arc::new(Mutex::new(Box::new(out))), level, sources }
    }

    /// The first two records of a run; the real ones may stand before the banner.
    pub fn started(&self, port: u16, host: &str, version: &str) {
        let text = format!("Starting WebDriver server on port: '{port}' on host: '{host}'");
        self.record(LogLevel::Info, r"webdriver-server\server.cc(87)", &text);
        self.record(LogLevel::Info, r"iedriver\IEServer.cpp(33)", &format!("Driver version: {version}"));
    }

    /// Every request, `/` too; the only trace of that one.
    pub(super) fn request(&self, verb: &str, path: &str, body: &str) {
        let text = format!("Process request with: URI: {path} HTTP verb: {verb}\nbody: {body}");
        self.record(LogLevel::Trace, r"webdriver-server\server.cc(243)", &text);
    }

    pub(super) fn command(&self, verb: &str, path: &str, body: &str) {
        let text = format!("Command: {verb} {path} {body}");
        self.record(LogLevel::Debug, r"webdriver-server\server.cc(343)", &text);
    }

    /// What the session's thread is given; it stands twice in logs of 3.150 and later.
    pub(super) fn raw(&self, command: &Command, params: &[(&'static str, String)], body: &str) {
        let names = command.pieces().filter_map(parameter);
        let pairs = names.zip(params).map(|(name, (_, value))| {
            let name = match name {
                "s" => "sessionid",
                "e" => "id",
                other => other,
            };
            format!("\"{name}\" : \"{value}\"")
        });
        let locator = pairs.collect::<Vec<_>>().join(", ");
        let locator = if locator.is_empty() { "{ }".to_owned() } else { format!("{{ {locator} }}") };
        let name = command.driver_name;
        let text = format!(
            "Raw JSON command: {{ \"name\" : \"{name}\", \"locator\" : {locator}, \"parameters\" : {body} }}"
        );
        for _ in 0..2 {
            self.record(LogLevel::Debug, r"webdriver-server\command.cc(36)", &text);
        }
    }

    pub(super) fn response(&self, status: u16, body: &[u8]) {
        let text = format!("Response: {}", String::from_utf8_lossy(body).trim_end());
        self.record(LogLevel::Debug, r"webdriver-server\server.cc(426)", &text);
        let function = match status {
            200 => "SendHttpOk",
            400 => "SendHttpBadRequest",
            404 => "SendHttpNotFound",
            405 => "SendHttpMethodNotAllowed",
            _ => "SendHttpInternalError",
        };
        let text = format!("Entering Server::{function}");
        self.record(LogLevel::Trace, r"webdriver-server\server.cc(540)", &text);
    }

    fn record(&self, level: LogLevel, source: &str, text: &str) {
        if level > self.level {
            return;
        }
        let letter = match level {
            LogLevel::Info => 'I',
            LogLevel::Debug => 'D',
            LogLevel::Trace => 'T',
        };
        let stamp = clock::now().log_stamp();
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ =
            writeln!(out, "{letter} {stamp} {}\\{source} {text}", self.sources).and_then(|()| out.flush());
    }
}

impl fmt::Debug for DebugLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DebugLog")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::by_name;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("lock").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Texts without level, time and source.
    fn texts(level: LogLevel) -> Vec<String> {
        let sink = Sink::default();
        let log = DebugLog::new(sink.clone(), level, "4.14.0.0");
        log.started(5555, "", "4.14.0.0 (32-bit)");
        log.request("POST", "/session/1/element/2/click", "{}");
        let params = [("s", "1".to_owned()), ("e", "2".to_owned())];
        log.raw(by_name("elementClick").expect("row"), &params, "{}");
        log.raw(by_name("newSession").expect("row"), &[], "{}");
        log.response(200, b"{}\r\n");
        let text = String::from_utf8(sink.0.lock().expect("lock").clone()).expect("text");
        text.lines().map(|line| line.split_once(") ").map_or(line, |(_, text)| text).to_owned()).collect()
    }

    #[test]
    fn records_have_the_form_of_field_logs_and_their_level() {
        let click = r#"Raw JSON command: { "name" : "click", "locator" : { "sessionid" : "1", "id" : "2" }, "parameters" : {} }"#;
        let new = r#"Raw JSON command: { "name" : "newSession", "locator" : { }, "parameters" : {} }"#;
        let start = "Starting WebDriver server on port: '5555' on host: ''";
        let version = "Driver version: 4.14.0.0 (32-bit)";
        assert_eq!(texts(LogLevel::Info), [start, version]);
        assert_eq!(texts(LogLevel::Debug), [start, version, click, click, new, new, "Response: {}"]);
        let trace = texts(LogLevel::Trace);
        let request = "Process request with: URI: /session/1/element/2/click HTTP verb: POST";
        assert_eq!((trace[2].as_str(), trace[3].as_str()), (request, "body: {}"));
        assert_eq!(trace.last().map(String::as_str), Some("Entering Server::SendHttpOk"));
    }
}
