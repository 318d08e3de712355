//! State of form controls.
//!
//! Owns: values, checkedness, selectedness, radio groups, defaults, reset, who is disabled, which form a
//! control belongs to (HTML, form controls). Does not own: submission (`submit`), events.

use super::document::Document;
use super::mode::Mode;
use super::node::NodeId;

/// What a person or a script did to a control; none of it is visible in attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlState {
    /// Current text of a text field or text area.
    pub value: Option<String>,
    /// Check box or radio button.
    pub checked: Option<bool>,
    /// Option.
    pub selected: Option<bool>,
    /// Check box drawn as neither.
    pub indeterminate: bool,
    /// Chosen files of a file field, absolute paths.
    pub files: Vec<String>,
}

const INPUT_TYPES: &[&str] = &[
    "button", "checkbox", "email", "file", "hidden", "image", "number", "password", "radio", "range",
    "reset", "search", "submit", "tel", "text", "url",
];
const INPUT_TYPES_SINCE_10: &[&str] = &["email", "number", "range", "search", "tel", "url"];

impl Document {
    /// State that differs from the defaults.
    pub fn control_state(&self, id: NodeId) -> Option<&ControlState> {
        self.element(id)?.control.as_deref()
    }

    /// State to change; counts as a change of the document. None for other nodes than elements.
    pub fn control_state_mut(&mut self, id: NodeId) -> Option<&mut ControlState> {
        self.touch();
        Some(self.element_mut(id)?.control.get_or_insert_default())
    }

    /// Property `type` of a control, lower case; empty for other elements. An unknown type is `text`.
    pub fn control_type(&self, id: NodeId) -> &'static str {
        let declared = self.attribute(id, "type").unwrap_or_default();
        match self.name(id) {
            "input" => INPUT_TYPES
                .iter()
                .find(|known| known.eq_ignore_ascii_case(declared))
                .filter(|known| self.mode >= Mode::Ie10 || !INPUT_TYPES_SINCE_10.contains(known))
                .copied()
                .unwrap_or("text"),
            "button" => match declared.to_ascii_lowercase().as_str() {
                "button" => "button",
                "reset" => "reset",
                "submit" => "submit",
                _ if self.mode <= Mode::Ie7 => "button",
                _ => "submit",
            },
            "select" if self.has_attribute(id, "multiple") => "select-multiple",
            "select" => "select-one",
            "textarea" => "textarea",
            _ => "",
        }
    }

    /// True for `input`, `select`, `textarea` and `button`.
    pub fn is_control(&self, id: NodeId) -> bool {
        self.element(id)
            .is_some_and(|e| e.is("input") || e.is("select") || e.is("textarea") || e.is("button"))
    }

    /// True if the control takes text from the keyboard.
    pub fn is_text_control(&self, id: NodeId) -> bool {
        match self.control_type(id) {
            "textarea" => true,
            "text" | "password" | "email" | "number" | "search" | "tel" | "url" => self.is(id, "input"),
            _ => false,
        }
    }

    /// True if the element is disabled, by itself or by its group or field set.
    pub fn is_disabled(&self, id: NodeId) -> bool {
        let Some(element) = self.element(id) else { return false };
        let own = element.attribute("disabled").is_some();
        if element.is("option") || element.is("optgroup") {
            return own
                || self
                    .parent(id)
                    .is_some_and(|up| self.is(up, "optgroup") && self.has_attribute(up, "disabled"));
        }
        if element.is("fieldset") {
            return own;
        }
        self.is_control(id) && (own || self.in_disabled_fieldset(id))
    }

    fn in_disabled_fieldset(&self, id: NodeId) -> bool {
        let mut below = id;
        for up in self.ancestors(id) {
            if self.is(up, "fieldset") && self.has_attribute(up, "disabled") {
                let legend = self.child_elements(up).find(|&child| self.is(child, "legend"));
                if legend != Some(below) {
                    return true;
                }
            }
            below = up;
        }
        false
    }

    /// Property `value` of a control, option, button or list item; none for elements without one.
    pub fn value(&self, id: NodeId) -> Option<String> {
        let state = self.control_state(id).and_then(|state| state.value.clone());
        let attribute = || self.attribute(id, "value").unwrap_or_default().to_owned();
        Some(match self.name(id) {
            "input" => match self.control_type(id) {
                "checkbox" | "radio" => {
                    state.or_else(|| self.attribute(id, "value").map(str::to_owned)).unwrap_or("on".into())
                }
                "file" => self
                    .control_state(id)
                    .and_then(|state| state.files.first())
                    .map(|path| format!("C:\\fakepath\\{}", path.rsplit(['/', '\\']).next().unwrap_or(path)))
                    .unwrap_or_default(),
                kind if self.is_text_control(id) || kind == "range" => {
                    state.unwrap_or_else(|| attribute().replace(['\r', '\n'], ""))
                }
                _ => state.unwrap_or_else(attribute),
            },
            "textarea" => state.unwrap_or_else(|| normalize_lines(&self.text_content(id))),
            "select" => {
                self.selected_options(id).first().and_then(|&option| self.value(option)).unwrap_or_default()
            }
            "option" => match self.attribute(id, "value") {
                Some(value) => value.to_owned(),
                None if self.mode <= Mode::Ie8 => String::new(),
                None => self.option_text(id),
            },
            "button" if self.mode <= Mode::Ie7 => self.text_content(id).trim().to_owned(),
            "button" | "param" | "li" => attribute(),
            _ => return None,
        })
    }

    /// Sets property `value`. On a `select` it chooses the first option of that value, or none.
    pub fn set_value(&mut self, id: NodeId, value: &str) {
        match self.name(id) {
            "select" => {
                let options = self.options(id);
                let chosen = options.iter().copied().find(|&o| self.value(o).is_some_and(|own| own == value));
                for option in options {
                    self.set_option_state(option, Some(option) == chosen);
                }
            }
            "input" if self.control_type(id) == "file" => {
                if value.is_empty()
                    && let Some(state) = self.control_state_mut(id)
                {
                    state.files.clear();
                }
            }
            "input" if self.is_text_control(id) => {
                let line = value.replace(['\r', '\n'], "");
                self.set_state_value(id, line);
            }
            "textarea" => self.set_state_value(id, normalize_lines(value)),
            _ => self.set_attribute(id, "value", value),
        }
    }

    fn set_state_value(&mut self, id: NodeId, value: String) {
        if let Some(state) = self.control_state_mut(id) {
            state.value = Some(value);
        }
    }

    /// Property `defaultValue`.
    pub fn default_value(&self, id: NodeId) -> String {
        match self.name(id) {
            "textarea" => normalize_lines(&self.text_content(id)),
            _ => self.attribute(id, "value").unwrap_or_default().to_owned(),
        }
    }

    /// Checkedness of a check box or radio button; false for other elements.
    pub fn checked(&self, id: NodeId) -> bool {
        matches!(self.control_type(id), "checkbox" | "radio")
            && self
                .control_state(id)
                .and_then(|state| state.checked)
                .unwrap_or_else(|| self.default_checked(id))
    }

    /// Of several radio buttons marked `checked` in a group, the last one is.
    fn default_checked(&self, id: NodeId) -> bool {
        self.has_attribute(id, "checked")
            && (self.control_type(id) != "radio" || {
                let group = self.radio_group(id);
                let decided =
                    group.iter().any(|&r| self.control_state(r).and_then(|s| s.checked).unwrap_or(false));
                !decided && group.iter().rev().find(|&&r| self.has_attribute(r, "checked")) == Some(&id)
            })
    }

    /// Sets checkedness; the others of a radio group lose theirs.
    pub fn set_checked(&mut self, id: NodeId, checked: bool) {
        if checked && self.control_type(id) == "radio" {
            for other in self.radio_group(id) {
                if other != id
                    && let Some(state) = self.control_state_mut(other)
                {
                    state.checked = Some(false);
                }
            }
        }
        if let Some(state) = self.control_state_mut(id) {
            state.checked = Some(checked);
        }
    }

    /// All radio buttons of a button's group, itself included, in document order: same form, same name.
    pub fn radio_group(&self, id: NodeId) -> Vec<NodeId> {
        let name = self.attribute(id, "name").unwrap_or_default();
        if name.is_empty() {
            return vec![id];
        }
        let form = self.form_owner(id);
        let top = self.ancestors(id).last().unwrap_or(id);
        self.descendant_elements(top)
            .filter(|&other| {
                self.attribute(other, "name") == Some(name)
                    && self.control_type(other) == "radio"
                    && self.form_owner(other) == form
            })
            .collect()
    }

    /// The form a control belongs to: `form` attribute (not in IE up to 11), else the nearest ancestor.
    pub fn form_owner(&self, id: NodeId) -> Option<NodeId> {
        self.ancestors(id).find(|&up| self.is(up, "form"))
    }

    /// Controls of a form in document order, `input type=image` and `object` left out (`form.elements`).
    pub fn form_controls(&self, form: NodeId) -> Vec<NodeId> {
        self.descendant_elements(form)
            .filter(|&id| {
                (self.is_control(id) || self.is(id, "fieldset")) && self.control_type(id) != "image"
            })
            .collect()
    }

    /// Options of a select, those in groups too.
    pub fn options(&self, select: NodeId) -> Vec<NodeId> {
        self.descendant_elements(select).filter(|&id| self.is(id, "option")).collect()
    }

    /// The select an option belongs to.
    pub fn option_select(&self, option: NodeId) -> Option<NodeId> {
        self.ancestors(option).find(|&up| self.is(up, "select"))
    }

    /// Text of an option: white space folded (`option.text`).
    pub fn option_text(&self, option: NodeId) -> String {
        self.text_content(option).split_ascii_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Selectedness of an option; false for other elements.
    pub fn selected(&self, id: NodeId) -> bool {
        if !self.is(id, "option") {
            return false;
        }
        match self.option_select(id) {
            Some(select) => self.selected_options(select).contains(&id),
            None => self.wants_selected(id),
        }
    }

    fn wants_selected(&self, option: NodeId) -> bool {
        self.control_state(option)
            .and_then(|state| state.selected)
            .unwrap_or_else(|| self.has_attribute(option, "selected"))
    }

    /// Chosen options. A drop-down list without a choice shows its first enabled option, unless a script
    /// took the choice away.
    pub fn selected_options(&self, select: NodeId) -> Vec<NodeId> {
        let options = self.options(select);
        let wanted: Vec<NodeId> = options.iter().copied().filter(|&o| self.wants_selected(o)).collect();
        if self.has_attribute(select, "multiple") {
            return wanted;
        }
        if let Some(&last) = wanted.last() {
            return vec![last];
        }
        let size = self.attribute(select, "size").and_then(|size| size.trim().parse().ok()).unwrap_or(1);
        let touched = options.iter().any(|&o| self.control_state(o).is_some_and(|s| s.selected.is_some()));
        if size > 1 || touched {
            return Vec::new();
        }
        options.into_iter().find(|&o| !self.is_disabled(o)).into_iter().collect()
    }

    /// Sets selectedness; in a single list every other option loses its own.
    pub fn set_selected(&mut self, option: NodeId, selected: bool) {
        if let Some(select) = self.option_select(option)
            && !self.has_attribute(select, "multiple")
        {
            if selected {
                for other in self.options(select) {
                    self.set_option_state(other, false);
                }
            } else if self.selected(option) {
                for other in self.options(select) {
                    if let Some(state) = self.control_state_mut(other) {
                        state.selected = None;
                    }
                }
            }
        }
        self.set_option_state(option, selected);
    }

    fn set_option_state(&mut self, option: NodeId, selected: bool) {
        if let Some(state) = self.control_state_mut(option) {
            state.selected = Some(selected);
        }
    }

    /// `selectedIndex`: place of the first chosen option, -1 if none.
    pub fn selected_index(&self, select: NodeId) -> i32 {
        let chosen = self.selected_options(select).first().copied();
        let place = self.options(select).iter().position(|&option| Some(option) == chosen);
        place.and_then(|place| i32::try_from(place).ok()).unwrap_or(-1)
    }

    /// Chooses exactly the option at this place; none if there is no such place.
    pub fn set_selected_index(&mut self, select: NodeId, index: i32) {
        for (place, option) in self.options(select).into_iter().enumerate() {
            self.set_option_state(option, i32::try_from(place) == Ok(index));
        }
    }

    /// Brings every control of a form back to its defaults (`form.reset()`, without the event).
    pub fn reset_form(&mut self, form: NodeId) {
        self.touch();
        let below: Vec<NodeId> = self.descendant_elements(form).collect();
        for id in below {
            if let Some(element) = self.element_mut(id) {
                element.control = None;
            }
        }
    }

    /// The control a label is for: `for`, else the first control inside.
    pub fn labelled_control(&self, label: NodeId) -> Option<NodeId> {
        match self.attribute(label, "for") {
            Some(wanted) => self.by_id(wanted).filter(|&id| self.is_control(id)),
            None => self
                .descendant_elements(label)
                .find(|&id| self.is_control(id) && self.control_type(id) != "hidden"),
        }
    }

    /// Labels of a control, in document order.
    pub fn labels(&self, control: NodeId) -> Vec<NodeId> {
        self.descendant_elements(self.root())
            .filter(|&id| self.is(id, "label") && self.labelled_control(id) == Some(control))
            .collect()
    }
}

fn normalize_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Document {
        Document::parse("http://h.test/", html)
    }

    fn id(document: &Document, id: &str) -> NodeId {
        document.by_id(id).expect(id)
    }

    #[test]
    fn values_start_from_defaults_and_come_back_to_them() {
        let mut d = page("<form id=f><input id=t value=a><textarea id=x>\nq</textarea></form>");
        let (t, x, f) = (id(&d, "t"), id(&d, "x"), id(&d, "f"));
        assert_eq!((d.value(t).unwrap(), d.value(x).unwrap()), ("a".into(), "q".into()));
        d.set_value(t, "b\r\nc");
        d.set_value(x, "1\r\n2");
        assert_eq!((d.value(t).unwrap(), d.value(x).unwrap()), ("bc".into(), "1\n2".into()));
        assert_eq!(d.attribute(t, "value"), Some("a"));
        d.reset_form(f);
        assert_eq!((d.value(t).unwrap(), d.value(x).unwrap()), ("a".into(), "q".into()));
    }

    #[test]
    fn one_radio_button_of_a_group_is_checked() {
        let mut d = page(
            "<form><input type=radio name=r id=a checked><input type=radio name=r id=b checked></form>\
             <input type=radio name=r id=c checked>",
        );
        let (a, b, c) = (id(&d, "a"), id(&d, "b"), id(&d, "c"));
        assert_eq!([d.checked(a), d.checked(b), d.checked(c)], [false, true, true]);
        d.set_checked(a, true);
        assert_eq!([d.checked(a), d.checked(b), d.checked(c)], [true, false, true]);
    }

    #[test]
    fn lists_choose_as_browsers_do() {
        let mut d = page(
            "<select id=s><option id=o0 disabled>0<option id=o1>1<option id=o2>2</select>\
             <select id=m multiple><option id=p1 selected>1<option id=p2 selected>2<option id=p3>3</select>",
        );
        let (s, o1, o2, m, p1, p3) =
            (id(&d, "s"), id(&d, "o1"), id(&d, "o2"), id(&d, "m"), id(&d, "p1"), id(&d, "p3"));
        assert_eq!(d.selected_options(s), [o1]);
        d.set_selected(o2, true);
        assert_eq!((d.selected_options(s), d.selected_index(s)), (vec![o2], 2));
        d.set_value(s, "nosuch");
        assert_eq!((d.value(s).unwrap(), d.selected_index(s)), (String::new(), -1));
        d.set_selected(p3, true);
        d.set_selected(p1, false);
        assert_eq!(d.selected_options(m).len(), 2);
    }

    #[test]
    fn disabled_comes_from_groups_too() {
        let d = page(
            "<fieldset disabled><legend><input id=a></legend><input id=b></fieldset>\
             <select><optgroup disabled><option id=c>1</optgroup><option id=e>2</select>",
        );
        let states = ["a", "b", "c", "e"].map(|name| d.is_disabled(id(&d, name)));
        assert_eq!(states, [false, true, true, false]);
    }

    #[test]
    fn old_modes_read_buttons_and_options_their_way() {
        let mut d = page("<button id=b>Go</button><select><option id=o>text</select>");
        let (b, o) = (id(&d, "b"), id(&d, "o"));
        assert_eq!(
            (d.control_type(b), d.value(b).unwrap(), d.value(o).unwrap()),
            ("submit", "".into(), "text".into())
        );
        d.mode = Mode::Ie7;
        assert_eq!(
            (d.control_type(b), d.value(b).unwrap(), d.value(o).unwrap()),
            ("button", "Go".into(), "".into())
        );
    }
}
