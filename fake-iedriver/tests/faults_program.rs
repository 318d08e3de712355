//! Faults of the built program: those of its process, and the file that scripts them.

#![cfg(target_os = "linux")]

mod program;

use program::{Program, command, wait_until_clean};
use serde_json::json;
use std::{
    io::{Read, Write},
    process::Command,
};
use tempfile::TempDir;

/// A program with scripted failures and an answer for `/status`; no browser behind it.
fn faulty(toml: &str) -> (Command, TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("faults.toml");
    std::fs::write(&file, toml).expect("written");
    let mut command = command();
    // Nothing listens on port 9: the bridge is not met before a session.
    command.args(["--port=0", "--bridge=http://127.0.0.1:9"]);
    command.env("FAKE_IEDRIVER_ARGS", format!("--faults '{}'", file.display()));
    (command, folder)
}

/// Bytes of an answer until the connection ends; none if it was reset.
fn exchange(program: &Program, request: &str) -> Option<String> {
    let mut io = program.connect();
    io.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    io.read_to_string(&mut answer).ok().map(|_| answer)
}

#[test]
fn a_driver_that_answers_nothing_but_status_keeps_the_connection_open() {
    let (command, _folder) = faulty("[[fault]]\nexcept = [\"status\"]\ntimes = 0\naction = \"hang\"");
    let program = Program::start(command).expect("starts");
    let body = r#"{"capabilities":{}}"#;
    let mut io = program.connect();
    write!(io, "POST /session HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).expect("sent");
    // Another one is answered meanwhile, and nothing has come here by then.
    assert_eq!(program.send("GET", "/status", "").1["ready"], json!(true));
    io.set_nonblocking(true).expect("set");
    assert_eq!(io.read(&mut [0; 8]).expect_err("nothing").kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn sigterm_can_be_ignored_and_a_kill_leaves_nothing() {
    let (command, _folder) = faulty("[process]\nignore-sigterm = true");
    let mut program = Program::start(command).expect("starts");
    program.signal("TERM");
    // Signals are taken in order of arrival: the answer comes after it.
    assert_eq!(program.send("GET", "/status", "").0, 200);
    assert_eq!(program.child.try_wait().expect("state"), None);
    program.child.kill().expect("killed");
    program.child.wait().expect("ended");
    wait_until_clean(program.child.id());
}

#[test]
fn a_start_can_fail_with_a_code_and_without_a_word() {
    let (mut command, _folder) = faulty("[process]\nstart = \"exit\"\nexit-code = 3");
    let output = command.output().expect("runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &b""[..]));
}

#[test]
fn a_start_that_hangs_prints_no_banner_and_still_ends_when_told() {
    let (mut command, _folder) = faulty("[process]\nstart = \"hang\"");
    let mut child = command.spawn().expect("starts");
    // Told before or after it listens for signals: it ends either way, and has printed nothing.
    let done = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
    assert!(done.success());
    child.wait().expect("ended");
    let mut banner = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut banner).expect("text");
    assert_eq!(banner, "");
}

#[test]
fn an_exit_has_its_code_and_an_odd_answer_its_bytes() {
    let toml = "[[fault]]\ncommand = \"status\"\naction = \"odd\"\nstatus = 502\nbody = \"<html>\"\n\
                [[fault]]\ncommand = \"status\"\nnth = 2\naction = \"reset-before\"\n\
                [[fault]]\ncommand = \"status\"\nnth = 3\naction = \"exit\"\ncode = 7";
    let (command, _folder) = faulty(toml);
    let mut program = Program::start(command).expect("starts");
    let status = "GET /status HTTP/1.1\r\nConnection: close\r\n\r\n";
    let odd = exchange(&program, status).expect("answer");
    assert!(odd.starts_with("HTTP/1.1 502 ") && odd.ends_with("<html>"), "{odd}");
    assert_eq!(exchange(&program, status), None);
    let _ = exchange(&program, status);
    assert_eq!(program.child.wait().expect("ended").code(), Some(7));
}

#[test]
fn a_broken_file_of_faults_is_named() {
    let (mut command, _folder) = faulty("[[fault]]\ncommand = \"clik\"\naction = \"hang\"");
    let output = command.output().expect("runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("clik"), "{text}");
}
