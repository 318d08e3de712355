//! Scripts a client sends.
//!
//! Owns: wrapping the text as the driver does, arguments, the result, waiting for the callback of an
//! asynchronous one. Does not own: element ids ([`References`]), the wording of WebDriver errors.

use super::errors::Failure;
use super::value::{self, References};
use super::{engine, run};
use crate::browser::host::{Host, Page};
use crate::browser::{load, timers};
use rquickjs::function::Args;
use rquickjs::{Ctx, Function, Object, Result, Value};
use serde_json::Value as Json;
use std::rc::Rc;

/// How a client's script ended without a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It threw, or its value cannot be converted; the text in IE's words.
    Thrown(String),
    /// The script limit was over.
    TimedOut,
    /// Another page came before the callback was called.
    Reloaded,
    /// The session ends.
    Aborted,
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Thrown(text) => Self::Thrown(text),
            Failure::TimedOut => Self::TimedOut,
            Failure::Aborted => Self::Aborted,
        }
    }
}

/// Runs the body of an anonymous function (`reference/iedriver-wire.md` section 5.10). `limit` is the
/// script timeout in milliseconds, none for no limit.
///
/// # Errors
/// See [`Ended`].
pub fn sync<'js>(
    host: &Rc<Host>,
    ctx: &Ctx<'js>,
    page: &Rc<Page>,
    refs: &dyn References<'js>,
    text: &str,
    args: &[Json],
    limit: Option<u64>,
) -> std::result::Result<Json, Ended> {
    granted(host, limit, || {
        let result = run::enter(host, ctx, page, |realm| {
            let value = start(realm, page, refs, text, args, None)?;
            value::to_json(realm, refs, &value)
        });
        result.map_err(Ended::from)
    })
}

/// Grants a command's own limit to everything `body` runs.
fn granted<R>(host: &Host, limit: Option<u64>, body: impl FnOnce() -> R) -> R {
    host.budget.grant(limit);
    let before = host.granted.replace(true);
    let result = body();
    host.granted.set(before);
    result
}

fn start<'js>(
    realm: &Ctx<'js>,
    page: &Page,
    refs: &dyn References<'js>,
    text: &str,
    args: &[Json],
    callback: Option<Function<'js>>,
) -> Result<Value<'js>> {
    // The body stands on lines of its own: a comment at its end is safe. Compiled alone, so that an
    // unbalanced brace is an error.
    let function: Function = run::evaluate(realm, page, &format!("(function(){{\n{text}\n}})"), "script")?;
    let mut list = Args::new(realm.clone(), args.len() + 1);
    list.this(realm.globals())?;
    for arg in args {
        list.push_arg(value::from_json(realm, refs, arg)?)?;
    }
    if let Some(callback) = callback {
        list.push_arg(callback)?;
    }
    function.call_arg(list)
}

/// Runs a script that ends when it calls its last argument. Timers and navigations go on meanwhile.
///
/// # Errors
/// See [`Ended`].
pub fn asynchronous<'js>(
    host: &Rc<Host>,
    ctx: &Ctx<'js>,
    page: &Rc<Page>,
    refs: &dyn References<'js>,
    text: &str,
    args: &[Json],
    limit: Option<u64>,
) -> std::result::Result<Json, Ended> {
    let end = limit.map(|limit| host.port.now().saturating_add(limit));
    // The result lies on an object of the page, as the driver's own does.
    let holder = granted(host, limit, || {
        run::enter(host, ctx, page, |realm| {
            let holder = Object::new(realm.clone())?;
            let maker: Function = engine::eval(
                realm,
                "(function (o) { return function (v) { if (!o.done) { o.done = true; o.value = v } } })",
                "callback",
            )?;
            let callback: Function = maker.call((holder.clone(),))?;
            start(realm, page, refs, text, args, Some(callback))?;
            Ok(holder)
        })
    })?;
    loop {
        if host.budget.is_aborted() {
            return Err(Ended::Aborted);
        }
        let done: Option<bool> = holder.get("done").unwrap_or_default();
        if done == Some(true) {
            let realm = page.realm(ctx).map_err(|_| Ended::Aborted)?;
            let converted = run::enter(host, ctx, page, |_| {
                let value: Value = holder.get("value")?;
                value::to_json(&realm, refs, &value)
            });
            return converted.map_err(Ended::from);
        }
        load::settle(host, ctx);
        if host.page(page.id).is_none() {
            return Err(Ended::Reloaded);
        }
        if timers::run_due(host, ctx) {
            continue;
        }
        let now = host.port.now();
        if end.is_some_and(|end| now >= end) {
            return Err(Ended::TimedOut);
        }
        let next = match (host.next_timer(), end) {
            (Some(timer), Some(end)) => timer.min(end),
            (Some(timer), None) => timer,
            (None, Some(end)) => end,
            // Nothing can ever call it: wait in steps, so that the end of the session is seen.
            (None, None) => now + 1_000,
        };
        if host.port.wait_until(next.max(now + 1)).is_err() {
            return Err(Ended::Aborted);
        }
    }
}
