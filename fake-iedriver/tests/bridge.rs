//! The built program: switches, banner, a real browser behind it, and nothing left of it.

#![allow(clippy::print_stdout, reason = "a test that cannot run says so in one line")]

mod program;

use program::{Program, command};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpListener,
    path::PathBuf,
    process::Command,
};

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

fn bridge() -> Option<Program> {
    let mut command = command();
    command.args(["--port=0", "--bridge", "chromedriver", "--log-level=DEBUG"]);
    let program = Program::start(command);
    if program.is_none() {
        println!("not run: no chromedriver here");
    }
    program
}

/// Browser and its page server; None (with one line) if this machine has none.
fn session() -> Option<(Program, String)> {
    let program = bridge()?;
    let body = json!({ "capabilities": { "alwaysMatch": {
        "browserName": "internet explorer",
        "se:ieOptions": { "ie.edgechromium": true, "initialBrowserUrl": "about:blank" },
    } } });
    let (status, value) = program.send("POST", "/session", &body.to_string());
    let Some(id) = value["sessionId"].as_str().map(str::to_owned) else {
        println!("not run: no browser here ({status} {value})");
        return None;
    };
    assert_eq!(value["capabilities"]["browserName"], "internet explorer");
    assert_eq!(value["capabilities"]["se:ieOptions"]["ie.edgechromium"], true);
    Some((program, id))
}

/// Command lines of processes that hold the mark of this program.
fn marked(pid: u32) -> Vec<String> {
    let mark = format!("fake-iedriver-{pid}-");
    let lines = std::fs::read_dir("/proc").expect("proc").flatten();
    lines
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(&mark))
        .collect()
}

fn folders(pid: u32) -> Vec<PathBuf> {
    let mark = format!("fake-iedriver-{pid}-");
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("temp").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&mark)).map(|e| e.path()).collect()
}

/// Waits until nothing is left; the test runner's limit ends a wait that never does.
fn wait_until_clean(pid: u32) {
    while !(marked(pid).is_empty() && folders(pid).is_empty()) {
        std::thread::yield_now();
    }
}

#[test]
fn version_and_banner_are_the_real_ones() {
    let version = command().args(["--version", "--emulate=4.0.0"]).output().expect("runs");
    assert_eq!(version.stdout, b"IEDriverServer.exe 4.0.0.0 (32-bit)\r\n");
    assert!(version.status.success());
    let Some(program) = bridge() else { return };
    let expected = format!(
        "Started InternetExplorerDriver server (32-bit)\r\n4.14.0.0\r\nListening on port {}\r\nLog level is set to DEBUG\r\nOnly local connections are allowed\r\n",
        program.port
    );
    assert_eq!(program.banner, expected);
}

#[test]
fn commands_and_answers_stand_in_the_log_file() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("ie.log");
    let mut command = command();
    command.args(["--port=0", "--bridge=chromedriver", "--log-level=debug"]);
    command.arg(format!("--log-file={}", file.display()));
    let Some(program) = Program::start(command) else {
        println!("not run: no chromedriver here");
        return;
    };
    assert_eq!(program.send("DELETE", "/session/x", "").0, 200);
    let log = std::fs::read_to_string(&file).expect("log");
    assert!(log.contains("server.cc(343) Command: DELETE /session/x {}\n"), "{log}");
    assert!(log.ends_with("server.cc(426) Response: { \"value\" : null }\n"), "{log}");
}

#[test]
fn a_port_in_use_ends_with_code_4() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("port");
    let port = taken.local_addr().expect("address").port();
    let output = command().args([&format!("/port={port}"), "--bridge=chromedriver"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(4));
    let expected = format!(
        "Failed to start the server with: port = '{port}', host = '', log level = '', log file = '', whitelisted ips = ''."
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn a_missing_chromedriver_is_named_with_its_remedy() {
    let mut command = command();
    command.env("FAKE_IEDRIVER_CHROMEDRIVER", "/nowhere/chromedriver");
    command.env("FAKE_IEDRIVER_ARGS", "--bridge 'chromedriver' --port=0");
    let output = command.output().expect("runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("/nowhere/chromedriver") && text.contains("chromium chromium-driver")
            || text.contains("chromium and chromium-driver"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_real_page_is_driven_in_the_drivers_words() {
    let pages = TcpListener::bind("127.0.0.1:0").expect("port");
    let target = pages.local_addr().expect("address");
    std::thread::spawn(move || {
        for io in pages.incoming() {
            let Ok(mut io) = io else { return };
            let mut request = [0; 4096];
            let _ = io.read(&mut request);
            let page = "<title>Demo</title><input id=a><button id=b onclick=\"alert('Hi')\">go</button>";
            let _ = write!(
                io,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
                page.len()
            );
        }
    });
    let mut command = command();
    command.args(["--port=0", "--bridge=chromedriver", &format!("--map=http://demo.test=http://{target}")]);
    let Some(program) = Program::start(command) else {
        println!("not run: no chromedriver here");
        return;
    };
    let (status, value) = program.send("POST", "/session", r#"{"capabilities":{}}"#);
    let Some(id) = value["sessionId"].as_str() else {
        println!("not run: no browser here ({status} {value})");
        return;
    };
    let at = |path: &str| format!("/session/{id}{path}");
    assert_eq!(program.send("POST", &at("/url"), r#"{"url":"http://demo.test/"}"#), (200, Value::Null));
    assert_eq!(program.send("GET", &at("/title"), ""), (200, json!("Demo")));
    let find = |css: &str| {
        program.send("POST", &at("/element"), &json!({ "using": "css selector", "value": css }).to_string())
    };
    let (status, miss) = find("#x");
    assert_eq!((status, &miss["message"]), (404, &json!("Unable to find element with css selector == #x")));
    let input = find("#a").1[ELEMENT].as_str().expect("element").to_owned();
    assert_eq!(
        program.send("POST", &at(&format!("/element/{input}/value")), r#"{"text":"12.50"}"#),
        (200, Value::Null)
    );
    assert_eq!(
        program.send("GET", &at(&format!("/element/{input}/property/value")), ""),
        (200, json!("12.50"))
    );
    let button = find("#b").1[ELEMENT].as_str().expect("element").to_owned();
    assert_eq!(program.send("POST", &at(&format!("/element/{button}/click")), "{}"), (200, Value::Null));
    let (status, open) = program.send("GET", &at("/title"), "");
    assert_eq!(
        (status, &open["message"], &open["data"]),
        (500, &json!("Modal dialog present with text: Hi"), &json!({ "text": "Hi" }))
    );
    let (status, second) = program.send("POST", "/session", r#"{"capabilities":{}}"#);
    assert_eq!((status, &second["error"]), (500, &json!("session not created")));
    assert_eq!(program.send("DELETE", &at(""), ""), (200, Value::Null));
    assert_eq!(program.send("GET", &at("/title"), "").0, 404);
}

#[test]
fn nothing_is_left_after_a_signal_to_stop() {
    let Some((mut program, _)) = session() else { return };
    assert!(!marked(program.child.id()).is_empty());
    program.signal("TERM");
    assert_eq!(program.child.wait().expect("ended").code(), Some(0));
    wait_until_clean(program.child.id());
}

#[test]
fn nothing_is_left_after_a_kill() {
    let Some((mut program, _)) = session() else { return };
    let pid = program.child.id();
    program.child.kill().expect("killed");
    program.child.wait().expect("ended");
    wait_until_clean(pid);
}

#[test]
fn nothing_is_left_after_the_parent_was_killed() {
    // A shell between the test and the program is the parent that dies.
    let program = env!("CARGO_BIN_EXE_fake-iedriver");
    let script = format!("'{program}' --port=0 --bridge=chromedriver & echo pid $!; wait");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).stdout(std::process::Stdio::piped());
    let Some(mut shell) = Program::start(shell) else {
        println!("not run: no chromedriver here");
        return;
    };
    let pid = shell
        .banner
        .lines()
        .find_map(|line| line.strip_prefix("pid "))
        .expect("pid")
        .parse()
        .expect("number");
    assert_eq!(shell.send("GET", "/status", "").0, 200);
    assert!(!folders(pid).is_empty());
    shell.child.kill().expect("killed");
    shell.child.wait().expect("ended");
    wait_until_clean(pid);
}
