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
    /// False for a `POST` without `Content-Length`.
    pub has_length: bool,
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
    /// A raw 400 with this as the second line of its body.
    Raw(&'static str),
    /// An absolute target: closed without an answer.
    Silent,
}

/// Verbs civetweb knows; others are a raw 400.
const VERBS: &[&str] =
    &["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "PATCH", "PROPFIND", "MKCOL", "REPORT"];

/// Parses a head that ends with its empty line.
pub(super) fn parse(head: &[u8]) -> Result<RequestHead, Refusal> {
    const BAD: Refusal = Refusal::Raw("Bad request");
    let end = head.iter().position(|byte| *byte == b'\n').ok_or(BAD)?;
    let line = String::from_utf8_lossy(&head[..end]);
    let mut words = line.trim_end_matches('\r').split(' ');
    let (Some(verb), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(BAD);
    };
    let version = version.strip_prefix("HTTP/").ok_or(BAD)?;
    if !VERBS.contains(&verb) {
        return Err(BAD);
    }
    let path = match target {
        _ if target.starts_with('/') => {
            if target.bytes().any(|byte| byte < 0x21 || byte == b'\\' || byte == b'"') {
                return Err(Refusal::Raw("Invalid URI"));
            }
            prepared_path(target)
        }
        _ if target.contains("://") => return Err(Refusal::Silent),
        _ => return Err(Refusal::Raw("Invalid URI")),
    };
    let mut headers = [httparse::EMPTY_HEADER; 256];
    let Ok(httparse::Status::Complete((_, headers))) =
        httparse::parse_headers(&head[end + 1..], &mut headers)
    else {
        return Err(BAD);
    };
    let header = |name: &str| {
        headers
            .iter()
            .take(MAX_HEADERS)
            .find(|header| header.name.eq_ignore_ascii_case(name))
            .map(|header| String::from_utf8_lossy(header.value).trim().to_owned())
    };
    let content_length = header("Content-Length").map(|text| text.parse()).transpose().map_err(|_| BAD)?;
    let keep_alive = match header("Connection") {
        Some(wish) => wish.eq_ignore_ascii_case("keep-alive"),
        None => version == "1.1",
    };
    let chunked = header("Transfer-Encoding").is_some();
    Ok(RequestHead { verb: verb.to_owned(), path, content_length, keep_alive, chunked })
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
        assert_eq!(head("TRACE / HTTP/1.1", ""), Err(Refusal::Raw("Bad request")));
        assert_eq!(head("garbage", ""), Err(Refusal::Raw("Bad request")));
        assert_eq!(head("GET /a b HTTP/1.1", ""), Err(Refusal::Raw("Bad request")));
        assert_eq!(head("GET /a\\b HTTP/1.1", ""), Err(Refusal::Raw("Invalid URI")));
        assert_eq!(head("GET http://localhost:5555/status HTTP/1.1", ""), Err(Refusal::Silent));
    }

    #[test]
    fn header_names_have_any_case_and_ten_does_not_keep_alive() {
        let request = head("POST /session HTTP/1.1", "content-length: 2\r\n").expect("parses");
        assert_eq!((request.content_length, request.keep_alive), (Some(2), true));
        assert!(!head("GET / HTTP/1.0", "").expect("parses").keep_alive);
        assert!(!head("GET / HTTP/1.1", "Connection: close\r\n").expect("parses").keep_alive);
    }
}
