//! What is secret, and masking it.
//!
//! Owns: the known values with their slots, and the redactor that every line passes before it is written: a value
//! becomes `{{secret:<slot>}}`. Does not own: where secrets come from (`scribe`), searching files (`close`).

use super::encodings;
use regex::{Captures, Regex};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Name and password in an address.
static USER_INFO: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?i)\b([a-z][a-z0-9+.\-]*://)([^\s/@"'<>{}?#]+)@"#).ok());
/// Credentials of an HTTP header.
static AUTHORIZATION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(basic|bearer|ntlm|negotiate)(\s+)([a-z0-9+/_\-.]{8,}={0,2})").ok());

/// One secret.
#[derive(Clone)]
struct Secret {
    slot: String,
    value: String,
    shapes: Vec<String>,
}

/// The known secrets of a recording.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<Secret>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.slots()).finish()
    }
}

impl Secrets {
    /// Takes a value; the mark that stands for it. A value that is known keeps its slot; an empty one is no secret
    /// and stays empty.
    pub(super) fn add(&mut self, slot: &str, value: &str) -> String {
        if value.is_empty() {
            return String::new();
        }
        if let Some(known) = self.0.iter().find(|secret| secret.value == value) {
            return mark(&known.slot);
        }
        let slot: String = slot.chars().map(|c| if is_of_slot(c) { c } else { '-' }).collect();
        let taken = |name: &str| self.0.iter().any(|secret| secret.slot == name);
        let slot = if taken(&slot) {
            (2..).map(|n| format!("{slot}{n}")).find(|name| !taken(name)).unwrap_or_default()
        } else {
            slot
        };
        let mark = mark(&slot);
        self.0.push(Secret { slot, value: value.to_owned(), shapes: encodings::shapes(value) });
        // A value that contains another is masked before it.
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.value.len()));
        mark
    }

    /// Names of the slots that stand in a text.
    pub(super) fn slots_in(&self, text: &str) -> Vec<String> {
        self.slots().into_iter().filter(|slot| text.contains(&mark(slot))).collect()
    }

    /// Names of the slots, sorted.
    fn slots(&self) -> Vec<String> {
        let mut slots: Vec<String> = self.0.iter().map(|secret| secret.slot.clone()).collect();
        slots.sort();
        slots
    }

    /// Masks a whole value where the protocol has one: a short secret too.
    pub(super) fn whole(&self, text: &str) -> Option<String> {
        self.0.iter().find(|secret| secret.value == text).map(|secret| mark(&secret.slot))
    }

    /// Masks a text in place: known values in every shape. How many places there were.
    pub(super) fn mask(&self, text: &mut String) -> u64 {
        self.0.iter().map(|secret| encodings::replace(text, &secret.shapes, &mark(&secret.slot))).sum()
    }

    /// The slot whose value stands in these bytes in some shape.
    pub(super) fn found_in(&self, bytes: &[u8]) -> Option<&str> {
        let holds = |shape: &String| {
            let shape = shape.as_bytes();
            bytes.windows(shape.len()).any(|window| window == shape)
        };
        self.0.iter().find(|secret| secret.shapes.iter().any(holds)).map(|secret| secret.slot.as_str())
    }

    /// Masks every string of a value, names of members and lists of characters included. Finds and takes on
    /// credentials that are recognised by their form.
    pub(super) fn redact(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => self.redact_text(text).into(),
            Value::Array(items) => match self.characters(&items) {
                Some(masked) => vec![masked].into(),
                None => items.into_iter().map(|item| self.redact(item)).collect(),
            },
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| (self.redact_text(name), self.redact(value)))
                .collect::<Map<_, _>>()
                .into(),
            other => other,
        }
    }

    /// Masks a text.
    pub(super) fn redact_text(&mut self, text: String) -> String {
        let mut text = self.by_form(text);
        self.mask(&mut text);
        text
    }

    /// A list of single characters that spells a secret.
    fn characters(&self, items: &[Value]) -> Option<String> {
        let single = |item: &Value| item.as_str().is_some_and(|text| text.chars().count() == 1);
        if items.len() < 2 || !items.iter().all(single) {
            return None;
        }
        let mut text: String = items.iter().filter_map(Value::as_str).collect();
        self.whole(&text).or_else(|| (self.mask(&mut text) > 0).then_some(text))
    }

    fn by_form(&mut self, text: String) -> String {
        let mut text = text;
        if let Some(pattern) = &*USER_INFO
            && text.contains('@')
        {
            text = pattern
                .replace_all(&text, |found: &Captures<'_>| {
                    if let Some((_, password)) = found[2].split_once(':') {
                        self.add("userinfo-password", password);
                    }
                    format!("{}{}@", &found[1], self.add("userinfo", &found[2]))
                })
                .into_owned();
        }
        if let Some(pattern) = &*AUTHORIZATION {
            text = pattern
                .replace_all(&text, |found: &Captures<'_>| {
                    // "basic settings" is no credential.
                    let credential = found[3].chars().any(|c| c.is_ascii_digit() || c == '=')
                        || found[3].chars().any(|c| c.is_ascii_uppercase()) && found[3].len() >= 12;
                    if credential {
                        format!("{}{}{}", &found[1], &found[2], self.add("authorization", &found[3]))
                    } else {
                        found[0].to_owned()
                    }
                })
                .into_owned();
        }
        text
    }
}

fn mark(slot: &str) -> String {
    format!("{{{{secret:{slot}}}}}")
}

fn is_of_slot(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_secret_is_masked_in_texts_lists_and_names() {
        let mut secrets = Secrets::default();
        assert_eq!(secrets.add("password", "hunter22"), "{{secret:password}}");
        assert_eq!(secrets.add("other", "hunter22"), "{{secret:password}}", "a value has one slot");
        assert_eq!(secrets.add("password", "different"), "{{secret:password2}}");
        let masked = secrets.redact(json!({
            "text": "it is hunter22.", "value": ["h", "u", "n", "t", "e", "r", "2", "2"],
            "hunter22": [1, { "deep": "aHVudGVyMjI=" }], "list": ["a", "b"],
        }));
        assert_eq!(
            masked,
            json!({
                "text": "it is {{secret:password}}.", "value": ["{{secret:password}}"],
                "{{secret:password}}": [1, { "deep": "{{secret:password}}I=" }], "list": ["a", "b"],
            })
        );
    }

    #[test]
    fn short_secrets_are_masked_as_a_whole_only() {
        let mut secrets = Secrets::default();
        secrets.add("pin", "1234");
        assert_eq!(secrets.redact(json!("12345 and 1234")), json!("12345 and 1234"));
        assert_eq!(secrets.redact(json!(["1", "2", "3", "4"])), json!(["{{secret:pin}}"]));
        assert_eq!(secrets.whole("1234").as_deref(), Some("{{secret:pin}}"));
    }

    #[test]
    fn credentials_are_known_by_their_form() {
        let mut secrets = Secrets::default();
        let masked = secrets.redact(json!([
            "http://someone:longword@demo.test/a",
            "Authorization: Basic c29tZW9uZTp3b3Jk",
            "basic settings",
            "longword",
        ]));
        assert_eq!(
            masked,
            json!([
                "http://{{secret:userinfo}}@demo.test/a",
                "Authorization: Basic {{secret:authorization}}",
                "basic settings",
                "{{secret:userinfo-password}}",
            ])
        );
    }
}
