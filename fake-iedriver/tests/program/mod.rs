//! A running `fake-iedriver` and plain HTTP to it, for the tests of the built program.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdout, Command, Stdio},
};

/// The program; killed on drop.
pub struct Program {
    pub child: Child,
    pub port: u16,
    pub banner: String,
    pub stdout: BufReader<ChildStdout>,
}

pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-iedriver"));
    command.env_remove("FAKE_IEDRIVER_ARGS").stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

impl Program {
    /// Starts it on a free port and waits for its banner. None if it refused to start.
    pub fn start(mut command: Command) -> Option<Self> {
        let mut child = command.spawn().expect("program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut banner = String::new();
        while !banner.contains("connections are allowed") {
            if stdout.read_line(&mut banner).expect("text") == 0 {
                child.wait().expect("ended");
                return None;
            }
        }
        let port = banner.split("Listening on port ").nth(1).and_then(|rest| rest.lines().next());
        let port = port.and_then(|port| port.parse().ok()).expect("the banner names the port");
        Some(Self { child, port, banner, stdout })
    }

    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).expect("listening")
    }

    /// One request on a connection of its own: status and `value`.
    pub fn send(&self, verb: &str, path: &str, body: &str) -> (u16, Value) {
        let mut io = self.connect();
        let request = format!(
            "{verb} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        io.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        io.read_to_string(&mut answer).expect("answer");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
        let status = head[9..12].parse().expect("status");
        let body: Value = serde_json::from_str(body).expect("JSON");
        (status, body["value"].clone())
    }

    pub fn signal(&self, name: &str) {
        let done = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(done.expect("kill runs").success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
