//! Lists of nodes as scripts see them.
//!
//! Owns: lists that follow the tree and such that do not, access by index and by name, the options
//! of a select. Does not own: which nodes are in a list (the interfaces say so). A list is a proxy:
//! old pages loop over `childNodes` while they change it.

use super::members::{self, Cx};
use super::{node, value};
use crate::browser::host::{Host, Page};
use crate::dom::{Document, NodeId};
use rquickjs::function::{Func, Opt, Rest, This};
use rquickjs::object::Property;
use rquickjs::proxy::{Proxy, ProxyHandler};
use rquickjs::{Array, Ctx, Exception, Function, Object, Result, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Members of a list, found from the node it was asked of and a text.
pub type Members = fn(&Document, NodeId, &str) -> Vec<NodeId>;

struct List {
    host: Rc<Host>,
    page: u32,
    node: NodeId,
    members: Option<Members>,
    argument: String,
    known: RefCell<(u64, Rc<Vec<NodeId>>)>,
}

impl List {
    fn nodes(&self) -> Option<(Rc<Page>, Rc<Vec<NodeId>>)> {
        let page = self.host.page(self.page)?;
        let version = page.document.borrow().version();
        if let Some(members) = self.members
            && self.known.borrow().0 != version
        {
            let nodes = members(&page.document.borrow(), self.node, &self.argument);
            self.known.replace((version, Rc::new(nodes)));
        }
        let nodes = self.known.borrow().1.clone();
        Some((page, nodes))
    }

    fn named(page: &Page, nodes: &[NodeId], name: &str) -> Vec<NodeId> {
        let document = page.document.borrow();
        let same = |id: NodeId, key| document.attribute(id, key) == Some(name);
        nodes.iter().copied().filter(|&id| same(id, "id") || same(id, "name")).collect()
    }

    /// The member of an index or name; undefined for none.
    fn lookup<'js>(self: &Rc<Self>, ctx: &Ctx<'js>, key: &str) -> Result<Option<Value<'js>>> {
        let Some((page, nodes)) = self.nodes() else { return Ok(None) };
        if let Some(index) = index(key) {
            return nodes.get(index).map(|&id| node::wrap(ctx, &self.host, &page, Some(id))).transpose();
        }
        let named = Self::named(&page, &nodes, key);
        match named.as_slice() {
            [] => Ok(None),
            [one] => node::wrap(ctx, &self.host, &page, Some(*one)).map(Some),
            several => {
                // Radio buttons of one name: a list of them.
                let list = Self {
                    host: self.host.clone(),
                    page: self.page,
                    node: self.node,
                    members: None,
                    argument: String::new(),
                    known: RefCell::new((0, Rc::new(several.to_vec()))),
                };
                proxy(ctx, &page, Rc::new(list), "HTMLCollection", false).map(Some)
            }
        }
    }
}

fn index(key: &str) -> Option<usize> {
    let digits = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    if digits { key.parse().ok() } else { None }
}

/// A list of exactly these nodes.
pub(super) fn fixed<'js>(cx: &Cx<'js>, nodes: &[NodeId]) -> Result<Value<'js>> {
    make(cx, None, String::new(), nodes.to_vec(), false)
}

/// A list that follows the tree. `callable` ones answer `list(0)` and `list("name")`, as all did in
/// old modes.
pub(super) fn live<'js>(
    cx: &Cx<'js>,
    members: Members,
    argument: String,
    callable: bool,
) -> Result<Value<'js>> {
    let nodes = members(&cx.page.document.borrow(), cx.node, &argument);
    make(cx, Some(members), argument, nodes, callable && cx.page.mode.number() <= 8)
}

/// `document.all`, callable in every mode.
pub(super) fn all<'js>(cx: &Cx<'js>, members: Members) -> Result<Value<'js>> {
    let nodes = members(&cx.page.document.borrow(), cx.node, "");
    make(cx, Some(members), String::new(), nodes, true)
}

/// A list of nodes that stays as it is.
pub(super) fn of<'js>(
    ctx: &Ctx<'js>,
    host: &Rc<Host>,
    page: &Rc<Page>,
    nodes: &[NodeId],
) -> Result<Value<'js>> {
    let list = List {
        host: host.clone(),
        page: page.id,
        node: page.document.borrow().root(),
        members: None,
        argument: String::new(),
        known: RefCell::new((0, Rc::new(nodes.to_vec()))),
    };
    proxy(ctx, page, Rc::new(list), "HTMLCollection", false)
}

fn make<'js>(
    cx: &Cx<'js>,
    members: Option<Members>,
    argument: String,
    nodes: Vec<NodeId>,
    callable: bool,
) -> Result<Value<'js>> {
    let version = cx.page.document.borrow().version();
    let list = List {
        host: cx.host.clone(),
        page: cx.page.id,
        node: cx.node,
        members,
        argument,
        known: RefCell::new((version, Rc::new(nodes))),
    };
    proxy(&cx.ctx, &cx.page, Rc::new(list), "HTMLCollection", callable)
}

/// `select.options`.
pub(super) fn options<'js>(cx: &Cx<'js>) -> Result<Value<'js>> {
    let list = List {
        host: cx.host.clone(),
        page: cx.page.id,
        node: cx.node,
        members: Some(|document, select, _| document.options(select)),
        argument: String::new(),
        known: RefCell::new((u64::MAX, Rc::default())),
    };
    proxy(&cx.ctx, &cx.page, Rc::new(list), "HTMLOptionsCollection", cx.page.mode.number() <= 8)
}

fn key_text(ctx: &Ctx<'_>, key: &Value<'_>) -> Option<String> {
    let _ = ctx;
    key.as_string()?.to_string().ok()
}

fn proxy<'js>(
    ctx: &Ctx<'js>,
    page: &Rc<Page>,
    list: Rc<List>,
    interface: &'static str,
    callable: bool,
) -> Result<Value<'js>> {
    let handler = Object::new(ctx.clone())?;
    let options = interface == "HTMLOptionsCollection";
    let l = list.clone();
    handler.set(
        "get",
        Func::from(move |ctx: Ctx<'js>, target: Object<'js>, key: Value<'js>| -> Result<Value<'js>> {
            let Some(name) = key_text(&ctx, &key) else { return target.get(key) };
            if name == "length" {
                let length = l.nodes().map_or(0, |(_, nodes)| nodes.len());
                return Ok(Value::new_number(ctx, length as f64));
            }
            if options && let Some(found) = option_member(&ctx, &l, &name)? {
                return Ok(found);
            }
            if index(&name).is_none() && HELD.contains(&name.as_str()) {
                return target.get(key);
            }
            match l.lookup(&ctx, &name)? {
                Some(found) => Ok(found),
                None => target.get(key),
            }
        }),
    )?;
    let l = list.clone();
    handler.set(
        "set",
        Func::from(
            move |ctx: Ctx<'js>, target: Object<'js>, key: Value<'js>, new: Value<'js>| -> Result<bool> {
                let name = key_text(&ctx, &key);
                if options && let Some(name) = &name {
                    if name == "length" {
                        set_length(&l, new.as_number().unwrap_or(0.0).max(0.0) as usize);
                        return Ok(true);
                    }
                    if let Some(index) = index(name) {
                        put_option(&ctx, &l, Some(index), &new)?;
                        return Ok(true);
                    }
                    if name == "selectedIndex" {
                        if let Some(page) = l.host.page(l.page) {
                            let index = new.as_number().unwrap_or(-1.0) as i32;
                            page.document.borrow_mut().set_selected_index(l.node, index);
                        }
                        return Ok(true);
                    }
                }
                if name.as_deref() != Some("length") {
                    target.set(key, new)?;
                }
                Ok(true)
            },
        ),
    )?;
    let l = list.clone();
    handler.set(
        "has",
        Func::from(move |ctx: Ctx<'js>, target: Object<'js>, key: Value<'js>| -> Result<bool> {
            let Some(name) = key_text(&ctx, &key) else { return target.contains_key(key) };
            if name == "length" {
                return Ok(true);
            }
            Ok(l.lookup(&ctx, &name)?.is_some() || target.contains_key(key)?)
        }),
    )?;
    let l = list.clone();
    handler.set(
        "ownKeys",
        Func::from(move |ctx: Ctx<'js>| -> Result<Array<'js>> {
            let keys = Array::new(ctx)?;
            let count = l.nodes().map_or(0, |(_, nodes)| nodes.len());
            keys.set(0, "length")?;
            for n in 0..count {
                keys.set(n + 1, n.to_string())?;
            }
            Ok(keys)
        }),
    )?;
    let l = list.clone();
    handler.set(
        "getOwnPropertyDescriptor",
        Func::from(move |ctx: Ctx<'js>, _: Object<'js>, key: Value<'js>| -> Result<Value<'js>> {
            let found = match key_text(&ctx, &key) {
                Some(name) if name == "length" => {
                    let length = l.nodes().map_or(0, |(_, nodes)| nodes.len());
                    Some(Value::new_number(ctx.clone(), length as f64))
                }
                Some(name) => l.lookup(&ctx, &name)?,
                None => None,
            };
            let Some(found) = found else { return Ok(Value::new_undefined(ctx)) };
            let description = Object::new(ctx)?;
            description.set("value", found)?;
            description.set("writable", true)?;
            description.set("enumerable", true)?;
            description.set("configurable", true)?;
            Ok(description.into_value())
        }),
    )?;
    let prototype = page.prototypes.borrow().get(interface).cloned();
    let prototype = prototype.map(|prototype| prototype.restore(ctx)).transpose()?;
    let target: Value<'js> = if callable {
        let l = list;
        // Its own name and length would have to be reported by `ownKeys`.
        let function = Function::new(ctx.clone(), move |ctx: Ctx<'js>, args: Rest<Value<'js>>| {
            let key = args.0.first().map(|key| value::text_of(&ctx, key)).unwrap_or_default();
            let found = l.lookup(&ctx, &key)?;
            Ok::<_, rquickjs::Error>(found.unwrap_or_else(|| Value::new_null(ctx)))
        })?;
        function.as_inner().remove("name")?;
        function.as_inner().remove("length")?;
        function.as_inner().set_prototype(prototype.as_ref())?;
        function.into_value()
    } else {
        Object::new_proto(ctx.clone(), prototype.as_ref())?.into_value()
    };
    Ok(Proxy::new(ctx.clone(), target, ProxyHandler::from_object(handler)?)?.into_value())
}

/// Names of the list itself, which no element can take.
const HELD: &[&str] = &["item", "namedItem", "tags"];

/// Members every list has.
pub(super) fn install_methods<'js>(prototype: &Object<'js>) -> Result<()> {
    let ctx = prototype.ctx();
    let find = |ctx: Ctx<'js>, this: This<Object<'js>>, key: Opt<Value<'js>>| -> Result<Value<'js>> {
        let Some(key) = key.0 else { return Ok(Value::new_null(ctx)) };
        let found: Value = this.0.get(value::text_of(&ctx, &key).as_str())?;
        Ok(if found.is_undefined() { Value::new_null(ctx) } else { found })
    };
    let tags = |ctx: Ctx<'js>, this: This<Object<'js>>, tag: Opt<Value<'js>>| -> Result<Value<'js>> {
        let tag = tag.0.map(|tag| value::text_of(&ctx, &tag)).unwrap_or_default();
        let (length, out) = (this.0.get::<_, f64>("length")?, Array::new(ctx.clone())?);
        for n in 0..length as u32 {
            let member: Value = this.0.get(n)?;
            let name: Option<String> = member.as_object().map(|o| o.get("tagName")).transpose()?;
            if name.is_some_and(|name| name.eq_ignore_ascii_case(&tag)) {
                out.set(out.len(), member)?;
            }
        }
        Ok(out.into_value())
    };
    let methods = [
        ("item", Function::new(ctx.clone(), find)?),
        ("namedItem", Function::new(ctx.clone(), find)?),
        ("tags", Function::new(ctx.clone(), tags)?),
    ];
    for (name, function) in methods {
        prototype.prop(name, Property::from(function).writable().configurable())?;
    }
    Ok(())
}

fn option_member<'js>(ctx: &Ctx<'js>, list: &Rc<List>, name: &str) -> Result<Option<Value<'js>>> {
    let fixed = Some((list.page, list.node));
    let function = match name {
        "add" => members::method(ctx, &list.host, add, fixed)?,
        "remove" => members::method(ctx, &list.host, remove, fixed)?,
        "selectedIndex" => {
            let index =
                list.host.page(list.page).map(|page| page.document.borrow().selected_index(list.node));
            return Ok(Some(Value::new_int(ctx.clone(), index.unwrap_or(-1))));
        }
        _ => return Ok(None),
    };
    Ok(Some(function.into_value()))
}

/// `select.add(option, before)` and `options.add(option, index)`; `before` may be an option.
pub(super) fn add<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let option = cx.node_of(args, 0).ok_or_else(|| cx.invalid())?;
    let before = match cx.node_of(args, 1) {
        Some(option) => Some(option),
        None => cx.number_of(args, 1).filter(|index| *index >= 0.0).and_then(|index| {
            cx.read(|document, select| document.options(select).get(index as usize).copied())
        }),
    };
    let parent = before.and_then(|before| cx.read(|document, _| document.parent(before))).unwrap_or(cx.node);
    cx.write(|document, _| document.insert_before(parent, option, before)).map_err(|_| cx.invalid())?;
    Ok(cx.undefined())
}

/// `select.remove(index)` and `options.remove(index)`.
pub(super) fn remove<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let Some(index) = cx.number_of(args, 0) else {
        // `select.remove()` is also the node's own method from mode 11 on; IE removes nothing.
        return Ok(cx.undefined());
    };
    let option = cx.read(|document, select| document.options(select).get(index as usize).copied());
    if let Some(option) = option.filter(|_| index >= 0.0) {
        cx.write(|document, _| document.remove(option));
    }
    Ok(cx.undefined())
}

fn set_length(list: &List, length: usize) {
    let Some(page) = list.host.page(list.page) else { return };
    let mut document = page.document.borrow_mut();
    let options = document.options(list.node);
    for &option in options.iter().skip(length) {
        document.remove(option);
    }
    // Growing adds empty options; a limit keeps a mistaken huge length from filling the memory.
    for _ in options.len()..length.min(10_000) {
        let option = document.create_element("option");
        let _ = document.append(list.node, option);
    }
}

fn put_option<'js>(ctx: &Ctx<'js>, list: &List, index: Option<usize>, new: &Value<'js>) -> Result<()> {
    let Some(page) = list.host.page(list.page) else { return Ok(()) };
    let old = index.and_then(|index| page.document.borrow().options(list.node).get(index).copied());
    if new.is_null() || new.is_undefined() {
        if let Some(old) = old {
            page.document.borrow_mut().remove(old);
        }
        return Ok(());
    }
    let option = node::unwrap(new).filter(|found| found.page == list.page);
    let Some(option) = option else { return Err(Exception::throw_type(ctx, "Invalid argument.")) };
    if old.is_none()
        && let Some(index) = index
    {
        set_length(list, index);
    }
    let mut document = page.document.borrow_mut();
    let parent = old.and_then(|old| document.parent(old)).unwrap_or(list.node);
    let _ = document.insert_before(parent, option.node, old);
    if let Some(old) = old.filter(|&old| old != option.node) {
        document.remove(old);
    }
    Ok(())
}
