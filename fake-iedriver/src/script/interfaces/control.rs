//! Form controls and forms.

use super::element::{flag, set, set_flag, text_attribute};
use crate::browser::submit;
use crate::script::list;
use crate::script::members::{Cx, Member, both, call, get};
use rquickjs::{Result, Value};

pub(super) static INPUT: &[Member] = &[
    both("value", value, set_value),
    both("name", |cx, _| text_attribute(cx, "name"), |cx, args| set(cx, "name", args)),
    both(
        "defaultValue",
        |cx, _| {
            let value = cx.read(|document, id| document.default_value(id));
            cx.text(&value)
        },
        |cx, args| {
            let text = cx.text_of(args, 0);
            cx.write(|document, id| {
                if document.is(id, "textarea") {
                    document.set_text_content(id, &text);
                } else {
                    document.set_attribute(id, "value", &text);
                }
            });
            Ok(cx.undefined())
        },
    ),
    both(
        "checked",
        |cx, _| Ok(cx.boolean(cx.read(|document, id| document.checked(id)))),
        |cx, args| {
            let on = cx.flag_of(args, 0);
            cx.write(|document, id| document.set_checked(id, on));
            Ok(cx.undefined())
        },
    ),
    both("defaultChecked", |cx, _| flag(cx, "checked"), |cx, args| set_flag(cx, "checked", args)),
    both(
        "indeterminate",
        |cx, _| {
            Ok(cx
                .boolean(cx.read(|document, id| document.control_state(id).is_some_and(|s| s.indeterminate))))
        },
        |cx, args| {
            let on = cx.flag_of(args, 0);
            cx.write(|document, id| {
                if let Some(state) = document.control_state_mut(id) {
                    state.indeterminate = on;
                }
            });
            Ok(cx.undefined())
        },
    ),
    both("type", kind, |cx, args| set(cx, "type", args)),
    both("readOnly", |cx, _| flag(cx, "readonly"), |cx, args| set_flag(cx, "readonly", args)),
    both(
        "maxLength",
        |cx, _| number(cx, "maxlength", 2_147_483_647.0),
        |cx, args| set(cx, "maxlength", args),
    ),
    both("size", |cx, _| number(cx, "size", 20.0), |cx, args| set(cx, "size", args)),
    both("rows", |cx, _| number(cx, "rows", 2.0), |cx, args| set(cx, "rows", args)),
    both("cols", |cx, _| number(cx, "cols", 20.0), |cx, args| set(cx, "cols", args)),
    both("accept", |cx, _| text_attribute(cx, "accept"), |cx, args| set(cx, "accept", args)),
    both("alt", |cx, _| text_attribute(cx, "alt"), |cx, args| set(cx, "alt", args)),
    both("src", |cx, _| text_attribute(cx, "src"), |cx, args| set(cx, "src", args)),
    both("placeholder", |cx, _| text_attribute(cx, "placeholder"), |cx, args| set(cx, "placeholder", args))
        .from(10),
    get("form", form),
    both("selectionStart", caret, |cx, _| Ok(cx.undefined())).from(9),
    both("selectionEnd", caret, |cx, _| Ok(cx.undefined())).from(9),
    call("select", |cx, _| Ok(cx.undefined())),
    call("setSelectionRange", |cx, _| Ok(cx.undefined())).from(9),
    call("createTextRange", |cx, _| {
        let range = rquickjs::Object::new(cx.ctx.clone())?;
        for name in ["select", "collapse", "move", "moveStart", "moveEnd", "scrollIntoView"] {
            range.set(name, rquickjs::function::Func::from(|| 0))?;
        }
        let text = cx.read(|document, id| document.value(id)).unwrap_or_default();
        range.set("text", text)?;
        Ok(range.into_value())
    }),
];

pub(super) static SELECT: &[Member] = &[
    both("value", value, set_value),
    both("name", |cx, _| text_attribute(cx, "name"), |cx, args| set(cx, "name", args)),
    both(
        "selectedIndex",
        |cx, _| Ok(cx.number(f64::from(cx.read(|document, id| document.selected_index(id))))),
        |cx, args| {
            let index = cx.number_of(args, 0).unwrap_or(-1.0) as i32;
            cx.write(|document, id| document.set_selected_index(id, index));
            Ok(cx.undefined())
        },
    ),
    get("options", |cx, _| list::options(cx)),
    both(
        "length",
        |cx, _| Ok(cx.number(cx.read(|document, id| document.options(id).len()) as f64)),
        |cx, args| {
            let options = list::options(cx)?;
            if let Some(options) = options.as_object() {
                options.set("length", cx.number_of(args, 0).unwrap_or(0.0))?;
            }
            Ok(cx.undefined())
        },
    ),
    get("type", kind),
    both("size", |cx, _| number(cx, "size", 0.0), |cx, args| set(cx, "size", args)),
    both("multiple", |cx, _| flag(cx, "multiple"), |cx, args| set_flag(cx, "multiple", args)),
    get("form", form),
    call("add", list::add),
    call("remove", list::remove),
    call("item", |cx, args| {
        let index = cx.number_of(args, 0).unwrap_or(-1.0);
        let found = cx.read(|document, id| document.options(id).get(index as usize).copied());
        cx.wrap(found.filter(|_| index >= 0.0))
    }),
];

pub(super) static OPTION: &[Member] = &[
    both("value", value, |cx, args| set(cx, "value", args)),
    both(
        "text",
        |cx, _| {
            let text = cx.read(|document, id| document.option_text(id));
            cx.text(&text)
        },
        |cx, args| {
            let text = cx.text_of(args, 0);
            cx.write(|document, id| document.set_text_content(id, &text));
            Ok(cx.undefined())
        },
    ),
    both(
        "selected",
        |cx, _| Ok(cx.boolean(cx.read(|document, id| document.selected(id)))),
        |cx, args| {
            let on = cx.flag_of(args, 0);
            cx.write(|document, id| document.set_selected(id, on));
            Ok(cx.undefined())
        },
    ),
    both("defaultSelected", |cx, _| flag(cx, "selected"), |cx, args| set_flag(cx, "selected", args)),
    get("index", |cx, _| {
        let place = cx.read(|document, id| {
            let select = document.option_select(id)?;
            document.options(select).iter().position(|&option| option == id)
        });
        Ok(cx.number(place.unwrap_or(0) as f64))
    }),
    get("form", |cx, _| {
        let owner = cx.read(|document, id| document.form_owner(document.option_select(id)?));
        cx.wrap(owner)
    }),
];

pub(super) static FORM: &[Member] = &[
    get("elements", |cx, _| cx.live(|document, id, _| document.form_controls(id), true)),
    get("length", |cx, _| Ok(cx.number(cx.read(|document, id| document.form_controls(id).len()) as f64))),
    both("name", |cx, _| text_attribute(cx, "name"), |cx, args| set(cx, "name", args)),
    both("action", |cx, _| text_attribute(cx, "action"), |cx, args| set(cx, "action", args)),
    both(
        "method",
        |cx, _| {
            let post = cx.read(|document, id| {
                document.attribute(id, "method").is_some_and(|method| method.eq_ignore_ascii_case("post"))
            });
            cx.text(if post { "post" } else { "get" })
        },
        |cx, args| set(cx, "method", args),
    ),
    both("target", |cx, _| text_attribute(cx, "target"), |cx, args| set(cx, "target", args)),
    both("encoding", |cx, _| text_attribute(cx, "enctype"), |cx, args| set(cx, "enctype", args)),
    both("enctype", |cx, _| text_attribute(cx, "enctype"), |cx, args| set(cx, "enctype", args)),
    both(
        "acceptCharset",
        |cx, _| text_attribute(cx, "accept-charset"),
        |cx, args| set(cx, "accept-charset", args),
    ),
    call("submit", |cx, _| {
        submit::send(&cx.host, &cx.page, cx.node, None);
        Ok(cx.undefined())
    }),
    call("reset", |cx, _| {
        submit::reset(&cx.host, &cx.ctx, &cx.page, cx.node);
        Ok(cx.undefined())
    }),
];

fn value<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    let value = cx.read(|document, id| document.value(id)).unwrap_or_default();
    cx.text(&value)
}

fn set_value<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let null = args.first().is_some_and(Value::is_null);
    let value = if null { String::new() } else { cx.text_of(args, 0) };
    cx.write(|document, id| document.set_value(id, &value));
    Ok(cx.undefined())
}

fn number<'js>(cx: &Cx<'js>, name: &str, default: f64) -> Result<Value<'js>> {
    let number =
        cx.read(|document, id| document.attribute(id, name).and_then(|text| text.trim().parse().ok()));
    Ok(cx.number(number.unwrap_or(default)))
}

fn caret<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    Ok(cx.number(cx.page.caret.get() as f64))
}

fn kind<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    let kind = cx.read(|document, id| document.control_type(id));
    cx.text(kind)
}

fn form<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    let owner = cx.read(|document, id| document.form_owner(id));
    cx.wrap(owner)
}
