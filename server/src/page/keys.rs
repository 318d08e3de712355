//! Keys by name. Owns: names, their code points (W3C WebDriver section 17.4.2) and combinations. Does not own: sending.

use crate::error::ToolError;

/// Names and code points; a name is compared without regard to case.
const KEYS: &[(&str, char)] = &[
    ("Backspace", '\u{E003}'),
    ("Tab", '\u{E004}'),
    ("Enter", '\u{E007}'),
    ("Shift", '\u{E008}'),
    ("Control", '\u{E009}'),
    ("Alt", '\u{E00A}'),
    ("Pause", '\u{E00B}'),
    ("Escape", '\u{E00C}'),
    ("Space", ' '),
    ("PageUp", '\u{E00E}'),
    ("PageDown", '\u{E00F}'),
    ("End", '\u{E010}'),
    ("Home", '\u{E011}'),
    ("ArrowLeft", '\u{E012}'),
    ("ArrowUp", '\u{E013}'),
    ("ArrowRight", '\u{E014}'),
    ("ArrowDown", '\u{E015}'),
    ("Insert", '\u{E016}'),
    ("Delete", '\u{E017}'),
    ("F1", '\u{E031}'),
    ("F2", '\u{E032}'),
    ("F3", '\u{E033}'),
    ("F4", '\u{E034}'),
    ("F5", '\u{E035}'),
    ("F6", '\u{E036}'),
    ("F7", '\u{E037}'),
    ("F8", '\u{E038}'),
    ("F9", '\u{E039}'),
    ("F10", '\u{E03A}'),
    ("F11", '\u{E03B}'),
    ("F12", '\u{E03C}'),
];

/// The Enter key.
pub const ENTER: &str = "\u{E007}";

/// Whether a text holds a character that is a key, not a letter.
pub fn has_key(text: &str) -> bool {
    text.chars().any(|c| ('\u{E000}'..='\u{E05D}').contains(&c))
}

/// The text to send for keys like `Enter`, `ArrowDown`, `Control+a`.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the unknown key.
pub fn encode(keys: &[String]) -> Result<String, ToolError> {
    let mut text = String::new();
    for combination in keys {
        let parts: Vec<&str> = combination.split('+').collect();
        let (last, modifiers) = match parts.split_last() {
            Some((last, modifiers)) if !last.is_empty() => (*last, modifiers),
            _ => return Err(unknown(combination)),
        };
        let held = modifiers
            .iter()
            .map(|name| {
                code(name)
                    .filter(|c| ('\u{E008}'..='\u{E00A}').contains(c))
                    .ok_or_else(|| unknown(combination))
            })
            .collect::<Result<Vec<char>, _>>()?;
        let mut letters = last.chars();
        let key = match (code(last), letters.next(), letters.next()) {
            (Some(key), ..) => key,
            (None, Some(letter), None) if !held.is_empty() => letter,
            _ => return Err(unknown(combination)),
        };
        text.extend(&held);
        text.push(key);
        // A modifier goes up at its second occurrence.
        text.extend(held.iter().rev());
    }
    Ok(text)
}

fn code(name: &str) -> Option<char> {
    KEYS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, code)| *code)
}

fn unknown(combination: &str) -> ToolError {
    let names: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
    ToolError::invalid(format!(
        "keys has an unknown key \"{combination}\"; there are {}, and combinations like Control+a",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_combinations_become_code_points() {
        let keys = ["Enter", "arrowdown", "Control+a", "Shift+Tab"].map(str::to_owned);
        let text = "\u{E007}\u{E015}\u{E009}a\u{E009}\u{E008}\u{E004}\u{E008}";
        assert_eq!(encode(&keys).unwrap(), text);
        for odd in ["", "a", "Return", "x+Tab", "Enter+", "Control+ab"] {
            assert!(encode(&[odd.to_owned()]).is_err(), "{odd}");
        }
    }
}
