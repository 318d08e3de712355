//! MCP as raw JSON lines over pipes in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod far_end;

use far_end::{FarEnd, Reply, value};
use ie_mode_mcp::{Config, DriverAccess, World, serve};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    server: tokio::task::JoinHandle<Result<(), ie_mode_mcp::ServeError>>,
}

impl Client {
    fn start(far: &FarEnd) -> Self {
        let (near, theirs) = duplex(64 * 1024);
        let (reader, writer) = split(theirs);
        let world = World {
            reader: Box::new(reader),
            writer: Box::new(writer),
            driver: DriverAccess::Dial(far.dial.clone()),
            stop: CancellationToken::new(),
        };
        let server = tokio::spawn(serve(Config::default(), world));
        let (reader, writer) = split(near);
        Self { lines: BufReader::new(reader).lines(), writer, server }
    }

    async fn initialized(far: &FarEnd) -> Self {
        let mut client = Self::start(far);
        client.send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } })).await;
        let answer = client.read().await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(answer["result"]["serverInfo"]["name"], "ie-mode-mcp");
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: u32, tool: &str, args: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": tool, "arguments": args } }))
            .await;
    }

    async fn read(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("a line");
        serde_json::from_str(&line).unwrap()
    }
}

fn text(answer: &Value) -> Value {
    serde_json::from_str(answer["result"]["content"][0]["text"].as_str().expect("text")).unwrap()
}

fn session_only() -> FarEnd {
    FarEnd::new(|asked, _| match asked {
        "GET /window" => value("\"w\""),
        "DELETE /session/s1" | "DELETE " => value("null"),
        _ => {
            Reply::Json(404, r#"{"value":{"error":"unknown command","message":"x","stacktrace":""}}"#.into())
        }
    })
}

#[tokio::test(start_paused = true)]
async fn start_twice_then_close_twice() {
    let far = session_only();
    let mut client = Client::initialized(&far).await;
    client.call(1, "browser_start", json!({})).await;
    let answer = client.read().await;
    assert_eq!(text(&answer), json!({ "status": "ready", "reused": false }));
    assert_eq!(answer["result"]["structuredContent"], text(&answer));
    client.call(2, "browser_start", json!({})).await;
    assert_eq!(text(&client.read().await), json!({ "status": "ready", "reused": true }));
    for id in [3, 4] {
        client.call(id, "browser_close", json!({})).await;
        assert_eq!(text(&client.read().await), json!({ "status": "closed" }));
    }
    assert_eq!(far.count("POST /session"), 1);
}

#[tokio::test(start_paused = true)]
async fn tools_are_listed_while_a_start_hangs_and_the_start_ends_at_its_limit() {
    let far = FarEnd::new(|_, _| Reply::Hang);
    let mut client = Client::initialized(&far).await;
    let begun = Instant::now();
    client.call(1, "browser_start", json!({})).await;
    client.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })).await;
    let listed = client.read().await;
    assert_eq!(listed["id"], 2);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert!(listed["result"].to_string().len() <= 12_000);
    let error = client.read().await;
    assert_eq!(error["id"], 1);
    assert_eq!(begun.elapsed(), Duration::from_secs(55));
    assert_eq!(
        (&text(&error)["error"], &text(&error)["reason"]),
        (&json!("INTERNAL_ERROR"), &json!("attach_timeout"))
    );
    assert_eq!(error["result"]["isError"], true);
    assert!(error["result"].get("structuredContent").is_none());
}

#[tokio::test(start_paused = true)]
async fn unknown_arguments_are_our_own_error_and_name_the_accepted_ones() {
    let far = session_only();
    let mut client = Client::initialized(&far).await;
    client.call(1, "browser_close", json!({ "force": true })).await;
    let error = text(&client.read().await);
    assert_eq!(error["error"], "INVALID_ARGUMENT");
    assert_eq!(error["accepted"], json!([]));
    assert!(error["message"].as_str().unwrap().contains("force"));
}

#[tokio::test(start_paused = true)]
async fn a_call_cancelled_in_the_queue_never_acts() {
    let far = FarEnd::new(|asked, _| if asked == "POST /session" { Reply::Hang } else { value("null") });
    let mut client = Client::initialized(&far).await;
    client.call(1, "browser_start", json!({})).await;
    client.call(2, "browser_start", json!({})).await;
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } }))
        .await;
    assert_eq!(client.read().await["id"], 1);
    client.call(3, "browser_close", json!({})).await;
    assert_eq!(client.read().await["id"], 3, "a cancelled call is not answered");
    assert_eq!(far.count("POST /session"), 1);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_reader_ends_a_hanging_call_and_the_server() {
    let far = FarEnd::new(|asked, _| if asked == "POST /session" { Reply::Hang } else { value("null") });
    let mut client = Client::initialized(&far).await;
    client.call(1, "browser_start", json!({})).await;
    client.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" })).await;
    assert_eq!(client.read().await["id"], 2);
    let begun = Instant::now();
    client.writer.shutdown().await.unwrap();
    client.server.await.unwrap().unwrap();
    assert!(begun.elapsed() <= Duration::from_millis(1500), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn three_protocol_versions_give_the_same_tools() {
    let far = session_only();
    let mut lists = Vec::new();
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let mut client = Client::start(&far);
        let mut params = json!({});
        if version == "2026-07-28" {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        } else {
            client.send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } })).await;
            assert_eq!(client.read().await["result"]["protocolVersion"], version);
            client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        }
        client.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params })).await;
        lists.push(client.read().await["result"]["tools"].clone());
    }
    assert!(lists[0].as_array().is_some_and(|tools| !tools.is_empty()));
    assert_eq!(lists[0], lists[1]);
    assert_eq!(lists[0], lists[2]);
}

/// From the end of the reader to the end of the server, with a session whose end is answered so.
async fn time_to_end(delete: fn() -> Reply) -> Duration {
    let far = FarEnd::new(move |asked, _| match asked {
        "GET /window" => value("\"w\""),
        "DELETE " => delete(),
        _ => {
            Reply::Json(404, r#"{"value":{"error":"unknown command","message":"x","stacktrace":""}}"#.into())
        }
    });
    let mut client = Client::initialized(&far).await;
    client.call(1, "browser_start", json!({})).await;
    client.read().await;
    let begun = Instant::now();
    client.writer.shutdown().await.unwrap();
    client.server.await.unwrap().unwrap();
    assert_eq!(far.count("DELETE "), 1, "the session is ended");
    begun.elapsed()
}

#[tokio::test(start_paused = true)]
async fn the_server_ends_soon_when_the_driver_answers_and_in_time_when_it_hangs() {
    let slow = time_to_end(|| Reply::After(1, r#"{"value":null}"#.into())).await;
    assert!(slow <= Duration::from_millis(1500), "{slow:?}");
    // What is left of 5 s is for ending the process tree.
    let hanging = time_to_end(|| Reply::Hang).await;
    assert!(hanging <= Duration::from_millis(2600), "{hanging:?}");
}

#[tokio::test(start_paused = true)]
async fn all_ten_tools_are_listed_shortly_and_say_what_they_are() {
    let far = session_only();
    let mut client = Client::initialized(&far).await;
    client.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })).await;
    let listed = client.read().await["result"].clone();
    let size = listed.to_string().len();
    assert!(size <= 12_000, "tools/list has {size} bytes");
    let tools = listed["tools"].as_array().unwrap();
    let mut names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "browser_close",
            "browser_start",
            "click",
            "inspect_page",
            "navigate",
            "screenshot",
            "select",
            "switch_window",
            "type",
            "wait_for"
        ]
    );
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        assert!(tool["title"].is_string() && tool["description"].is_string(), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        let acts = matches!(name, "click" | "type" | "select" | "navigate");
        let looks = matches!(name, "inspect_page" | "wait_for" | "screenshot");
        assert_eq!(tool["annotations"]["readOnlyHint"], looks, "{name}");
        if acts {
            assert_eq!(tool["annotations"]["idempotentHint"], false, "{name}");
        }
        assert_eq!(
            tool.get("outputSchema").is_some(),
            !matches!(name, "inspect_page" | "screenshot"),
            "{name}"
        );
        let text = tool.to_string();
        assert!(!text.contains("$ref") && !text.contains("\"null\""), "{name}: {text}");
    }
}
