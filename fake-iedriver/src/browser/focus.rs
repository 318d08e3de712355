//! The focus and what moves with it.
//!
//! Owns: which elements take the focus, the order of `change`, `blur` and `focus`. Does not own:
//! typing (`keys`), clicking (`act`).

use super::host::{Host, Page, Spot};
use crate::dom::{Document, Mode, NodeId};
use crate::script::event::{self, Event};
use rquickjs::Ctx;
use std::rc::Rc;

/// True for elements that take the focus.
pub fn can_focus(document: &Document, id: NodeId) -> bool {
    if document.is_disabled(id) {
        return false;
    }
    match document.name(id) {
        "input" => document.control_type(id) != "hidden",
        "select" | "textarea" | "button" | "iframe" | "frame" | "object" => true,
        "a" | "area" => document.has_attribute(id, "href"),
        _ => document.has_attribute(id, "tabindex") || document.has_attribute(id, "contenteditable"),
    }
}

/// Gives an element the focus, or takes it away. The one that loses it gets `change` first if its
/// text differs from when it got the focus.
pub fn set(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, to: Option<NodeId>) {
    let to = to.filter(|&id| can_focus(&page.document.borrow(), id));
    let old = page.active.get();
    if old == to {
        return;
    }
    if let Some(old) = old {
        commit(host, ctx, page, old);
        // The handler may have moved the focus itself.
        if page.active.get() == Some(old) {
            page.active.set(None);
        }
        let fire = |event: Event| event::dispatch(host, ctx, page, Spot::Node(old), &event);
        fire(Event { related: to, ..Event::bubbling("focusout") });
        fire(Event { related: to, ..Event::plain("blur") });
    }
    let Some(new) = to else { return };
    page.active.set(Some(new));
    remember(page, new);
    let fire = |event: Event| event::dispatch(host, ctx, page, Spot::Node(new), &event);
    fire(Event { related: old, ..Event::bubbling("focusin") });
    fire(Event { related: old, ..Event::plain("focus") });
}

/// Notes what a control holds, so that leaving it can tell whether that changed.
pub fn remember(page: &Page, id: NodeId) {
    let document = page.document.borrow();
    let text = if document.is_text_control(id) { document.value(id) } else { None };
    page.caret.set(text.as_ref().map_or(0, |text| text.chars().count()));
    page.text_at_focus.replace(text);
    page.change_due.set(false);
}

/// Fires `change` at a control that is being left, if a person changed it.
pub fn commit(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId) {
    let changed = {
        let document = page.document.borrow();
        let known = page.text_at_focus.borrow();
        page.typed.get() && known.is_some() && document.is_text_control(id) && document.value(id) != *known
    };
    if changed || page.change_due.get() {
        page.typed.set(false);
        page.change_due.set(false);
        remember(page, id);
        event::dispatch(host, ctx, page, Spot::Node(id), &change(page));
    }
}

/// The `change` event; up to mode 8 it does not bubble [mem].
pub fn change(page: &Page) -> Event {
    Event { cancelable: false, bubbles: page.mode >= Mode::Ie9, ..Event::bubbling("change") }
}
