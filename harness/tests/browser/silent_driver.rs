//! A driver that never answers: its process is frozen, its sockets stay open.

use crate::setup::{browser, done, id, live};
use harness::flow::processes;
use serde_json::{Value, json};
use std::time::Duration;

/// Element wait and page-load limit that the server is told, ms.
const ELEMENT: u64 = 500;
const LOAD: u64 = 1_500;

/// Room for a loaded machine above a call's limit; without a limit of its own a call would take for ever.
const ROOM: u64 = 2_500;

#[tokio::test]
async fn every_tool_ends_within_its_limit_and_the_server_stays_responsive() {
    if !browser("every_tool_ends_within_its_limit_and_the_server_stays_responsive") {
        return;
    }
    let (element, load) = (ELEMENT.to_string(), LOAD.to_string());
    let live = live("", &[("IE_MCP_TIMEOUT_MS", &element), ("IE_MCP_PAGE_LOAD_MS", &load)]).await;
    done(&live, "browser_start", Value::Null).await;
    let page = json!({ "url": "http://demo.test/customer" });
    done(&live, "navigate", page.clone()).await;
    let driver = live.driver().unwrap().id;
    for (tool, arguments, limit) in [
        ("inspect_page", json!({}), ELEMENT),
        ("screenshot", json!({}), ELEMENT),
        ("wait_for", json!({ "type": "visible", "selector": id("searchButton") }), ELEMENT),
        ("switch_window", json!({ "index": 0 }), ELEMENT + LOAD),
        ("select", json!({ "selector": id("branch"), "by": "text", "value": "大阪支店" }), ELEMENT),
        ("type", json!({ "selector": id("customerName"), "text": "山田" }), ELEMENT + 80),
        ("click", json!({ "selector": id("searchButton") }), ELEMENT + LOAD),
        ("navigate", page.clone(), ELEMENT + LOAD),
    ] {
        processes::freeze(driver).unwrap();
        let arguments = arguments.as_object().unwrap().clone();
        let call = live.server.call(tool, arguments);
        let limited = tokio::time::timeout(Duration::from_millis(limit + 2_000 + ROOM), call);
        let mut limited = std::pin::pin!(limited);
        let listed = tokio::select! {
            biased;
            listed = live.server.tools() => listed.unwrap(),
            ended = &mut limited => panic!("{tool} ended before the list of tools came: {ended:?}"),
        };
        assert_eq!(listed.len(), 10);
        let Ok(result) = limited.await else { panic!("{tool} does not end") };
        let result = result.unwrap().json();
        assert_eq!(
            (&result["error"], &result["driver"]),
            (&json!("TIMEOUT"), &json!("busy")),
            "{tool}: {result}"
        );
        processes::thaw(driver).unwrap();
        // The next call waits until the driver is back.
        done(&live, "navigate", page.clone()).await;
    }
    live.end().await;
}

#[tokio::test]
async fn a_silent_driver_is_ended_by_close_by_start_and_with_the_server() {
    if !browser("a_silent_driver_is_ended_by_close_by_start_and_with_the_server") {
        return;
    }
    let live = live("", &[]).await;
    let server = live.server.id().unwrap();
    done(&live, "browser_start", Value::Null).await;
    processes::freeze(live.driver().unwrap().id).unwrap();
    done(&live, "browser_close", Value::Null).await;
    let left = || processes::marked(&live.mark()).into_iter().filter(move |process| process.id != server);
    let none_left = async {
        while left().next().is_some() {
            harness::clock::pause(Duration::from_millis(20)).await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(2), none_left).await;
    assert!(ended.is_ok(), "left: {:#?}", left().collect::<Vec<_>>());

    done(&live, "browser_start", Value::Null).await;
    processes::freeze(live.driver().unwrap().id).unwrap();
    assert_eq!(done(&live, "browser_start", Value::Null).await["reused"], false, "a hung driver is replaced");
    processes::freeze(live.driver().unwrap().id).unwrap();
    let mark = live.mark();
    let (_, _folder, ended) = live.close().await;
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    assert_eq!(processes::gone(&mark, Duration::from_secs(2)).await, Ok(()));
}
