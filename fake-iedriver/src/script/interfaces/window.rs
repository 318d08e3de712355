//! `window`: members that work on the realm's own page whoever calls them.

use super::{dialog, location, style};
use crate::browser::host::{Spot, Style, Task, Timer};
use crate::browser::windows;
use crate::script::members::{Cx, Member, both, call, get};
use crate::script::{event, run};
use rquickjs::{Exception, Persistent, Result, Value};

pub(super) static MEMBERS: &[Member] = &[
    get("window", own),
    get("self", own),
    get("document", |cx, _| cx.wrap(Some(cx.node))),
    get("frames", own),
    get("parent", |cx, _| {
        let parent = cx.host.frames.borrow().get(&cx.page.frame).and_then(|frame| frame.parent);
        cx.host.window(&cx.ctx, parent.unwrap_or(cx.page.frame))
    }),
    get("top", |cx, _| cx.host.window(&cx.ctx, cx.host.top(cx.page.frame))),
    both(
        "opener",
        |cx, _| {
            let opener = cx.host.frames.borrow().get(&cx.page.frame).and_then(|frame| frame.opener);
            match opener {
                Some(opener) => cx.host.window(&cx.ctx, opener),
                None => Ok(cx.undefined()),
            }
        },
        |cx, args| {
            // `opener = null` and the old trick `opener = self` before `close()`.
            let frame =
                args.first().and_then(Value::as_object).and_then(|o| cx.host.frame_of_window(&cx.ctx, o));
            if let Some(own) = cx.host.frames.borrow_mut().get_mut(&cx.page.frame) {
                own.opener = frame;
            }
            Ok(cx.undefined())
        },
    ),
    get("length", |cx, _| Ok(cx.number(cx.host.children(cx.page.frame).len() as f64))),
    get("closed", |cx, _| Ok(cx.boolean(windows::is_closed(&cx.host, cx.page.frame)))),
    get("frameElement", |cx, _| {
        let element = cx.host.frames.borrow().get(&cx.page.frame).and_then(|frame| frame.element);
        match element.and_then(|(page, node)| Some((cx.host.page(page)?, node))) {
            Some((page, node)) => crate::script::node::wrap(&cx.ctx, &cx.host, &page, Some(node)),
            None => Ok(cx.null()),
        }
    }),
    both(
        "name",
        |cx, _| {
            let name = cx.host.frames.borrow().get(&cx.page.frame).map(|frame| frame.name.clone());
            cx.text(&name.unwrap_or_default())
        },
        |cx, args| {
            let name = cx.text_of(args, 0);
            if let Some(frame) = cx.host.frames.borrow_mut().get_mut(&cx.page.frame) {
                frame.name = name;
            }
            Ok(cx.undefined())
        },
    ),
    both("status", |cx, _| text(cx, "status"), |cx, args| set_text(cx, "status", args)),
    both("defaultStatus", |cx, _| text(cx, "defaultStatus"), |cx, args| set_text(cx, "defaultStatus", args)),
    both("location", location::object, |cx, args| {
        windows::go(cx, &cx.text_of(args, 0), true);
        Ok(cx.undefined())
    }),
    get("history", location::history),
    get("navigator", location::navigator),
    get("clientInformation", location::navigator),
    get("screen", location::screen),
    get("external", |cx, _| Ok(rquickjs::Object::new(cx.ctx.clone())?.into_value())),
    get("clipboardData", location::clipboard),
    get("localStorage", |cx, _| location::storage(cx, "localStorage")).from(8),
    get("sessionStorage", |cx, _| location::storage(cx, "sessionStorage")).from(8),
    get("event", |cx, _| match cx.page.event.borrow().clone() {
        Some(event) => Ok(event.restore(&cx.ctx)?.into_value()),
        None => Ok(if cx.page.mode.number() <= 8 { cx.null() } else { cx.undefined() }),
    }),
    get("dialogArguments", |cx, _| modal(cx, "arguments")),
    both(
        "returnValue",
        |cx, _| modal(cx, "returnValue"),
        |cx, args| {
            let saved = cx.host.frames.borrow().get(&cx.page.frame).and_then(|frame| frame.modal.clone());
            if let (Some(saved), Some(value)) = (saved, args.first()) {
                saved.restore(&cx.ctx)?.set("returnValue", value.clone())?;
            }
            Ok(cx.undefined())
        },
    ),
    get("innerWidth", |cx, _| Ok(cx.number(crate::dom::VIEWPORT_WIDTH))).from(9),
    get("innerHeight", |cx, _| Ok(cx.number(crate::dom::VIEWPORT_HEIGHT))).from(9),
    get("outerWidth", |cx, _| Ok(cx.number(crate::dom::VIEWPORT_WIDTH))).from(9),
    get("outerHeight", |cx, _| Ok(cx.number(crate::dom::VIEWPORT_HEIGHT))).from(9),
    get("pageXOffset", |cx, _| Ok(cx.number(cx.page.scroll.get().0))).from(9),
    get("pageYOffset", |cx, _| Ok(cx.number(cx.page.scroll.get().1))).from(9),
    get("screenLeft", |cx, _| Ok(cx.number(0.0))),
    get("screenTop", |cx, _| Ok(cx.number(0.0))),
    call("alert", dialog::alert),
    call("confirm", dialog::confirm),
    call("prompt", dialog::prompt),
    call("showModalDialog", dialog::show_modal),
    call("setTimeout", |cx, args| timer(cx, args, false)),
    call("setInterval", |cx, args| timer(cx, args, true)),
    call("clearTimeout", clear),
    call("clearInterval", clear),
    call("requestAnimationFrame", |cx, args| {
        let delay = rquickjs::Value::new_int(cx.ctx.clone(), 16);
        timer(cx, &[args.first().cloned().unwrap_or_else(|| cx.undefined()), delay], false)
    })
    .from(10),
    call("cancelAnimationFrame", clear).from(10),
    call("setImmediate", |cx, args| timer(cx, &args[..args.len().min(1)], false)).from(10),
    call("open", windows::open),
    call("close", |cx, _| {
        windows::close(&cx.host, cx.page.frame);
        Ok(cx.undefined())
    }),
    call("navigate", |cx, args| {
        windows::go(cx, &cx.text_of(args, 0), true);
        Ok(cx.undefined())
    }),
    call("execScript", |cx, args| {
        let language = cx.text_of(args, 1);
        if language.to_ascii_lowercase().contains("vbs") {
            return Err(Exception::throw_message(&cx.ctx, "VBScript is not run by the emulator"));
        }
        let realm = cx.page.realm(&cx.ctx)?;
        run::evaluate::<Value>(&realm, &cx.page, &cx.text_of(args, 0), "execScript")?;
        Ok(cx.null())
    })
    .to(10),
    call("getComputedStyle", style::computed).from(9),
    call("attachEvent", event::attach_to_window).to(10),
    call("detachEvent", event::detach_from_window).to(10),
    call("addEventListener", event::listen_at_window).from(9),
    call("removeEventListener", event::unlisten_at_window).from(9),
    call("dispatchEvent", event::send_to_window).from(9),
    call("postMessage", |cx, args| {
        let data = args.first().cloned().unwrap_or_else(|| cx.undefined());
        let realm = cx.page.realm(&cx.ctx)?;
        let event = event::new_object(&realm, &cx.page)?;
        event.set("type", "message")?;
        event.set("data", data)?;
        event.set("origin", cx.viewer().origin())?;
        event.set("source", cx.host.window(&cx.ctx, cx.viewer().frame)?)?;
        let page = cx.page.global.clone().restore(&cx.ctx)?;
        let handler: Value = page.get("onmessage")?;
        let listeners: Vec<_> = {
            let listeners = cx.page.listeners.borrow();
            let here = listeners.get(&Spot::Window).into_iter().flatten();
            here.filter(|l| l.kind == "message" && l.style != Style::Handler)
                .filter_map(|l| l.function.clone())
                .collect()
        };
        let own = handler.into_function().map(|function| Persistent::save(&cx.ctx, function));
        for function in own.into_iter().chain(listeners) {
            let this = page.as_value().clone();
            let told = run::call(&cx.host, &cx.ctx, &cx.page, &function, this, &[event.as_value().clone()]);
            if let Err(failure) = told {
                run::report(&cx.host, &cx.ctx, &cx.page, failure);
            }
        }
        Ok(cx.undefined())
    })
    .from(8),
    call("scroll", scroll_to),
    call("scrollTo", scroll_to),
    call("scrollBy", |cx, args| {
        let (x, y) = cx.page.scroll.get();
        let by = (cx.number_of(args, 0).unwrap_or(0.0), cx.number_of(args, 1).unwrap_or(0.0));
        cx.page.scroll.set(((x + by.0).max(0.0), (y + by.1).max(0.0)));
        Ok(cx.undefined())
    }),
    call("focus", nothing),
    call("blur", nothing),
    call("print", nothing),
    call("stop", nothing),
    call("moveTo", nothing),
    call("moveBy", nothing),
    call("resizeTo", nothing),
    call("resizeBy", nothing),
];

fn own<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    cx.host.window(&cx.ctx, cx.page.frame)
}

fn nothing<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    Ok(cx.undefined())
}

fn text<'js>(cx: &Cx<'js>, name: &str) -> Result<Value<'js>> {
    let text = cx.page.texts.borrow().get(name).cloned();
    cx.text(&text.unwrap_or_default())
}

fn set_text<'js>(cx: &Cx<'js>, name: &'static str, args: &[Value<'js>]) -> Result<Value<'js>> {
    cx.page.texts.borrow_mut().insert(name, cx.text_of(args, 0));
    Ok(cx.undefined())
}

fn modal<'js>(cx: &Cx<'js>, name: &str) -> Result<Value<'js>> {
    let saved = cx.host.frames.borrow().get(&cx.page.frame).and_then(|frame| frame.modal.clone());
    match saved {
        Some(saved) => saved.restore(&cx.ctx)?.get(name),
        None => Ok(cx.undefined()),
    }
}

fn scroll_to<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let place = (cx.number_of(args, 0).unwrap_or(0.0), cx.number_of(args, 1).unwrap_or(0.0));
    cx.page.scroll.set((place.0.max(0.0), place.1.max(0.0)));
    Ok(cx.undefined())
}

fn timer<'js>(cx: &Cx<'js>, args: &[Value<'js>], again: bool) -> Result<Value<'js>> {
    let Some(what) = args.first() else { return Err(cx.invalid()) };
    // An interval of zero would never let the session's clock move.
    let delay =
        cx.number_of(args, 1).unwrap_or(0.0).clamp(if again { 10.0 } else { 0.0 }, 2_147_483_647.0) as u64;
    let task = match what.as_function() {
        Some(function) => {
            let extra: Vec<Value> = args.iter().skip(2).cloned().collect();
            let function = if extra.is_empty() || cx.page.mode.number() < 10 {
                function.clone()
            } else {
                with_arguments(cx, function, &extra)?
            };
            Task::Call(Persistent::save(&cx.ctx, function))
        }
        None => Task::Source(cx.text_of(args, 0)),
    };
    let id = cx.host.number();
    let timer =
        Timer { id, page: cx.page.id, due: cx.host.port.now() + delay, every: again.then_some(delay), task };
    cx.host.timers.borrow_mut().push(timer);
    Ok(cx.number(f64::from(id)))
}

/// A function that calls another with arguments; made by the engine, so that its collector sees them.
fn with_arguments<'js>(
    cx: &Cx<'js>,
    function: &rquickjs::Function<'js>,
    extra: &[Value<'js>],
) -> Result<rquickjs::Function<'js>> {
    let list = rquickjs::Array::new(cx.ctx.clone())?;
    for (n, value) in extra.iter().enumerate() {
        list.set(n, value.clone())?;
    }
    let maker: rquickjs::Function = crate::script::engine::eval(
        &cx.ctx,
        "(function (f, a) { return function () { return f.apply(this, a) } })",
        "timer",
    )?;
    maker.call((function.clone(), list))
}

fn clear<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    if let Some(id) = cx.number_of(args, 0) {
        cx.host.timers.borrow_mut().retain(|timer| f64::from(timer.id) != id);
    }
    Ok(cx.undefined())
}
