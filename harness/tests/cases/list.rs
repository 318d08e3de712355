//! Every case is played or stands here with the reason why not.

use super::case::folder;
use std::{collections::BTreeMap, fs, path::Path};

/// Cases that are not played here, and why. Those "emulator" are for are turned on as it grows.
const NOT_PLAYED: &[(&str, &str)] = &[
    ("C06", "emulator: a window without a document; Chromium downloads the file"),
    ("C07", "emulator: showModalDialog; Chromium has none"),
    ("C30", "not exercised: scripts address and title, which the server reads by one script of its own"),
    ("C33", "a driver that hangs is ended as a process: harness/tests/browser"),
    ("C36", "would take a minute of real time; the limit of typing is tested in virtual time: server/tests"),
    ("C52", "emulator: chromedriver breaks on a page that overwrites Object; played by harness/tests/modes"),
    (
        "C55",
        "not exercised: scripts a text where the server's own script answers a list; server/tests has the surrogate in it",
    ),
    ("C66", "emulator: res: addresses of IE's error pages"),
    ("C71", "not exercised: scripts title and displayed, which the server reads by one script of its own"),
    (
        "C72",
        "not played yet: its raw bytes need a socket; lost and idle connections: server/tests/session.rs",
    ),
    (
        "C78",
        "a driver with a banner stands behind every built server of harness/tests/browser, whose client reads stdout",
    ),
    ("C83", "recorder and replayer only: harness/tests"),
    ("C85", "recorder and replayer only: harness/tests"),
];

#[test]
fn every_case_is_played_or_listed_with_its_reason() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut tests = String::new();
    for file in fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
    {
        tests.push_str(&fs::read_to_string(file).unwrap());
    }
    let listed: BTreeMap<_, _> = NOT_PLAYED.iter().copied().collect();
    let mut played = 0;
    for entry in fs::read_dir(here.join("data")).unwrap() {
        let id = entry.unwrap().file_name().to_string_lossy().into_owned();
        let has_test = tests.contains(&format!("async fn {}_", id.to_lowercase()));
        assert_ne!(has_test, listed.contains_key(id.as_str()), "{id} must be played or listed, and not both");
        played += usize::from(has_test);
    }
    assert!(listed.keys().all(|id| folder(id).is_dir()));
    println!("{played} cases are played, {} are listed with their reason", listed.len());
}
