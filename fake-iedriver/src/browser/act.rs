//! Clicks and what follows from them.
//!
//! Owns: the sequence of mouse events, activation of links, buttons, boxes, labels and options. Does
//! not own: whether an element may be clicked (`session`), submission (`submit`).

use super::host::{Host, Page, Spot};
use super::{focus, submit, windows};
use crate::dom::{Document, Mode, NodeId, VIEWPORT_HEIGHT};
use crate::script::event::{self, Event, Outcome};
use rquickjs::Ctx;
use std::rc::Rc;

/// Modifier keys held down, in the order alt, ctrl, shift.
pub type Held = [bool; 3];

fn mouse(kind: &str, point: (f64, f64), button: f64, held: Held) -> Event {
    let [alt, ctrl, shift] = held;
    Event { flags: vec![("altKey", alt), ("ctrlKey", ctrl), ("shiftKey", shift)], ..Event::bubbling(kind) }
        .with("clientX", point.0)
        .with("clientY", point.1)
        .with("screenX", point.0)
        .with("screenY", point.1)
        .with("offsetX", 0.0)
        .with("offsetY", 0.0)
        .with("button", button)
}

fn centre(page: &Page, id: NodeId) -> (f64, f64) {
    let rect = page.document.borrow().rect(id);
    let (left, top) = page.scroll.get();
    ((rect.x + rect.width / 2.0 - left).floor(), (rect.y + rect.height / 2.0 - top).floor())
}

/// Brings an element into the window, at its top, as the driver does.
pub fn scroll_to(page: &Page, id: NodeId) {
    let rect = page.document.borrow().rect(id);
    let (left, top) = page.scroll.get();
    if rect.y < top || rect.bottom() > top + VIEWPORT_HEIGHT {
        page.scroll.set((left, rect.y.max(0.0)));
    }
}

/// A click with the mouse at the element's centre.
pub fn press(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId) {
    let stroke = Stroke { point: centre(page, id), button: 0, held: [false; 3] };
    hover_at(host, ctx, page, id, stroke);
    down(host, ctx, page, id, stroke);
    if lives(host, page) {
        up(host, ctx, page, id, stroke, 1);
    }
}

/// Where and how a mouse button is used.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Point in the window, in px.
    pub point: (f64, f64),
    /// 0 left, 1 middle, 2 right.
    pub button: u8,
    /// Keys held.
    pub held: Held,
}

/// A mouse button goes down: `mousedown`, and the focus goes to the next element around that takes it.
pub fn down(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId, stroke: Stroke) {
    page.pressed.set(Some(id));
    if page.document.borrow().is_disabled(id) {
        return;
    }
    let event = mouse("mousedown", stroke.point, f64::from(stroke.button), stroke.held);
    if event::dispatch(host, ctx, page, Spot::Node(id), &event).prevented {
        return;
    }
    let target = {
        let document = page.document.borrow();
        std::iter::once(id).chain(document.ancestors(id)).find(|&above| focus::can_focus(&document, above))
    };
    focus::set(host, ctx, page, target);
}

/// A mouse button goes up: `mouseup`, then the click if it went down on the same element. `clicks` is
/// 2 for the second of a double click.
pub fn up(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId, stroke: Stroke, clicks: u8) {
    let same = page.pressed.take() == Some(id);
    if page.document.borrow().is_disabled(id) {
        return;
    }
    let spot = Spot::Node(id);
    let event = |kind: &str| mouse(kind, stroke.point, f64::from(stroke.button), stroke.held);
    event::dispatch(host, ctx, page, spot, &event("mouseup"));
    if !same || !lives(host, page) {
        return;
    }
    match stroke.button {
        0 => {
            let click = event("click");
            with_activation(host, ctx, page, id, || event::dispatch(host, ctx, page, spot, &click));
            if clicks == 2 && lives(host, page) {
                event::dispatch(host, ctx, page, spot, &event("dblclick"));
            }
        }
        2 => {
            event::dispatch(host, ctx, page, spot, &event("contextmenu"));
        }
        _ => {}
    }
}

/// Moves the mouse onto an element.
pub fn hover(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId) {
    hover_at(host, ctx, page, id, Stroke { point: centre(page, id), button: 0, held: [false; 3] });
}

/// Moves the mouse to a point of an element.
pub fn hover_at(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId, stroke: Stroke) {
    let event = |kind: &str, related: Option<NodeId>, bubbles: bool| Event {
        related,
        bubbles,
        ..mouse(kind, stroke.point, 0.0, stroke.held)
    };
    let old = page.hovered.replace(Some(id));
    if old != Some(id) {
        if let Some(old) = old.filter(|&old| page.document.borrow().is_connected(old)) {
            event::dispatch(host, ctx, page, Spot::Node(old), &event("mouseout", Some(id), true));
            event::dispatch(host, ctx, page, Spot::Node(old), &event("mouseleave", Some(id), false));
        }
        event::dispatch(host, ctx, page, Spot::Node(id), &event("mouseover", old, true));
        event::dispatch(host, ctx, page, Spot::Node(id), &event("mouseenter", old, false));
    }
    event::dispatch(host, ctx, page, Spot::Node(id), &event("mousemove", None, true));
}

fn lives(host: &Host, page: &Page) -> bool {
    host.page(page.id).is_some()
}

/// `element.click()`: the click alone.
pub fn click(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId) {
    if page.document.borrow().is_disabled(id) {
        return;
    }
    let click = mouse("click", (0.0, 0.0), 0.0, [false; 3]);
    with_activation(host, ctx, page, id, || event::dispatch(host, ctx, page, Spot::Node(id), &click));
}

enum Action {
    Toggle(NodeId),
    Press(NodeId),
    Follow(NodeId),
    Label(NodeId),
}

fn action(document: &Document, id: NodeId) -> Option<Action> {
    for above in std::iter::once(id).chain(document.ancestors(id)) {
        match document.name(above) {
            "input" => {
                return match document.control_type(above) {
                    "checkbox" | "radio" => Some(Action::Toggle(above)),
                    "submit" | "image" | "reset" => Some(Action::Press(above)),
                    _ => None,
                };
            }
            "button" => return Some(Action::Press(above)),
            "select" | "textarea" => return None,
            "a" | "area" if document.has_attribute(above, "href") => return Some(Action::Follow(above)),
            "label" => return Some(Action::Label(above)),
            _ => {}
        }
    }
    None
}

/// Fires a click by `fire` and does what the element does when clicked, unless it is prevented.
/// Boxes change before their handlers run and change back if those prevent it.
pub fn with_activation(
    host: &Rc<Host>,
    ctx: &Ctx<'_>,
    page: &Rc<Page>,
    id: NodeId,
    fire: impl FnOnce() -> Outcome,
) -> Outcome {
    let action = action(&page.document.borrow(), id);
    let before = match action {
        Some(Action::Toggle(control)) => toggle(page, control),
        _ => None,
    };
    let outcome = fire();
    if outcome.prevented {
        if let Some((control, before, chosen)) = before {
            let mut document = page.document.borrow_mut();
            document.set_checked(control, before);
            if let Some(chosen) = chosen {
                document.set_checked(chosen, true);
            }
        }
        return outcome;
    }
    if !lives(host, page) {
        return outcome;
    }
    match action {
        Some(Action::Toggle(control)) => {
            let changed = before.is_some_and(|(_, old, _)| old != page.document.borrow().checked(control));
            if changed {
                if page.mode >= Mode::Ie9 {
                    event::dispatch(host, ctx, page, Spot::Node(control), &focus::change(page));
                } else {
                    // Up to mode 8 a box tells its change when it loses the focus [mem].
                    page.change_due.set(page.active.get() == Some(control));
                }
            }
        }
        Some(Action::Press(button)) => press_button(host, ctx, page, button),
        Some(Action::Follow(link)) => windows::follow(host, page, link),
        Some(Action::Label(label)) => {
            let control = page.document.borrow().labelled_control(label);
            if let Some(control) = control.filter(|&control| control != id) {
                let inside = page.document.borrow().contains(control, id);
                if !inside {
                    focus::set(host, ctx, page, Some(control));
                    click(host, ctx, page, control);
                }
            }
        }
        None => {}
    }
    outcome
}

/// What a box was before: itself, its state, the radio button that was chosen.
type Before = (NodeId, bool, Option<NodeId>);

fn toggle(page: &Page, control: NodeId) -> Option<Before> {
    let mut document = page.document.borrow_mut();
    if document.is_disabled(control) {
        return None;
    }
    let old = document.checked(control);
    let radio = document.control_type(control) == "radio";
    let chosen = if radio {
        document.radio_group(control).into_iter().find(|&other| other != control && document.checked(other))
    } else {
        None
    };
    document.set_checked(control, radio || !old);
    Some((control, old, chosen))
}

fn press_button(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, button: NodeId) {
    let (kind, form, disabled) = {
        let document = page.document.borrow();
        (document.control_type(button), document.form_owner(button), document.is_disabled(button))
    };
    let Some(form) = form.filter(|_| !disabled) else { return };
    match kind {
        "submit" | "image" => submit::request(host, ctx, page, form, Some(button)),
        "reset" => submit::reset(host, ctx, page, form),
        _ => {}
    }
}

/// Chooses an option as a person does: the list gets the focus, `change` and a click.
pub fn choose(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, option: NodeId) {
    let select = page.document.borrow().option_select(option);
    let Some(select) = select else {
        press(host, ctx, page, option);
        return;
    };
    if page.document.borrow().is_disabled(select) || page.document.borrow().is_disabled(option) {
        return;
    }
    let point = centre(page, select);
    hover(host, ctx, page, select);
    event::dispatch(host, ctx, page, Spot::Node(select), &mouse("mousedown", point, 0.0, [false; 3]));
    focus::set(host, ctx, page, Some(select));
    let changed = {
        let mut document = page.document.borrow_mut();
        let multiple = document.has_attribute(select, "multiple");
        let selected = document.selected(option);
        if multiple || !selected {
            document.set_selected(option, !selected);
        }
        multiple || !selected
    };
    event::dispatch(host, ctx, page, Spot::Node(select), &mouse("mouseup", point, 0.0, [false; 3]));
    if changed {
        event::dispatch(host, ctx, page, Spot::Node(select), &focus::change(page));
    }
    if lives(host, page) {
        event::dispatch(host, ctx, page, Spot::Node(select), &mouse("click", point, 0.0, [false; 3]));
    }
}

/// Empties a control as the driver's clear does: the focus, the new value, `change`, the focus away.
pub fn clear(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId) {
    focus::set(host, ctx, page, Some(id));
    let old = page.document.borrow().value(id).unwrap_or_default();
    if page.document.borrow().has_attribute(id, "contenteditable") {
        page.document.borrow_mut().set_text_content(id, "");
        return;
    }
    page.document.borrow_mut().set_value(id, "");
    if !old.is_empty() {
        focus::remember(page, id);
        event::dispatch(host, ctx, page, Spot::Node(id), &focus::change(page));
    }
    if lives(host, page) {
        focus::set(host, ctx, page, None);
    }
}

/// Puts files into an upload field, with `change`.
pub fn upload(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId, files: Vec<String>) {
    focus::set(host, ctx, page, Some(id));
    if let Some(state) = page.document.borrow_mut().control_state_mut(id) {
        state.files = files;
    }
    event::dispatch(host, ctx, page, Spot::Node(id), &focus::change(page));
}
