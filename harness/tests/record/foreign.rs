//! A recorder around a foreign WebDriver client: the "server" is a shell that starts the driver it is told, the
//! client is the test.

use harness::flow::executables::{self, FAKE_IEDRIVER};
use harness::recording::{self, Recording};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
};
use tempfile::TempDir;

/// Starts the driver in the background, ends it when its own input ends; the driver's end is its own end too.
const SERVER: &str =
    r#""$IE_MCP_DRIVER_PATH" --port=0 & cat; kill -TERM $!; wait $!; echo "driver ended with $?""#;

/// A recorder that runs, its driver listening.
pub(crate) struct Recorder {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<std::process::ChildStdout>,
    pub(crate) port: u16,
    pub(crate) folder: TempDir,
}

/// The arguments that make the far end answer without a browser.
pub(crate) fn without_browser() -> Vec<String> {
    ["--bridge", "http://127.0.0.1:9"].map(str::to_owned).into()
}

impl Recorder {
    /// Records `a` with these switches of the far end; `faults` is the fault room's TOML.
    pub(crate) fn start(switches: &[String], faults: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut switches = switches.to_vec();
        if !faults.is_empty() {
            let file = folder.path().join("faults.toml");
            std::fs::write(&file, faults).unwrap();
            switches.extend(["--fault".to_owned(), file.display().to_string()]);
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(["record", "a", "--recordings"])
            .arg(folder.path().join("recordings"))
            .arg("--driver")
            .arg(executables::find(FAKE_IEDRIVER).unwrap_or_else(|error| panic!("{error}")))
            .args(["--", "/bin/sh", "-c", SERVER])
            .env("FAKE_IEDRIVER_ARGS", shell_words::join(&switches))
            .env("TMPDIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let port = loop {
            let mut line = String::new();
            assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "the driver did not start");
            if let Some(port) = line.trim_end().strip_prefix("Listening on port ") {
                break port.parse().unwrap();
            }
        };
        Self { child, stdin, stdout, port, folder }
    }

    /// The recording's folder.
    pub(crate) fn recorded(&self) -> PathBuf {
        self.folder.path().join("recordings").join("a")
    }

    /// Sends these bytes on a connection of their own; all that comes back, and whether it ended by a reset.
    pub(crate) fn raw(&self, bytes: &str) -> (String, bool) {
        raw(self.port, bytes)
    }

    /// One command; status and `value`.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (text, _) = self.raw(&request(method, path, &body));
        let (head, body) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer to {path}: {text:?}"));
        let body: Value = serde_json::from_str(body).unwrap();
        (head[9..12].parse().unwrap(), body["value"].clone())
    }

    /// Ends the client; the recorder's end, what the server said last, and the recording.
    pub(crate) fn close(mut self) -> (ExitStatus, String, Recording, TempDir) {
        drop(self.stdin.take());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        let recording = recording::read(&self.recorded()).unwrap_or_else(|damage| panic!("{damage}"));
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        (status, rest, recording, folder)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request that asks for the connection's end.
pub(crate) fn request(method: &str, path: &str, body: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// See [`Recorder::raw`].
pub(crate) fn raw(port: u16, bytes: &str) -> (String, bool) {
    let mut io = TcpStream::connect(("127.0.0.1", port)).unwrap();
    io.write_all(bytes.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let reset = io.read_to_end(&mut answer).is_err();
    (String::from_utf8_lossy(&answer).into_owned(), reset)
}
