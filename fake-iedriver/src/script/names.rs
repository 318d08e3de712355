//! Elements as globals and as members of their document and form.
//!
//! Owns: `window.fieldName`, `document.formName`, `form.fieldName`. Does not own: lists (`list`).
//! Accessors on ordinary objects: a proxy in the global object's chain would hide ReferenceErrors
//! (`reference/emulator.md` section 4.1).

use super::{list, node};
use crate::browser::host::{Host, Page};
use crate::dom::{Document, NodeId};
use rquickjs::function::This;
use rquickjs::object::{Accessor, Property};
use rquickjs::{Ctx, Object, Result, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Elements whose `name` makes them members of `document`.
const DOCUMENT_NAMED: &[&str] = &["form", "img", "iframe", "embed", "object", "applet"];

/// Brings the names up to the tree's version; cheap when nothing has changed.
///
/// # Errors
/// Out of memory.
pub fn refresh<'js>(ctx: &Ctx<'js>, host: &Rc<Host>, page: &Rc<Page>) -> Result<()> {
    let version = page.document.borrow().version();
    if page.named_at.replace(version) == version {
        return Ok(());
    }
    let (names, of_document, forms) = {
        let document = page.document.borrow();
        let mut names = BTreeSet::new();
        let mut of_document = BTreeSet::new();
        let mut forms = Vec::new();
        for id in document.descendant_elements(document.root()) {
            collect(&document, id, &mut names, &mut of_document);
            if document.is(id, "form") {
                forms.push(id);
            }
        }
        (names, of_document, forms)
    };
    let holder = page.names.clone().restore(ctx)?;
    for name in &names {
        window_name(host, page, &holder, name)?;
    }
    let root = page.document.borrow().root();
    let object = page.objects.borrow().get(&root).cloned();
    if let Some(object) = object {
        let object = object.restore(ctx)?;
        for name in of_document {
            document_name(host, page.id, &object, &name)?;
        }
    }
    for form in forms {
        let object = page.objects.borrow().get(&form).cloned();
        if let Some(object) = object {
            name_fields(host, page, &object.restore(ctx)?, form)?;
        }
    }
    Ok(())
}

/// Names a subtree that a script has just put into the page.
///
/// # Errors
/// Out of memory.
pub fn added<'js>(ctx: &Ctx<'js>, host: &Rc<Host>, page: &Rc<Page>, top: NodeId) -> Result<()> {
    let (names, form) = {
        let document = page.document.borrow();
        let mut names = BTreeSet::new();
        collect(&document, top, &mut names, &mut BTreeSet::new());
        for id in document.descendant_elements(top) {
            collect(&document, id, &mut names, &mut BTreeSet::new());
        }
        (names, document.form_owner(top).or_else(|| document.is(top, "form").then_some(top)))
    };
    if names.is_empty() {
        return Ok(());
    }
    let holder = page.names.clone().restore(ctx)?;
    for name in &names {
        window_name(host, page, &holder, name)?;
    }
    let object = form.and_then(|form| page.objects.borrow().get(&form).cloned());
    if let (Some(object), Some(form)) = (object, form) {
        name_fields(host, page, &object.restore(ctx)?, form)?;
    }
    Ok(())
}

fn collect(
    document: &Document,
    id: NodeId,
    names: &mut BTreeSet<String>,
    of_document: &mut BTreeSet<String>,
) {
    let name = document.attribute(id, "name").filter(|name| !name.is_empty());
    let own = document.attribute(id, "id").filter(|name| !name.is_empty());
    names.extend(own.map(str::to_owned));
    if let Some(name) = name {
        if !document.is(id, "meta") && !document.is(id, "param") {
            names.insert(name.to_owned());
        }
        if DOCUMENT_NAMED.contains(&document.name(id)) {
            of_document.insert(name.to_owned());
        }
    }
    if let Some(own) = own
        && (document.is(id, "img") || document.is(id, "form"))
    {
        of_document.insert(own.to_owned());
    }
}

fn holders(document: &Document, name: &str, wanted: impl Fn(&Document, NodeId) -> bool) -> Vec<NodeId> {
    let same = |id: NodeId, key| document.attribute(id, key) == Some(name);
    document
        .descendant_elements(document.root())
        .filter(|&id| (same(id, "id") || same(id, "name")) && wanted(document, id))
        .collect()
}

fn window_name<'js>(host: &Rc<Host>, page: &Page, holder: &Object<'js>, name: &str) -> Result<()> {
    if holder.contains_key(name)? {
        return Ok(());
    }
    let (host, page) = (host.clone(), page.id);
    let (for_get, for_set) = (name.to_owned(), name.to_owned());
    // An assignment or `var` makes a property of the window, which hides the element.
    let accessor = Accessor::new(
        move |ctx: Ctx<'js>| -> Result<Value<'js>> {
            let Some(page) = host.page(page) else { return Ok(Value::new_undefined(ctx)) };
            if let Some(frame) = host.child_named(page.frame, &for_get) {
                return host.window(&ctx, frame);
            }
            let nodes = holders(&page.document.borrow(), &for_get, |_, _| true);
            several(&ctx, &host, &page, &nodes)
        },
        move |this: This<Value<'js>>, value: Value<'js>| -> Result<()> {
            let Some(window) = this.0.as_object() else { return Ok(()) };
            let property = Property::from(value).writable().configurable().enumerable();
            window.prop(for_set.as_str(), property)
        },
    );
    holder.prop(name, accessor.configurable())
}

/// Lets the page reach its `index`-th frame by number.
///
/// # Errors
/// Out of memory.
pub fn number_frame<'js>(ctx: &Ctx<'js>, host: &Rc<Host>, page: &Page, index: usize) -> Result<()> {
    let holder = page.names.clone().restore(ctx)?;
    let (host, frame) = (host.clone(), page.frame);
    let accessor = Accessor::new_get(move |ctx: Ctx<'js>| -> Result<Value<'js>> {
        match host.children(frame).get(index) {
            Some(&child) => host.window(&ctx, child),
            None => Ok(Value::new_undefined(ctx)),
        }
    });
    holder.prop(index.to_string(), accessor.configurable())
}

/// Puts the names of forms, pictures and frames on the document's object.
///
/// # Errors
/// Out of memory.
pub fn name_document(host: &Rc<Host>, page: &Page, object: &Object<'_>) -> Result<()> {
    let names = {
        let document = page.document.borrow();
        let mut of_document = BTreeSet::new();
        for id in document.descendant_elements(document.root()) {
            collect(&document, id, &mut BTreeSet::new(), &mut of_document);
        }
        of_document
    };
    names.iter().try_for_each(|name| document_name(host, page.id, object, name))
}

fn document_name<'js>(host: &Rc<Host>, page: u32, object: &Object<'js>, name: &str) -> Result<()> {
    if object.contains_key(name)? {
        return Ok(());
    }
    let (host, key) = (host.clone(), name.to_owned());
    let accessor = Accessor::new_get(move |ctx: Ctx<'js>| -> Result<Value<'js>> {
        let Some(page) = host.page(page) else { return Ok(Value::new_undefined(ctx)) };
        if let Some(frame) = host.child_named(page.frame, &key) {
            return host.window(&ctx, frame);
        }
        let wanted = |document: &Document, id: NodeId| DOCUMENT_NAMED.contains(&document.name(id));
        let nodes = holders(&page.document.borrow(), &key, wanted);
        several(&ctx, &host, &page, &nodes)
    });
    object.prop(name, accessor.configurable())
}

/// The fields of a form hide its own members, as old pages found out with `submit`.
///
/// # Errors
/// Out of memory.
pub fn name_fields<'js>(host: &Rc<Host>, page: &Page, object: &Object<'js>, form: NodeId) -> Result<()> {
    let names: BTreeSet<String> = {
        let document = page.document.borrow();
        let controls = document.form_controls(form);
        let named =
            controls.iter().flat_map(|&id| [document.attribute(id, "name"), document.attribute(id, "id")]);
        named.flatten().filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    for name in names {
        let (host, page, key) = (host.clone(), page.id, name.clone());
        let accessor =
            Accessor::new_get(move |this: This<Value<'js>>, ctx: Ctx<'js>| -> Result<Value<'js>> {
                let Some(page) = host.page(page) else { return Ok(Value::new_undefined(ctx)) };
                let nodes = holders(&page.document.borrow(), &key, |document, id| {
                    document.is_control(id) && document.form_owner(id) == Some(form)
                });
                if nodes.is_empty()
                    && let Some(prototype) = this.0.as_object().and_then(Object::get_prototype)
                {
                    return prototype.get(key.as_str());
                }
                several(&ctx, &host, &page, &nodes)
            });
        object.prop(name.as_str(), accessor.configurable())?;
    }
    Ok(())
}

fn several<'js>(ctx: &Ctx<'js>, host: &Rc<Host>, page: &Rc<Page>, nodes: &[NodeId]) -> Result<Value<'js>> {
    match nodes {
        [] => Ok(Value::new_undefined(ctx.clone())),
        [one] => node::wrap(ctx, host, page, Some(*one)),
        several => list::of(ctx, host, page, several),
    }
}
