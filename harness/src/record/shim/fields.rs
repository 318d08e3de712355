//! Which fields are for passwords.
//!
//! Owns: when the driver may be asked for an element's `type` (never with a possible dialog: a question would
//! answer it), and what it said. Does not own: sending the question (`relay`), what is done with a
//! secret (`scribe`).

use crate::record::events::Field;
use fake_iedriver::wire::{Class, Command, Route, by_name, route};
use serde_json::Value;
use std::collections::HashMap;

/// The W3C name of an element reference.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// What is known of the fields of a session.
#[derive(Debug, Default)]
pub(super) struct Fields {
    kinds: HashMap<String, Field>,
    calm: bool,
}

/// A question of the recorder before a request is passed on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// The element.
    pub(super) element: String,
    /// The path to ask.
    pub(super) path: String,
}

impl Fields {
    /// What must be asked before this request goes on; empty if all is known or nothing may be asked.
    pub(super) fn questions(&self, method: &str, target: &str, body: &str) -> Vec<Question> {
        if !self.calm {
            return Vec::new();
        }
        let Some((command, params)) = routed(method, target) else { return Vec::new() };
        let session = parameter(&params, "s").unwrap_or_default();
        elements(command, &params, body)
            .into_iter()
            .filter(|element| !self.kinds.contains_key(element))
            .filter_map(|element| {
                let path = by_name("getElementProperty")?.fill(|name| match name {
                    "s" => Some(session.to_owned()),
                    "e" => Some(element.clone()),
                    _ => Some("type".to_owned()),
                });
                Some(Question { path: path.ok()?, element })
            })
            .collect()
    }

    /// The answer to a question, if it was one.
    pub(super) fn learn(&mut self, element: &str, status: u16, body: &str) {
        let Ok(answer) = serde_json::from_str::<Value>(body) else { return };
        if status != 200 {
            // An open dialog, most likely.
            self.calm = false;
            return;
        }
        let password = answer["value"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("password"));
        self.kinds.insert(element.to_owned(), if password { Field::Password } else { Field::Plain });
    }

    /// Where the text of this request goes; none if it types nothing.
    pub(super) fn of(&self, method: &str, target: &str, body: &str) -> Option<Field> {
        let (command, params) = routed(method, target)?;
        if command.name == "elementClear" {
            return None;
        }
        let elements = elements(command, &params, body);
        let kinds = elements.iter().map(|element| self.kinds.get(element).copied().unwrap_or(Field::Unknown));
        kinds.max_by_key(|field| match field {
            Field::Plain => 0,
            Field::Unknown => 1,
            Field::Password => 2,
        })
    }

    /// What an answer says about dialogs: a question that passes no dialog and succeeded shows that
    /// there is none, an effect may have opened one.
    pub(super) fn answered(&mut self, method: &str, target: &str, body: &str, ok: bool) {
        let Some((command, _)) = routed(method, target) else { return };
        if command.name == "newSession" {
            self.kinds.clear();
        }
        if !ok || class(command, body) == Class::Effect {
            self.calm = false;
        } else if !command.passes_dialog && !matches!(command.name, "status" | "getSessions") {
            self.calm = true;
        }
    }
}

/// Elements whose fields a request writes to, clears or may write to.
fn elements(command: &Command, params: &[(&'static str, String)], body: &str) -> Vec<String> {
    match command.name {
        "elementSendKeys" | "elementClear" => parameter(params, "e").map(str::to_owned).into_iter().collect(),
        "executeScript" | "executeAsyncScript" if class(command, body) == Class::Effect => {
            let body: Value = serde_json::from_str(body).unwrap_or_default();
            let args = body["args"].as_array().into_iter().flatten();
            let with_text = body["args"].as_array().is_some_and(|args| args.iter().any(Value::is_string));
            args.filter(|_| with_text).filter_map(|arg| arg[ELEMENT].as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// The command's class; a script is what its marker says.
fn class(command: &Command, body: &str) -> Class {
    if !command.name.starts_with("execute") {
        return command.class;
    }
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let pure = body["script"].as_str().is_some_and(is_pure);
    if pure { Class::Question } else { Class::Effect }
}

/// Whether a script's marker says that it changes nothing (`architecture.md` section 4, rule 6).
fn is_pure(script: &str) -> bool {
    let marker = script.trim_start().strip_prefix("/* ie-mode-mcp:").and_then(|rest| rest.split_once(" */"));
    marker.is_some_and(|(marker, _)| marker.ends_with(":pure"))
}

fn routed(method: &str, target: &str) -> Option<(&'static Command, Vec<(&'static str, String)>)> {
    let path = target.split('?').next().unwrap_or_default();
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    match route(method, &path) {
        Route::Command(command, params) => Some((command, params)),
        _ => None,
    }
}

fn parameter<'a>(params: &'a [(&'static str, String)], name: &str) -> Option<&'a str> {
    params.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &str = "/session/1/element/a/value";

    #[test]
    fn a_field_is_asked_once_and_only_when_no_dialog_can_be_open() {
        let mut fields = Fields::default();
        assert_eq!(fields.questions("POST", KEYS, "{}"), [], "nothing is known of dialogs yet");
        assert_eq!(fields.of("POST", KEYS, "{}"), Some(Field::Unknown));
        fields.answered("GET", "/session/1/title", "", true);
        let asked = fields.questions("POST", KEYS, "{}");
        assert_eq!(asked[0].path, "/session/1/element/a/property/type");
        fields.learn("a", 200, r#"{"value":"password"}"#);
        assert_eq!(fields.questions("POST", KEYS, "{}"), []);
        assert_eq!(fields.of("POST", KEYS, "{}"), Some(Field::Password));
        assert_eq!(fields.of("POST", "/session/1/element/a/click", "{}"), None);
        fields.answered("POST", "/session/1/element/a/click", "{}", true);
        assert_eq!(
            fields.questions("POST", "/session/1/element/b/value", "{}"),
            [],
            "it may have opened one"
        );
        fields.answered("GET", "/session/1/window/handles", "", true);
        assert_eq!(fields.questions("POST", "/session/1/element/b/value", "{}"), [], "answered despite one");
    }

    #[test]
    fn scripts_that_write_are_asked_for_their_elements_and_pure_ones_not() {
        let mut fields = Fields::default();
        fields.answered("GET", "/session/1/title", "", true);
        let body = |marker: &str| {
            format!(
                r#"{{"script":"/* ie-mode-mcp:set-value:1:{marker} */ x","args":[{{"{ELEMENT}":"a"}},"text"]}}"#
            )
        };
        let path = "/session/1/execute/sync";
        assert_eq!(fields.questions("POST", path, &body("effect")).len(), 1);
        assert_eq!(fields.questions("POST", path, &body("pure")), []);
        fields.answered("POST", path, &body("effect"), true);
        assert!(!fields.calm);
        fields.answered("POST", path, &body("pure"), true);
        assert!(fields.calm);
    }

    #[test]
    fn an_error_to_the_question_leaves_the_field_unknown() {
        let mut fields = Fields::default();
        fields.answered("GET", "/session/1/title", "", true);
        fields.learn("a", 500, r#"{"value":{"error":"unexpected alert open"}}"#);
        assert_eq!(fields.of("POST", KEYS, "{}"), Some(Field::Unknown));
        assert!(!fields.calm);
    }
}
