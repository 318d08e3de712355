//! In which shapes a secret may stand in a file.
//!
//! Owns: the list of encodings (`replay.md` section 6) and replacing them in a text. Does not own: which values
//! are secret (`secrets`), which files are searched (`close`).

use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};

/// Shorter values are words of any text: they are masked only where they stand as a whole.
pub(super) const SHORTEST: usize = 6;

/// Every shape of a value that can stand in a text, longest first; none for short values.
pub(super) fn shapes(value: &str) -> Vec<String> {
    if value.chars().count() < SHORTEST {
        return Vec::new();
    }
    let utf16_le: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16_be: Vec<u8> = value.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let (sjis, _, unmappable) = encoding_rs::SHIFT_JIS.encode(value);
    let mut all = vec![value.to_owned(), json(value), ascii_json(value), html(value), html_numbers(value)];
    for bytes in [value.as_bytes(), &utf16_le, &utf16_be] {
        all.push(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        all.push(bytes.iter().map(|byte| format!("{byte:02X}")).collect());
        all.extend(base64(bytes));
    }
    all.push(char_array(value));
    let mut encoded = vec![value.as_bytes().to_vec()];
    if !unmappable {
        encoded.push(sjis.into_owned());
    }
    for bytes in encoded {
        // Everything; all but letters and digits; as in addresses; as forms send it.
        for kept in [None, Some(""), Some("-_.~"), Some("-_.!~*'()"), Some("*-._ ")] {
            all.push(percent(&bytes, kept, true));
            all.push(percent(&bytes, kept, false));
        }
    }
    for bytes in [&utf16_le, &utf16_be] {
        let text = String::from_utf8_lossy(bytes).into_owned();
        all.push(json(&text));
        all.push(text);
    }
    // Escaped once more: JSON inside a JSON text.
    let twice: Vec<String> =
        [json(value), ascii_json(value), char_array(value)].iter().map(|text| json(text)).collect();
    all.extend(twice);
    all.push(reversed(value));
    all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    all.dedup();
    all
}

/// As inside a JSON string.
fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// As inside a JSON string of a writer that escapes all but ASCII, the slash too.
fn ascii_json(text: &str) -> String {
    let mut out = String::new();
    for c in json(text).chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

fn html_numbers(text: &str) -> String {
    text.chars().map(|c| format!("&#{};", u32::from(c))).collect()
}

/// Percent-encoded but for letters, digits and these; a kept blank is a plus.
fn percent(bytes: &[u8], kept: Option<&str>, upper: bool) -> String {
    let mut out = String::new();
    for byte in bytes {
        let c = char::from(*byte);
        match kept {
            Some(kept) if c == ' ' && kept.contains(c) => out.push('+'),
            Some(kept) if c.is_ascii_alphanumeric() || kept.contains(c) => out.push(c),
            _ if upper => out.push_str(&format!("%{byte:02X}")),
            _ => out.push_str(&format!("%{byte:02x}")),
        }
    }
    out
}

/// The digits that do not hang on what stands before and behind, for each of three offsets and both alphabets.
fn base64(bytes: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    for offset in 0..3 {
        let padded: Vec<u8> = std::iter::repeat_n(0, offset).chain(bytes.iter().copied()).collect();
        for text in [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)] {
            let from = (offset * 8).div_ceil(6);
            let to = padded.len() * 8 / 6;
            if let Some(stable) = text.get(from..to).filter(|stable| stable.len() >= SHORTEST) {
                all.push(stable.to_owned());
            }
        }
    }
    all
}

/// As the list of characters that send-keys takes, without its brackets.
fn char_array(text: &str) -> String {
    text.chars().map(|c| serde_json::Value::from(c.to_string()).to_string()).collect::<Vec<_>>().join(",")
}

fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}

/// Replaces every shape of a value; how many there were.
pub(super) fn replace(text: &mut String, shapes: &[String], mark: &str) -> u64 {
    let mut count = 0;
    for shape in shapes {
        let found = text.matches(shape.as_str()).count();
        if found > 0 {
            // A list of characters stays a list.
            let quoted = shape.starts_with('"') || shape.starts_with("\\\"");
            let quote = if shape.starts_with('\\') { "\\\"" } else { "\"" };
            let mark = if quoted { format!("{quote}{mark}{quote}") } else { mark.to_owned() };
            *text = text.replace(shape.as_str(), &mark);
            count += u64::try_from(found).unwrap_or(u64::MAX);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_found_whatever_stands_around_it() {
        let value = "pä\"ss/ワード<7>";
        let shapes = shapes(value);
        let utf16: Vec<u8> = format!("x{value}y").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let list: Vec<String> = value.chars().map(String::from).collect();
        let around = |text: &str| serde_json::to_string(&serde_json::json!({ "a": text })).unwrap();
        for (name, text) in [
            ("plain", format!("x{value}y")),
            ("json", around(value)),
            ("json in json", around(&around(value))),
            ("html", "<p>pä&quot;ss/ワード&lt;7&gt;</p>".to_owned()),
            ("url", format!("?a={}&b", percent(value.as_bytes(), Some(""), true))),
            ("base64 0", STANDARD_NO_PAD.encode(value)),
            ("base64 1", STANDARD_NO_PAD.encode(format!("x{value}yyy"))),
            ("base64 2", URL_SAFE_NO_PAD.encode(format!("xx{value}y"))),
            ("utf-16 base64", STANDARD_NO_PAD.encode(&utf16)),
            ("hex", utf16.iter().map(|byte| format!("{byte:02x}")).collect()),
            ("list", serde_json::to_string(&list).unwrap()),
            ("reversed", value.chars().rev().collect()),
        ] {
            let mut masked = text.clone();
            assert!(replace(&mut masked, &shapes, "{{secret:a}}") > 0, "{name}: {text}");
            assert!(!masked.contains("ワード") || name == "none", "{name}: {masked}");
        }
    }

    #[test]
    fn shift_jis_in_an_address_is_found() {
        for text in ["?q=%83%8f%81%5b%83h%82P%82Q%82R&x", "?q=%83%8F%81%5B%83%68%82%50%82%51%82%52"] {
            let mut text = text.to_owned();
            assert_eq!(replace(&mut text, &shapes("ワード１２３"), "*"), 1, "{text}");
        }
    }

    #[test]
    fn short_values_have_no_shapes() {
        assert!(shapes("12345").is_empty());
    }
}
