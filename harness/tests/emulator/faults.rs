//! The fault matrix: every exchange of every tool call, in a frame, with dialogs and with windows, each with every
//! fault. In virtual time on the emulator, with the demonstration application's counters as witness.
//!
//! Owns: the scenarios, the faults, what must hold after each. The exchanges come from a run without faults.

use fake_iedriver::fault::{Action, Fault, Plan};
use harness::{
    clock,
    flow::{ToolResult, emulated::Emulated},
};
use ie_mode_mcp::Config;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A tool call under test and what comes before it.
struct Scenario {
    name: &'static str,
    before: Vec<(&'static str, Value)>,
    tool: &'static str,
    arguments: Value,
    /// Side effects the application has seen.
    seen: fn(&Emulated) -> u64,
}

const LIMITS: Config = Config {
    edge_path: None,
    driver_path: None,
    driver_url: None,
    allowed_origins: Vec::new(),
    allowed_origins_strict: false,
    timeout_ms: 1_000,
    page_load_ms: 2_000,
    start_ms: 10_000,
    read_only: false,
};

/// No tool call of these scenarios may take longer, in virtual milliseconds.
const LONGEST: u64 = 12_000;

fn faults() -> Vec<(&'static str, Action)> {
    vec![
        ("reset before it runs", Action::ResetBefore),
        ("reset after it ran", Action::ResetAfter),
        ("no answer, not run", Action::Hang),
        ("no answer, run", Action::HangAfter),
        ("closed early", Action::ClosedEarly),
        ("odd reply", Action::Odd { status: 500, body: "<html>Bad Gateway</html>".into() }),
        ("text for a value", Action::Answer { value: "Unable to get browser".into() }),
        ("driver exit", Action::Exit { code: 1 }),
        ("driver exit after it ran", Action::ExitAfter { code: 1 }),
        ("connection closed while idle", Action::CloseAfter),
    ]
}

fn at(page: &str) -> Vec<(&'static str, Value)> {
    vec![("browser_start", json!({})), ("navigate", json!({ "url": format!("http://demo.test{page}") }))]
}

fn by_id(id: &str) -> Value {
    json!({ "selector": { "by": "id", "value": id } })
}

fn with(mut arguments: Value, more: Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    arguments
}

fn in_frame(id: &str) -> Value {
    with(by_id(id), json!({ "frame": { "by": "id", "value": "entryFrame" } }))
}

fn nothing(_: &Emulated) -> u64 {
    0
}

fn orders(emulated: &Emulated) -> u64 {
    emulated.app.counters().orders
}

fn registrations(emulated: &Emulated) -> u64 {
    emulated.app.counters().registrations
}

fn deletions(emulated: &Emulated) -> u64 {
    emulated.app.counters().deletions
}

fn keys(emulated: &Emulated) -> u64 {
    emulated.app.counters().hit("key")
}

fn order_pages(emulated: &Emulated) -> u64 {
    emulated.app.counters().page("/order")
}

fn popups(emulated: &Emulated) -> u64 {
    emulated.app.counters().page("/popup/pick")
}

async fn call(emulated: &Emulated, tool: &str, arguments: &Value) -> ToolResult {
    let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    emulated.server.call(tool, arguments).await.unwrap()
}

/// A server with everything before the call under test done.
async fn prepared(scenario: &Scenario) -> Emulated {
    let emulated = Emulated::start(LIMITS, Plan::default()).await.unwrap();
    for (tool, arguments) in &scenario.before {
        let result = call(&emulated, tool, arguments).await;
        assert!(!result.is_error(), "{}: {tool}: {:?}", scenario.name, result.text());
    }
    // Beacons of the page are loaded between calls.
    clock::pause(Duration::from_secs(1)).await;
    emulated
}

/// Runs a scenario without faults and with each fault at each exchange; gives the count of runs.
async fn matrix(scenario: Scenario) -> usize {
    let plain = prepared(&scenario).await;
    let (before, asked) = ((scenario.seen)(&plain), plain.wire().log().names().len());
    let result = call(&plain, scenario.tool, &scenario.arguments).await;
    assert!(!result.is_error(), "{}: {:?}", scenario.name, result.text());
    clock::pause(Duration::from_secs(30)).await;
    let whole = (scenario.seen)(&plain) - before;
    let exchanges: Vec<&str> = plain.wire().log().names().split_off(asked);
    plain.server.close().await;

    let mut violations = Vec::new();
    let mut runs = 0;
    for (n, command) in exchanges.iter().enumerate() {
        let nth = exchanges[..=n].iter().filter(|other| *other == command).count();
        for (name, action) in faults() {
            runs += 1;
            let emulated = prepared(&scenario).await;
            let fault = Fault { nth: u32::try_from(nth).unwrap(), ..Fault::once(command, action) };
            let place = format!("{}: {name} at {command} ({} of {})", scenario.name, n + 1, exchanges.len());
            if let Err(violation) = one(&scenario, emulated, fault, whole).await {
                violations.push(format!("{place}: {violation}"));
            }
        }
    }
    println!(
        "{}: {} exchanges, {runs} runs, {} violations",
        scenario.name,
        exchanges.len(),
        violations.len()
    );
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    runs
}

/// One run with one fault.
async fn one(scenario: &Scenario, emulated: Emulated, fault: Fault, whole: u64) -> Result<(), String> {
    let seen = || (scenario.seen)(&emulated);
    let before = seen();
    emulated.faults().add(fault);
    let result = call(&emulated, scenario.tool, &scenario.arguments).await;
    emulated.faults().clear();
    if result.took_ms > LONGEST {
        return Err(format!("took {} ms", result.took_ms));
    }
    clock::pause(Duration::from_secs(1)).await;
    let done = seen() - before;
    let answer = result.json();
    judge(scenario, &result, &answer, done, whole)?;
    clock::pause(Duration::from_secs(60)).await;
    let late = seen() - before - done;
    if late > 0 && done + late > whole {
        return Err(format!("{late} side effects arrived late: {answer}"));
    }
    // Whatever happened, a new start works.
    let closed = call(&emulated, "browser_close", &json!({})).await;
    if closed.is_error() {
        return Err(format!("browser_close failed: {}", closed.json()));
    }
    emulated.new_driver();
    let started = call(&emulated, "browser_start", &json!({})).await;
    if started.json()["status"] != "ready" {
        return Err(format!("the next start failed: {}", started.json()));
    }
    emulated.server.close().await;
    Ok(())
}

fn judge(
    scenario: &Scenario,
    result: &ToolResult,
    answer: &Value,
    done: u64,
    whole: u64,
) -> Result<(), String> {
    let effect = matches!(scenario.tool, "navigate" | "click" | "type" | "select" | "switch_window");
    if done > whole {
        return Err(format!("done {done} times, not {whole}: {answer}"));
    }
    if !result.is_error() {
        return if done == whole {
            Ok(())
        } else {
            Err(format!("a success that did {done} of {whole}: {answer}"))
        };
    }
    if !answer["error"].is_string() || !answer["message"].is_string() {
        return Err(format!("an error without code or message: {answer}"));
    }
    let fits = match answer["outcome"].as_str() {
        None => !effect,
        Some("not_done") => done == 0,
        Some("done") => done == whole,
        Some("unknown") => answer["hint"].is_string(),
        Some(_) => false,
    };
    if fits { Ok(()) } else { Err(format!("outcome does not fit {done} of {whole} done: {answer}")) }
}

macro_rules! matrix {
    ($($test:ident: $scenario:expr),* $(,)?) => {
        $(#[tokio::test(start_paused = true)]
        async fn $test() {
            let mut scenario: Scenario = $scenario;
            scenario.name = stringify!($test);
            matrix(scenario).await;
        })*
    };
}

fn scenario(page: &str, tool: &'static str, arguments: Value, seen: fn(&Emulated) -> u64) -> Scenario {
    Scenario { name: "", before: at(page), tool, arguments, seen }
}

fn with_popup() -> Vec<(&'static str, Value)> {
    let mut before = at("/popup");
    before.push(("click", by_id("pickButton")));
    before
}

fn in_popup() -> Vec<(&'static str, Value)> {
    let mut before = with_popup();
    before.push(("switch_window", json!({ "target": "newest" })));
    before
}

matrix! {
    start: Scenario { before: Vec::new(), ..scenario("", "browser_start", json!({}), nothing) },
    navigate: Scenario {
        before: vec![("browser_start", json!({}))],
        ..scenario("", "navigate", json!({ "url": "http://demo.test/order" }), order_pages)
    },
    inspect: scenario("/order", "inspect_page", json!({}), nothing),
    inspect_with_frames: scenario("/menu", "inspect_page", json!({}), nothing),
    click: scenario("/order", "click", by_id("saveButton"), orders),
    click_in_a_frame: scenario("/iframe", "click", in_frame("register"), registrations),
    click_that_opens_a_dialog: scenario("/dialogs", "click", by_id("removeButton"), deletions),
    click_that_answers_a_dialog: scenario(
        "/dialogs",
        "click",
        with(by_id("removeButton"), json!({ "dialog": { "action": "accept" } })),
        deletions,
    ),
    click_that_opens_a_window: scenario("/popup", "click", by_id("pickButton"), popups),
    click_that_closes_its_window: Scenario {
        before: in_popup(),
        ..scenario("", "click", by_id("chooseButton"), nothing)
    },
    type_text: scenario("/typing", "type", with(by_id("field"), json!({ "text": "ab" })), keys),
    type_in_a_frame: scenario("/iframe", "type", with(in_frame("code"), json!({ "text": "ab" })), nothing),
    select: scenario("/select", "select", with(by_id("prefecture"), json!({ "by": "value", "value": "13" })), nothing),
    select_in_a_frame: scenario("/iframe", "select", with(in_frame("kind"), json!({ "by": "value", "value": "out" })), nothing),
    wait: scenario("/customer", "wait_for", json!({ "type": "present", "selector": { "by": "id", "value": "branch" } }), nothing),
    switch_to_the_newest_window: Scenario {
        before: with_popup(),
        ..scenario("", "switch_window", json!({ "target": "newest" }), nothing)
    },
    switch_by_index: Scenario {
        before: in_popup(),
        ..scenario("", "switch_window", json!({ "index": 0 }), nothing)
    },
    answer_a_dialog: Scenario {
        before: {
            let mut before = at("/dialogs");
            before.push(("click", by_id("removeButton")));
            before
        },
        ..scenario("", "switch_window", json!({ "target": "dialog", "action": "accept" }), deletions)
    },
    screenshot: scenario("/order", "screenshot", json!({}), nothing),
}
