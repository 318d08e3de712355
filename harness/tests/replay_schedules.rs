//! What happens to waits: for each stretch of each recording in which something changed by itself, the flow in
//! which it never does; and flows under the other schedules.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use harness::{
    model::{Model, Schedule},
    recording::{self, Recording},
    replay::{Options, Played, Verdict, play},
    testing,
};
use serde_json::{Value, json};

fn each(mut of: impl FnMut(&str, &Recording)) {
    for folder in testing::recordings() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        of(&name, &recording::read(&folder).unwrap());
    }
}

fn under(name: &str, recording: &Recording, schedule: Schedule) -> Played {
    play(name, recording, &Options { schedule, ..Options::default() })
}

/// The error code of a call's result.
fn error(played: &Played, call: usize) -> Value {
    let text = played.calls[call].got["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["error"].clone()
}

#[test]
fn every_wait_that_never_ends_ends_at_its_limit() {
    let mut waits = 0;
    each(|name, recording| {
        let model = Model::compile(recording).unwrap();
        for (n, epoch) in model.epochs.iter().enumerate().filter(|(_, epoch)| epoch.phases.len() > 1) {
            let played = under(name, recording, Schedule::Stall(n));
            assert_ne!(played.verdict(), Verdict::Stopped, "{name} epoch {n}: {}", played.trouble());
            if played.verdict() == Verdict::Same {
                // What changed there was seen, but nothing waited for it.
                continue;
            }
            waits += 1;
            let first = played.calls.iter().position(|call| !call.differences.is_empty());
            let first =
                first.unwrap_or_else(|| panic!("{name} epoch {n} ({}): {}", epoch.name, played.trouble()));
            assert!(
                ["TIMEOUT", "ELEMENT_NOT_FOUND"].iter().any(|code| error(&played, first) == json!(code)),
                "{name} epoch {n} ({}): {}",
                epoch.name,
                played.trouble()
            );
        }
    });
    if !testing::recordings().is_empty() {
        assert!(waits > 0, "no recording waits for anything");
    }
}

#[test]
fn a_world_that_is_settled_at_once_gives_the_same_results() {
    let mut same = 0;
    each(|name, recording| {
        let played = under(name, recording, Schedule::Eager);
        assert!(played.misses.is_empty(), "{}", played.trouble());
        same += usize::from(played.verdict() == Verdict::Same);
    });
    assert!(same * 2 >= testing::recordings().len(), "{same} flows");
}

#[test]
fn without_its_wait_the_search_finds_nothing() {
    each(|name, recording| {
        if name != "customer-search" {
            return;
        }
        let mut hasty = recording.clone();
        hasty.flow.retain(|line| line.members.get("tool") != Some(&json!("wait_for")));
        assert!(hasty.flow.len() < recording.flow.len());
        let played = under(name, &hasty, Schedule::Cold);
        assert_ne!(played.verdict(), Verdict::Same);
    });
}
