//! The same tool calls on the emulator and on Chromium give the same results, but for what only one of
//! them can say.

use crate::setup::browser;
use harness::demo_app::{LOGIN_PASSWORD, LOGIN_USER};
use harness::flow::live::{Difference, FarEnd, Live};
use ie_mode_mcp::tools::VOLATILE;
use serde_json::{Map, Value, json};

/// A flow: tool and arguments.
type Flow = Vec<(&'static str, Value)>;

fn id(value: &str) -> Value {
    json!({ "by": "id", "value": value })
}

fn open(path: &str) -> (&'static str, Value) {
    ("navigate", json!({ "url": format!("http://demo.test{path}") }))
}

fn look() -> (&'static str, Value) {
    ("inspect_page", json!({}))
}

fn type_into(field: &str, text: &str) -> (&'static str, Value) {
    ("type", json!({ "selector": id(field), "text": text }))
}

fn click(element: &str) -> (&'static str, Value) {
    ("click", json!({ "selector": id(element) }))
}

fn wait(kind: &str, text: &str) -> (&'static str, Value) {
    ("wait_for", json!({ "type": kind, "text": text }))
}

fn answer(action: &str) -> (&'static str, Value) {
    ("switch_window", json!({ "target": "dialog", "action": action }))
}

fn flows() -> Vec<(&'static str, Flow)> {
    let name = |value: &str| json!({ "by": "name", "value": value });
    let link = |text: &str| json!({ "by": "linkText", "value": text });
    let frame = name("entryFrame");
    vec![
        (
            "customer search",
            vec![
                open("/customer"),
                look(),
                type_into("customerName", "山田"),
                ("select", json!({ "selector": id("branch"), "by": "text", "value": "大阪支店" })),
                click("searchButton"),
                ("wait_for", json!({ "type": "visible", "selector": id("results") })),
                look(),
                ("click", json!({ "selector": link("山田製作所") })),
                wait("title", "顧客詳細"),
                look(),
            ],
        ),
        (
            "frameset menu",
            vec![
                open("/menu"),
                ("inspect_page", json!({ "frame": name("menu") })),
                ("click", json!({ "frame": name("menu"), "selector": link("売上照会") })),
                look(),
            ],
        ),
        (
            "iframe form",
            vec![
                open("/iframe"),
                ("inspect_page", json!({ "frame": frame })),
                ("type", json!({ "frame": frame, "selector": id("code"), "text": "A-100" })),
                ("type", json!({ "frame": frame, "selector": id("quantity"), "text": "5" })),
                ("select", json!({ "frame": frame, "selector": id("kind"), "by": "index", "value": 1 })),
                ("click", json!({ "frame": frame, "selector": id("register") })),
                (
                    "wait_for",
                    json!({ "frame": frame, "type": "text", "selector": id("message"), "text": "A-100 5" }),
                ),
            ],
        ),
        (
            "popup",
            vec![
                open("/popup"),
                click("pickButton"),
                ("switch_window", json!({ "target": "newest" })),
                ("select", json!({ "selector": id("customer"), "by": "text", "value": "鈴木運輸" })),
                click("chooseButton"),
                ("switch_window", json!({ "index": 0 })),
                look(),
            ],
        ),
        (
            "dialogs",
            vec![
                open("/dialogs"),
                click("alertButton"),
                answer("accept"),
                click("confirmButton"),
                answer("dismiss"),
                look(),
                click("promptButton"),
                ("switch_window", json!({ "target": "dialog", "action": "accept", "text": "山田" })),
                look(),
                click("threeButton"),
                answer("accept"),
                answer("dismiss"),
                answer("accept"),
                type_into("amount", "12"),
                ("select", json!({ "selector": id("rank"), "by": "value", "value": "B" })),
                answer("accept"),
                answer("accept"),
                look(),
                click("removeButton"),
                answer("accept"),
                wait("title", "削除完了"),
                look(),
                open("/dialogs/onload"),
                answer("accept"),
                look(),
            ],
        ),
        (
            "order",
            vec![
                open("/order"),
                type_into("item", "A-1"),
                type_into("quantity", "3"),
                click("urgent"),
                type_into("note", "至急\n二行目"),
                look(),
                click("saveButton"),
                wait("url", "/order/done/1"),
                look(),
            ],
        ),
        (
            "login",
            vec![
                open("/login"),
                type_into("user", LOGIN_USER),
                type_into("password", LOGIN_PASSWORD),
                look(),
                click("loginButton"),
                wait("url", "/home"),
                look(),
            ],
        ),
        (
            "Shift_JIS",
            vec![
                open("/sjis"),
                look(),
                type_into("product", "ボルト"),
                click("findButton"),
                ("wait_for", json!({ "type": "text", "selector": id("found"), "text": "ボルト: 3 件" })),
                look(),
            ],
        ),
        ("400 controls", vec![open("/controls"), look()]),
        (
            "states",
            vec![
                open("/states"),
                look(),
                ("click", json!({ "selector": id("hidden"), "timeoutMs": 300 })),
                ("click", json!({ "selector": id("covered"), "timeoutMs": 300 })),
                ("click", json!({ "selector": id("disabled"), "timeoutMs": 300 })),
                ("type", json!({ "selector": id("readonly"), "text": "x", "timeoutMs": 300 })),
                click("laterButton"),
                ("wait_for", json!({ "type": "visible", "selector": id("lateShown") })),
                click("lateEnabled"),
                click("box"),
                click("two"),
                click("below"),
                look(),
            ],
        ),
        (
            "select",
            vec![
                open("/select"),
                ("select", json!({ "selector": id("prefecture"), "by": "text", "value": "福岡県" })),
                ("select", json!({ "selector": id("city"), "by": "text", "value": "南区" })),
                ("select", json!({ "selector": id("many"), "by": "value", "value": "250" })),
                (
                    "select",
                    json!({ "selector": id("twice"), "by": "text", "value": "重複", "timeoutMs": 300 }),
                ),
                ("select", json!({ "selector": id("closed"), "by": "index", "value": 1, "timeoutMs": 300 })),
                look(),
            ],
        ),
        ("tables", vec![open("/tables"), look()]),
        (
            "redrawn rows",
            vec![
                open("/rerender"),
                look(),
                click("again"),
                ("click", json!({ "selector": name("row") })),
                look(),
            ],
        ),
    ]
}

/// A page that breaks chromedriver's own scripts, so that only the emulator can be asked.
fn hostile() -> Flow {
    let name = |value: &str| json!({ "by": "name", "value": value });
    vec![
        open("/hostile"),
        look(),
        ("type", json!({ "selector": name("name"), "text": "v" })),
        ("click", json!({ "selector": name("submit") })),
        ("wait_for", json!({ "type": "text", "selector": id("r"), "text": "sent v" })),
    ]
}

#[tokio::test]
async fn the_demo_application_works_on_the_emulator() {
    let mut all = flows();
    all.push(("hostile", hostile()));
    let failed: Vec<String> = results(FarEnd::Emulator, all)
        .await
        .into_iter()
        // Steps with a short limit are meant to fail.
        .filter(|(label, result)| result["error"].is_null() == label.contains("timeoutMs"))
        .map(|(label, result)| format!("{label}: {result}"))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Results of flows on one far end.
async fn results(far_end: FarEnd, flows: Vec<(&str, Flow)>) -> Vec<(String, Value)> {
    let live =
        Live::start(Difference { far_end, ..Difference::default() }).await.unwrap_or_else(|e| panic!("{e}"));
    let mut all = Vec::new();
    let call = async |tool: &str, arguments: Value| {
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        let result =
            live.server.call(tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
        let mut json = result.json();
        if let Some(members) = json.as_object_mut() {
            members.retain(|member, _| !VOLATILE.contains(&(tool, member.as_str())));
        }
        json
    };
    call("browser_start", json!({})).await;
    for (flow, steps) in flows {
        for (n, (tool, arguments)) in steps.into_iter().enumerate() {
            let label = format!("{flow}, step {}: {tool} {arguments}", n + 1);
            all.push((label, call(tool, arguments).await));
        }
    }
    live.end().await;
    all
}

/// What may differ: where in the result, and why.
const DIFFERENCES: &[(&str, &str)] = &[
    ("documentMode", "Chromium has no document modes"),
    ("outside", "the emulator's rows have a height of their own, so the window ends at another one"),
];

#[tokio::test]
async fn the_demo_application_gives_the_same_results_on_both_far_ends() {
    if !browser("the_demo_application_gives_the_same_results_on_both_far_ends") {
        return;
    }
    let (bridge, emulator) =
        (results(FarEnd::Bridge, flows()).await, results(FarEnd::Emulator, flows()).await);
    let mut wrong = Vec::new();
    for ((label, real), (_, own)) in bridge.into_iter().zip(emulator) {
        let mut found = Vec::new();
        compare("", &real, &own, &mut found);
        // A flow that leaves its dialog open would make all that follow alike.
        if real["error"] == "DIALOG_OPEN" {
            found.push("a dialog is open".to_owned());
        }
        found.retain(|line: &String| {
            !DIFFERENCES.iter().any(|(member, _)| line.contains(&format!("/{member}:")))
        });
        if !found.is_empty() {
            wrong.push(format!("{label}\n    {}", found.join("\n    ")));
        }
    }
    assert!(wrong.is_empty(), "{} steps differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn compare(place: &str, real: &Value, own: &Value, found: &mut Vec<String>) {
    match (real, own) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let (left, right) = (a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null));
                compare(&format!("{place}/{key}"), left, right, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (n, (left, right)) in a.iter().zip(b).enumerate() {
                compare(&format!("{place}/{n}"), left, right, found);
            }
        }
        _ if real == own => {}
        _ => found.push(format!("{place}: Chromium {real}, emulator {own}")),
    }
}
