//! How an agent names an element. Owns: strategies, reading and showing a selector, the frame path. Does not own:
//! finding (`target`, `script`).

use crate::driver::session::Failure;
use crate::error::{Code, ToolError};
use crate::mcp::schemars;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::fmt;

/// Strategy of a selector (`contract.md` sections 1.3 and 2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// The id attribute, exactly.
    Id,
    /// The name attribute, exactly.
    Name,
    /// A CSS selector.
    Css,
    /// An XPath expression.
    Xpath,
    /// The visible text of a link, exactly.
    LinkText,
    /// A reference handed out by `inspect_page`.
    Ref,
    /// Position among the frames of a document, from 0; for frames only.
    Index,
}

impl By {
    const ALL: [Self; 7] =
        [Self::Id, Self::Name, Self::Css, Self::Xpath, Self::LinkText, Self::Ref, Self::Index];

    /// The word in arguments and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
            Self::Css => "css",
            Self::Xpath => "xpath",
            Self::LinkText => "linkText",
            Self::Ref => "ref",
            Self::Index => "index",
        }
    }
}

/// What names one element: the first in document order that matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selector {
    /// Strategy.
    pub by: By,
    /// What is looked for; not empty.
    pub value: String,
}

impl Selector {
    /// As it stands in arguments and results.
    pub fn to_json(&self) -> Value {
        json!({ "by": self.by.as_str(), "value": self.value })
    }

    fn read(value: &Value, what: &str) -> Result<Self, String> {
        let Value::Object(object) = value else {
            return Err(format!("{what} must be an object like {{\"by\":\"id\",\"value\":\"…\"}}"));
        };
        if let Some(name) = object.keys().find(|name| !matches!(name.as_str(), "by" | "value")) {
            return Err(format!("{what} has no member \"{name}\", only by and value"));
        }
        let frame = what == "frame";
        let allowed = |by: &By| if frame { *by != By::Ref } else { *by != By::Index };
        let word = object.get("by").and_then(Value::as_str).unwrap_or_default();
        let Some(by) = By::ALL.into_iter().filter(allowed).find(|by| by.as_str() == word) else {
            let words: Vec<_> = By::ALL.into_iter().filter(allowed).map(By::as_str).collect();
            return Err(format!("{what}.by must be one of {}", words.join(", ")));
        };
        let value = match object.get("value") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) if by == By::Index => number.to_string(),
            _ => return Err(format!("{what}.value must be a text")),
        };
        if value.is_empty() {
            return Err(format!("{what}.value must not be empty"));
        }
        if by == By::Index && value.parse::<u16>().is_err() {
            return Err(format!("{what}.value must be a whole number from 0 to 65535 when by is index"));
        }
        Ok(Self { by, value })
    }

    /// `INVALID_ARGUMENT`: the browser cannot read it.
    pub fn unreadable(&self, reason: &str) -> ToolError {
        let reason = crate::error::short(reason);
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        ToolError::invalid(format!("The {} selector cannot be read{reason}", self.by.as_str()))
            .detail("selector", self.to_json())
    }

    /// `ELEMENT_NOT_FOUND`.
    pub fn not_found(&self) -> ToolError {
        ToolError::new(Code::ElementNotFound, format!("Element was not found: {self}"))
            .detail("selector", self.to_json())
    }

    /// `ELEMENT_NOT_FOUND` with reason `stale`.
    pub fn stale(&self) -> ToolError {
        ToolError::new(Code::ElementNotFound, format!("The element is no longer in the page: {self}"))
            .detail("selector", self.to_json())
            .reason("stale")
            .hint("Look again with inspect_page.")
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.by.as_str(), self.value)
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Value::deserialize(deserializer)?, "selector").map_err(D::Error::custom)
    }
}

impl schemars::JsonSchema for Selector {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Selector".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": {
                "by": { "type": "string", "enum": ["id", "name", "css", "xpath", "linkText", "ref"] },
                "value": { "type": "string", "minLength": 1 },
            },
            "required": ["by", "value"],
            "additionalProperties": false,
        })
    }
}

/// The way from the top document to a frame, outermost first; empty for the top document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FramePath(pub Vec<Selector>);

impl FramePath {
    /// Whether it means the top document.
    pub fn is_top(&self) -> bool {
        self.0.is_empty()
    }

    /// As it stands in arguments: null, one selector or a list.
    pub fn to_json(&self) -> Value {
        match self.0.as_slice() {
            [] => Value::Null,
            [one] => one.to_json(),
            many => many.iter().map(Selector::to_json).collect(),
        }
    }

    /// `ELEMENT_NOT_FOUND` for its step `at`.
    pub(super) fn not_found(&self, at: usize) -> ToolError {
        let step = self.0.get(at).map(ToString::to_string).unwrap_or_default();
        ToolError::new(Code::ElementNotFound, format!("Frame was not found: {step}"))
            .detail("frame", self.to_json())
    }
}

impl<'de> Deserialize<'de> for FramePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Self::default()),
            Value::Array(list) => {
                list.iter().map(|one| Selector::read(one, "frame")).collect::<Result<_, _>>().map(Self)
            }
            one => Selector::read(&one, "frame").map(|one| Self(vec![one])),
        }
        .map_err(D::Error::custom)
    }
}

impl schemars::JsonSchema for FramePath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FramePath".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": ["object", "array"],
            "description": "Frame as {by,value} (by may be index too), or a list of these, outermost first.",
        })
    }
}

/// What a failure of the search for `selector` is to the agent.
pub(super) fn search_error(selector: &Selector, failure: Failure) -> ToolError {
    match failure {
        Failure::W3c { ref code, ref message, .. } if code == "invalid selector" => {
            selector.unreadable(message)
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(json: Value) -> Result<Selector, String> {
        serde_json::from_value(json).map_err(|error| error.to_string())
    }

    fn frame(json: Value) -> Result<FramePath, String> {
        serde_json::from_value(json).map_err(|error| error.to_string())
    }

    #[test]
    fn a_wrong_selector_is_told_what_is_wrong() {
        for (json, text) in [
            (json!("id=x"), "selector must be an object like {\"by\":\"id\",\"value\":\"…\"}"),
            (
                json!({ "by": "class", "value": "x" }),
                "selector.by must be one of id, name, css, xpath, linkText, ref",
            ),
            (
                json!({ "by": "index", "value": "0" }),
                "selector.by must be one of id, name, css, xpath, linkText, ref",
            ),
            (json!({ "by": "id", "value": "" }), "selector.value must not be empty"),
            (json!({ "by": "id", "value": 3 }), "selector.value must be a text"),
            (json!({ "by": "id" }), "selector.value must be a text"),
            (json!({ "by": "id", "value": "x", "n": 1 }), "selector has no member \"n\", only by and value"),
        ] {
            assert_eq!(selector(json).unwrap_err(), text);
        }
    }

    #[test]
    fn a_frame_is_one_selector_or_a_path() {
        let one = frame(json!({ "by": "name", "value": "main" })).unwrap();
        assert_eq!(one.to_json(), json!({ "by": "name", "value": "main" }));
        let path = json!([{ "by": "index", "value": "1" }, { "by": "id", "value": "inner" }]);
        assert_eq!(frame(path.clone()).unwrap().to_json(), path);
        assert_eq!(frame(json!({ "by": "index", "value": 1 })).unwrap().0[0].value, "1");
        assert!(frame(json!(null)).unwrap().is_top());
        assert!(frame(json!([])).unwrap().is_top());
    }

    #[test]
    fn a_wrong_frame_is_told_what_is_wrong() {
        assert_eq!(
            frame(json!({ "by": "ref", "value": "e1" })).unwrap_err(),
            "frame.by must be one of id, name, css, xpath, linkText, index"
        );
        assert_eq!(
            frame(json!([{ "by": "index", "value": "-1" }])).unwrap_err(),
            "frame.value must be a whole number from 0 to 65535 when by is index"
        );
    }
}
