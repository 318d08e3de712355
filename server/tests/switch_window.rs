//! `switch_window` against scripted windows in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod agent;
mod far_end;

use agent::{Agent, dialog_open, error, quiet, state};
use far_end::{FarEnd, Reply, value};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The driver's windows: handles in its own order, and which is current.
#[derive(Clone, Default)]
struct Windows(Arc<Mutex<(Vec<&'static str>, String)>>);

impl Windows {
    fn new(handles: &[&'static str]) -> Self {
        Self(Arc::new(Mutex::new((handles.to_vec(), "w1".into()))))
    }

    fn set(&self, handles: &[&'static str]) {
        self.0.lock().unwrap().0 = handles.to_vec();
    }

    fn answer(&self, asked: &str) -> Reply {
        let (handles, current) = &mut *self.0.lock().unwrap();
        let list = |handles: &[&str]| value(&json!(handles).to_string());
        let gone = || error(404, "no such window", "Unable to get browser");
        let here = handles.contains(&current.as_str());
        match asked {
            "GET /window" if here => value(&json!(current).to_string()),
            "GET /window/handles" => list(handles),
            "DELETE /window" => {
                handles.retain(|handle| *handle != current.as_str());
                list(handles)
            }
            "POST /execute/sync state" if here => {
                state(&format!("http://a.test/{current}"), &format!("Title {current}"))
            }
            "POST /execute/sync state" | "GET /window" => gone(),
            other => match other.strip_prefix("POST /window ") {
                Some(handle) if handles.contains(&handle) => {
                    *current = handle.to_owned();
                    value("null")
                }
                Some(_) => error(404, "no such window", "No window found"),
                None => quiet(other),
            },
        }
    }
}

async fn browser(windows: &Windows) -> (FarEnd, Agent) {
    let shown = windows.clone();
    let far = FarEnd::new(move |asked, _| shown.answer(asked));
    let agent = Agent::start(&far).await;
    (far, agent)
}

#[tokio::test(start_paused = true)]
async fn the_newest_window_is_the_one_not_seen_before_whatever_the_order() {
    let windows = Windows::new(&["w1"]);
    let (far, mut agent) = browser(&windows).await;
    windows.set(&["a2", "w1"]);
    let result = agent.call("switch_window", json!({ "target": "newest" })).await.unwrap();
    assert_eq!(result["title"], "Title a2");
    assert_eq!((&result["index"], &result["windowCount"]), (&json!(1), &json!(2)));
    assert_eq!(result.get("fallback"), None);
    assert_eq!(far.asked(), ["GET /window/handles", "POST /window a2", "POST /execute/sync state"]);
    let back = agent.call("switch_window", json!({ "index": 0 })).await.unwrap();
    assert_eq!(back["url"], "http://a.test/w1");
    assert_eq!(
        back["windows"],
        json!([
            { "index": 0, "title": "Title w1", "url": "http://a.test/w1", "current": true },
            { "index": 1, "title": "Title a2", "url": "http://a.test/a2" },
        ])
    );
}

#[tokio::test(start_paused = true)]
async fn a_window_that_comes_late_is_waited_for_case_c01() {
    let windows = Windows::new(&["w1"]);
    let shown = windows.clone();
    let far = FarEnd::new(move |asked, before| {
        if asked == "GET /window/handles" && before == 6 {
            shown.set(&["w1", "w2"]);
        }
        shown.answer(asked)
    });
    let mut agent = Agent::start(&far).await;
    let result = agent.call("switch_window", json!({ "target": "newest" })).await.unwrap();
    assert_eq!((&result["index"], result.get("fallback")), (&json!(1), None));
}

#[tokio::test(start_paused = true)]
async fn without_a_new_window_the_last_one_is_a_marked_fallback_after_the_wait() {
    let windows = Windows::new(&["w1"]);
    let (_, mut agent) = browser(&windows).await;
    let begun = tokio::time::Instant::now();
    let result = agent.call("switch_window", json!({ "target": "newest", "timeoutMs": 2000 })).await.unwrap();
    assert_eq!(begun.elapsed().as_millis(), 2000);
    assert_eq!((&result["index"], &result["fallback"]), (&json!(0), &json!(true)));
}

#[tokio::test(start_paused = true)]
async fn a_window_that_is_not_there_is_told_with_what_there_is() {
    let windows = Windows::new(&["w1"]);
    let (far, mut agent) = browser(&windows).await;
    let error = agent.call("switch_window", json!({ "index": 2 })).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("WINDOW_NOT_FOUND"), &json!("not_done")));
    assert_eq!((&error["index"], &error["windowCount"]), (&json!(2), &json!(1)));
    assert_eq!(far.count("POST /window w1"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_window_is_found_by_a_part_of_its_title_or_address_case_c04() {
    let windows = Windows::new(&["w1", "w2", "w3"]);
    let (far, mut agent) = browser(&windows).await;
    let result = agent.call("switch_window", json!({ "title": "w3" })).await.unwrap();
    assert_eq!(result["url"], "http://a.test/w3");
    let error = agent.call("switch_window", json!({ "title": "Title" })).await.unwrap_err();
    assert_eq!(error["error"], "INVALID_ARGUMENT");
    assert_eq!(error["candidates"].as_array().unwrap().len(), 3);
    assert_eq!(error["candidates"][1], json!({ "index": 1, "title": "Title w2", "url": "http://a.test/w2" }));
    let switches: Vec<String> =
        far.asked().into_iter().filter(|asked| asked.starts_with("POST /window ")).collect();
    assert_eq!(switches.last().unwrap(), "POST /window w3", "the window before is current again");
    let error = agent.call("switch_window", json!({ "url": "w9", "timeoutMs": 500 })).await.unwrap_err();
    assert_eq!(error["error"], "WINDOW_NOT_FOUND");
    assert_eq!(error["windows"].as_array().unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_whole_title_beats_a_part_of_another() {
    let windows = Windows::new(&["w1", "w11"]);
    let (_, mut agent) = browser(&windows).await;
    let result = agent.call("switch_window", json!({ "title": "Title w1" })).await.unwrap();
    assert_eq!(result["index"], 0);
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_ignores_the_switch_is_found_out_case_c04() {
    let far = FarEnd::new(|asked, _| match asked {
        "GET /window/handles" => value(r#"["w1","w2"]"#),
        "POST /window w2" | "POST /url" => value("null"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("navigate", json!({ "url": "http://a.test/" })).await.unwrap();
    let error = agent.call("switch_window", json!({ "index": 1 })).await.unwrap_err();
    assert_eq!((&error["error"], &error["reason"]), (&json!("INTERNAL_ERROR"), &json!("switch_ignored")));
}

#[tokio::test(start_paused = true)]
async fn closing_a_window_goes_to_its_opener() {
    let windows = Windows::new(&["w1"]);
    let (far, mut agent) = browser(&windows).await;
    windows.set(&["w1", "w2"]);
    agent.call("switch_window", json!({ "target": "newest" })).await.unwrap();
    windows.set(&["w1", "w2", "w3"]);
    agent.call("switch_window", json!({ "target": "newest" })).await.unwrap();
    let result = agent.call("switch_window", json!({ "action": "close" })).await.unwrap();
    assert_eq!((&result["url"], &result["windowCount"]), (&json!("http://a.test/w2"), &json!(2)));
    let result = agent.call("switch_window", json!({ "index": 0, "action": "close" })).await.unwrap();
    assert_eq!(result["url"], "http://a.test/w2");
    let error = agent.call("switch_window", json!({ "action": "close" })).await.unwrap_err();
    assert_eq!((&error["error"], &error["outcome"]), (&json!("INVALID_ARGUMENT"), &json!("not_done")));
    assert_eq!(far.count("DELETE /window"), 2, "the last window ends the session");
}

#[tokio::test(start_paused = true)]
async fn a_dialog_is_read_and_answered() {
    let open = Arc::new(Mutex::new(true));
    let (state_of, answers) = (open.clone(), open);
    let far = FarEnd::new(move |asked, _| match asked {
        "GET /alert/text" if *state_of.lock().unwrap() => value("\"Delete?\""),
        "POST /execute/sync state" if *state_of.lock().unwrap() => dialog_open("Delete?"),
        "POST /alert/text" => value("null"),
        "POST /alert/dismiss" => {
            *answers.lock().unwrap() = false;
            value("null")
        }
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let read = agent.call("switch_window", json!({ "target": "dialog", "action": "read" })).await.unwrap();
    assert_eq!(read, json!({ "dialog": { "text": "Delete?" } }));
    let result =
        agent.call("switch_window", json!({ "target": "dialog", "action": "dismiss" })).await.unwrap();
    assert_eq!(result["answered"], json!({ "text": "Delete?", "action": "dismiss" }));
    assert_eq!((&result["url"], result.get("dialog")), (&json!("http://a.test/"), None::<&Value>));
    let error =
        agent.call("switch_window", json!({ "target": "dialog", "action": "accept" })).await.unwrap_err();
    assert_eq!((&error["error"], &error["reason"]), (&json!("ELEMENT_NOT_FOUND"), &json!("no_dialog")));
    assert_eq!(far.count("POST /alert/dismiss"), 1);
}

#[tokio::test(start_paused = true)]
async fn exactly_one_way_names_a_window() {
    let far = FarEnd::new(|asked, _| quiet(asked));
    let mut agent = Agent::start(&far).await;
    for args in [
        json!({}),
        json!({ "target": "newest", "index": 0 }),
        json!({ "index": 0, "title": "x" }),
        json!({ "target": "index" }),
        json!({ "action": "accept" }),
        json!({ "target": "dialog", "index": 0 }),
        json!({ "target": "oldest" }),
        json!({ "index": -1 }),
    ] {
        let error = agent.call("switch_window", args.clone()).await.unwrap_err();
        assert_eq!(
            (&error["error"], &error["outcome"]),
            (&json!("INVALID_ARGUMENT"), &json!("not_done")),
            "{args}"
        );
    }
    assert_eq!(far.asked(), Vec::<String>::new());
}
