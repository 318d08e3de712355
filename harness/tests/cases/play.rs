//! Plays the steps of a case against the server and answers what held after each.
//!
//! Owns: turning steps into tool calls, the state of the page after each step, the general expectations
//! (`is_error`, `absent`, `<css>.value`, …). Does not own: expectations of one case only; its test says them.

use super::{
    case::{self, Case, Element, Step},
    far_end::{FarEnd, asks_for},
    pages::Pages,
};
use harness::flow::{ToolResult, ToolServer, live::missing_browser};
use ie_mode_mcp::Config;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A page for the cases that script the driver and name elements but bring no page.
const STUB: &str = "<title>Stub</title><button>Send</button><button>Go</button><button onclick=\"alert('保存しますか?\\n(はい/いいえ): 選択')\">登録</button>\
<label>Comment <input id=c></label><label>Zip <input id=z></label><label>Qty <input id=q></label>\
<button id=s style=display:none>Spinner</button><button>Open list</button>";

/// A case that was played to its end.
pub(crate) struct Played {
    case: Case,
    /// What each step answered, from 1.
    pub(crate) results: BTreeMap<usize, ToolResult>,
    observed: BTreeMap<(usize, String), Value>,
    /// The driver, for what it was asked.
    pub(crate) far_end: FarEnd,
    /// The pages, for what they received.
    pub(crate) pages: Pages,
    /// The server, still running.
    pub(crate) server: ToolServer,
    checked: Vec<usize>,
}

/// Plays all steps of a case; none, with a line that says so, where no browser is.
pub(crate) async fn play(id: &str) -> Option<Played> {
    play_with(id, |_, _| {}).await
}

/// Plays all steps after the test has amended the server's configuration or the steps.
pub(crate) async fn play_with(id: &str, amend: impl FnOnce(&mut Config, &mut Vec<Step>)) -> Option<Played> {
    if let Some(reason) = missing_browser() {
        assert!(std::env::var_os("HARNESS_REQUIRE_BROWSER").is_none(), "{reason}");
        println!("case {id} did not run: {reason}");
        return None;
    }
    let mut case = case::read(id);
    let mut config = Config { timeout_ms: 3_000, page_load_ms: 10_000, ..Config::default() };
    amend(&mut config, &mut case.steps);
    let script = case::script(&case);
    let stub = script.is_some() && !case.steps.iter().any(|step| step.tool == "navigate");
    let pages = Pages::of(&case).await;
    let far_end = FarEnd::start(script).await;
    let server = ToolServer::in_process(config, far_end.access()).await.unwrap();
    let mut played = Played {
        case,
        results: BTreeMap::new(),
        observed: BTreeMap::new(),
        far_end,
        pages,
        server,
        checked: Vec::new(),
    };
    for n in 1..=played.case.steps.len() {
        played.far_end.now_at(n);
        let step = played.case.steps[n - 1].clone();
        if step.parallel.is_empty() {
            let result = played.step(&step).await;
            played.results.insert(n, result);
        } else {
            played.beside(n, &step.parallel).await;
        }
        if n == 1 && stub {
            if !played.far_end.session_is_open() {
                continue;
            }
            played.write_stub().await;
        }
        played.look(n).await;
    }
    Some(played)
}

impl Played {
    /// Writes the page of a case that brings none.
    pub(crate) async fn write_stub(&self) {
        let write = "document.open(); document.write(arguments[0]); document.close()";
        self.far_end.observe(write, json!([STUB])).await;
    }

    async fn step(&self, step: &Step) -> ToolResult {
        let (tool, arguments) = self.call_of(step);
        self.server.call(&tool, arguments).await.unwrap()
    }

    async fn beside(&mut self, n: usize, steps: &[Step]) {
        let calls = steps.iter().map(|step| self.step(step));
        let results = futures::future::join_all(calls).await;
        // Kept under numbers that no other step has.
        for (m, result) in results.into_iter().enumerate() {
            self.results.insert(n * 100 + m, result);
        }
    }

    fn call_of(&self, step: &Step) -> (String, Map<String, Value>) {
        let mut arguments = Map::new();
        if let Some(action) = &step.dialog {
            arguments.insert("target".into(), "dialog".into());
            arguments.insert("action".into(), action.as_str().into());
            if let Some(text) = &step.text {
                arguments.insert("text".into(), text.as_str().into());
            }
            return ("switch_window".into(), arguments);
        }
        if let Some(element) = &step.element {
            self.point(element, &mut arguments);
        }
        if let Some(from) = &step.ref_from {
            let found = self.shown(from.view).into_iter().find(|shown| {
                let id = shown["id"].as_str().unwrap_or_default();
                from.css == format!("#{id}")
            });
            let name = found.map(|shown| shown["ref"].clone()).unwrap_or_default();
            assert!(name.is_string(), "{}: step {} shows no ref for {}", self.case.id, from.view, from.css);
            arguments.insert("selector".into(), json!({ "by": "ref", "value": name }));
        }
        for (name, value) in &step.args {
            let value = match value.as_str() {
                Some(text) => text.replace("{base}", &self.pages.base).into(),
                None => value.clone(),
            };
            match (step.tool.as_str(), name.as_str()) {
                (_, "timeout_ms") => arguments.insert("timeoutMs".into(), value),
                ("select", "option") => {
                    arguments.entry("by").or_insert("text".into());
                    arguments.insert("value".into(), value)
                }
                ("inspect_page", "filter") => arguments.insert("query".into(), value),
                ("wait_for", "state") => arguments.insert("type".into(), value),
                ("wait_for", "text_gone") => {
                    arguments.insert("text".into(), value);
                    arguments.insert("type".into(), "textGone".into())
                }
                ("wait_for", "text") => {
                    arguments.entry("type").or_insert("text".into());
                    arguments.insert("text".into(), value)
                }
                ("wait_for", "element") => {
                    let element: Element = serde_json::from_value(value).unwrap();
                    self.point(&element, &mut arguments);
                    None
                }
                _ => arguments.insert(name.clone(), value),
            };
        }
        if step.tool == "wait_for" && arguments.contains_key("text") && !arguments.contains_key("selector") {
            arguments.insert("selector".into(), json!({ "by": "css", "value": "body" }));
        }
        (step.tool.clone(), arguments)
    }

    fn point(&self, element: &Element, arguments: &mut Map<String, Value>) {
        let selector = if let Some(css) = &element.css {
            json!({ "by": "css", "value": css })
        } else if let Some(id) = &element.id {
            json!({ "by": "id", "value": id })
        } else {
            let name = element.name.as_deref().unwrap_or_default();
            let newest = self.results.keys().rev().find(|n| !self.shown(**n).is_empty());
            let shown = newest.and_then(|n| self.shown(*n).into_iter().find(|shown| called(shown) == name));
            if let Some(name) = shown.and_then(|shown| shown["ref"].as_str().map(str::to_owned)) {
                arguments.insert("selector".into(), json!({ "by": "ref", "value": name }));
                return;
            }
            // The name shown to the agent: button text, label or link text.
            let test = format!("normalize-space(.)='{name}'");
            json!({ "by": "xpath", "value": format!("//button[{test}]|//a[{test}]|//label[{test}]//input|//input[@value='{name}']") })
        };
        arguments.insert("selector".into(), selector);
        if !element.frame.is_empty() {
            let path: Vec<Value> = element
                .frame
                .iter()
                .map(|name| match name.strip_prefix('#') {
                    Some(index) => json!({ "by": "index", "value": index }),
                    None => json!({ "by": "name", "value": name }),
                })
                .collect();
            arguments.insert("frame".into(), path.into());
        }
    }

    /// Reads what the expectations of this step ask of the page.
    async fn look(&mut self, n: usize) {
        let keys: Vec<String> = self
            .case
            .expect
            .iter()
            .filter(|expectation| expectation.after == n)
            .filter_map(|expectation| expectation.value.as_object())
            .flat_map(|object| object.keys().cloned())
            .collect();
        for key in keys {
            let Some((css, property)) =
                key.rsplit_once('.').filter(|(_, p)| matches!(*p, "value" | "text" | "checked"))
            else {
                continue;
            };
            if !css.starts_with(['#', '.']) && !css.contains('[') {
                continue;
            }
            let property = if property == "text" { "innerText" } else { property };
            let script = "var e = document.querySelector(arguments[0]); return e ? e[arguments[1]] : null";
            let value = self.far_end.observe(script, json!([css, property])).await;
            self.observed.insert((n, key), value);
        }
    }

    /// Every element that a step's view shows, those of its frames included.
    pub(crate) fn shown(&self, n: usize) -> Vec<Value> {
        fn collect(view: &Value, all: &mut Vec<Value>) {
            all.extend(view["elements"].as_array().cloned().unwrap_or_default());
            for frame in view["frames"].as_array().into_iter().flatten() {
                collect(frame, all);
            }
        }
        let mut all = Vec::new();
        collect(&self.json(n), &mut all);
        all
    }

    /// The names under which a step's view shows its elements.
    pub(crate) fn names(&self, n: usize) -> Vec<String> {
        self.shown(n).iter().map(called).filter(|name| !name.is_empty()).collect()
    }

    /// The JSON a step answered.
    pub(crate) fn json(&self, n: usize) -> Value {
        self.results[&n].json()
    }

    /// Everything a step answered as one text.
    pub(crate) fn text(&self, n: usize) -> String {
        self.results[&n].text().unwrap_or_default().to_owned()
    }

    /// Milliseconds a step took.
    pub(crate) fn took(&self, n: usize) -> u64 {
        self.results[&n].took_ms
    }

    /// Says that the test itself asserts the expectation at this place of the list (from 0).
    pub(crate) fn proved(&mut self, place: usize) {
        assert!(place < self.case.expect.len(), "{} has no expectation {place}", self.case.id);
        self.checked.push(place);
    }

    /// Asserts every expectation made of general members, that none is left, and that every scripted exchange was
    /// asked for; then ends browser and server.
    pub(crate) async fn finish(mut self) {
        let mut left = Vec::new();
        for (place, expectation) in self.case.expect.clone().into_iter().enumerate() {
            if self.checked.contains(&place) {
                continue;
            }
            let Some(members) = expectation.value.as_object().filter(|members| !members.is_empty()) else {
                left.push(format!("{place}: after {}: {}", expectation.after, expectation.must));
                continue;
            };
            for (name, wanted) in members {
                if !self.holds(expectation.after, name, wanted, &expectation.must) {
                    left.push(format!("{place}: after {}: {} ({name})", expectation.after, expectation.must));
                }
            }
        }
        assert!(
            left.is_empty(),
            "{} ({}): expectations nobody asserts:\n{}",
            self.case.id,
            self.case.kind,
            left.join("\n")
        );
        let not_asked = self.far_end.not_asked();
        assert!(
            not_asked.is_empty(),
            "{}: not exercised, these exchanges were not asked for: {not_asked:?}",
            self.case.id
        );
        self.checked.clear();
        self.server.close().await;
        self.far_end.end().await;
    }

    /// Asserts one general member; false if it is not one.
    fn holds(&self, n: usize, name: &str, wanted: &Value, must: &str) -> bool {
        let at = format!("{} after step {n}, {name}: {must}", self.case.id);
        if let Some(value) = self.observed.get(&(n, name.to_owned())) {
            let value =
                value.as_str().map_or_else(|| value.clone(), |text| text.trim_end_matches('\n').into());
            assert_eq!(&value, wanted, "{at}");
            return true;
        }
        let json = self.json(n);
        let texts = || -> Vec<String> {
            match wanted {
                Value::Array(list) => {
                    list.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
                }
                other => vec![other.as_str().unwrap_or_default().to_owned()],
            }
        };
        match name {
            "is_error" => assert_eq!(self.results[&n].is_error(), wanted == true, "{at}: {json}"),
            "dialog_text" => assert_eq!(&json["dialog"]["text"], wanted, "{at}: {json}"),
            "dialog_open" => assert_eq!(json["dialog"].is_object(), wanted == true, "{at}: {json}"),
            "title" | "url" => assert_eq!(&json[name], wanted, "{at}: {json}"),
            "url_ends" => {
                assert!(json["url"].as_str().unwrap_or_default().ends_with(&texts()[0]), "{at}: {json}")
            }
            "body_text" | "heading" | "text" => {
                assert!(self.text(n).contains(&texts()[0]), "{at}: {json}");
            }
            "absent" => {
                for text in texts() {
                    assert!(!self.text(n).contains(&text), "{at}: {json}");
                }
            }
            "mentions" => {
                for text in texts() {
                    assert!(self.text(n).contains(&text), "{at}: {json}");
                }
            }
            "names" | "link_names" | "controls" => {
                let names = self.names(n);
                for text in texts() {
                    assert!(names.contains(&text), "{at}: {text} is not among {names:?}");
                }
            }
            "max_chars" => assert!(self.text(n).chars().count() as u64 <= wanted.as_u64().unwrap(), "{at}"),
            "count" => assert_eq!(
                json["elements"].as_array().map(Vec::len),
                wanted.as_u64().map(|n| n as usize),
                "{at}"
            ),
            "min_ms" => assert!(self.took(n) >= wanted.as_u64().unwrap(), "{at}: {} ms", self.took(n)),
            "acceptInsecureCerts" => {
                assert!(!asks_for(&self.far_end.bodies("newSession")[0], name), "{at}");
            }
            "new_session_requests" => {
                assert_eq!(self.far_end.bodies("newSession").len() as u64, *wanted, "{at}")
            }
            "click_requests" => assert_eq!(self.far_end.bodies("elementClick").len() as u64, *wanted, "{at}"),
            "driver_click_requests" => {
                assert_eq!(self.far_end.bodies("elementClick").len() as u64, *wanted, "{at}")
            }
            "driver_value_requests" => {
                assert_eq!(self.far_end.bodies("elementSendKeys").len() as u64, *wanted, "{at}")
            }
            "max_click_requests" => {
                assert!(self.far_end.bodies("elementClick").len() as u64 <= wanted.as_u64().unwrap(), "{at}");
            }
            "window_count" => {
                let windows = json["windows"]
                    .as_array()
                    .map(Vec::len)
                    .or_else(|| Some(json["windowCount"].as_u64()? as usize));
                assert_eq!(windows.map(|n| n as u64), wanted.as_u64(), "{at}: {json}");
            }
            "found" => assert_eq!(!self.results[&n].is_error(), wanted == true, "{at}: {json}"),
            _ => return false,
        }
        true
    }
}

/// The name under which a view shows an element.
fn called(shown: &Value) -> String {
    ["label", "text", "alt", "value", "name", "id"]
        .iter()
        .find_map(|member| shown[*member].as_str().filter(|text| !text.is_empty()))
        .unwrap_or_default()
        .to_owned()
}
