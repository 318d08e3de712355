//! Handlers: `onclick="…"` and `element.onclick = …`.
//!
//! Owns: compiling attributes at the first event, setting and reading the properties. Does not own:
//! when they are called (`event`).

use super::errors::Failure;
use super::{engine, run};
use crate::browser::host::{Host, Listener, Page, SavedFunction, Spot, Style};
use crate::dom::{Mode, NodeId};
use rquickjs::{Ctx, Function, Object, Persistent, Result, Value};
use std::rc::Rc;

/// Event properties of elements, documents and windows.
pub const PROPERTIES: &[&str] = &[
    "onabort",
    "onactivate",
    "onafterupdate",
    "onbeforeactivate",
    "onbeforecopy",
    "onbeforecut",
    "onbeforedeactivate",
    "onbeforepaste",
    "onbeforeunload",
    "onblur",
    "onchange",
    "onclick",
    "oncontextmenu",
    "oncopy",
    "oncut",
    "ondblclick",
    "ondeactivate",
    "ondrag",
    "ondragend",
    "ondragenter",
    "ondragleave",
    "ondragover",
    "ondragstart",
    "ondrop",
    "onerror",
    "onfocus",
    "onfocusin",
    "onfocusout",
    "onhashchange",
    "onhelp",
    "oninput",
    "onkeydown",
    "onkeypress",
    "onkeyup",
    "onload",
    "onmousedown",
    "onmouseenter",
    "onmouseleave",
    "onmousemove",
    "onmouseout",
    "onmouseover",
    "onmouseup",
    "onmousewheel",
    "onpaste",
    "onpropertychange",
    "onreadystatechange",
    "onreset",
    "onresize",
    "onscroll",
    "onselect",
    "onselectstart",
    "onstop",
    "onsubmit",
    "onunload",
    "onbeforeprint",
    "onafterprint",
    "onmessage",
    "onstorage",
];

/// Handlers of `body` and `frameset` that are the window's.
const OF_WINDOW: &[&str] = &[
    "load",
    "unload",
    "beforeunload",
    "resize",
    "error",
    "hashchange",
    "beforeprint",
    "afterprint",
    "scroll",
];

/// The place whose handler an element's handler is.
pub fn place(page: &Page, node: NodeId, kind: &str) -> Spot {
    let document = page.document.borrow();
    let outer = document.is(node, "body") || document.is(node, "frameset");
    if outer && (OF_WINDOW.contains(&kind) || matches!(kind, "focus" | "blur") && page.mode >= Mode::Ie9) {
        Spot::Window
    } else {
        Spot::Node(node)
    }
}

/// Element whose attribute is the handler of a place, and the attribute's text.
fn attribute(page: &Page, spot: Spot, kind: &str) -> Option<(NodeId, String)> {
    let document = page.document.borrow();
    let element = match spot {
        Spot::Node(node) => node,
        Spot::Window => {
            if !OF_WINDOW.contains(&kind) && !matches!(kind, "focus" | "blur") {
                return None;
            }
            let html = document.document_element()?;
            let body = document.body();
            body.or_else(|| document.child_elements(html).find(|&id| document.is(id, "frameset")))?
        }
    };
    if spot != Spot::Window {
        drop(document);
        if place(page, element, kind) != spot {
            return None;
        }
        let text = page.document.borrow().attribute(element, &format!("on{kind}"))?.to_owned();
        return Some((element, text));
    }
    let text = document.attribute(element, &format!("on{kind}"))?.to_owned();
    Some((element, text))
}

/// True if a place has a handler, compiled or not.
pub fn exists(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, spot: Spot, kind: &str) -> bool {
    let _ = host;
    attribute(page, spot, kind).is_some()
        || spot == Spot::Window && global_function(ctx, page, kind).is_some()
}

/// A function that a script declared under the handler's name: `function onload() {}`.
fn global_function<'js>(ctx: &Ctx<'js>, page: &Page, kind: &str) -> Option<Function<'js>> {
    let global = page.global.clone().restore(ctx).ok()?;
    let value: Value = global.get(format!("on{kind}")).ok()?;
    value.into_function()
}

/// The handler of a place, compiled if need be.
pub fn function(
    host: &Rc<Host>,
    ctx: &Ctx<'_>,
    page: &Rc<Page>,
    spot: Spot,
    kind: &str,
) -> Option<SavedFunction> {
    let known = {
        let listeners = page.listeners.borrow();
        let here = listeners.get(&spot);
        here.and_then(|here| here.iter().find(|l| l.kind == kind && l.style == Style::Handler).cloned())
    };
    let text = attribute(page, spot, kind);
    match (&known, &text) {
        (Some(known), Some((_, text))) if known.source.as_ref() == Some(text) => {
            return known.function.clone();
        }
        (Some(known), _) if known.source.is_none() => return known.function.clone(),
        (_, None) if spot == Spot::Window => {
            let function = global_function(ctx, page, kind)?;
            return Some(Persistent::save(ctx, function));
        }
        (_, None) => return None,
        _ => {}
    }
    let (element, text) = text?;
    let function = match compile(host, ctx, page, element, kind, &text) {
        Ok(function) => Some(function),
        Err(failure) => {
            run::report(host, ctx, page, failure);
            None
        }
    };
    let listener =
        Listener { kind: kind.into(), style: Style::Handler, function: function.clone(), source: Some(text) };
    store(page, spot, listener);
    function
}

fn store(page: &Page, spot: Spot, listener: Listener) {
    let mut listeners = page.listeners.borrow_mut();
    let here = listeners.entry(spot).or_default();
    match here.iter_mut().find(|l| l.kind == listener.kind && l.style == Style::Handler) {
        Some(old) => *old = listener,
        None => here.push(listener),
    }
}

/// Compiles a handler attribute with document, form and element in its scope.
fn compile(
    host: &Rc<Host>,
    ctx: &Ctx<'_>,
    page: &Rc<Page>,
    element: NodeId,
    kind: &str,
    text: &str,
) -> std::result::Result<SavedFunction, Failure> {
    // `javascript:` in front is a label in a handler; VBScript is not run.
    let parameter = if page.mode >= Mode::Ie9 { "event" } else { "" };
    let form = page.document.borrow().form_owner(element);
    run::enter(host, ctx, page, |realm| {
        // The body alone first: an unbalanced brace must not escape the wrapper.
        run::evaluate::<Value>(realm, page, &format!("(function({parameter}){{{text}\n}})"), "handler")?;
        let wrapper: Function = engine::eval(
            realm,
            &format!(
                "(function(document,form,el){{with(document)with(form||{{}})with(el)\
                 return function on{kind}({parameter}){{{text}\n}}}})"
            ),
            &format!("on{kind}"),
        )?;
        let root = page.document.borrow().root();
        let wrap = |node| super::node::wrap(realm, host, page, node);
        let function: Function = wrapper.call((wrap(Some(root))?, wrap(form)?, wrap(Some(element))?))?;
        Ok(Persistent::save(realm, function))
    })
}

/// `element.onclick`.
///
/// # Errors
/// Out of memory.
pub fn read<'js>(
    host: &Rc<Host>,
    ctx: &Ctx<'js>,
    page: &Rc<Page>,
    spot: Spot,
    kind: &str,
) -> Result<Value<'js>> {
    let known = {
        let listeners = page.listeners.borrow();
        let here = listeners.get(&spot);
        here.and_then(|here| here.iter().find(|l| l.kind == kind && l.style == Style::Handler).cloned())
    };
    let compiled = match known {
        Some(known) if known.source.is_none() => known.function,
        _ if spot == Spot::Window && attribute(page, spot, kind).is_none() => None,
        _ => function(host, ctx, page, spot, kind),
    };
    match compiled {
        Some(function) => Ok(function.restore(ctx)?.into_value()),
        None => Ok(Value::new_null(ctx.clone())),
    }
}

/// `element.onclick = value`; anything but a function takes the handler away.
pub fn write<'js>(ctx: &Ctx<'js>, page: &Page, spot: Spot, kind: &str, value: &Value<'js>) {
    let function = value.as_function().map(|function| Persistent::save(ctx, function.clone()));
    store(page, spot, Listener { kind: kind.into(), style: Style::Handler, function, source: None });
}

/// Puts the handler properties on a prototype or window.
///
/// # Errors
/// Out of memory.
pub fn install<'js>(host: &Rc<Host>, object: &Object<'js>, window: Option<u32>) -> Result<()> {
    use rquickjs::function::This;
    for name in PROPERTIES {
        let kind = &name[2..];
        let (for_get, for_set) = (host.clone(), host.clone());
        let accessor = rquickjs::object::Accessor::new(
            move |ctx: Ctx<'js>, this: This<Value<'js>>| -> Result<Value<'js>> {
                match owner(&for_get, &this.0, window, kind) {
                    Some((page, spot)) => read(&for_get, &ctx, &page, spot, kind),
                    None => Ok(Value::new_undefined(ctx)),
                }
            },
            move |ctx: Ctx<'js>, this: This<Value<'js>>, value: Value<'js>| {
                if let Some((page, spot)) = owner(&for_set, &this.0, window, kind) {
                    write(&ctx, &page, spot, kind, &value);
                }
            },
        );
        object.prop(*name, accessor.configurable().enumerable())?;
    }
    Ok(())
}

fn owner(host: &Host, this: &Value<'_>, window: Option<u32>, kind: &str) -> Option<(Rc<Page>, Spot)> {
    if let Some(page) = window {
        return Some((host.page(page)?, Spot::Window));
    }
    let (page, what) = super::node::target(host, this)?;
    let spot = place(&page, what.node, kind);
    Some((page, spot))
}
