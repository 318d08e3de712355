//! The DOM interfaces scripts see.
//!
//! Code map: one table per interface; this file says which interface a node has and which one it
//! extends. Does not own: installation (`members`), windows (`window`), events (`event`).

mod control;
mod dialog;
mod document;
mod element;
mod location;
mod node;
mod request;
mod style;
mod table;
mod window;

use super::members::{self, Member};
use super::node::wrap;
use super::{event, handler, list};
use crate::browser::host::{Host, Page};
use crate::dom::{Document, NodeData, NodeId};
pub use request::{Request, finish as finish_request};
use rquickjs::function::{Constructor, Opt, Rest};
use rquickjs::{Ctx, Exception, Function, Object, Persistent, Result, Value};
use std::rc::Rc;

/// Name, extended interface, members. Parents stand before children.
pub static INTERFACES: &[(&str, Option<&str>, &[Member])] = &[
    ("HTMLCollection", None, &[]),
    ("HTMLOptionsCollection", Some("HTMLCollection"), &[]),
    ("CSSStyleDeclaration", None, style::MEMBERS),
    ("Event", None, &[]),
    ("XMLHttpRequest", None, request::MEMBERS),
    ("Node", None, node::MEMBERS),
    ("Text", Some("Node"), node::TEXT),
    ("Comment", Some("Node"), node::TEXT),
    ("Document", Some("Node"), document::MEMBERS),
    ("Element", Some("Node"), element::MEMBERS),
    ("HTMLElement", Some("Element"), &[]),
    ("HTMLInputElement", Some("HTMLElement"), control::INPUT),
    ("HTMLTextAreaElement", Some("HTMLElement"), control::INPUT),
    ("HTMLButtonElement", Some("HTMLElement"), control::INPUT),
    ("HTMLSelectElement", Some("HTMLElement"), control::SELECT),
    ("HTMLOptionElement", Some("HTMLElement"), control::OPTION),
    ("HTMLFormElement", Some("HTMLElement"), control::FORM),
    ("HTMLAnchorElement", Some("HTMLElement"), element::ANCHOR),
    ("HTMLImageElement", Some("HTMLElement"), element::IMAGE),
    ("HTMLFrameElement", Some("HTMLElement"), element::FRAME),
    ("HTMLTableElement", Some("HTMLElement"), table::TABLE),
    ("HTMLTableSectionElement", Some("HTMLElement"), table::SECTION),
    ("HTMLTableRowElement", Some("HTMLElement"), table::ROW),
    ("HTMLTableCellElement", Some("HTMLElement"), table::CELL),
    ("HTMLLabelElement", Some("HTMLElement"), element::LABEL),
    ("HTMLScriptElement", Some("HTMLElement"), element::SCRIPT),
    ("HTMLOptGroupElement", Some("HTMLElement"), element::GROUP),
    ("HTMLTitleElement", Some("HTMLElement"), element::TITLE),
];

/// The interface of a node.
pub fn interface_of(document: &Document, node: NodeId) -> &'static str {
    match document.get(node).map(|node| node.data()) {
        Some(NodeData::Document) => "Document",
        Some(NodeData::Text(_)) => "Text",
        Some(NodeData::Comment(_)) => "Comment",
        Some(NodeData::Element(element)) => match &*element.name {
            "input" => "HTMLInputElement",
            "textarea" => "HTMLTextAreaElement",
            "button" => "HTMLButtonElement",
            "select" => "HTMLSelectElement",
            "option" => "HTMLOptionElement",
            "form" => "HTMLFormElement",
            "a" | "area" => "HTMLAnchorElement",
            "img" => "HTMLImageElement",
            "iframe" | "frame" => "HTMLFrameElement",
            "table" => "HTMLTableElement",
            "thead" | "tbody" | "tfoot" => "HTMLTableSectionElement",
            "tr" => "HTMLTableRowElement",
            "td" | "th" => "HTMLTableCellElement",
            "label" => "HTMLLabelElement",
            "script" => "HTMLScriptElement",
            "optgroup" => "HTMLOptGroupElement",
            "title" => "HTMLTitleElement",
            _ => "HTMLElement",
        },
        _ => "Node",
    }
}

/// Makes the prototypes of a realm.
///
/// # Errors
/// Out of memory.
pub fn install<'js>(realm: &Ctx<'js>, host: &Rc<Host>, page: &Rc<Page>) -> Result<()> {
    for (name, parent, members) in INTERFACES {
        let above = parent.and_then(|parent| page.prototypes.borrow().get(parent).cloned());
        let above = above.map(|above| above.restore(realm)).transpose()?;
        let prototype = match &above {
            Some(above) => Object::new_proto(realm.clone(), Some(above))?,
            None => Object::new(realm.clone())?,
        };
        members::install(realm, host, &prototype, members, page.mode, None)?;
        match *name {
            "HTMLCollection" => list::install_methods(&prototype)?,
            "CSSStyleDeclaration" => style::install(host, &prototype)?,
            "Event" => event::install_methods(&prototype, page.mode)?,
            "Document" | "Element" => handler::install(host, &prototype, None)?,
            _ => {}
        }
        // Constructors are visible from mode 8 on; none of them can be called.
        if page.mode.number() >= 8 && *name != "XMLHttpRequest" {
            let message = "Object doesn't support this action";
            let refuse =
                move |ctx: Ctx<'js>| -> Result<Object<'js>> { Err(Exception::throw_type(&ctx, message)) };
            let constructor = Constructor::new_prototype(realm, prototype.clone(), refuse)?;
            let property = rquickjs::object::Property::from(constructor).writable().configurable();
            realm.globals().prop(*name, property)?;
        }
        page.prototypes.borrow_mut().insert(name, Persistent::save(realm, prototype));
    }
    let prototypes = page.prototypes.borrow();
    for (alias, name) in [("HTMLDocument", "Document"), ("HTMLDivElement", "HTMLElement")] {
        if let Some(prototype) = prototypes.get(name).filter(|_| page.mode.number() >= 8) {
            let prototype: Object = prototype.clone().restore(realm)?;
            if let Ok(constructor) = prototype.get::<_, Value>("constructor") {
                realm.globals().set(alias, constructor)?;
            }
        }
    }
    Ok(())
}

/// Puts the members of the window on the realm's global object.
///
/// # Errors
/// Out of memory.
pub fn install_window<'js>(realm: &Ctx<'js>, host: &Rc<Host>, page: &Rc<Page>) -> Result<()> {
    let global = realm.globals();
    let root = page.document.borrow().root();
    members::install(realm, host, &global, window::MEMBERS, page.mode, Some((page.id, root)))?;
    handler::install(host, &global, Some(page.id))?;
    let (maker, id) = (host.clone(), page.id);
    constructor(realm, "Option", move |ctx: Ctx<'js>, args: Rest<Value<'js>>| {
        let Some(page) = maker.page(id) else { return Err(gone(&ctx)) };
        let text = |n: usize| args.0.get(n).map(|value| super::value::text_of(&ctx, value));
        let option = {
            let mut document = page.document.borrow_mut();
            let option = document.create_element("option");
            document.set_text_content(option, &text(0).unwrap_or_default());
            document.set_attribute(option, "value", &text(1).unwrap_or_default());
            option
        };
        let flag = |n: usize| args.0.get(n).and_then(Value::as_bool) == Some(true);
        if flag(2) {
            page.document.borrow_mut().set_attribute(option, "selected", "");
        }
        if flag(3) {
            page.document.borrow_mut().set_selected(option, true);
        }
        wrap(&ctx, &maker, &page, Some(option))
    })?;
    let (maker, id) = (host.clone(), page.id);
    constructor(realm, "Image", move |ctx: Ctx<'js>, size: Rest<Value<'js>>| {
        let Some(page) = maker.page(id) else { return Err(gone(&ctx)) };
        let image = page.document.borrow_mut().create_element("img");
        for (name, value) in ["width", "height"].into_iter().zip(&size.0) {
            let text = super::value::text_of(&ctx, value);
            page.document.borrow_mut().set_attribute(image, name, &text);
        }
        wrap(&ctx, &maker, &page, Some(image))
    })?;
    let (maker, id) = (host.clone(), page.id);
    constructor(realm, "XMLHttpRequest", move |ctx: Ctx<'js>| {
        let Some(page) = maker.page(id) else { return Err(gone(&ctx)) };
        request::create(&ctx, &maker, &page).map(Object::into_value)
    })?;
    if page.mode.number() <= 10 {
        let (maker, id) = (host.clone(), page.id);
        constructor(realm, "ActiveXObject", move |ctx: Ctx<'js>, name: Opt<String>| {
            let Some(page) = maker.page(id) else { return Err(gone(&ctx)) };
            let name = name.0.unwrap_or_default().to_ascii_lowercase();
            if name == "microsoft.xmlhttp" || name.starts_with("msxml2.xmlhttp") {
                return request::create(&ctx, &maker, &page).map(Object::into_value);
            }
            Err(Exception::throw_message(&ctx, "Automation server can't create object"))
        })?;
    }
    let console = Object::new(realm.clone())?;
    for name in
        ["log", "info", "warn", "error", "debug", "assert", "dir", "clear", "time", "timeEnd", "trace"]
    {
        console.set(name, Function::new(realm.clone(), |_: Rest<Value<'js>>| ())?)?;
    }
    global.set("console", console)
}

fn gone(ctx: &Ctx<'_>) -> rquickjs::Error {
    Exception::throw_message(ctx, "Can't execute code from a freed script")
}

/// A constructor that gives an object of its own choice.
fn constructor<'js, P>(
    realm: &Ctx<'js>,
    name: &str,
    make: impl rquickjs::function::IntoJsFunc<'js, P> + 'js,
) -> Result<()> {
    let function = Function::new(realm.clone(), make)?.with_name(name)?.with_constructor(true);
    let property = rquickjs::object::Property::from(function).writable().configurable();
    realm.globals().prop(name, property)
}
