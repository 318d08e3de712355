//! Which encoding a page is in.
//!
//! Owns: the order byte-order mark, header, meta, default. Does not own: the parser.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How much of a page is searched for a meta declaration.
const HEAD_BYTES: usize = 4096;

/// Decodes a page; `content_type` is the response header. Undecodable bytes become U+FFFD.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> (String, &'static Encoding) {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return (encoding.decode_without_bom_handling(&bytes[length..]).0.into_owned(), encoding);
    }
    let encoding = content_type
        .and_then(label_in)
        .or_else(|| declared(&bytes[..bytes.len().min(HEAD_BYTES)]))
        .unwrap_or_else(|| if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 });
    (encoding.decode_without_bom_handling(bytes).0.into_owned(), encoding)
}

/// Decodes a script or style sheet: byte-order mark, header, the element's own word, then the page's
/// encoding.
pub fn decode_text(
    bytes: &[u8],
    content_type: Option<&str>,
    declared: Option<&str>,
    page: &'static Encoding,
) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[length..]).0.into_owned();
    }
    let declared = declared.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let encoding = content_type.and_then(label_in).or(declared).unwrap_or(page);
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let text: String = head.iter().map(|&byte| byte as char).collect::<String>().to_ascii_lowercase();
    text.match_indices("<meta").find_map(|(at, _)| {
        let tag = &text[at..];
        label_in(&tag[..tag.find('>').unwrap_or(tag.len())])
    })
}

fn label_in(text: &str) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let rest = lower[lower.find("charset")? + 7..].trim_start().strip_prefix('=')?;
    let rest = rest.trim_start().trim_start_matches(['"', '\'']);
    let end = rest.find(|c: char| c == '"' || c == '\'' || c == ';' || c == '/' || c.is_whitespace());
    Encoding::for_label(&rest.as_bytes()[..end.unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_wins_over_meta_over_default() {
        let sjis = encoding_rs::SHIFT_JIS.encode("<meta charset=shift_jis>検索").0.into_owned();
        assert!(decode(&sjis, None).0.ends_with("検索"));
        let old = b"<META http-equiv='Content-Type' content='text/html; charset=euc-jp'>\xb8\xa1\xba\xf7";
        assert!(decode(old, None).0.ends_with("検索"));
        assert_eq!(
            decode(b"<meta charset=utf-8>\xe4", Some("text/html; charset=\"windows-1252\"")).0.chars().last(),
            Some('ä')
        );
        assert_eq!(decode(b"\xe4", None).0, "ä");
        assert_eq!(decode("ä".as_bytes(), None).0, "ä");
        assert_eq!(decode(b"\xff\xfea\0", Some("text/html; charset=utf-8")).0, "a");
    }
}
