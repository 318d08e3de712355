//! Long texts and pictures as files of their own.
//!
//! Owns: which strings leave their line, the names of their files, the way back. Does not own: where
//! the bytes lie (`read`, `write`).

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Longest string that stays in its line, in bytes.
pub const LONGEST_IN_LINE: usize = 400;

/// Content by file name.
pub type Blobs = BTreeMap<String, Vec<u8>>;

/// The name of a file with this content: the first 16 digits of its SHA-256, and its kind.
pub fn name_of(content: &[u8]) -> String {
    let kind = if content.starts_with(b"\x89PNG") { "png" } else { "txt" };
    let hash: String = Sha256::digest(content).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{hash}.{kind}")
}

/// The value with every long string taken out: `{"blob":"<name>"}` stands for it.
pub fn extract(value: Value, blobs: &mut Blobs) -> Value {
    match value {
        Value::String(text) if text.len() > LONGEST_IN_LINE => {
            let content = picture(&text).unwrap_or_else(|| text.into_bytes());
            let name = name_of(&content);
            blobs.insert(name.clone(), content);
            Value::Object(Map::from_iter([("blob".to_owned(), name.into())]))
        }
        Value::Array(items) => items.into_iter().map(|item| extract(item, blobs)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, extract(value, blobs)))
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

/// The value as it was before [`extract`]. A name without content stays as it is.
pub fn expand(value: &Value, blobs: &Blobs) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| expand(item, blobs)).collect(),
        Value::Object(members) => match referenced(members).and_then(|name| Some((name, blobs.get(name)?))) {
            Some((name, content)) if name.ends_with(".png") => STANDARD.encode(content).into(),
            Some((_, content)) => String::from_utf8_lossy(content).into_owned().into(),
            None => members
                .iter()
                .map(|(name, value)| (name.clone(), expand(value, blobs)))
                .collect::<Map<_, _>>()
                .into(),
        },
        other => other.clone(),
    }
}

/// Calls `of` with the name of every file a value refers to.
pub fn each_reference(value: &Value, of: &mut impl FnMut(&str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| each_reference(item, of)),
        Value::Object(members) => match referenced(members) {
            Some(name) => of(name),
            None => members.values().for_each(|value| each_reference(value, of)),
        },
        _ => {}
    }
}

fn referenced(members: &Map<String, Value>) -> Option<&str> {
    members.get("blob").filter(|_| members.len() == 1)?.as_str()
}

/// The bytes of a PNG if the text is their base64 and nothing else.
fn picture(text: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text).ok().filter(|bytes| bytes.starts_with(b"\x89PNG"))?;
    (STANDARD.encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_strings_and_pictures_leave_and_come_back() {
        let picture = STANDARD.encode([b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 400]].concat());
        let value =
            json!({ "a": ["x".repeat(401), "x".repeat(400)], "b": { "c": picture }, "d": "x".repeat(401) });
        let mut blobs = Blobs::new();
        let line = extract(value.clone(), &mut blobs);
        assert_eq!(line["a"][0], line["d"], "equal texts are one file");
        assert!(line["b"]["c"]["blob"].as_str().unwrap().ends_with(".png"));
        assert_eq!((blobs.len(), line["a"][1].as_str().unwrap().len()), (2, 400));
        assert!(blobs.iter().all(|(name, content)| *name == name_of(content)));
        assert_eq!(expand(&line, &blobs), value);
    }
}
