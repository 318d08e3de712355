//! `XMLHttpRequest` and its `ActiveXObject` forms.

use crate::browser::fetch;
use crate::browser::host::{Facet, Host, Page, SavedObject, Task, Timer};
use crate::dom::NodeId;
use crate::script::members::{Cx, Member, call, get};
use crate::script::node::{self, JsNode};
use crate::script::run;
use rquickjs::{Ctx, Exception, Object, Persistent, Result, Value};
use std::rc::Rc;

/// State of one request object.
pub struct Request {
    page: u32,
    object: SavedObject,
    method: String,
    url: String,
    asynchronous: bool,
    headers: Vec<(String, String)>,
    body: Option<String>,
    state: u32,
    status: u16,
    answer: Vec<(String, String)>,
    text: String,
}

impl Request {
    /// True if a page's script made it.
    pub fn belongs_to(&self, page: u32) -> bool {
        self.page == page
    }
}

pub(super) static MEMBERS: &[Member] = &[
    get("readyState", |cx, _| Ok(cx.number(f64::from(state(cx, |r| r.state).unwrap_or(0))))),
    get("status", |cx, _| Ok(cx.number(f64::from(state(cx, |r| r.status).unwrap_or(0))))),
    get("statusText", |cx, _| {
        let status = state(cx, |r| r.status).unwrap_or(0);
        cx.text(http::StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason()).unwrap_or(""))
    }),
    get("responseText", |cx, _| cx.text(&state(cx, |r| r.text.clone()).unwrap_or_default())),
    get("responseXML", |cx, _| Ok(cx.null())),
    call("open", |cx, args| {
        let (method, url) = (cx.text_of(args, 0).to_ascii_uppercase(), cx.text_of(args, 1));
        let url = cx.viewer().document.borrow().resolve(&url);
        let asynchronous = args.get(2).is_none_or(|_| cx.flag_of(args, 2));
        change(cx, |r| {
            (r.method, r.url, r.asynchronous, r.state) = (method, url, asynchronous, 1);
            (r.status, r.text, r.headers) = (0, String::new(), Vec::new());
        });
        tell(cx);
        Ok(cx.undefined())
    }),
    call("setRequestHeader", |cx, args| {
        let header = (cx.text_of(args, 0), cx.text_of(args, 1));
        change(cx, |r| r.headers.push(header));
        Ok(cx.undefined())
    }),
    call("send", |cx, args| {
        let body =
            args.first().filter(|body| !body.is_null() && !body.is_undefined()).map(|_| cx.text_of(args, 0));
        let Some(asynchronous) = state(cx, |r| (r.state == 1).then_some(r.asynchronous)).flatten() else {
            return Err(Exception::throw_message(&cx.ctx, "Unspecified error."));
        };
        change(cx, |r| r.body = body);
        let Facet::Request(id) = cx.facet else { return Ok(cx.undefined()) };
        if asynchronous {
            let timer = Timer {
                id: cx.host.number(),
                page: cx.page.id,
                due: cx.host.port.now(),
                every: None,
                task: Task::Request(id),
            };
            cx.host.timers.borrow_mut().push(timer);
        } else if let Err(text) = perform(&cx.host, &cx.page, id) {
            return Err(Exception::throw_message(&cx.ctx, &text));
        }
        Ok(cx.undefined())
    }),
    call("abort", |cx, _| {
        change(cx, |r| (r.state, r.status, r.text) = (0, 0, String::new()));
        Ok(cx.undefined())
    }),
    call("getResponseHeader", |cx, args| {
        let name = cx.text_of(args, 0).to_ascii_lowercase();
        let found =
            state(cx, |r| r.answer.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone()));
        found.flatten().map_or_else(|| Ok(cx.null()), |value| cx.text(&value))
    }),
    call("getAllResponseHeaders", |cx, _| {
        let all: String = state(cx, |r| r.answer.iter().map(|(k, v)| format!("{k}: {v}\r\n")).collect())
            .unwrap_or_default();
        cx.text(&all)
    }),
];

/// A new request object of the page.
///
/// # Errors
/// Out of memory.
pub(super) fn create<'js>(ctx: &Ctx<'js>, host: &Rc<Host>, page: &Rc<Page>) -> Result<Object<'js>> {
    let id = host.number();
    let root: NodeId = page.document.borrow().root();
    let what = JsNode { page: page.id, node: root, facet: Facet::Request(id) };
    let object = node::instance(ctx, page, what, "XMLHttpRequest")?;
    object.set("onreadystatechange", Value::new_null(ctx.clone()))?;
    let request = Request {
        page: page.id,
        object: Persistent::save(ctx, object.clone()),
        method: "GET".into(),
        url: String::new(),
        asynchronous: true,
        headers: Vec::new(),
        body: None,
        state: 0,
        status: 0,
        answer: Vec::new(),
        text: String::new(),
    };
    host.requests.borrow_mut().insert(id, request);
    Ok(object)
}

fn state<R>(cx: &Cx<'_>, f: impl FnOnce(&Request) -> R) -> Option<R> {
    let Facet::Request(id) = cx.facet else { return None };
    cx.host.requests.borrow().get(&id).map(f)
}

fn change(cx: &Cx<'_>, f: impl FnOnce(&mut Request)) {
    if let Facet::Request(id) = cx.facet
        && let Some(request) = cx.host.requests.borrow_mut().get_mut(&id)
    {
        f(request);
    }
}

/// Sends a request and stores its answer.
fn perform(host: &Rc<Host>, page: &Rc<Page>, id: u32) -> std::result::Result<(), String> {
    let sent = {
        let requests = host.requests.borrow();
        let Some(r) = requests.get(&id) else { return Ok(()) };
        (r.method.clone(), r.url.clone(), r.headers.clone(), r.body.clone())
    };
    let (method, url, mut headers, body) = sent;
    if body.is_some() && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("content-type".into(), "text/plain;charset=UTF-8".into()));
    }
    let referrer = page.location.borrow().clone();
    let body = body.map(String::into_bytes).unwrap_or_default();
    let loaded = fetch::load(host, &method, &url, headers, body, Some(&referrer));
    let mut requests = host.requests.borrow_mut();
    let Some(request) = requests.get_mut(&id) else { return Ok(()) };
    request.state = 4;
    match loaded {
        Ok(loaded) => {
            request.status = loaded.response.status;
            request.text = crate::browser::charset::decode(
                &loaded.response.body,
                loaded.response.header("content-type"),
            )
            .0;
            request.answer = loaded.response.headers;
            Ok(())
        }
        Err(_) => {
            // IE's status for an unreachable server.
            request.status = 12029;
            Err("The system cannot locate the resource specified.".into())
        }
    }
}

/// Sends an asynchronous request and tells the script.
pub fn finish(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: u32) {
    let _ = perform(host, page, id);
    notify(host, ctx, page, id);
}

fn notify(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, id: u32) {
    let object = host.requests.borrow().get(&id).map(|request| request.object.clone());
    let Some(object) = object.and_then(|object| object.restore(ctx).ok()) else { return };
    for name in ["onreadystatechange", "onload", "onloadend"] {
        let done = host.requests.borrow().get(&id).is_some_and(|request| request.state == 4);
        if name != "onreadystatechange" && !done {
            continue;
        }
        let handler: Option<Value> = object.get(name).ok();
        let Some(handler) = handler.and_then(Value::into_function) else { continue };
        let handler = Persistent::save(ctx, handler);
        if let Err(failure) = run::call(host, ctx, page, &handler, object.as_value().clone(), &[]) {
            run::report(host, ctx, page, failure);
        }
    }
}

fn tell(cx: &Cx<'_>) {
    if let Facet::Request(id) = cx.facet {
        notify(&cx.host, &cx.ctx, &cx.page, id);
    }
}
