//! Text as a person sees it.
//!
//! Owns: the driver's element text (`reference/iedriver-wire.md` section 5.9: hidden parts left out, white
//! space folded, blocks and `br` as line feeds, `text-transform` applied). Does not own: `innerText`.

use super::document::Document;
use super::node::{NodeData, NodeId};

enum Visit {
    Enter(NodeId),
    Leave(NodeId),
}

impl Document {
    /// Rendered text of an element.
    pub fn rendered_text(&self, id: NodeId) -> String {
        let mut lines = vec![String::new()];
        let mut stack = vec![Visit::Enter(id)];
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::Leave(element) => {
                    let style = self.style(element);
                    if is_block(style.get("display")) {
                        break_line(&mut lines);
                    } else if style.get("display") == "table-cell" {
                        push_folded(&mut lines, " ");
                    }
                }
                Visit::Enter(node) => match self.get(node).map(|node| node.data()) {
                    Some(NodeData::Text(text)) => self.push_text(node, text, &mut lines),
                    Some(NodeData::Element(element)) => {
                        let style = self.style(node);
                        if style.get("display") == "none" || self.hides_content(node) {
                            continue;
                        }
                        if element.is("br") {
                            lines.push(String::new());
                            continue;
                        }
                        if is_block(style.get("display")) {
                            break_line(&mut lines);
                        }
                        stack.push(Visit::Leave(node));
                        stack.extend(self.children_backwards(node).map(Visit::Enter));
                    }
                    _ => {}
                },
            }
        }
        let ends: Vec<&str> = lines.iter().map(|line| line.trim_matches([' ', '\t'])).collect();
        ends.join("\n").trim_matches([' ', '\n']).replace('\u{a0}', " ")
    }

    fn children_backwards(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.last_child(id), |&child| self.previous_sibling(child))
    }

    /// Elements whose text nodes are no text of the page.
    fn hides_content(&self, id: NodeId) -> bool {
        matches!(self.name(id), "iframe" | "object" | "embed" | "textarea")
            || self.is(id, "noscript")
            || (self.style(id).get("overflow-x") == "hidden"
                && self.boxes().rect(id).is_some_and(|rect| rect.width <= 0.0 || rect.height <= 0.0))
    }

    fn push_text(&self, node: NodeId, text: &str, lines: &mut Vec<String>) {
        let Some(parent) = self.parent_element(node) else { return };
        let style = self.style(parent);
        if matches!(style.get("visibility"), "hidden" | "collapse")
            || style.get("opacity").parse::<f64>().is_ok_and(|value| value <= 0.0)
        {
            return;
        }
        let text = match style.get("text-transform") {
            "uppercase" => text.to_uppercase(),
            "lowercase" => text.to_lowercase(),
            "capitalize" => capitalize(text),
            _ => text.to_owned(),
        };
        if style.get("white-space").starts_with("pre") {
            for (n, line) in text.split('\n').enumerate() {
                if n > 0 {
                    lines.push(String::new());
                }
                if let Some(last) = lines.last_mut() {
                    // Kept blanks travel as no-break spaces, so that later folding and trimming spare them.
                    last.push_str(&line.replace('\t', "    ").replace(' ', "\u{a0}"));
                }
            }
        } else {
            push_folded(lines, &text);
        }
    }
}

fn is_block(display: &str) -> bool {
    matches!(
        display,
        "block"
            | "list-item"
            | "table"
            | "table-row"
            | "table-caption"
            | "table-row-group"
            | "table-header-group"
            | "table-footer-group"
            | "flex"
    )
}

fn break_line(lines: &mut Vec<String>) {
    if lines.last().is_some_and(|line| !line.trim().is_empty()) {
        lines.push(String::new());
    }
}

/// Adds text to the last line, runs of white space folded to one space.
fn push_folded(lines: &mut [String], text: &str) {
    let Some(line) = lines.last_mut() else { return };
    for c in text.chars() {
        match c {
            ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{b}' => {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            '\u{200b}' | '\u{200e}' | '\u{200f}' => {}
            _ => line.push(c),
        }
    }
}

fn capitalize(text: &str) -> String {
    let mut start = true;
    text.chars()
        .flat_map(|c| {
            let upper = start && c.is_alphabetic();
            start = c.is_whitespace();
            if upper { c.to_uppercase().collect::<Vec<_>>() } else { vec![c] }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_a_person_reads() {
        for (html, expected) in [
            ("a  b\n c", "a b c"),
            ("a<br>b", "a\nb"),
            ("<p>a</p><p>b</p>", "a\nb"),
            ("<div>a<div>b</div>c</div>", "a\nb\nc"),
            ("a<b style='display:none'>x</b>b", "ab"),
            ("a<b style='visibility:hidden'>x</b>b", "ab"),
            ("a&nbsp;&nbsp;b", "a  b"),
            ("<pre>a\n  b</pre>", "a\n  b"),
            ("<span style='text-transform:uppercase'>abc</span>", "ABC"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
            ("<ul><li>一</li><li>二</li></ul>", "一\n二"),
            ("<script>x</script><style>y</style>z", "z"),
            ("<select><option>a<option>b</select>", "a\nb"),
            ("<textarea>x</textarea>", ""),
        ] {
            let document =
                Document::parse("http://h.test/", &format!("<!doctype html><div id=x>{html}</div>"));
            let x = document.by_id("x").expect("x");
            assert_eq!(document.rendered_text(x), expected, "{html}");
        }
    }
}
