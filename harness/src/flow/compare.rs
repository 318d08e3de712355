//! When two results of a tool are equal (`replay.md` section 9).
//!
//! Owns: the rule (recorded members must be there and equal, further ones are allowed, `elements` are a
//! set, and so are the names of `accepted` arguments) and the text of a difference. What is volatile is said by the server
//! (`ie_mode_mcp::tools::VOLATILE`), pictures are compared by their type. Does not own: how results came about.

use ie_mode_mcp::tools::VOLATILE;
use serde::Serialize;
use serde_json::{Map, Value};
use similar::TextDiff;
use std::fmt;

/// Stands where a volatile member stood.
const MASK: &str = "(volatile)";

/// Texts longer than this are shown as a difference by lines and words, not whole.
const LONG: usize = 100;

/// One place where a result is not as recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The member, for example `elements[input#customerName].value`.
    pub path: String,
    /// What was recorded; none if there was nothing.
    pub recorded: Option<Value>,
    /// What came; none if nothing did.
    pub got: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
        if let (Some(Value::String(recorded)), Some(Value::String(got))) = (&self.recorded, &self.got)
            && recorded.len().max(got.len()) > LONG
        {
            write!(f, "{} differs (- recorded, + got)", self.path)?;
            let cut = |text: &str| text.replace(' ', "\n");
            let (recorded, got) = (cut(recorded), cut(got));
            let diff = TextDiff::from_lines(&recorded, &got);
            return write!(f, "\n{}", diff.unified_diff().context_radius(2));
        }
        write!(f, "{}: recorded {}, got {}", self.path, text(&self.recorded), text(&self.got))
    }
}

/// Differences between two results as MCP carries them; none means equal.
pub fn differences(tool: &str, recorded: &Value, got: &Value, exact: bool) -> Vec<Difference> {
    let (recorded, got) = (masked(tool, recorded), masked(tool, got));
    let mut found = Found { all: Vec::new(), exact };
    found.value("", &recorded, &got);
    // A further member is allowed, but not one that says something else than the text.
    if !exact && recorded.get("structuredContent").is_none() && got.get("structuredContent").is_some() {
        found.push("structuredContent", None, got.get("structuredContent"));
    }
    found.all
}

/// A result as it is compared and shown: text blocks that hold JSON become members, pictures their type,
/// volatile members a mask. `structuredContent` is left out where it only repeats the text.
pub fn masked(tool: &str, result: &Value) -> Value {
    let mut members = Map::new();
    if result["isError"] == Value::Bool(true) {
        members.insert("isError".into(), true.into());
    }
    for block in result["content"].as_array().map(Vec::as_slice).unwrap_or_default() {
        match block["type"].as_str() {
            Some("text") => match block["text"].as_str().map(serde_json::from_str::<Value>) {
                Some(Ok(Value::Object(object))) => members.extend(object),
                _ => {
                    members.insert("text".into(), block["text"].clone());
                }
            },
            Some("image") => {
                members.insert("picture".into(), block["mimeType"].clone());
            }
            kind => {
                members.insert(kind.unwrap_or("content").into(), block.clone());
            }
        }
    }
    for (name, member) in VOLATILE {
        if *name == tool && members.contains_key(*member) {
            members.insert((*member).to_owned(), MASK.into());
        }
    }
    if let Some(structured) = result.get("structuredContent").filter(|structured| !structured.is_null()) {
        let as_text = serde_json::json!({
            "content": [{ "type": "text", "text": structured.to_string() }], "isError": result["isError"]
        });
        if masked(tool, &as_text) != Value::Object(members.clone()) {
            members.insert("structuredContent".into(), structured.clone());
        }
    }
    Value::Object(members)
}

struct Found {
    all: Vec<Difference>,
    exact: bool,
}

impl Found {
    fn push(&mut self, path: &str, recorded: Option<&Value>, got: Option<&Value>) {
        let path = if path.is_empty() { "result" } else { path }.to_owned();
        self.all.push(Difference { path, recorded: recorded.cloned(), got: got.cloned() });
    }

    fn value(&mut self, path: &str, recorded: &Value, got: &Value) {
        match (recorded, got) {
            (Value::Object(recorded), Value::Object(got)) => self.object(path, recorded, got),
            (Value::Array(recorded), Value::Array(got)) if last_of(path) == "elements" => {
                self.elements(path, recorded, got);
            }
            (Value::Array(old), Value::Array(new)) if last_of(path) == "accepted" && !self.exact => {
                // Names of arguments: the server learns more.
                let gone = old.iter().find(|name| !new.contains(name));
                if gone.is_some() {
                    self.push(path, Some(recorded), Some(got));
                }
            }
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                for (n, (old, new)) in old.iter().zip(new).enumerate() {
                    self.value(&format!("{path}[{n}]"), old, new);
                }
            }
            _ if recorded == got => {}
            _ => self.push(path, Some(recorded), Some(got)),
        }
    }

    fn object(&mut self, path: &str, recorded: &Map<String, Value>, got: &Map<String, Value>) {
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for (name, old) in recorded {
            match got.get(name) {
                Some(new) => self.value(&below(name), old, new),
                None => self.push(&below(name), Some(old), None),
            }
        }
        if self.exact {
            for (name, new) in got.iter().filter(|(name, _)| !recorded.contains_key(*name)) {
                self.push(&below(name), None, Some(new));
            }
        }
    }

    /// A set by tag, id and name; among equals the one that differs least.
    fn elements(&mut self, path: &str, recorded: &[Value], got: &[Value]) {
        let mut free: Vec<&Value> = got.iter().collect();
        for old in recorded {
            let candidates = free.iter().enumerate().filter(|(_, new)| identity(new) == identity(old));
            let path = format!("{path}[{}]", shown(old));
            let best = candidates
                .map(|(n, new)| {
                    let mut found = Self { all: Vec::new(), exact: self.exact };
                    found.value(&path, old, new);
                    (found.all.len(), n, found.all)
                })
                .min_by_key(|(count, n, _)| (*count, *n));
            match best {
                Some((_, n, differences)) => {
                    free.remove(n);
                    self.all.extend(differences);
                }
                None => self.push(&path, Some(old), None),
            }
        }
        if self.exact {
            for new in free {
                self.push(&format!("{path}[{}]", shown(new)), None, Some(new));
            }
        }
    }
}

/// The name of the member at the end of a path.
fn last_of(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn identity(element: &Value) -> [&Value; 3] {
    [&element["tag"], &element["id"], &element["name"]]
}

/// An element as a selector would write it.
fn shown(element: &Value) -> String {
    let mut text = element["tag"].as_str().unwrap_or("?").to_owned();
    if let Some(id) = element["id"].as_str() {
        text += &format!("#{id}");
    }
    match (element["name"].as_str(), element["id"].as_str(), element["text"].as_str()) {
        (Some(name), None, _) => text += &format!("[name={name}]"),
        (None, None, Some(label)) => text += &format!(" {label:?}"),
        _ => {}
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(json: Value) -> Value {
        json!({ "content": [{ "type": "text", "text": json.to_string() }], "isError": false })
    }

    fn paths(tool: &str, recorded: Value, got: Value, exact: bool) -> Vec<String> {
        differences(tool, &result(recorded), &result(got), exact).into_iter().map(|one| one.path).collect()
    }

    #[test]
    fn recorded_members_must_be_there_and_equal_and_further_ones_are_allowed() {
        let recorded = json!({ "url": "a", "title": "b" });
        assert!(
            paths("click", recorded.clone(), json!({ "title": "b", "url": "a", "windows": 2 }), false)
                .is_empty()
        );
        assert_eq!(paths("click", recorded.clone(), json!({ "title": "c" }), false), ["url", "title"]);
        assert_eq!(
            paths("click", recorded, json!({ "url": "a", "title": "b", "windows": 2 }), true),
            ["windows"]
        );
    }

    #[test]
    fn elements_are_a_set_by_tag_id_and_name() {
        let recorded = json!({ "elements": [
            { "tag": "a", "text": "one" }, { "tag": "a", "text": "two" }, { "tag": "input", "id": "x", "value": "1" } ] });
        let moved = json!({ "elements": [
            { "tag": "input", "id": "x", "value": "1", "ref": "e1" }, { "tag": "area", "id": "n" },
            { "tag": "a", "text": "two" }, { "tag": "a", "text": "one" } ] });
        assert!(paths("inspect_page", recorded.clone(), moved.clone(), false).is_empty());
        assert_eq!(
            paths("inspect_page", recorded.clone(), moved, true),
            ["elements[input#x].ref", "elements[area#n]"]
        );
        let changed = json!({ "elements": [ { "tag": "a", "text": "one" }, { "tag": "input", "id": "x", "value": "2" } ] });
        assert_eq!(
            paths("inspect_page", recorded, changed, false),
            ["elements[a \"two\"]", "elements[input#x].value"]
        );
    }

    #[test]
    fn accepted_arguments_may_grow_and_not_shrink() {
        let accepted = |names: &[&str]| json!({ "error": "INVALID_ARGUMENT", "accepted": names });
        assert!(paths("click", accepted(&["a"]), accepted(&["b", "a"]), false).is_empty());
        assert_eq!(paths("click", accepted(&["a"]), accepted(&["b"]), false), ["accepted"]);
        assert_eq!(paths("click", accepted(&["a"]), accepted(&["b", "a"]), true), ["accepted"]);
    }

    #[test]
    fn only_declared_members_and_pictures_are_masked() {
        assert_eq!(VOLATILE, [("wait_for", "waitedMs")]);
        let waited = |ms: u32| json!({ "type": "visible", "waitedMs": ms });
        assert!(paths("wait_for", waited(1), waited(2), true).is_empty());
        assert_eq!(paths("click", waited(1), waited(2), true), ["waitedMs"]);
        assert_eq!(paths("wait_for", waited(1), json!({ "type": "visible" }), false), ["waitedMs"]);
        let picture = |data: &str, kind: &str| json!({ "content": [{ "type": "image", "data": data, "mimeType": kind }] });
        assert!(
            differences("screenshot", &picture("a", "image/png"), &picture("b", "image/png"), true)
                .is_empty()
        );
        assert_eq!(
            differences("screenshot", &picture("a", "image/png"), &picture("a", "image/gif"), false).len(),
            1
        );
        assert_eq!(differences("screenshot", &picture("a", "image/png"), &result(json!({})), false).len(), 1);
    }

    #[test]
    fn structured_content_must_equal_the_text_and_an_error_is_no_success() {
        let whole = |text: Value, structured: Value| json!({ "content": [{ "type": "text", "text": text.to_string() }], "structuredContent": structured, "isError": false });
        let (same, other) = (json!({ "status": "ok" }), json!({ "status": "no" }));
        assert!(
            differences("type", &whole(same.clone(), same.clone()), &result(same.clone()), false).is_empty()
        );
        assert_eq!(
            differences("type", &whole(same.clone(), same.clone()), &whole(same.clone(), other), false).len(),
            1
        );
        let error = json!({ "content": [{ "type": "text", "text": same.to_string() }], "isError": true });
        assert_eq!(differences("type", &error, &result(same), false)[0].path, "isError");
    }

    #[test]
    fn a_difference_names_its_member_and_long_texts_are_shown_by_what_changed() {
        let short =
            &differences("click", &result(json!({ "title": "a" })), &result(json!({ "title": "b" })), false)
                [0];
        assert_eq!(short.to_string(), r#"title: recorded "a", got "b""#);
        let long = |word: &str| {
            result(json!({ "text": format!("{} {word} {}", "left ".repeat(30), "right ".repeat(30)) }))
        };
        let text = differences("inspect_page", &long("old"), &long("new"), false)[0].to_string();
        assert!(text.contains("-old") && text.contains("+new") && text.len() < 300, "{text}");
    }
}
