//! A driver in memory and commands to it, in virtual time.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use fake_iedriver::{
    handle::dial,
    session::Emulator,
    wire::{Wire, WireOptions},
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Key of an element reference.
pub const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A driver with a session.
pub struct Driver {
    pub wire: Arc<Wire>,
    pub id: String,
}

impl Driver {
    pub async fn over(emulator: Emulator, always: Value) -> Self {
        let wire = Wire::new(Arc::new(emulator), WireOptions::default());
        let mut driver = Self { wire, id: String::new() };
        driver.begin(always).await;
        driver
    }

    /// Another session of the same driver.
    pub async fn begin(&mut self, always: Value) {
        let body = json!({ "capabilities": { "alwaysMatch": always } });
        let (status, value) = self.request("POST", "/session", &body).await;
        assert_eq!(status, 200, "{value}");
        self.id = value["sessionId"].as_str().expect("id").to_owned();
    }

    /// A command below `/session/{id}`: status and value.
    pub async fn send(&self, verb: &str, path: &str, body: Value) -> (u16, Value) {
        self.request(verb, &format!("/session/{}{path}", self.id), &body).await
    }

    /// A command that succeeds.
    pub async fn value(&self, verb: &str, path: &str, body: Value) -> Value {
        let (status, value) = self.send(verb, path, body).await;
        assert_eq!(status, 200, "{verb} {path}: {value}");
        value
    }

    /// Code and message of an error.
    pub async fn error(&self, verb: &str, path: &str, body: Value) -> (String, String) {
        let (_, value) = self.send(verb, path, body).await;
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        (text("error"), text("message"))
    }

    pub async fn find(&self, css: &str) -> String {
        let value = self.value("POST", "/element", json!({ "using": "css selector", "value": css })).await;
        value[ELEMENT].as_str().expect("element").to_owned()
    }

    async fn request(&self, verb: &str, path: &str, body: &Value) -> (u16, Value) {
        let mut io = dial(&self.wire).expect("dialled");
        let body = if verb == "POST" { body.to_string() } else { String::new() };
        let request = format!(
            "{verb} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        io.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        io.read_to_string(&mut answer).await.expect("answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("head");
        let body: Value = serde_json::from_str(body).expect("JSON");
        (head[9..12].parse().expect("status"), body["value"].clone())
    }
}
