//! Attributes and properties as each document mode confuses them.
//!
//! Owns: `getAttribute` and `setAttribute` per mode (`reference/emulator.md` section 6.2), lookups by id and
//! name per mode, the driver's attribute command. Does not own: script objects; the engine turns [`Answer`]
//! into values.

use super::document::Document;
use super::mode::Mode;
use super::node::NodeId;

/// What `getAttribute` gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No such attribute.
    Null,
    /// A text.
    Text(String),
    /// A boolean (modes 5 and 7).
    Boolean(bool),
    /// A number (modes 5 and 7: `maxLength`, `tabIndex` and the like).
    Number(i64),
    /// The element's style object (modes 5 and 7).
    StyleObject,
    /// The function of a handler attribute (modes 5 and 7).
    Handler(String),
}

/// Attributes that the driver reports as `"true"` or nothing.
const BOOLEAN: &[&str] = &[
    "async",
    "autofocus",
    "autoplay",
    "checked",
    "compact",
    "controls",
    "declare",
    "default",
    "defer",
    "disabled",
    "draggable",
    "formnovalidate",
    "hidden",
    "indeterminate",
    "ismap",
    "loop",
    "multiple",
    "muted",
    "nohref",
    "noresize",
    "noshade",
    "novalidate",
    "nowrap",
    "open",
    "pubdate",
    "readonly",
    "required",
    "reversed",
    "scoped",
    "seamless",
    "selected",
    "spellcheck",
    "truespeed",
    "willvalidate",
];

/// Names that modes 5 and 7 know under the property's name only.
const PROPERTY_NAMES: &[(&str, &str)] =
    &[("classname", "class"), ("htmlfor", "for"), ("httpequiv", "http-equiv")];

impl Document {
    /// `getAttribute(name)`.
    pub fn get_attribute(&self, id: NodeId, name: &str) -> Answer {
        let lower = name.to_ascii_lowercase();
        let text = |value: Option<&str>| value.map_or(Answer::Null, |value| Answer::Text(value.to_owned()));
        if self.mode >= Mode::Ie8 {
            return text(self.attribute(id, &lower));
        }
        if lower == "class" {
            return Answer::Null;
        }
        if let Some((_, attribute)) = PROPERTY_NAMES.iter().find(|(property, _)| *property == lower) {
            return text(self.attribute(id, attribute));
        }
        match lower.as_str() {
            "style" => Answer::StyleObject,
            "checked" => Answer::Boolean(self.checked(id)),
            "selected" => Answer::Boolean(self.selected(id)),
            "disabled" | "multiple" | "readonly" | "nowrap" | "noshade" | "ismap" | "defer" => {
                Answer::Boolean(self.has_attribute(id, &lower))
            }
            "value" if self.is_control(id) => self.value(id).map_or(Answer::Null, Answer::Text),
            "href" | "src" => match self.attribute(id, &lower) {
                Some(value) => Answer::Text(self.resolve(value)),
                None => Answer::Null,
            },
            "maxlength" if self.is_text_control(id) => {
                let declared = self.attribute(id, "maxlength").and_then(|value| value.trim().parse().ok());
                Answer::Number(declared.unwrap_or(i64::from(i32::MAX)))
            }
            "colspan" | "rowspan" if self.is(id, "td") || self.is(id, "th") => {
                let declared = self.attribute(id, &lower).and_then(|value| value.trim().parse().ok());
                Answer::Number(declared.unwrap_or(1))
            }
            _ if lower.starts_with("on") => match self.attribute(id, &lower) {
                Some(source) => Answer::Handler(source.to_owned()),
                None => Answer::Null,
            },
            _ => text(self.attribute(id, &lower)),
        }
    }

    /// `setAttribute(name, value)`; in modes 5 and 7 some names have no effect.
    pub fn put_attribute(&mut self, id: NodeId, name: &str, value: &str) {
        let lower = name.to_ascii_lowercase();
        if self.mode >= Mode::Ie8 {
            self.set_attribute(id, &lower, value);
            return;
        }
        if matches!(lower.as_str(), "class" | "style") || lower.starts_with("on") {
            return;
        }
        let name = PROPERTY_NAMES.iter().find(|(property, _)| *property == lower).map_or(&*lower, |(_, a)| a);
        self.set_attribute(id, name, value);
        match name {
            "value" if self.is_text_control(id) => self.set_value(id, value),
            "checked" => self.set_checked(id, true),
            _ => {}
        }
    }

    /// `getElementById`: modes 5 and 7 match `name` too and ignore case.
    pub fn element_by_id(&self, wanted: &str) -> Option<NodeId> {
        if self.mode >= Mode::Ie8 {
            return self.by_id(wanted);
        }
        self.descendant_elements(self.root()).find(|&id| {
            ["id", "name"].iter().any(|key| {
                self.attribute(id, key).is_some_and(|value| value.eq_ignore_ascii_case(wanted))
                    && (*key == "id" || !self.is(id, "meta"))
            })
        })
    }

    /// `getElementsByName`: modes up to 9 match `id` too.
    pub fn elements_by_name(&self, wanted: &str) -> Vec<NodeId> {
        self.descendant_elements(self.root())
            .filter(|&id| {
                self.attribute(id, "name") == Some(wanted)
                    || self.mode <= Mode::Ie9 && self.attribute(id, "id") == Some(wanted)
            })
            .collect()
    }

    /// The driver's attribute command, the mix of attribute and property of the Selenium atom: boolean ones
    /// are `"true"` or nothing, `value` is the current one, addresses are absolute.
    pub fn driver_attribute(&self, id: NodeId, name: &str) -> Option<String> {
        let lower = name.to_ascii_lowercase();
        let lower = match lower.as_str() {
            "classname" => "class",
            "htmlfor" => "for",
            other => other,
        };
        let truth = |value: bool| value.then(|| "true".to_owned());
        match lower {
            "checked" | "selected" => {
                return truth(if self.is(id, "option") { self.selected(id) } else { self.checked(id) });
            }
            "disabled" => return truth(self.is_disabled(id)),
            "value" => {
                return match self.value(id) {
                    Some(value) => Some(value),
                    None => self.attribute(id, "value").map(str::to_owned),
                };
            }
            "type" if self.is_control(id) => return Some(self.control_type(id).to_owned()),
            "href" if matches!(self.name(id), "a" | "area" | "link" | "base") => {
                return self.attribute(id, "href").map(|value| self.resolve(value));
            }
            "src" if matches!(self.name(id), "img" | "iframe" | "frame" | "script" | "input" | "embed") => {
                return self.attribute(id, "src").map(|value| self.resolve(value));
            }
            "style" => {
                let list = super::style::declarations(self.attribute(id, "style").unwrap_or_default());
                return Some(
                    list.iter().map(|d| format!("{}: {};", d.name, d.value)).collect::<Vec<_>>().join(" "),
                );
            }
            _ if BOOLEAN.contains(&lower) => return truth(self.has_attribute(id, lower)),
            _ => {}
        }
        if let Some(value) = self.attribute(id, lower) {
            return Some(value.to_owned());
        }
        match lower {
            "class" | "id" | "name" | "title" if self.element(id).is_some() => Some(String::new()),
            "tagname" | "nodename" => Some(self.name(id).to_ascii_uppercase()),
            "text" | "innertext" => Some(self.rendered_text(id)),
            "textcontent" => Some(self.text_content(id)),
            "innerhtml" => Some(self.inner_html(id)),
            "outerhtml" => Some(self.outer_html(id)),
            "selectedindex" if self.is(id, "select") => Some(self.selected_index(id).to_string()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mode: Mode, name: &str, expected: Answer) {
        let html = "<a id=x class=k href=y style='color:red' onclick='go()'>a</a>";
        let mut document = Document::parse("http://h.test/", html);
        document.mode = mode;
        let x = document.by_id("x").expect("x");
        assert_eq!(document.get_attribute(x, name), expected, "{name} in {mode:?}");
    }

    #[test]
    fn get_attribute_differs_by_mode() {
        let text = |value: &str| Answer::Text(value.to_owned());
        check(Mode::Ie11, "class", text("k"));
        check(Mode::Ie7, "class", Answer::Null);
        check(Mode::Ie7, "className", text("k"));
        check(Mode::Ie8, "className", Answer::Null);
        check(Mode::Ie11, "href", text("y"));
        check(Mode::Ie5, "href", text("http://h.test/y"));
        check(Mode::Ie8, "style", text("color:red"));
        check(Mode::Ie7, "style", Answer::StyleObject);
        check(Mode::Ie7, "onclick", Answer::Handler("go()".into()));
        check(Mode::Ie7, "disabled", Answer::Boolean(false));
    }

    #[test]
    fn old_modes_find_names_as_ids() {
        let mut document = Document::parse("http://h.test/", "<input name=Q><p id=n>");
        assert_eq!(document.element_by_id("q"), None);
        assert_eq!(document.elements_by_name("n").len(), 0);
        document.mode = Mode::Ie7;
        assert!(document.element_by_id("q").is_some());
        assert_eq!(document.elements_by_name("n").len(), 1);
    }

    #[test]
    fn the_drivers_attribute_mixes_attribute_and_property() {
        let mut document = Document::parse(
            "http://h.test/d/",
            "<a id=a href=y>x</a><input id=i type=checkbox checked readonly><input id=t value=old>",
        );
        let [a, i, t] = ["a", "i", "t"].map(|id| document.by_id(id).expect(id));
        document.set_value(t, "new");
        document.set_checked(i, false);
        for (id, name, expected) in [
            (a, "href", Some("http://h.test/d/y")),
            (i, "checked", None),
            (i, "readonly", Some("true")),
            (i, "type", Some("checkbox")),
            (t, "value", Some("new")),
            (t, "disabled", None),
            (t, "nosuch", None),
            (t, "class", Some("")),
        ] {
            assert_eq!(document.driver_attribute(id, name).as_deref(), expected, "{name}");
        }
    }
}
