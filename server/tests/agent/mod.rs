//! An agent that calls tools of a server in memory, and answers of a page to the server's scripts. Does not own: what a
//! far end does with them.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use crate::far_end::{FarEnd, Reply, value};
use ie_mode_mcp::{Config, DriverAccess, World, serve};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split,
};
use tokio_util::sync::CancellationToken;

/// An MCP client with a started browser.
pub struct Agent {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    next: u32,
}

impl Agent {
    /// Starts a server in front of the far end, and the browser.
    pub async fn start(far: &FarEnd) -> Self {
        Self::start_with(far, Config::default()).await
    }

    /// The same with other settings.
    pub async fn start_with(far: &FarEnd, config: Config) -> Self {
        let (near, theirs) = duplex(64 * 1024);
        let (reader, writer) = split(theirs);
        let world = World {
            reader: Box::new(reader),
            writer: Box::new(writer),
            driver: DriverAccess::Dial(far.dial.clone()),
            stop: CancellationToken::new(),
        };
        tokio::spawn(serve(config, world));
        let (reader, writer) = split(near);
        let mut agent = Self { lines: BufReader::new(reader).lines(), writer, next: 1 };
        agent.send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } })).await;
        agent.lines.next_line().await.unwrap().unwrap();
        agent.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        agent.call("browser_start", json!({})).await.unwrap();
        far.begin();
        agent
    }

    async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Calls a tool; gives the content blocks of its result.
    pub async fn content(&mut self, tool: &str, args: Value) -> Value {
        self.result(tool, args).await["content"].clone()
    }

    /// Calls a tool; Err is the tool's error object.
    pub async fn call(&mut self, tool: &str, args: Value) -> Result<Value, Value> {
        let result = self.result(tool, args).await;
        let text =
            result["content"].as_array().and_then(|list| list.last()).unwrap()["text"].as_str().unwrap();
        let json = serde_json::from_str(text).unwrap();
        if result["isError"] == true { Err(json) } else { Ok(json) }
    }

    async fn result(&mut self, tool: &str, args: Value) -> Value {
        self.next += 1;
        self.send(json!({ "jsonrpc": "2.0", "id": self.next, "method": "tools/call",
            "params": { "name": tool, "arguments": args } }))
            .await;
        let line = self.lines.next_line().await.unwrap().expect("an answer");
        let answer: Value = serde_json::from_str(&line).unwrap();
        answer["result"].clone()
    }
}

/// An error of the WebDriver protocol.
pub fn error(status: u16, code: &str, message: &str) -> Reply {
    let body = json!({ "value": { "error": code, "message": message, "stacktrace": "" } });
    Reply::Json(status, body.to_string())
}

/// The error of a command that met an open dialog.
pub fn dialog_open(text: &str) -> Reply {
    let body = json!({ "value": { "error": "unexpected alert open", "data": { "text": text },
        "message": format!("Modal dialog present with text: {text}"), "stacktrace": "" } });
    Reply::Json(500, body.to_string())
}

/// Reply of a page script with these elements.
pub fn said(text: &Value, elements: &[&str]) -> Reply {
    let mut reply = vec![json!(1), text.to_string().into()];
    reply.extend(elements.iter().map(|id| element(id)));
    value(&Value::Array(reply).to_string())
}

/// An element reference.
pub fn element(id: &str) -> Value {
    json!({ "element-6066-11e4-a52e-4f735466cecf": id })
}

/// The probe found element `id`: a text field that can be operated, but for these members.
pub fn found(id: &str, different: Value) -> Reply {
    let mut seen = json!({ "found": true, "tag": "input", "kind": "text", "shown": true, "transparent": false,
        "enabled": true, "readOnly": false, "editable": true, "inView": true, "length": 0, "url": "http://a.test/" });
    for (name, value) in different.as_object().into_iter().flatten() {
        seen[name] = value.clone();
    }
    said(&seen, &[id])
}

/// The probe found nothing.
pub fn absent() -> Reply {
    said(&json!({ "found": false }), &[])
}

/// The page's state.
pub fn state(url: &str, title: &str) -> Reply {
    said(&json!({ "url": url, "title": title, "readyState": "complete", "mode": 11 }), &[])
}

/// What a page without surprises answers.
pub fn quiet(asked: &str) -> Reply {
    match asked {
        "GET /window" => value("\"w1\""),
        "GET /window/handles" => value("[\"w1\"]"),
        "POST /execute/sync state" => state("http://a.test/", "A"),
        "GET /alert/text" => error(404, "no such alert", "No alert is active"),
        "POST /frame" => value("null"),
        "DELETE " => value("null"),
        _ => error(404, "unknown command", asked),
    }
}
