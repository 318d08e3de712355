//! Entering script: texts, functions, and what becomes of their errors.
//!
//! Owns: the one way into a page's realm, nesting depth, `window.onerror`. Does not own: limits
//! (`budget`), events (`event`).

use super::errors::{self, Failure};
use super::names;
use crate::browser::host::{Host, Page, SavedFunction};
use rquickjs::function::{Args, This};
use rquickjs::{Ctx, Exception, FromJs, Function, Object, Result, Value};
use std::rc::Rc;

/// Milliseconds of script the pages' own events and scripts get: about thirty million loop rounds,
/// where IE asks its user after five million statements [mem].
pub const PAGE_LIMIT: u64 = 10_000;

/// Scripts started by native functions inside of scripts: more would overflow the thread's stack,
/// which the engine's own check does not see (`reference/emulator.md` section 4.3).
const DEEPEST: u32 = 60;

/// Runs `body` in the page's realm as a script run: names are fresh, the outermost run gets a limit.
///
/// # Errors
/// What the script threw, in IE's words.
pub fn enter<'js, R>(
    host: &Rc<Host>,
    ctx: &Ctx<'js>,
    page: &Rc<Page>,
    body: impl FnOnce(&Ctx<'js>) -> Result<R>,
) -> std::result::Result<R, Failure> {
    let depth = host.depth.get();
    if depth >= DEEPEST {
        return Err(Failure::Thrown("Out of stack space".into()));
    }
    let Ok(realm) = page.realm(ctx) else { return Err(Failure::Aborted) };
    if depth == 0 && !host.granted.get() {
        host.budget.grant(Some(PAGE_LIMIT));
    }
    host.depth.set(depth + 1);
    let result = names::refresh(&realm, host, page).and_then(|()| body(&realm));
    host.depth.set(depth);
    errors::caught(&realm, &host.budget, result)
}

/// Runs a text as a script of the page.
///
/// # Errors
/// What the script threw, in IE's words.
pub fn source<'js>(
    host: &Rc<Host>,
    ctx: &Ctx<'js>,
    page: &Rc<Page>,
    text: &str,
    name: &str,
) -> std::result::Result<Value<'js>, Failure> {
    enter(host, ctx, page, |realm| evaluate(realm, page, text, name))
}

/// Evaluates a text as the page's document mode reads it.
///
/// # Errors
/// Its exception; a syntax error for what the mode does not know.
pub fn evaluate<'js, V: FromJs<'js>>(realm: &Ctx<'js>, page: &Page, text: &str, name: &str) -> Result<V> {
    match super::syntax::check(text, page.mode) {
        Ok(None) => super::engine::eval(realm, text, name),
        Ok(Some(changed)) => super::engine::eval(realm, &changed, name),
        Err(message) => Err(Exception::throw_syntax(realm, message)),
    }
}

/// Calls a function of the page.
///
/// # Errors
/// What it threw, in IE's words.
pub fn call<'js>(
    host: &Rc<Host>,
    ctx: &Ctx<'js>,
    page: &Rc<Page>,
    function: &SavedFunction,
    this: Value<'js>,
    args: &[Value<'js>],
) -> std::result::Result<Value<'js>, Failure> {
    enter(host, ctx, page, |realm| {
        let function: Function = function.clone().restore(realm)?;
        let mut list = Args::new(realm.clone(), args.len());
        list.this(this)?;
        list.push_args(args)?;
        function.call_arg(list)
    })
}

/// Tells the page's `onerror`; a failure of a page's own script goes no further.
pub fn report(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, failure: Failure) {
    let text = match failure {
        Failure::Thrown(text) => text,
        Failure::TimedOut => {
            tracing::warn!(page = page.location.borrow().as_str(), "script stopped at its limit");
            return;
        }
        Failure::Aborted => return,
    };
    tracing::debug!(text, page = page.location.borrow().as_str(), "script error");
    let told = enter(host, ctx, page, |realm| {
        let global: Object = realm.globals();
        let handler: Value = global.get("onerror")?;
        let Some(handler) = handler.as_function() else { return Ok(()) };
        let address = page.location.borrow().clone();
        handler.call::<_, Value>((This(global), text.as_str(), address, 0)).map(drop)
    });
    // An error in the handler itself is the end of it.
    drop(told);
}
