//! The server's page scripts in every document mode: field problems as pages, tool calls on them, the emulator behind.
//!
//! Owns: that a tool gives the same result in modes 5 to 11. Does not own: what each mode is (`fake-iedriver`), every
//! other behaviour of the tools (`server/tests`, `browser`).
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use fake_iedriver::{
    browser::{
        net::{Network, Source},
        pages::Pageful,
    },
    dom::Mode,
    handle::dial,
    session::{Emulator, EmulatorOptions, Pace},
    wire::{Wire, WireOptions, capabilities::Machine},
};
use harness::flow::ToolServer;
use ie_mode_mcp::{Config, DriverAccess, driver::cable::Io};
use serde_json::{Value, json};
use std::sync::Arc;

const MODES: [Mode; 6] = [Mode::Ie5, Mode::Ie7, Mode::Ie8, Mode::Ie9, Mode::Ie10, Mode::Ie11];

const PAGES: &[(&str, &str)] = &[
    ("/c16", include_str!("pages/c16.html")),
    ("/c46", include_str!("pages/c46.html")),
    ("/c48", include_str!("pages/c48.html")),
    ("/c52", include_str!("pages/c52.html")),
    ("/c56", include_str!("pages/c56.html")),
    ("/c57", include_str!("pages/c57.html")),
    ("/scroll", include_str!("pages/scroll.html")),
];

/// A server in front of an emulator in memory, on one of the pages.
struct Agent {
    server: ToolServer,
    mode: Mode,
}

impl Agent {
    async fn on(mode: Mode, page: &str) -> Self {
        let html = |text: &str| ("text/html; charset=utf-8".to_owned(), text.as_bytes().to_vec());
        let pages = PAGES.iter().map(|(path, text)| ((*path).to_owned(), html(text))).collect();
        let network = Network::new(vec![("http://case.test".to_owned(), Source::Memory(pages))]);
        let engine = Pageful { fallback_mode: Some(mode) };
        let machine = Machine { start_url: String::new(), edge_path: String::new() };
        let options = EmulatorOptions { machine, pace: Pace::Fast };
        let emulator = Emulator::new(Arc::new(engine), Arc::new(network), options);
        let wire = Wire::new(Arc::new(emulator), WireOptions::default());
        let driver = DriverAccess::Dial(Arc::new(move || {
            let line = dial(&wire).map(|line| Box::new(line) as Box<dyn Io>);
            Box::pin(async move { line })
        }));
        let server = ToolServer::in_process(Config::default(), driver).await.unwrap();
        let agent = Self { server, mode };
        agent.done("browser_start", json!({})).await;
        agent.done("navigate", json!({ "url": format!("http://case.test{page}") })).await;
        agent
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.server.call(tool, arguments).await.unwrap().json()
    }

    async fn done(&self, tool: &str, arguments: Value) -> Value {
        let json = self.call(tool, arguments.clone()).await;
        assert_eq!(json["error"], Value::Null, "{:?}: {tool} {arguments}: {json}", self.mode);
        json
    }

    async fn fails(&self, tool: &str, arguments: Value, code: &str) -> Value {
        let json = self.call(tool, arguments.clone()).await;
        assert_eq!(json["error"], code, "{:?}: {tool} {arguments}: {json}", self.mode);
        json
    }

    async fn has_text(&self, id: &str, text: &str) {
        let wait = json!({ "type": "text", "selector": by("id", id), "text": text, "timeoutMs": 0 });
        self.done("wait_for", wait).await;
    }
}

fn by(by: &str, value: &str) -> Value {
    json!({ "by": by, "value": value })
}

fn option(list: &str, by_what: &str, value: &str) -> Value {
    json!({ "selector": by("id", list), "by": by_what, "value": value, "timeoutMs": 300 })
}

#[tokio::test(start_paused = true)]
async fn c52_overwritten_built_ins_and_shadowed_form_members_change_nothing() {
    for mode in MODES {
        let agent = Agent::on(mode, "/c52").await;
        for name in ["id", "name", "parentNode", "tagName", "length"] {
            let text = if name == "name" { "Abe" } else { name };
            let typed = agent.done("type", json!({ "selector": by("name", name), "text": text })).await;
            assert_eq!(typed["verified"], true, "{mode:?} {name}");
        }
        agent.done("click", json!({ "selector": by("name", "submit") })).await;
        agent.has_text("r", "sent Abe").await;
        agent.done("wait_for", json!({ "type": "visible", "selector": by("id", "f"), "timeoutMs": 0 })).await;
        let page = agent.done("inspect_page", json!({})).await;
        assert_eq!(page["total"], 6, "{mode:?}: {page}");
    }
}

#[tokio::test(start_paused = true)]
async fn c57_ids_and_names_mean_exactly_what_they_say() {
    let ids = [
        "ctl00$Main$txtName",
        "j_id12:form:user",
        "item[0].qty",
        "2nd",
        "a.b",
        "a b",
        "it's",
        "say \"hi\"",
        "x#y",
        "氏名",
        "-",
        "back\\slash",
    ];
    for mode in MODES {
        let agent = Agent::on(mode, "/c57").await;
        for (n, id) in ids.into_iter().enumerate() {
            agent.done("type", json!({ "selector": by("id", id), "text": format!("v{n}") })).await;
            let append = json!({ "selector": by("name", id), "text": "+", "clear": false });
            assert_eq!(agent.done("type", append).await["verified"], true, "{mode:?} {id}");
        }
        for (n, id) in ids.into_iter().enumerate() {
            agent.has_text(id, &format!("v{n}+")).await;
        }
        let other_case = json!({ "selector": by("id", "2ND"), "text": "x", "timeoutMs": 0 });
        agent.fails("type", other_case, "ELEMENT_NOT_FOUND").await;
    }
}

#[tokio::test(start_paused = true)]
async fn c56_what_a_person_sees_is_visible() {
    for mode in MODES {
        let agent = Agent::on(mode, "/c56").await;
        let mut seen = Vec::new();
        for n in 1..=16 {
            let wait =
                json!({ "type": "visible", "selector": by("id", &format!("v{n:02}")), "timeoutMs": 0 });
            if agent.call("wait_for", wait).await["error"].is_null() {
                seen.push(n);
            }
        }
        // v12 is transparent: it can be clicked, but nobody sees it.
        let mut expected = vec![1, 5, 9, 15, 16];
        if mode < Mode::Ie11 {
            // They know no hidden attribute and show the button.
            expected.insert(2, 7);
        }
        assert_eq!(seen, expected, "{mode:?}");
        agent.done("click", json!({ "selector": by("id", "v12"), "timeoutMs": 0 })).await;
    }
}

#[tokio::test(start_paused = true)]
async fn c46_a_choice_fires_one_change_after_it_is_made() {
    for mode in MODES {
        let agent = Agent::on(mode, "/c46").await;
        let chosen = agent.done("select", option("pref", "text", "Osaka")).await;
        assert_eq!((&chosen["value"], &chosen["index"]), (&json!("27"), &json!(1)), "{mode:?}");
        assert_eq!(chosen["dependents"], json!([{ "id": "city", "optionCount": 2 }]), "{mode:?}");
        agent.done("select", option("pref", "value", "27")).await;
        let exactly = agent.done("inspect_page", json!({})).await;
        assert!(exactly["text"].as_str().unwrap().trim_end().ends_with("27;"), "{mode:?}: {exactly}");
        assert!(!exactly["text"].as_str().unwrap().contains("27;27;"), "{mode:?}: no second change");
        assert_eq!(agent.done("select", option("city", "text", "Suita")).await["index"], 1, "{mode:?}");
        let days = json!({ "selector": by("id", "days"), "by": "text", "values": ["Tue", "Fri"] });
        let chosen = agent.done("select", days).await;
        assert_eq!(chosen["chosen"].as_array().map(Vec::len), Some(2), "{mode:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn c48_what_a_person_cannot_choose_is_refused() {
    for mode in MODES {
        let agent = Agent::on(mode, "/c48").await;
        let twice = agent.fails("select", option("g", "text", "A"), "INVALID_ARGUMENT").await;
        assert_eq!(twice["candidates"][1]["group"], "South", "{mode:?}");
        for text in ["North B", "Old"] {
            agent.fails("select", option("g", "text", text), "NOT_INTERACTABLE").await;
        }
        assert_eq!(agent.done("select", option("g", "value", "sb")).await["index"], 3, "{mode:?}");
        agent.fails("select", option("off", "text", "b"), "NOT_INTERACTABLE").await;
        agent.fails("select", option("g", "text", "Nowhere"), "ELEMENT_NOT_FOUND").await;
    }
}

#[tokio::test(start_paused = true)]
async fn c16_a_dialog_opened_by_a_choice_is_told_and_the_choice_holds() {
    for mode in MODES {
        let agent = Agent::on(mode, "/c16").await;
        let chosen = agent.done("select", option("tax", "value", "T2")).await;
        assert_eq!(chosen["dialog"], json!({ "text": "Tax class is now T2" }), "{mode:?}");
        agent.done("switch_window", json!({ "target": "dialog", "action": "accept" })).await;
        agent.has_text("cnt", "1").await;
        let again = agent.done("select", option("tax", "value", "T2")).await;
        assert_eq!(again.get("dialog"), None, "{mode:?}: it holds, so nothing changes");
        let mut answered = option("tax", "index", "2");
        answered["dialog"] = json!({ "action": "accept" });
        assert_eq!(
            agent.done("select", answered).await["answered"]["text"],
            "Tax class is now T0",
            "{mode:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_scrolling_box_hides_is_clicked_and_what_lies_under_a_layer_is_not() {
    for mode in MODES {
        let agent = Agent::on(mode, "/scroll").await;
        let covered = json!({ "selector": by("id", "under"), "timeoutMs": 500 });
        let error = agent.fails("click", covered, "TIMEOUT").await;
        assert_eq!(
            (&error["reason"], &error["coveredBy"]),
            (&json!("covered"), &json!("div#layer")),
            "{mode:?}"
        );
        agent.done("click", json!({ "selector": by("id", "inside"), "timeoutMs": 0 })).await;
        agent.has_text("o", "inside").await;
    }
}
