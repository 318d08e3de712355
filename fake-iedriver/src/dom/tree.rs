//! The tree: links, insertion, removal, walks.
//!
//! Owns: every change of parent and sibling links, and the walks over them. No walk recurses: pages nest
//! as deep as they like. Does not own: what a change means to forms or frames.

use super::document::Document;
use super::node::{Element, Node, NodeData, NodeId};
use std::cmp::Ordering;

/// Why a node cannot be put somewhere (DOM exception of the same meaning).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeError {
    /// The place would make the node its own ancestor, or cannot have children.
    Hierarchy,
    /// The reference node is not a child of the parent.
    NotFound,
    /// An id names a node that was freed.
    Stale,
}

impl std::fmt::Display for TreeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Hierarchy => "HierarchyRequestError",
            Self::NotFound => "NotFoundError",
            Self::Stale => "the node was freed",
        })
    }
}

impl std::error::Error for TreeError {}

impl Document {
    /// The node, or none if it was freed.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index()).filter(|node| node.generation == id.generation())
    }

    pub(super) fn get_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.index()).filter(|node| node.generation == id.generation())
    }

    /// The element, or none for other nodes.
    pub fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.get(id)?.data {
            NodeData::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(super) fn element_mut(&mut self, id: NodeId) -> Option<&mut Element> {
        match &mut self.get_mut(id)?.data {
            NodeData::Element(element) => Some(element),
            _ => None,
        }
    }

    /// Parent node.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.get(id)?.parent
    }

    /// Parent if it is an element.
    pub fn parent_element(&self, id: NodeId) -> Option<NodeId> {
        self.parent(id).filter(|&parent| self.element(parent).is_some())
    }

    /// First child.
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.get(id)?.first
    }

    /// Last child.
    pub fn last_child(&self, id: NodeId) -> Option<NodeId> {
        self.get(id)?.last
    }

    /// Next sibling.
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.get(id)?.next
    }

    /// Previous sibling.
    pub fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.get(id)?.previous
    }

    /// Children in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(id), |&child| self.next_sibling(child))
    }

    /// Child elements in order.
    pub fn child_elements(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|&child| self.element(child).is_some())
    }

    /// Parent, its parent and so on.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&node| self.parent(node))
    }

    /// The node after `id` in document order, not leaving the subtree of `within`.
    pub fn next_in(&self, id: NodeId, within: NodeId) -> Option<NodeId> {
        self.first_child(id).or_else(|| self.next_after(id, within))
    }

    /// The node after the whole subtree of `id`, not leaving the subtree of `within`.
    pub fn next_after(&self, mut id: NodeId, within: NodeId) -> Option<NodeId> {
        while id != within {
            if let Some(next) = self.next_sibling(id) {
                return Some(next);
            }
            id = self.parent(id)?;
        }
        None
    }

    /// All nodes below in document order, without the node itself.
    pub fn descendants(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(id), move |&node| self.next_in(node, id))
    }

    /// All elements below in document order.
    pub fn descendant_elements(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.descendants(id).filter(|&node| self.element(node).is_some())
    }

    /// True if `other` is `id` or below it.
    pub fn contains(&self, id: NodeId, other: NodeId) -> bool {
        id == other || self.ancestors(other).any(|node| node == id)
    }

    /// True if the node lives and hangs in the document.
    pub fn is_connected(&self, id: NodeId) -> bool {
        self.get(id).is_some() && self.contains(self.root(), id)
    }

    /// Place of one node relative to another in document order; equal for nodes of different trees.
    pub fn compare_order(&self, a: NodeId, b: NodeId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let path = |id| {
            let mut path: Vec<NodeId> = std::iter::once(id).chain(self.ancestors(id)).collect();
            path.reverse();
            path
        };
        let (path_a, path_b) = (path(a), path(b));
        if path_a[0] != path_b[0] {
            return Ordering::Equal;
        }
        let same = path_a.iter().zip(&path_b).take_while(|(x, y)| x == y).count();
        match (path_a.get(same), path_b.get(same)) {
            (None, _) => Ordering::Less,
            (_, None) => Ordering::Greater,
            (Some(&x), Some(&y)) => {
                let later = std::iter::successors(self.next_sibling(x), |&n| self.next_sibling(n));
                if later.into_iter().any(|n| n == y) { Ordering::Less } else { Ordering::Greater }
            }
        }
    }

    /// Puts `child` last into `parent`, taking it from where it was. A fragment gives its children.
    ///
    /// # Errors
    /// See [`TreeError`]; nothing changed then.
    pub fn append(&mut self, parent: NodeId, child: NodeId) -> Result<(), TreeError> {
        self.insert_before(parent, child, None)
    }

    /// Puts `child` before `reference` (last if none), taking it from where it was. A fragment gives
    /// its children.
    ///
    /// # Errors
    /// See [`TreeError`]; nothing changed then.
    pub fn insert_before(
        &mut self,
        parent: NodeId,
        child: NodeId,
        reference: Option<NodeId>,
    ) -> Result<(), TreeError> {
        let (Some(into), Some(what)) = (self.get(parent), self.get(child)) else {
            return Err(TreeError::Stale);
        };
        let takes = matches!(into.data, NodeData::Document | NodeData::Fragment | NodeData::Element(_));
        let fits = !matches!(what.data, NodeData::Document | NodeData::Free);
        if !takes || !fits || (what.first.is_some() || child == parent) && self.contains(child, parent) {
            return Err(TreeError::Hierarchy);
        }
        let fragment = matches!(what.data, NodeData::Fragment);
        let mut reference = reference;
        if let Some(before) = reference {
            if self.parent(before) != Some(parent) {
                return Err(TreeError::NotFound);
            }
            if before == child {
                reference = self.next_sibling(child);
            }
        }
        if fragment {
            while let Some(first) = self.first_child(child) {
                self.link(parent, first, reference);
            }
        } else {
            self.link(parent, child, reference);
        }
        Ok(())
    }

    /// Takes the node out of its parent; it lives on, detached.
    pub fn remove(&mut self, id: NodeId) {
        let Some(node) = self.get_mut(id) else { return };
        let (parent, previous, next) = (node.parent.take(), node.previous.take(), node.next.take());
        let Some(parent) = parent else { return };
        self.touch();
        match previous.and_then(|n| self.get_mut(n)) {
            Some(node) => node.next = next,
            None => self.nodes[parent.index()].first = next,
        }
        match next.and_then(|n| self.get_mut(n)) {
            Some(node) => node.previous = previous,
            None => self.nodes[parent.index()].last = previous,
        }
    }

    /// Takes out all children.
    pub fn remove_children(&mut self, id: NodeId) {
        while let Some(child) = self.first_child(id) {
            self.remove(child);
        }
    }

    /// Links without checking for cycles: the parser's way, and the end of every checked insertion.
    pub(super) fn link(&mut self, parent: NodeId, child: NodeId, reference: Option<NodeId>) {
        self.remove(child);
        self.touch();
        let previous = match reference {
            Some(next) => self.previous_sibling(next),
            None => self.last_child(parent),
        };
        let node = &mut self.nodes[child.index()];
        (node.parent, node.previous, node.next) = (Some(parent), previous, reference);
        match previous {
            Some(node) => self.nodes[node.index()].next = Some(child),
            None => self.nodes[parent.index()].first = Some(child),
        }
        match reference {
            Some(node) => self.nodes[node.index()].previous = Some(child),
            None => self.nodes[parent.index()].last = Some(child),
        }
    }

    /// Copies a node into this document, with its subtree if `deep`; `source` may be another document.
    /// The copy is detached. None if the id names no living node.
    pub fn import(&mut self, source: &Document, id: NodeId, deep: bool) -> Option<NodeId> {
        let top = self.copy_one(source, id)?;
        if deep {
            let mut pairs = vec![(id, top)];
            while let Some((from, to)) = pairs.pop() {
                for child in source.children(from) {
                    if let Some(copy) = self.copy_one(source, child) {
                        self.link(to, copy, None);
                        pairs.push((child, copy));
                    }
                }
            }
        }
        Some(top)
    }

    /// Copies a node inside this document (DOM `cloneNode`).
    pub fn clone_node(&mut self, id: NodeId, deep: bool) -> Option<NodeId> {
        let top = self.get(id)?.data.clone();
        let top = self.create(top);
        if deep {
            let mut pairs = vec![(id, top)];
            while let Some((from, to)) = pairs.pop() {
                let children: Vec<NodeId> = self.children(from).collect();
                for child in children {
                    let data = self.nodes[child.index()].data.clone();
                    let copy = self.create(data);
                    self.link(to, copy, None);
                    pairs.push((child, copy));
                }
            }
        }
        Some(top)
    }

    fn copy_one(&mut self, source: &Document, id: NodeId) -> Option<NodeId> {
        let data = source.get(id)?.data.clone();
        Some(self.create(data))
    }
}
