//! Recorded flows on the emulator: every tool result as recorded in front of Chromium, but for listed differences.

use fake_iedriver::fault::Plan;
use futures::future::BoxFuture;
use harness::{
    flow::{self, Controls, compare, emulated::Emulated},
    recording,
};
use ie_mode_mcp::Config;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Where the emulator answers otherwise than Chromium through the bridge, and why.
const DIFFERENCES: &[(&str, &str)] = &[(
    "frameset call 7 screenshot",
    "the emulator's window shows 1024 x 768 pixels of the page, Chromium's 1280 x 757",
)];

struct NoControls;

impl Controls for NoControls {
    fn kill_driver(&mut self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Err("the emulator in this process is no process".to_owned()) })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

async fn play(name: &str) {
    let folder =
        std::env::var_os("EMU_RECS").map_or_else(|| root().join("recordings"), PathBuf::from).join(name);
    let recording = recording::read(&folder).unwrap();
    let steps = flow::read(&root().join(format!("harness/flows/{name}.jsonl"))).unwrap();
    let emulated = Emulated::start(Config::default(), Plan::default()).await.unwrap();
    let outcomes = flow::run(&steps, &emulated.server, &mut NoControls).await.unwrap();
    let recorded: Vec<Value> = recording
        .flow
        .iter()
        .filter_map(|line| line.members.get("result"))
        .map(|result| recording.expand(result))
        .collect();
    assert_eq!(recorded.len(), outcomes.len());
    let mut found = Vec::new();
    for (outcome, recorded) in outcomes.iter().zip(&recorded) {
        let got = json!(outcome.result.result);
        for difference in compare::differences(&outcome.tool, recorded, &got, false) {
            let place = format!("{name} call {} {}", outcome.call, outcome.tool);
            if !DIFFERENCES.iter().any(|(known, _)| place.starts_with(known)) {
                found.push(format!("{place}: {difference}"));
            }
        }
    }
    emulated.server.close().await;
    assert!(found.is_empty(), "{}", found.join("\n"));
}

macro_rules! flows {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(#[tokio::test(start_paused = true)]
        async fn $test() {
            play($name).await;
        })*
    };
}

flows! {
    customer_search_answers_as_in_chromium: "customer-search",
    dialogs_answer_as_in_chromium: "dialogs",
    frameset_answers_as_in_chromium: "frameset",
    iframe_answers_as_in_chromium: "iframe",
    login_answers_as_in_chromium: "login",
    popup_answers_as_in_chromium: "popup",
    shift_jis_answers_as_in_chromium: "shift-jis",
}
