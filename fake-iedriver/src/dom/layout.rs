//! Rectangles by rules.
//!
//! Owns: one pass that gives every element a plausible rectangle (`reference/emulator.md` section 7).
//! Does not own: who is displayed (`visible`), painting.
//!
//! Promised: order, containment, zero or not. Not promised: IE's pixels. The rules:
//! 1. Viewport 1024 x 768; text in a fixed pitch of 7 px (14 px East Asian), lines of 18 px, words wrap.
//! 2. Blocks stack and fill their container; margins and paddings in px count, they do not collapse.
//! 3. Inline content flows; an inline element's rectangle is the union of its pieces.
//! 4. `inline-block`, floats, cells and what is out of flow shrink to their content.
//! 5. Controls have fixed sizes by type; `width` and `height` win.
//! 6. Cells stand side by side, a row is as high as its tallest cell. `rowspan` is not followed.
//! 7. `absolute` and `fixed` stand at `left`/`top` of the positioned ancestor; `relative` shifts.
//!
//! The walk keeps its own stack, so depth costs memory only.

use super::document::Document;
use super::node::{NodeData, NodeId};
use super::style::{Style, length};
use std::collections::HashMap;
use std::sync::Arc;

/// Width of the viewport in CSS pixels.
pub const VIEWPORT_WIDTH: f64 = 1024.0;
/// Height of the viewport in CSS pixels.
pub const VIEWPORT_HEIGHT: f64 = 768.0;
const CHAR: f64 = 7.0;
const LINE: f64 = 18.0;

/// A rectangle in page coordinates, CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// True if the point lies inside.
    pub fn holds(&self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }

    /// True if the two share more than an edge.
    pub fn meets(&self, other: &Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    fn union(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self {
            x,
            y,
            width: self.right().max(other.right()) - x,
            height: self.bottom().max(other.bottom()) - y,
        }
    }
}

/// Rectangles of all elements and texts that have a box.
#[derive(Debug, Default)]
pub struct Boxes {
    rects: HashMap<NodeId, Rect>,
    /// Boxes in the order they were met, for painting.
    order: Vec<NodeId>,
}

impl Boxes {
    /// The rectangle, or none if the node has no box.
    pub fn rect(&self, id: NodeId) -> Option<Rect> {
        self.rects.get(&id).copied()
    }

    /// Nodes with a box in document order.
    pub fn order(&self) -> &[NodeId] {
        &self.order
    }

    /// Lays out the whole page.
    pub(super) fn lay_out(document: &Document) -> Self {
        let mut pass = Pass { document, boxes: Self::default(), open: Vec::new(), flows: Vec::new() };
        pass.flows.push(Flow::new(0.0, 0.0, VIEWPORT_WIDTH));
        if let Some(top) = document.document_element() {
            pass.run(top);
        }
        pass.boxes
    }
}

/// Where the next thing goes inside a block.
#[derive(Clone, Copy, Debug)]
struct Flow {
    left: f64,
    right: f64,
    x: f64,
    y: f64,
    line: f64,
    max_x: f64,
}

impl Flow {
    fn new(left: f64, top: f64, width: f64) -> Self {
        Self { left, right: left + width.max(0.0), x: left, y: top, line: 0.0, max_x: left }
    }

    fn end_line(&mut self) {
        if self.line > 0.0 {
            self.y += self.line;
        }
        (self.x, self.line) = (self.left, 0.0);
    }

    /// Places a piece of this size, on the next line if it does not fit.
    fn place(&mut self, width: f64, height: f64, wraps: bool) -> Rect {
        if wraps && self.x > self.left && self.x + width > self.right + 0.01 {
            self.end_line();
        }
        let rect = Rect { x: self.x, y: self.y, width, height };
        self.x += width;
        self.line = self.line.max(height);
        self.max_x = self.max_x.max(self.x);
        rect
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Inline,
    Block,
    Shrunk,
    Row,
    Cell,
    OutOfFlow,
}

struct Open {
    id: NodeId,
    kind: Kind,
    /// Inline: union of pieces. Others: the outer corner and, until the end, the width.
    rect: Option<Rect>,
    style: Arc<Style>,
    shift: (f64, f64),
    positioned: bool,
}

struct Pass<'d> {
    document: &'d Document,
    boxes: Boxes,
    open: Vec<Open>,
    flows: Vec<Flow>,
}

impl Pass<'_> {
    fn run(&mut self, top: NodeId) {
        let mut next = Some(top);
        while let Some(id) = next {
            let inside = self.enter(id);
            if inside && let Some(child) = self.document.first_child(id) {
                next = Some(child);
                continue;
            }
            let mut at = id;
            if inside {
                self.leave();
            }
            next = loop {
                if at == top {
                    break None;
                }
                if let Some(sibling) = self.document.next_sibling(at) {
                    break Some(sibling);
                }
                let Some(parent) = self.document.parent(at) else { break None };
                at = parent;
                self.leave();
            };
        }
    }

    fn flow(&mut self) -> &mut Flow {
        let last = self.flows.len() - 1;
        &mut self.flows[last]
    }

    /// Opens an element and tells whether to go inside; text is placed at once.
    fn enter(&mut self, id: NodeId) -> bool {
        match self.document.get(id).map(|node| node.data()) {
            Some(NodeData::Text(text)) => {
                self.text(id, text);
                return false;
            }
            Some(NodeData::Element(_)) => {}
            _ => return false,
        }
        let style = self.document.style(id);
        let display = style.get("display");
        if display == "none" || matches!(display, "table-column" | "table-column-group") {
            return false;
        }
        if self.document.is(id, "br") {
            let rect = self.flow().place(0.0, LINE, false);
            self.note(id, rect);
            self.flow().end_line();
            return false;
        }
        let position = style.get("position");
        let out = matches!(position, "absolute" | "fixed");
        let available = self.flow().right - self.flow().left;
        if let Some((width, height)) = self.fixed_size(id, &style, available) {
            self.replaced(id, &style, width, height, out);
            return false;
        }
        let floats = matches!(style.get("float"), "left" | "right");
        let kind = match display {
            _ if out => Kind::OutOfFlow,
            _ if floats => Kind::Shrunk,
            "inline" => Kind::Inline,
            "inline-block" | "inline-table" => Kind::Shrunk,
            "table-row" => Kind::Row,
            "table-cell" => Kind::Cell,
            _ => Kind::Block,
        };
        let mut shift = (0.0, 0.0);
        if position == "relative" {
            shift = (style.length("left", available).unwrap_or(0.0), style.length("top", 0.0).unwrap_or(0.0));
        }
        let rect = (kind != Kind::Inline).then(|| self.open_box(&style, kind, shift, available, display));
        if kind == Kind::Inline && shift != (0.0, 0.0) {
            let flow = self.flow();
            (flow.x, flow.y) = (flow.x + shift.0, flow.y + shift.1);
        }
        self.boxes.order.push(id);
        let positioned = position != "static";
        self.open.push(Open { id, kind, rect, style, shift, positioned });
        true
    }

    /// Pushes the flow of a new box; gives its outer corner and width.
    fn open_box(
        &mut self,
        style: &Style,
        kind: Kind,
        shift: (f64, f64),
        available: f64,
        display: &str,
    ) -> Rect {
        let side = |name: &str| style.length(name, available).unwrap_or(0.0);
        let (left, right) = (side("margin-left"), side("margin-right"));
        let padding = side("padding-left") + side("padding-right");
        let (x, y) = match kind {
            Kind::OutOfFlow => {
                let origin = self
                    .open
                    .iter()
                    .rev()
                    .find(|open| open.positioned)
                    .and_then(|open| open.rect)
                    .map_or((0.0, 0.0), |rect| (rect.x, rect.y));
                let here = *self.flow();
                let at = |name, origin: f64, auto| style.length(name, 0.0).map_or(auto, |v| origin + v);
                (at("left", origin.0, here.x), at("top", origin.1, here.y))
            }
            Kind::Shrunk | Kind::Cell => (self.flow().x, self.flow().y),
            _ => {
                self.flow().end_line();
                (self.flow().left, self.flow().y)
            }
        };
        let (x, y) = (x + left + shift.0, y + side("margin-top") + shift.1);
        let declared = style.length("width", available);
        let width = match (declared, kind) {
            (Some(width), _) => width + padding,
            (None, Kind::Block | Kind::Row) if display != "table" => available - left - right,
            (None, _) => (self.flow().right - x).max(available * 0.25),
        };
        let inner = (width - padding).max(0.0);
        self.flows.push(Flow::new(x + side("padding-left"), y + side("padding-top"), inner));
        Rect { x, y, width, height: 0.0 }
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let style = &open.style;
        if open.kind == Kind::Inline {
            let flow = self.flow();
            (flow.x, flow.y) = (flow.x - open.shift.0, flow.y - open.shift.1);
            let rect = open.rect.unwrap_or(Rect { x: flow.x, y: flow.y, width: 0.0, height: 0.0 });
            self.boxes.rects.insert(open.id, rect);
            if open.rect.is_some() {
                self.extend_parent(rect);
            }
            return;
        }
        let (Some(mut inner), Some(mut rect)) = (self.flows.pop(), open.rect) else { return };
        inner.end_line();
        let available = self.flow().right - self.flow().left;
        let side = |name: &str| style.length(name, available).unwrap_or(0.0);
        let fits = !matches!(open.kind, Kind::Block | Kind::Row) || style.get("display") == "table";
        if fits && style.length("width", available).is_none() {
            rect.width = inner.max_x - rect.x + side("padding-right");
        }
        let content = inner.y + side("padding-bottom") - rect.y;
        let paddings = side("padding-top") + side("padding-bottom");
        rect.height = style.length("height", 0.0).map_or(content, |height| height + paddings);
        if self.document.is(open.id, "body") || self.document.is(open.id, "html") {
            rect.height = rect.height.max(VIEWPORT_HEIGHT - rect.y * 2.0);
        }
        self.boxes.rects.insert(open.id, rect);
        let (right, bottom) = (rect.right() - open.shift.0, rect.bottom() - open.shift.1);
        match open.kind {
            Kind::OutOfFlow => return,
            Kind::Shrunk | Kind::Cell => {
                let flow = self.flow();
                flow.x = right + side("margin-right");
                flow.line = flow.line.max(bottom + side("margin-bottom") - flow.y);
                flow.max_x = flow.max_x.max(flow.x);
            }
            Kind::Row => {
                for cell in self.document.child_elements(open.id) {
                    if let Some(cell) = self.boxes.rects.get_mut(&cell) {
                        cell.height = rect.height;
                    }
                }
                let flow = self.flow();
                flow.y = bottom;
                flow.max_x = flow.max_x.max(inner.max_x);
            }
            _ => {
                let declared = style.length("width", available).is_some();
                let flow = self.flow();
                flow.y = bottom + side("margin-bottom");
                let reach = if declared { right } else { inner.max_x };
                flow.max_x = flow.max_x.max(reach + side("margin-right"));
            }
        }
        self.extend_parent(rect);
    }

    fn extend_parent(&mut self, rect: Rect) {
        if let Some(parent) = self.open.last_mut()
            && parent.kind == Kind::Inline
        {
            parent.rect = Some(parent.rect.map_or(rect, |old| old.union(rect)));
        }
    }

    fn note(&mut self, id: NodeId, rect: Rect) {
        self.boxes.rects.insert(id, rect);
        self.boxes.order.push(id);
        self.extend_parent(rect);
    }

    fn replaced(&mut self, id: NodeId, style: &Style, width: f64, height: f64, out: bool) {
        if out {
            let rect = self.open_box(style, Kind::OutOfFlow, (0.0, 0.0), width, "block");
            self.flows.pop();
            self.note(id, Rect { width, height, ..rect });
            return;
        }
        if style.get("display") == "block" {
            self.flow().end_line();
        }
        let (left, top) =
            (style.length("margin-left", 0.0).unwrap_or(0.0), style.length("margin-top", 0.0).unwrap_or(0.0));
        let place = self.flow().place(width + left, height + top, true);
        let mut rect = Rect { x: place.x + left, y: place.y + top, width, height };
        if style.get("position") == "relative" {
            rect.x += style.length("left", 0.0).unwrap_or(0.0);
            rect.y += style.length("top", 0.0).unwrap_or(0.0);
        }
        self.note(id, rect);
        if style.get("display") == "block" {
            self.flow().end_line();
        }
    }

    /// Size of an element whose content does not decide it.
    fn fixed_size(&self, id: NodeId, style: &Style, available: f64) -> Option<(f64, f64)> {
        let document = self.document;
        let label = |text: &str| text_width(text) + 16.0;
        let (width, height) = match document.name(id) {
            "input" => match document.control_type(id) {
                "checkbox" | "radio" => (13.0, 13.0),
                "button" | "reset" | "submit" => {
                    let text = document.value(id).unwrap_or_default();
                    (label(if text.is_empty() { "Submit" } else { &text }), 22.0)
                }
                "image" => (20.0, 20.0),
                "file" => (230.0, 22.0),
                _ => (153.0, 22.0),
            },
            "select" => {
                let size = document.attribute(id, "size").and_then(|s| s.trim().parse::<f64>().ok());
                let rows = size.unwrap_or(if document.has_attribute(id, "multiple") { 4.0 } else { 1.0 });
                (100.0, 4.0 + LINE * rows.clamp(1.0, 100.0))
            }
            "textarea" => (164.0, 40.0),
            "img" => match document.attribute(id, "src") {
                Some(_) => (28.0, 30.0),
                None => (0.0, 0.0),
            },
            "iframe" | "object" | "embed" => (300.0, 150.0),
            "frame" => (VIEWPORT_WIDTH, VIEWPORT_HEIGHT),
            "hr" => (available, 2.0),
            _ => return None,
        };
        Some((
            style.length("width", available).unwrap_or(width).max(0.0),
            style.length("height", 0.0).unwrap_or(height).max(0.0),
        ))
    }

    fn text(&mut self, id: NodeId, text: &str) {
        let Some(parent) = self.open.last() else { return };
        let space = parent.style.get("white-space").to_owned();
        let keeps = space.starts_with("pre");
        let blank = text.bytes().all(|byte| byte.is_ascii_whitespace());
        if blank && !keeps {
            let flow = self.flow();
            if flow.x > flow.left && !text.is_empty() {
                flow.x += CHAR;
            }
            return;
        }
        let small = length(parent.style.get("font-size"), 16.0) == Some(0.0);
        let mut all: Option<Rect> = None;
        let mut add = |rect: Rect| all = Some(all.map_or(rect, |old| old.union(rect)));
        let flow = self.flow();
        if keeps {
            for (n, line) in text.split('\n').enumerate() {
                if n > 0 {
                    flow.line = flow.line.max(LINE);
                    flow.end_line();
                }
                add(flow.place(text_width(line), LINE, false));
            }
        } else {
            let wraps = space != "nowrap";
            if text.starts_with(|c: char| c.is_ascii_whitespace()) && flow.x > flow.left {
                flow.x += CHAR;
            }
            for (n, word) in text.split_ascii_whitespace().enumerate() {
                if n > 0 {
                    flow.x += CHAR;
                }
                add(flow.place(text_width(word), LINE, wraps));
            }
            if text.ends_with(|c: char| c.is_ascii_whitespace()) {
                flow.x += CHAR;
            }
        }
        if let Some(rect) = all.filter(|_| !small) {
            self.note(id, rect);
        }
    }
}

fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if is_wide(c) { 2.0 * CHAR } else { CHAR }).sum()
}

/// East Asian characters take two columns.
pub(super) fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F300..=0x1F64F | 0x20000..=0x3FFFD)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rects<const N: usize>(html: &str, ids: [&str; N]) -> [Rect; N] {
        let document = Document::parse("http://h.test/", html);
        let boxes = document.boxes();
        ids.map(|id| boxes.rect(document.by_id(id).expect(id)).unwrap_or_default())
    }

    #[test]
    fn blocks_stack_and_inlines_flow() {
        let [a, b, c, d] = rects(
            "<!doctype html><div id=a>one</div><div id=b><span id=c>x</span><input id=d></div>",
            ["a", "b", "c", "d"],
        );
        assert!(a.bottom() <= b.y && a.width == b.width && a.width > 900.0);
        assert!(c.right() <= d.x && b.height >= d.height && d.width == 153.0);
    }

    #[test]
    fn cells_stand_side_by_side_in_rows() {
        let [a, b, c] =
            rects("<table><tr><td id=a>one<td id=b>two<br>lines<tr><td id=c>three</table>", ["a", "b", "c"]);
        assert!(
            a.right() <= b.x && a.y == b.y && a.height == b.height && c.y >= a.bottom(),
            "{a:?} {b:?} {c:?}"
        );
    }

    #[test]
    fn positions_are_taken_from_the_style() {
        let [a, b, r] = rects(
            "<div id=a style='position:absolute;left:100px;top:50px;width:30px;height:20px'>\
             <i id=b style='position:absolute;left:5px;top:6px'>x</i></div>\
             <p id=r style='position:relative;left:-500px;width:10px;height:10px'></p>",
            ["a", "b", "r"],
        );
        assert_eq!(a, Rect { x: 100.0, y: 50.0, width: 30.0, height: 20.0 });
        assert_eq!((b.x, b.y), (105.0, 56.0));
        assert!(r.right() < 0.0);
    }

    #[test]
    fn a_tree_100_000_deep_is_laid_out_without_recursion() {
        let mut document = Document::parse("http://h.test/", "<body>");
        let mut at = document.body().expect("body");
        for _ in 0..100_000 {
            let div = document.create_element("div");
            document.link(at, div, None);
            at = div;
        }
        let text = document.create_text("x");
        document.link(at, text, None);
        assert!(document.boxes().rect(at).expect("box").height > 0.0);
        let copy = document.clone_node(document.root(), true).expect("copy");
        assert_eq!(document.descendants(copy).count(), 100_004);
    }
}
