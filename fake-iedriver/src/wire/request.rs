//! One HTTP request as civetweb reads it.
//!
//! Owns: request line, header lines, what the path becomes, and which oddities get which raw answer
//! (`reference/iedriver-wire.md` sections 2.3, 2.5 and 2.8). Does not own: reading from a connection
//! (`connection`), routes (`table`).

/// Largest head; a longer one is a raw 400.
pub(super) const MAX_HEAD: usize = 16_384;
/// Headers beyond this number are not seen.
const MAX_HEADERS: usize = 64;

/// A request, its body read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The verb.
    pub verb: String,
    /// The decoded path without its query.
    pub path: String,
    /// Body bytes; empty if none was announced.
    pub body: Vec<u8>,
}

/// The parsed head of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestHead {
    pub(super) verb: String,
    pub(super) path: String,
    pub(super) content_length: Option<u64>,
    pub(super) keep_alive: bool,
    /// With a body of unknown length what follows on the connection cannot be told from it.
    pub(super) chunked: bool,
}

/// Why a head is not served.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// A raw answer: status and reason, and the second line of its body.
    Raw(&'static str, String),
    /// A target that is no path of this server: closed without an answer.
    Silent,
}

/// A raw 400.
pub(super) fn bad_request(line: &str) -> Refusal {
    Refusal::Raw("400 Bad Request", line.to_owned())
}

/// Verbs civetweb knows; others are a raw 400.
const VERBS: &[&str] =
    &["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "PATCH", "PROPFIND", "MKCOL", "REPORT"];

/// Where a head ends, its empty line included; lines may end with a bare line feed. A control character before that
/// makes it no head.
pub(super) fn end_of_head(bytes: &[u8]) -> Result<Option<usize>, Refusal> {
    for (at, byte) in bytes.iter().enumerate() {
        if *byte < b' ' && !matches!(byte, b'\r' | b'\n') {
            return Err(bad_request("Malformed message"));
        }
        if bytes[..=at].ends_with(b"\n\n") || bytes[..=at].ends_with(b"\r\n\r\n") {
            return Ok(Some(at + 1));
        }
    }
    Ok(None)
}

/// Parses a head that ends with its empty line.
pub(super) fn parse(head: &[u8]) -> Result<RequestHead, Refusal> {
    let bad = || bad_request("Bad request");
    let end = head.iter().position(|byte| *byte == b'\n').ok_or_else(bad)?;
    let line = std::str::from_utf8(&head[..end]).map_err(|_| bad())?;
    let line = line.strip_suffix('\r').unwrap_or(line);
    let (verb, rest) = word(line).ok_or_else(bad)?;
    if !VERBS.contains(&verb) {
        return Err(bad());
    }
    let (target, version) = word(rest).ok_or_else(bad)?;
    let version = version.strip_prefix("HTTP/").filter(|text| is_graphic(text)).ok_or_else(bad)?;
    let headers = headers(&head[end + 1..]).ok_or_else(bad)?;
    let header = |wanted: &str| {
        headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes())).map(|(_, value)| *value)
    };
    let content_length = match header("Content-Length").map(leading_integer) {
        Some(None) => return Err(Refusal::Raw("411 Length Required", "Bad request".into())),
        Some(Some(length)) => u64::try_from(length).ok(),
        None => None,
    };
    if !matches!(version, "1.0" | "1.1") {
        let line = format!("Bad HTTP version: [{version}]");
        return Err(Refusal::Raw("505 HTTP Version not supported", line));
    }
    let path = match target {
        "*" => return Err(Refusal::Silent),
        _ if target.starts_with('/') => {
            if target.contains(['\\', '"']) {
                return Err(bad_request("Invalid URI"));
            }
            prepared_path(target)
        }
        _ if target.contains("://") => return Err(Refusal::Silent),
        _ => return Err(bad_request("Invalid URI")),
    };
    let keep_alive = match header("Connection") {
        Some(wish) => wish.trim_ascii().eq_ignore_ascii_case(b"keep-alive"),
        None => version == "1.1",
    };
    let chunked = header("Transfer-Encoding").is_some();
    Ok(RequestHead { verb: verb.to_owned(), path, content_length, keep_alive, chunked })
}

fn is_graphic(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A word of the request line and what follows the blanks after it.
fn word(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.split_once(' ')?;
    (!word.is_empty() && is_graphic(word)).then(|| (word, rest.trim_start_matches(' ')))
}

/// Header lines up to the first that begins with a blank or a colon. A line that ends with a bare line feed is the
/// last one, and all the rest is its value. None if a line has no colon behind its name.
fn headers(mut lines: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut found = Vec::new();
    while found.len() < MAX_HEADERS {
        let is_name = |byte: &u8| byte.is_ascii_graphic() && *byte != b':';
        let name = lines.iter().take_while(|byte| is_name(byte)).count();
        if name == 0 {
            break;
        }
        if lines.get(name) != Some(&b':') {
            return None;
        }
        let blanks = lines[name + 1..].iter().take_while(|byte| **byte == b' ').count();
        let value = &lines[name + 1 + blanks..];
        let length = value.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(value.len());
        let Some(next) = value[length..].strip_prefix(b"\r\n") else {
            found.push((&lines[..name], value));
            break;
        };
        found.push((&lines[..name], &value[..length]));
        lines = next;
    }
    Some(found)
}

/// The number a text begins with.
fn leading_integer(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii_start();
    let sign = usize::from(text.first() == Some(&b'-'));
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..sign + digits]).ok()?.parse().ok()
}

/// Query cut off, percent-decoded up to a NUL, `//` made one, dots of a segment beginning with `..`
/// dropped rather than climbed.
fn prepared_path(target: &str) -> String {
    let raw = target.split('?').next().unwrap_or_default();
    let decoded: Vec<u8> = percent_encoding::percent_decode_str(raw).collect();
    let decoded = decoded.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut path = String::new();
    for c in String::from_utf8_lossy(decoded).chars() {
        let collapses = match c {
            '/' => path.ends_with('/'),
            _ => false,
        };
        if !collapses {
            path.push(c);
        }
    }
    let mut clean = String::new();
    for piece in path.split_inclusive('/') {
        let piece = if piece.starts_with("..") { piece.trim_start_matches('.') } else { piece };
        if !(piece == "/" && clean.ends_with('/')) {
            clean.push_str(piece);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(first: &str, rest: &str) -> Result<RequestHead, Refusal> {
        parse(format!("{first}\r\n{rest}\r\n").as_bytes())
    }

    #[test]
    fn paths_are_prepared_as_civetweb_does() {
        for (target, path) in [
            ("/status?x=1", "/status"),
            ("/a%2Fb+c", "/a/b+c"),
            ("/a//b", "/a/b"),
            ("/a/../b", "/a/b"),
            ("/a/./b", "/a/./b"),
            ("/ab%00cd", "/ab"),
        ] {
            assert_eq!(prepared_path(target), path, "{target}");
        }
    }

    #[test]
    fn oddities_get_their_raw_answers() {
        assert_eq!(head("TRACE / HTTP/1.1", ""), Err(bad_request("Bad request")));
        assert_eq!(head("garbage", ""), Err(bad_request("Bad request")));
        assert_eq!(head("GET /a b HTTP/1.1", ""), Err(bad_request("Bad request")));
        assert_eq!(head("GET /a\\b HTTP/1.1", ""), Err(bad_request("Invalid URI")));
        assert_eq!(head("GET http://localhost:5555/status HTTP/1.1", ""), Err(Refusal::Silent));
        assert_eq!(head("OPTIONS * HTTP/1.1", ""), Err(Refusal::Silent));
        assert_eq!(head("GET /顧客 HTTP/1.1", ""), Err(bad_request("Bad request")));
        let version = Refusal::Raw("505 HTTP Version not supported", "Bad HTTP version: [2.0]".into());
        assert_eq!(head("GET / HTTP/2.0", ""), Err(version));
        let length = Refusal::Raw("411 Length Required", "Bad request".into());
        assert_eq!(head("GET / HTTP/1.1", "Content-Length: abc\r\n"), Err(length));
        assert_eq!(head("GET / HTTP/1.1", "no colon\r\n"), Err(bad_request("Bad request")));
        assert_eq!(end_of_head(b"GET / HTTP/1.1\r\nA: \t\r\n\r\n"), Err(bad_request("Malformed message")));
        assert_eq!(end_of_head(b"GET / HTTP/1.1\nA: b\n\nbody"), Ok(Some(21)));
    }

    #[test]
    fn headers_end_at_a_folded_line_and_swallow_the_rest_after_a_bare_line_feed() {
        let request = head("POST / HTTP/1.1", "Content-Length: 2x\r\nA: b\r\n c\r\nConnection: close\r\n")
            .expect("parses");
        assert_eq!((request.content_length, request.keep_alive), (Some(2), true));
        let request = parse(b"POST / HTTP/1.1\nHost: a\nContent-Length: 2\n\n").expect("parses");
        assert_eq!(request.content_length, None);
        let request = parse(b"POST  /  HTTP/1.1\nContent-Length: 2\nHost: a\n\n").expect("parses");
        assert_eq!(request.content_length, Some(2));
    }

    #[test]
    fn header_names_have_any_case_and_ten_does_not_keep_alive() {
        let request = head("POST /session HTTP/1.1", "content-length: 2\r\n").expect("parses");
        assert_eq!((request.content_length, request.keep_alive), (Some(2), true));
        assert!(!head("GET / HTTP/1.0", "").expect("parses").keep_alive);
        assert!(!head("GET / HTTP/1.1", "Connection: close\r\n").expect("parses").keep_alive);
    }
}
