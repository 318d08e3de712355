//! Tables of members and their installation.
//!
//! Owns: the shape of a table row, the adapters between the engine and plain functions, document-mode
//! gating. Does not own: what the members do. Closures capture only `Rc<Host>`, ids and function
//! pointers: an engine value in a closure is invisible to the cycle collector.

use super::{list, node};
use crate::browser::host::{Facet, Host, Page};
use crate::dom::{Document, Mode, NodeId};
use rquickjs::function::{Rest, This};
use rquickjs::object::{Accessor, Property};
use rquickjs::{Coerced, Ctx, Exception, FromJs, Function, Object, Result, Value};
use std::rc::Rc;

/// What a member works on.
pub struct Cx<'js> {
    /// Realm of the caller.
    pub ctx: Ctx<'js>,
    /// The browser.
    pub host: Rc<Host>,
    /// Page of `this`.
    pub page: Rc<Page>,
    /// Node of `this`; the document for window members.
    pub node: NodeId,
    /// Which object of the node `this` is.
    pub facet: Facet,
}

/// A getter (no arguments), setter (one) or method.
pub type Body = for<'js> fn(&Cx<'js>, &[Value<'js>]) -> Result<Value<'js>>;

/// One row.
#[derive(Clone, Copy)]
pub struct Member {
    name: &'static str,
    get: Option<Body>,
    set: Option<Body>,
    call: Option<Body>,
    first: u32,
    last: u32,
}

/// A read-only property.
pub const fn get(name: &'static str, get: Body) -> Member {
    Member { name, get: Some(get), set: None, call: None, first: 5, last: 11 }
}

/// A property that can be set.
pub const fn both(name: &'static str, get: Body, set: Body) -> Member {
    Member { name, get: Some(get), set: Some(set), call: None, first: 5, last: 11 }
}

/// A method.
pub const fn call(name: &'static str, call: Body) -> Member {
    Member { name, get: None, set: None, call: Some(call), first: 5, last: 11 }
}

impl Member {
    /// Only in this mode and later.
    pub const fn from(mut self, mode: u32) -> Self {
        self.first = mode;
        self
    }

    /// Only up to this mode.
    pub const fn to(mut self, mode: u32) -> Self {
        self.last = mode;
        self
    }
}

impl<'js> Cx<'js> {
    /// A string value.
    ///
    /// # Errors
    /// Out of memory.
    pub fn text(&self, text: &str) -> Result<Value<'js>> {
        Ok(rquickjs::String::from_str(self.ctx.clone(), text)?.into_value())
    }

    /// A number value.
    pub fn number(&self, number: f64) -> Value<'js> {
        Value::new_number(self.ctx.clone(), number)
    }

    /// A boolean value.
    pub fn boolean(&self, value: bool) -> Value<'js> {
        Value::new_bool(self.ctx.clone(), value)
    }

    /// `undefined`.
    pub fn undefined(&self) -> Value<'js> {
        Value::new_undefined(self.ctx.clone())
    }

    /// `null`.
    pub fn null(&self) -> Value<'js> {
        Value::new_null(self.ctx.clone())
    }

    /// Text of an argument; empty if it is missing.
    pub fn text_of(&self, args: &[Value<'js>], n: usize) -> String {
        args.get(n).map(|value| super::value::text_of(&self.ctx, value)).unwrap_or_default()
    }

    /// The page's object of a node, or null.
    ///
    /// # Errors
    /// Out of memory.
    pub fn wrap(&self, node: Option<NodeId>) -> Result<Value<'js>> {
        node::wrap(&self.ctx, &self.host, &self.page, node)
    }

    /// A truth value of an argument.
    pub fn flag_of(&self, args: &[Value<'js>], n: usize) -> bool {
        args.get(n).is_some_and(|value| {
            Coerced::<bool>::from_js(&self.ctx, value.clone()).is_ok_and(|value| value.0)
        })
    }

    /// A number of an argument, coerced; none if it is missing or no number.
    pub fn number_of(&self, args: &[Value<'js>], n: usize) -> Option<f64> {
        let value = args.get(n).filter(|value| !value.is_undefined())?;
        let number = match Coerced::<f64>::from_js(&self.ctx, value.clone()) {
            Ok(number) => number.0,
            Err(_) => {
                self.ctx.catch();
                return None;
            }
        };
        number.is_finite().then_some(number)
    }

    /// A list that stays as it is: `length`, `item`, `namedItem` and named members; not an array.
    ///
    /// # Errors
    /// Out of memory.
    pub fn list(&self, nodes: &[NodeId]) -> Result<Value<'js>> {
        list::fixed(self, nodes)
    }

    /// A list that follows the tree: `members` is asked again when the tree has changed.
    ///
    /// # Errors
    /// Out of memory.
    pub fn live(&self, members: list::Members, callable: bool) -> Result<Value<'js>> {
        list::live(self, members, String::new(), callable)
    }

    /// Works with the page's tree; never over a call into script.
    pub fn read<R>(&self, f: impl FnOnce(&Document, NodeId) -> R) -> R {
        f(&self.page.document.borrow(), self.node)
    }

    /// Changes the page's tree; never over a call into script.
    pub fn write<R>(&self, f: impl FnOnce(&mut Document, NodeId) -> R) -> R {
        f(&mut self.page.document.borrow_mut(), self.node)
    }

    /// The page whose script called.
    pub fn viewer(&self) -> Rc<Page> {
        self.host.viewer(&self.ctx).unwrap_or_else(|| self.page.clone())
    }

    /// Throws IE's error for a bad argument.
    pub fn invalid(&self) -> rquickjs::Error {
        Exception::throw_type(&self.ctx, "Invalid argument.")
    }

    /// The node of an argument, if it is a node of this page.
    pub fn node_of(&self, args: &[Value<'js>], n: usize) -> Option<NodeId> {
        let found = node::unwrap(args.get(n)?)?;
        (found.page == self.page.id && found.facet == Facet::Node).then_some(found.node)
    }
}

/// What members work on when `this` does not say.
pub type Fixed = Option<(u32, NodeId)>;

/// Puts the members of the page's mode on an object. `fixed` members work on that node whatever
/// `this` is (window members); others take the node from `this`.
///
/// # Errors
/// Out of memory.
pub fn install<'js>(
    ctx: &Ctx<'js>,
    host: &Rc<Host>,
    object: &Object<'js>,
    members: &[Member],
    mode: Mode,
    fixed: Fixed,
) -> Result<()> {
    for member in members {
        if mode.number() < member.first || mode.number() > member.last {
            continue;
        }
        if let Some(body) = member.call {
            let function = method(ctx, host, body, fixed)?.with_name(member.name)?;
            let property = Property::from(function).writable().configurable().enumerable();
            object.prop(member.name, property)?;
            continue;
        }
        let Some(getter) = member.get else { continue };
        property(ctx, host, object, member.name, getter, member.set, fixed)?;
    }
    Ok(())
}

/// Puts one accessor on an object. Setting one without setter does nothing, but for a window, whose
/// members a script may replace.
///
/// # Errors
/// Out of memory.
pub fn property<'js>(
    _: &Ctx<'js>,
    host: &Rc<Host>,
    object: &Object<'js>,
    name: &'static str,
    getter: Body,
    setter: Option<Body>,
    fixed: Fixed,
) -> Result<()> {
    let (for_get, for_set) = (host.clone(), host.clone());
    let accessor = Accessor::new(
        move |ctx: Ctx<'js>, this: This<Value<'js>>| run(&ctx, &for_get, getter, fixed, &this.0, &[]),
        move |ctx: Ctx<'js>, this: This<Value<'js>>, value: Value<'js>| -> Result<()> {
            match setter {
                Some(setter) => run(&ctx, &for_set, setter, fixed, &this.0, &[value]).map(drop),
                None => match (fixed, this.0.as_object()) {
                    (Some(_), Some(window)) if !PERMANENT.contains(&name) => {
                        window.prop(name, Property::from(value).writable().configurable().enumerable())
                    }
                    _ => Ok(()),
                },
            }
        },
    );
    object.prop(name, accessor.configurable().enumerable())
}

/// Members of a window which a page cannot replace.
const PERMANENT: &[&str] = &["window", "document", "top", "parent", "self", "closed", "history"];

/// A function object for a body.
///
/// # Errors
/// Out of memory.
pub fn method<'js>(ctx: &Ctx<'js>, host: &Rc<Host>, body: Body, fixed: Fixed) -> Result<Function<'js>> {
    let host = host.clone();
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, this: This<Value<'js>>, args: Rest<Value<'js>>| {
        run(&ctx, &host, body, fixed, &this.0, &args.0)
    })
}

fn run<'js>(
    ctx: &Ctx<'js>,
    host: &Rc<Host>,
    body: Body,
    fixed: Fixed,
    this: &Value<'js>,
    args: &[Value<'js>],
) -> Result<Value<'js>> {
    let found = match fixed {
        Some((page, node)) => host.page(page).map(|page| (page, node, Facet::Node)),
        None => node::target(host, this)
            .map(|(page, what)| (page, what.node, what.facet))
            .or_else(|| pointer_without_object(ctx, host, this)),
    };
    let Some((page, node, facet)) = found else {
        return Err(Exception::throw_type(ctx, "Invalid calling object"));
    };
    body(&Cx { ctx: ctx.clone(), host: host.clone(), page, node, facet }, args)
}

/// Up to mode 8 a method pointer keeps its object: `var f = document.getElementById; f('x')` works
/// (`reference/emulator.md` section 6.2, "cached method pointer"). Only documents are so cached.
fn pointer_without_object<'js>(
    ctx: &Ctx<'js>,
    host: &Rc<Host>,
    this: &Value<'js>,
) -> Option<(Rc<Page>, NodeId, Facet)> {
    if !this.is_undefined() {
        return None;
    }
    let page = host.viewer(ctx).filter(|page| page.mode <= Mode::Ie8)?;
    let root = page.document.borrow().root();
    Some((page, root, Facet::Node))
}
