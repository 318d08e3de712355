//! Texts that were typed into password fields. Owns: that no result shows them again, when a page moves one into
//! another field or a message (case C81). Does not own: fields that are password fields still, which the script of a view masks.

use serde_json::Value;

/// What stands instead.
const MASK: &str = "••••";
/// A shorter secret is masked only where a text is nothing else: it may be part of any word.
const SHORTEST_PART: usize = 4;
/// A text cut at its limit is the secret's beginning; at this length that is no chance any more.
const SHORTEST_BEGINNING: usize = 16;

/// The secrets of a session.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

/// Never shown, not even how many characters there are.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

impl Secrets {
    /// Remembers one until the session ends.
    pub fn keep(&mut self, text: &str) {
        if !text.is_empty() && !self.0.iter().any(|known| known == text) {
            self.0.push(text.to_owned());
        }
    }

    /// Masks all in the texts of a value.
    pub fn mask(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        match value {
            Value::String(text) => {
                if let Some(masked) = self.masked(text) {
                    *text = masked;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.mask(value)),
            Value::Object(object) => object.values_mut().for_each(|value| self.mask(value)),
            _ => {}
        }
    }

    /// The text without secrets; None if it holds none.
    pub fn masked(&self, text: &str) -> Option<String> {
        let mut masked: Option<String> = None;
        for secret in &self.0 {
            let now = masked.as_deref().unwrap_or(text);
            let begins = now.chars().count() >= SHORTEST_BEGINNING && secret.starts_with(now);
            if now == secret || begins {
                return Some(MASK.to_owned());
            }
            if secret.chars().count() >= SHORTEST_PART && now.contains(secret.as_str()) {
                masked = Some(now.replace(secret.as_str(), MASK));
            }
        }
        masked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_typed_password_is_masked_wherever_it_stands_case_c81() {
        let mut secrets = Secrets::default();
        let mut view = json!({ "value": "Tana-8842-x" });
        secrets.mask(&mut view);
        assert_eq!(view["value"], "Tana-8842-x", "nothing is secret yet");
        for secret in ["Tana-8842-x", "12", "a very long pass phrase that is cut"] {
            secrets.keep(secret);
        }
        let mut view = json!({
            "text": "You typed Tana-8842-x!", "elements": [{ "value": "Tana-8842-x" }, { "value": "12" },
            { "value": "112" }, { "value": "a very long pass phr" }], "total": 12,
        });
        secrets.mask(&mut view);
        assert_eq!(
            view,
            json!({
                "text": "You typed ••••!", "elements": [{ "value": "••••" }, { "value": "••••" },
                { "value": "112" }, { "value": "••••" }], "total": 12,
            })
        );
        assert!(!format!("{secrets:?}").contains("Tana"));
    }
}
