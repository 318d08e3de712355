//! `style`, `currentStyle`, computed styles.

use crate::browser::host::{Facet, Host};
use crate::dom::{Declaration, NodeId, declarations};
use crate::script::members::{Cx, Member, both, call, get};
use crate::script::node::{self, JsNode};
use rquickjs::function::This;
use rquickjs::object::Accessor;
use rquickjs::{Ctx, Exception, Object, Persistent, Result, Value};
use std::rc::Rc;

pub(super) static MEMBERS: &[Member] = &[
    both(
        "cssText",
        |cx, _| {
            let text = match cx.facet {
                Facet::Style => {
                    cx.read(|document, id| document.attribute(id, "style").unwrap_or_default().to_owned())
                }
                _ => String::new(),
            };
            cx.text(&text)
        },
        |cx, args| {
            if cx.facet == Facet::Style {
                let text = cx.text_of(args, 0);
                cx.write(|document, id| document.set_attribute(id, "style", &text));
            }
            Ok(cx.undefined())
        },
    ),
    call("getAttribute", |cx, args| {
        let name = css_name(&cx.text_of(args, 0));
        let value = value(cx, &name);
        cx.text(&value)
    }),
    call("setAttribute", |cx, args| {
        let name = css_name(&cx.text_of(args, 0));
        put(cx, &name, &cx.text_of(args, 1));
        Ok(cx.undefined())
    }),
    call("removeAttribute", |cx, args| {
        let name = css_name(&cx.text_of(args, 0));
        put(cx, &name, "");
        Ok(cx.boolean(true))
    }),
    call("getPropertyValue", |cx, args| {
        let value = value(cx, &cx.text_of(args, 0).to_ascii_lowercase());
        cx.text(&value)
    })
    .from(9),
    call("setProperty", |cx, args| {
        put(cx, &cx.text_of(args, 0).to_ascii_lowercase(), &cx.text_of(args, 1));
        Ok(cx.undefined())
    })
    .from(9),
    call("removeProperty", |cx, args| {
        let name = cx.text_of(args, 0).to_ascii_lowercase();
        let old = value(cx, &name);
        put(cx, &name, "");
        cx.text(&old)
    })
    .from(9),
    get("length", |cx, _| Ok(cx.number(inline(cx, cx.node).len() as f64))).from(9),
];

/// Properties scripts reach by their camel-case names.
const PROPERTIES: &[&str] = &[
    "background",
    "background-attachment",
    "background-color",
    "background-image",
    "background-position",
    "background-repeat",
    "border",
    "border-bottom",
    "border-bottom-color",
    "border-bottom-style",
    "border-bottom-width",
    "border-collapse",
    "border-color",
    "border-left",
    "border-left-color",
    "border-left-style",
    "border-left-width",
    "border-right",
    "border-right-color",
    "border-right-style",
    "border-right-width",
    "border-spacing",
    "border-style",
    "border-top",
    "border-top-color",
    "border-top-style",
    "border-top-width",
    "border-width",
    "bottom",
    "box-sizing",
    "caption-side",
    "clear",
    "clip",
    "color",
    "content",
    "cursor",
    "direction",
    "display",
    "empty-cells",
    "filter",
    "float",
    "font",
    "font-family",
    "font-size",
    "font-style",
    "font-variant",
    "font-weight",
    "height",
    "ime-mode",
    "layout-grid",
    "left",
    "letter-spacing",
    "line-height",
    "list-style",
    "list-style-image",
    "list-style-position",
    "list-style-type",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-height",
    "max-width",
    "min-height",
    "min-width",
    "opacity",
    "outline",
    "overflow",
    "overflow-x",
    "overflow-y",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "page-break-after",
    "page-break-before",
    "pointer-events",
    "position",
    "right",
    "table-layout",
    "text-align",
    "text-decoration",
    "text-indent",
    "text-overflow",
    "text-transform",
    "top",
    "transform",
    "vertical-align",
    "visibility",
    "white-space",
    "width",
    "word-break",
    "word-spacing",
    "word-wrap",
    "writing-mode",
    "z-index",
    "zoom",
];

/// Puts the properties on the prototype of style objects.
///
/// # Errors
/// Out of memory.
pub(super) fn install<'js>(host: &Rc<Host>, prototype: &Object<'js>) -> Result<()> {
    for css in PROPERTIES {
        let name = match *css {
            "float" => "styleFloat".to_owned(),
            css => camel(css),
        };
        accessor(host, prototype, &name, css)?;
    }
    accessor(host, prototype, "cssFloat", "float")?;
    for (name, css) in [
        ("pixelLeft", "left"),
        ("pixelTop", "top"),
        ("pixelWidth", "width"),
        ("pixelHeight", "height"),
        ("posLeft", "left"),
        ("posTop", "top"),
        ("posWidth", "width"),
        ("posHeight", "height"),
    ] {
        let (for_get, for_set) = (host.clone(), host.clone());
        let pixels = Accessor::new(
            move |ctx: Ctx<'js>, this: This<Value<'js>>| -> Result<Value<'js>> {
                let text = of(&ctx, &for_get, &this.0)?.map(|cx| value(&cx, css)).unwrap_or_default();
                let number = text.trim_end_matches("px").parse().unwrap_or(0.0);
                Ok(Value::new_number(ctx, number))
            },
            move |ctx: Ctx<'js>, this: This<Value<'js>>, number: f64| -> Result<()> {
                if let Some(cx) = of(&ctx, &for_set, &this.0)? {
                    put(&cx, css, &format!("{number}px"));
                }
                Ok(())
            },
        );
        prototype.prop(name, pixels.configurable())?;
    }
    Ok(())
}

fn accessor<'js>(host: &Rc<Host>, prototype: &Object<'js>, name: &str, css: &'static str) -> Result<()> {
    let (for_get, for_set) = (host.clone(), host.clone());
    let accessor = Accessor::new(
        move |ctx: Ctx<'js>, this: This<Value<'js>>| -> Result<Value<'js>> {
            let text = of(&ctx, &for_get, &this.0)?.map(|cx| value(&cx, css)).unwrap_or_default();
            Ok(rquickjs::String::from_str(ctx, &text)?.into_value())
        },
        move |ctx: Ctx<'js>, this: This<Value<'js>>, new: Value<'js>| -> Result<()> {
            if let Some(cx) = of(&ctx, &for_set, &this.0)? {
                let text = if new.is_null() { String::new() } else { cx.text_of(&[new], 0) };
                put(&cx, css, &text);
            }
            Ok(())
        },
    );
    prototype.prop(name, accessor.configurable().enumerable())
}

fn of<'js>(ctx: &Ctx<'js>, host: &Rc<Host>, this: &Value<'js>) -> Result<Option<Cx<'js>>> {
    let Some((page, what)) = node::target(host, this) else { return Ok(None) };
    if what.facet == Facet::Node {
        return Err(Exception::throw_type(ctx, "Invalid calling object"));
    }
    Ok(Some(Cx { ctx: ctx.clone(), host: host.clone(), page, node: what.node, facet: what.facet }))
}

fn camel(css: &str) -> String {
    let mut name = String::new();
    let mut upper = false;
    for letter in css.chars() {
        match letter {
            '-' => upper = true,
            letter if upper => {
                name.push(letter.to_ascii_uppercase());
                upper = false;
            }
            letter => name.push(letter),
        }
    }
    name
}

fn css_name(name: &str) -> String {
    if name.eq_ignore_ascii_case("styleFloat") || name.eq_ignore_ascii_case("cssFloat") {
        return "float".into();
    }
    let mut css = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            css.push('-');
        }
        css.push(letter.to_ascii_lowercase());
    }
    css
}

fn inline(cx: &Cx<'_>, node: NodeId) -> Vec<Declaration> {
    cx.page.document.borrow().attribute(node, "style").map(declarations).unwrap_or_default()
}

fn value(cx: &Cx<'_>, css: &str) -> String {
    match cx.facet {
        Facet::Style => {
            let list = inline(cx, cx.node);
            list.iter().rev().find(|d| d.name == css).map(|d| d.value.clone()).unwrap_or_default()
        }
        _ => cx.page.document.borrow().style(cx.node).get(css).to_owned(),
    }
}

fn put(cx: &Cx<'_>, css: &str, new: &str) {
    if cx.facet != Facet::Style {
        return;
    }
    let mut list = inline(cx, cx.node);
    match list.iter_mut().find(|declaration| declaration.name == css) {
        Some(old) if !new.trim().is_empty() => old.value = new.trim().to_owned(),
        None if !new.trim().is_empty() => {
            list.push(Declaration { name: css.to_owned(), value: new.trim().to_owned(), important: false });
        }
        _ => list.retain(|declaration| declaration.name != css),
    }
    let text: Vec<String> = list
        .iter()
        .map(|d| format!("{}: {}{};", d.name, d.value, if d.important { " !important" } else { "" }))
        .collect();
    cx.write(|document, id| {
        if text.is_empty() {
            document.remove_attribute(id, "style");
        } else {
            document.set_attribute(id, "style", &text.join(" "));
        }
    });
}

/// `element.style`, `element.currentStyle`: the same object each time.
pub(super) fn object<'js>(cx: &Cx<'js>, facet: Facet) -> Result<Value<'js>> {
    let known = cx.page.styles.borrow().get(&(cx.node, facet)).cloned();
    if let Some(known) = known {
        return Ok(known.restore(&cx.ctx)?.into_value());
    }
    let what = JsNode { page: cx.page.id, node: cx.node, facet };
    let object = node::instance(&cx.ctx, &cx.page, what, "CSSStyleDeclaration")?;
    cx.page.styles.borrow_mut().insert((cx.node, facet), Persistent::save(&cx.ctx, object.clone()));
    Ok(object.into_value())
}

/// `getComputedStyle(element)`.
pub(super) fn computed<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let Some((page, what)) = args.first().and_then(|value| node::target(&cx.host, value)) else {
        return Err(cx.invalid());
    };
    let cx = Cx { ctx: cx.ctx.clone(), host: cx.host.clone(), page, node: what.node, facet: Facet::Node };
    object(&cx, Facet::Computed)
}
