//! `harness.exe record` around `ie-mode-mcp.exe` and the real driver: the recording is made on Windows and replays on
//! this side.
//!
//! Does not own: recording and replay as such (`harness/tests/record`, `replay.rs`).

use crate::place::{Place, trial, windows_path};
use crate::program::Program;
use libtest_mimic::Trial;
use std::process::Command;

pub(crate) fn trials(place: &'static Place) -> Vec<Trial> {
    vec![trial("recorder::what_it_records_of_the_real_driver_replays_here", place, records_the_real_driver)]
}

/// What the real driver can do without a browser: start, refuse, end.
const FLOW: &str = r#"{"tool":"browser_start"}
{"tool":"inspect_page"}
{"tool":"browser_start"}
{"tool":"browser_close"}
"#;

async fn records_the_real_driver(place: &'static Place) {
    let folder = place.folder();
    let (server, driver) = (place.ours("ie-mode-mcp.exe", &folder), place.real_driver(&folder));
    let edge = place.idle(&folder);
    let flow = folder.path().join("flow.jsonl");
    std::fs::write(&flow, FLOW).expect("a file for the flow");
    let recordings = folder.path().join("recordings");
    let paths = [&flow, &driver, &recordings, &server].map(|path| windows_path(path));
    let [flow, driver, recordings_there, server] = &paths;
    let words = [
        "record",
        "no-window",
        "--flow",
        flow,
        "--driver",
        driver,
        "--recordings",
        recordings_there,
        "--",
        server,
    ];
    let recorder = place.ours("harness.exe", &folder);
    let ended = Program::start(
        place,
        &recorder,
        &words,
        &[("IE_MCP_START_MS", "17000"), ("IE_MCP_EDGE_PATH", &windows_path(&edge))],
    )
    .finish()
    .await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    folder.empties().await;

    let files = std::fs::read_dir(recordings.join("no-window")).expect("the recording").flatten();
    for file in files.filter(|file| file.path().is_file()) {
        let bytes = std::fs::read(file.path()).expect("a file of the recording");
        assert!(!bytes.contains(&b'\r'), "{} has carriage returns", file.path().display());
    }
    let wire = std::fs::read_to_string(recordings.join("no-window/wire.jsonl")).expect("the wire");
    assert!(wire.contains("Could not find an Internet Explorer window"), "{wire}");

    for verb in ["replay", "audit"] {
        let command = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args([verb, "--recordings"])
            .arg(&recordings)
            .output()
            .expect("the harness of this side");
        let (out, err) = (String::from_utf8_lossy(&command.stdout), String::from_utf8_lossy(&command.stderr));
        assert!(command.status.success(), "{verb}: {out}{err}");
    }
}
