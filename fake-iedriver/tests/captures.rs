//! The wire's bytes beside those of a real IEDriverServer 4.0.0 (`tests/captures/v4.0.0`).
//!
//! Masked: the date of raw answers. Not compared: the answers in [`EXCEPTIONS`].

use fake_iedriver::wire::{
    Backend, Call, Reply, SessionReply, Wire, WireOptions,
    capabilities::{Machine, grant},
};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

/// Captures whose answer is not expected here, with the reason.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("26-nobody-nolength", "the driver of the capture did not answer within 5 s; under Wine it does at once"),
    ("s01-ok-w3c", "the machine of the capture has no browser; here the session starts"),
    ("s05-badIeOption", "no answer: the wait for a browser without limit; here the session starts"),
    ("s10-edge-mode", "the machine of the capture has no browser; here the session starts"),
    ("s12-empty-firstMatch", "no answer: the wait for a browser without limit; here the session starts"),
];

struct Capable;

impl Backend for Capable {
    fn new_session(&self, body: Map<String, Value>) -> BoxFuture<'_, Reply> {
        let machine = Machine { start_url: "http://localhost:5555/".into(), edge_path: String::new() };
        let reply = match grant(&body, &machine) {
            Ok(granted) => Reply::Value(json!({ "sessionId": "1", "capabilities": granted.echo })),
            Err(error) => Reply::Error(error),
        };
        Box::pin(async { reply })
    }

    fn call(&self, _: Call) -> BoxFuture<'_, SessionReply> {
        Box::pin(async { Reply::Value(Value::Null).into() })
    }

    fn end_session<'a>(&'a self, _: &str) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}

struct Capture {
    name: String,
    request: Vec<u8>,
    answer: Vec<u8>,
}

fn captures() -> Vec<Capture> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/captures/v4.0.0");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("captures").map(|e| e.expect("entry").path()).collect();
    // `s01-x` was sent before `s01-x-then-status`.
    files.sort_by_key(|file| file.with_extension(""));
    files
        .iter()
        .map(|file| {
            let bytes = std::fs::read(file).expect("capture");
            let name = file.file_stem().expect("name").to_string_lossy().into_owned();
            let bytes = bytes.strip_prefix(b"----- request -----\n").expect("request line");
            let mark = b"\n----- response, ";
            let at = bytes.windows(mark.len()).position(|window| window == mark).expect("response line");
            let rest = &bytes[at + mark.len()..];
            let line = rest.iter().position(|byte| *byte == b'\n').expect("line");
            let answer = rest[line + 1..].strip_suffix(b"\n").unwrap_or(&rest[line + 1..]);
            Capture { name, request: bytes[..at].to_vec(), answer: answer.to_vec() }
        })
        .collect()
}

fn masked(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.split_inclusive('\n')
        .map(|line| if line.starts_with("Date: ") { "Date: *\r\n" } else { line })
        .collect()
}

async fn exchange(wire: &Arc<Wire>, request: &[u8]) -> Vec<u8> {
    let (mut near, far) = duplex(64 * 1024);
    tokio::spawn(Arc::clone(wire).serve_connection(far));
    near.write_all(request).await.expect("sent");
    let mut answer = Vec::new();
    // Under the paused clock this limit passes as soon as nothing more can come.
    let limit = Duration::from_secs(30);
    while let Ok(Ok(1..)) = tokio::time::timeout(limit, near.read_buf(&mut answer)).await {}
    answer
}

fn options() -> WireOptions {
    WireOptions { version: "4.0.0.0 (32-bit)".into(), ..WireOptions::default() }
}

#[tokio::test(start_paused = true)]
async fn every_answer_of_the_real_driver_is_given_byte_for_byte() {
    let all = captures();
    assert_eq!(all.len(), 66, "captures were lost");
    let mut drivers: BTreeMap<String, Arc<Wire>> = BTreeMap::new();
    let mut compared = 0;
    for capture in all {
        if EXCEPTIONS.iter().any(|(name, _)| *name == capture.name) {
            continue;
        }
        // The numbered ones came from one process, each `sNN` group from one of its own.
        let group = if capture.name.starts_with('s') { capture.name[..3].to_owned() } else { String::new() };
        let wire = drivers.entry(group).or_insert_with(|| Wire::new(Arc::new(Capable), options()));
        let answer = exchange(wire, &capture.request).await;
        assert_eq!(masked(&answer), masked(&capture.answer), "{}", capture.name);
        compared += 1;
    }
    assert_eq!(compared, 61);
}

/// As the driver does under Wine (`harness/tests/wine/parity.rs`).
#[tokio::test(start_paused = true)]
async fn a_post_without_length_has_an_empty_body() {
    let answer =
        exchange(&Wire::new(Arc::new(Capable), options()), b"POST /session HTTP/1.1\r\nHost: x\r\n\r\n")
            .await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("parameters property of command is not a valid JSON object"), "{answer}");
}
