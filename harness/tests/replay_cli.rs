//! `harness replay` as a person or CI runs it: exit codes, one line a flow, JSON, JUnit.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// Start and close, in the files of a recording.
fn write(folder: &Path, name: &str, status: &str, wire_end: &str) {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).unwrap();
    let manifest = json!({ "format": { "major": 1, "minor": 0 }, "id": name, "when": "2026-11-30T00:00:00Z", "config": {} });
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    let call = |n: u32, tool: &str, result: Value| {
        json!({ "call": n, "t": n, "cost": 1, "tool": tool, "arguments": {},
            "result": { "content": [{ "type": "text", "text": result.to_string() }], "isError": false } })
        .to_string()
    };
    let flow = [
        call(1, "browser_start", json!({ "status": status, "reused": false })),
        call(2, "browser_close", json!({ "status": "closed" })),
    ];
    fs::write(folder.join("flow.jsonl"), flow.join("\n") + "\n").unwrap();
    let wire = [
        json!({ "n": 1, "call": 1, "t": 1, "cost": 5, "cmd": "newSession", "req": {}, "res": { "ok": {
            "sessionId": "{{s1}}", "capabilities": {} } } })
        .to_string(),
        json!({ "n": 2, "call": 1, "t": 2, "cost": 5, "cmd": "getWindowHandle", "req": {}, "res": { "ok": "{{w1}}" } })
            .to_string(),
    ];
    fs::write(folder.join("wire.jsonl"), wire.join("\n") + "\n" + wire_end).unwrap();
}

const DELETE: &str =
    "{\"n\":3,\"call\":2,\"t\":3,\"cost\":1,\"cmd\":\"deleteSession\",\"req\":{},\"res\":{\"ok\":null}}\n";

fn replay(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["replay", "--recordings"])
        .arg(folder)
        .args(arguments)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_fine_flow_is_one_line_and_code_0() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "fine", "ready", DELETE);
    let output = replay(folder.path(), &[]);
    assert_eq!(
        (output.status.code(), said(&output).as_str()),
        (Some(0), "ok      fine: 2 calls, 3 exchanges, in process\nreplay: 1 flows, 1 as recorded\n")
    );
}

#[test]
fn a_result_that_differs_is_code_1_and_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "other", "asleep", DELETE);
    let output = replay(folder.path(), &["other"]);
    assert_eq!(output.status.code(), Some(1));
    let expected = "flow other, call 1 browser_start: status: recorded \"asleep\", got \"ready\"";
    assert!(said(&output).contains(expected), "{}", said(&output));
}

#[test]
fn a_folder_or_recording_or_server_that_is_not_there_is_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let output = replay(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("harness record"), "{}", said(&output));
    write(folder.path(), "fine", "ready", DELETE);
    assert_eq!(replay(folder.path(), &["missing"]).status.code(), Some(2));
    let output = replay(folder.path(), &["--binary", "/no/such/server"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("cargo build -p ie-mode-mcp"), "{}", said(&output));
    assert_eq!(replay(&folder.path().join("nowhere"), &[]).status.code(), Some(2));
}

#[test]
fn a_miss_is_code_3_with_its_block() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "miss", "ready", "");
    let output = replay(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        said(&output)
            .contains("R004 a side effect the recording does not contain, call 2 browser_close    flow miss"),
        "{}",
        said(&output)
    );
}

#[test]
fn damage_is_code_6_names_file_and_line_and_stops_no_other_flow() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "cut", "ready", &DELETE[..30]);
    write(folder.path(), "fine", "ready", DELETE);
    let output = replay(folder.path(), &["--json"]);
    assert_eq!(output.status.code(), Some(6));
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all["flows"][0]["verdict"], "ok");
    let damage = all["damaged"][0]["damage"].as_str().unwrap();
    assert!(damage.contains("wire.jsonl line 3") && damage.contains("harness repair"), "{damage}");
}

#[test]
fn junit_holds_one_case_a_flow() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "fine", "ready", DELETE);
    write(folder.path(), "other", "asleep", DELETE);
    let file = folder.path().join("junit.xml");
    let folder = folder.path();
    // A file beside the recordings is no recording.
    let output = replay(folder, &["--junit", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let text = fs::read_to_string(file).unwrap();
    assert!(
        text.contains("<testcase name=\"fine\"") && text.contains("<failure message=\"Differs\""),
        "{text}"
    );
    assert!(text.contains("tests=\"2\"") && text.contains("failures=\"1\""), "{text}");
}
