//! A scripted driver in memory: answers by a function, remembers what it was asked. Does not own: any
//! behaviour of the real driver.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use ie_mode_mcp::driver::cable::{Dial, Io};
use std::sync::atomic::{AtomicU32, Ordering};
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
    /// `METHOD path` of each request, in order.
    pub seen: Arc<Mutex<Vec<String>>>,
    pub connections: Arc<AtomicU32>,
    pub dial: Dial,
}

impl FarEnd {
    /// `answer` gets method and path below the session and how often that was asked before.
    pub fn new(answer: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicU32::new(0));
        let answer = Arc::new(answer);
        let (log, count) = (seen.clone(), connections.clone());
        let dial: Dial = Arc::new(move || {
            let (near, far) = duplex(64 * 1024);
            count.fetch_add(1, Ordering::Relaxed);
            let (log, answer) = (log.clone(), answer.clone());
            tokio::spawn(async move { serve(far, &log, &*answer).await });
            Box::pin(async move { Ok(Box::new(near) as Box<dyn Io>) })
        });
        Self { seen, connections, dial }
    }

    pub fn count(&self, what: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|seen| *seen == what).count()
    }
}

async fn serve(
    mut io: DuplexStream,
    log: &Mutex<Vec<String>>,
    answer: &(dyn Fn(&str, usize) -> Reply + Send + Sync),
) {
    while let Some(asked) = request(&mut io).await {
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

async fn request(io: &mut DuplexStream) -> Option<String> {
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
    Some(format!("{method} {}", path.replace("/session/s1", "")))
}
