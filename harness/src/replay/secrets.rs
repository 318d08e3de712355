//! Texts in the place of masked ones.
//!
//! Owns: a stand-in for each `{{secret:<slot>}}` of a recording, the same in all its places, and the way
//! back. Does not own: what is masked when recording (`record`).

use serde_json::Value;

/// How a masked text begins in a recording.
const MASK: &str = "{{secret:";

/// Stand-ins of one replay.
#[derive(Clone, Debug)]
pub(super) struct Secrets {
    seed: u64,
    /// Slots met so far.
    slots: Vec<String>,
}

impl Secrets {
    /// Another seed gives other texts.
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, slots: Vec::new() }
    }

    /// A recorded value with stand-ins for its masks.
    pub(super) fn open(&mut self, value: &Value) -> Value {
        texts(value, &mut |text| self.open_text(text))
    }

    /// A recorded text with stand-ins for its masks.
    pub(super) fn open_text(&mut self, text: &str) -> String {
        let mut opened = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(MASK) {
            let Some((slot, after)) = after.split_once("}}") else { break };
            if !self.slots.iter().any(|known| known == slot) {
                self.slots.push(slot.to_owned());
            }
            opened += before;
            opened += &self.stand_in(slot);
            rest = after;
        }
        opened + rest
    }

    /// A value of this run with masks for its stand-ins.
    pub(super) fn masked(&self, value: &Value) -> Value {
        if self.slots.is_empty() {
            return value.clone();
        }
        texts(value, &mut |text| {
            self.slots.iter().fold(text.to_owned(), |text, slot| {
                text.replace(&self.stand_in(slot), &format!("{MASK}{slot}}}}}"))
            })
        })
    }

    fn stand_in(&self, slot: &str) -> String {
        format!("masked-{slot}-{:08x}", self.seed.wrapping_mul(0x9e37_79b9) & 0xffff_ffff)
    }
}

/// The value with every string replaced.
fn texts(value: &Value, of: &mut impl FnMut(&str) -> String) -> Value {
    match value {
        Value::String(text) => of(text).into(),
        Value::Array(items) => items.iter().map(|item| texts(item, of)).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), texts(value, of))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_slot_is_one_text_in_all_its_places_and_comes_back_as_its_mask() {
        let mut secrets = Secrets::new(1);
        let recorded =
            json!({ "text": "{{secret:password}}", "list": ["a {{secret:password}} {{secret:pin}}", 1] });
        let opened = secrets.open(&recorded);
        assert!(!opened.to_string().contains("{{"), "{opened}");
        assert!(opened["list"][0].as_str().unwrap().contains(opened["text"].as_str().unwrap()));
        assert_eq!(secrets.masked(&opened), recorded);
        assert_ne!(Secrets::new(2).open(&recorded), opened);
    }
}
