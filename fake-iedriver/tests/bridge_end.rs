//! The end of a bridge: nothing of it is left, whatever ended it.

#![cfg(target_os = "linux")]

mod program;

use program::{Program, Session, command, folders, marked, wait_until_clean};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

fn session() -> Option<Session> {
    let mut command = command();
    command.args(["--port=0", "--bridge=chromedriver"]);
    let always = json!({ "se:ieOptions": { "ie.edgechromium": true, "initialBrowserUrl": "about:blank" } });
    let session = Session::start(command, always)?;
    assert_eq!(session.capabilities["se:ieOptions"]["ie.edgechromium"], true);
    // Browser, chromedriver, the browser's crash handler: all carry the mark.
    let lines = marked(session.program.child.id());
    assert!(lines.iter().any(|line| line.contains("--user-data-dir=")), "{lines:#?}");
    Some(session)
}

#[test]
fn nothing_is_left_after_a_signal_to_stop() {
    let Some(Session { mut program, .. }) = session() else { return };
    program.signal("TERM");
    assert_eq!(program.child.wait().expect("ended").code(), Some(0));
    wait_until_clean(program.child.id());
}

#[test]
fn nothing_is_left_after_a_kill() {
    let Some(Session { mut program, .. }) = session() else { return };
    let pid = program.child.id();
    program.child.kill().expect("killed");
    program.child.wait().expect("ended");
    wait_until_clean(pid);
}

#[test]
fn nothing_is_left_after_shutdown() {
    let Some(Session { mut program, .. }) = session() else { return };
    let mut io = program.connect();
    std::io::Write::write_all(&mut io, b"GET /shutdown HTTP/1.1\r\n\r\n").expect("sent");
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut io, &mut answer).expect("answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("initial start page"), "{answer}");
    assert_eq!(program.child.wait().expect("ended").code(), Some(0));
    wait_until_clean(program.child.id());
}

#[test]
fn nothing_is_left_after_the_parent_was_killed() {
    // A shell between the test and the program is the parent that dies.
    let program = env!("CARGO_BIN_EXE_fake-iedriver");
    let script = format!("'{program}' --port=0 --bridge=chromedriver & echo pid $!; wait");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).stdout(Stdio::piped()).env_remove("FAKE_IEDRIVER_ARGS");
    let Some(Session { program: mut shell, .. }) = Session::start(shell, json!({})) else { return };
    let pid = shell.banner.lines().find_map(|line| line.strip_prefix("pid ")).expect("pid");
    let pid = pid.parse().expect("number");
    assert!(!marked(pid).is_empty() && !folders(pid).is_empty());
    shell.child.kill().expect("killed");
    shell.child.wait().expect("ended");
    wait_until_clean(pid);
}

#[test]
fn a_bridge_to_a_running_chromedriver_ends_its_session_and_leaves_the_driver() {
    let mut start = Command::new("chromedriver");
    start.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut chromedriver) = start.spawn() else {
        return program::not_run("no chromedriver here");
    };
    let mut lines = std::io::BufReader::new(chromedriver.stdout.take().expect("piped"));
    let mut text = String::new();
    let port: u16 = loop {
        assert_ne!(std::io::BufRead::read_line(&mut lines, &mut text).expect("text"), 0, "{text}");
        let port = text.rsplit("on port ").next().and_then(|rest| rest.trim_end().strip_suffix('.'));
        if let Some(port) = port.and_then(|port| port.parse().ok()) {
            break port;
        }
    };
    let mut command = command();
    command.args(["--port=0", &format!("--bridge=http://127.0.0.1:{port}")]);
    if let Some(Session { mut program, id, .. }) = Session::start(command, json!({})) {
        let (status, title) = program.send("GET", &format!("/session/{id}/title"), "");
        assert_eq!((status, title), (200, json!("WebDriver")));
        program.signal("TERM");
        program.child.wait().expect("ended");
        wait_until_clean(program.child.id());
        assert_eq!(chromedriver.try_wait().expect("state"), None);
    }
    chromedriver.kill().expect("killed");
    chromedriver.wait().expect("ended");
}

#[test]
fn a_wrong_address_of_a_chromedriver_is_an_error_of_the_session() {
    let mut command = command();
    command.args(["--port=0", "--bridge=http://127.0.0.1:9"]);
    let program = Program::start(command).expect("starts");
    let (status, error) = program.send("POST", "/session", r#"{"capabilities":{}}"#);
    assert_eq!((status, &error["error"]), (500, &Value::from("session not created")));
    assert!(error["message"].as_str().is_some_and(|text| text.contains("chromedriver")), "{error}");
}
