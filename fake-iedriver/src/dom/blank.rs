//! White space that old document modes keep out of the tree.
//!
//! Owns: which texts of white space modes 5 to 8 drop: between blocks and parts of tables and lists
//! (`reference/emulator.md` section 6.2). Does not own: when it is dropped (`browser::load`).

use super::document::Document;
use super::mode::Mode;
use super::node::{NodeData, NodeId};

/// Elements whose direct text of white space means nothing.
const PARTS: &[&str] = &[
    "html", "head", "frameset", "table", "thead", "tbody", "tfoot", "tr", "colgroup", "select", "optgroup",
    "ul", "ol", "dl",
];

/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "address",
    "blockquote",
    "body",
    "center",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "legend",
    "li",
    "link",
    "menu",
    "meta",
    "ol",
    "option",
    "p",
    "pre",
    "script",
    "select",
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
    "br",
];

/// Elements whose white space is what they are about.
const KEPT: &[&str] = &["pre", "textarea", "script", "style", "title", "xmp", "option"];

impl Document {
    /// Drops white space that modes 5 to 8 do not have, below `top`. Nothing in later modes.
    pub fn drop_blanks(&mut self, top: NodeId) {
        if self.mode >= Mode::Ie9 {
            return;
        }
        let blanks: Vec<NodeId> = self.descendants(top).filter(|&id| self.is_dropped(id)).collect();
        for id in blanks {
            self.remove(id);
        }
    }

    fn is_dropped(&self, id: NodeId) -> bool {
        let Some(NodeData::Text(text)) = self.get(id).map(|node| node.data()) else { return false };
        if !text.chars().all(|letter| letter.is_ascii_whitespace()) {
            return false;
        }
        let Some(parent) = self.parent(id) else { return false };
        if std::iter::once(parent).chain(self.ancestors(parent)).any(|above| KEPT.contains(&self.name(above)))
        {
            return false;
        }
        if PARTS.contains(&self.name(parent)) {
            return true;
        }
        let block = |id: NodeId| BLOCKS.contains(&self.name(id));
        let edge = block(parent);
        let before = self.previous_sibling(id).map_or(edge, block);
        let after = self.next_sibling(id).map_or(edge, block);
        before || after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_between_blocks_is_gone_up_to_mode_8_and_stays_between_words() {
        let html = "<body> <div> <b>a</b> <i>b</i> </div> <p>x</p> <table> <tr> <td> c </td> </tr> </table> <pre> </pre>";
        let text = |mode: Mode| {
            let mut document = Document::parse("about:blank", html);
            document.mode = mode;
            document.drop_blanks(document.root());
            let body = document.body().unwrap();
            document.descendants(body).filter(|&id| document.character_data(id).is_some()).count()
        };
        // a, the blank behind it, b, x, c and the blank in `pre`.
        assert_eq!(text(Mode::Ie8), 6);
        assert!(text(Mode::Ie9) > 10);
    }
}
