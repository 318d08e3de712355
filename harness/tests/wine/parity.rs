//! `fake-iedriver.exe` beside the real IEDriverServer.exe 4.0.0: the same requests, the same bytes.
//!
//! Owns: the requests, what is masked, the differences that are meant. Does not own: what a session can do; the real
//! driver gets none here.

use crate::driver::started;
use crate::place::{Place, trial};
use crate::wire::exchange_raw;
use libtest_mimic::Trial;
use std::fmt::Write;

pub(crate) fn trials(place: &'static Place) -> Vec<Trial> {
    vec![
        trial("parity::outside_a_session", place, |place| compare(place, vec![outside_a_session()])),
        trial("parity::refused_capabilities", place, |place| compare(place, vec![refused_capabilities()])),
        trial("parity::odd_http", place, |place| compare(place, vec![odd_http()])),
        trial("parity::ghost_sessions", place, |place| compare(place, ghost_sessions())),
        trial("parity::odd_json", place, |place| compare(place, odd_json())),
    ]
}

/// Ends of requests whose answers differ on purpose, and why.
const MEANT: [(&str, &str); 2] =
    [(r#"{"browserName":"\ud83d"}}}"#, WAITS), (r#""alwaysMatch":{"browserName":"#, WAITS)];
const WAITS: &str = "the driver drops what it could not read and waits for a browser without limit";

type Requests = Vec<(String, Vec<u8>)>;

fn without_body(method: &str, path: &str) -> (String, Vec<u8>) {
    let request = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n");
    (format!("{method} {path}"), request.into_bytes())
}

fn with_body(method: &str, path: &str, body: &str) -> (String, Vec<u8>) {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    (format!("{method} {path} {body}"), (head + body).into_bytes())
}

fn raw(text: &str) -> (String, Vec<u8>) {
    (text.to_owned(), text.as_bytes().to_vec())
}

fn outside_a_session() -> Requests {
    let mut requests = Vec::new();
    for path in [
        "/status",
        "/status/",
        "/status?a=b",
        "//status",
        "/./status",
        "/a/../status",
        "/../status",
        "/%73tatus",
        "/STATUS",
        "/status%20",
        "/status%00x",
        "/sessions",
        "/sessions/",
        "/session",
        "/session/",
        "/session/x",
        "/session/x/",
        "/session/x/url",
        "/session/x/url/",
        "/session/%E9%A1%A7/url",
        "/session/x%2Furl",
        "/session/x/element/a%22b/text",
        "/session/x/element/y/attribute/",
        "/session/x/nothing",
        "/nonexistent",
        "/%E9%A1%A7",
        "/wd/hub/status",
        "/favicon.ico",
        "/session/x/window/handles",
        "/session/x/ie/script/background",
        "/session/x/print",
        "/session/x/se/log",
        "/session/x/shadow/y/element",
        "/session/x/element/y/shadow",
    ] {
        requests.push(without_body("GET", path));
    }
    for (method, path) in [
        ("DELETE", "/session/x"),
        ("DELETE", "/session/"),
        ("DELETE", "/session"),
        ("DELETE", "/session/x/url"),
        ("DELETE", "/session/x/window"),
        ("DELETE", "/status"),
        ("HEAD", "/status"),
        ("HEAD", "/session/x/url"),
        ("OPTIONS", "/status"),
        ("OPTIONS", "/session"),
        ("PATCH", "/session/x/url"),
        ("PUT", "/session"),
    ] {
        requests.push(without_body(method, path));
    }
    for (method, path, body) in [
        ("POST", "/status", "{}"),
        ("PUT", "/session", "{}"),
        ("PATCH", "/session", "{}"),
        ("POST", "/nonexistent", "{}"),
        ("POST", "/session/x/url", r#"{"url":"http://a/"}"#),
        ("POST", "/session/x/url", "x"),
        ("POST", "/session/x/url", "[]"),
        ("POST", "/session/x/execute/sync", "{}"),
        ("POST", "/session/x/print", "{}"),
        ("POST", "/session/x", "{}"),
        ("GET", "/status", "{}"),
        ("DELETE", "/session/x", "{}"),
        ("POST", "/session/x/frame", "{}"),
        ("POST", "/session/x/window/new", "{}"),
        ("POST", "/session/x/alert/text", r#"{"text":"顧客"}"#),
    ] {
        requests.push(with_body(method, path, body));
    }
    requests
}

fn refused_capabilities() -> Requests {
    let mut bodies = vec![
        "{}".to_owned(),
        r#"{"capabilities":null}"#.into(),
        r#"{"capabilities":5}"#.into(),
        r#"{"capabilities":[]}"#.into(),
        r#"{"capabilities":"x"}"#.into(),
        r#"{"desiredCapabilities":{"browserName":"internet explorer"}}"#.into(),
        r#"{"capabilities":{"alwaysMatch":5}}"#.into(),
        r#"{"capabilities":{"alwaysMatch":[]}}"#.into(),
        r#"{"capabilities":{"firstMatch":5}}"#.into(),
        r#"{"capabilities":{"firstMatch":{}}}"#.into(),
        r#"{"capabilities":{"firstMatch":[5]}}"#.into(),
        r#"{"capabilities":{"firstMatch":[{"browserName":"firefox"},{"browserName":"chrome"}]}}"#.into(),
        r#"{"capabilities":{"firstMatch":[{"browserName":5},{"foo":1},"x",{"browserName":"firefox"}]}}"#.into(),
        r#"{"capabilities":{"alwaysMatch":{"browserName":"firefox"},"firstMatch":[{"browserName":"firefox"}]}}"#.into(),
        r#"{"capabilities":{"alwaysMatch":{"browserName":"internet explorer"},"firstMatch":[{"browserName":"x"},{"browserVersion":"11"}]}}"#.into(),
        r#"{"capabilities":{"alwaysMatch":{"browserName":"internet explorer"},"firstMatch":[{"platformName":"x"},{"ms:edgeOptions":{}}]}}"#.into(),
    ];
    for set in [
        r#"{"browserName":"MicrosoftEdge"}"#,
        r#"{"browserName":"Internet Explorer"}"#,
        r#"{"browserName":""}"#,
        r#"{"browserName":5}"#,
        r#"{"browserName":true}"#,
        r#"{"browserName":{}}"#,
        r#"{"browserName":[1]}"#,
        r#"{"browserName":1.5}"#,
        r#"{"browserName":"顧客"}"#,
        r#"{"platformName":"Windows"}"#,
        r#"{"platformName":"any"}"#,
        r#"{"platformName":5}"#,
        r#"{"acceptInsecureCerts":true}"#,
        r#"{"acceptInsecureCerts":"true"}"#,
        r#"{"acceptInsecureCerts":1}"#,
        r#"{"pageLoadStrategy":"fast"}"#,
        r#"{"pageLoadStrategy":5}"#,
        r#"{"pageLoadStrategy":"Normal"}"#,
        r#"{"unhandledPromptBehavior":"keep"}"#,
        r#"{"unhandledPromptBehavior":{}}"#,
        r#"{"unhandledPromptBehavior":5}"#,
        r#"{"timeouts":5}"#,
        r#"{"timeouts":{"page load":5}}"#,
        r#"{"timeouts":{"implicit":"5"}}"#,
        r#"{"timeouts":{"implicit":-1}}"#,
        r#"{"timeouts":{"implicit":1.5}}"#,
        r#"{"timeouts":{"pageLoad":9007199254740992}}"#,
        r#"{"timeouts":{"implicit":true,"foo":1}}"#,
        r#"{"timeouts":[]}"#,
        r#"{"strictFileInteractability":5}"#,
        r#"{"proxy":5}"#,
        r#"{"proxy":{"proxyType":"x"}}"#,
        r#"{"proxy":{"proxyType":5}}"#,
        r#"{"proxy":{"foo":1}}"#,
        r#"{"proxy":{"httpProxy":5}}"#,
        r#"{"proxy":{"proxyType":"manual","socksVersion":256}}"#,
        r#"{"proxy":{"proxyType":"manual","socksVersion":"5"}}"#,
        r#"{"proxy":{"proxyType":"manual","socksUsername":"a"}}"#,
        r#"{"proxy":{"noProxy":5}}"#,
        r#"{"proxy":{"proxyAutoconfigUrl":5}}"#,
        r#"{"se:ieOptions":5}"#,
        r#"{"foo":1}"#,
        r#"{"setWindowRect":true}"#,
        r#"{"webSocketUrl":true}"#,
        r#"{"ms:edgeOptions":{}}"#,
        r#"{"goog:chromeOptions":{}}"#,
        r#"{"a:b":1,"c:d":2}"#,
        r#"{"version":"11"}"#,
        r#"{"platform":"WINDOWS"}"#,
        r#"{"browserName":"firefox","platformName":"mac","a:b":1}"#,
        r#"{"":1}"#,
        r#"{"顧客":1}"#,
        r#"{"quote\"d":1}"#,
    ] {
        bodies.push(format!(r#"{{"capabilities":{{"alwaysMatch":{set}}}}}"#));
        bodies.push(format!(r#"{{"capabilities":{{"firstMatch":[{set}]}}}}"#));
    }
    let mut requests: Requests = bodies.iter().map(|body| with_body("POST", "/session", body)).collect();
    requests.push(without_body("GET", "/sessions"));
    requests.push(without_body("GET", "/status"));
    requests
}

fn odd_http() -> Requests {
    let long = "x".repeat(17_000);
    vec![
        raw("GET /status HTTP/1.0\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n"),
        raw("get /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("FOO /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("TRACE /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("CONNECT /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /sta tus HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /sta\"tus HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /sta\\tus HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET http://localhost:5555/status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /status HTTP/2.0\r\nHost: a\r\n\r\n"),
        raw("GET /status HTTP/1.2\r\nHost: a\r\n\r\n"),
        raw("GET /status FTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /status\r\n\r\n"),
        raw("rubbish\r\n\r\n"),
        raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"),
        raw("GET /status HTTP/1.1\nHost: a\n\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\r\nFolded: a\r\n b\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"),
        raw("POST /session/x/url HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"),
        raw(
            "POST /session/x/url HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
        ),
        raw("POST /session/x/url HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}"),
        raw(
            "POST /session/x/url HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
        ),
        raw("POST /session/x/url HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}"),
        raw("POST /session HTTP/1.1\nContent-Length: 18\nHost: a\n\n{\"capabilities\":5}"),
        raw(
            "POST /session HTTP/1.1\r\nContent-Length: 18\r\nFolded: a\r\n b\r\nConnection: close\r\n\r\n{\"capabilities\":5}",
        ),
        raw("GET /status HTTP/1.1\r\nFolded: a\r\n b\r\nConnection: close\r\n\r\n"),
        raw("\r\n\r\nGET /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\tb\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\u{1}b\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: 顧客\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nno colon\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nnocolon\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\n: no name\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost : a\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost:\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHo\"st(): a\r\n\r\n"),
        raw("GET  /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /status  HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /status HTTP/1.1 x\r\nHost: a\r\n\r\n"),
        raw("GET /status HTTP/1\r\nHost: a\r\n\r\n"),
        raw("GET /status HTTP/\r\nHost: a\r\n\r\n"),
        raw("GET /顧客 HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, close\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\r\nConnection: CLOSE\r\n\r\n"),
        raw("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n"),
        raw("GET /status HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        raw("POST /session/x/url HTTP/1.1\r\nHost: a\r\nContent-Length: 2x\r\n\r\n{}"),
        raw("POST /session/x/url HTTP/1.1\r\nHost: a\r\nContent-Length:   2  \r\n\r\n{}"),
        raw("GET /status HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
        raw("PROPFIND /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("MKCOL /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("REPORT /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("LOCK /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw("SEARCH /status HTTP/1.1\r\nHost: a\r\n\r\n"),
        raw(&format!("GET /{long} HTTP/1.1\r\nHost: a\r\n\r\n")),
        raw(&format!("GET /status HTTP/1.1\r\nHost: a\r\nLong: {long}\r\n\r\n")),
        raw(&format!("GET /status HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(70))),
    ]
}

/// Requests that leave a session with an empty name behind; each on drivers of their own.
fn ghost_sessions() -> Vec<Requests> {
    ["", "[]", "null", "\"x\"", "not json", "\u{feff}{}"]
        .iter()
        .map(|body| with_body("POST", "/session", body))
        .chain([
            // Without a length, or with one that is not seen, the body is empty.
            raw("POST /session HTTP/1.1\r\nHost: a\r\n\r\n"),
            raw(
                "POST /session HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            ),
            raw("POST /session HTTP/1.1\nHost: a\nContent-Length: 18\n\n{\"capabilities\":5}"),
        ])
        .map(|first| {
            vec![
                first,
                without_body("GET", "/status"),
                without_body("GET", "/sessions"),
                with_body("POST", "/session", "{}"),
                without_body("GET", "/session/"),
                without_body("DELETE", "/session/"),
                without_body("GET", "/status"),
                with_body("POST", "/session", "{}"),
            ]
        })
        .collect()
}

/// Broken JSON of which the driver uses what it could read; on drivers of their own, for some may leave a ghost.
fn odd_json() -> Vec<Requests> {
    [
        r#"{not json"#,
        r#"{"capabilities":{"alwaysMatch":{"browserName":"a"}}"#,
        r#"{"capabilities":{"alwaysMatch":{"browserName":"a"}}} junk"#,
        r#"{"capabilities":{"alwaysMatch":{"browserName":"a"}},}"#,
        r#"{"capabilities":{"alwaysMatch":{"browserName":"a"}}}}"#,
        r#"{capabilities:1}"#,
        r#"{"a":NaN,"capabilities":5}"#,
        r#"/* c */ {"capabilities":5}"#,
        r#"{"capabilities":5,"capabilities":{"alwaysMatch":{"browserName":"a"}}}"#,
        r#"{"capabilities":{"alwaysMatch":{"browserName":"\ud83d"}}}"#,
        r#"{"capabilities":{"alwaysMatch":{"browserName":"a\u0000b"}}}"#,
        r#"{"capabilities":{"alwaysMatch":{"timeouts":{"implicit":99999999999999999999}}}}"#,
        r#"{"capabilities":{"alwaysMatch":{"browserName":"#,
        r#"{'capabilities':{}}"#,
    ]
    .iter()
    .map(|body| vec![with_body("POST", "/session", body), without_body("GET", "/status")])
    .collect()
}

async fn compare(place: &'static Place, groups: Vec<Requests>) {
    let mut report = String::new();
    for requests in groups {
        let (real_folder, fake_folder) = (place.folder(), place.folder());
        let (_real, real, _) = started(place, &place.real_driver(&real_folder), &[]).await;
        // The bridge is not used before a session exists.
        let switches = ["--emulate=4.0.0", "--bridge=http://127.0.0.1:9"];
        let (_fake, fake, _) =
            started(place, &place.ours("fake-iedriver.exe", &fake_folder), &switches).await;
        for (name, request) in &requests {
            let theirs = masked(&exchange_raw(real, request).await);
            let ours = masked(&exchange_raw(fake, request).await);
            let meant = MEANT.iter().any(|(mark, _)| name.ends_with(mark));
            if theirs != ours && !meant {
                let name: String = name.chars().take(200).collect();
                let _ = write!(report, "\n==== {name}\n---- real\n{theirs}\n---- fake\n{ours}\n");
            }
        }
    }
    assert!(report.is_empty(), "answers differ:{report}");
}

/// What depends on the clock or the machine is masked.
fn masked(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    let mut inside_os = false;
    text.split_inclusive('\n')
        .map(|line| {
            inside_os |= line.contains("\"os\" :");
            if line.starts_with("Date: ") {
                "Date: *\r\n"
            } else if inside_os && line.contains("\"version\" :") {
                "*\n"
            } else {
                line
            }
        })
        .collect()
}
