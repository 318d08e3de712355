//! Scripted failures as a client meets them, in memory and in virtual time.

use fake_iedriver::{
    fault::{Action, Fault},
    handle::{FakeIeDriver, dial},
    wire::{Backend, Broken, Call, Reply, SessionReply, Wire, WireOptions},
};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, duplex},
    time::{Instant, timeout},
};

/// Counts clicks that reached the page; a script ends the process.
#[derive(Default)]
struct Page(AtomicUsize);

impl Backend for Page {
    fn new_session(&self, _: Map<String, Value>) -> BoxFuture<'_, Reply> {
        Box::pin(async { Reply::Value(json!({ "sessionId": "1", "capabilities": {} })) })
    }

    fn call(&self, call: Call) -> BoxFuture<'_, SessionReply> {
        Box::pin(async move {
            match call.command.name {
                "elementClick" => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    self.0.fetch_add(1, Ordering::SeqCst);
                    Reply::Value(Value::Null).into()
                }
                "executeScript" => Reply::Broken(Broken::Exit(3)).into(),
                _ => Reply::Value("text".into()).into(),
            }
        })
    }

    fn end_session<'a>(&'a self, _: &str) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}

async fn driver() -> (Arc<Wire>, Arc<Page>) {
    let page = Arc::new(Page::default());
    let wire = Wire::new(Arc::clone(&page) as Arc<dyn Backend>, WireOptions::default());
    assert!(send(&wire, "POST /session", "{}").await.expect("answer").contains("200 OK"));
    (wire, page)
}

/// The whole answer; none if nothing came for an hour.
async fn send(wire: &Arc<Wire>, line: &str, body: &str) -> Option<String> {
    let (mut near, far) = duplex(64 * 1024);
    tokio::spawn(Arc::clone(wire).serve_connection(far));
    let request =
        format!("{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    near.write_all(request.as_bytes()).await.ok();
    let mut answer = String::new();
    timeout(Duration::from_secs(3600), near.read_to_string(&mut answer)).await.ok()?.ok();
    Some(answer)
}

const CLICK: &str = "POST /session/1/element/e/click";

#[tokio::test(start_paused = true)]
async fn a_click_whose_answer_is_lost_has_acted() {
    let (wire, page) = driver().await;
    wire.faults().add(Fault::once("elementClick", Action::ResetAfter));
    assert_eq!(send(&wire, CLICK, "{}").await.as_deref(), Some(""));
    assert_eq!(page.0.load(Ordering::SeqCst), 1);
    wire.faults().add(Fault::once("elementClick", Action::ResetBefore));
    assert_eq!(send(&wire, CLICK, "{}").await.as_deref(), Some(""));
    assert_eq!(page.0.load(Ordering::SeqCst), 1);
    assert!(send(&wire, CLICK, "{}").await.expect("answer").contains("200 OK"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_does_not_stop_its_command() {
    let (wire, page) = driver().await;
    assert!(timeout(Duration::from_millis(10), send(&wire, CLICK, "{}")).await.is_err());
    assert_eq!(page.0.load(Ordering::SeqCst), 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(page.0.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn commands_of_a_session_wait_for_each_other_but_status_does_not() {
    let (wire, _) = driver().await;
    let start = Instant::now();
    let (_, text, status) = tokio::join!(
        send(&wire, CLICK, "{}"),
        async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            send(&wire, "GET /session/1/title", "").await;
            start.elapsed()
        },
        async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            send(&wire, "GET /status", "").await;
            start.elapsed()
        },
    );
    assert_eq!((text.as_millis(), status.as_millis()), (1000, 1));
}

#[tokio::test(start_paused = true)]
async fn a_hang_answers_nothing_and_holds_the_session_until_it_is_deleted() {
    let (wire, _) = driver().await;
    wire.faults().add(Fault::once("getTitle", Action::Hang));
    assert_eq!(send(&wire, "GET /session/1/title", "").await, None);
    assert_eq!(send(&wire, "GET /session/1/url", "").await, None);
    assert!(send(&wire, "DELETE /session/1", "").await.expect("answer").contains("200 OK"));
    assert!(send(&wire, "POST /session", "{}").await.expect("answer").contains("200 OK"));
}

#[tokio::test(start_paused = true)]
async fn an_early_close_cuts_the_body() {
    let (wire, _) = driver().await;
    wire.faults().add(Fault::once("getTitle", Action::ClosedEarly));
    let answer = send(&wire, "GET /session/1/title", "").await.expect("cut answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("head");
    assert!(head.contains("Content-Length: 23") && body.len() == 11, "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_process_cuts_every_connection() {
    let (wire, _) = driver().await;
    let other = send(&wire, CLICK, "{}");
    let (other, script) =
        tokio::join!(other, send(&wire, "POST /session/1/execute/sync", r#"{"script":"","args":[]}"#));
    assert_eq!((script.as_deref(), other.is_some()), (Some(""), true));
    assert_eq!(wire.exit_code(), Some(3));
    assert_eq!(send(&wire, "GET /status", "").await.as_deref(), Some(""));
}

#[tokio::test]
async fn a_lost_answer_over_tcp_is_a_reset_and_a_dropped_driver_stops_listening() {
    let page = Arc::new(Page::default());
    let driver = FakeIeDriver::start(page, WireOptions::default()).await.expect("starts");
    let address = driver.url().trim_start_matches("http://").to_owned();
    driver.wire().faults().add(Fault::once("status", Action::ResetAfter));
    let mut io = tokio::net::TcpStream::connect(&address).await.expect("listening");
    io.write_all(b"GET /status HTTP/1.1\r\n\r\n").await.expect("sent");
    let error = io.read(&mut [0; 16]).await.expect_err("reset");
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(driver.wire().log().names(), ["status"]);
    drop(driver);
    while tokio::net::TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_ended_refuses_to_be_dialled() {
    let (wire, _) = driver().await;
    wire.faults().add(Fault::once("getTitle", Action::Exit { code: 7 }));
    assert!(dial(&wire).is_ok());
    send(&wire, "GET /session/1/title", "").await;
    assert_eq!(dial(&wire).expect_err("refused").kind(), std::io::ErrorKind::ConnectionRefused);
}
