//! A running `fake-iedriver` and plain HTTP to it, for the tests of the built program.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]
#![allow(clippy::print_stdout, reason = "a test that cannot run says so in one line")]

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
};

/// Key of an element reference.
pub const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

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

/// Says in one line why a test did not run.
pub fn not_run(why: &str) {
    println!("not run: {why}");
}

/// A session of a program with a real browser behind it.
pub struct Session {
    pub program: Program,
    pub id: String,
    pub capabilities: Value,
}

impl Session {
    /// None, with one line, if this machine has no browser.
    pub fn start(command: Command, always: Value) -> Option<Self> {
        let Some(program) = Program::start(command) else {
            not_run("no chromedriver here");
            return None;
        };
        let body = json!({ "capabilities": { "alwaysMatch": always } });
        let (status, value) = program.send("POST", "/session", &body.to_string());
        let Some(id) = value["sessionId"].as_str() else {
            not_run(&format!("no browser here ({status} {value})"));
            return None;
        };
        let (id, capabilities) = (id.to_owned(), value["capabilities"].clone());
        Some(Self { program, id, capabilities })
    }

    /// A command below `/session/{id}`.
    pub fn send(&self, verb: &str, path: &str, body: Value) -> (u16, Value) {
        let body = if verb == "POST" { body.to_string() } else { String::new() };
        self.program.send(verb, &format!("/session/{}{path}", self.id), &body)
    }

    /// Status and message of an error.
    pub fn fails(&self, verb: &str, path: &str, body: Value) -> (u16, String, String) {
        let (status, value) = self.send(verb, path, body);
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        (status, text("error"), text("message"))
    }

    /// Id of the first element of a CSS selector.
    pub fn find(&self, css: &str) -> String {
        let (_, value) = self.send("POST", "/element", json!({ "using": "css selector", "value": css }));
        value[ELEMENT].as_str().unwrap_or_else(|| panic!("{css}: {value}")).to_owned()
    }
}

/// Serves pages by path until the test ends; unknown paths are empty pages.
pub fn pages(pages: &'static [(&'static str, &'static str)]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("port");
    let address = listener.local_addr().expect("address");
    std::thread::spawn(move || {
        for io in listener.incoming() {
            let Ok(mut io) = io else { return };
            let mut request = [0; 4096];
            let count = io.read(&mut request).unwrap_or_default();
            let line = String::from_utf8_lossy(&request[..count]);
            let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
            let page = pages.iter().find(|(known, _)| *known == path).map_or("", |(_, page)| page);
            let _ = write!(
                io,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
                page.len()
            );
        }
    });
    address
}

/// Command lines of processes that hold the mark of this program.
pub fn marked(pid: u32) -> Vec<String> {
    let mark = format!("fake-iedriver-{pid}-");
    let lines = std::fs::read_dir("/proc").expect("proc").flatten();
    lines
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(&mark))
        .collect()
}

/// Folders that hold the mark of this program.
pub fn folders(pid: u32) -> Vec<PathBuf> {
    let mark = format!("fake-iedriver-{pid}-");
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("temp").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&mark)).map(|e| e.path()).collect()
}

/// Waits until nothing is left; the test runner's limit ends a wait that never does.
pub fn wait_until_clean(pid: u32) {
    while !(marked(pid).is_empty() && folders(pid).is_empty()) {
        std::thread::yield_now();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
