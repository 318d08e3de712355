//! Tool calls recorded from a file, on the demonstration application.

use crate::secrets::{browser, everything, list};
use harness::recording::{self, Recording};
use serde_json::{Value, json};
use std::{path::Path, process::Command};
use tempfile::TempDir;

/// Typed by keys, as a value, into nothing; in an address.
const CANARIES: [&str; 4] = ["Kanari-eins-7301", "Kanari-zwei-7302", "Kanari-drei-7303", "Kanari-vier-7304"];

/// Records these calls as `a`; what the command line said.
fn record(folder: &Path, calls: &[Value]) -> (Recording, String) {
    let flow = folder.join("flow.jsonl");
    let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
    std::fs::write(&flow, lines).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["record", "a", "--demo", "--flow"])
        .arg(&flow)
        .arg("--recordings")
        .arg(folder.join("recordings"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{said}");
    let recording = recording::read(&folder.join("recordings/a")).unwrap_or_else(|damage| panic!("{damage}"));
    (recording, said)
}

fn type_into(id: &str, text: &str, more: Value) -> Value {
    let mut arguments = json!({ "selector": { "by": "id", "value": id }, "text": text });
    arguments.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    json!({ "tool": "type", "arguments": arguments })
}

#[test]
fn what_tools_type_into_password_fields_or_into_nothing_is_in_no_file() {
    if !browser("recorded tools") {
        return;
    }
    let [keys, value, nothing, address] = CANARIES;
    let folder = TempDir::new().unwrap();
    let (recording, said) = record(
        folder.path(),
        &[
            json!({ "tool": "browser_start" }),
            json!({ "tool": "navigate", "arguments": { "url": "http://demo.test/login" } }),
            type_into("user", "Yamada Hanako", json!({})),
            type_into("password", keys, json!({})),
            type_into("password", value, json!({ "strategy": "value" })),
            type_into("passwort", nothing, json!({ "timeoutMs": 100 })),
            json!({ "tool": "inspect_page" }),
            json!({ "tool": "navigate", "arguments": { "url": format!("http://me:{address}@demo.test/login") } }),
        ],
    );
    let text = everything(&folder.path().join("recordings")) + &said;
    for canary in CANARIES {
        let characters = serde_json::to_string(&list(canary)).unwrap();
        assert!(!text.contains(canary) && !text.contains(characters.trim_matches(['[', ']'])), "{canary}");
    }
    assert!(!text.contains("-730"), "a part of one");
    // The demonstration's own password has the first slot.
    let typed: Vec<&str> =
        recording.flow.iter().filter_map(|line| line.members["arguments"]["text"].as_str()).collect();
    assert_eq!(typed, ["Yamada Hanako", "{{secret:password2}}", "{{secret:password3}}", "{{secret:call6}}"]);
    let by_script = |line: &&recording::Exchange| {
        line.call == Some(5) && line.cmd == "executeScript" && line.req["args"][1] == "{{secret:password3}}"
    };
    assert!(recording.wire.iter().any(|line| by_script(&line)), "the value goes in by a script");
}

#[test]
fn a_recorded_flow_is_recorded_again_from_itself_with_its_secrets_from_a_file() {
    if !browser("a flow recorded again") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let calls = [
        json!({ "tool": "browser_start" }),
        json!({ "tool": "navigate", "arguments": { "url": "http://demo.test/login" } }),
        type_into("password", CANARIES[0], json!({})),
        json!({ "control": "kill_driver" }),
        json!({ "tool": "inspect_page" }),
    ];
    let (first, _) = record(folder.path(), &calls);
    let events: Vec<&str> = first.processes.iter().map(|line| line.process.event.as_str()).collect();
    assert_eq!(events, ["start", "killed"]);
    assert_eq!(first.flow[3].members["control"], "kill_driver");
    let again = |secrets: &str| {
        let file = folder.path().join("secrets.toml");
        std::fs::write(&file, secrets).unwrap();
        Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(["record", "b", "--demo", "--flow"])
            .arg(folder.path().join("recordings/a/flow.jsonl"))
            .arg("--secrets")
            .arg(&file)
            .arg("--recordings")
            .arg(folder.path().join("recordings"))
            .output()
            .unwrap()
    };
    let output = again(&format!("password2 = \"{}\"\n", CANARIES[0]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let second = recording::read(&folder.path().join("recordings/b")).unwrap();
    for (a, b) in first.flow.iter().zip(&second.flow) {
        for member in ["control", "arguments"] {
            assert_eq!(a.members.get(member), b.members.get(member));
        }
    }
    assert!(!everything(&folder.path().join("recordings")).contains(CANARIES[0]));
}
