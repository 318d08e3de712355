//! Nothing survives: no driver, no browser, no crash handler, whatever ends the server.

use crate::setup::{browser, call, done, live};
use harness::flow::{live::Live, processes};
use serde_json::{Value, json};
use std::time::Duration;

/// The longest anything may live on.
const LIMIT: Duration = Duration::from_secs(2);

/// A server with a live session; asserts that the processes to be looked for are there and are found.
async fn started() -> Live {
    let live = live("", &[]).await;
    let result = done(&live, "browser_start", Value::Null).await;
    assert_eq!((&result["status"], &result["reused"]), (&json!("ready"), &json!(false)));
    let left = processes::marked(&live.mark());
    for name in ["ie-mode-mcp", "fake-iedriver", "chromedriver", "--type=renderer", "crashpad"] {
        assert!(left.iter().any(|process| process.command.contains(name)), "no {name} among {left:#?}");
    }
    live
}

async fn assert_gone(mark: &str) {
    if let Err(left) = processes::gone(mark, LIMIT).await {
        panic!("left after {LIMIT:?}: {left:#?}");
    }
}

#[tokio::test]
async fn closed_stdin_ends_all_of_it() {
    if !browser("closed_stdin_ends_all_of_it") {
        return;
    }
    let live = started().await;
    let mark = live.mark();
    let (_, _folder, ended) = live.close().await;
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    assert_gone(&mark).await;
}

#[tokio::test]
async fn sigterm_ends_all_of_it() {
    if !browser("sigterm_ends_all_of_it") {
        return;
    }
    let live = started().await;
    let mark = live.mark();
    processes::terminate(live.server.id().unwrap()).unwrap();
    assert_gone(&mark).await;
    let (_, _folder, ended) = live.ended().await;
    assert_eq!(ended.code, Some(0), "{}", ended.log);
}

#[tokio::test]
async fn sigkill_of_the_server_ends_all_of_it() {
    if !browser("sigkill_of_the_server_ends_all_of_it") {
        return;
    }
    let live = started().await;
    let mark = live.mark();
    processes::kill(live.server.id().unwrap()).unwrap();
    assert_gone(&mark).await;
    let (_, _folder, ended) = live.ended().await;
    assert_eq!(ended.code, None);
}

/// The browser runs when the start fails: the driver's answer to New Session is lost.
#[tokio::test]
async fn a_failed_start_leaves_nothing_and_the_next_one_works() {
    if !browser("a_failed_start_leaves_nothing_and_the_next_one_works") {
        return;
    }
    let live = live("[[fault]]\ncommand = \"newSession\"\naction = \"reset-after\"", &[]).await;
    let server = live.server.id().unwrap();
    let failed = call(&live, "browser_start", Value::Null).await;
    assert_eq!(failed["error"], "INTERNAL_ERROR", "{failed}");
    let without_server = || async {
        // The server itself carries the mark and lives on.
        while processes::marked(&live.mark()).iter().any(|process| process.id != server) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, without_server()).await.expect("nothing but the server is left");

    live.set_faults("").unwrap();
    done(&live, "browser_start", Value::Null).await;
    assert_eq!(done(&live, "browser_start", Value::Null).await["reused"], true);
    assert_eq!(done(&live, "browser_close", Value::Null).await, json!({ "status": "closed" }));
    tokio::time::timeout(LIMIT, without_server()).await.expect("nothing but the server is left");
    assert_eq!(done(&live, "browser_close", Value::Null).await, json!({ "status": "closed" }));
    let (_, _folder, ended) = live.close().await;
    assert_eq!(ended.code, Some(0), "{}", ended.log);
}
