//! HTTP to a driver, byte for byte: what it answered, not what a client library made of it.
//!
//! Does not own: which requests are sent.

use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A driver that says nothing for so long will say nothing more.
const SILENCE: Duration = Duration::from_secs(15);

/// An answer as it came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Status line and header lines, without the empty line.
    pub(crate) head: String,
    /// The body, whole.
    pub(crate) body: String,
}

impl Answer {
    /// The status of the first line.
    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line")
    }

    /// The WebDriver `value` of the body.
    pub(crate) fn value(&self) -> Value {
        let body: Value = serde_json::from_str(&self.body).expect("a JSON body");
        body["value"].clone()
    }
}

/// A port that nobody listens on now.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// One exchange on a connection of its own.
pub(crate) async fn exchange(port: u16, method: &str, path: &str, body: Option<&str>) -> Answer {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).await.expect("a driver that listens");
    let mut request = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: */*\r\n");
    if let Some(body) = body {
        request +=
            &format!("Content-Type: application/json; charset=utf-8\r\nContent-Length: {}\r\n", body.len());
    }
    request += "\r\n";
    request += body.unwrap_or("");
    connection.write_all(request.as_bytes()).await.expect("the driver reads");
    let mut bytes = Vec::new();
    loop {
        if let Some(answer) = whole(&bytes) {
            return answer;
        }
        let read = connection.read_buf(&mut bytes).await.expect("the driver answers");
        assert_ne!(
            read,
            0,
            "{method} {path}: the connection ended within the answer: {}",
            String::from_utf8_lossy(&bytes)
        );
    }
}

/// The bytes of an answer to a request as it stands: to its announced end or to the end of the connection, whichever
/// is first; after the start page always to the end of the connection, for another answer follows it.
pub(crate) async fn exchange_raw(port: u16, request: &[u8]) -> Vec<u8> {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).await.expect("a driver that listens");
    connection.write_all(request).await.expect("the driver reads");
    let head_only = request.starts_with(b"HEAD ");
    let mut bytes = Vec::new();
    loop {
        match tokio::time::timeout(SILENCE, connection.read_buf(&mut bytes)).await {
            Ok(Ok(1..)) => {}
            // A reset after the answer ends it as well.
            Ok(_) => return bytes,
            Err(_) => {
                bytes.extend(b"<nothing more>");
                return bytes;
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let done = head_only && text.contains("\r\n\r\n") || whole(&bytes).is_some();
        if done && !text.contains("text/html; charset") {
            return bytes;
        }
    }
}

fn whole(bytes: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "))?;
    (body.len() == length.parse::<usize>().ok()?)
        .then(|| Answer { head: head.to_owned(), body: body.to_owned() })
}
