//! What a form sends.
//!
//! Owns: the form data set and its three encodings in the page's charset (HTML, form submission). Does not
//! own: the request, the `submit` event, reading files.

use super::document::{Charset, Document};
use super::node::NodeId;
use percent_encoding::percent_decode_str;

/// One entry of a form data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A name and a text.
    Text(String, String),
    /// A name and the path of a chosen file; the empty path when none is chosen.
    File(String, String),
}

/// How and where a form is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Absolute address, for GET with the query.
    pub url: String,
    /// True for POST.
    pub post: bool,
    /// `Content-Type` of the body, empty for GET.
    pub content_type: String,
    /// Body bytes, empty for GET.
    pub body: Vec<u8>,
    /// Name of the window it goes to, empty for the form's own.
    pub target: String,
}

impl Document {
    /// The form data set, in document order: disabled and nameless controls are left out, of the buttons
    /// only `submitter` counts; an image button sends the point of the click.
    pub fn form_entries(&self, form: NodeId, submitter: Option<NodeId>, point: (u32, u32)) -> Vec<Entry> {
        let mut entries = Vec::new();
        for id in self.descendant_elements(form) {
            if !self.is_control(id) || self.is_disabled(id) || self.form_owner(id) != Some(form) {
                continue;
            }
            let name = self.attribute(id, "name").unwrap_or_default().to_owned();
            let kind = self.control_type(id);
            if kind == "image" {
                if submitter == Some(id) {
                    let dot = if name.is_empty() { "" } else { "." };
                    entries.push(Entry::Text(format!("{name}{dot}x"), point.0.to_string()));
                    entries.push(Entry::Text(format!("{name}{dot}y"), point.1.to_string()));
                }
                continue;
            }
            if name.is_empty() {
                continue;
            }
            match kind {
                "button" | "reset" => {}
                "submit" if submitter != Some(id) => {}
                "checkbox" | "radio" if !self.checked(id) => {}
                "select-one" | "select-multiple" => {
                    for option in self.selected_options(id) {
                        if !self.is_disabled(option) {
                            let value = match self.attribute(option, "value") {
                                Some(value) => value.to_owned(),
                                None => self.option_text(option),
                            };
                            entries.push(Entry::Text(name.clone(), value));
                        }
                    }
                }
                "file" => {
                    let files = self.control_state(id).map(|s| s.files.clone()).unwrap_or_default();
                    if files.is_empty() {
                        entries.push(Entry::File(name, String::new()));
                    } else {
                        entries.extend(files.into_iter().map(|path| Entry::File(name.clone(), path)));
                    }
                }
                _ => {
                    let value = self.value(id).unwrap_or_default();
                    let value = if kind == "textarea" { value.replace('\n', "\r\n") } else { value };
                    entries.push(Entry::Text(name, value));
                }
            }
        }
        entries
    }

    /// Prepares the request. `read_file` gives the bytes of a chosen file, none if it is gone.
    pub fn submission(
        &self,
        form: NodeId,
        submitter: Option<NodeId>,
        point: (u32, u32),
        mut read_file: impl FnMut(&str) -> Option<Vec<u8>>,
    ) -> Submission {
        let entries = self.form_entries(form, submitter, point);
        let charset = self
            .attribute(form, "accept-charset")
            .and_then(|labels| labels.split([' ', ',']).find(|label| !label.is_empty()))
            .and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()))
            .map_or(self.charset, Charset);
        let own = |button: &str, name: &str| {
            submitter
                .and_then(|id| self.attribute(id, button))
                .filter(|_| self.mode >= super::Mode::Ie10)
                .or_else(|| self.attribute(form, name))
                .unwrap_or_default()
        };
        let action = own("formaction", "action");
        let mut url = if action.trim().is_empty() { self.url.clone() } else { self.resolve(action) };
        let post = own("formmethod", "method").eq_ignore_ascii_case("post");
        let target = own("formtarget", "target").to_owned();
        if !post {
            if !url.starts_with("javascript:") {
                let end = url.find(['?', '#']).unwrap_or(url.len());
                url.truncate(end);
                url.push('?');
                url.push_str(&urlencode(&entries, charset));
            }
            return Submission { url, post, content_type: String::new(), body: Vec::new(), target };
        }
        let (content_type, body) = match own("formenctype", "enctype").to_ascii_lowercase().as_str() {
            "multipart/form-data" => multipart(&entries, charset, &mut read_file),
            "text/plain" => ("text/plain".to_owned(), plain(&entries, charset)),
            _ => ("application/x-www-form-urlencoded".to_owned(), urlencode(&entries, charset).into_bytes()),
        };
        Submission { url, post, content_type, body, target }
    }
}

/// Name and value as a text-only encoding sends them: a file by its name.
fn as_text(entry: &Entry) -> (&str, &str) {
    match entry {
        Entry::Text(name, value) => (name, value),
        Entry::File(name, path) => (name, base_name(path)),
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Characters the charset lacks go out as decimal references, as encoders of browsers do.
fn encode(text: &str, charset: Charset) -> Vec<u8> {
    charset.0.output_encoding().encode(text).0.into_owned()
}

fn urlencode(entries: &[Entry], charset: Charset) -> String {
    let mut out = String::new();
    for entry in entries {
        let (name, value) = as_text(entry);
        if !out.is_empty() {
            out.push('&');
        }
        for (n, part) in [name, value].into_iter().enumerate() {
            if n == 1 {
                out.push('=');
            }
            for piece in encode(part, charset) {
                match piece {
                    b' ' => out.push('+'),
                    b'*' | b'-' | b'.' | b'_' => out.push(char::from(piece)),
                    _ if piece.is_ascii_alphanumeric() => out.push(char::from(piece)),
                    _ => out.push_str(&format!("%{piece:02X}")),
                }
            }
        }
    }
    out
}

fn plain(entries: &[Entry], charset: Charset) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        let (name, value) = as_text(entry);
        out.extend(encode(&format!("{name}={value}\r\n"), charset));
    }
    out
}

fn multipart(
    entries: &[Entry],
    charset: Charset,
    read_file: &mut impl FnMut(&str) -> Option<Vec<u8>>,
) -> (String, Vec<u8>) {
    let parts: Vec<(Vec<u8>, Vec<u8>)> = entries
        .iter()
        .map(|entry| {
            let escape = |text: &str| text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
            let (name, _) = as_text(entry);
            let head = format!("Content-Disposition: form-data; name=\"{}\"", escape(name));
            match entry {
                Entry::Text(_, value) => (encode(&head, charset), encode(value, charset)),
                Entry::File(_, path) => {
                    let file = escape(base_name(path));
                    let head =
                        format!("{head}; filename=\"{file}\"\r\nContent-Type: application/octet-stream");
                    let bytes = if path.is_empty() { None } else { read_file(path) };
                    (encode(&head, charset), bytes.unwrap_or_default())
                }
            }
        })
        .collect();
    // The boundary must stand in no part; counting up keeps it the same from run to run.
    let boundary = (0_u64..)
        .map(|n| format!("---------------------------7e{n:012x}"))
        .find(|b| !parts.iter().any(|(_, body)| body.windows(b.len()).any(|w| w == b.as_bytes())))
        .unwrap_or_default();
    let mut out = Vec::new();
    for (head, body) in parts {
        out.extend(format!("--{boundary}\r\n").bytes());
        out.extend(head);
        out.extend(b"\r\n\r\n");
        out.extend(body);
        out.extend(b"\r\n");
    }
    out.extend(format!("--{boundary}--\r\n").bytes());
    (format!("multipart/form-data; boundary={boundary}"), out)
}

/// Source of a `javascript:` address, escapes resolved; none for other addresses.
pub fn javascript_source(url: &str) -> Option<String> {
    let trimmed = url.trim_start();
    let scheme = trimmed.get(..11)?;
    scheme
        .eq_ignore_ascii_case("javascript:")
        .then(|| percent_decode_str(&trimmed[11..]).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(html: &str, submitter: Option<&str>, charset: &'static encoding_rs::Encoding) -> Submission {
        let mut document = Document::parse("http://h.test/dir/page?old=1#f", html);
        document.charset = Charset(charset);
        let form = document.descendants(document.root()).find(|&id| document.is(id, "form")).expect("form");
        let submitter = submitter.map(|id| document.by_id(id).expect(id));
        document.submission(form, submitter, (3, 4), |_| Some(b"DATA".to_vec()))
    }

    #[test]
    fn c45_exactly_the_fields_a_browser_would_send() {
        let html = "<form action='go'><input name=t value='a b'><input value=nameless><input name=d disabled>\
            <input type=checkbox name=c1 checked><input type=checkbox name=c2><input type=radio name=r value=1>\
            <input type=radio name=r value=2 checked><select name=s><option value=x>X<option selected>Y z</select>\
            <input type=submit name=b1 value=One id=b1><input type=submit name=b2 value=Two>\
            <input type=image name=i id=i><input type=button name=n value=n><textarea name=a>\nl1\nl2</textarea></form>";
        let text = encoding_rs::UTF_8;
        let fields = "t=a+b&c1=on&r=2&s=Y+z";
        assert_eq!(send(html, None, text).url, format!("http://h.test/dir/go?{fields}&a=l1%0D%0Al2"));
        assert_eq!(
            send(html, Some("b1"), text).url,
            format!("http://h.test/dir/go?{fields}&b1=One&a=l1%0D%0Al2")
        );
        assert_eq!(
            send(html, Some("i"), text).url,
            format!("http://h.test/dir/go?{fields}&i.x=3&i.y=4&a=l1%0D%0Al2")
        );
    }

    #[test]
    fn fields_go_out_in_the_charset_of_the_page() {
        let html = "<form method=post><input name=q value='検索 é'></form>";
        let sent = send(html, None, encoding_rs::SHIFT_JIS);
        assert_eq!(sent.url, "http://h.test/dir/page?old=1#f");
        assert_eq!(sent.body, b"q=%8C%9F%8D%F5+%26%23233%3B");
        assert_eq!(send(html, None, encoding_rs::EUC_JP).body, b"q=%B8%A1%BA%F7+%26%23233%3B");
    }

    #[test]
    fn multipart_holds_texts_and_files() {
        let html = "<form method=post enctype=multipart/form-data><input name=a value=1><input type=file name=f></form>";
        let sent = send(html, None, encoding_rs::UTF_8);
        let boundary = sent.content_type.strip_prefix("multipart/form-data; boundary=").expect("boundary");
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--{boundary}\r\n\
             Content-Disposition: form-data; name=\"f\"; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--{boundary}--\r\n"
        );
        assert_eq!(String::from_utf8(sent.body).unwrap(), expected);
    }

    #[test]
    fn script_addresses_are_decoded() {
        assert_eq!(javascript_source("JavaScript:go(%22a%22)").as_deref(), Some("go(\"a\")"));
        assert_eq!(javascript_source("http://h.test/"), None);
    }
}
