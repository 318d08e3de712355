//! `navigate` against scripted pages in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod agent;
mod far_end;

use agent::{Agent, dialog_open, error, quiet, state};
use far_end::{FarEnd, Reply, value};
use ie_mode_mcp::Config;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const GO: &str = "POST /url";
const STATE: &str = "POST /execute/sync state";

fn to(url: &str) -> Value {
    json!({ "url": url })
}

#[tokio::test(start_paused = true)]
async fn an_address_is_opened_with_two_requests() {
    let far = FarEnd::new(|asked, _| match asked {
        GO => value("null"),
        STATE => state("http://a.test/customer", "顧客検索"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let result = agent.call("navigate", to("http://a.test/customer")).await.unwrap();
    assert_eq!(result, json!({ "url": "http://a.test/customer", "title": "顧客検索" }));
    assert_eq!(far.asked(), [GO, STATE]);
}

#[tokio::test(start_paused = true)]
async fn the_history_is_walked() {
    for (word, command) in
        [("back", "POST /back"), ("forward", "POST /forward"), ("refresh", "POST /refresh")]
    {
        let far = FarEnd::new(move |asked, _| if asked == command { value("null") } else { quiet(asked) });
        let mut agent = Agent::start(&far).await;
        let result = agent.call("navigate", json!({ "history": word })).await.unwrap();
        assert_eq!(result["url"], "http://a.test/");
        assert_eq!(far.asked(), [command, STATE]);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_for_an_address_that_is_not_allowed_or_no_address() {
    let far = FarEnd::new(|asked, _| quiet(asked));
    let config = Config { allowed_origins: vec!["http://a.test".into()], ..Config::default() };
    let mut agent = Agent::start_with(&far, config).await;
    for (args, code) in [
        (to("http://b.test/"), "URL_NOT_ALLOWED"),
        (to("https://a.test/"), "URL_NOT_ALLOWED"),
        (to("file:///c:/boot.ini"), "URL_NOT_ALLOWED"),
        (to("customer"), "INVALID_ARGUMENT"),
        (json!({}), "INVALID_ARGUMENT"),
        (json!({ "url": "http://a.test/", "history": "back" }), "INVALID_ARGUMENT"),
        (json!({ "history": "up" }), "INVALID_ARGUMENT"),
    ] {
        let error = agent.call("navigate", args.clone()).await.unwrap_err();
        assert_eq!((&error["error"], &error["outcome"]), (&json!(code), &json!("not_done")), "{args}");
    }
    assert_eq!(far.asked(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_page_on_another_origin_is_marked_and_in_strict_mode_withheld() {
    for strict in [false, true] {
        let far = FarEnd::new(|asked, _| match asked {
            GO => value("null"),
            STATE => state("https://login.test/", "Sign in"),
            other => quiet(other),
        });
        let config = Config {
            allowed_origins: vec!["http://a.test".into()],
            allowed_origins_strict: strict,
            ..Config::default()
        };
        let mut agent = Agent::start_with(&far, config).await;
        let result = agent.call("navigate", to("http://a.test/")).await;
        if strict {
            let error = result.unwrap_err();
            assert_eq!(error["error"], "URL_NOT_ALLOWED");
            assert_eq!((&error["url"], &error["outcome"]), (&json!("https://login.test/"), &json!("done")));
            assert!(!error.to_string().contains("Sign in"));
        } else {
            assert_eq!(result.unwrap()["originAllowed"], false);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_page_that_refuses_scripts_is_a_failed_navigation() {
    let far = FarEnd::new(|asked, _| match asked {
        GO => value("null"),
        STATE => error(500, "javascript error", "Error executing JavaScript"),
        "GET /url" => value("\"http://nosuch.test/\""),
        "GET /title" => value("\"Can’t reach this page\""),
        "GET /source" => value(r#""<HTML><HEAD><LINK href=\"NewErrorPageTemplate.css\"></HEAD>""#),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("navigate", to("http://nosuch.test/")).await.unwrap_err();
    assert_eq!(error["error"], "NAVIGATION_FAILED");
    assert_eq!((&error["reason"], &error["url"]), (&json!("dns"), &json!("http://nosuch.test/")));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_does_not_finish_is_told_with_where_it_stands_case_c30() {
    let far = FarEnd::new(|asked, _| match asked {
        GO => error(500, "timeout", "Timed out waiting for page to load."),
        STATE => state("https://sso.example/login", "Sign in"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let error = agent.call("navigate", to("http://intra.example/start")).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("TIMEOUT"), &json!("unknown")));
    assert_eq!(error["url"], "https://sso.example/login");
    assert_eq!(far.count(GO), 1);
}

#[tokio::test(start_paused = true)]
async fn a_navigation_that_gets_no_answer_ends_at_its_limit_and_is_written_once() {
    let far = FarEnd::new(|asked, _| if asked == GO { Reply::Hang } else { quiet(asked) });
    let mut agent = Agent::start(&far).await;
    let begun = tokio::time::Instant::now();
    let error = agent.call("navigate", to("http://a.test/")).await.unwrap_err();
    assert_eq!(begun.elapsed().as_secs(), 42, "element wait, page load and 2 s");
    assert_eq!((&error["error"], &error["outcome"]), (&json!("TIMEOUT"), &json!("unknown")));
    assert_eq!(error["driver"], "busy");
    assert_eq!(far.count(GO), 1);
}

#[tokio::test(start_paused = true)]
async fn a_dialog_of_the_new_page_is_told_or_answered_case_c12() {
    let open = Arc::new(AtomicBool::new(false));
    let far = FarEnd::new(move |asked, _| match asked {
        GO => {
            open.store(true, Relaxed);
            value("null")
        }
        "POST /alert/accept" => {
            open.store(false, Relaxed);
            value("null")
        }
        STATE if open.load(Relaxed) => dialog_open("Closed tonight"),
        "GET /alert/text" if open.load(Relaxed) => value("\"Closed tonight\""),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let result = agent.call("navigate", to("http://a.test/notice")).await.unwrap();
    assert_eq!(result, json!({ "dialog": { "text": "Closed tonight" } }), "no address is known");
    let error = agent.call("navigate", to("http://a.test/plain")).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("DIALOG_OPEN"), &json!("not_done")));
    assert_eq!(far.count(GO), 1, "with a dialog open nothing is sent");
    agent.call("switch_window", json!({ "target": "dialog", "action": "accept" })).await.unwrap();
    let with_answer = json!({ "url": "http://a.test/notice", "dialog": { "action": "accept" } });
    let result = agent.call("navigate", with_answer).await.unwrap();
    assert_eq!(result["answered"], json!({ "text": "Closed tonight", "action": "accept" }));
    assert_eq!((&result["title"], result.get("dialog")), (&json!("A"), None));
    assert_eq!(far.count("POST /alert/accept"), 2);
}
