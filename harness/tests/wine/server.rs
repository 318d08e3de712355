//! `ie-mode-mcp.exe` over its pipes, with the real driver behind it.
//!
//! Does not own: facts about the driver itself (`driver`).

use crate::client::Client;
use crate::place::{Folder, Place, trial, windows_path};
use crate::program::Program;
use libtest_mimic::Trial;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `contract.md` section 2.3: from the end of stdin to the exit.
const EXIT: Duration = Duration::from_millis(1_500);

pub(crate) fn trials(place: &'static Place) -> Vec<Trial> {
    vec![
        trial("server::shakes_hands_and_lists_its_tools", place, shakes_hands_and_lists_its_tools),
        trial("server::writes_utf8_and_bare_line_feeds", place, writes_utf8_and_bare_line_feeds),
        trial("server::ends_soon_after_its_stdin", place, ends_soon_after_its_stdin),
        trial("server::tells_that_edge_is_missing_and_leaves_nothing", place, tells_that_edge_is_missing),
        trial("server::tells_that_edge_gave_no_window", place, tells_that_edge_gave_no_window),
        trial("server::tells_that_the_zones_differ", place, tells_that_the_zones_differ),
        trial("server::tells_that_its_driver_was_ended", place, tells_that_its_driver_was_ended),
        trial("server::takes_its_driver_along_when_terminated", place, takes_its_driver_along),
        trial("server::takes_its_driver_along_when_stdin_ends", place, takes_its_driver_along_at_the_end),
        trial("server::takes_its_driver_along_on_ctrl_c", place, |place| on_event(place, "interrupt")),
        trial("server::takes_its_driver_along_when_its_console_closes", place, |place| {
            on_event(place, "close")
        }),
        trial("server::takes_a_path_in_quotes", place, takes_a_path_in_quotes),
    ]
}

/// The real driver and a program that stands in for Edge: it stays alive and shows no window.
struct Machine {
    folder: Folder,
    driver: PathBuf,
    edge: PathBuf,
}

impl Machine {
    fn new(place: &Place) -> Self {
        let folder = place.folder();
        let (driver, edge) = (place.real_driver(&folder), place.idle(&folder));
        Self { folder, driver, edge }
    }

    /// A server on this driver; `start_ms` limits `browser_start`.
    async fn server(&self, place: &Place, folder: &Folder, edge: bool, start_ms: &str) -> Client {
        let (driver, edge_path) = (windows_path(&self.driver), windows_path(&self.edge));
        let mut variables = vec![("IE_MCP_DRIVER_PATH", driver.as_str()), ("IE_MCP_START_MS", start_ms)];
        if edge {
            variables.push(("IE_MCP_EDGE_PATH", &edge_path));
        }
        Client::start(place, &place.ours("ie-mode-mcp.exe", folder), &variables).await
    }

    async fn runs(&self, program: &Path) {
        let name = program.file_name().expect("a file name").to_string_lossy().into_owned();
        crate::place::until(&format!("{name} runs"), || {
            self.folder.running().iter().any(|line| line.contains(&name))
        })
        .await;
    }
}

async fn shakes_hands_and_lists_its_tools(place: &'static Place) {
    let folder = place.folder();
    let mut client = Client::start(place, &place.ours("ie-mode-mcp.exe", &folder), &[]).await;
    let listed = client.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("a list of tools");
    let mut names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    names.sort_unstable();
    let mut expected: Vec<_> = ie_mode_mcp::catalogue().tools.iter().map(|tool| tool.name).collect();
    expected.sort_unstable();
    assert_eq!(names, expected, "the same tools as on this side");
}

async fn writes_utf8_and_bare_line_feeds(place: &'static Place) {
    let folder = place.folder();
    let mut client = Client::start(place, &place.ours("ie-mode-mcp.exe", &folder), &[]).await;
    // The refusal names the unknown argument.
    let name = "顧客名 é 😀";
    let answer = client.ask("tools/call", json!({ "name": "browser_start", "arguments": { name: 1 } })).await;
    assert!(answer["result"]["content"][0]["text"].to_string().contains(name), "{answer}");
    let (lines, ended) = client.finish().await;
    assert!(!lines.is_empty());
    for line in lines {
        assert_eq!(line.last(), Some(&b'\n'));
        assert!(!line.contains(&b'\r'), "a carriage return in {}", String::from_utf8_lossy(&line));
    }
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "");
}

async fn ends_soon_after_its_stdin(place: &'static Place) {
    let folder = place.folder();
    let client = Client::start(place, &place.ours("ie-mode-mcp.exe", &folder), &[]).await;
    let (_, ended) =
        tokio::time::timeout(EXIT, client.finish()).await.expect("the server's end in its limit");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

async fn tells_that_edge_is_missing(place: &'static Place) {
    let (machine, folder) = (Machine::new(place), place.folder());
    let before = place.unpacked_libraries();
    let mut client = machine.server(place, &folder, false, "17000").await;
    for _ in 0..3 {
        let error = client.fails("browser_start", json!({})).await;
        assert_eq!(error["error"], "INTERNAL_ERROR", "{error}");
        assert_eq!(error["reason"], "edge_not_found", "{error}");
        assert!(error["hint"].to_string().contains("IE_MCP_EDGE_PATH"), "{error}");
        machine.folder.empties().await;
    }
    assert_eq!(place.unpacked_libraries(), before, "the driver removed the library it unpacks");
}

async fn tells_that_edge_gave_no_window(place: &'static Place) {
    let (machine, folder) = (Machine::new(place), place.folder());
    let mut client = machine.server(place, &folder, true, "17000").await;
    let error = client.fails("browser_start", json!({})).await;
    assert_eq!(
        (&error["error"], &error["reason"]),
        (&"INTERNAL_ERROR".into(), &"attach_timeout".into()),
        "{error}"
    );
    machine.folder.empties().await;
}

async fn tells_that_the_zones_differ(place: &'static Place) {
    let zone =
        |number| format!(r"HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings\Zones\{number}");
    let keys = [zone(1), zone(2), zone(3), zone(4)];
    let values: Vec<_> =
        keys.iter().zip(["0", "0", "0", "3"]).map(|(key, data)| (key.as_str(), "2500", data)).collect();
    place
        .with_numbers(&values, async {
            let (machine, folder) = (Machine::new(place), place.folder());
            let mut client = machine.server(place, &folder, true, "17000").await;
            let error = client.fails("browser_start", json!({})).await;
            assert_eq!(error["reason"], "protected_mode", "{error}");
            assert!(error["hint"].to_string().contains("all zones"), "{error}");
            machine.folder.empties().await;
        })
        .await;
}

async fn tells_that_its_driver_was_ended(place: &'static Place) {
    let (machine, folder) = (Machine::new(place), place.folder());
    let mut client = machine.server(place, &folder, true, "55000").await;
    let id = client.send("tools/call", json!({ "name": "browser_start", "arguments": {} })).await;
    machine.runs(&machine.edge).await;
    place.terminate(&machine.driver).await;
    let error = crate::client::error_of(&client.answer(id).await);
    assert_eq!(error["reason"], "driver_exited", "{error}");
    machine.folder.empties().await;
}

async fn takes_its_driver_along(place: &'static Place) {
    let (machine, folder) = (Machine::new(place), place.folder());
    let mut client = machine.server(place, &folder, true, "55000").await;
    client.send("tools/call", json!({ "name": "browser_start", "arguments": {} })).await;
    machine.runs(&machine.edge).await;
    place.terminate(&client.program.exe).await;
    machine.folder.empties().await;
}

async fn takes_its_driver_along_at_the_end(place: &'static Place) {
    let (machine, folder) = (Machine::new(place), place.folder());
    let mut client = machine.server(place, &folder, true, "55000").await;
    client.send("tools/call", json!({ "name": "browser_start", "arguments": {} })).await;
    machine.runs(&machine.edge).await;
    let (_, ended) = client.finish().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    machine.folder.empties().await;
}

/// With stdin open: only the event ends it.
async fn on_event(place: &'static Place, event: &str) {
    let (machine, folder) = (Machine::new(place), place.folder());
    let (driver, edge) = (windows_path(&machine.driver), windows_path(&machine.edge));
    let variables =
        [("IE_MCP_DRIVER_PATH", driver.as_str()), ("IE_MCP_EDGE_PATH", &edge), ("IE_MCP_START_MS", "55000")];
    let go = folder.path().join("go");
    let server = windows_path(&place.ours("ie-mode-mcp.exe", &folder));
    let words = [event, &windows_path(&go), &server];
    let program = Program::start(place, &place.console(&folder), &words, &variables);
    let mut client = Client::over(program).await;
    client.send("tools/call", json!({ "name": "browser_start", "arguments": {} })).await;
    machine.runs(&machine.edge).await;
    std::fs::write(&go, "").expect("a file");
    machine.folder.empties().await;
    let ended = client.ended().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    folder.empties().await;
}

async fn takes_a_path_in_quotes(place: &'static Place) {
    let (machine, folder) = (Machine::new(place), place.folder());
    let quoted = format!("\"{}\"", windows_path(&machine.driver));
    let variables = [("IE_MCP_DRIVER_PATH", quoted.as_str()), ("IE_MCP_START_MS", "17000")];
    let mut client = Client::start(place, &place.ours("ie-mode-mcp.exe", &folder), &variables).await;
    let error: Value = client.fails("browser_start", json!({})).await;
    assert_eq!(error["reason"], "edge_not_found", "{error}");
}
