//! What a node is.
//!
//! Owns: node identity, the kinds of nodes, element names and attributes. Does not own: links between
//! nodes (`tree`), meaning of attributes.

use html5ever::{LocalName, Namespace as HtmlNamespace, ns};
use std::num::NonZeroU32;

use super::form::ControlState;

/// Names one node of one [`super::Document`]. A node keeps its id as long as it lives, attached or
/// not; the id of a freed node never names another node (`generation`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    slot: NonZeroU32,
    generation: u32,
}

impl NodeId {
    pub(super) fn new(index: usize, generation: u32) -> Self {
        let slot = u32::try_from(index + 1).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX);
        Self { slot, generation }
    }

    pub(super) fn index(self) -> usize {
        self.slot.get() as usize - 1
    }

    pub(super) fn generation(self) -> u32 {
        self.generation
    }
}

/// A node and its place in the tree.
#[derive(Debug)]
pub struct Node {
    pub(super) generation: u32,
    pub(super) parent: Option<NodeId>,
    pub(super) first: Option<NodeId>,
    pub(super) last: Option<NodeId>,
    pub(super) previous: Option<NodeId>,
    pub(super) next: Option<NodeId>,
    pub(super) data: NodeData,
}

impl Node {
    /// What the node is and holds.
    pub fn data(&self) -> &NodeData {
        &self.data
    }
}

/// The kinds of nodes (DOM `nodeType`).
#[derive(Clone, Debug)]
pub enum NodeData {
    /// The document itself; always the first node.
    Document,
    /// A document fragment, or the content of a `template`.
    Fragment,
    /// `<!DOCTYPE name PUBLIC public system>`.
    Doctype(Box<Doctype>),
    /// An element.
    Element(Box<Element>),
    /// Text.
    Text(String),
    /// A comment.
    Comment(String),
    /// A processing instruction: target and data.
    Instruction(Box<(String, String)>),
    /// A freed slot.
    Free,
}

impl NodeData {
    /// DOM `nodeType`; 0 for a freed slot.
    pub fn node_type(&self) -> u16 {
        match self {
            Self::Element(_) => 1,
            Self::Text(_) => 3,
            Self::Instruction(_) => 7,
            Self::Comment(_) => 8,
            Self::Document => 9,
            Self::Doctype(_) => 10,
            Self::Fragment => 11,
            Self::Free => 0,
        }
    }
}

/// Parts of a document type declaration; missing ones are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doctype {
    /// Name, `html` in most pages.
    pub name: String,
    /// Public identifier.
    pub public_id: String,
    /// System identifier.
    pub system_id: String,
}

/// The name spaces HTML parsing produces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// HTML.
    Html,
    /// SVG.
    Svg,
    /// MathML.
    MathMl,
    /// Any other, made by script only.
    Other,
}

impl Namespace {
    pub(super) fn from_html(namespace: &HtmlNamespace) -> Self {
        if *namespace == ns!(html) {
            Self::Html
        } else if *namespace == ns!(svg) {
            Self::Svg
        } else if *namespace == ns!(mathml) {
            Self::MathMl
        } else {
            Self::Other
        }
    }

    pub(super) fn to_html(self) -> HtmlNamespace {
        match self {
            Self::Html => ns!(html),
            Self::Svg => ns!(svg),
            Self::MathMl => ns!(mathml),
            Self::Other => ns!(),
        }
    }

    /// DOM `namespaceURI`.
    pub fn uri(self) -> &'static str {
        match self {
            Self::Html => "http://www.w3.org/1999/xhtml",
            Self::Svg => "http://www.w3.org/2000/svg",
            Self::MathMl => "http://www.w3.org/1998/Math/MathML",
            Self::Other => "",
        }
    }
}

/// One attribute. Names of HTML elements are lower case; a prefix stays part of the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Name as `getAttribute` takes it.
    pub name: LocalName,
    /// Value, character references resolved.
    pub value: String,
}

/// An element.
#[derive(Clone, Debug)]
pub struct Element {
    /// Local name, lower case for HTML.
    pub name: LocalName,
    /// Name space.
    pub namespace: Namespace,
    pub(super) attributes: Vec<Attribute>,
    /// Fragment that holds a `template`'s children.
    pub(super) content: Option<NodeId>,
    /// What a person or a script did to a form control; none while it shows its defaults.
    pub(super) control: Option<Box<ControlState>>,
}

impl Element {
    pub(super) fn new(name: LocalName, namespace: Namespace, attributes: Vec<Attribute>) -> Self {
        Self { name, namespace, attributes, content: None, control: None }
    }

    /// Value of the attribute with exactly this name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| &*a.name == name).map(|a| a.value.as_str())
    }

    /// Attributes in source order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// True for an HTML element of this lower-case name.
    pub fn is(&self, name: &str) -> bool {
        self.namespace == Namespace::Html && &*self.name == name
    }
}
