//! `ie-mode-mcp.exe` on `fake-iedriver.exe` with the emulator's pages: sessions that work, on Windows.
//!
//! Owns: flows recorded on both sides and compared, the loss of a driver. Does not own: whether the results are right;
//! this side's tests judge that.

use crate::client::{Client, error_of};
use crate::place::{Place, trial, windows_path};
use crate::program::Program;
use harness::demo_app::{DemoApp, LOGIN_PASSWORD};
use harness::flow::executables::{self, FAKE_IEDRIVER, SERVER};
use harness::flow::live::{DEMO_ORIGIN, OTHER_ORIGIN};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Flows of `harness/flows` that need no scripted fault and no signal.
const FLOWS: [&str; 7] = ["customer-search", "dialogs", "frameset", "iframe", "login", "popup", "shift-jis"];

pub(crate) fn trials(place: &'static Place) -> Vec<Trial> {
    let mut trials = vec![
        trial("emulated::a_killed_driver_is_lost_and_a_new_one_starts", place, a_killed_driver_is_lost),
        trial(
            "emulated::every_recording_without_a_kill_replays_with_the_windows_programs",
            place,
            every_recording_replays,
        ),
    ];
    for flow in FLOWS {
        let name = format!("emulated::{flow}_recorded_on_windows_equals_this_side");
        trials.push(trial(&name, place, move |place| recordings_are_equal(place, flow)));
    }
    trials
}

/// How the emulator finds the application.
fn map(app: &DemoApp) -> String {
    format!("--map {DEMO_ORIGIN}={0} --map {OTHER_ORIGIN}={0}", app.url())
}

async fn recordings_are_equal(place: &'static Place, flow: &'static str) {
    let folder = place.folder();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("flows").join(flow).with_extension("jsonl");
    let secrets = folder.path().join("secrets.toml");
    std::fs::write(&secrets, format!("password = {LOGIN_PASSWORD:?}\n")).expect("a file of secrets");
    let [there, here] = ["there", "here"].map(|name| folder.path().join(name));

    let app = DemoApp::start().await.expect("the demonstration application");
    let recorder = place.ours("harness.exe", &folder);
    let programs = ["fake-iedriver.exe", "ie-mode-mcp.exe"].map(|name| place.ours(name, &folder));
    let paths = [&file, &secrets, &programs[0], &there, &programs[1]].map(|path| windows_path(path));
    let words = words(flow, &paths);
    let ended =
        Program::start(place, &recorder, &words, &[("FAKE_IEDRIVER_ARGS", &map(&app))]).finish().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    folder.empties().await;

    let app = DemoApp::start().await.expect("the demonstration application");
    let programs =
        [FAKE_IEDRIVER, SERVER].map(|name| executables::find(name).unwrap_or_else(|error| panic!("{error}")));
    let paths = [&file, &secrets, &programs[0], &here, &programs[1]].map(|path| path.display().to_string());
    on_this_side(&self::words(flow, &paths), &[("FAKE_IEDRIVER_ARGS", &map(&app))]).await;

    let [theirs, ours] = [there.join(flow), here.join(flow)].map(|folder| results(&folder));
    assert_eq!(theirs.len(), ours.len(), "the same number of calls");
    for (theirs, ours) in theirs.iter().zip(&ours) {
        assert_eq!(theirs, ours, "left: recorded on Windows");
    }
    for verb in ["replay", "audit"] {
        on_this_side(&[verb, "--recordings", &there.display().to_string()], &[]).await;
    }
}

fn words<'a>(flow: &'a str, [file, secrets, driver, recordings, server]: &'a [String; 5]) -> [&'a str; 12] {
    [
        "record",
        flow,
        "--flow",
        file,
        "--secrets",
        secrets,
        "--driver",
        driver,
        "--recordings",
        recordings,
        "--",
        server,
    ]
}

/// Runs this side's harness; it must succeed.
async fn on_this_side(words: &[&str], variables: &[(&str, &str)]) {
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(words)
        .envs(variables.iter().copied())
        .output()
        .await
        .expect("the harness of this side");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{words:?}: {out}{err}");
}

/// The calls of a recording with their results, without what depends on time.
fn results(folder: &Path) -> Vec<Value> {
    let recording = harness::recording::read(folder).unwrap_or_else(|damage| panic!("{damage}"));
    let Value::Array(mut lines) = serde_json::to_value(&recording.flow).expect("lines of JSON") else {
        panic!("a flow is a list")
    };
    let blob = |name: &str| {
        let bytes = std::fs::read(folder.join("blobs").join(name)).expect("a file beside the recording");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    lines.iter_mut().for_each(|line| timeless(line, &blob));
    lines
}

fn timeless(value: &mut Value, blob: &dyn Fn(&str) -> String) {
    if let Some(name) = value["blob"].as_str() {
        *value = blob(name).into();
    }
    match value {
        Value::Object(members) => {
            for name in ["t", "cost", "progress", "waitedMs"] {
                members.shift_remove(name);
            }
            members.values_mut().for_each(|member| timeless(member, blob));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| timeless(item, blob)),
        // A result's text is JSON of its own.
        Value::String(text) => {
            if let Ok(mut inner @ Value::Object(_)) = serde_json::from_str(text) {
                timeless(&mut inner, blob);
                *value = inner;
            }
        }
        _ => {}
    }
}

async fn a_killed_driver_is_lost(place: &'static Place) {
    let (folder, driver_folder) = (place.folder(), place.folder());
    let driver = place.ours("fake-iedriver.exe", &driver_folder);
    let variables = [("IE_MCP_DRIVER_PATH", windows_path(&driver))];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let mut client = Client::start(place, &place.ours("ie-mode-mcp.exe", &folder), &variables).await;
    let call = |tool: &str| json!({ "name": tool, "arguments": {} });
    let started = client.ask("tools/call", call("browser_start")).await;
    assert_eq!(started["result"]["isError"], false, "{started}");
    place.terminate(&driver).await;
    let error = error_of(&client.ask("tools/call", call("inspect_page")).await);
    assert_eq!(error["error"], "DRIVER_LOST", "{error}");
    let error = error_of(&client.ask("tools/call", call("inspect_page")).await);
    assert_eq!(error["error"], "BROWSER_NOT_STARTED", "{error}");
    let started = client.ask("tools/call", call("browser_start")).await;
    assert_eq!(started["result"]["structuredContent"]["reused"], false, "{started}");
    let (_, ended) = client.finish().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    driver_folder.empties().await;
}

async fn every_recording_replays(place: &'static Place) {
    let recordings: Vec<PathBuf> = harness::testing::recordings();
    let Some(all) = recordings.first().and_then(|folder| folder.parent()) else { return };
    // A control kills the server's driver, and harness.exe sees no processes (`harness/src/flow/processes.rs`).
    let without_control = |folder: &&PathBuf| {
        let flow = std::fs::read_to_string(folder.join("flow.jsonl")).expect("a recording's flow");
        !flow.contains("\"control\"")
    };
    let names: Vec<_> = recordings
        .iter()
        .filter(without_control)
        .filter_map(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()))
        .collect();
    let folder = place.folder();
    let [recordings, server] = [all, &place.ours("ie-mode-mcp.exe", &folder)].map(windows_path);
    let mut words = vec!["replay", "--recordings", &recordings, "--binary", &server];
    words.extend(names.iter().map(String::as_str));
    let ended = Program::start(place, &place.ours("harness.exe", &folder), &words, &[]).finish().await;
    assert_eq!(ended.code, 0, "{}{}", String::from_utf8_lossy(&ended.stdout), ended.stderr);
    folder.empties().await;
}
