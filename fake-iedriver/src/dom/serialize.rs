//! The tree as text, in IE's manner.
//!
//! Owns: `innerHTML`, `outerHTML` and the page source (`reference/emulator.md` section 6.2: upper-case tags,
//! attributes without quotes where possible and CR LF before blocks in modes 5 to 8; the HTML standard's form
//! from 9 on). Does not own: parsing.

use super::document::Document;
use super::mode::Mode;
use super::node::{Element, Namespace, NodeData, NodeId};

const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];
const RAW: &[&str] = &["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext"];
/// Elements before which old modes start a new line.
const ON_NEW_LINE: &[&str] = &[
    "address",
    "blockquote",
    "body",
    "br",
    "center",
    "col",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "li",
    "link",
    "meta",
    "ol",
    "option",
    "p",
    "pre",
    "script",
    "style",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
];
/// Attributes without a value of their own.
const BOOLEAN: &[&str] = &[
    "checked", "compact", "declare", "defer", "disabled", "ismap", "multiple", "nohref", "noresize",
    "noshade", "nowrap", "readonly", "selected",
];

enum Visit {
    Open(NodeId),
    Close(NodeId),
}

impl Document {
    /// `innerHTML`.
    pub fn inner_html(&self, id: NodeId) -> String {
        let mut out = String::new();
        let from = self.element(id).and_then(|element| element.content).unwrap_or(id);
        let mut stack: Vec<Visit> = self.backwards(from).map(Visit::Open).collect();
        self.write(&mut stack, &mut out);
        out
    }

    /// `outerHTML`.
    pub fn outer_html(&self, id: NodeId) -> String {
        let mut out = String::new();
        self.write(&mut vec![Visit::Open(id)], &mut out);
        if self.mode <= Mode::Ie8 && !out.is_empty() {
            out = out.trim_start_matches("\r\n").to_owned();
        }
        out
    }

    /// What the driver gives as page source: the document element, without the doctype.
    pub fn page_source(&self) -> String {
        self.document_element().map(|id| self.outer_html(id)).unwrap_or_default()
    }

    /// Start tag of an element, as the driver names the element that covers another.
    pub fn start_tag(&self, id: NodeId) -> String {
        let mut out = String::new();
        if let Some(element) = self.element(id) {
            self.open_tag(id, element, &mut out);
        }
        out
    }

    fn backwards(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.last_child(id), |&child| self.previous_sibling(child))
    }

    fn write(&self, stack: &mut Vec<Visit>, out: &mut String) {
        let old = self.mode <= Mode::Ie8;
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::Close(id) => {
                    out.push_str("</");
                    out.push_str(&self.tag_name(id));
                    out.push('>');
                }
                Visit::Open(id) => match self.get(id).map(|node| node.data()) {
                    Some(NodeData::Text(text)) => {
                        let raw = self.parent(id).is_some_and(|up| RAW.contains(&self.name(up)));
                        if raw { out.push_str(text) } else { escape_text(text, out) }
                    }
                    Some(NodeData::Comment(text)) => {
                        out.push_str("<!--");
                        out.push_str(text);
                        out.push_str("-->");
                    }
                    Some(NodeData::Element(element)) => {
                        if old && ON_NEW_LINE.contains(&&*element.name) {
                            out.push_str("\r\n");
                        }
                        self.open_tag(id, element, out);
                        if VOID.contains(&&*element.name) {
                            continue;
                        }
                        stack.push(Visit::Close(id));
                        stack.extend(self.backwards(element.content.unwrap_or(id)).map(Visit::Open));
                    }
                    Some(NodeData::Doctype(doctype)) => {
                        out.push_str("<!DOCTYPE ");
                        out.push_str(&doctype.name);
                        if !doctype.public_id.is_empty() {
                            out.push_str(&format!(" PUBLIC \"{}\"", doctype.public_id));
                        }
                        if !doctype.system_id.is_empty() {
                            out.push_str(&format!(" \"{}\"", doctype.system_id));
                        }
                        out.push('>');
                    }
                    Some(NodeData::Document | NodeData::Fragment) => {
                        stack.extend(self.backwards(id).map(Visit::Open));
                    }
                    _ => {}
                },
            }
        }
    }

    /// `tagName` in the document's manner for serialising: upper case in old modes.
    fn tag_name(&self, id: NodeId) -> String {
        let name = self.name(id);
        if self.mode <= Mode::Ie8 { name.to_ascii_uppercase() } else { name.to_owned() }
    }

    fn open_tag(&self, id: NodeId, element: &Element, out: &mut String) {
        let old = self.mode <= Mode::Ie8 && element.namespace == Namespace::Html;
        out.push('<');
        out.push_str(&self.tag_name(id));
        for attribute in element.attributes() {
            out.push(' ');
            out.push_str(&attribute.name);
            if old && BOOLEAN.contains(&&*attribute.name) {
                continue;
            }
            out.push('=');
            let bare = old
                && !attribute.value.is_empty()
                && !attribute.value.contains(|c: char| {
                    c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '=' | '`' | '&' | ';' | ':')
                });
            if bare {
                out.push_str(&attribute.value);
                continue;
            }
            out.push('"');
            for c in attribute.value.chars() {
                match c {
                    '&' => out.push_str("&amp;"),
                    '"' => out.push_str("&quot;"),
                    '\u{a0}' => out.push_str("&nbsp;"),
                    _ => out.push(c),
                }
            }
            out.push('"');
        }
        out.push('>');
    }
}

fn escape_text(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{a0}' => out.push_str("&nbsp;"),
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_modes_write_tags_their_way() {
        let html =
            "<div id=x class='a b'><p id=p1>a&amp;b<input type=checkbox checked disabled value=''></p></div>";
        for (mode, expected) in [
            (
                Mode::Ie11,
                "<div id=\"x\" class=\"a b\"><p id=\"p1\">a&amp;b<input type=\"checkbox\" checked=\"\" disabled=\"\" value=\"\"></p></div>",
            ),
            (
                Mode::Ie7,
                "<DIV id=x class=\"a b\">\r\n<P id=p1>a&amp;b<INPUT type=checkbox checked disabled value=\"\"></P></DIV>",
            ),
        ] {
            let mut document = Document::parse("http://h.test/", html);
            document.mode = mode;
            let x = document.by_id("x").expect("x");
            assert_eq!(document.outer_html(x), expected, "{mode:?}");
        }
    }

    #[test]
    fn inner_html_comes_back_as_it_went_in() {
        let mut document = Document::parse("http://h.test/", "<table><tbody id=x></tbody></table>");
        let x = document.by_id("x").expect("x");
        for html in ["<tr><td>a &lt; b</td></tr>", "<tr><td><script>a<b</script></td></tr>", "<!--c-->", ""] {
            document.set_inner_html(x, html);
            assert_eq!(document.inner_html(x), html);
        }
    }
}
