//! Windows: opening, finding by name, closing, history.
//!
//! Owns: browsing contexts and their stand-in objects, targets of links and forms. Does not own:
//! loading (`load`), window handles' order (`session`).

use super::host::{Frame, Host, Navigation, Page};
use super::load;
use crate::dom::{Document, Mode, NodeId};
use crate::script::members::Cx;
use crate::script::names;
use crate::script::realm::{self, Origin};
use rquickjs::function::Func;
use rquickjs::proxy::{Proxy, ProxyHandler};
use rquickjs::{Ctx, Exception, Object, Persistent, Result, Value};
use std::rc::Rc;

/// Windows of one session; a page that opens more is stopped.
const MOST: usize = 50;

/// Opens a window as the driver or a person does.
pub fn open_blank(host: &Rc<Host>, ctx: &Ctx<'_>) -> Option<u32> {
    create(host, ctx, "null", "", None)
}

/// Makes a context with an empty page: a window, or the frame of an element (its parent context,
/// page and node).
pub fn create(
    host: &Rc<Host>,
    ctx: &Ctx<'_>,
    origin: &str,
    name: &str,
    element: Option<(u32, u32, NodeId)>,
) -> Option<u32> {
    let frame = host.number();
    let parent = element.map(|(parent, _, _)| parent);
    let mode = parent.and_then(|parent| host.page_of(host.top(parent))).map_or(Mode::Ie11, |page| page.mode);
    let mut document = Document::parse("about:blank", "");
    document.mode = mode;
    let proxy = stand_in(host, ctx, frame).ok()?;
    let entry = Frame {
        parent,
        element: element.map(|(_, page, node)| (page, node)),
        name: name.to_owned(),
        page: 0,
        handle: element.is_none().then(handle),
        opener: None,
        loads: 0,
        history: (vec!["about:blank".into()], 0),
        proxy: Persistent::save(ctx, proxy),
        modal: None,
    };
    host.frames.borrow_mut().insert(frame, entry);
    if let Some((parent, page, _)) = element
        && let Some(page) = host.page(page)
    {
        let index = host.children(parent).len() - 1;
        names::number_frame(ctx, host, &page, index).ok()?;
    }
    let origin = Origin {
        frame,
        location: "about:blank".into(),
        inherited: origin.to_owned(),
        has_document: true,
        ..Origin::default()
    };
    let page = match realm::open(ctx, host, document, origin) {
        Ok(page) => page,
        Err(_) => {
            ctx.catch();
            host.frames.borrow_mut().remove(&frame);
            return None;
        }
    };
    page.ready.set("complete");
    if let Some(frame) = host.frames.borrow_mut().get_mut(&frame) {
        frame.page = page.id;
    }
    Some(frame)
}

/// A window handle: a lower-case GUID (`reference/iedriver-wire.md` section 5.1.3).
fn handle() -> String {
    let digits = || fastrand::u16(..);
    format!(
        "{:04x}{:04x}-{:04x}-{:04x}-{:04x}-{:04x}{:04x}{:04x}",
        digits(),
        digits(),
        digits(),
        digits(),
        digits(),
        digits(),
        digits(),
        digits()
    )
}

/// Members of a window that pages of other origins may use.
const OPEN_TO_ALL: &[&str] = &[
    "close",
    "closed",
    "focus",
    "blur",
    "frames",
    "length",
    "location",
    "opener",
    "parent",
    "postMessage",
    "self",
    "top",
    "window",
    "navigate",
];

/// The object other pages hold for a window. It leads to whatever page the window shows.
fn stand_in<'js>(host: &Rc<Host>, ctx: &Ctx<'js>, frame: u32) -> Result<Object<'js>> {
    let handler = Object::new(ctx.clone())?;
    let h = host.clone();
    handler.set(
        "get",
        Func::from(move |ctx: Ctx<'js>, _: Value<'js>, key: Value<'js>| -> Result<Value<'js>> {
            let Some(page) = h.page_of(frame) else {
                let closed =
                    key.as_string().is_some_and(|key| key.to_string().is_ok_and(|key| key == "closed"));
                return Ok(if closed { Value::new_bool(ctx, true) } else { Value::new_undefined(ctx) });
            };
            let value: Value = reach(&h, &ctx, &page, &key)?.get(key)?;
            // A window in another window is again what the caller holds for it.
            match value.as_object().and_then(|object| h.frame_of_global(&ctx, object)) {
                Some(found) => h.window(&ctx, found),
                None => Ok(value),
            }
        }),
    )?;
    let h = host.clone();
    handler.set(
        "set",
        Func::from(move |ctx: Ctx<'js>, _: Value<'js>, key: Value<'js>, value: Value<'js>| -> Result<bool> {
            if let Some(page) = h.page_of(frame) {
                reach(&h, &ctx, &page, &key)?.set(key, value)?;
            }
            Ok(true)
        }),
    )?;
    let h = host.clone();
    handler.set(
        "has",
        Func::from(move |ctx: Ctx<'js>, _: Value<'js>, key: Value<'js>| -> Result<bool> {
            match h.page_of(frame) {
                Some(page) => reach(&h, &ctx, &page, &key)?.contains_key(key),
                None => Ok(false),
            }
        }),
    )?;
    let target = Object::new(ctx.clone())?;
    Ok(Proxy::new(ctx.clone(), target, ProxyHandler::from_object(handler)?)?.into_inner())
}

/// The global object of a page, if the calling page may use this member of it.
fn reach<'js>(host: &Rc<Host>, ctx: &Ctx<'js>, page: &Rc<Page>, key: &Value<'js>) -> Result<Object<'js>> {
    let foreign = host.viewer(ctx).is_some_and(|viewer| viewer.origin() != page.origin());
    if foreign {
        let open = key.as_string().and_then(|key| key.to_string().ok());
        if !open.is_some_and(|key| OPEN_TO_ALL.contains(&key.as_str())) {
            return Err(Exception::throw_message(ctx, "Access is denied."));
        }
    }
    // The page's own scripts may not have run since its names changed.
    names::refresh(ctx, host, page)?;
    page.global.clone().restore(ctx)
}

/// Finds the context a target name means; an unknown name opens a window.
pub fn find(host: &Host, from: u32, name: &str) -> Option<u32> {
    match name.to_ascii_lowercase().as_str() {
        "" | "_self" => Some(from),
        "_top" => Some(host.top(from)),
        "_parent" => Some(host.frames.borrow().get(&from).and_then(|frame| frame.parent).unwrap_or(from)),
        "_blank" | "_new" => None,
        _ => {
            let frames = host.frames.borrow();
            let closing = host.closing.borrow();
            let top = host.top(from);
            let mut named: Vec<u32> = frames
                .iter()
                .filter(|(id, frame)| frame.name == name && !closing.contains(id))
                .map(|(&id, _)| id)
                .collect();
            // Frames of the own window come first.
            named.sort_by_key(|&id| host.top(id) != top);
            named.first().copied()
        }
    }
}

/// A link's or form's target, opened if need be at the next [`load::settle`].
pub fn target(host: &Rc<Host>, from: u32, name: &str) -> u32 {
    if let Some(found) = find(host, from, name) {
        return found;
    }
    let frame = host.number();
    let name = if name.starts_with('_') { String::new() } else { name.to_owned() };
    host.opening.borrow_mut().push((frame, name, from));
    frame
}

/// Follows a link.
pub fn follow(host: &Rc<Host>, page: &Rc<Page>, link: NodeId) {
    let (url, name) = {
        let document = page.document.borrow();
        let Some(href) = document.attribute(link, "href") else { return };
        let base = document.descendant_elements(document.root()).find(|&id| document.is(id, "base"));
        let name = document
            .attribute(link, "target")
            .or_else(|| base.and_then(|base| document.attribute(base, "target")))
            .unwrap_or_default();
        let url = if href.trim_start().to_ascii_lowercase().starts_with("javascript:") {
            href.trim_start().to_owned()
        } else {
            document.resolve(href)
        };
        (url, name.to_owned())
    };
    if url.starts_with("mailto:") {
        return;
    }
    let script = url.to_ascii_lowercase().starts_with("javascript:");
    let frame = if script { page.frame } else { target(host, page.frame, &name) };
    let navigation = Navigation { frame, url, post: None, entry: true, from: Some(page.id) };
    host.navigations.borrow_mut().push_back(navigation);
}

/// `window.open(address, name, features)`.
pub(crate) fn open<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let caller = cx.viewer();
    let reference = if args.is_empty() { String::new() } else { cx.text_of(args, 0) };
    let name = if args.len() > 1 { cx.text_of(args, 1) } else { "_blank".into() };
    let url = if reference.is_empty() { String::new() } else { caller.document.borrow().resolve(&reference) };
    let frame = match find(&cx.host, cx.page.frame, &name) {
        Some(frame) => frame,
        None => {
            if cx.host.frames.borrow().values().filter(|frame| frame.parent.is_none()).count() >= MOST {
                return Ok(cx.null());
            }
            let own = if name.starts_with('_') { "" } else { name.as_str() };
            let Some(frame) = create(&cx.host, &cx.ctx, &caller.origin(), own, None) else {
                return Ok(cx.null());
            };
            if let Some(opened) = cx.host.frames.borrow_mut().get_mut(&frame) {
                opened.opener = Some(cx.page.frame);
            }
            frame
        }
    };
    if !url.is_empty() && url != "about:blank" {
        let navigation = Navigation { frame, url, post: None, entry: true, from: Some(caller.id) };
        cx.host.navigations.borrow_mut().push_back(navigation);
    }
    cx.host.window(&cx.ctx, frame)
}

/// `window.close()`: the window goes when the script has ended. Frames cannot be closed.
pub fn close(host: &Host, frame: u32) {
    let top = host.frames.borrow().get(&frame).is_some_and(|frame| frame.parent.is_none());
    if top && !host.closing.borrow().contains(&frame) {
        host.closing.borrow_mut().push(frame);
    }
}

/// `window.closed`.
pub fn is_closed(host: &Host, frame: u32) -> bool {
    host.closing.borrow().contains(&frame) || !host.frames.borrow().contains_key(&frame)
}

/// Opens and closes the windows and frames that scripts asked for while they ran.
pub fn sweep(host: &Rc<Host>, ctx: &Ctx<'_>) {
    let opening = host.opening.take();
    for (wanted, name, from) in opening {
        let origin = host.page_of(from).map(|page| page.origin()).unwrap_or_default();
        let Some(frame) = create(host, ctx, &origin, &name, None) else { continue };
        if let Some(opened) = host.frames.borrow_mut().get_mut(&frame) {
            opened.opener = Some(from);
        }
        for navigation in host.navigations.borrow_mut().iter_mut().filter(|n| n.frame == wanted) {
            navigation.frame = frame;
        }
    }
    let due = host.frames_due.take();
    for page in due.into_iter().filter_map(|page| host.page(page)) {
        super::frames::load_children(host, ctx, &page);
    }
    let closing = host.closing.borrow().clone();
    for frame in closing {
        // A modal dialog's window is ended by the function that waits for it.
        if host.frames.borrow().get(&frame).is_some_and(|frame| frame.modal.is_none()) {
            end(host, ctx, frame);
        }
    }
}

/// Ends a window: `unload`, then it is gone.
pub fn end(host: &Rc<Host>, ctx: &Ctx<'_>, frame: u32) {
    load::unload(host, ctx, frame);
    host.discard(frame);
    host.closing.borrow_mut().retain(|&closing| closing != frame);
}

/// A script sets an address: `location = …`. `entry` is false for `location.replace`.
pub(crate) fn go(cx: &Cx<'_>, reference: &str, entry: bool) {
    let reference = reference.trim();
    let script = reference.get(..11).is_some_and(|front| front.eq_ignore_ascii_case("javascript:"));
    let url = if script { reference.to_owned() } else { cx.viewer().document.borrow().resolve(reference) };
    let navigation = Navigation { frame: cx.page.frame, url, post: None, entry, from: Some(cx.viewer().id) };
    cx.host.navigations.borrow_mut().push_back(navigation);
}

/// `location.reload()`; a page that a POST led to is asked for by POST again.
pub(crate) fn reload(cx: &Cx<'_>) {
    cx.host.navigations.borrow_mut().push_back(again(&cx.page));
}

/// The navigation that repeats the one to this page.
pub fn again(page: &Page) -> Navigation {
    Navigation {
        frame: page.frame,
        url: page.location.borrow().clone(),
        post: page.post.clone(),
        entry: false,
        from: None,
    }
}

/// Notes an address in a window's history. False if the window is gone.
pub fn enter(host: &Host, frame: u32, url: &str, entry: bool) -> bool {
    let mut frames = host.frames.borrow_mut();
    let Some(frame) = frames.get_mut(&frame) else { return false };
    let (list, place) = &mut frame.history;
    if entry && list.get(*place).is_none_or(|now| now != url) {
        // The empty page a window begins with is no entry to go back to.
        if list.len() == 1 && list[0] == "about:blank" && frame.handle.is_none() {
            list.clear();
        } else {
            list.truncate(*place + 1);
        }
        list.push(url.to_owned());
        *place = list.len() - 1;
    } else if let Some(now) = list.get_mut(*place) {
        url.clone_into(now);
    }
    true
}

/// Goes back (negative) or forward in a window's history; nothing happens at its ends.
pub fn travel(host: &Host, frame: u32, by: i64) {
    let url = {
        let mut frames = host.frames.borrow_mut();
        let Some(window) = frames.get_mut(&frame) else { return };
        let (list, place) = &mut window.history;
        let Some(to) = place.checked_add_signed(by as isize).filter(|&to| to < list.len()) else { return };
        *place = to;
        list[to].clone()
    };
    let navigation = Navigation { frame, url, post: None, entry: false, from: None };
    host.navigations.borrow_mut().push_back(navigation);
}

/// `showModalDialog`: the caller waits until the dialog's window is closed.
pub(crate) fn show_modal<'js>(
    cx: &Cx<'js>,
    reference: &str,
    arguments: Option<Value<'js>>,
) -> Result<Value<'js>> {
    let caller = cx.viewer();
    let url = caller.document.borrow().resolve(reference);
    let shared = Object::new(cx.ctx.clone())?;
    shared.set("arguments", arguments)?;
    let Some(frame) = create(&cx.host, &cx.ctx, &caller.origin(), "", None) else {
        return Ok(cx.undefined());
    };
    if let Some(window) = cx.host.frames.borrow_mut().get_mut(&frame) {
        window.modal = Some(Persistent::save(&cx.ctx, shared.clone()));
    }
    load::navigate(
        &cx.host,
        &cx.ctx,
        Navigation { frame, url, post: None, entry: true, from: Some(caller.id) },
    );
    load::settle(&cx.host, &cx.ctx);
    cx.host.port.answer_noted();
    let modal = cx.host.modal.borrow().clone();
    while !is_closed(&cx.host, frame) {
        // Commands for the dialog's own page run here, on the same thread.
        if !modal.as_ref().is_some_and(|serve| serve(&cx.host, &cx.ctx)) {
            break;
        }
    }
    end(&cx.host, &cx.ctx, frame);
    shared.get("returnValue")
}
