//! What the server sees through the recorder is what it would see without it, and is written down.

use crate::foreign::{Recorder, raw, request, without_browser};
use harness::{
    flow::executables::{self, FAKE_IEDRIVER},
    recording::{Answer, Recording},
};
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// The far end without a recorder.
struct Direct(Child, u16);

impl Direct {
    fn start(faults: Option<&std::path::Path>) -> Self {
        let mut command = Command::new(executables::find(FAKE_IEDRIVER).unwrap());
        command.arg("--port=0").args(without_browser()).env_remove("FAKE_IEDRIVER_ARGS");
        if let Some(file) = faults {
            command.arg("--fault").arg(file);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
        let port = lines.find_map(|line| line.strip_prefix("Listening on port ")?.parse().ok()).unwrap();
        Self(child, port)
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn kinds(recording: &Recording) -> Vec<String> {
    let kind = |answer: &Answer| match answer {
        Answer::Ok(_) => "ok".to_owned(),
        Answer::Err(error) => error.code.clone(),
        Answer::Transport(members) => members["kind"].as_str().unwrap().to_owned(),
    };
    recording.wire.iter().map(|line| kind(&line.res)).collect()
}

/// The date of a raw answer is another one each second.
fn without_date(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("Date: ")).collect()
}

#[test]
fn every_answer_passes_byte_for_byte() {
    let direct = Direct::start(None);
    let recorder = Recorder::start(&without_browser(), "");
    for request in [
        request("GET", "/status", ""),
        request("POST", "/session/none/url", r#"{"url":"http://demo.test/"}"#),
        request("POST", "/session", "not json"),
        request("GET", "/wd/hub/status", ""),
        request("PUT", "/session", "{}"),
        request("GET", "/", ""),
        request("HEAD", "/status", ""),
        "TRACE / HTTP/1.1\r\n\r\n".to_owned(),
        "garbage\r\n\r\n".to_owned(),
        "GET http://localhost:5555/status HTTP/1.1\r\n\r\n".to_owned(),
    ] {
        let (plain, seen) = (raw(direct.1, &request), recorder.raw(&request));
        assert_eq!(without_date(&seen.0), without_date(&plain.0), "{request}");
        assert_eq!(seen.1, plain.1, "{request}");
    }
    let (status, _, recording, _folder) = recorder.close();
    assert!(status.success());
    assert_eq!(recording.wire[1].cmd, "navigateTo");
    assert_eq!(recording.wire[1].s.as_deref(), Some("x1"), "no such session was ever made");
    assert_eq!(recording.wire[2].other["raw"], "not json");
    assert_eq!(recording.wire[3].params["path"], "/wd/hub/status");
}

#[test]
fn broken_answers_break_in_the_same_way_and_are_told_apart() {
    let actions = ["reset-before", "reset-after", "closed-early", "odd"];
    let fault =
        |(n, action)| format!("[[fault]]\ncommand = \"status\"\nnth = {}\naction = \"{action}\"\n", n + 1);
    let faults: String = actions.iter().enumerate().map(fault).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("faults.toml");
    std::fs::write(&file, &faults).unwrap();
    let direct = Direct::start(Some(&file));
    // The stand-in's look whether the driver listens is no command, so counts are equal.
    let recorder = Recorder::start(&without_browser(), &faults);
    for n in 0..5 {
        let request = request("GET", "/status", "");
        let (plain, seen) = (raw(direct.1, &request), recorder.raw(&request));
        assert_eq!(seen, plain, "answer {n}");
    }
    let (_, _, recording, _folder) = recorder.close();
    assert_eq!(kinds(&recording), ["reset", "reset", "closed_early", "bad_http", "ok"]);
    let Answer::Transport(early) = &recording.wire[2].res else { panic!("transport") };
    assert!(early["after_bytes"].as_u64().unwrap() > 100, "{early:?}");
}

#[test]
fn the_end_of_the_driver_is_the_end_of_its_stand_in_and_stands_in_the_recording() {
    let fault = "[[fault]]\ncommand = \"status\"\nnth = 2\naction = \"exit\"\ncode = 7\n";
    let recorder = Recorder::start(&without_browser(), fault);
    assert_eq!(recorder.send("GET", "/status", &serde_json::Value::Null).0, 200);
    let (answer, reset) = recorder.raw(&request("GET", "/status", ""));
    assert_eq!(answer, "");
    let (_, said, recording, _folder) = recorder.close();
    assert!(said.contains("driver ended with 7"), "{said}");
    // A process that ends resets its connections or closes them: it is passed on as it came.
    assert_eq!(kinds(&recording), ["ok", if reset { "reset" } else { "closed_early" }]);
    // Its end is told with the exchange if it comes at once, else in a line of its own.
    let ends = recording.wire.iter().filter_map(|line| line.process.as_ref());
    let ends: Vec<(&str, Option<i64>)> = ends
        .chain(recording.processes.iter().map(|line| &line.process))
        .map(|process| (process.event.as_str(), process.code))
        .filter(|(event, _)| *event != "start")
        .collect();
    assert_eq!(ends, [("exit", Some(7))]);
}

#[test]
fn a_client_that_gives_up_is_no_answer() {
    let fault = "[[fault]]\ncommand = \"status\"\naction = \"hang\"\n";
    let recorder = Recorder::start(&without_browser(), fault);
    {
        use std::io::Write;
        let mut io = std::net::TcpStream::connect(("127.0.0.1", recorder.port)).unwrap();
        io.write_all(request("GET", "/status", "").as_bytes()).unwrap();
        io.shutdown(std::net::Shutdown::Write).unwrap();
        // The stand-in hears of the end and gives up as well.
        assert_eq!(std::io::Read::read(&mut io, &mut [0; 1]).unwrap_or(0), 0);
    }
    let (_, _, recording, _folder) = recorder.close();
    assert_eq!(kinds(&recording), ["no_answer"]);
}
