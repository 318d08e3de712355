//! What every test of this folder begins with.

use harness::{
    demo_app::Counters,
    flow::live::{Difference, Live, missing_browser},
};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// False, with one line that says why, if no browser is here.
#[allow(clippy::print_stdout, reason = "a test that cannot run says so in one line")]
pub(crate) fn browser(test: &str) -> bool {
    let Some(reason) = missing_browser() else { return true };
    assert!(
        std::env::var("HARNESS_REQUIRE_BROWSER").as_deref() != Ok("1"),
        "a browser is required and missing: {reason}"
    );
    println!("{test} not run: {reason}");
    false
}

/// A server with these variables whose driver fails in these ways.
pub(crate) async fn live(faults: &str, variables: &[(&str, &str)]) -> Live {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let difference =
        Difference { faults: faults.to_owned(), variables: variables.collect(), ..Difference::default() };
    Live::start(difference).await.unwrap_or_else(|error| panic!("{error}"))
}

/// Calls a tool; its JSON, error or not.
pub(crate) async fn call(live: &Live, tool: &str, arguments: Value) -> Value {
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        Value::Null => Map::new(),
        other => panic!("arguments are an object, not {other}"),
    };
    live.server.call(tool, arguments).await.unwrap_or_else(|error| panic!("{error}")).json()
}

/// Calls a tool that must succeed; its JSON.
pub(crate) async fn done(live: &Live, tool: &str, arguments: Value) -> Value {
    let json = call(live, tool, arguments).await;
    assert!(json["error"].is_null(), "{tool}: {json}");
    json
}

/// Calls a tool that must fail in this way; its JSON.
pub(crate) async fn fails(live: &Live, tool: &str, arguments: Value, code: &str) -> Value {
    let json = call(live, tool, arguments).await;
    assert_eq!(json["error"], code, "{tool}: {json}");
    assert!(json["message"].as_str().is_some_and(|text| !text.is_empty()), "{tool}: {json}");
    assert!(!json.to_string().contains("stack"), "{tool}: {json}");
    json
}

/// Waits until the application has counted what it must, for at most 5 s.
pub(crate) async fn counted(live: &Live, met: impl Fn(&Counters) -> bool) -> Counters {
    let until = async {
        while !met(&live.app.counters()) {
            harness::clock::pause(Duration::from_millis(10)).await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(5), until).await;
    live.app.counters()
}

/// A selector by id.
pub(crate) fn id(value: &str) -> Value {
    json!({ "by": "id", "value": value })
}

/// The element of this id among those `inspect_page` lists.
pub(crate) fn element<'a>(page: &'a Value, id: &str) -> &'a Value {
    let elements = page["elements"].as_array().unwrap_or_else(|| panic!("no elements: {page}"));
    elements.iter().find(|element| element["id"] == id).unwrap_or_else(|| panic!("no #{id} in {page}"))
}
