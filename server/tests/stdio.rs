//! The built binary over real stdio, with a stand-in for the driver's process. Linux only parts use a FIFO: its
//! end tells that the process is gone, without waiting for a time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]
#![cfg(unix)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Server {
    fn start(env: &[(&str, &str)]) -> Self {
        let mut child = binary(env).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, out };
        server.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } }));
        assert_eq!(server.read()["result"]["protocolVersion"], "2025-11-25");
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call_start(&mut self) {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "browser_start", "arguments": {} } }));
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn signal(&self, signal: nix::sys::signal::Signal) {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn binary(env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ie-mode-mcp"));
    for variable in ie_mode_mcp::config::VARIABLES {
        command.env_remove(variable.name);
    }
    command.env_remove("RUST_LOG").envs(env.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A driver that holds the FIFO open while it or its child lives, and never listens.
fn stand_in(folder: &Path) -> (String, std::path::PathBuf) {
    let fifo = folder.join("alive");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let script = folder.join("IEDriverServer");
    let text = format!("#!/bin/sh\nexec 9>'{}'\necho up >&9\nsleep 600 &\nexec sleep 600\n", fifo.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    (script.to_str().unwrap().to_owned(), fifo)
}

/// Starts a browser on the stand-in, does something to the server, then reads until no process of the driver is left.
fn nothing_is_left_after(end: impl FnOnce(&mut Server)) {
    let folder = tempfile::tempdir().unwrap();
    let (path, fifo) = stand_in(folder.path());
    let mut server = Server::start(&[("IE_MCP_DRIVER_PATH", &path)]);
    server.call_start();
    let mut alive = std::fs::File::open(fifo).unwrap();
    let mut up = [0; 3];
    alive.read_exact(&mut up).unwrap();
    end(&mut server);
    alive.read_to_end(&mut Vec::new()).unwrap();
    let mut log = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(log.contains("The start was cancelled."), "the start did not end at once: {log}");
}

#[test]
fn closed_stdin_ends_the_driver_and_what_it_started() {
    nothing_is_left_after(|server| {
        drop(server.child.stdin.take());
        assert!(server.child.wait().unwrap().success());
    });
}

#[test]
fn closed_stdin_of_an_idle_server_is_no_error() {
    let mut server = Server::start(&[]);
    drop(server.child.stdin.take());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let mut log = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(!log.contains("panic"), "{log}");
}

#[test]
fn sigterm_ends_the_driver_and_what_it_started() {
    nothing_is_left_after(|server| {
        server.signal(nix::sys::signal::Signal::SIGTERM);
        assert!(server.child.wait().unwrap().success());
    });
}

#[test]
fn a_failed_start_leaves_nothing_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (path, fifo) = stand_in(folder.path());
    let mut server = Server::start(&[("IE_MCP_DRIVER_PATH", &path), ("IE_MCP_START_MS", "300")]);
    server.call_start();
    std::fs::File::open(fifo).unwrap().read_to_end(&mut Vec::new()).unwrap();
    let answer = server.read();
    assert!(answer.to_string().contains("did not answer /status"), "{answer}");
}

#[test]
fn a_driver_that_exits_is_told_with_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("IEDriverServer");
    std::fs::write(&script, "#!/bin/sh\necho Failed to extract the library\nexit 1\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut server = Server::start(&[("IE_MCP_DRIVER_PATH", script.to_str().unwrap())]);
    server.call_start();
    let answer = server.read().to_string();
    assert!(answer.contains("driver_exited"), "{answer}");
}

#[test]
fn a_missing_driver_is_told() {
    let mut server = Server::start(&[("IE_MCP_DRIVER_PATH", "/no/such/driver")]);
    server.call_start();
    assert!(server.read().to_string().contains("driver_not_found"));
}

#[test]
fn a_broken_variable_stops_the_start_and_is_named_on_stderr() {
    let output = binary(&[("IE_MCP_TIMEOUT_MS", "soon")]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let line: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(line["level"], "error");
    assert!(line["message"].as_str().unwrap().contains("IE_MCP_TIMEOUT_MS"));
}

#[test]
fn a_flag_beats_its_variable() {
    let mut command = binary(&[("IE_MCP_TIMEOUT_MS", "soon")]);
    let output = command.args(["--timeout-ms", "5"]).output().unwrap();
    assert!(output.status.success(), "closed stdin before the first message is no error");
    let line: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(line, json!({ "level": "info", "event": "started", "transport": "stdio" }));
}

#[cfg(target_os = "linux")]
#[test]
fn sigkill_of_the_server_ends_the_driver() {
    let folder = tempfile::tempdir().unwrap();
    let (path, fifo) = stand_in(folder.path());
    // Only the driver itself: what it starts dies by its own means (architecture, section 5).
    let script = format!("#!/bin/sh\nexec 9>'{}'\necho up >&9\nexec sleep 600\n", fifo.display());
    std::fs::write(&path, script).unwrap();
    let mut server = Server::start(&[("IE_MCP_DRIVER_PATH", &path)]);
    server.call_start();
    let mut alive = std::fs::File::open(fifo).unwrap();
    alive.read_exact(&mut [0; 3]).unwrap();
    server.signal(nix::sys::signal::Signal::SIGKILL);
    alive.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_driver_that_ignores_sigterm_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, fifo) = stand_in(folder.path());
    let script = format!(
        "#!/bin/sh\ntrap '' TERM\nexec 9>'{}'\necho up >&9\nsleep 600 &\nexec sleep 600\n",
        fifo.display()
    );
    std::fs::write(&path, script).unwrap();
    let mut server = Server::start(&[("IE_MCP_DRIVER_PATH", &path)]);
    server.call_start();
    let mut alive = std::fs::File::open(fifo).unwrap();
    alive.read_exact(&mut [0; 3]).unwrap();
    drop(server.child.stdin.take());
    assert!(server.child.wait().unwrap().success());
    // The end of the FIFO: neither it nor what it started is left.
    alive.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn the_doctor_names_what_blocks_and_its_exit_code_says_so() {
    let output =
        binary(&[("IE_MCP_DRIVER_PATH", "/no/such/driver")]).args(["doctor", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let findings: Value = serde_json::from_slice(&output.stdout).unwrap();
    let driver = findings.as_array().unwrap().iter().find(|finding| finding["name"] == "driver").unwrap();
    assert_eq!(driver["level"], "blocks");
    assert!(driver["remedy"].as_str().unwrap().contains("IE_MCP_DRIVER_PATH"));
    for finding in findings.as_array().unwrap() {
        assert!(finding["text"].as_str().is_some_and(|text| !text.is_empty()), "{finding}");
    }
}

#[test]
fn the_doctor_asks_the_driver_for_its_version() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("IEDriverServer");
    std::fs::write(&script, "#!/bin/sh\necho IEDriverServer.exe 4.14.0.0 '(x)'\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = binary(&[]).args(["doctor", "--driver-path", script.to_str().unwrap()]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("4.14.0.0"), "{text}");
    assert_eq!(output.status.code(), Some(0), "{text}");
}
