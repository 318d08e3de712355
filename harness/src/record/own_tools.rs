//! The recorder's own MCP tools, which an agent sees beside the server's while it is recorded.
//!
//! Owns: their names, their schemas, adding them to the server's list, answering their calls. Does not own: where
//! notes go (`scribe`).

use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Remembers a moment: `recording_mark`. Remembers what it is about: `recording_note`.
const TOOLS: [(&str, &str, &str, &str); 2] = [
    (
        "recording_mark",
        "Mark this moment",
        "Mark this moment of the recording under a name, for example before the step that goes wrong.",
        "name",
    ),
    (
        "recording_note",
        "Note in the recording",
        "Write a note into the recording: what is shown, what was expected, what happened.",
        "text",
    ),
];

/// The tools as far as one MCP session needs them.
#[derive(Debug, Default)]
pub(super) struct OwnTools {
    lists: HashSet<String>,
}

/// A call of one of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OwnCall {
    /// `mark` or `note`.
    pub(super) kind: &'static str,
    /// Its text.
    pub(super) text: String,
    /// The answer to the client.
    pub(super) answer: Value,
}

impl OwnTools {
    /// Looks at a message of the client: a call of these tools is answered here and goes no further.
    pub(super) fn of_client(&mut self, message: &Value) -> Option<OwnCall> {
        match message["method"].as_str()? {
            "tools/list" => {
                self.lists.insert(message["id"].to_string());
                None
            }
            "tools/call" => {
                let name = message["params"]["name"].as_str()?;
                let (name, .., member) = TOOLS.iter().find(|(own, ..)| *own == name)?;
                let text =
                    message["params"]["arguments"][member].as_str().unwrap_or_default().trim().to_owned();
                let (said, failed) = if text.is_empty() {
                    let message = format!("{name} needs {member}, a text.");
                    (json!({ "error": "INVALID_ARGUMENT", "message": message }), true)
                } else {
                    (json!({ "status": "ok" }), false)
                };
                let content = json!([{ "type": "text", "text": said.to_string() }]);
                let result = json!({ "content": content, "isError": failed });
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                Some(OwnCall { kind: name.strip_prefix("recording_").unwrap_or(name), text, answer })
            }
            _ => None,
        }
    }

    /// Looks at a message of the server: its list of tools gets these as well. True if it was changed.
    pub(super) fn of_server(&mut self, message: &mut Value) -> bool {
        if message.get("method").is_some() || !self.lists.remove(&message["id"].to_string()) {
            return false;
        }
        // They stand at the end of the last page.
        if message["result"].get("nextCursor").is_some_and(|cursor| !cursor.is_null()) {
            return false;
        }
        let Some(tools) = message["result"]["tools"].as_array_mut() else { return false };
        for (name, title, description, member) in TOOLS {
            let properties = Map::from_iter([(member.to_owned(), json!({ "type": "string" }))]);
            tools.push(json!({
                "name": name, "title": title, "description": description,
                "inputSchema": { "type": "object", "properties": properties, "required": [member] },
            }));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_list_gets_them_once_at_its_end() {
        let mut own = OwnTools::default();
        assert_eq!(own.of_client(&json!({ "id": 3, "method": "tools/list" })), None);
        let mut other = json!({ "id": 4, "result": { "tools": [] } });
        assert!(!own.of_server(&mut other), "not an answer to the list");
        let mut list = json!({ "id": 3, "result": { "tools": [{ "name": "click" }] } });
        assert!(own.of_server(&mut list));
        let names: Vec<&str> = list["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, ["click", "recording_mark", "recording_note"]);
        assert!(!own.of_server(&mut list));
    }

    #[test]
    fn a_call_is_answered_and_one_without_its_text_refused() {
        let mut own = OwnTools::default();
        let call = |arguments: Value| json!({ "id": 5, "method": "tools/call", "params": { "name": "recording_mark", "arguments": arguments } });
        let marked = own.of_client(&call(json!({ "name": "saved" }))).unwrap();
        assert_eq!((marked.kind, marked.text.as_str(), &marked.answer["id"]), ("mark", "saved", &json!(5)));
        let refused = own.of_client(&call(json!({}))).unwrap();
        assert_eq!(refused.answer["result"]["isError"], true);
        let other = json!({ "id": 6, "method": "tools/call", "params": { "name": "click" } });
        assert_eq!(own.of_client(&other), None);
    }
}
