//! The document: the arena and what belongs to the page as a whole.
//!
//! Owns: node storage and reuse, address, charset, document mode, attributes, character data, the change
//! counter. Does not own: tree links (`tree`), parsing (`parse`), style and layout (`style`, `layout`).

use super::mode::{Mode, Quirks};
use super::node::{Attribute, Doctype, Element, Namespace, Node, NodeData, NodeId};
use html5ever::LocalName;
use std::cell::RefCell;
use std::collections::HashMap;

/// One page: an arena of nodes with the facts the page has as a whole.
#[derive(Debug, Default)]
pub struct Document {
    pub(super) nodes: Vec<Node>,
    free: Vec<usize>,
    version: u64,
    /// Address of the page, absolute.
    pub url: String,
    /// Encoding the page was read in; form data goes out in it.
    pub charset: Charset,
    /// Document mode; decides which members and quirks scripts see.
    pub mode: Mode,
    /// What the parser found about the doctype.
    pub quirks: Quirks,
    /// Element with the focus; `:focus` asks it.
    pub focused: Option<NodeId>,
    /// Text of linked style sheets, by their `link`.
    pub(super) sheets: HashMap<NodeId, String>,
    pub(super) caches: RefCell<super::style::Caches>,
}

/// An encoding of the Encoding Standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(pub &'static encoding_rs::Encoding);

impl Default for Charset {
    fn default() -> Self {
        Self(encoding_rs::UTF_8)
    }
}

impl Document {
    /// An empty document.
    pub fn new(url: impl Into<String>, mode: Mode) -> Self {
        let mut document = Self { url: url.into(), mode, ..Self::default() };
        document.create(NodeData::Document);
        document
    }

    /// The document node.
    pub fn root(&self) -> NodeId {
        NodeId::new(0, 0)
    }

    /// Grows with every change of tree, attributes, text or control state: caches compare it.
    pub fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn touch(&mut self) {
        self.version += 1;
    }

    /// Number of living nodes, attached or not.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    pub(super) fn create(&mut self, data: NodeData) -> NodeId {
        let mut node =
            Node { generation: 0, parent: None, first: None, last: None, previous: None, next: None, data };
        if let Some(index) = self.free.pop() {
            node.generation = self.nodes[index].generation;
            let id = NodeId::new(index, node.generation);
            self.nodes[index] = node;
            return id;
        }
        self.nodes.push(node);
        NodeId::new(self.nodes.len() - 1, 0)
    }

    /// Frees every detached tree none of whose nodes is held. The caller passes all ids that scripts
    /// or clients still know; a tree with one of them stays whole.
    pub fn sweep(&mut self, held: impl IntoIterator<Item = NodeId>) {
        let mut keep = vec![false; self.nodes.len()];
        let mut tops = vec![self.root()];
        tops.extend(held.into_iter().filter(|&id| self.get(id).is_some()).map(|id| self.top(id)));
        while let Some(top) = tops.pop() {
            if std::mem::replace(&mut keep[top.index()], true) {
                continue;
            }
            let mut next = Some(top);
            while let Some(id) = next {
                keep[id.index()] = true;
                tops.extend(self.element(id).and_then(|element| element.content));
                next = self.next_in(id, top);
            }
        }
        for (index, kept) in keep.into_iter().enumerate() {
            let node = &mut self.nodes[index];
            if !kept && !matches!(node.data, NodeData::Free) {
                *node = Node {
                    generation: node.generation + 1,
                    parent: None,
                    first: None,
                    last: None,
                    previous: None,
                    next: None,
                    data: NodeData::Free,
                };
                self.free.push(index);
            }
        }
    }

    fn top(&self, id: NodeId) -> NodeId {
        self.ancestors(id).last().unwrap_or(id)
    }

    /// A detached HTML element; the name is lower-cased.
    pub fn create_element(&mut self, name: &str) -> NodeId {
        self.create_element_in(Namespace::Html, &name.to_ascii_lowercase())
    }

    /// A detached element of a name space, name as given.
    pub fn create_element_in(&mut self, namespace: Namespace, name: &str) -> NodeId {
        let element = Element::new(LocalName::from(name), namespace, Vec::new());
        self.create(NodeData::Element(Box::new(element)))
    }

    /// Detached text.
    pub fn create_text(&mut self, text: &str) -> NodeId {
        self.create(NodeData::Text(text.to_owned()))
    }

    /// A detached comment.
    pub fn create_comment(&mut self, text: &str) -> NodeId {
        self.create(NodeData::Comment(text.to_owned()))
    }

    /// An empty fragment.
    pub fn create_fragment(&mut self) -> NodeId {
        self.create(NodeData::Fragment)
    }

    /// The `html` element.
    pub fn document_element(&self) -> Option<NodeId> {
        self.child_elements(self.root()).next()
    }

    /// The `head` element.
    pub fn head(&self) -> Option<NodeId> {
        self.child_elements(self.document_element()?).find(|&id| self.is(id, "head"))
    }

    /// The `body`, or the outermost `frameset`.
    pub fn body(&self) -> Option<NodeId> {
        self.child_elements(self.document_element()?)
            .find(|&id| self.is(id, "body") || self.is(id, "frameset"))
    }

    /// First element of this id, exact case.
    pub fn by_id(&self, id: &str) -> Option<NodeId> {
        self.descendant_elements(self.root()).find(|&node| self.attribute(node, "id") == Some(id))
    }

    /// The document type declaration.
    pub fn doctype(&self) -> Option<&Doctype> {
        self.children(self.root()).find_map(|id| match &self.get(id)?.data {
            NodeData::Doctype(doctype) => Some(&**doctype),
            _ => None,
        })
    }

    /// Text of the first `title`, white space folded.
    pub fn title(&self) -> String {
        let title = self.descendants(self.root()).find(|&id| self.is(id, "title"));
        let text = title.map(|id| self.text_content(id)).unwrap_or_default();
        text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Absolute address of `reference`, taken from the first `base href` or the page's own address.
    /// A reference that is no address comes back unchanged.
    pub fn resolve(&self, reference: &str) -> String {
        let trimmed = reference.trim();
        let page = url::Url::parse(&self.url).ok();
        let base = self
            .descendants(self.root())
            .filter(|&id| self.is(id, "base"))
            .find_map(|id| self.attribute(id, "href"))
            .and_then(|href| match &page {
                Some(page) => page.join(href).ok(),
                None => url::Url::parse(href).ok(),
            })
            .or(page);
        let resolved = match base {
            Some(base) => base.join(trimmed).ok(),
            None => url::Url::parse(trimmed).ok(),
        };
        resolved.map_or_else(|| reference.to_owned(), String::from)
    }

    /// True for an HTML element of this lower-case name.
    pub fn is(&self, id: NodeId, name: &str) -> bool {
        self.element(id).is_some_and(|element| element.is(name))
    }

    /// Local name of an element, empty for other nodes.
    pub fn name(&self, id: NodeId) -> &str {
        self.element(id).map_or("", |element| &*element.name)
    }

    /// Value of an attribute by its exact name.
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.element(id)?.attribute(name)
    }

    /// True if the attribute is there.
    pub fn has_attribute(&self, id: NodeId, name: &str) -> bool {
        self.attribute(id, name).is_some()
    }

    /// Sets an attribute; the name is lower-cased on HTML elements.
    pub fn set_attribute(&mut self, id: NodeId, name: &str, value: &str) {
        self.touch();
        let Some(element) = self.element_mut(id) else { return };
        let lower = name.to_ascii_lowercase();
        let name = if element.namespace == Namespace::Html { &lower } else { name };
        match element.attributes.iter_mut().find(|a| &*a.name == name) {
            Some(attribute) => attribute.value = value.to_owned(),
            None => {
                element.attributes.push(Attribute { name: LocalName::from(name), value: value.to_owned() });
            }
        }
    }

    /// Removes an attribute by its exact name; true if it was there.
    pub fn remove_attribute(&mut self, id: NodeId, name: &str) -> bool {
        self.touch();
        let Some(element) = self.element_mut(id) else { return false };
        let before = element.attributes.len();
        element.attributes.retain(|a| &*a.name != name);
        element.attributes.len() != before
    }

    /// All text below a node (or the node's own data), as DOM `textContent` gives it.
    pub fn text_content(&self, id: NodeId) -> String {
        if let Some(data) = self.character_data(id) {
            return data.to_owned();
        }
        let mut text = String::new();
        for node in self.descendants(id) {
            if let Some(NodeData::Text(data)) = self.get(node).map(Node::data) {
                text.push_str(data);
            }
        }
        text
    }

    /// Replaces the children by one text node, or the node's own data.
    pub fn set_text_content(&mut self, id: NodeId, text: &str) {
        if self.character_data(id).is_some() {
            self.set_character_data(id, text);
            return;
        }
        self.remove_children(id);
        if !text.is_empty() {
            let text = self.create_text(text);
            self.link(id, text, None);
        }
    }

    /// Data of text, comments and instructions.
    pub fn character_data(&self, id: NodeId) -> Option<&str> {
        match &self.get(id)?.data {
            NodeData::Text(data) | NodeData::Comment(data) => Some(data),
            NodeData::Instruction(parts) => Some(&parts.1),
            _ => None,
        }
    }

    /// Sets the data of text, comments and instructions; nothing happens to other nodes.
    pub fn set_character_data(&mut self, id: NodeId, text: &str) {
        self.touch();
        match self.get_mut(id).map(|node| &mut node.data) {
            Some(NodeData::Text(data) | NodeData::Comment(data)) => *data = text.to_owned(),
            Some(NodeData::Instruction(parts)) => parts.1 = text.to_owned(),
            _ => {}
        }
    }
}
