//! What a document's styles say about an element.
//!
//! Owns: user-agent defaults, presentational attributes, `style` elements and attributes, linked sheets that
//! were loaded, the cascade and inheritance. Does not own: boxes (`layout`), matching (`css`).
//!
//! A basic cascade: `@media` for `screen` and `all` only, other at-rules are skipped; shorthands that decide
//! about sight are taken apart, the rest stays as written.

use super::css::Selector;
use super::document::Document;
use super::layout::Boxes;
use super::mode::Mode;
use super::node::NodeId;
use std::collections::HashMap;
use std::sync::Arc;

/// Answers kept until the document changes.
#[derive(Debug, Default)]
pub(super) struct Caches {
    version: u64,
    sheet: Option<Arc<Vec<Rule>>>,
    styles: HashMap<NodeId, Arc<Style>>,
    boxes: Option<Arc<Boxes>>,
}

#[derive(Debug)]
pub(super) struct Rule {
    selector: Selector,
    declarations: Vec<Declaration>,
}

/// One declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Property, lower case.
    pub name: String,
    /// Value as written, white space trimmed.
    pub value: String,
    /// `!important`.
    pub important: bool,
}

/// Cascaded and inherited values of one element.
#[derive(Debug, Default)]
pub struct Style {
    values: Vec<(String, String)>,
}

const INHERITED: &[&str] = &[
    "color",
    "cursor",
    "direction",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "letter-spacing",
    "line-height",
    "list-style-type",
    "text-align",
    "text-transform",
    "visibility",
    "white-space",
];

const INITIAL: &[(&str, &str)] = &[
    ("background-color", "transparent"),
    ("color", "#000000"),
    ("display", "inline"),
    ("font-size", "16px"),
    ("height", "auto"),
    ("left", "auto"),
    ("opacity", "1"),
    ("overflow", "visible"),
    ("overflow-x", "visible"),
    ("overflow-y", "visible"),
    ("position", "static"),
    ("text-transform", "none"),
    ("top", "auto"),
    ("visibility", "visible"),
    ("white-space", "normal"),
    ("width", "auto"),
    ("z-index", "auto"),
];

impl Style {
    /// The value, its initial value if nothing sets it, or the empty text for unknown properties.
    pub fn get(&self, name: &str) -> &str {
        match self.values.iter().find(|(key, _)| key == name) {
            Some((_, value)) => value,
            None => INITIAL.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value),
        }
    }

    /// All values something sets, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A length in CSS pixels; a percentage is taken of `whole`.
    pub fn length(&self, name: &str, whole: f64) -> Option<f64> {
        length(self.get(name), whole)
    }

    fn set(&mut self, name: &str, value: &str) {
        match self.values.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.values.push((name.to_owned(), value.to_owned())),
        }
    }
}

/// A CSS or HTML length in pixels; a bare number counts as pixels.
pub(super) fn length(text: &str, whole: f64) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')));
    let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
    let number: f64 = number.parse().ok()?;
    Some(match unit.trim().to_ascii_lowercase().as_str() {
        "" | "px" => number,
        "%" => number * whole / 100.0,
        "pt" => number * 96.0 / 72.0,
        "em" | "rem" => number * 16.0,
        "ex" => number * 8.0,
        "in" => number * 96.0,
        "cm" => number * 96.0 / 2.54,
        "mm" => number * 96.0 / 25.4,
        _ => return None,
    })
}

/// Takes a declaration list apart. What is no declaration is left out.
pub fn declarations(text: &str) -> Vec<Declaration> {
    let mut list = Vec::new();
    for part in split_outside(&strip_comments(text), ';') {
        let Some((name, value)) = part.split_once(':') else { continue };
        let name = name.trim().to_ascii_lowercase();
        let mut value = value.trim();
        let mut important = false;
        if let Some(at) = value.rfind('!')
            && value[at + 1..].trim().eq_ignore_ascii_case("important")
        {
            (value, important) = (value[..at].trim_end(), true);
        }
        if !name.is_empty() && !value.is_empty() && !name.contains(char::is_whitespace) {
            list.push(Declaration { name, value: value.to_owned(), important });
        }
    }
    list
}

/// Splits at a character that stands outside quotes and brackets.
fn split_outside(text: &str, at: char) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (index, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') => depth = depth.saturating_sub(1),
            (None, _) if c == at && depth == 0 => {
                parts.push(&text[start..index]);
                start = index + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn strip_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at + 2..].split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

fn parse_sheet(text: &str, rules: &mut Vec<Rule>) {
    let text = strip_comments(text).replace("<!--", "").replace("-->", "");
    let mut open = vec![text.as_str()];
    while let Some(mut rest) = open.pop() {
        while let Some(brace) = rest.find(['{', ';']) {
            let prelude = rest[..brace].trim();
            if rest.as_bytes()[brace] == b';' {
                rest = &rest[brace + 1..];
                continue;
            }
            let body_start = brace + 1;
            let mut depth = 1_usize;
            let end = rest[body_start..].char_indices().find(|&(_, c)| {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            let (body, after) = match end {
                Some((at, _)) => (&rest[body_start..body_start + at], &rest[body_start + at + 1..]),
                None => (&rest[body_start..], ""),
            };
            rest = after;
            if let Some(query) = prelude.strip_prefix("@media") {
                if media_applies(query) {
                    open.push(rest);
                    rest = body;
                }
            } else if !prelude.starts_with('@')
                && let Some(selector) = Selector::parse(prelude, Mode::Ie11)
            {
                rules.push(Rule { selector, declarations: declarations(body) });
            }
        }
    }
}

fn media_applies(query: &str) -> bool {
    let query = query.trim().to_ascii_lowercase();
    query.is_empty() || query.split(',').any(|part| matches!(part.trim(), "all" | "screen" | "only screen"))
}

impl Document {
    fn cached<T>(&self, f: impl FnOnce(&mut Caches) -> T) -> T {
        let mut caches = self.caches.borrow_mut();
        if caches.version != self.version() {
            *caches = Caches { version: self.version(), ..Caches::default() };
        }
        f(&mut caches)
    }

    /// Gives a `link rel=stylesheet` the text that was loaded for it.
    pub fn set_sheet(&mut self, link: NodeId, text: String) {
        self.touch();
        self.sheets.insert(link, text);
    }

    fn sheet(&self) -> Arc<Vec<Rule>> {
        if let Some(sheet) = self.cached(|caches| caches.sheet.clone()) {
            return sheet;
        }
        let mut rules = Vec::new();
        for id in self.descendant_elements(self.root()) {
            if self.has_attribute(id, "disabled") || !media_applies(self.attribute(id, "media").unwrap_or(""))
            {
                continue;
            }
            if self.is(id, "style") {
                parse_sheet(&self.text_content(id), &mut rules);
            } else if let Some(text) = self.sheets.get(&id) {
                parse_sheet(text, &mut rules);
            }
        }
        let sheet = Arc::new(rules);
        self.cached(|caches| caches.sheet = Some(sheet.clone()));
        sheet
    }

    /// Cascaded style of an element; initial values for other nodes.
    pub fn style(&self, id: NodeId) -> Arc<Style> {
        let mut missing = Vec::new();
        let mut parent = None;
        for node in std::iter::once(id).chain(self.ancestors(id)) {
            if self.element(node).is_none() {
                break;
            }
            parent = self.cached(|caches| caches.styles.get(&node).cloned());
            if parent.is_some() {
                break;
            }
            missing.push(node);
        }
        let sheet = if missing.is_empty() { Arc::default() } else { self.sheet() };
        for node in missing.into_iter().rev() {
            let style = Arc::new(self.compute_style(node, parent.as_deref(), &sheet));
            self.cached(|caches| caches.styles.insert(node, style.clone()));
            parent = Some(style);
        }
        parent.unwrap_or_default()
    }

    /// Boxes of the whole page.
    pub fn boxes(&self) -> Arc<Boxes> {
        if let Some(boxes) = self.cached(|caches| caches.boxes.clone()) {
            return boxes;
        }
        let boxes = Arc::new(Boxes::lay_out(self));
        self.cached(|caches| caches.boxes = Some(boxes.clone()));
        boxes
    }

    fn compute_style(&self, id: NodeId, parent: Option<&Style>, sheet: &[Rule]) -> Style {
        let mut style = Style::default();
        for (name, value) in parent.iter().flat_map(|parent| parent.iter()) {
            if INHERITED.contains(&name) {
                style.set(name, value);
            }
        }
        self.user_agent(id, &mut style);
        let mut matched: Vec<(u32, &Rule)> =
            sheet.iter().filter_map(|rule| Some((rule.selector.specificity(self, id)?, rule))).collect();
        matched.sort_by_key(|(specificity, _)| *specificity);
        let inline = self.attribute(id, "style").map(declarations).unwrap_or_default();
        for important in [false, true] {
            let sheets = matched.iter().flat_map(|(_, rule)| &rule.declarations);
            for declaration in sheets.chain(&inline).filter(|d| d.important == important) {
                apply(&mut style, &declaration.name, &declaration.value, parent);
            }
        }
        style
    }

    fn user_agent(&self, id: NodeId, style: &mut Style) {
        let Some(element) = self.element(id) else { return };
        let name = &*element.name;
        let display = match name {
            "head" | "script" | "style" | "title" | "meta" | "link" | "base" | "noscript" | "template"
            | "param" | "area" | "datalist" | "noframes" => "none",
            "address" | "article" | "aside" | "blockquote" | "body" | "center" | "dd" | "dir" | "div"
            | "dl" | "dt" | "fieldset" | "figure" | "footer" | "form" | "frameset" | "frame" | "h1"
            | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hr" | "html" | "legend" | "main" | "menu"
            | "nav" | "ol" | "optgroup" | "option" | "p" | "pre" | "section" | "ul" | "xmp" => "block",
            "li" => "list-item",
            "table" => "table",
            "tr" => "table-row",
            "tbody" => "table-row-group",
            "thead" => "table-header-group",
            "tfoot" => "table-footer-group",
            "td" | "th" => "table-cell",
            "caption" => "table-caption",
            "col" => "table-column",
            "colgroup" => "table-column-group",
            "input" if self.control_type(id) == "hidden" => "none",
            "input" | "select" | "textarea" | "button" => "inline-block",
            _ => "inline",
        };
        style.set("display", display);
        match name {
            "body" => style.set("margin", "8px"),
            "p" | "ul" | "ol" | "dl" => {
                style.set("margin-top", "16px");
                style.set("margin-bottom", "16px");
            }
            "pre" | "xmp" | "textarea" => style.set("white-space", "pre"),
            "b" | "strong" | "th" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                style.set("font-weight", "700")
            }
            "em" | "i" => style.set("font-style", "italic"),
            _ => {}
        }
        if self.mode >= Mode::Ie11 && element.attribute("hidden").is_some() {
            style.set("display", "none");
        }
        if matches!(
            name,
            "table" | "td" | "th" | "img" | "iframe" | "object" | "embed" | "input" | "col" | "hr"
        ) {
            for side in ["width", "height"] {
                if let Some(value) = element.attribute(side)
                    && length(value, 0.0).is_some()
                {
                    let unit =
                        if value.trim_end().ends_with(|c: char| c.is_ascii_digit()) { "px" } else { "" };
                    style.set(side, &format!("{}{unit}", value.trim()));
                }
            }
        }
        if let Some(colour) = element.attribute("bgcolor") {
            style.set("background-color", colour);
        }
        if name == "font"
            && let Some(colour) = element.attribute("color")
        {
            style.set("color", colour);
        }
        if element.attribute("nowrap").is_some() {
            style.set("white-space", "nowrap");
        }
    }
}

/// Sets one declaration, taking shorthands apart.
fn apply(style: &mut Style, name: &str, value: &str, parent: Option<&Style>) {
    let value =
        if value.eq_ignore_ascii_case("inherit") { parent.map_or("", |p| p.get(name)) } else { value };
    match name {
        "margin" | "padding" => {
            let parts: Vec<&str> = value.split_whitespace().collect();
            let Some(&top) = parts.first() else { return };
            let right = parts.get(1).copied().unwrap_or(top);
            let bottom = parts.get(2).copied().unwrap_or(top);
            let left = parts.get(3).copied().unwrap_or(right);
            for (side, part) in [("top", top), ("right", right), ("bottom", bottom), ("left", left)] {
                style.set(&format!("{name}-{side}"), part);
            }
        }
        "overflow" => {
            style.set("overflow", value);
            style.set("overflow-x", value);
            style.set("overflow-y", value);
        }
        "background" => {
            style.set("background", value);
            if let Some(colour) = value.split_whitespace().find(|part| !part.starts_with("url(")) {
                style.set("background-color", colour);
            }
        }
        "display" | "visibility" | "position" | "overflow-x" | "overflow-y" | "float" | "text-transform"
        | "white-space" => style.set(name, &value.to_ascii_lowercase()),
        "filter" => {
            style.set(name, value);
            let lower = value.to_ascii_lowercase().replace(' ', "");
            if let Some(at) = lower.find("alpha(opacity=") {
                let digits: String = lower[at + 14..].chars().take_while(char::is_ascii_digit).collect();
                if let Ok(percent) = digits.parse::<f64>() {
                    style.set("opacity", &(percent / 100.0).to_string());
                }
            }
        }
        _ => style.set(name, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, property: &str, expected: &str) {
        let document = Document::parse("http://h.test/", html);
        let x = document.by_id("x").expect("x");
        assert_eq!(document.style(x).get(property), expected, "{html}");
    }

    #[test]
    fn the_cascade_follows_origin_specificity_and_importance() {
        for (html, property, expected) in [
            ("<div id=x>", "display", "block"),
            ("<span id=x>", "display", "inline"),
            ("<style>div{display:none}</style><div id=x>", "display", "none"),
            ("<style>#x{display:none} div{display:block}</style><div id=x>", "display", "none"),
            ("<style>#x{display:none!important}</style><div id=x style='display:block'>", "display", "none"),
            ("<style>@media print{#x{display:none}}</style><div id=x>", "display", "block"),
            ("<style>@media screen{#x{display:none}} p{}</style><div id=x>", "display", "none"),
            ("<style>/*#x{*/ a{} #x{color:red}</style><div id=x>", "color", "red"),
            ("<div style='visibility:hidden'><p id=x>", "visibility", "hidden"),
            ("<div style='position:absolute'><p id=x>", "position", "static"),
            ("<div id=x style=\"background:url('a;b') ; width:5px\">", "width", "5px"),
            ("<div id=x style='margin:1px 2px'>", "margin-left", "2px"),
            ("<div id=x style='filter:alpha(opacity=0)'>", "opacity", "0"),
            ("<div id=x hidden>", "display", "none"),
            ("<style media=print>div{display:none}</style><div id=x>", "display", "block"),
        ] {
            check(html, property, expected);
        }
    }

    #[test]
    fn a_change_is_seen_at_once() {
        let mut document = Document::parse("http://h.test/", "<div id=x>");
        let x = document.by_id("x").expect("x");
        assert_eq!(document.style(x).get("display"), "block");
        document.set_attribute(x, "style", "display:none");
        assert_eq!(document.style(x).get("display"), "none");
    }
}
