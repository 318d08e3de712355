//! The session's promises against a scripted far end in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod far_end;

use far_end::{FarEnd, Reply, value};
use ie_mode_mcp::driver::Driver;
use ie_mode_mcp::driver::command::Command;
use ie_mode_mcp::driver::session::{Budget, Failure};
use ie_mode_mcp::error::Outcome;
use ie_mode_mcp::{Config, DriverAccess};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const CLICK: &str = "POST /element/e1/click";

fn budget(seconds: u64) -> Budget {
    Budget { deadline: Instant::now() + Duration::from_secs(seconds), cancel: CancellationToken::new() }
}

fn unknown() -> Reply {
    Reply::Json(404, r#"{"value":{"error":"unknown command","message":"x","stacktrace":""}}"#.into())
}

async fn started(far: &FarEnd) -> Driver {
    let mut driver = Driver::new(DriverAccess::Dial(far.dial.clone()));
    let begun = driver.start(&Config::default(), &budget(50)).await.map_err(|error| error.to_json()).unwrap();
    assert!(!begun.reused);
    driver.session.as_mut().unwrap().begin(budget(12));
    driver
}

#[tokio::test(start_paused = true)]
async fn a_click_whose_answer_is_lost_is_sent_once_and_its_outcome_is_unknown() {
    for reply in [|| Reply::Close, || Reply::Half] {
        let far = FarEnd::new(move |asked, _| match asked {
            CLICK => reply(),
            "GET /window" => value("\"w\""),
            _ => unknown(),
        });
        let mut driver = started(&far).await;
        let session = driver.session.as_mut().unwrap();
        let failure = session.run(Command::click("e1")).await.unwrap_err();
        assert!(matches!(failure, Failure::ConnectionLost), "{failure:?}");
        assert_eq!(far.count(CLICK), 1);
        assert_eq!(session.account().outcome(), Outcome::Unknown);
    }
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_answers_nothing_any_more_is_lost() {
    let far = FarEnd::new(|asked, _| if asked == "POST /session" { unknown() } else { Reply::Close });
    let mut driver = started(&far).await;
    let failure = driver.session.as_mut().unwrap().run(Command::click("e1")).await.unwrap_err();
    assert!(matches!(failure, Failure::DriverLost), "{failure:?}");
    assert_eq!(far.count(CLICK), 1);
}

#[tokio::test(start_paused = true)]
async fn a_question_is_asked_again_once() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        ("GET /title", 0) => Reply::Close,
        ("GET /title", _) => value("\"t\""),
        _ => unknown(),
    });
    let mut driver = started(&far).await;
    assert_eq!(driver.session.as_mut().unwrap().run(Command::title()).await.unwrap(), "t");
    assert_eq!(far.count("GET /title"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_command_without_answer_ends_at_the_limit_and_the_next_call_waits_for_the_driver_to_come_back() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        (CLICK, _) => Reply::Hang,
        ("GET /window", 0) => Reply::Hang,
        ("GET /window", _) => value("\"w\""),
        ("GET /title", _) => value("\"t\""),
        _ => unknown(),
    });
    let mut driver = started(&far).await;
    let session = driver.session.as_mut().unwrap();
    let begun = Instant::now();
    let failure = session.run(Command::click("e1")).await.unwrap_err();
    assert!(matches!(failure, Failure::Deadline { written: true }), "{failure:?}");
    assert_eq!(begun.elapsed(), Duration::from_secs(12));
    assert_eq!(session.account().outcome(), Outcome::Unknown);

    session.begin(budget(12));
    let begun = Instant::now();
    let failure = session.run(Command::click("e1")).await.unwrap_err();
    assert!(matches!(failure, Failure::Deadline { written: false }), "{failure:?}");
    assert_eq!(begun.elapsed(), Duration::from_secs(3));
    assert_eq!(session.account().outcome(), Outcome::NotDone);

    session.begin(budget(12));
    assert_eq!(session.run(Command::title()).await.unwrap(), "t");
    assert_eq!(far.count(CLICK), 1, "nothing queued is sent late");
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_not_used_again() {
    let far = FarEnd::new(|asked, _| if asked == "GET /title" { value("\"t\"") } else { unknown() });
    let mut driver = started(&far).await;
    let session = driver.session.as_mut().unwrap();
    session.run(Command::title()).await.unwrap();
    let first = far.connections.load(Ordering::Relaxed);
    session.run(Command::title()).await.unwrap();
    assert_eq!(far.connections.load(Ordering::Relaxed), first);
    tokio::time::advance(Duration::from_millis(301)).await;
    session.run(Command::title()).await.unwrap();
    assert_eq!(far.connections.load(Ordering::Relaxed), first + 1);
}

#[tokio::test(start_paused = true)]
async fn odd_answers_are_no_successes() {
    let far = FarEnd::new(|asked, _| {
        match asked {
        CLICK => value("\"Cannot click on element\""),
        "GET /title" => Reply::Html(405, r#"{"value":{"error":"unknown method","message":"m","stacktrace":""}}"#.into()),
        "GET /url" => Reply::Json(404, r#"{"value":{"error":"no such element"}}"#.into()),
        "GET /window/handles" => Reply::Json(200, "not json".into()),
        "GET /source" => Reply::Json(
            500,
            r#"{"value":{"error":"unexpected alert open","message":"Modal dialog present with text: a: b","data":{"text":"a: b"},"stacktrace":""}}"#.into(),
        ),
        _ => unknown(),
    }
    });
    let mut driver = started(&far).await;
    let session = driver.session.as_mut().unwrap();
    assert!(
        matches!(session.run(Command::click("e1")).await, Err(Failure::Odd(text)) if text == "Cannot click on element")
    );
    assert!(session.run(Command::title()).await.unwrap_err().is("unknown method"));
    assert!(session.run(Command::url()).await.unwrap_err().is("no such element"));
    assert!(matches!(session.run(Command::window_handles()).await, Err(Failure::Odd(_))));
    assert!(session.run(Command::source()).await.unwrap_err().is_dialog());
    assert_eq!(session.dialog.as_deref(), Some("a: b"));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_sends_nothing_more() {
    let far = FarEnd::new(|_, _| unknown());
    let mut driver = started(&far).await;
    let session = driver.session.as_mut().unwrap();
    let budget = budget(12);
    budget.cancel.cancel();
    session.begin(budget);
    assert!(matches!(session.run(Command::click("e1")).await, Err(Failure::Cancelled)));
    assert_eq!(far.count(CLICK), 0);
}

#[tokio::test(start_paused = true)]
async fn an_effect_of_which_no_byte_was_written_is_not_done() {
    let far = FarEnd::new(|_, _| unknown());
    let refuses = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (dial, gone) = (far.dial.clone(), refuses.clone());
    let mut driver = Driver::new(DriverAccess::Dial(std::sync::Arc::new(move || {
        if gone.load(Ordering::Relaxed) {
            return Box::pin(async { Err(std::io::ErrorKind::ConnectionRefused.into()) });
        }
        dial()
    })));
    assert!(driver.start(&Config::default(), &budget(50)).await.is_ok());
    refuses.store(true, Ordering::Relaxed);
    let session = driver.session.as_mut().unwrap();
    session.begin(budget(12));
    assert!(matches!(session.run(Command::click("e1")).await, Err(Failure::DriverLost)));
    assert_eq!(session.account().outcome(), Outcome::NotDone);
    assert_eq!(far.count(CLICK), 0);
}

#[tokio::test(start_paused = true)]
async fn half_a_surrogate_pair_in_a_reply_is_a_replacement_character_case_c55() {
    let far = FarEnd::new(|asked, _| match asked {
        "GET /title" => value(r#""ok \ud83d end""#),
        "GET /source" => value(r#""a\u0000b \udc00""#),
        _ => unknown(),
    });
    let mut driver = started(&far).await;
    let session = driver.session.as_mut().unwrap();
    assert_eq!(session.run(Command::title()).await.unwrap(), "ok \u{fffd} end");
    assert_eq!(session.run(Command::source()).await.unwrap(), "a\0b \u{fffd}");
}
