//! A recorder that is killed.

use crate::foreign::{Recorder, without_browser};
use harness::{
    flow::processes,
    recording::{self, Ending},
};
use serde_json::Value;
use std::process::Command;

fn repair(recorder: &Recorder) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["repair", "a", "--recordings"])
        .arg(recorder.folder.path().join("recordings"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_recorder_killed_after_any_exchange_has_every_answered_one_on_the_disk() {
    for answered in 0..8 {
        let mut recorder = Recorder::start(&without_browser(), "");
        for _ in 0..answered {
            assert_eq!(recorder.send("GET", "/status", &Value::Null).0, 200);
        }
        recorder.child.kill().unwrap();
        recorder.child.wait().unwrap();
        let mark = recorder.folder.path().display().to_string();
        // Everything it started inherits its folder for temporary files.
        while !processes::marked(&mark).is_empty() {
            std::thread::yield_now();
        }
        let (code, text) = repair(&recorder);
        assert_eq!(code, Some(0), "{text}");
        let recording = recording::read(&recorder.recorded()).unwrap();
        assert_eq!(recording.wire.len(), answered, "{text}");
        assert_eq!(recording.manifest.ended, Some(Ending::Repaired));
        assert_eq!(recording.manifest.counts.unwrap().exchanges, answered as u64);
        let (code, text) = repair(&recorder);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("nothing to repair"), "{text}");
    }
}

#[test]
fn a_half_written_line_is_cut_and_nothing_else() {
    let mut recorder = Recorder::start(&without_browser(), "");
    for _ in 0..3 {
        recorder.send("GET", "/status", &Value::Null);
    }
    recorder.child.kill().unwrap();
    recorder.child.wait().unwrap();
    let wire = recorder.recorded().join(recording::WIRE);
    let text = std::fs::read_to_string(&wire).unwrap();
    std::fs::write(&wire, &text[..text.len() - 10]).unwrap();
    let damage = recording::read(&recorder.recorded()).unwrap_err();
    assert!(damage.what.contains("harness repair"), "{damage}");
    let (code, said) = repair(&recorder);
    assert_eq!(code, Some(0), "{said}");
    let recording = recording::read(&recorder.recorded()).unwrap();
    assert_eq!(recording.wire.len(), 2);
    assert!(text.starts_with(&std::fs::read_to_string(&wire).unwrap()));
}

#[test]
fn an_existing_folder_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("a")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["record", "a", "--recordings"])
        .arg(folder.path())
        .args(["--driver", "/bin/true", "--", "/bin/true"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("exists") && text.contains("another name"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path().join("a")).unwrap().count(), 0);
}
