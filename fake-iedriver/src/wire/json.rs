//! JSON text as the driver writes it.
//!
//! Owns: indentation, key order, escapes and numbers of jsoncpp's default writer
//! (`reference/iedriver-wire.md` section 2.2, captures). Does not own: which members a body has.

use serde_json::{Number, Value};
use std::fmt::Write;

/// Writes a value with one TAB per level, ` : ` around colons and keys sorted by bytes.
pub(super) fn write(value: &Value) -> String {
    let mut out = String::new();
    put(&mut out, value, 0);
    out
}

fn put(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => put_number(out, number),
        Value::String(text) => put_text(out, text),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                new_line(out, depth + 1, n > 0);
                put(out, item, depth + 1);
            }
            new_line(out, depth, false);
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
            out.push('{');
            for (n, (key, member)) in sorted.into_iter().enumerate() {
                new_line(out, depth + 1, n > 0);
                put_text(out, key);
                out.push_str(" : ");
                if starts_on_own_line(member) {
                    new_line(out, depth + 1, false);
                }
                put(out, member, depth + 1);
            }
            new_line(out, depth, false);
            out.push('}');
        }
    }
}

fn starts_on_own_line(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => false,
    }
}

fn new_line(out: &mut String, depth: usize, after_comma: bool) {
    if after_comma {
        out.push(',');
    }
    out.push('\n');
    out.extend(std::iter::repeat_n('\t', depth));
}

fn put_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='\u{7f}' => out.push(c),
            _ => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

fn put_number(out: &mut String, number: &Number) {
    match number.as_f64() {
        Some(double) if number.is_f64() => out.push_str(&seventeen_digits(double)),
        _ => {
            let _ = write!(out, "{number}");
        }
    }
}

/// C's `%.17g`, with `.0` where it would look like an integer.
fn seventeen_digits(double: f64) -> String {
    let scientific = format!("{double:.16e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..17).contains(&exponent) {
        let fixed = format!("{double:.*}", (16 - exponent) as usize);
        let short = trim_zeros(&fixed);
        return if short.contains('.') { short.to_owned() } else { format!("{short}.0") };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim_zeros(mantissa), exponent.abs())
}

fn trim_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bodies_of_the_reference_have_its_bytes() {
        assert_eq!(write(&json!({ "value": null })), "{\n\t\"value\" : null\n}");
        assert_eq!(write(&json!({ "value": [] })), "{\n\t\"value\" : []\n}");
        assert_eq!(
            write(&json!({ "value": { "b": [[1, {}], {"x": "/\u{7f}é😀\u{1}"}], "a": {"t": 1} } })),
            "{\n\t\"value\" : \n\t{\n\t\t\"a\" : \n\t\t{\n\t\t\t\"t\" : 1\n\t\t},\n\t\t\"b\" : \n\t\t[\n\t\t\t[\n\t\t\t\t1,\n\t\t\t\t{}\n\t\t\t],\n\t\t\t{\n\t\t\t\t\"x\" : \"/\u{7f}\\u00e9\\ud83d\\ude00\\u0001\"\n\t\t\t}\n\t\t]\n\t}\n}"
        );
    }

    #[test]
    fn doubles_have_seventeen_digits() {
        for (double, text) in [
            (0.1, "0.10000000000000001"),
            (1.0, "1.0"),
            (1e-7, "9.9999999999999995e-08"),
            (-0.0, "-0.0"),
            (1e20, "1e+20"),
            (123456.5, "123456.5"),
        ] {
            assert_eq!(seventeen_digits(double), text);
        }
    }
}
