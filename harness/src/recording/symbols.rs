//! Ids of the driver as symbols, by data flow (`replay.md` section 2).
//!
//! Owns: which places of the protocol define an id (`s1` session, `w1` window, `e17` element, `f1` frame, `h1`
//! shadow root) and which use one (never defined before: `x1`), the form of both in lines, and the way
//! back to ids of a run. Does not own: files, secrets, what a command does.
//!
//! In lines an element is `{"el":"e17"}`; any other occurrence, whole or inside a text, is `{{w1}}`. What looks
//! like either by itself gets a `~`, so that every value has its way back.

use super::symbol_forms::{Forms, escaped_key, minted, unescaped_key};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Kinds of symbols: their letters.
const SESSION: char = 's';
const WINDOW: char = 'w';
const UNKNOWN: char = 'x';

/// Member names of objects that stand for something in the browser, their short names, their kinds
/// (W3C WebDriver sections 11.3, 11.1, 12 and 11.4).
const REFERENCES: [(&str, &str, char); 4] = [
    ("element-6066-11e4-a52e-4f735466cecf", "el", 'e'),
    ("window-fcc6-11e5-b4f8-330a88ab9d7f", "win", WINDOW),
    ("frame-075b-4da1-b6ba-e579c2d3230a", "frame", 'f'),
    ("shadow-6066-11e4-a52e-4f735466cecf", "shadow", 'h'),
];

/// An id this short may be a word of any text, and is replaced only where the protocol has an id.
const SHORTEST_IN_TEXTS: usize = 12;

/// What a run calls by which id.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    by_id: HashMap<String, String>,
    by_symbol: HashMap<String, String>,
    counts: BTreeMap<char, u64>,
    forms: Forms,
    seed: u64,
    port: Option<u16>,
}

/// A request with symbols for ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Symbol of the session in the path.
    pub s: Option<String>,
    /// Symbol of the element in the path.
    pub el: Option<String>,
    /// The path's other parameters.
    pub params: Map<String, Value>,
    /// The body.
    pub req: Map<String, Value>,
}

impl Symbols {
    /// Nothing defined yet: for a recorder.
    pub fn new() -> Self {
        Self::default()
    }

    /// For a replay: ids are minted from this seed in the forms the manifest tells.
    pub fn minting(seed: u64, forms: &Forms) -> Self {
        Self { seed, forms: forms.clone(), ..Self::default() }
    }

    /// The forms of ids seen so far, for the manifest.
    pub fn forms(&self) -> &Forms {
        &self.forms
    }

    /// Loopback addresses with the driver's port are the same in every run but for the port: it
    /// becomes `{{port}}`.
    pub fn driver_listens_on(&mut self, port: u16) {
        self.port = Some(port);
    }

    /// A request: `params` as the wire's table names them (`s`, `e`, `name`, …).
    pub fn request(&mut self, params: &[(&str, String)], body: &Map<String, Value>) -> Asked {
        let mut asked = Asked { s: None, el: None, params: Map::new(), req: Map::new() };
        for (name, value) in params {
            match *name {
                "s" => asked.s = Some(self.used(value)),
                "e" => asked.el = Some(self.used(value)),
                "other" => drop(asked.params.insert("other".into(), marked(&self.used(value)).into())),
                name => drop(asked.params.insert(name.into(), self.text(value).into())),
            }
        }
        for (name, value) in body {
            let value = match value {
                Value::String(handle) if name == "handle" => marked(&self.used(handle)).into(),
                value => self.walk(value, false),
            };
            asked.req.insert(name.clone(), value);
        }
        asked
    }

    /// The value of a successful answer; defines what the protocol defines there.
    pub fn answer(&mut self, command: &str, value: &Value) -> Value {
        match (command, value) {
            ("newSession", _) => {
                if let Some(id) = value.get("sessionId").and_then(Value::as_str) {
                    self.defined(SESSION, id);
                }
            }
            ("getWindowHandle", Value::String(handle)) => drop(self.defined(WINDOW, handle)),
            ("getWindowHandles" | "closeWindow", Value::Array(handles)) => {
                for handle in handles.iter().filter_map(Value::as_str) {
                    self.defined(WINDOW, handle);
                }
            }
            ("newWindow", _) => {
                if let Some(handle) = value.get("handle").and_then(Value::as_str) {
                    self.defined(WINDOW, handle);
                }
            }
            _ => {}
        }
        self.walk(value, true)
    }

    /// A value in which ids only occur: error data, arguments and results of tool calls.
    pub fn value(&mut self, value: &Value) -> Value {
        self.walk(value, false)
    }

    /// A text in which ids occur.
    pub fn text(&self, text: &str) -> String {
        let text = super::symbol_forms::escaped(text);
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(start) = rest.find(is_of_id) {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = rest.find(|c| !is_of_id(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let bare = word.trim_matches(['.', '-', '_']);
            match self.by_id.get(bare).filter(|_| bare.len() >= SHORTEST_IN_TEXTS) {
                Some(symbol) => {
                    let (before, behind) = word.split_once(bare).unwrap_or_default();
                    out.extend([before, &marked(symbol), behind]);
                }
                None => out.push_str(word),
            }
            rest = after;
        }
        out.push_str(rest);
        self.without_port(out)
    }

    fn without_port(&self, text: String) -> String {
        let Some(port) = self.port else { return text };
        let mut text = text;
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            let address = format!("{host}:{port}");
            let mut from = 0;
            while let Some(at) = text[from..].find(&address).map(|at| at + from) {
                from = at + address.len();
                if !text[from..].starts_with(|c: char| c.is_ascii_digit()) {
                    text.replace_range(at..from, &format!("{host}:{{{{port}}}}"));
                }
            }
        }
        text
    }

    /// The way back for a recorded value: ids of this run for symbols, minted where it has none.
    pub fn ids(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.ids_in(text).into(),
            Value::Array(items) => items.iter().map(|item| self.ids(item)).collect(),
            Value::Object(members) => {
                if let Some((name, symbol)) = single(members)
                    && let Some((key, ..)) = REFERENCES.iter().find(|(_, short, _)| *short == name)
                    && let Value::String(symbol) = symbol
                {
                    return Value::Object(Map::from_iter([((*key).to_owned(), self.id_of(symbol).into())]));
                }
                let lone = members.len() == 1;
                members
                    .iter()
                    .map(|(name, value)| {
                        let name = if lone { unescaped_key(name) } else { name };
                        (self.ids_in(name), self.ids(value))
                    })
                    .collect::<Map<_, _>>()
                    .into()
            }
            other => other.clone(),
        }
    }

    /// The way back for a text.
    pub fn ids_in(&mut self, text: &str) -> String {
        super::symbol_forms::replaced(text, |mark| match mark {
            "port" => Some(self.port.unwrap_or(5555).to_string()),
            mark if mark.starts_with("secret:") => None,
            symbol => Some(self.id_of(symbol)),
        })
    }

    /// The id of a symbol in this run; minted if it has none.
    pub fn id_of(&mut self, symbol: &str) -> String {
        if let Some(id) = self.by_symbol.get(symbol) {
            return id.clone();
        }
        let id = minted(self.seed, symbol, &self.forms);
        self.enter(&id, symbol.to_owned());
        id
    }

    /// The symbol of an id, if it has one.
    pub fn symbol_of(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(String::as_str)
    }

    fn enter(&mut self, id: &str, symbol: String) {
        self.by_symbol.insert(symbol.clone(), id.to_owned());
        self.by_id.insert(id.to_owned(), symbol);
    }

    fn next(&mut self, kind: char) -> String {
        loop {
            let count = self.counts.entry(kind).or_default();
            *count += 1;
            let symbol = format!("{kind}{count}");
            // A replay may have minted it already.
            if !self.by_symbol.contains_key(&symbol) {
                return symbol;
            }
        }
    }

    fn defined(&mut self, kind: char, id: &str) -> String {
        if let Some(symbol) = self.by_id.get(id) {
            return symbol.clone();
        }
        if kind != UNKNOWN {
            self.forms.learn(kind, id);
        }
        let symbol = self.next(kind);
        self.enter(id, symbol.clone());
        symbol
    }

    fn used(&mut self, id: &str) -> String {
        self.defined(UNKNOWN, id)
    }

    /// `defining`: references in this value are definitions.
    fn walk(&mut self, value: &Value, defining: bool) -> Value {
        match value {
            Value::String(text) => self.whole_or_text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.walk(item, defining)).collect(),
            Value::Object(members) => {
                if let Some((name, Value::String(id))) = single(members)
                    && let Some((_, short, kind)) = REFERENCES.iter().find(|(key, ..)| *key == name)
                {
                    let symbol = if defining { self.defined(*kind, id) } else { self.used(id) };
                    return Value::Object(Map::from_iter([((*short).to_owned(), symbol.into())]));
                }
                let lone = members.len() == 1;
                members
                    .iter()
                    .map(|(name, value)| {
                        let name = self.text(name);
                        let name = if lone { escaped_key(&name) } else { name };
                        (name, self.walk(value, defining))
                    })
                    .collect::<Map<_, _>>()
                    .into()
            }
            other => other.clone(),
        }
    }

    fn whole_or_text(&self, text: &str) -> String {
        match self.by_id.get(text).filter(|_| text.len() >= SHORTEST_IN_TEXTS) {
            Some(symbol) => marked(symbol),
            None => self.text(text),
        }
    }
}

fn single(members: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut all = members.iter();
    match (all.next(), all.next()) {
        (Some((name, value)), None) => Some((name, value)),
        _ => None,
    }
}

fn marked(symbol: &str) -> String {
    format!("{{{{{symbol}}}}}")
}

fn is_of_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
    const A: &str = "3e1a4c0a-6f5d-4a53-9f0b-0e7c9c6f2d11";
    const B: &str = "f.0123456789ABCDEF0123456789ABCDEF.d.99AA456789ABCDEF0123456789ABCDEF.e.12";
    const S: &str = "b4b3f4a2-9b11-4a52-8e10-1f7e5a2c7d01";
    const W: &str = "CDwindow-0123456789ABCDEF0123456789ABCDEF";

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn started() -> Symbols {
        let mut symbols = Symbols::new();
        let answer = symbols.answer("newSession", &json!({ "sessionId": S, "capabilities": { "a": S } }));
        assert_eq!(answer, json!({ "sessionId": "{{s1}}", "capabilities": { "a": "{{s1}}" } }));
        symbols
    }

    #[test]
    fn ids_become_symbols_wherever_they_flow() {
        let mut symbols = started();
        assert_eq!(symbols.answer("getWindowHandles", &json!([W])), json!(["{{w1}}"]));
        assert_eq!(symbols.answer("findElement", &json!({ ELEMENT: A })), json!({ "el": "e1" }));
        let script = json!([1, "text", { ELEMENT: B }, { "deep": [{ ELEMENT: A }] }]);
        assert_eq!(
            symbols.answer("executeScript", &script),
            json!([1, "text", { "el": "e2" }, { "deep": [{ "el": "e1" }] }])
        );
        let asked = symbols.request(
            &[("s", S.into()), ("e", B.into()), ("name", "value".into())],
            &map(json!({ "args": [{ ELEMENT: A }], "text": format!("about {A}.") })),
        );
        assert_eq!((asked.s.as_deref(), asked.el.as_deref()), (Some("s1"), Some("e2")));
        assert_eq!(asked.params, map(json!({ "name": "value" })));
        assert_eq!(asked.req, map(json!({ "args": [{ "el": "e1" }], "text": "about {{e1}}." })));
        let asked = symbols.request(&[("s", S.into())], &map(json!({ "handle": W })));
        assert_eq!(asked.req, map(json!({ "handle": "{{w1}}" })));
        let message = format!("session {S} has no element {B}, see /session/{S}/element/{A}");
        assert_eq!(
            symbols.text(&message),
            "session {{s1}} has no element {{e2}}, see /session/{{s1}}/element/{{e1}}"
        );
        assert_eq!(symbols.value(&json!({ A: A })), json!({ "{{e1}}": "{{e1}}" }));
    }

    #[test]
    fn an_id_used_and_never_defined_is_an_x() {
        let mut symbols = started();
        let asked = symbols.request(&[("s", S.into()), ("e", "nonsense".into())], &Map::new());
        assert_eq!(asked.el.as_deref(), Some("x1"));
        let asked = symbols.request(&[("s", "other".into())], &map(json!({ "handle": "current" })));
        assert_eq!((asked.s.as_deref(), &asked.req["handle"]), (Some("x2"), &json!("{{x3}}")));
        assert_eq!(symbols.text("the current nonsense"), "the current nonsense", "short ids are words");
    }

    #[test]
    fn every_value_has_its_way_back() {
        let mut symbols = started();
        symbols.driver_listens_on(40_321);
        let value = json!({
            "list": [{ ELEMENT: A }, { "el": "e1" }, { "~el": 1 }, { "blob": "a" }, W, { ELEMENT: 5 }, {}, null],
            "text": "{{e1}} {{~e1}} {{secret:a}} {{other}} http://localhost:40321/ localhost:403210",
            A: S,
        });
        let line = symbols.answer("executeScript", &value);
        assert_eq!(line["list"][1], json!({ "~el": "e1" }));
        assert_eq!(
            line["text"],
            "{{~e1}} {{~~e1}} {{~secret:a}} {{other}} http://localhost:{{port}}/ localhost:403210"
        );
        assert_eq!(symbols.ids(&line), value);
    }

    #[test]
    fn a_replay_mints_ids_of_the_recorded_form_from_its_seed() {
        let mut recorder = started();
        let handles = recorder.answer("getWindowHandles", &json!([W]));
        let found = recorder.answer("findElements", &json!([{ ELEMENT: B }, { ELEMENT: A }]));
        let mut one = Symbols::minting(1, recorder.forms());
        let ids = one.ids(&found);
        let id = ids[0][ELEMENT].as_str().unwrap();
        assert_eq!((id.len(), &id[..2], &id[34..37], &id[69..72]), (B.len(), "f.", ".d.", ".e."), "{id}");
        assert_ne!(id, B);
        let handle = one.ids(&handles)[0].as_str().unwrap().to_owned();
        assert!(handle.starts_with("CDwindow-") && handle != W, "{handle}");
        assert_eq!(one.ids(&found), ids, "the same symbol is the same id");
        assert_eq!(Symbols::minting(1, recorder.forms()).ids(&found), ids, "the same seed is the same id");
        assert_ne!(Symbols::minting(2, recorder.forms()).ids(&found), ids);
        let asked = one.request(&[("e", id.into())], &Map::new());
        assert_eq!(asked.el.as_deref(), Some("e1"), "what was minted is known when it comes back");
        let asked = one.request(&[("e", B.into())], &Map::new());
        assert_eq!(asked.el.as_deref(), Some("x1"), "an id of the recorded run is unknown here");
    }
}
