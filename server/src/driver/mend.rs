//! Makes the driver's bytes readable. Owns: what a JSON reader refuses and the driver sends. Does not own: HTTP, JSON.
//!
//! IE's texts are UTF-16 of any content, so a reply may hold half of a surrogate pair, and a page's bytes of another
//! encoding may leak into it (`reference/iedriver-wire.md` section 2.2, case C55). Each is replaced by something of the same length,
//! so the message keeps its Content-Length.

/// Replaces lone surrogates (`\ud83d`) by `\ufffd` and bytes that are no UTF-8 by `?`.
#[derive(Debug, Default)]
pub(super) struct Mender {
    /// Bytes whose meaning the next ones decide. JSON cannot end among them, so they are never missed.
    held: Vec<u8>,
}

/// Length of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

impl Mender {
    /// The readable form of what came so far and was not given yet.
    pub(super) fn mend(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let (mended, used) = mended(&self.held, false);
        self.held.drain(..used);
        mended
    }

    /// What is left at the end of the stream.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        let (mended, _) = mended(&self.held, true);
        self.held.clear();
        mended
    }
}

/// Readable bytes, and how many of the given ones they stand for.
fn mended(bytes: &[u8], all: bool) -> (Vec<u8>, usize) {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        match rest {
            [b'\\', b'u', ..] | [b'\\'] if rest.len() < ESCAPE && !all => break,
            [b'\\', b'u', ..] => match surrogate(rest) {
                Some(Half::High) => match rest.get(ESCAPE..) {
                    Some(next) if surrogate(next) == Some(Half::Low) => {
                        out.extend_from_slice(&rest[..2 * ESCAPE]);
                        at += 2 * ESCAPE;
                    }
                    Some(next) if next.len() < ESCAPE && !all && may_escape(next) => break,
                    _ => at += put(&mut out, b"\\ufffd"),
                },
                Some(Half::Low) => at += put(&mut out, b"\\ufffd"),
                None => at += put(&mut out, &rest[..2]),
            },
            // A byte order mark before the body (case C69): texts hold no raw line end, so it is no part of one.
            [0xEF, 0xBB, 0xBF] if !all => break,
            [0xEF, 0xBB, 0xBF, b'{', ..] if out.last().is_none_or(|last| *last == b'\n') => {
                out.extend_from_slice(b"   ");
                at += 3;
            }
            // Any other escape, an escaped backslash above all.
            [b'\\', _, ..] => at += put(&mut out, &rest[..2]),
            [byte, ..] if byte.is_ascii() => at += put(&mut out, &rest[..1]),
            _ => {
                let character = &rest[..rest.len().min(4)];
                match std::str::from_utf8(character) {
                    Ok(text) => at += put(&mut out, &rest[..text.chars().next().map_or(1, char::len_utf8)]),
                    Err(error) if error.valid_up_to() > 0 => {
                        let text = std::str::from_utf8(&character[..error.valid_up_to()]).unwrap_or("?");
                        at += put(&mut out, &rest[..text.chars().next().map_or(1, char::len_utf8)]);
                    }
                    Err(error) if error.error_len().is_none() && !all => break,
                    Err(_) => at += put(&mut out, b"?"),
                }
            }
        }
    }
    (out, at)
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) -> usize {
    out.extend_from_slice(bytes);
    bytes.len()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// The half of a pair that an escape at the beginning stands for.
fn surrogate(bytes: &[u8]) -> Option<Half> {
    let escape = bytes.get(..ESCAPE)?.strip_prefix(b"\\u")?;
    let code = u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()?;
    match code {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

/// Whether more bytes could make an escape of these.
fn may_escape(bytes: &[u8]) -> bool {
    matches!(bytes, [] | [b'\\'] | [b'\\', b'u', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> Vec<u8> {
        let mut mender = Mender::default();
        let mut out = mender.mend(bytes);
        out.extend(mender.rest());
        out
    }

    #[test]
    fn half_pairs_and_foreign_bytes_are_replaced_at_equal_length_case_c55() {
        for (given, mended) in [
            (&br#"{"value":"ok \ud83d end"}"#[..], &br#"{"value":"ok \ufffd end"}"#[..]),
            (br#""\uD83D\uDE00 \udc00""#, br#""\uD83D\uDE00 \ufffd""#),
            (br#""\ud83d\ud83d\ude00""#, br#""\ufffd\ud83d\ude00""#),
            (br#""\\ud83d""#, br#""\\ud83d""#),
            (br#""\ud83d\n""#, br#""\ufffd\n""#),
            (br#""\u00e9\ud8zz""#, br#""\u00e9\ud8zz""#),
            (b"\"\x83e\x83X\"", b"\"?e?X\""),
            ("\"顧客 😀\"".as_bytes(), "\"顧客 😀\"".as_bytes()),
            (b"\"\xe9\xa1\"", b"\"??\""),
            ("\r\n\r\n\u{feff}{}".as_bytes(), b"\r\n\r\n   {}"),
            ("\"a\u{feff}{\"".as_bytes(), "\"a\u{feff}{\"".as_bytes()),
        ] {
            assert_eq!(String::from_utf8_lossy(&whole(given)), String::from_utf8_lossy(mended));
            assert_eq!(whole(given).len(), given.len());
        }
    }

    #[test]
    fn the_cut_of_the_stream_does_not_matter() {
        let text = "HTTP/1.1 200 OK\r\n\r\n{\"value\":\"a\\ud83d\\ude00 \\ud83d. \\\\ud83d 顧😀\\udc00\"}";
        let mut bytes = text.as_bytes().to_vec();
        bytes.insert(40, 0x83);
        let expected = whole(&bytes);
        for size in 1..12 {
            let mut mender = Mender::default();
            let mut out = Vec::new();
            for piece in bytes.chunks(size) {
                out.extend(mender.mend(piece));
            }
            assert!(mender.held.is_empty(), "nothing is held back behind a whole message");
            assert_eq!(out, expected);
        }
    }
}
