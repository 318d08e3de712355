//! A client of MCP over a program's pipes, line by line: what was written, not what a library made of it.
//!
//! Does not own: what is asked.

use crate::place::Place;
use crate::program::{Ended, Program};
use serde_json::{Value, json};
use std::path::Path;

/// A server after the handshake.
#[derive(Debug)]
pub(crate) struct Client {
    /// The server.
    pub(crate) program: Program,
    lines: Vec<Vec<u8>>,
    asked: u64,
}

impl Client {
    /// Starts the server and shakes hands.
    pub(crate) async fn start(place: &Place, exe: &Path, variables: &[(&str, &str)]) -> Self {
        Self::over(Program::start(place, exe, &[], variables)).await
    }

    /// Shakes hands with the server behind this program's pipes.
    pub(crate) async fn over(program: Program) -> Self {
        let mut client = Self { program, lines: Vec::new(), asked: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "wine", "version": "1" } });
        let welcome = client.ask("initialize", hello).await;
        assert_eq!(welcome["result"]["serverInfo"]["name"], "ie-mode-mcp", "{welcome}");
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    /// Sends a request; its number.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The answer to the request of this number.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = self.program.line().await;
            assert!(!line.is_empty(), "the server ended: {}", self.program.complaint().await);
            let message: Value = serde_json::from_slice(&line).expect("a line of JSON");
            self.lines.push(line);
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// The error of a tool call that must fail.
    pub(crate) async fn fails(&mut self, tool: &str, arguments: Value) -> Value {
        error_of(&self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await)
    }

    /// How the server ended by itself, its stdin open.
    pub(crate) async fn ended(self) -> Ended {
        self.program.ended().await
    }

    /// Closes stdin and waits for the end; every line of stdout that was read before, and how it ended.
    pub(crate) async fn finish(self) -> (Vec<Vec<u8>>, Ended) {
        (self.lines, self.program.finish().await)
    }

    async fn write(&mut self, message: &Value) {
        self.program.write(format!("{message}\n").as_bytes()).await;
    }
}

/// The JSON error in the answer to a tool call.
pub(crate) fn error_of(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).expect("a JSON error")
}
