//! The built program as emulator: pages from a folder under a production address, document modes, its end.

#![cfg(target_os = "linux")]

mod program;

use program::{Session, command};
use serde_json::{Value, json};

#[test]
fn pages_of_a_folder_stand_under_a_production_address() {
    let folder = tempfile::tempdir().expect("folder");
    // 検索 in Shift_JIS, as the meta element says.
    let page = b"<html><head><meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'><title>\x8c\x9f\x8d\xf5</title></head><body><input name=q></body></html>";
    std::fs::write(folder.path().join("search.html"), page).expect("written");
    let mut command = command();
    command.args(["--port=0", "--document-mode=5"]);
    command.arg(format!("--map=http://intranet.test={}", folder.path().display()));
    let Some(Session { mut program, id, capabilities }) =
        Session::start(command, json!({ "se:ieOptions": { "ie.edgechromium": true } }))
    else {
        panic!("the emulator needs no browser")
    };
    let edge = capabilities["se:ieOptions"]["ie.edgepath"].as_str();
    assert!(edge.is_some_and(|path| path.ends_with("msedge.exe")), "{capabilities}");
    let at = |path: &str| format!("/session/{id}{path}");
    // The first page is the driver's own.
    assert_eq!(program.send("GET", &at("/title"), "").1, "WebDriver");
    let go = json!({ "url": "http://intranet.test/search.html" }).to_string();
    assert_eq!(program.send("POST", &at("/url"), &go), (200, Value::Null));
    assert_eq!(program.send("GET", &at("/title"), "").1, "検索");
    let mode = json!({ "script": "return document.documentMode + document.compatMode", "args": [] });
    assert_eq!(program.send("POST", &at("/execute/sync"), &mode.to_string()).1, "5BackCompat");
    // One session a process, and its end does not wait for a script.
    let (_, second) = program.send("POST", "/session", r#"{"capabilities":{}}"#);
    assert_eq!(second["error"], "session not created");
    assert_eq!(program.send("GET", "/sessions", "").1[0]["id"], id);
    program.signal("TERM");
    assert_eq!(program.child.wait().expect("ended").code(), Some(0));
}

#[test]
fn an_old_driver_is_emulated_by_its_version() {
    let mut command = command();
    command.args(["--port=0", "--emulate=4.0.0"]);
    let session = Session::start(command, json!({ "se:ieOptions": { "ie.edgechromium": true } }));
    let session = session.expect("the emulator needs no browser");
    assert_eq!(session.capabilities["se:ieOptions"]["ie.edgepath"], "");
    let (_, status) = session.program.send("GET", "/status", "");
    assert_eq!(status["build"]["version"], "4.0.0.0 (32-bit)");
}

#[test]
fn a_wrong_map_is_named_before_the_banner() {
    let mut command = command();
    let output = command.args(["--port=0", "--map=http://x.test=/no/such/folder"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/folder"));
}
