//! Nodes as objects of the page.
//!
//! Owns: the one native class of all nodes, wrapping with identity. Does not own: members
//! (`interfaces`).

use crate::browser::host::{Facet, Host, Page};
use crate::dom::{NodeData, NodeId};
use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::function::Constructor;
use rquickjs::{Class, Ctx, JsLifetime, Object, Persistent, Result, Value};
use std::rc::Rc;

/// Names a node; the tree stays in Rust.
#[derive(Clone, Copy, Debug)]
pub struct JsNode {
    /// Page of the node.
    pub page: u32,
    /// Node in the page's tree.
    pub node: NodeId,
    /// Which object of the node.
    pub facet: Facet,
}

#[allow(unsafe_code, reason = "the derive of this marker needs rquickjs's macro feature, 19 crates more")]
// SAFETY: the type holds no value of the engine and has no lifetime.
unsafe impl<'js> JsLifetime<'js> for JsNode {
    type Changed<'to> = JsNode;
}

impl<'js> Trace<'js> for JsNode {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

impl<'js> JsClass<'js> for JsNode {
    const NAME: &'static str = "Node";
    type Mutable = Readable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// What is behind an object of ours.
pub fn unwrap(value: &Value<'_>) -> Option<JsNode> {
    let class = value.as_object()?.as_class::<JsNode>()?;
    Some(*class.borrow())
}

/// The page's one object for a node; null for none.
///
/// # Errors
/// Out of memory.
pub fn wrap<'js>(
    ctx: &Ctx<'js>,
    host: &Rc<Host>,
    page: &Rc<Page>,
    node: Option<NodeId>,
) -> Result<Value<'js>> {
    let Some(node) = node else { return Ok(Value::new_null(ctx.clone())) };
    let known = page.objects.borrow().get(&node).cloned();
    if let Some(object) = known {
        return Ok(object.restore(ctx)?.into_value());
    }
    let interface = super::interfaces::interface_of(&page.document.borrow(), node);
    let object = instance(ctx, page, JsNode { page: page.id, node, facet: Facet::Node }, interface)?;
    page.objects.borrow_mut().insert(node, Persistent::save(ctx, object.clone()));
    if interface == "HTMLFormElement" {
        super::names::name_fields(host, page, &object, node)?;
    }
    if interface == "Document" {
        super::names::name_document(host, page, &object)?;
    }
    Ok(object.into_value())
}

/// A new object of an interface.
///
/// # Errors
/// Out of memory.
pub fn instance<'js>(ctx: &Ctx<'js>, page: &Page, what: JsNode, interface: &str) -> Result<Object<'js>> {
    let prototype = page.prototypes.borrow().get(interface).cloned();
    let instance = match prototype {
        Some(prototype) => Class::instance_proto(what, prototype.restore(ctx)?)?,
        None => Class::instance(ctx.clone(), what)?,
    };
    Ok(instance.into_inner())
}

/// The page and node of an object, if the page lives.
pub fn target(host: &Host, value: &Value<'_>) -> Option<(Rc<Page>, JsNode)> {
    let node = unwrap(value)?;
    Some((host.page(node.page)?, node))
}

/// True for elements.
pub fn is_element(page: &Page, node: NodeId) -> bool {
    matches!(page.document.borrow().get(node).map(|node| node.data()), Some(NodeData::Element(_)))
}
