//! The recorder where an agent's configuration names the server.

use harness::{
    flow::executables::{self, FAKE_IEDRIVER, SERVER},
    recording::{self, Ending},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
};
use tempfile::TempDir;

struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<std::process::ChildStdout>,
    folder: TempDir,
}

impl Agent {
    /// The built server behind the recorder, its driver without a browser.
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let find = |name| executables::find(name).unwrap_or_else(|error| panic!("{error}"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(["record", "a", "--recordings"])
            .arg(folder.path().join("recordings"))
            .arg("--")
            .arg(find(SERVER))
            .args(["--timeout-ms", "700", "--driver-path"])
            .arg(find(FAKE_IEDRIVER))
            .env("IE_MCP_READ_ONLY", "1")
            .env("FAKE_IEDRIVER_ARGS", "--bridge http://127.0.0.1:9")
            .env("TMPDIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut agent = Self { child, stdin, stdout, folder };
        let client = json!({ "name": "test", "version": "1" });
        let hello = agent.ask(
            1,
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client,
            }),
        );
        assert_eq!(hello["serverInfo"]["name"], "ie-mode-mcp");
        agent.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    fn notes(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("recordings/a/notes.md")).unwrap()
    }

    fn close(mut self) -> (Option<i32>, String, recording::Recording) {
        drop(self.stdin.take());
        let status = self.child.wait().unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut said).unwrap();
        let recording = recording::read(&self.folder.path().join("recordings/a")).unwrap();
        (status.code(), said, recording)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_agents_session_is_recorded_with_the_servers_configuration() {
    let mut agent = Agent::start();
    let started = agent.ask(2, "tools/call", json!({ "name": "browser_start", "arguments": {} }));
    assert_eq!(started["isError"], true, "there is no browser behind this driver: {started}");
    let tools = agent.ask(9, "tools/list", json!({}));
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.len() > 2 && names.ends_with(&["recording_mark", "recording_note"]), "{names:?}");
    let mark = json!({ "name": "recording_mark", "arguments": { "name": "no browser" } });
    assert_eq!(agent.ask(10, "tools/call", mark)["isError"], false);
    let note =
        json!({ "name": "recording_note", "arguments": { "text": "see http://me:hasenfuss@demo.test/" } });
    assert_eq!(agent.ask(11, "tools/call", note)["isError"], false);
    let closed = agent.ask(3, "tools/call", json!({ "name": "browser_close" }));
    assert_eq!(closed["structuredContent"]["status"], "closed");
    let notes = agent.notes();
    assert!(notes.starts_with("- mark at ") && notes.contains(", after call 1: no browser\n"), "{notes}");
    assert!(notes.ends_with("see http://{{secret:userinfo}}@demo.test/\n"), "{notes}");
    let (code, said, recording) = agent.close();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 calls"), "{said}");
    let manifest = &recording.manifest;
    assert_eq!(manifest.ended, Some(Ending::Closed));
    assert_eq!(manifest.server.as_ref().unwrap().name, "ie-mode-mcp");
    assert_eq!(manifest.driver.as_ref().unwrap().version, "4.14.0.0 (32-bit)");
    assert_eq!((&manifest.config["timeout_ms"], &manifest.config["read_only"]), (&json!(700), &json!(true)));
    assert!(manifest.config.keys().all(|name| !name.contains("path") && !name.contains("url")));
    assert_eq!(recording.flow[0].members["tool"], "browser_start");
    assert_eq!(recording.expand(&recording.flow[0].members["result"]), started);
    let commands: Vec<(&str, Option<u64>)> = recording
        .wire
        .iter()
        .map(|line| (line.cmd.as_str(), line.call))
        .filter(|line| line.0 != "status")
        .collect();
    assert_eq!(commands, [("newSession", Some(1))]);
}
