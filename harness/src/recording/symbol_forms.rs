//! How symbols and ids are written.
//!
//! Owns: marks in texts and their escape, reserved member names and theirs, the form of an id and minting one of
//! that form. Does not own: which id has which symbol (`symbols`).

use regex::{Captures, Regex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::LazyLock};

/// `{{e17}}`, `{{secret:password}}`, `{{port}}`, with escapes.
static MARK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{\{(~*)([swefhx][0-9]+|port|secret:[A-Za-z0-9_.\-]+)\}\}").ok());

/// The only member of an object that stands for something else.
const RESERVED: [&str; 5] = ["el", "win", "frame", "shadow", "blob"];

/// A text whose own marks are escaped.
pub(super) fn escaped(text: &str) -> String {
    with_marks(text, |tildes, mark| Some(format!("{{{{~{tildes}{mark}}}}}")))
}

/// A recorded text with its marks replaced and its escapes undone; a mark answered by none stays.
pub(super) fn replaced(text: &str, mut of: impl FnMut(&str) -> Option<String>) -> String {
    with_marks(text, |tildes, mark| match tildes.strip_prefix('~') {
        Some(rest) => Some(format!("{{{{{rest}{mark}}}}}")),
        None => of(mark),
    })
}

fn with_marks(text: &str, mut of: impl FnMut(&str, &str) -> Option<String>) -> String {
    match &*MARK {
        Some(pattern) if text.contains("{{") => pattern
            .replace_all(text, |found: &Captures<'_>| {
                of(&found[1], &found[2]).unwrap_or_else(|| found[0].to_owned())
            })
            .into_owned(),
        _ => text.to_owned(),
    }
}

/// The name of an object's only member, told apart from a reserved one.
pub(super) fn escaped_key(name: &str) -> String {
    if RESERVED.contains(&name.trim_start_matches('~')) { format!("~{name}") } else { name.to_owned() }
}

/// The way back.
pub(super) fn unescaped_key(name: &str) -> &str {
    match name.strip_prefix('~') {
        Some(rest) if RESERVED.contains(&rest.trim_start_matches('~')) => rest,
        _ => name,
    }
}

/// The forms of ids by the letter of their kind, as the manifest holds them: `x` and `X` stand for a hexadecimal
/// digit, `#` for a decimal one, `?` for any letter or digit; others stand for themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Forms(BTreeMap<char, String>);

impl Forms {
    /// True if no id was seen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the form of the first id of a kind.
    pub(super) fn learn(&mut self, kind: char, id: &str) {
        self.0.entry(kind).or_insert_with(|| form_of(id));
    }

    fn of(&self, kind: char) -> &str {
        // The real driver's ids are GUIDs (`reference/iedriver-wire.md`).
        self.0.get(&kind).map_or("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", String::as_str)
    }
}

fn form_of(id: &str) -> String {
    let upper = id
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|run| is_hex(run) && run.chars().any(|c| c.is_ascii_uppercase()));
    id.split_inclusive(|c: char| !c.is_ascii_alphanumeric())
        .map(|piece| {
            let run = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let rest = &piece[run.len()..];
            let all_digits = !run.is_empty() && run.chars().all(|c| c.is_ascii_digit());
            let all_letters = run.chars().all(|c| c.is_ascii_alphabetic());
            let form: String = if is_hex(run) {
                if upper { "X" } else { "x" }.repeat(run.len())
            } else if all_digits {
                "#".repeat(run.len())
            } else if all_letters {
                run.to_owned()
            } else {
                "?".repeat(run.len())
            };
            form + rest
        })
        .collect()
}

fn is_hex(run: &str) -> bool {
    run.len() >= 4 && run.chars().all(|c| c.is_ascii_hexdigit())
}

/// An id for a symbol that no other symbol and no other seed has.
pub(super) fn minted(seed: u64, symbol: &str, forms: &Forms) -> String {
    let kind = symbol.chars().next().unwrap_or_default();
    // FNV-1a: the id of a symbol does not hang on what was minted before.
    let start = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xcbf2_9ce4_8422_2325;
    let hash =
        symbol.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut random = fastrand::Rng::with_seed(hash);
    let form = forms.of(kind);
    let digits = form.matches(['x', 'X', '?', '#']).count();
    let id: String = form
        .chars()
        .map(|c| match c {
            'x' => random.digit(16),
            'X' => random.digit(16).to_ascii_uppercase(),
            '#' => random.digit(10),
            '?' => random.alphanumeric(),
            c => c,
        })
        .collect();
    // A form with little room (a counter, a word) cannot keep symbols apart.
    if digits < 12 { format!("{id}-{seed}-{symbol}") } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_keep_what_is_fixed_in_an_id() {
        for (id, form) in [
            ("3e1a4c0a-6f5d-4a53-9f0b-0e7c9c6f2d11", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
            ("0123456789ABCDEF0123456789ABCDEF", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"),
            ("f.0123456789ABCDEF.d.99AA.e.12", "f.XXXXXXXXXXXXXXXX.d.XXXX.e.##"),
            ("CDwindow-01AB", "CDwindow-XXXX"),
            ("1a.z9", "??.??"),
        ] {
            assert_eq!(form_of(id), form);
        }
    }

    #[test]
    fn a_form_without_room_still_tells_symbols_apart() {
        let mut forms = Forms::default();
        forms.learn('e', "12");
        assert_ne!(minted(1, "e1", &forms), minted(1, "e2", &forms));
        assert_ne!(minted(1, "e1", &forms), minted(2, "e1", &forms));
    }
}
