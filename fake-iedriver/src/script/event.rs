//! Events.
//!
//! Owns: the event object per document mode, the path, the order of listeners, what a listener's
//! answer means. Does not own: who fires which event and what follows (`browser::act`), the
//! compilation of handler attributes (`handler`).

use super::members::Cx;
use super::{handler, node, run, value};
use crate::browser::host::{Host, Listener, Page, SavedFunction, Spot, Style};
use crate::dom::{Mode, NodeId};
use rquickjs::function::{Func, This};
use rquickjs::{Ctx, Function, Object, Persistent, Result, Value};
use std::rc::Rc;

/// An event to fire.
#[derive(Clone, Debug)]
pub struct Event {
    /// Type without `on`.
    pub kind: String,
    /// Goes up the tree.
    pub bubbles: bool,
    /// Its default action can be prevented.
    pub cancelable: bool,
    /// Numbers of the event object, by their DOM names (`keyCode`, `clientX`, …).
    pub numbers: Vec<(&'static str, f64)>,
    /// Truths of the event object (`ctrlKey`, …).
    pub flags: Vec<(&'static str, bool)>,
    /// `relatedTarget`, `toElement`, `fromElement`.
    pub related: Option<NodeId>,
}

impl Event {
    /// An event that bubbles and can be prevented, as mouse and key events do.
    pub fn bubbling(kind: &str) -> Self {
        Self {
            kind: kind.into(),
            bubbles: true,
            cancelable: true,
            numbers: Vec::new(),
            flags: Vec::new(),
            related: None,
        }
    }

    /// An event for its target only.
    pub fn plain(kind: &str) -> Self {
        Self { bubbles: false, cancelable: false, ..Self::bubbling(kind) }
    }

    /// Adds a number.
    pub fn with(mut self, name: &'static str, number: f64) -> Self {
        self.numbers.push((name, number));
        self
    }
}

/// What became of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// A listener prevented the default action.
    pub prevented: bool,
    /// Text a `beforeunload` listener gave.
    pub text: Option<String>,
}

/// Fires an event at a node or window; errors of listeners go to the page's `onerror`.
pub fn dispatch(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, spot: Spot, event: &Event) -> Outcome {
    // Most events have no listener anywhere: no object is made for them.
    let path = path(page, spot, event.bubbles);
    if !path.iter().any(|&spot| has_listener(host, ctx, page, spot, &event.kind)) {
        return Outcome::default();
    }
    let Ok(realm) = page.realm(ctx) else { return Outcome::default() };
    match object(host, &realm, page, spot, event) {
        Ok(object) => deliver(host, &realm, page, &path, &object, &event.kind),
        Err(_) => {
            realm.catch();
            Outcome::default()
        }
    }
}

fn path(page: &Page, spot: Spot, bubbles: bool) -> Vec<Spot> {
    let Spot::Node(node) = spot else { return vec![spot] };
    if !bubbles {
        return vec![spot];
    }
    let document = page.document.borrow();
    let mut path = vec![spot];
    path.extend(document.ancestors(node).map(Spot::Node));
    if document.is_connected(node) && page.mode >= Mode::Ie9 {
        path.push(Spot::Window);
    }
    path
}

fn has_listener(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, spot: Spot, kind: &str) -> bool {
    let set = page
        .listeners
        .borrow()
        .get(&spot)
        .is_some_and(|list| list.iter().any(|listener| listener.kind == kind));
    set || handler::exists(host, ctx, page, spot, kind)
}

/// Makes the event object.
fn object<'js>(
    host: &Rc<Host>,
    realm: &Ctx<'js>,
    page: &Rc<Page>,
    spot: Spot,
    event: &Event,
) -> Result<Object<'js>> {
    let object = new_object(realm, page)?;
    object.set("type", event.kind.as_str())?;
    for (name, number) in &event.numbers {
        object.set(*name, Value::new_number(realm.clone(), *number))?;
    }
    for (name, flag) in &event.flags {
        object.set(*name, *flag)?;
    }
    for name in ["altKey", "ctrlKey", "shiftKey"] {
        if !object.contains_key(name)? {
            object.set(name, false)?;
        }
    }
    if page.mode <= Mode::Ie8
        && let Some((_, button)) = event.numbers.iter().find(|(name, _)| *name == "button")
    {
        // 1 left, 2 right, 4 middle up to mode 8 (`reference/emulator.md` section 6.2).
        let old = match *button as i32 {
            0 if event.kind != "click" => 1,
            1 => 4,
            2 => 2,
            _ => 0,
        };
        object.set("button", old)?;
    }
    let target = target_value(host, realm, page, spot)?;
    object.set(
        "srcElement",
        if matches!(spot, Spot::Node(_)) { target.clone() } else { Value::new_null(realm.clone()) },
    )?;
    let related = node::wrap(realm, host, page, event.related)?;
    let away = matches!(event.kind.as_str(), "mouseout" | "mouseleave" | "blur" | "focusout");
    object.set(if away { "toElement" } else { "fromElement" }, related.clone())?;
    if page.mode >= Mode::Ie9 {
        object.set("target", target)?;
        object.set("relatedTarget", related)?;
        object.set("bubbles", event.bubbles)?;
        object.set("cancelable", event.cancelable)?;
        object.set("timeStamp", Value::new_number(realm.clone(), host.port.now() as f64))?;
        object.set("isTrusted", true)?;
        object.set("defaultPrevented", false)?;
        if let Some((_, code)) = event.numbers.iter().find(|(name, _)| *name == "keyCode") {
            object.set("which", Value::new_number(realm.clone(), *code))?;
            let code = if event.kind == "keypress" { *code } else { 0.0 };
            object.set("charCode", Value::new_number(realm.clone(), code))?;
        }
    }
    object.set("cancelBubble", false)?;
    Ok(object)
}

/// An event object without content (`createEvent`, `createEventObject`).
///
/// # Errors
/// Out of memory.
pub fn new_object<'js>(realm: &Ctx<'js>, page: &Page) -> Result<Object<'js>> {
    let prototype = page.prototypes.borrow().get("Event").cloned();
    let prototype = prototype.map(|prototype| prototype.restore(realm)).transpose()?;
    Object::new_proto(realm.clone(), prototype.as_ref())
}

/// Methods of event objects; plain properties carry their effect, as scripts may set those too.
///
/// # Errors
/// Out of memory.
pub fn install_methods(prototype: &Object<'_>, mode: Mode) -> Result<()> {
    if mode < Mode::Ie9 {
        return Ok(());
    }
    prototype.set(
        "preventDefault",
        Func::from(|this: This<Object<'_>>| -> Result<()> {
            let cancelable: Option<bool> = this.0.get("cancelable")?;
            if cancelable != Some(false) {
                this.0.set("defaultPrevented", true)?;
                this.0.set("returnValue", false)?;
            }
            Ok(())
        }),
    )?;
    let stop = |this: This<Object<'_>>| -> Result<()> { this.0.set("cancelBubble", true) };
    prototype.set("stopPropagation", Func::from(stop))?;
    prototype.set(
        "stopImmediatePropagation",
        Func::from(|this: This<Object<'_>>| -> Result<()> {
            this.0.set("cancelBubble", true)?;
            this.0.prop("\u{1}now", rquickjs::object::Property::from(true).configurable())
        }),
    )?;
    let init = |this: This<Object<'_>>, kind: String, bubbles: Option<bool>, cancelable: Option<bool>| {
        this.0.set("type", kind)?;
        this.0.set("bubbles", bubbles.unwrap_or(false))?;
        this.0.set("cancelable", cancelable.unwrap_or(false))
    };
    for name in ["initEvent", "initUIEvent", "initMouseEvent", "initKeyboardEvent", "initCustomEvent"] {
        prototype.set(name, Func::from(init))?;
    }
    Ok(())
}

fn target_value<'js>(host: &Rc<Host>, realm: &Ctx<'js>, page: &Rc<Page>, spot: Spot) -> Result<Value<'js>> {
    match spot {
        Spot::Node(node) => node::wrap(realm, host, page, Some(node)),
        Spot::Window => Ok(page.global.clone().restore(realm)?.into_value()),
    }
}

struct Delivery<'a, 'js> {
    host: &'a Rc<Host>,
    realm: &'a Ctx<'js>,
    page: &'a Rc<Page>,
    object: &'a Object<'js>,
    kind: &'a str,
    outcome: Outcome,
}

/// Takes an event object along the path.
fn deliver<'js>(
    host: &Rc<Host>,
    realm: &Ctx<'js>,
    page: &Rc<Page>,
    path: &[Spot],
    object: &Object<'js>,
    kind: &str,
) -> Outcome {
    let before = page.event.replace(Some(Persistent::save(realm, object.clone())));
    let mut delivery = Delivery { host, realm, page, object, kind, outcome: Outcome::default() };
    let modern = page.mode >= Mode::Ie9;
    let target = path.first().copied();
    let mut stopped = false;
    if modern {
        for &spot in path.iter().rev() {
            if Some(spot) != target && !stopped {
                delivery.phase(1);
                stopped = delivery.visit(spot, |listener| listener.style == Style::Listener(true));
            }
        }
    }
    for &spot in path {
        if stopped {
            break;
        }
        let at_target = Some(spot) == target;
        delivery.phase(if at_target { 2 } else { 3 });
        stopped = delivery.visit(spot, |listener| at_target || listener.style != Style::Listener(true));
    }
    let outcome = delivery.outcome;
    page.event.replace(before);
    outcome
}

impl<'js> Delivery<'_, 'js> {
    fn phase(&self, phase: i32) {
        if self.page.mode >= Mode::Ie9 {
            let _ = self.object.set("eventPhase", phase);
        }
    }

    /// Calls the listeners of one place; true if the event goes no further.
    fn visit(&mut self, spot: Spot, wanted: impl Fn(&Listener) -> bool) -> bool {
        let compiled = handler::function(self.host, self.realm, self.page, spot, self.kind);
        let mut calls: Vec<(Style, SavedFunction)> = Vec::new();
        let handler_wanted =
            wanted(&Listener { kind: String::new(), style: Style::Handler, function: None, source: None });
        calls.extend(compiled.filter(|_| handler_wanted).map(|function| (Style::Handler, function)));
        {
            let listeners = self.page.listeners.borrow();
            let here = listeners.get(&spot).into_iter().flatten();
            let matching = here.filter(|l| l.kind == self.kind && l.style != Style::Handler && wanted(l));
            let mut others: Vec<(Style, SavedFunction)> =
                matching.filter_map(|l| Some((l.style, l.function.clone()?))).collect();
            if self.page.mode <= Mode::Ie8 {
                // Attached handlers run last in, first out (`reference/emulator.md` section 6.2).
                others.reverse();
            }
            calls.extend(others);
        }
        if calls.is_empty() {
            return false;
        }
        if self.page.mode >= Mode::Ie9
            && let Ok(current) = target_value(self.host, self.realm, self.page, spot)
        {
            let _ = self.object.set("currentTarget", current);
        }
        for (style, function) in calls {
            self.call(spot, style, &function);
            if self.object.contains_key("\u{1}now").unwrap_or(false) {
                return true;
            }
        }
        self.object.get::<_, Option<bool>>("cancelBubble").ok().flatten() == Some(true)
    }

    fn call(&mut self, spot: Spot, style: Style, function: &SavedFunction) {
        let this = match style {
            // `this` in an attached handler is the window.
            Style::Attached => target_value(self.host, self.realm, self.page, Spot::Window),
            _ => target_value(self.host, self.realm, self.page, spot),
        };
        let Ok(this) = this else { return };
        let event = self.object.as_value().clone();
        let with_event = style != Style::Handler || self.page.mode >= Mode::Ie9;
        let args = if with_event { vec![event] } else { Vec::new() };
        match run::call(self.host, self.realm, self.page, function, this, &args) {
            Ok(answer) => {
                if matches!(style, Style::Handler | Style::Attached) {
                    self.answered(&answer);
                }
            }
            Err(failure) => run::report(self.host, self.realm, self.page, failure),
        }
        let left: Option<Value> = self.object.get("returnValue").ok();
        match left {
            Some(left) if left.as_bool() == Some(false) => self.outcome.prevented = true,
            Some(left) if left.is_string() && self.kind == "beforeunload" => {
                self.outcome.text = Some(value::text_of(self.realm, &left));
            }
            _ => {}
        }
    }

    fn answered(&mut self, answer: &Value<'js>) {
        if self.kind == "beforeunload" {
            if !answer.is_undefined() && !answer.is_null() {
                self.outcome.text = Some(value::text_of(self.realm, answer));
            }
        } else if answer.as_bool() == Some(false) {
            self.outcome.prevented = true;
            let _ = self.object.set("returnValue", false);
            if self.page.mode >= Mode::Ie9 {
                let _ = self.object.set("defaultPrevented", true);
            }
        }
    }
}

fn spot_of(cx: &Cx<'_>) -> Spot {
    Spot::Node(cx.node)
}

fn add<'js>(cx: &Cx<'js>, spot: Spot, kind: String, style: Style, function: &Function<'js>) {
    let function = Persistent::save(&cx.ctx, function.clone());
    let mut listeners = cx.page.listeners.borrow_mut();
    let here = listeners.entry(spot).or_default();
    // The same function once only, as `addEventListener` demands.
    let again = matches!(style, Style::Listener(_))
        && here.iter().any(|l| l.kind == kind && l.style == style && l.function.as_ref() == Some(&function));
    if !again {
        here.push(Listener { kind, style, function: Some(function), source: None });
    }
}

fn drop_listener<'js>(cx: &Cx<'js>, spot: Spot, kind: &str, style: Style, function: &Function<'js>) {
    let function = Persistent::save(&cx.ctx, function.clone());
    if let Some(here) = cx.page.listeners.borrow_mut().get_mut(&spot) {
        let found = here
            .iter()
            .position(|l| l.kind == kind && l.style == style && l.function.as_ref() == Some(&function));
        if let Some(found) = found {
            here.remove(found);
        }
    }
}

fn attached_kind<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> String {
    let name = cx.text_of(args, 0);
    name.strip_prefix("on").unwrap_or(&name).to_owned()
}

/// `attachEvent(name, function)`.
pub(super) fn attach<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    attach_at(cx, spot_of(cx), args)
}

/// `window.attachEvent`.
pub(super) fn attach_to_window<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    attach_at(cx, Spot::Window, args)
}

fn attach_at<'js>(cx: &Cx<'js>, spot: Spot, args: &[Value<'js>]) -> Result<Value<'js>> {
    let function = args.get(1).and_then(Value::as_function).ok_or_else(|| cx.invalid())?;
    add(cx, spot, attached_kind(cx, args), Style::Attached, function);
    Ok(cx.boolean(true))
}

/// `detachEvent(name, function)`.
pub(super) fn detach<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    detach_at(cx, spot_of(cx), args)
}

/// `window.detachEvent`.
pub(super) fn detach_from_window<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    detach_at(cx, Spot::Window, args)
}

fn detach_at<'js>(cx: &Cx<'js>, spot: Spot, args: &[Value<'js>]) -> Result<Value<'js>> {
    if let Some(function) = args.get(1).and_then(Value::as_function) {
        drop_listener(cx, spot, &attached_kind(cx, args), Style::Attached, function);
    }
    Ok(cx.undefined())
}

/// `addEventListener(type, function, capture)`.
pub(super) fn listen<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    listen_at(cx, spot_of(cx), args, true)
}

/// `window.addEventListener`.
pub(super) fn listen_at_window<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    listen_at(cx, Spot::Window, args, true)
}

/// `removeEventListener(type, function, capture)`.
pub(super) fn unlisten<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    listen_at(cx, spot_of(cx), args, false)
}

/// `window.removeEventListener`.
pub(super) fn unlisten_at_window<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    listen_at(cx, Spot::Window, args, false)
}

fn listen_at<'js>(cx: &Cx<'js>, spot: Spot, args: &[Value<'js>], on: bool) -> Result<Value<'js>> {
    if let Some(function) = args.get(1).and_then(Value::as_function) {
        let (kind, style) = (cx.text_of(args, 0), Style::Listener(cx.flag_of(args, 2)));
        if on {
            add(cx, spot, kind, style, function);
        } else {
            drop_listener(cx, spot, &kind, style, function);
        }
    }
    Ok(cx.undefined())
}

/// `fireEvent(name, event)`: listeners only, no default action. False if one prevented it.
pub(super) fn fire<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let kind = attached_kind(cx, args);
    let bubbles =
        !matches!(kind.as_str(), "focus" | "blur" | "load" | "unload" | "mouseenter" | "mouseleave");
    let spot = spot_of(cx);
    let object = match args.get(1).and_then(Value::as_object) {
        Some(given) => given.clone(),
        None => new_object(&cx.ctx, &cx.page)?,
    };
    object.set("type", kind.as_str())?;
    object.set("srcElement", cx.wrap(Some(cx.node))?)?;
    object.set("cancelBubble", false)?;
    let outcome =
        deliver(&cx.host, &cx.page.realm(&cx.ctx)?, &cx.page, &path(&cx.page, spot, bubbles), &object, &kind);
    Ok(cx.boolean(!outcome.prevented))
}

/// `dispatchEvent(event)`; a click event runs the default action as in every browser.
pub(super) fn send<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    send_to(cx, spot_of(cx), args)
}

/// `window.dispatchEvent`.
pub(super) fn send_to_window<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    send_to(cx, Spot::Window, args)
}

fn send_to<'js>(cx: &Cx<'js>, spot: Spot, args: &[Value<'js>]) -> Result<Value<'js>> {
    let object = args.first().and_then(Value::as_object).ok_or_else(|| cx.invalid())?.clone();
    let kind: String = object.get::<_, Option<String>>("type")?.unwrap_or_default();
    let bubbles = object.get::<_, Option<bool>>("bubbles")?.unwrap_or(false);
    object.set("target", target_value(&cx.host, &cx.ctx, &cx.page, spot)?)?;
    object.set("isTrusted", false)?;
    let realm = cx.page.realm(&cx.ctx)?;
    let deliver_it = || deliver(&cx.host, &realm, &cx.page, &path(&cx.page, spot, bubbles), &object, &kind);
    let outcome = match spot {
        Spot::Node(node) if kind == "click" => {
            crate::browser::act::with_activation(&cx.host, &cx.ctx, &cx.page, node, deliver_it)
        }
        _ => deliver_it(),
    };
    Ok(cx.boolean(!outcome.prevented))
}
