//! Request bodies as the driver parses them.
//!
//! Owns: jsoncpp's reading of a broken text: at the first error it stops and whatever was built so far
//! is used (`reference/iedriver-wire.md` section 2.9). The driver pastes the body into a larger text,
//! so the end of the body is followed by ` }`, which is modelled here. Does not own: what a missing
//! member means.

use serde_json::{Map, Number, Value};

/// Nesting the driver's parser stands, counted inside the body; one more and it throws.
const MAX_DEPTH: usize = 999;

/// What the driver makes of a body.
#[derive(Debug, PartialEq)]
pub(super) enum Body {
    /// A JSON object, perhaps with members lost.
    Object(Map<String, Value>),
    /// Anything else: the command is answered with 400.
    NotAnObject,
    /// Nested so deeply that the real driver's parser throws and nothing is answered.
    TooDeep,
}

/// Reads a body the way the driver does; what follows a NUL byte is not seen.
pub(super) fn parse(body: &[u8]) -> Body {
    let body = body.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = String::from_utf8_lossy(body);
    let mut reader = Reader { rest: format!("{text} }}").into_bytes(), at: 0, too_deep: false };
    let mut value = Value::Null;
    // The result does not matter: a failure leaves what was read before it.
    let _ = reader.value(&mut value, 0);
    match value {
        _ if reader.too_deep => Body::TooDeep,
        Value::Object(members) => Body::Object(members),
        _ => Body::NotAnObject,
    }
}

/// Decodes text as the inside of a JSON string, as happens to values of the path (section 2.10).
/// None if a quote ends it early or an escape is wrong.
pub(super) fn unescape(text: &str) -> Option<String> {
    if !text.contains(['"', '\\']) {
        return Some(text.to_owned());
    }
    let mut reader = Reader { rest: format!("{text}\"").into_bytes(), at: 0, too_deep: false };
    let decoded = reader.string().ok()?;
    (reader.at == reader.rest.len()).then_some(decoded)
}

/// The driver's parser met something it does not take.
struct Stop;

struct Reader {
    rest: Vec<u8>,
    at: usize,
    too_deep: bool,
}

impl Reader {
    fn peek(&self) -> Option<u8> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Result<(), Stop> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Stop> {
        let rest = &self.rest[self.at..];
        let length = match rest.get(1) {
            Some(b'/') => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            Some(b'*') => rest[2..].windows(2).position(|pair| pair == b"*/").ok_or(Stop)? + 4,
            _ => return Err(Stop),
        };
        self.at += length;
        Ok(())
    }

    fn value(&mut self, into: &mut Value, depth: usize) -> Result<(), Stop> {
        if depth > MAX_DEPTH {
            self.too_deep = true;
            return Err(Stop);
        }
        self.space()?;
        match self.next() {
            Some(b'{') => self.object(into, depth),
            Some(b'[') => self.array(into, depth),
            Some(b'"') => {
                *into = Value::String(self.string()?);
                Ok(())
            }
            Some(b't') => self.word(b"rue", Value::Bool(true), into),
            Some(b'f') => self.word(b"alse", Value::Bool(false), into),
            Some(b'n') => self.word(b"ull", Value::Null, into),
            Some(b'-' | b'0'..=b'9') => {
                *into = self.number()?;
                Ok(())
            }
            _ => Err(Stop),
        }
    }

    fn word(&mut self, tail: &[u8], value: Value, into: &mut Value) -> Result<(), Stop> {
        if !self.rest[self.at..].starts_with(tail) {
            return Err(Stop);
        }
        self.at += tail.len();
        *into = value;
        Ok(())
    }

    fn number(&mut self) -> Result<Value, Stop> {
        let start = self.at - 1;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.rest[start..self.at]).map_err(|_| Stop)?;
        if let Ok(whole) = text.parse::<i64>() {
            return Ok(whole.into());
        }
        if let Ok(whole) = text.parse::<u64>() {
            return Ok(whole.into());
        }
        let double = text.parse::<f64>().map_err(|_| Stop)?;
        Ok(Number::from_f64(double).map_or(Value::Null, Value::Number))
    }

    fn string(&mut self) -> Result<String, Stop> {
        let mut out = Vec::new();
        loop {
            match self.next().ok_or(Stop)? {
                b'"' => return String::from_utf8(out).map_err(|_| Stop),
                b'\\' => {
                    let c = self.escape()?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                byte => out.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Stop> {
        Ok(match self.next().ok_or(Stop)? {
            c @ (b'"' | b'\\' | b'/') => c.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.unit()?;
                if (0xd800..0xdc00).contains(&unit) {
                    if (self.next(), self.next()) != (Some(b'\\'), Some(b'u')) {
                        return Err(Stop);
                    }
                    let low = self.unit()?;
                    char::decode_utf16([unit, low]).next().and_then(Result::ok).ok_or(Stop)?
                } else {
                    char::from_u32(unit.into()).ok_or(Stop)?
                }
            }
            _ => return Err(Stop),
        })
    }

    fn unit(&mut self) -> Result<u16, Stop> {
        let digits = self.rest.get(self.at..self.at + 4).ok_or(Stop)?;
        let digits = std::str::from_utf8(digits).map_err(|_| Stop)?;
        self.at += 4;
        u16::from_str_radix(digits, 16).map_err(|_| Stop)
    }

    fn object(&mut self, into: &mut Value, depth: usize) -> Result<(), Stop> {
        *into = Value::Object(Map::new());
        let Value::Object(members) = into else { return Err(Stop) };
        self.space()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space()?;
            if self.next() != Some(b'"') {
                return Err(Stop);
            }
            let name = self.string()?;
            self.space()?;
            if self.next() != Some(b':') {
                return Err(Stop);
            }
            // The member exists, as null, before its value is read: a bad value leaves it so.
            let slot = members.entry(name).or_insert(Value::Null);
            let mut value = Value::Null;
            let result = self.value(&mut value, depth + 1);
            *slot = value;
            result?;
            self.space()?;
            match self.next() {
                Some(b',') => {}
                Some(b'}') => return Ok(()),
                _ => return Err(Stop),
            }
        }
    }

    fn array(&mut self, into: &mut Value, depth: usize) -> Result<(), Stop> {
        *into = Value::Array(Vec::new());
        let Value::Array(items) = into else { return Err(Stop) };
        self.space()?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let mut value = Value::Null;
            let result = self.value(&mut value, depth + 1);
            items.push(value);
            result?;
            self.space()?;
            match self.next() {
                Some(b',') => {}
                Some(b']') => return Ok(()),
                _ => return Err(Stop),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(body: &str, expected: Value) {
        let Value::Object(expected) = expected else { panic!("an object") };
        assert_eq!(parse(body.as_bytes()), Body::Object(expected), "{body}");
    }

    #[test]
    fn broken_bodies_run_with_what_came_before_the_error() {
        check(r#"{"url":"a""#, json!({ "url": "a" }));
        check(r#"{"url":"a"} junk"#, json!({ "url": "a" }));
        check(r#"{"url":"a",}"#, json!({ "url": "a" }));
        check(r#"{"url":"a"}}"#, json!({ "url": "a" }));
        check("{url:1}", json!({}));
        check("{not json", json!({}));
        check(r#"{"value":"a"b"}"#, json!({ "value": "a" }));
        check(r#"{"script":"return 1"#, json!({ "script": null }));
        check(r#"{"a":NaN,"b":1}"#, json!({ "a": null }));
        check(r#"{"a":1,"t":"\ud83d"}"#, json!({ "a": 1, "t": null }));
        check(r#"/* comment */ {"a":1,"a":2}"#, json!({ "a": 2 }));
        check("{\"a\":18446744073709551616}", json!({ "a": 18446744073709551616.0 }));
        check(r#"{"t":"\ud83d\ude00é\/"}"#, json!({ "t": "😀é/" }));
    }

    #[test]
    fn bodies_that_are_no_object_are_told_apart() {
        for body in ["", "null", "[]", "\"x\"", "not json", "\u{feff}{}", "5"] {
            assert_eq!(parse(body.as_bytes()), Body::NotAnObject, "{body}");
        }
    }

    #[test]
    fn nesting_has_the_limit_of_the_drivers_parser() {
        let nested = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n), "]".repeat(n));
        assert!(matches!(parse(nested(998).as_bytes()), Body::Object(_)));
        assert_eq!(parse(nested(1000).as_bytes()), Body::TooDeep);
    }

    #[test]
    fn a_quote_in_the_path_loses_the_parameters() {
        assert_eq!(unescape("plain").as_deref(), Some("plain"));
        assert_eq!(unescape("a\\nb").as_deref(), Some("a\nb"));
        assert_eq!(unescape("a\"b"), None);
    }
}
