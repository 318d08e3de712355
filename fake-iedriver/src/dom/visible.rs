//! Who is displayed, who lies under whom.
//!
//! Owns: the rules of the driver's displayed check (`reference/emulator.md` section 7 rule 8, `contract.md`
//! 2.5) and the hit test. Does not own: boxes (`layout`), styles (`style`).
//!
//! Displayed, in this order: `body` is; an option is what its list is, an area what its map's picture is;
//! hidden fields and `noscript` are not; then `visibility`, `display` up the tree, opacity 0, a size of zero
//! without any displayed content, clipping by `overflow` and wholly left of or above the page.

use super::document::Document;
use super::layout::Rect;
use super::node::{NodeData, NodeId};

impl Document {
    /// True if a person could see the element.
    pub fn is_displayed(&self, id: NodeId) -> bool {
        self.is_shown(id, true)
    }

    /// Same, but opacity does not hide: what a click asks for.
    pub fn is_displayed_ignoring_opacity(&self, id: NodeId) -> bool {
        self.is_shown(id, false)
    }

    fn is_shown(&self, id: NodeId, opacity: bool) -> bool {
        if self.element(id).is_none() || !self.is_connected(id) {
            return false;
        }
        let id = match self.name(id) {
            "body" | "frameset" | "frame" | "html" => return true,
            "option" | "optgroup" => match self.ancestors(id).find(|&up| self.is(up, "select")) {
                Some(select) => select,
                None => return false,
            },
            "map" => match self.map_image(id) {
                Some(image) => image,
                None => return false,
            },
            "area" => {
                let map = self.ancestors(id).find(|&up| self.is(up, "map"));
                match map.and_then(|map| self.map_image(map)) {
                    Some(image) => image,
                    None => return false,
                }
            }
            _ => id,
        };
        if self.is(id, "noscript") || matches!(self.style(id).get("visibility"), "hidden" | "collapse") {
            return false;
        }
        for up in std::iter::once(id).chain(self.ancestors(id)) {
            if self.element(up).is_none() {
                continue;
            }
            let style = self.style(up);
            if style.get("display") == "none"
                || opacity && style.get("opacity").parse::<f64>().is_ok_and(|value| value <= 0.0)
            {
                return false;
            }
        }
        self.has_size(id) && !self.is_clipped(id)
    }

    /// A size of its own, or content with one that shows.
    fn has_size(&self, id: NodeId) -> bool {
        let boxes = self.boxes();
        let sized = |id| boxes.rect(id).is_some_and(|rect| rect.width > 0.0 && rect.height > 0.0);
        if sized(id) {
            return true;
        }
        if self.style(id).get("overflow-x") == "hidden" || self.style(id).get("overflow-y") == "hidden" {
            return false;
        }
        self.descendants(id).any(|below| match self.get(below).map(|node| node.data()) {
            Some(NodeData::Text(text)) => !text.trim().is_empty() && sized(below),
            Some(NodeData::Element(_)) => sized(below),
            _ => false,
        })
    }

    fn is_clipped(&self, id: NodeId) -> bool {
        let boxes = self.boxes();
        let Some(rect) = boxes.rect(id) else { return false };
        if rect.right() < 0.0 || rect.bottom() < 0.0 {
            return true;
        }
        let fixed = self.style(id).get("position") == "fixed";
        !fixed
            && self.ancestors(id).any(|up| {
                let hides = self.element(up).is_some() && !self.is(up, "body") && !self.is(up, "html") && {
                    let style = self.style(up);
                    style.get("overflow-x") == "hidden" || style.get("overflow-y") == "hidden"
                };
                hides && boxes.rect(up).is_some_and(|clip| rect.width > 0.0 && !clip.meets(&rect))
            })
    }

    /// Rectangle of an element; zero for one without a box. An option has its list's.
    pub fn rect(&self, id: NodeId) -> Rect {
        let boxed = match self.name(id) {
            "option" | "optgroup" => self.ancestors(id).find(|&up| self.is(up, "select")).unwrap_or(id),
            "area" => self
                .ancestors(id)
                .find(|&up| self.is(up, "map"))
                .and_then(|map| self.map_image(map))
                .unwrap_or(id),
            _ => id,
        };
        self.boxes().rect(boxed).unwrap_or_default()
    }

    /// The picture that uses an image map.
    pub fn map_image(&self, map: NodeId) -> Option<NodeId> {
        let name = self.attribute(map, "name").or_else(|| self.attribute(map, "id"))?;
        self.descendant_elements(self.root()).find(|&id| {
            (self.is(id, "img") || self.is(id, "input") || self.is(id, "object"))
                && self.attribute(id, "usemap").is_some_and(|used| used.strip_prefix('#') == Some(name))
        })
    }

    /// The element on top at a point of the page.
    pub fn element_at(&self, x: f64, y: f64) -> Option<NodeId> {
        let boxes = self.boxes();
        let mut best: Option<((i64, bool), NodeId)> = None;
        for &id in boxes.order() {
            if self.element(id).is_none() || !boxes.rect(id).is_some_and(|rect| rect.holds(x, y)) {
                continue;
            }
            let style = self.style(id);
            if style.get("visibility") == "hidden" {
                continue;
            }
            // The rectangle around an inline element that goes over lines holds other elements too: only
            // its own texts take the click.
            let texts = |child: NodeId| {
                self.element(child).is_none() && boxes.rect(child).is_some_and(|r| r.holds(x, y))
            };
            if style.get("display") == "inline"
                && !self.is_control(id)
                && !self.is(id, "img")
                && !self.children(id).any(texts)
            {
                continue;
            }
            let layer = self.layer(id);
            if best.is_none_or(|(old, _)| layer >= old) {
                best = Some((layer, id));
            }
        }
        best.map(|(_, id)| id)
    }

    /// Paint order: `z-index` of the nearest positioned element, then whether there is one.
    fn layer(&self, id: NodeId) -> (i64, bool) {
        for up in std::iter::once(id).chain(self.ancestors(id)) {
            if self.element(up).is_some() {
                let style = self.style(up);
                if style.get("position") != "static" {
                    return (style.get("z-index").parse().unwrap_or(0), true);
                }
            }
        }
        (0, false)
    }

    /// The positioned element that would take a click meant for the middle of `id`. Anything else lies
    /// beyond the layout rules and counts as free.
    pub fn covered_by(&self, id: NodeId) -> Option<NodeId> {
        let rect = self.rect(id);
        let top = self.element_at(rect.x + rect.width / 2.0, rect.y + rect.height / 2.0)?;
        if self.contains(id, top) || self.contains(top, id) {
            return None;
        }
        let floats =
            |node: &NodeId| self.element(*node).is_some() && self.style(*node).get("position") != "static";
        let over = std::iter::once(top).chain(self.ancestors(top)).find(floats)?;
        (!self.contains(over, id)).then_some(top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displayed_follows_the_drivers_rules() {
        for (html, expected) in [
            ("<p id=x>a</p>", true),
            ("<p id=x></p>", false),
            ("<p id=x style='display:none'>a</p>", false),
            ("<div style='display:none'><p id=x>a</p></div>", false),
            ("<p id=x style='visibility:hidden'>a</p>", false),
            ("<div style='visibility:hidden'><p id=x style='visibility:visible'>a</p></div>", true),
            ("<p id=x style='opacity:0'>a</p>", false),
            ("<input id=x type=hidden>", false),
            ("<input id=x>", true),
            ("<select><option id=x>a</select>", true),
            ("<select style='display:none'><option id=x>a</select>", false),
            ("<div id=x style='width:0;height:0'><b>shown</b></div>", true),
            ("<div id=x style='width:0;height:0;overflow:hidden'><b>clipped</b></div>", false),
            (
                "<div style='overflow:hidden;width:50px;height:20px'><p id=x style='margin-top:100px'>a</p></div>",
                false,
            ),
            ("<p id=x style='position:absolute;left:-999px;width:10px'>a</p>", false),
            ("<img usemap=#m src=a.gif><map name=m><area id=x href=y></map>", true),
            ("<map name=m><area id=x href=y></map>", false),
            ("<p id=x hidden>a</p>", false),
            ("<noscript id=x>a</noscript>", false),
        ] {
            let document = Document::parse("http://h.test/", &format!("<!doctype html><body>{html}"));
            let x = document.by_id("x").expect("x");
            assert_eq!(document.is_displayed(x), expected, "{html}");
        }
    }

    #[test]
    fn a_link_over_two_lines_covers_only_its_words() {
        let html = "<!doctype html><body><a id=a href=x>first link</a> <a id=b href=y>two<br>lines of it</a>";
        let document = Document::parse("http://h.test/", html);
        let (a, b) = (document.by_id("a").unwrap(), document.by_id("b").unwrap());
        let middle = document.rect(a);
        assert_eq!(document.element_at(middle.x + middle.width / 2.0, middle.y + 5.0), Some(a));
        assert_eq!(document.element_at(middle.x + 5.0, middle.y + middle.height + 5.0), Some(b));
    }

    #[test]
    fn a_positioned_layer_takes_the_click() {
        let html = "<!doctype html><body style='margin:0'><a id=x href=y>link</a>\
            <div id=layer style='position:absolute;left:0;top:0;width:500px;height:300px'>menu</div>";
        let mut document = Document::parse("http://h.test/", html);
        let (x, layer) = (document.by_id("x").unwrap(), document.by_id("layer").unwrap());
        assert_eq!(document.covered_by(x), Some(layer));
        assert_eq!(document.covered_by(layer), None);
        document.set_attribute(layer, "style", "display:none");
        assert_eq!(document.covered_by(x), None);
    }
}
