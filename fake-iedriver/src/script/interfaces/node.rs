//! `Node`, `Text`, `Comment`.

use crate::dom::{NodeId, TreeError};
use crate::script::members::{Cx, Member, both, call, get};
use rquickjs::{Exception, Result, Value};

pub(super) static MEMBERS: &[Member] = &[
    get("nodeType", |cx, _| {
        let kind = cx.page.document.borrow().get(cx.node).map_or(0, |node| node.data().node_type());
        Ok(cx.number(f64::from(kind)))
    }),
    get("nodeName", |cx, _| {
        let kind = cx.page.document.borrow().get(cx.node).map_or(0, |node| node.data().node_type());
        match kind {
            1 => cx.text(&cx.page.document.borrow().name(cx.node).to_ascii_uppercase()),
            3 => cx.text("#text"),
            8 => cx.text("#comment"),
            9 => cx.text("#document"),
            _ => cx.text("#document-fragment"),
        }
    }),
    both("nodeValue", data, |cx, args| {
        let text = cx.text_of(args, 0);
        cx.page.document.borrow_mut().set_character_data(cx.node, &text);
        Ok(cx.undefined())
    }),
    get("parentNode", |cx, _| to(cx, |cx| cx.page.document.borrow().parent(cx.node))),
    get("parentElement", |cx, _| to(cx, |cx| cx.page.document.borrow().parent_element(cx.node))),
    get("firstChild", |cx, _| to(cx, |cx| cx.page.document.borrow().first_child(cx.node))),
    get("lastChild", |cx, _| to(cx, |cx| cx.page.document.borrow().last_child(cx.node))),
    get("nextSibling", |cx, _| to(cx, |cx| cx.page.document.borrow().next_sibling(cx.node))),
    get("previousSibling", |cx, _| to(cx, |cx| cx.page.document.borrow().previous_sibling(cx.node))),
    get("childNodes", |cx, _| cx.live(|document, id, _| document.children(id).collect(), false)),
    get("ownerDocument", |cx, _| {
        let root = cx.page.document.borrow().root();
        if root == cx.node { Ok(cx.null()) } else { cx.wrap(Some(root)) }
    }),
    call("hasChildNodes", |cx, _| Ok(cx.boolean(cx.page.document.borrow().first_child(cx.node).is_some()))),
    call("appendChild", |cx, args| insert(cx, args, None)),
    call("insertBefore", |cx, args| insert(cx, args, cx.node_of(args, 1))),
    call("removeChild", |cx, args| {
        let child = cx.node_of(args, 0).ok_or_else(|| cx.invalid())?;
        if cx.page.document.borrow().parent(child) != Some(cx.node) {
            return Err(cx.invalid());
        }
        cx.page.document.borrow_mut().remove(child);
        cx.wrap(Some(child))
    }),
    call("replaceChild", |cx, args| {
        let old = cx.node_of(args, 1).ok_or_else(|| cx.invalid())?;
        insert(cx, args, Some(old))?;
        cx.page.document.borrow_mut().remove(old);
        cx.wrap(Some(old))
    }),
    call("cloneNode", |cx, args| {
        let deep = args.first().and_then(Value::as_bool).unwrap_or(false);
        let copy = cx.page.document.borrow_mut().clone_node(cx.node, deep);
        cx.wrap(copy)
    }),
    call("compareDocumentPosition", |cx, args| {
        let other = cx.node_of(args, 0).ok_or_else(|| cx.invalid())?;
        let bits = cx.read(|document, id| match () {
            () if id == other => 0,
            () if document.contains(id, other) => 20,
            () if document.contains(other, id) => 10,
            () => match document.compare_order(id, other) {
                std::cmp::Ordering::Less => 4,
                _ => 2,
            },
        });
        Ok(cx.number(f64::from(bits)))
    })
    .from(9),
    call("normalize", |cx, _| Ok(cx.undefined())),
    get("localName", |cx, _| cx.text(&cx.read(|document, id| document.name(id).to_owned()))).from(9),
    get("namespaceURI", |cx, _| {
        let uri = cx.read(|document, id| document.element(id).map(|element| element.namespace.uri()));
        uri.map_or_else(|| Ok(cx.null()), |uri| cx.text(uri))
    })
    .from(9),
    call("contains", |cx, args| {
        let inside =
            cx.node_of(args, 0).is_some_and(|other| cx.page.document.borrow().contains(cx.node, other));
        Ok(cx.boolean(inside))
    }),
    both(
        "textContent",
        |cx, _| {
            let text = cx.page.document.borrow().text_content(cx.node);
            cx.text(&text)
        },
        set_text,
    )
    .from(9),
];

pub(super) static TEXT: &[Member] = &[
    both("data", data, |cx, args| {
        let text = cx.text_of(args, 0);
        cx.page.document.borrow_mut().set_character_data(cx.node, &text);
        Ok(cx.undefined())
    }),
    get("length", |cx, _| {
        let length =
            cx.page.document.borrow().character_data(cx.node).map_or(0, |text| text.encode_utf16().count());
        Ok(cx.number(length as f64))
    }),
];

fn to<'js>(cx: &Cx<'js>, step: impl Fn(&Cx<'js>) -> Option<NodeId>) -> Result<Value<'js>> {
    cx.wrap(step(cx))
}

fn data<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    let text = cx.page.document.borrow().character_data(cx.node).map(str::to_owned);
    text.map_or_else(|| Ok(cx.null()), |text| cx.text(&text))
}

pub(super) fn set_text<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let text = cx.text_of(args, 0);
    cx.page.document.borrow_mut().set_text_content(cx.node, &text);
    Ok(cx.undefined())
}

fn insert<'js>(cx: &Cx<'js>, args: &[Value<'js>], before: Option<NodeId>) -> Result<Value<'js>> {
    let child = cx.node_of(args, 0).ok_or_else(|| cx.invalid())?;
    let done = cx.page.document.borrow_mut().insert_before(cx.node, child, before);
    match done {
        Ok(()) => {
            super::element::inserted(cx, child)?;
            crate::browser::load::run_inserted(&cx.host, &cx.ctx, &cx.page, child);
            cx.wrap(Some(child))
        }
        Err(TreeError::Hierarchy) => Err(Exception::throw_message(&cx.ctx, "HierarchyRequestError")),
        Err(_) => Err(cx.invalid()),
    }
}
