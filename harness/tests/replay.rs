//! Replay of a flow written by hand: it passes as recorded, in both modes and under any seed, and notices
//! every change. The same changes on the repository's recordings are in `replay_notices.rs`.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use harness::{
    model::Code,
    recording::{Blobs, Format, Forms, Manifest, Recording},
    replay::{Options, Played, Verdict, play, transcript},
    testing,
};
use serde_json::{Map, Value, json};

fn recording(config: Value, flow: Value, wire: Value) -> Recording {
    let Value::Object(config) = config else { panic!("config is an object") };
    Recording {
        manifest: Manifest {
            format: Format::CURRENT,
            id: "by-hand".into(),
            when: "2026-11-30T00:00:00Z".into(),
            server: None,
            driver: None,
            browser: None,
            os: None,
            config,
            ids: Forms::default(),
            counts: None,
            redaction: None,
            ended: None,
            other: Map::new(),
        },
        flow: serde_json::from_value(flow).unwrap(),
        wire: serde_json::from_value(wire).unwrap(),
        processes: Vec::new(),
        blobs: Blobs::new(),
    }
}

fn result(text: Value) -> Value {
    json!({ "content": [{ "type": "text", "text": text.to_string() }], "structuredContent": text, "isError": false })
}

fn call(n: u64, tool: &str, answer: Value) -> Value {
    json!({ "call": n, "t": n, "cost": 1, "tool": tool, "arguments": {}, "result": answer })
}

fn ready(reused: bool) -> Value {
    result(json!({ "status": "ready", "reused": reused, "driver": { "version": "4.9.1.0", "bits": 32 } }))
}

fn closed() -> Value {
    result(json!({ "status": "closed" }))
}

fn session(n: u64, call: u64, symbol: &str) -> Value {
    json!({ "n": n, "call": call, "t": 2, "cost": 3100, "cmd": "newSession", "req": { "capabilities": {} },
        "res": { "ok": { "sessionId": format!("{{{{{symbol}}}}}"), "capabilities": { "browserName": "internet explorer" } } } })
}

fn exchange(n: u64, call: u64, cmd: &str, res: Value) -> Value {
    json!({ "n": n, "call": call, "t": 3, "cost": 7, "cmd": cmd, "req": {}, "res": res })
}

/// Start, start again, close, start, close.
fn by_hand() -> Recording {
    let status = json!({ "ok": { "build": { "version": "4.9.1.0 (32-bit)" }, "ready": true } });
    recording(
        json!({}),
        json!([
            call(1, "browser_start", ready(false)),
            call(2, "browser_start", ready(true)),
            call(3, "browser_close", closed()),
            call(4, "browser_start", ready(false)),
            call(5, "browser_close", closed()),
        ]),
        json!([
            exchange(1, 1, "status", status.clone()),
            session(2, 1, "s1"),
            exchange(3, 1, "getWindowHandle", json!({ "ok": "{{w1}}" })),
            exchange(4, 2, "getWindowHandle", json!({ "ok": "{{w1}}" })),
            exchange(5, 3, "deleteSession", json!({ "ok": null })),
            exchange(6, 4, "status", status),
            session(7, 4, "s2"),
            exchange(8, 4, "getWindowHandle", json!({ "ok": "{{w2}}" })),
            exchange(9, 5, "deleteSession", json!({ "ok": null })),
        ]),
    )
}

fn played(recording: &Recording) -> Played {
    play("by-hand", recording, &Options::default())
}

#[test]
fn a_flow_replays_as_recorded_and_any_seed_gives_the_same() {
    let first = played(&by_hand());
    assert_eq!(first.verdict(), Verdict::Same, "{}", first.trouble());
    assert_eq!(first.calls.len(), 5);
    for seed in 2..20 {
        let other = play("by-hand", &by_hand(), &Options { seed, ..Options::default() });
        assert_eq!(transcript(&other), transcript(&first));
    }
    insta::assert_snapshot!(transcript(&first));
}

#[test]
fn the_built_server_replays_it_over_stdio() {
    let mode = testing::binary_mode().unwrap();
    let played = play("by-hand", &by_hand(), &Options { mode, ..Options::default() });
    assert_eq!(played.verdict(), Verdict::Same, "{}", played.trouble());
}

#[test]
fn a_killed_driver_is_lost_in_both_modes_and_the_next_start_gets_a_new_one() {
    let mut recording = by_hand();
    recording.flow.remove(2);
    recording.wire.remove(4);
    recording.flow.insert(2, serde_json::from_value(json!({ "control": "kill_driver" })).unwrap());
    for mode in [Options::default().mode, testing::binary_mode().unwrap()] {
        let played = play("by-hand", &recording, &Options { mode, ..Options::default() });
        assert_eq!(played.verdict(), Verdict::Same, "{}", played.trouble());
    }
}

#[test]
fn a_driver_that_exits_instead_of_answering_does_so_in_both_modes() {
    let mut recording = by_hand();
    recording.wire[3] = serde_json::from_value(
        json!({ "n": 4, "call": 2, "t": 3, "cost": 7, "cmd": "getWindowHandle", "req": {},
        "res": { "transport": { "kind": "reset" } }, "process": { "event": "exit", "code": 3 } }),
    )
    .unwrap();
    // The session is gone, so the second start makes a new one: the next of the recording.
    recording.flow.truncate(2);
    recording.flow[1].members["result"] = ready(false);
    recording.wire.remove(4);
    for mode in [Options::default().mode, testing::binary_mode().unwrap()] {
        let played = play("by-hand", &recording, &Options { mode, ..Options::default() });
        assert_eq!(played.verdict(), Verdict::Same, "{}", played.trouble());
    }
}

#[test]
fn a_changed_result_is_named_by_flow_call_and_member() {
    let mut recording = by_hand();
    recording.flow[1].members["result"] = ready(false);
    let played = played(&recording);
    assert_eq!(played.verdict(), Verdict::Differs);
    assert_eq!(played.trouble(), "flow by-hand, call 2 browser_start: reused: recorded false, got true");
}

#[test]
fn a_changed_answer_changes_a_result() {
    let mut recording = by_hand();
    let text = serde_json::to_string(&recording.wire[0]).unwrap().replace("4.9.1.0", "4.9.2.0");
    recording.wire[0] = serde_json::from_str(&text).unwrap();
    let played = played(&recording);
    assert_eq!(played.verdict(), Verdict::Differs);
    assert!(
        played.trouble().starts_with("flow by-hand, call 1 browser_start: driver.version"),
        "{}",
        played.trouble()
    );
}

#[test]
fn a_dropped_effect_is_one_the_recording_does_not_contain() {
    let mut recording = by_hand();
    recording.wire.remove(8);
    let played = played(&recording);
    assert_eq!((played.verdict(), played.misses[0].code), (Verdict::Missed, Code::R004));
    insta::assert_snapshot!(played.trouble());
}

#[test]
fn a_dropped_effect_that_comes_again_later_is_out_of_order() {
    let mut recording = by_hand();
    recording.wire.remove(4);
    let played = played(&recording);
    assert_eq!((played.verdict(), played.misses[0].code), (Verdict::Missed, Code::R005));
    assert_eq!((played.misses[0].call, played.misses[0].tool.as_deref()), (Some(3), Some("browser_close")));
}

#[test]
fn a_doubled_effect_never_happens() {
    let mut recording = by_hand();
    let again = recording.wire[1].clone();
    recording.wire.push(again);
    let played = played(&recording);
    assert_eq!((played.verdict(), played.misses[0].code), (Verdict::Missed, Code::R006));
    insta::assert_snapshot!(played.trouble());
}
