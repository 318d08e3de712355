//! Typing.
//!
//! Owns: key events and what each key does to the focused control. Does not own: whether an element
//! may be typed into (`session`), the alert's text field.

use super::act::Held;
use super::host::{Host, Page, Spot};
use super::{act, focus, submit};
use crate::dom::{Document, Mode, NodeId};
use crate::script::event::{self, Event, Outcome};
use rquickjs::Ctx;
use std::rc::Rc;

/// Types a text with the code points of WebDriver for special keys. Modifiers go down at their first
/// occurrence and up at the second or at the end (`reference/iedriver-wire.md` section 5.8).
pub fn type_text(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId, text: &str) {
    focus::set(host, ctx, page, Some(id));
    let length = page.document.borrow().value(id).map_or(0, |value| value.chars().count());
    page.caret.set(length);
    let mut held: Held = [false; 3];
    for letter in text.chars() {
        if host.page(page.id).is_none() || host.budget.is_aborted() {
            return;
        }
        let target = page.active.get().unwrap_or(id);
        match letter {
            '\u{e000}' => release(host, ctx, page, &mut held),
            '\u{e00a}' | '\u{e052}' => modifier(host, ctx, page, target, &mut held, 0),
            '\u{e009}' | '\u{e051}' => modifier(host, ctx, page, target, &mut held, 1),
            '\u{e008}' | '\u{e050}' => modifier(host, ctx, page, target, &mut held, 2),
            _ => stroke(host, ctx, page, target, letter, held),
        }
    }
    release(host, ctx, page, &mut held);
}

const MODIFIER_CODES: [f64; 3] = [18.0, 17.0, 16.0];

fn modifier(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId, held: &mut Held, which: usize) {
    held[which] = !held[which];
    let kind = if held[which] { "keydown" } else { "keyup" };
    fire(host, ctx, page, id, kind, MODIFIER_CODES[which], *held);
}

fn release(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, held: &mut Held) {
    for which in 0..held.len() {
        if held[which]
            && let Some(id) = page.active.get()
        {
            modifier(host, ctx, page, id, held, which);
        }
        held[which] = false;
    }
}

fn fire(
    host: &Rc<Host>,
    ctx: &Ctx<'_>,
    page: &Rc<Page>,
    id: NodeId,
    kind: &str,
    code: f64,
    held: Held,
) -> Outcome {
    let [alt, ctrl, shift] = held;
    let event = Event {
        flags: vec![("altKey", alt), ("ctrlKey", ctrl), ("shiftKey", shift)],
        ..Event::bubbling(kind)
    }
    .with("keyCode", code);
    event::dispatch(host, ctx, page, Spot::Node(id), &event)
}

/// Virtual key code of a character.
fn code_of(letter: char) -> f64 {
    let code = match letter {
        '\u{e003}' | '\u{8}' => 8,
        '\u{e004}' | '\t' => 9,
        '\u{e006}' | '\u{e007}' | '\r' | '\n' => 13,
        '\u{e00c}' => 27,
        '\u{e00d}' | ' ' => 32,
        '\u{e00e}' | '\u{e054}' => 33,
        '\u{e00f}' | '\u{e055}' => 34,
        '\u{e010}' | '\u{e056}' => 35,
        '\u{e011}' | '\u{e057}' => 36,
        '\u{e012}' | '\u{e058}' => 37,
        '\u{e013}' | '\u{e059}' => 38,
        '\u{e014}' | '\u{e05a}' => 39,
        '\u{e015}' | '\u{e05b}' => 40,
        '\u{e016}' | '\u{e05c}' => 45,
        '\u{e017}' | '\u{e05d}' => 46,
        '\u{e01a}'..='\u{e023}' => 96 + letter as u32 - 0xe01a,
        '\u{e031}'..='\u{e03c}' => 112 + letter as u32 - 0xe031,
        'a'..='z' => letter as u32 - 32,
        'A'..='Z' | '0'..='9' => letter as u32,
        ';' | ':' => 186,
        '=' | '+' => 187,
        ',' | '<' => 188,
        '-' | '_' => 189,
        '.' | '>' => 190,
        '/' | '?' => 191,
        // Characters that come from no key, such as kanji: the code of the input method.
        _ if !letter.is_ascii() => 229,
        _ => letter.to_ascii_uppercase() as u32,
    };
    f64::from(code)
}

/// The character a key writes.
fn character(letter: char) -> Option<char> {
    match letter {
        '\u{e00d}' => Some(' '),
        '\u{e006}' | '\u{e007}' | '\r' | '\n' => Some('\n'),
        '\u{e018}' => Some(';'),
        '\u{e019}' => Some('='),
        '\u{e01a}'..='\u{e023}' => char::from_digit(letter as u32 - 0xe01a, 10),
        '\u{e024}' => Some('*'),
        '\u{e025}' => Some('+'),
        '\u{e027}' => Some('-'),
        '\u{e028}' => Some('.'),
        '\u{e029}' => Some('/'),
        '\u{e000}'..='\u{e0ff}' | '\t' | '\u{8}' => None,
        letter => Some(letter),
    }
}

/// Presses and releases one key on the control that has the focus (the body without one), with what
/// the key does. Modifier keys only fire their events here.
pub fn key(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, letter: char, held: Held) {
    let body = page.document.borrow().body();
    let Some(target) = page.active.get().or(body) else { return };
    let which = match letter {
        '\u{e00a}' | '\u{e052}' => Some(0),
        '\u{e009}' | '\u{e051}' => Some(1),
        '\u{e008}' | '\u{e050}' => Some(2),
        _ => None,
    };
    match which {
        Some(which) => {
            fire(host, ctx, page, target, "keydown", MODIFIER_CODES[which], held);
            fire(host, ctx, page, target, "keyup", MODIFIER_CODES[which], held);
        }
        None => stroke(host, ctx, page, target, letter, held),
    }
}

fn stroke(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: NodeId, letter: char, held: Held) {
    let upper = letter.is_ascii_uppercase() && !held[2];
    let held = if upper { [held[0], held[1], true] } else { held };
    let code = code_of(letter);
    let down = fire(host, ctx, page, id, "keydown", code, held);
    let target = page.active.get().unwrap_or(id);
    if !down.prevented {
        let chord = held[0] || held[1];
        let typed = character(letter).filter(|_| !chord);
        let typed = typed.map(|typed| if held[2] { typed.to_ascii_uppercase() } else { typed });
        let pressed = match typed {
            Some('\n') => fire(host, ctx, page, target, "keypress", 13.0, held),
            Some(typed) => fire(host, ctx, page, target, "keypress", f64::from(typed as u32), held),
            None => Outcome::default(),
        };
        if !pressed.prevented && host.page(page.id).is_some() {
            effect(host, ctx, page, target, letter, typed, held);
        }
    }
    if host.page(page.id).is_some() {
        let target = page.active.get().unwrap_or(target);
        fire(host, ctx, page, target, "keyup", code, held);
    }
}

fn editable(document: &Document, id: NodeId) -> bool {
    document.is_text_control(id) && !document.has_attribute(id, "readonly") && !document.is_disabled(id)
}

fn effect(
    host: &Rc<Host>,
    ctx: &Ctx<'_>,
    page: &Rc<Page>,
    id: NodeId,
    letter: char,
    typed: Option<char>,
    held: Held,
) {
    let (name, kind, can_edit) = {
        let document = page.document.borrow();
        (document.name(id).to_owned(), document.control_type(id), editable(&document, id))
    };
    if letter == '\u{e004}' || letter == '\t' {
        move_focus(host, ctx, page, id, held[2]);
        return;
    }
    match (name.as_str(), kind) {
        ("select", _) => {
            choose_by_key(host, ctx, page, id, letter, typed);
            return;
        }
        ("input", "checkbox" | "radio" | "submit" | "button" | "reset" | "image") | ("button", _) => {
            if typed == Some(' ') || typed == Some('\n') && kind != "checkbox" && kind != "radio" {
                act::click(host, ctx, page, id);
            }
            return;
        }
        ("a", _) => {
            if typed == Some('\n') {
                act::click(host, ctx, page, id);
            }
            return;
        }
        _ => {}
    }
    if typed == Some('\n') && name == "input" {
        focus::commit(host, ctx, page, id);
        submit::implicit(host, ctx, page, id);
        return;
    }
    if can_edit && edit(page, id, letter, typed, held) && page.mode >= Mode::Ie9 {
        let input = Event { cancelable: false, ..Event::bubbling("input") };
        event::dispatch(host, ctx, page, Spot::Node(id), &input);
    }
}

/// Changes the text at the caret; true if it changed.
fn edit(page: &Rc<Page>, id: NodeId, letter: char, typed: Option<char>, held: Held) -> bool {
    let mut document = page.document.borrow_mut();
    let mut text: Vec<char> = document.value(id).unwrap_or_default().chars().collect();
    let mut caret = page.caret.get().min(text.len());
    let length = text.len();
    if held[1] && letter.eq_ignore_ascii_case(&'a') {
        page.all_selected.set(true);
        return false;
    }
    let whole = page.all_selected.replace(false);
    match letter {
        '\u{e003}' | '\u{8}' | '\u{e017}' | '\u{e05d}' if whole => {
            text.clear();
            caret = 0;
        }
        '\u{e003}' | '\u{8}' => {
            if caret > 0 {
                caret -= 1;
                text.remove(caret);
            }
        }
        '\u{e017}' | '\u{e05d}' => {
            if caret < length {
                text.remove(caret);
            }
        }
        '\u{e012}' | '\u{e058}' => caret = caret.saturating_sub(1),
        '\u{e014}' | '\u{e05a}' => caret = (caret + 1).min(length),
        '\u{e011}' | '\u{e057}' => caret = 0,
        '\u{e010}' | '\u{e056}' => caret = length,
        _ => {
            if let Some(typed) = typed {
                if whole {
                    text.clear();
                    caret = 0;
                }
                let most = document.attribute(id, "maxlength").and_then(|text| text.trim().parse().ok());
                if text.len() < most.unwrap_or(usize::MAX) {
                    text.insert(caret, typed);
                    caret += 1;
                }
            }
        }
    }
    page.caret.set(caret);
    let new: String = text.into_iter().collect();
    let changed = document.value(id).unwrap_or_default() != new;
    if changed {
        page.typed.set(true);
        document.set_value(id, &new);
    }
    changed
}

fn choose_by_key(
    host: &Rc<Host>,
    ctx: &Ctx<'_>,
    page: &Rc<Page>,
    select: NodeId,
    letter: char,
    typed: Option<char>,
) {
    let wanted = {
        let document = page.document.borrow();
        let options: Vec<NodeId> =
            document.options(select).into_iter().filter(|&option| !document.is_disabled(option)).collect();
        let now = document.selected_options(select).first().copied();
        let place = now.and_then(|now| options.iter().position(|&option| option == now));
        match letter {
            '\u{e015}' | '\u{e05b}' => options.get(place.map_or(0, |place| place + 1)).copied(),
            '\u{e013}' | '\u{e059}' => {
                place.and_then(|place| place.checked_sub(1)).and_then(|p| options.get(p).copied())
            }
            '\u{e011}' => options.first().copied(),
            '\u{e010}' => options.last().copied(),
            _ => typed.and_then(|typed| {
                // The next option that begins with the letter, round the end.
                let start = place.map_or(0, |place| place + 1);
                let begins = |&&option: &&NodeId| {
                    document.option_text(option).to_lowercase().starts_with(&typed.to_lowercase().to_string())
                };
                options[start.min(options.len())..].iter().chain(&options).find(begins).copied()
            }),
        }
    };
    let Some(wanted) = wanted.filter(|&wanted| !page.document.borrow().selected(wanted)) else { return };
    page.document.borrow_mut().set_selected(wanted, true);
    event::dispatch(host, ctx, page, Spot::Node(select), &focus::change(page));
}

/// The Tab key: to the next control in tab order, round the end.
fn move_focus(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, from: NodeId, back: bool) {
    let order: Vec<NodeId> = {
        let document = page.document.borrow();
        let mut order: Vec<(i64, usize, NodeId)> = document
            .descendant_elements(document.root())
            .filter(|&id| focus::can_focus(&document, id) && document.is_displayed_ignoring_opacity(id))
            .enumerate()
            .map(|(place, id)| {
                let index: i64 =
                    document.attribute(id, "tabindex").and_then(|text| text.trim().parse().ok()).unwrap_or(0);
                (if index == 0 { i64::MAX } else { index }, place, id)
            })
            .filter(|(index, _, _)| *index > 0)
            .collect();
        order.sort_unstable_by_key(|&(index, place, _)| (index, place));
        order.into_iter().map(|(_, _, id)| id).collect()
    };
    if order.is_empty() {
        return;
    }
    let here = order.iter().position(|&id| id == from);
    let next = match (here, back) {
        (Some(here), false) => (here + 1) % order.len(),
        (Some(here), true) => (here + order.len() - 1) % order.len(),
        (None, _) => 0,
    };
    focus::set(host, ctx, page, Some(order[next]));
}
