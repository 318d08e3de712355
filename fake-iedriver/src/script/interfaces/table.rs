//! Tables: `rows`, `cells`, `insertRow`, `deleteRow` and their like.

use crate::dom::{Document, NodeId};
use crate::script::members::{Cx, Member, call, get};
use rquickjs::{Result, Value};

pub(super) static TABLE: &[Member] = &[
    get("rows", |cx, _| cx.live(|document, id, _| rows(document, id), true)),
    get("tBodies", |cx, _| cx.live(|document, id, _| children(document, id, &["tbody"]), true)),
    get("tHead", |cx, _| part(cx, "thead")),
    get("tFoot", |cx, _| part(cx, "tfoot")),
    get("caption", |cx, _| part(cx, "caption")),
    call("insertRow", |cx, args| {
        let rows = cx.read(rows);
        let index = cx.number_of(args, 0).unwrap_or(-1.0);
        let before = if index < 0.0 { None } else { rows.get(index as usize).copied() };
        let parent = match before.or(rows.last().copied()) {
            Some(row) => cx.read(|document, _| document.parent(row)),
            None => cx.read(|document, id| children(document, id, &["tbody"]).last().copied()),
        };
        let parent = parent.unwrap_or_else(|| {
            cx.write(|document, id| {
                let body = document.create_element("tbody");
                let _ = document.append(id, body);
                body
            })
        });
        let row = cx.write(|document, _| {
            let row = document.create_element("tr");
            let _ = document.insert_before(parent, row, before);
            row
        });
        cx.wrap(Some(row))
    }),
    call("deleteRow", |cx, args| {
        let rows = cx.read(rows);
        remove(cx, &rows, args)
    }),
];

pub(super) static SECTION: &[Member] = &[
    get("rows", |cx, _| cx.live(|document, id, _| children(document, id, &["tr"]), true)),
    call("insertRow", |cx, args| insert(cx, args, "tr", &["tr"])),
    call("deleteRow", |cx, args| {
        let rows = cx.read(|document, id| children(document, id, &["tr"]));
        remove(cx, &rows, args)
    }),
];

pub(super) static ROW: &[Member] = &[
    get("cells", |cx, _| cx.live(|document, id, _| children(document, id, &["td", "th"]), true)),
    get("rowIndex", |cx, _| {
        let index = cx.read(|document, id| {
            let table = document.ancestors(id).find(|&above| document.is(above, "table"))?;
            rows(document, table).iter().position(|&row| row == id)
        });
        Ok(cx.number(index.map_or(-1.0, |index| index as f64)))
    }),
    get("sectionRowIndex", |cx, _| position(cx, &["tr"])),
    call("insertCell", |cx, args| insert(cx, args, "td", &["td", "th"])),
    call("deleteCell", |cx, args| {
        let cells = cx.read(|document, id| children(document, id, &["td", "th"]));
        remove(cx, &cells, args)
    }),
];

pub(super) static CELL: &[Member] = &[
    get("cellIndex", |cx, _| position(cx, &["td", "th"])),
    super::element::number_attribute(
        "colSpan",
        |cx, _| span(cx, "colspan"),
        |cx, args| super::element::set(cx, "colspan", args),
    ),
    super::element::number_attribute(
        "rowSpan",
        |cx, _| span(cx, "rowspan"),
        |cx, args| super::element::set(cx, "rowspan", args),
    ),
];

fn span<'js>(cx: &Cx<'js>, name: &str) -> Result<Value<'js>> {
    let span = cx.read(|document, id| document.attribute(id, name).and_then(|text| text.trim().parse().ok()));
    Ok(cx.number(span.unwrap_or(1.0)))
}

/// Rows of a table, not of tables inside it.
fn rows(document: &Document, table: NodeId) -> Vec<NodeId> {
    let mut rows = Vec::new();
    for child in document.child_elements(table) {
        match document.name(child) {
            "tr" => rows.push(child),
            "thead" | "tbody" | "tfoot" => rows.extend(children(document, child, &["tr"])),
            _ => {}
        }
    }
    rows
}

fn children(document: &Document, parent: NodeId, names: &[&str]) -> Vec<NodeId> {
    document.child_elements(parent).filter(|&id| names.contains(&document.name(id))).collect()
}

fn part<'js>(cx: &Cx<'js>, name: &str) -> Result<Value<'js>> {
    let found = cx.read(|document, id| document.child_elements(id).find(|&child| document.is(child, name)));
    cx.wrap(found)
}

fn position<'js>(cx: &Cx<'js>, names: &[&str]) -> Result<Value<'js>> {
    let index = cx.read(|document, id| {
        let parent = document.parent(id)?;
        children(document, parent, names).iter().position(|&other| other == id)
    });
    Ok(cx.number(index.map_or(-1.0, |index| index as f64)))
}

fn insert<'js>(cx: &Cx<'js>, args: &[Value<'js>], name: &str, names: &[&str]) -> Result<Value<'js>> {
    let index = cx.number_of(args, 0).unwrap_or(-1.0);
    let made = cx.write(|document, id| {
        let before =
            if index < 0.0 { None } else { children(document, id, names).get(index as usize).copied() };
        let made = document.create_element(name);
        let _ = document.insert_before(id, made, before);
        made
    });
    cx.wrap(Some(made))
}

fn remove<'js>(cx: &Cx<'js>, list: &[NodeId], args: &[Value<'js>]) -> Result<Value<'js>> {
    let index = cx.number_of(args, 0).unwrap_or(-1.0);
    let found = if index < 0.0 { list.last() } else { list.get(index as usize) };
    let Some(&found) = found else { return Err(cx.invalid()) };
    cx.write(|document, _| document.remove(found));
    Ok(cx.undefined())
}
