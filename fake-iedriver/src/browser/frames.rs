//! Frames: contexts inside of pages, and what else a page's elements load.
//!
//! Owns: which element shows which context, style sheets, pictures that scripts ask for. Does not
//! own: loading a page (`load`), windows.

use super::host::{Host, Navigation, Page};
use super::{charset, fetch, load, windows};
use crate::dom::NodeId;
use crate::script::members::Cx;
use rquickjs::{Ctx, Result};
use std::rc::Rc;

/// Frames inside of frames; a page that shows itself ends here at the latest.
const DEEPEST: usize = 8;

/// Frames of one session.
const MOST: usize = 500;

/// The context an element shows.
pub fn shown_in(host: &Host, page: &Page, element: NodeId) -> Option<u32> {
    let frames = host.frames.borrow();
    frames.iter().find(|(_, frame)| frame.element == Some((page.id, element))).map(|(&id, _)| id)
}

/// Loads every frame of a page that has none yet, in document order.
pub fn load_children(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>) {
    let elements: Vec<NodeId> = {
        let document = page.document.borrow();
        document
            .descendant_elements(document.root())
            .filter(|&id| document.is(id, "iframe") || document.is(id, "frame"))
            .collect()
    };
    for element in elements {
        if host.page(page.id).is_none() {
            return;
        }
        if shown_in(host, page, element).is_none() {
            load_child(host, ctx, page, element);
        }
    }
}

fn load_child(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, element: NodeId) {
    let (name, src) = {
        let document = page.document.borrow();
        let name = document.attribute(element, "name").unwrap_or_default().to_owned();
        let src = document.attribute(element, "src").map(|src| document.resolve(src)).unwrap_or_default();
        (name, src)
    };
    let mut above = Vec::new();
    let mut frame = Some(page.frame);
    while let Some(id) = frame {
        if let Some(page) = host.page_of(id) {
            above.push(page.location.borrow().clone());
        }
        frame = host.frames.borrow().get(&id).and_then(|frame| frame.parent);
    }
    if above.len() > DEEPEST || host.frames.borrow().len() > MOST {
        return;
    }
    let Some(frame) = windows::create(host, ctx, &page.origin(), &name, Some((page.frame, page.id, element)))
    else {
        return;
    };
    let recursive =
        above.iter().any(|location| !src.is_empty() && location.split('#').next() == src.split('#').next());
    if !src.is_empty() && src != "about:blank" && !recursive {
        let navigation = Navigation { frame, url: src, post: None, entry: false, from: Some(page.id) };
        load::navigate(host, ctx, navigation);
    }
}

/// A script has put nodes into the page: frames among them start to load after it, frames that
/// left the page end.
pub fn inserted(host: &Rc<Host>, page: &Rc<Page>, top: NodeId) {
    drop_removed(host);
    let document = page.document.borrow();
    if page.parsing.get() || !document.is_connected(top) {
        return;
    }
    let frame = |id: NodeId| document.is(id, "iframe") || document.is(id, "frame");
    if frame(top) || document.descendant_elements(top).any(frame) {
        host.frames_due.borrow_mut().insert(page.id);
    }
}

/// Ends contexts whose elements are in no page any more.
pub fn drop_removed(host: &Rc<Host>) {
    let gone: Vec<u32> = {
        let frames = host.frames.borrow();
        let removed = |element: &(u32, NodeId)| {
            host.page(element.0).is_none_or(|page| !page.document.borrow().is_connected(element.1))
        };
        frames
            .iter()
            .filter(|(_, frame)| frame.element.as_ref().is_some_and(removed))
            .map(|(&id, _)| id)
            .collect()
    };
    for frame in gone {
        host.discard(frame);
    }
}

/// `setAttribute("src", …)` on a frame loads it.
pub(crate) fn attribute_set(cx: &Cx<'_>, name: &str) -> Result<()> {
    if name.eq_ignore_ascii_case("src") {
        if cx.read(|document, id| document.is(id, "iframe") || document.is(id, "frame")) {
            renew(cx);
        } else if cx.read(|document, id| document.is(id, "img")) {
            load_image(cx);
        }
    }
    Ok(())
}

/// A frame's `src` was set.
pub(crate) fn renew(cx: &Cx<'_>) {
    let url = cx.read(|document, id| document.resolve(document.attribute(id, "src").unwrap_or_default()));
    match shown_in(&cx.host, &cx.page, cx.node) {
        Some(frame) => {
            let navigation = Navigation { frame, url, post: None, entry: false, from: Some(cx.page.id) };
            cx.host.navigations.borrow_mut().push_back(navigation);
        }
        None => inserted(&cx.host, &cx.page, cx.node),
    }
}

/// A script set a picture's address: the request is made, since pages use pictures to tell a server
/// something.
pub(crate) fn load_image(cx: &Cx<'_>) {
    let url = cx.read(|document, id| document.resolve(document.attribute(id, "src").unwrap_or_default()));
    if !url.starts_with("http") {
        return;
    }
    let referrer = cx.page.location.borrow().clone();
    if let Err(error) = fetch::load(&cx.host, "GET", &url, Vec::new(), Vec::new(), Some(&referrer)) {
        tracing::debug!(url, error, "picture not loaded");
    }
}

/// Loads the style sheets a page links to and has not got yet.
pub fn load_sheets(host: &Rc<Host>, page: &Rc<Page>) {
    let links: Vec<(NodeId, String)> = {
        let document = page.document.borrow();
        let is_sheet = |&id: &NodeId| {
            document.is(id, "link")
                && document.has_attribute(id, "href")
                && document.attribute(id, "rel").is_some_and(|rel| {
                    let rel = rel.to_ascii_lowercase();
                    rel.contains("stylesheet") && !rel.contains("alternate")
                })
        };
        let all = document.descendant_elements(document.root()).filter(is_sheet);
        all.map(|id| (id, document.resolve(document.attribute(id, "href").unwrap_or_default()))).collect()
    };
    for (link, url) in links {
        if !page.scripts_run.borrow_mut().insert(link) {
            continue;
        }
        let referrer = page.location.borrow().clone();
        match fetch::load(host, "GET", &url, Vec::new(), Vec::new(), Some(&referrer)) {
            Ok(loaded) if loaded.response.status < 400 => {
                let kind = loaded.response.header("content-type").map(str::to_owned);
                let fallback = page.document.borrow().charset.0;
                let text = charset::decode_text(&loaded.response.body, kind.as_deref(), None, fallback);
                page.document.borrow_mut().set_sheet(link, text);
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(url, error, "style sheet not loaded"),
        }
    }
}
