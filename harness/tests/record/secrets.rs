//! Nothing secret reaches a file: canaries planted in every place, searched in every shape.

use crate::foreign::Recorder;
use harness::{audit::audit, demo_app::DemoApp, flow::live::missing_browser, recording::Recording};
use serde_json::{Value, json};
use std::path::Path;

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Typed into a password field.
const CANARY: &str = "Kanari-\"0815\"-geheim";
/// Typed into a field that cannot be asked.
const UNASKED: &str = "Blind-4711-geheim";
/// Typed into a text field: proof that plain text is recorded.
const PLAIN: &str = "Yamada Hanako";

/// All text files below a folder, one after the other.
pub(crate) fn everything(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text += &everything(&path);
        } else {
            text += &String::from_utf8_lossy(&std::fs::read(&path).unwrap());
        }
    }
    text
}

/// The characters of a text, each for itself.
pub(crate) fn list(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

struct Page<'a> {
    recorder: &'a Recorder,
    session: String,
}

impl Page<'_> {
    fn ok(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, value) = self.recorder.send(method, &format!("/session/{}{path}", self.session), body);
        assert_eq!(status, 200, "{path}: {value}");
        value
    }

    fn find(&self, css: &str) -> String {
        let value = self.ok("POST", "/element", &json!({ "using": "css selector", "value": css }));
        value[ELEMENT].as_str().unwrap().to_owned()
    }

    fn keys(&self, element: &str, text: &str) {
        let body = json!({ "text": text, "value": list(text) });
        self.ok("POST", &format!("/element/{element}/value"), &body);
    }

    fn script(&self, script: &str, args: &Value) -> Value {
        self.ok("POST", "/execute/sync", &json!({ "script": script, "args": args }))
    }
}

/// False, with one line that says why, if no browser is here.
#[allow(clippy::print_stdout, reason = "a test that cannot run says so in one line")]
pub(crate) fn browser(test: &str) -> bool {
    let Some(reason) = missing_browser() else { return true };
    assert!(
        std::env::var("HARNESS_REQUIRE_BROWSER").as_deref() != Ok("1"),
        "a browser is required: {reason}"
    );
    println!("{test} not run: {reason}");
    false
}

fn recorded() -> Option<(Recording, tempfile::TempDir)> {
    if !browser("recorded secrets") {
        return None;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let app = runtime.block_on(DemoApp::start()).unwrap();
    let map = format!("http://demo.test={}", app.url());
    let recorder = Recorder::start(&["--bridge".into(), "chromedriver".into(), "--map".into(), map], "");
    let body = json!({ "capabilities": { "alwaysMatch": { "unhandledPromptBehavior": "ignore" } } });
    let (_, value) = recorder.send("POST", "/session", &body);
    let page = Page { recorder: &recorder, session: value["sessionId"].as_str().unwrap().to_owned() };
    page.ok("POST", "/url", &json!({ "url": "http://demo.test/login" }));
    let (user, password) = (page.find("#user"), page.find("#password"));
    page.keys(&user, PLAIN);
    // The click may have opened a dialog: the field is not asked, and what is typed is secret.
    page.ok("POST", &format!("/element/{user}/click"), &json!({}));
    page.ok("GET", "/title", &Value::Null);
    page.keys(&password, CANARY);
    // Echoes: property, script result, script argument, list of characters, title, address, cookie, error.
    assert_eq!(page.ok("GET", &format!("/element/{password}/property/value"), &Value::Null), CANARY);
    let echo = "var v = document.getElementById('password').value; document.title = 'is ' + v; \
                document.cookie = 'canary=' + encodeURIComponent(v); location.hash = encodeURIComponent(v); \
                return [v, v.split(''), {deep: btoa(unescape(encodeURIComponent('x' + v + 'y')))}];";
    assert_eq!(page.script(echo, &json!([]))[0], CANARY);
    assert_eq!(page.script("return arguments[0]", &json!([CANARY])), CANARY);
    page.ok("GET", "/title", &Value::Null);
    page.ok("GET", "/url", &Value::Null);
    page.ok("GET", "/source", &Value::Null);
    page.ok("GET", "/cookie", &Value::Null);
    let missing = json!({ "using": "css selector", "value": format!("[title='{UNASKED}']") });
    let path = format!("/session/{}/element", page.session);
    assert_eq!(page.recorder.send("POST", &path, &missing).0, 404);
    // Credentials by form.
    page.ok("POST", "/url", &json!({ "url": "http://someone:hasenfuss@demo.test/login" }));
    let user = page.find("#user");
    page.ok("POST", &format!("/element/{user}/click"), &json!({}));
    let other = page.ok("GET", "/element/active", &Value::Null)[ELEMENT].as_str().unwrap().to_owned();
    assert_eq!(other, user);
    page.ok("POST", &format!("/element/{user}/click"), &json!({}));
    page.keys(&user, UNASKED);
    let (_, value) = recorder.send("DELETE", &format!("/session/{}", page.session), &Value::Null);
    assert_eq!(value, Value::Null);
    let (status, _, recording, folder) = recorder.close();
    assert!(status.success());
    Some((recording, folder))
}

#[test]
fn canaries_are_in_no_file_in_any_shape_and_plain_text_is() {
    let Some((recording, folder)) = recorded() else { return };
    let text = everything(&folder.path().join("recordings"));
    assert!(text.contains(PLAIN), "the field for the name was asked and is none for passwords");
    for canary in [CANARY, UNASKED, "hasenfuss", "demo-session"] {
        let escaped = serde_json::to_string(canary).unwrap();
        let characters = serde_json::to_string(&list(canary)).unwrap();
        let percent = percent_encoding::utf8_percent_encode(canary, percent_encoding::NON_ALPHANUMERIC);
        let core = canary.trim_matches('"');
        for shape in [canary, &escaped[1..escaped.len() - 1], &characters[1..characters.len() - 1], core] {
            assert!(!text.contains(shape), "{shape}");
        }
        assert!(!text.contains(&percent.to_string()), "{percent}");
        assert!(!text.contains(&canary.chars().map(|c| format!("{:02x}", u32::from(c))).collect::<String>()));
    }
    assert!(!text.contains("0815\\\"") && !text.contains("-4711"), "a part of one");
    let redaction = recording.manifest.redaction.clone().unwrap();
    for slot in ["password", "typed", "userinfo", "cookie"] {
        assert!(redaction.slots.iter().any(|name| name == slot), "{redaction:?}");
    }
    let keys: Vec<&Value> = recording
        .wire
        .iter()
        .filter(|line| line.cmd == "elementSendKeys")
        .map(|line| &line.req["text"])
        .collect();
    assert_eq!(keys, [PLAIN, "{{secret:password}}", "{{secret:typed}}"]);
    let findings = audit(&folder.path().join("recordings").join("a"), &[]).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    let asked = recording.wire.iter().filter(|line| line.cmd == "getElementProperty").count();
    assert_eq!(asked, 1, "the recorder's own questions are not recorded");
}
