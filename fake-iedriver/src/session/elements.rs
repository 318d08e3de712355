//! Ids of elements.
//!
//! Owns: one id for a node as long as it is known, and forgetting it (`reference/iedriver-wire.md` section
//! 5.1.4). Does not own: whether a node still stands in its page.

use super::pages::{ElementIds, NodeRef};
use crate::wire::guid;
use std::cell::RefCell;
use std::collections::HashMap;

/// The elements a client was told of.
#[derive(Debug, Default)]
pub(super) struct Elements {
    nodes: RefCell<HashMap<String, NodeRef>>,
    ids: RefCell<HashMap<NodeRef, String>>,
}

impl Elements {
    /// Forgets an id: the next use of it is that of an unknown one.
    pub(super) fn forget(&self, id: &str) {
        if let Some(node) = self.nodes.borrow_mut().remove(id) {
            self.ids.borrow_mut().remove(&node);
        }
    }
}

impl ElementIds for Elements {
    fn id_of(&self, node: NodeRef) -> String {
        let mut ids = self.ids.borrow_mut();
        let id = ids.entry(node).or_insert_with(guid);
        self.nodes.borrow_mut().entry(id.clone()).or_insert(node);
        id.clone()
    }

    fn node_of(&self, id: &str) -> Option<NodeRef> {
        self.nodes.borrow().get(id).copied()
    }
}
