//! CSS selectors over the tree.
//!
//! Owns: parsing, what each document mode refuses, matching. The only module that names the `selectors`
//! crate, whose API changes often. Does not own: style sheets (`style`).

use super::document::Document;
use super::mode::Mode;
use super::node::{Namespace, NodeData, NodeId};
use cssparser::{Parser as CssParser, ToCss};
use html5ever::LocalName;
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::{ElementSelectorFlags, matches_selector};
use selectors::parser::{
    Component, NthType, ParseRelative, Parser as SelectorParser, SelectorImpl, SelectorList,
    SelectorParseErrorKind,
};
use selectors::{Element as SelectorElement, OpaqueElement};
use std::borrow::Borrow;
use std::fmt;

/// A parsed selector list.
#[derive(Clone, Debug)]
pub struct Selector(SelectorList<Impl>);

/// Deepest nesting of brackets that is parsed; the parser recurses.
const MAX_NESTING: usize = 32;

impl Selector {
    /// Parses a selector list as the mode's `querySelector` does: CSS 2.1 up to IE 8, CSS 3 later.
    /// None if it is invalid there.
    pub fn parse(text: &str, mode: Mode) -> Option<Self> {
        let mut depth = 0_usize;
        for byte in text.bytes() {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > MAX_NESTING {
                return None;
            }
        }
        let mut input = CssParser::new(text);
        let list = SelectorList::parse(&Syntax, &mut input, ParseRelative::No).ok()?;
        if !input.is_exhausted() || mode <= Mode::Ie8 && !list.slice().iter().all(is_css2) {
            return None;
        }
        Some(Self(list))
    }

    /// True if the element matches any selector of the list.
    pub fn matches(&self, document: &Document, id: NodeId) -> bool {
        self.specificity(document, id).is_some()
    }

    /// Highest specificity among the selectors that match the element.
    pub fn specificity(&self, document: &Document, id: NodeId) -> Option<u32> {
        document.element(id)?;
        let mut caches = SelectorCaches::default();
        let mut context = context(document, &mut caches);
        let element = El { document, id };
        self.0
            .slice()
            .iter()
            .filter(|selector| matches_selector(selector, 0, None, element, &mut context))
            .map(|selector| selector.specificity())
            .max()
    }

    /// All matching elements below `within`, in document order.
    pub fn select(&self, document: &Document, within: NodeId) -> Vec<NodeId> {
        self.select_up_to(document, within, usize::MAX)
    }

    /// The first matching element below `within`.
    pub fn select_first(&self, document: &Document, within: NodeId) -> Option<NodeId> {
        self.select_up_to(document, within, 1).first().copied()
    }

    fn select_up_to(&self, document: &Document, within: NodeId, limit: usize) -> Vec<NodeId> {
        let mut caches = SelectorCaches::default();
        let mut context = context(document, &mut caches);
        document
            .descendant_elements(within)
            .filter(|&id| {
                let element = El { document, id };
                self.0.slice().iter().any(|s| matches_selector(s, 0, None, element, &mut context))
            })
            .take(limit)
            .collect()
    }
}

fn context<'a>(document: &Document, caches: &'a mut SelectorCaches) -> MatchingContext<'a, Impl> {
    let quirks = if document.is_quirky() { QuirksMode::Quirks } else { QuirksMode::NoQuirks };
    MatchingContext::new(
        MatchingMode::Normal,
        None,
        caches,
        quirks,
        NeedsSelectorFlags::No,
        MatchingForInvalidation::No,
    )
}

/// IE 8 knows CSS 2.1: of the structural classes only `:first-child`.
fn is_css2(selector: &selectors::parser::Selector<Impl>) -> bool {
    selector.iter_raw_match_order().all(|component| match component {
        Component::Negation(_)
        | Component::Root
        | Component::Empty
        | Component::Is(_)
        | Component::Where(_)
        | Component::Has(_) => false,
        Component::Nth(nth) => {
            nth.ty == NthType::Child && !nth.is_function && nth.an_plus_b.0 == 0 && nth.an_plus_b.1 == 1
        }
        Component::NonTSPseudoClass(class) => {
            matches!(class, Pseudo::Link | Pseudo::Visited | Pseudo::Hover | Pseudo::Active | Pseudo::Focus)
        }
        _ => true,
    })
}

#[derive(Clone, Debug)]
struct Impl;

/// An identifier or attribute value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Text(Box<str>);

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Text {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, dest)
    }
}

impl PrecomputedHash for Text {
    fn precomputed_hash(&self) -> u32 {
        self.0.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }
}

/// A tag or attribute name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Name(LocalName);

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(LocalName::from(text))
    }
}

impl ToCss for Name {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, dest)
    }
}

impl PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

impl Borrow<LocalName> for Name {
    fn borrow(&self) -> &LocalName {
        &self.0
    }
}

impl SelectorImpl for Impl {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Text;
    type Identifier = Text;
    type LocalName = Name;
    type NamespaceUrl = Text;
    type NamespacePrefix = Text;
    type BorrowedNamespaceUrl = Text;
    type BorrowedLocalName = LocalName;
    type NonTSPseudoClass = Pseudo;
    type PseudoElement = NoPseudoElement;
}

/// Pseudo-classes that IE 11 knows and that hold without a mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pseudo {
    Link,
    Visited,
    Hover,
    Active,
    Focus,
    Checked,
    Enabled,
    Disabled,
    ReadOnly,
    Required,
    Optional,
    Target,
    Indeterminate,
}

const PSEUDO: &[(&str, Pseudo)] = &[
    ("link", Pseudo::Link),
    ("visited", Pseudo::Visited),
    ("hover", Pseudo::Hover),
    ("active", Pseudo::Active),
    ("focus", Pseudo::Focus),
    ("checked", Pseudo::Checked),
    ("enabled", Pseudo::Enabled),
    ("disabled", Pseudo::Disabled),
    ("-ms-read-only", Pseudo::ReadOnly),
    ("required", Pseudo::Required),
    ("optional", Pseudo::Optional),
    ("target", Pseudo::Target),
    ("indeterminate", Pseudo::Indeterminate),
];

impl ToCss for Pseudo {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        let name = PSEUDO.iter().find(|(_, class)| class == self).map_or("", |(name, _)| name);
        write!(dest, ":{name}")
    }
}

impl selectors::parser::NonTSPseudoClass for Pseudo {
    fn is_active_or_hover(&self) -> bool {
        matches!(self, Self::Active | Self::Hover)
    }

    fn is_user_action_state(&self) -> bool {
        matches!(self, Self::Active | Self::Hover | Self::Focus)
    }
}

/// Searches find elements only, so pseudo-elements are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NoPseudoElement {}

impl ToCss for NoPseudoElement {
    fn to_css<W: fmt::Write>(&self, _dest: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for NoPseudoElement {}

struct Syntax;

impl<'i> SelectorParser<'i> for Syntax {
    type Impl = Impl;
    type Error = SelectorParseErrorKind;

    fn parse_non_ts_pseudo_class(
        &self,
        name: &str,
    ) -> Result<Pseudo, cssparser::ParseError<SelectorParseErrorKind>> {
        PSEUDO.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, class)| *class).ok_or_else(
            || cssparser::ParseError::custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement),
        )
    }
}

#[derive(Clone, Copy)]
struct El<'a> {
    document: &'a Document,
    id: NodeId,
}

impl fmt::Debug for El<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.document.name(self.id))
    }
}

impl<'a> El<'a> {
    fn at(self, id: NodeId) -> Self {
        Self { document: self.document, id }
    }

    fn data(self) -> Option<&'a super::node::Element> {
        self.document.element(self.id)
    }
}

impl SelectorElement for El<'_> {
    type Impl = Impl;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(&self.document.nodes[self.id.index()])
    }

    fn parent_element(&self) -> Option<Self> {
        self.document.parent_element(self.id).map(|id| self.at(id))
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        std::iter::successors(self.document.previous_sibling(self.id), |&id| {
            self.document.previous_sibling(id)
        })
        .find(|&id| self.document.element(id).is_some())
        .map(|id| self.at(id))
    }

    fn next_sibling_element(&self) -> Option<Self> {
        std::iter::successors(self.document.next_sibling(self.id), |&id| self.document.next_sibling(id))
            .find(|&id| self.document.element(id).is_some())
            .map(|id| self.at(id))
    }

    fn first_element_child(&self) -> Option<Self> {
        self.document.child_elements(self.id).next().map(|id| self.at(id))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.data().is_some_and(|element| element.namespace == Namespace::Html)
    }

    fn has_local_name(&self, name: &LocalName) -> bool {
        self.data().is_some_and(|element| element.name == *name)
    }

    fn has_namespace(&self, namespace: &Text) -> bool {
        self.data().is_some_and(|element| element.namespace.uri() == &*namespace.0)
    }

    fn is_same_type(&self, other: &Self) -> bool {
        match (self.data(), other.data()) {
            (Some(a), Some(b)) => a.name == b.name && a.namespace == b.namespace,
            _ => false,
        }
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Text>,
        name: &Name,
        operation: &AttrSelectorOperation<&Text>,
    ) -> bool {
        if let NamespaceConstraint::Specific(uri) = namespace
            && !uri.0.is_empty()
        {
            return false;
        }
        let Some(element) = self.data() else { return false };
        element.attributes().iter().any(|a| a.name == name.0 && operation.eval_str(&a.value))
    }

    fn match_non_ts_pseudo_class(&self, class: &Pseudo, _context: &mut MatchingContext<Impl>) -> bool {
        let (document, id) = (self.document, self.id);
        match class {
            Pseudo::Link => self.is_link(),
            Pseudo::Visited | Pseudo::Hover | Pseudo::Active | Pseudo::Target => false,
            Pseudo::Focus => document.focused == Some(id),
            Pseudo::Checked => document.checked(id) || document.selected(id),
            Pseudo::Enabled => document.is_control(id) && !document.is_disabled(id),
            Pseudo::Disabled => document.is_disabled(id),
            Pseudo::ReadOnly => document.has_attribute(id, "readonly"),
            Pseudo::Required => document.is_control(id) && document.has_attribute(id, "required"),
            Pseudo::Optional => document.is_control(id) && !document.has_attribute(id, "required"),
            Pseudo::Indeterminate => document.control_state(id).is_some_and(|state| state.indeterminate),
        }
    }

    fn match_pseudo_element(&self, element: &NoPseudoElement, _context: &mut MatchingContext<Impl>) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _flags: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        self.data().is_some_and(|element| {
            (element.is("a") || element.is("area")) && element.attribute("href").is_some()
        })
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Text, case: CaseSensitivity) -> bool {
        self.data()
            .and_then(|element| element.attribute("id"))
            .is_some_and(|value| case.eq(value.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, name: &Text, case: CaseSensitivity) -> bool {
        self.data().and_then(|element| element.attribute("class")).is_some_and(|value| {
            value.split_ascii_whitespace().any(|class| case.eq(class.as_bytes(), name.0.as_bytes()))
        })
    }

    fn has_custom_state(&self, _name: &Text) -> bool {
        false
    }

    fn imported_part(&self, _name: &Text) -> Option<Text> {
        None
    }

    fn is_part(&self, _name: &Text) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.document.children(self.id).all(|id| match self.document.get(id).map(|node| node.data()) {
            Some(NodeData::Element(_)) => false,
            Some(NodeData::Text(text)) => text.is_empty(),
            _ => true,
        })
    }

    fn is_root(&self) -> bool {
        self.document.parent(self.id) == Some(self.document.root())
    }

    fn add_element_unique_hashes(&self, _filter: &mut BloomFilter) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<!doctype html><title>t</title><body>
        <div id=main class="a b"><p id=p1>x<p id=p2 class=Foo>y</div>
        <form><input type=CHECKBOX id=c1 checked><input type=checkbox id=c2><input id=t name=n disabled>
        <select id=s><option id=o1>1<option id=o2 selected>2</select></form><a id=l href=x>l</a>"#;

    fn check(selector: &str, mode: Mode, expected: &str) {
        let mut document = Document::parse("http://h.test/", PAGE);
        document.mode = mode;
        let found = match Selector::parse(selector, mode) {
            None => "invalid".to_owned(),
            Some(parsed) => {
                let ids = parsed.select(&document, document.root());
                ids.iter().filter_map(|&id| document.attribute(id, "id")).collect::<Vec<_>>().join(" ")
            }
        };
        assert_eq!(found, expected, "{selector} in {mode:?}");
    }

    #[test]
    fn selectors_find_what_browsers_find() {
        for (selector, expected) in [
            ("#main", "main"),
            (".a.b", "main"),
            ("P", "p1 p2"),
            ("div > p", "p1 p2"),
            ("p + p", "p2"),
            ("p ~ p, #l", "p2 l"),
            ("input[type=checkbox]", "c1 c2"),
            ("input:checked", "c1"),
            ("option:checked", "o2"),
            (":disabled", "t"),
            ("[name='n']", "t"),
            ("p:nth-child(2)", "p2"),
            ("p:not(#p1)", "p2"),
            ("a:link", "l"),
            ("#nosuch", ""),
            (".foo", ""),
            ("", "invalid"),
            ("!!", "invalid"),
            ("#1a", "invalid"),
            ("p::before", "invalid"),
            ("p:has(a)", "invalid"),
            ("p:contains('x')", "invalid"),
        ] {
            check(selector, Mode::Ie11, expected);
        }
    }

    #[test]
    fn ie8_mode_knows_css_2_only() {
        for (selector, expected) in [
            ("p:first-child", "p1"),
            ("p:nth-child(2)", "invalid"),
            ("p:not(#p1)", "invalid"),
            ("input:checked", "invalid"),
            ("div > p", "p1 p2"),
        ] {
            check(selector, Mode::Ie8, expected);
        }
    }

    #[test]
    fn quirks_fold_case_of_ids_and_classes() {
        check("#MAIN", Mode::Ie5, "main");
        check(".foo", Mode::Ie5, "p2");
    }

    #[test]
    fn endless_nesting_is_invalid_and_harmless() {
        check(&":not(".repeat(5_000), Mode::Ie11, "invalid");
    }
}
