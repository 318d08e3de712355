//! A scripted driver in memory: answers by a function, remembers what it was asked. Does not own: any
//! behaviour of the real driver.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use ie_mode_mcp::driver::cable::{Dial, Io};
use serde_json::Value;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

pub enum Reply {
    /// Status, content type, body.
    Json(u16, String),
    Html(u16, String),
    /// Never answers.
    Hang,
    /// Answers after so many seconds.
    After(u64, String),
    /// Closes after the request was read.
    Close,
    /// Closes in the middle of the answer.
    Half,
}

pub fn value(json: &str) -> Reply {
    Reply::Json(200, format!("{{\"value\":{json}}}"))
}

pub struct FarEnd {
    /// `METHOD path` of each request, in order; a page script adds its name, a switch of the window its handle.
    pub seen: Arc<Mutex<Vec<String>>>,
    /// The body of each, or null.
    pub bodies: Arc<Mutex<Vec<Value>>>,
    pub connections: Arc<AtomicU32>,
    begun: AtomicUsize,
    pub dial: Dial,
}

impl FarEnd {
    /// `answer` gets method and path below the session, with the script's name or the handle behind, and how often that was
    /// asked before.
    pub fn new(answer: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicU32::new(0));
        let answer = Arc::new(answer);
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let (log, kept, count) = (seen.clone(), bodies.clone(), connections.clone());
        let dial: Dial = Arc::new(move || {
            let (near, far) = duplex(64 * 1024);
            count.fetch_add(1, Ordering::Relaxed);
            let (log, kept, answer) = (log.clone(), kept.clone(), answer.clone());
            tokio::spawn(async move { serve(far, &log, &kept, &*answer).await });
            Box::pin(async move { Ok(Box::new(near) as Box<dyn Io>) })
        });
        Self { seen, bodies, connections, begun: AtomicUsize::new(0), dial }
    }

    /// What was asked since [`FarEnd::begin`].
    pub fn asked(&self) -> Vec<String> {
        self.seen.lock().unwrap()[self.begun.load(Ordering::Relaxed)..].to_vec()
    }

    /// What was asked so far is of no interest.
    pub fn begin(&self) {
        self.begun.store(self.seen.lock().unwrap().len(), Ordering::Relaxed);
    }

    /// Arguments of each run of a page script.
    pub fn script_args(&self, name: &str) -> Vec<Value> {
        let asked = format!("POST /execute/sync {name}");
        let (seen, bodies) = (self.seen.lock().unwrap(), self.bodies.lock().unwrap());
        seen.iter()
            .zip(bodies.iter())
            .filter(|(seen, _)| **seen == asked)
            .map(|(_, body)| body["args"].clone())
            .collect()
    }

    pub fn count(&self, what: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|seen| *seen == what).count()
    }
}

async fn serve(
    mut io: DuplexStream,
    log: &Mutex<Vec<String>>,
    bodies: &Mutex<Vec<Value>>,
    answer: &(dyn Fn(&str, usize) -> Reply + Send + Sync),
) {
    while let Some((asked, body)) = request(&mut io).await {
        bodies.lock().unwrap().push(body);
        let before = {
            let mut log = log.lock().unwrap();
            let before = log.iter().filter(|seen| **seen == asked).count();
            log.push(asked.clone());
            before
        };
        let reply = match (asked.as_str(), answer(&asked, before)) {
            ("POST /session", Reply::Json(404, _)) => {
                value(r#"{"sessionId":"s1","capabilities":{"browserName":"internet explorer"}}"#)
            }
            (_, reply) => reply,
        };
        let (status, kind, body) = match reply {
            Reply::Json(status, body) => (status, "application/json; charset=utf-8", body),
            Reply::Html(status, body) => (status, "text/html", body),
            Reply::After(seconds, body) => {
                tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
                (200, "application/json", body)
            }
            Reply::Hang => std::future::pending().await,
            Reply::Close => return,
            Reply::Half => {
                let _ = io.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{").await;
                return;
            }
        };
        let head =
            format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nContent-Type: {kind}\r\n\r\n", body.len());
        if io.write_all(format!("{head}{body}").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn request(io: &mut DuplexStream) -> Option<(String, Value)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(io.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head
        .lines()
        .find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ").map(|n| n.parse().unwrap())
        })
        .unwrap_or(0);
    let mut body = vec![0; length];
    io.read_exact(&mut body).await.ok()?;
    let mut words = head.split(' ');
    let (method, path) = (words.next()?, words.next()?);
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let asked = format!("{method} {}", path.replace("/session/s1", ""));
    let handle = || body["handle"].as_str().map(str::to_owned);
    Some(match script(&body).or_else(handle) {
        Some(name) => (format!("{asked} {name}"), body),
        None => (asked, body),
    })
}

/// The name in a page script's marker.
fn script(body: &Value) -> Option<String> {
    let marker = body["script"].as_str()?.strip_prefix("/* ie-mode-mcp:")?;
    Some(marker.split(':').next()?.to_owned())
}
