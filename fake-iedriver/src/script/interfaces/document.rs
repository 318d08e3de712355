//! `document`.

use super::element::{by_tag, query};
use crate::browser::{load, windows};
use crate::dom::{Document, NodeId};
use crate::script::members::{Cx, Member, both, call, get};
use crate::script::{event, list};
use rquickjs::{Exception, Object, Result, Value};

pub(super) static MEMBERS: &[Member] = &[
    get("documentElement", |cx, _| {
        let node = cx.page.document.borrow().document_element();
        cx.wrap(node)
    }),
    get("body", |cx, _| {
        let node = cx.page.document.borrow().body();
        cx.wrap(node)
    }),
    get("head", |cx, _| {
        let node = cx.page.document.borrow().head();
        cx.wrap(node)
    })
    .from(9),
    both(
        "title",
        |cx, _| {
            let title = cx.page.document.borrow().title();
            cx.text(&title)
        },
        |cx, args| {
            let text = cx.text_of(args, 0);
            let mut document = cx.page.document.borrow_mut();
            let root = document.root();
            let title = document.descendants(root).find(|&id| document.is(id, "title"));
            if let Some(title) = title {
                document.set_text_content(title, &text);
            }
            drop(document);
            Ok(cx.undefined())
        },
    ),
    get("URL", url),
    get("URLUnencoded", url),
    get("referrer", |cx, _| cx.text(&cx.page.referrer)),
    get("domain", |cx, _| {
        let host = cx.page.url().and_then(|url| url.host_str().map(str::to_owned));
        cx.text(&host.unwrap_or_default())
    }),
    get("charset", |cx, _| cx.text(cx.page.document.borrow().charset.0.name())),
    get("characterSet", |cx, _| cx.text(cx.page.document.borrow().charset.0.name())).from(9),
    get("lastModified", |cx, _| cx.text("01/01/2000 00:00:00")),
    get("implementation", |cx, _| {
        let object = Object::new(cx.ctx.clone())?;
        object.set("hasFeature", rquickjs::function::Func::from(|| false))?;
        Ok(object.into_value())
    }),
    get("frames", |cx, _| cx.host.window(&cx.ctx, cx.page.frame)),
    both("designMode", |cx, _| cx.text("Inherit"), |cx, _| Ok(cx.undefined())),
    get("hidden", |cx, _| Ok(cx.boolean(false))).from(10),
    get("selection", |cx, _| {
        let object = Object::new(cx.ctx.clone())?;
        object.set("type", "None")?;
        object.set("empty", rquickjs::function::Func::from(|| ()))?;
        Ok(object.into_value())
    })
    .to(10),
    both(
        "location",
        |cx, _| super::location::object(cx, &[]),
        |cx, args| {
            windows::go(cx, &cx.text_of(args, 0), true);
            Ok(cx.undefined())
        },
    ),
    get("readyState", |cx, _| cx.text(cx.page.ready.get())),
    get("documentMode", |cx, _| Ok(cx.number(f64::from(cx.page.mode.number())))),
    get("compatMode", |cx, _| {
        let mode = cx.page.document.borrow().compat_mode();
        cx.text(mode)
    }),
    get("activeElement", |cx, _| {
        let active = cx.page.active.get().filter(|&node| cx.page.document.borrow().is_connected(node));
        let body = cx.page.document.borrow().body();
        cx.wrap(active.or(body))
    }),
    get("parentWindow", window).to(10),
    get("defaultView", window).from(9),
    both(
        "cookie",
        |cx, _| {
            let text =
                cx.page.url().map(|url| cx.host.jar.borrow().header(&url, cx.host.port.now() / 1000, true));
            cx.text(&text.unwrap_or_default())
        },
        |cx, args| {
            let text = cx.text_of(args, 0);
            if let Some(url) = cx.page.url() {
                cx.host.jar.borrow_mut().set(&url, &text, cx.host.port.now() / 1000, true);
            }
            Ok(cx.undefined())
        },
    ),
    get("forms", |cx, _| cx.live(|document, id, _| named(document, id, &["form"]), true)),
    get("links", |cx, _| {
        let links = |document: &Document, id: NodeId, _: &str| {
            let mut found = named(document, id, &["a", "area"]);
            found.retain(|&id| document.has_attribute(id, "href"));
            found
        };
        cx.live(links, true)
    }),
    get("anchors", |cx, _| {
        let anchors = |document: &Document, id: NodeId, _: &str| {
            let mut found = named(document, id, &["a"]);
            found.retain(|&id| document.has_attribute(id, "name"));
            found
        };
        cx.live(anchors, true)
    }),
    get("images", |cx, _| cx.live(|document, id, _| named(document, id, &["img"]), true)),
    get("scripts", |cx, _| cx.live(|document, id, _| named(document, id, &["script"]), true)),
    get("embeds", |cx, _| cx.live(|document, id, _| named(document, id, &["embed"]), true)),
    get("applets", |cx, _| cx.live(|document, id, _| named(document, id, &["applet"]), true)),
    get("styleSheets", |cx, _| cx.live(|document, id, _| named(document, id, &["style"]), true)),
    get("all", |cx, _| list::all(cx, |document, id, _| document.descendant_elements(id).collect())),
    call("getElementById", |cx, args| {
        let wanted = cx.text_of(args, 0);
        let found = cx.read(|document, _| document.element_by_id(&wanted));
        cx.wrap(found)
    }),
    call("getElementsByName", |cx, args| {
        let wanted = cx.text_of(args, 0);
        list::live(cx, |document, _, wanted| document.elements_by_name(wanted), wanted, false)
    }),
    call("getElementsByClassName", super::element::by_class).from(9),
    call("getElementsByTagName", by_tag),
    call("querySelector", |cx, args| {
        let found = query(cx, args)?;
        cx.wrap(found.first().copied())
    })
    .from(8),
    call("querySelectorAll", |cx, args| {
        let found = query(cx, args)?;
        cx.list(&found)
    })
    .from(8),
    call("createElement", |cx, args| {
        let text = cx.text_of(args, 0);
        // Up to mode 8 a whole start tag is allowed (`reference/emulator.md` section 6.2).
        if cx.page.mode.number() <= 8 && text.trim_start().starts_with('<') {
            let made = cx.write(|document, _| {
                let context = document.create_element("div");
                document.set_inner_html(context, &text);
                let made = document.first_child(context);
                if let Some(made) = made {
                    document.remove(made);
                }
                made
            });
            return cx.wrap(made);
        }
        if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c == '<' || c == '>') {
            return Err(Exception::throw_message(&cx.ctx, "Invalid argument."));
        }
        let made = cx.page.document.borrow_mut().create_element(&text.to_ascii_lowercase());
        cx.wrap(Some(made))
    }),
    call("createTextNode", |cx, args| {
        let made = cx.page.document.borrow_mut().create_text(&cx.text_of(args, 0));
        cx.wrap(Some(made))
    }),
    call("createDocumentFragment", |cx, _| {
        let made = cx.page.document.borrow_mut().create_fragment();
        cx.wrap(Some(made))
    }),
    call("createComment", |cx, args| {
        let text = cx.text_of(args, 0);
        let made = cx.write(|document, _| document.create_comment(&text));
        cx.wrap(Some(made))
    }),
    call(
        "createEventObject",
        |cx, _| Ok(event::new_object(&cx.page.realm(&cx.ctx)?, &cx.page)?.into_value()),
    )
    .to(10),
    call("createEvent", |cx, _| Ok(event::new_object(&cx.page.realm(&cx.ctx)?, &cx.page)?.into_value()))
        .from(9),
    call("createStyleSheet", |cx, args| {
        let url = cx.text_of(args, 0);
        let made = cx.write(|document, _| {
            let made = document.create_element(if url.is_empty() { "style" } else { "link" });
            if !url.is_empty() {
                document.set_attribute(made, "rel", "stylesheet");
                document.set_attribute(made, "href", &url);
            }
            if let Some(head) = document.head() {
                let _ = document.append(head, made);
            }
            made
        });
        cx.wrap(Some(made))
    })
    .to(10),
    call("importNode", |cx, args| {
        let Some((page, what)) = args.first().and_then(|value| crate::script::node::target(&cx.host, value))
        else {
            return Err(cx.invalid());
        };
        let deep = cx.flag_of(args, 1);
        let copy = if page.id == cx.page.id {
            cx.write(|document, _| document.clone_node(what.node, deep))
        } else {
            cx.page.document.borrow_mut().import(&page.document.borrow(), what.node, deep)
        };
        cx.wrap(copy)
    })
    .from(9),
    call("elementFromPoint", |cx, args| {
        let (left, top) = cx.page.scroll.get();
        let (x, y) =
            (cx.number_of(args, 0).unwrap_or(0.0) + left, cx.number_of(args, 1).unwrap_or(0.0) + top);
        let found = cx.read(|document, _| document.element_at(x, y));
        cx.wrap(found)
    }),
    call("hasFocus", |cx, _| Ok(cx.boolean(true))),
    call("focus", |cx, _| Ok(cx.undefined())),
    call("execCommand", |cx, _| Ok(cx.boolean(false))),
    call("queryCommandState", |cx, _| Ok(cx.boolean(false))),
    call("write", |cx, args| write(cx, args, "")),
    call("writeln", |cx, args| write(cx, args, "\r\n")),
    call("open", |cx, args| {
        // `document.open(url, name)` is `window.open`.
        if args.len() > 2 {
            return windows::open(cx, args);
        }
        load::open_for_writing(&cx.host, &cx.page);
        cx.wrap(Some(cx.node))
    }),
    call("close", |cx, _| {
        load::close_writing(&cx.host, &cx.ctx, &cx.page);
        Ok(cx.undefined())
    }),
    call("dispatchEvent", event::send).from(9),
    call("fireEvent", event::fire).to(10),
    call("attachEvent", event::attach).to(10),
    call("detachEvent", event::detach).to(10),
    call("addEventListener", event::listen).from(9),
    call("removeEventListener", event::unlisten).from(9),
];

fn url<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    let url = cx.page.location.borrow().clone();
    cx.text(&url)
}

fn window<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    cx.host.window(&cx.ctx, cx.page.frame)
}

fn named(document: &Document, within: NodeId, names: &[&str]) -> Vec<NodeId> {
    document.descendant_elements(within).filter(|&id| names.contains(&document.name(id))).collect()
}

fn write<'js>(cx: &Cx<'js>, args: &[Value<'js>], end: &str) -> Result<Value<'js>> {
    let mut text: String = (0..args.len()).map(|n| cx.text_of(args, n)).collect();
    text.push_str(end);
    load::write(&cx.host, &cx.ctx, &cx.page, &text);
    Ok(cx.undefined())
}
