//! The real IEDriverServer.exe 4.0.0: the facts about it that the server and the emulator are built on.
//!
//! Does not own: our programs (`server`).

use crate::place::{Folder, Place, trial};
use crate::program::Program;
use crate::wire::{exchange, free_port};
use libtest_mimic::Trial;
use std::path::Path;

pub(crate) fn trials(place: &'static Place) -> Vec<Trial> {
    vec![
        trial("real_driver::prints_its_version_and_ends", place, prints_its_version_and_ends),
        trial("real_driver::listens_once_its_banner_is_out", place, listens_once_its_banner_is_out),
        trial("real_driver::ends_with_4_on_a_port_in_use", place, ends_with_4_on_a_port_in_use),
        trial("real_driver::names_the_edge_it_cannot_start", place, names_the_edge_it_cannot_start),
        trial(
            "real_driver::leaves_a_ghost_session_behind_a_body_without_object",
            place,
            leaves_a_ghost_session,
        ),
        trial("real_driver::ends_when_terminated", place, ends_when_terminated),
    ]
}

/// A driver that has printed its banner, its port and the banner.
pub(crate) async fn started(place: &Place, exe: &Path, switches: &[&str]) -> (Program, u16, Vec<u8>) {
    let port = free_port();
    let port_switch = format!("/port={port}");
    let mut driver = Program::start(place, exe, &[&[port_switch.as_str()], switches].concat(), &[]);
    let mut banner = Vec::new();
    loop {
        let line = driver.line().await;
        assert!(
            !line.is_empty(),
            "no banner but {}{}",
            String::from_utf8_lossy(&banner),
            driver.complaint().await
        );
        let last = line.starts_with(b"Only local connections");
        banner.extend(line);
        if last {
            return (driver, port, banner);
        }
    }
}

/// The real one, in a folder.
async fn real(place: &Place, folder: &Folder) -> (Program, u16, Vec<u8>) {
    started(place, &place.real_driver(folder), &[]).await
}

async fn prints_its_version_and_ends(place: &'static Place) {
    let folder = place.folder();
    let ended = Program::start(place, &place.real_driver(&folder), &["/version"], &[]).finish().await;
    assert_eq!(String::from_utf8_lossy(&ended.stdout).trim_end(), "IEDriverServer.exe 4.0.0.0 (32-bit)");
    assert_eq!(ended.code, 0);
}

async fn listens_once_its_banner_is_out(place: &'static Place) {
    let folder = place.folder();
    let (_driver, port, banner) = real(place, &folder).await;
    let expected = format!(
        "Started InternetExplorerDriver server (32-bit)\r\n4.0.0.0\r\nListening on port {port}\r\nOnly local connections are allowed\r\n"
    );
    assert_eq!(String::from_utf8_lossy(&banner), expected);

    let status = exchange(port, "GET", "/status", None).await;
    let length = status.body.len();
    assert_eq!(
        status.head,
        format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-cache\r\n\
             Vary: Accept-Charset, Accept-Encoding, Accept-Language, Accept\r\nAccept-Ranges: bytes"
        )
    );
    let value = status.value();
    assert_eq!(value["build"]["version"], "4.0.0.0 (32-bit)");
    assert_eq!((&value["ready"], &value["os"]["arch"]), (&true.into(), &"x64".into()));
}

async fn ends_with_4_on_a_port_in_use(place: &'static Place) {
    let folder = place.folder();
    let (_first, port, _) = real(place, &folder).await;
    let other = place.folder();
    let second = Program::start(place, &place.real_driver(&other), &[&format!("/port={port}")], &[]);
    let ended = second.finish().await;
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(text.starts_with(&format!("Failed to start the server with: port = '{port}'")), "{text}");
    assert_eq!(ended.code, 4);
}

async fn names_the_edge_it_cannot_start(place: &'static Place) {
    let folder = place.folder();
    let (_driver, port, _) = real(place, &folder).await;
    let body = r#"{"capabilities":{"alwaysMatch":{"browserName":"internet explorer","se:ieOptions":{"ie.edgechromium":true,"browserAttachTimeout":1000}}}}"#;
    let answer = exchange(port, "POST", "/session", Some(body)).await;
    assert_eq!(answer.status(), 500);
    let value = answer.value();
    assert_eq!(value["error"], "session not created");
    let message = value["message"].as_str().expect("a message");
    let wanted = "Unexpected error launching Internet Explorer. CreateProcess() failed for edge with the following command: msedge.exe --ie-mode-force";
    assert!(message.starts_with(wanted), "{message}");
    assert_eq!(
        exchange(port, "GET", "/status", None).await.value()["ready"],
        true,
        "a failed start leaves no session"
    );
}

async fn leaves_a_ghost_session(place: &'static Place) {
    let folder = place.folder();
    let (_driver, port, _) = real(place, &folder).await;
    assert_eq!(exchange(port, "POST", "/session", Some("[]")).await.status(), 400);
    let status = exchange(port, "GET", "/status", None).await.value();
    assert_eq!(
        (&status["ready"], &status["message"]),
        (&false.into(), &"Maximum number of sessions already created".into())
    );
    let refused = exchange(port, "POST", "/session", Some("{}")).await;
    assert_eq!(refused.status(), 500);
    assert_eq!(
        refused.value()["message"],
        "Only one session may be created at a time, and a session already exists."
    );
}

async fn ends_when_terminated(place: &'static Place) {
    let folder = place.folder();
    let (driver, ..) = real(place, &folder).await;
    assert!(!folder.running().is_empty(), "a running driver is seen among the processes");
    place.terminate(&driver.exe).await;
    folder.empties().await;
}
