//! `alert`, `confirm`, `prompt`, `showModalDialog`: functions that return when a person has answered.

use crate::browser::host::DialogKind;
use crate::browser::{dialogs, windows};
use crate::script::members::Cx;
use rquickjs::{Result, Value};

pub(super) fn alert<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    dialogs::ask(&cx.host, &cx.ctx, DialogKind::Alert, &message(cx, args), "")?;
    Ok(cx.undefined())
}

pub(super) fn confirm<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let answer = dialogs::ask(&cx.host, &cx.ctx, DialogKind::Confirm, &message(cx, args), "")?;
    Ok(cx.boolean(answer.is_some()))
}

pub(super) fn prompt<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    // Without a default IE writes `undefined` into the field.
    let default = if args.len() > 1 { cx.text_of(args, 1) } else { "undefined".into() };
    match dialogs::ask(&cx.host, &cx.ctx, DialogKind::Prompt, &message(cx, args), &default)? {
        Some(text) => cx.text(&text),
        None => Ok(cx.null()),
    }
}

fn message<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> String {
    if args.is_empty() { String::new() } else { cx.text_of(args, 0) }
}

pub(super) fn show_modal<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    windows::show_modal(cx, &cx.text_of(args, 0), args.get(1).cloned())
}
