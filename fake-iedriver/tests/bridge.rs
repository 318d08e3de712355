//! The built program with a bridge: switches, banner, start and its failures.

#![allow(clippy::print_stdout, reason = "a test that cannot run says so in one line")]

mod program;

use program::{Program, command};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
};

fn bridge() -> Option<Program> {
    let mut command = command();
    command.args(["--port=0", "--bridge", "chromedriver", "--log-level=DEBUG"]);
    let program = Program::start(command);
    if program.is_none() {
        println!("not run: no chromedriver here");
    }
    program
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
    // Without a file the log goes among the banner's lines.
    let (log, banner): (Vec<&str>, Vec<&str>) =
        program.banner.split_inclusive('\n').partition(|line| line.starts_with("I "));
    assert_eq!(banner.concat(), expected);
    assert!(log[0].contains("server.cc(87) Starting WebDriver server on port: "), "{log:?}");
    assert!(log[1].ends_with("Driver version: 4.14.0.0 (32-bit)\n"), "{log:?}");
}

#[test]
fn a_silent_driver_prints_nothing_on_stdout() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("ie.log");
    let mut command = command();
    command.args(["--port=0", "--bridge=http://127.0.0.1:9", "/silent", "--log-level=INFO"]);
    command.arg(format!("--log-file={}", file.display()));
    let mut child = command.spawn().expect("starts");
    // Only the log tells the port.
    let port: u16 = loop {
        let log = std::fs::read_to_string(&file).unwrap_or_default();
        let port = log.split("on port: '").nth(1).and_then(|rest| rest.split_once('\''));
        match port {
            Some((port, _)) => break port.parse().expect("number"),
            None => std::thread::yield_now(),
        }
    };
    let mut io = TcpStream::connect(("127.0.0.1", port)).expect("listens");
    io.write_all(b"GET /shutdown HTTP/1.1\r\n\r\n").expect("sent");
    child.wait().expect("ended");
    let mut text = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut text).expect("text");
    assert_eq!(text, "");
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
