//! `Element` and the elements with few members of their own.

use super::style;
use crate::browser::host::Facet;
use crate::browser::{act, focus, frames};
use crate::dom::{Answer, NodeId, Selector};
use crate::script::members::{Body, Cx, Member, both, call, get};
use crate::script::{event, handler, list, names};
use rquickjs::{Exception, Object, Result, Value};

pub(super) static MEMBERS: &[Member] = &[
    get("tagName", |cx, _| cx.text(&cx.page.document.borrow().name(cx.node).to_ascii_uppercase())),
    both("id", |cx, _| text_attribute(cx, "id"), |cx, args| set(cx, "id", args)),
    both("className", |cx, _| text_attribute(cx, "class"), |cx, args| set(cx, "class", args)),
    both("title", |cx, _| text_attribute(cx, "title"), |cx, args| set(cx, "title", args)),
    both("lang", |cx, _| text_attribute(cx, "lang"), |cx, args| set(cx, "lang", args)),
    both("dir", |cx, _| text_attribute(cx, "dir"), |cx, args| set(cx, "dir", args)),
    both(
        "tabIndex",
        |cx, _| {
            let index = cx.read(|document, id| {
                document.attribute(id, "tabindex").and_then(|text| text.trim().parse().ok())
            });
            Ok(cx.number(index.unwrap_or(0.0)))
        },
        |cx, args| set(cx, "tabindex", args),
    ),
    both("hidden", |cx, _| flag(cx, "hidden"), |cx, args| set_flag(cx, "hidden", args)).from(11),
    // Every element of IE can be disabled.
    both("disabled", |cx, _| flag(cx, "disabled"), |cx, args| set_flag(cx, "disabled", args)),
    both("contentEditable", editable, |cx, args| set(cx, "contenteditable", args)),
    get("isContentEditable", |cx, _| {
        let on = cx.read(|document, id| {
            std::iter::once(id).chain(document.ancestors(id)).any(|above| {
                document
                    .attribute(above, "contenteditable")
                    .is_some_and(|text| !text.eq_ignore_ascii_case("false"))
            })
        });
        Ok(cx.boolean(on))
    }),
    get("style", |cx, _| style::object(cx, Facet::Style)),
    get("runtimeStyle", |cx, _| style::object(cx, Facet::Style)),
    get("currentStyle", |cx, _| style::object(cx, Facet::Computed)),
    call("getAttribute", |cx, args| {
        let name = cx.text_of(args, 0);
        let answer = cx.read(|document, id| document.get_attribute(id, &name));
        match answer {
            Answer::Null => Ok(cx.null()),
            Answer::Text(text) => cx.text(&text),
            Answer::Boolean(value) => Ok(cx.boolean(value)),
            Answer::Number(number) => Ok(cx.number(number as f64)),
            Answer::StyleObject => style::object(cx, Facet::Style),
            Answer::Handler(kind) => {
                let kind = kind.strip_prefix("on").unwrap_or(&kind).to_owned();
                let spot = handler::place(&cx.page, cx.node, &kind);
                handler::read(&cx.host, &cx.ctx, &cx.page, spot, &kind)
            }
        }
    }),
    call("setAttribute", |cx, args| {
        let (name, value) = (cx.text_of(args, 0), cx.text_of(args, 1));
        cx.write(|document, id| document.put_attribute(id, &name, &value));
        names::added(&cx.ctx, &cx.host, &cx.page, cx.node)?;
        frames::attribute_set(cx, &name)?;
        Ok(cx.undefined())
    }),
    call("removeAttribute", |cx, args| {
        let name = cx.text_of(args, 0).to_ascii_lowercase();
        let was = cx.write(|document, id| document.remove_attribute(id, &name));
        Ok(cx.boolean(was))
    }),
    call("hasAttribute", |cx, args| {
        let name = cx.text_of(args, 0).to_ascii_lowercase();
        Ok(cx.boolean(cx.read(|document, id| document.has_attribute(id, &name))))
    })
    .from(8),
    call("getAttributeNode", |cx, args| {
        let name = cx.text_of(args, 0).to_ascii_lowercase();
        let value = cx.read(|document, id| document.attribute(id, &name).map(str::to_owned));
        let Some(value) = value else { return Ok(cx.null()) };
        attribute_node(cx, &name, &value).map(Object::into_value)
    }),
    get("attributes", |cx, _| {
        let attributes: Vec<(String, String)> = cx.read(|document, id| {
            let all = document.element(id).map(|element| element.attributes()).unwrap_or_default();
            all.iter().map(|a| (a.name.to_string(), a.value.to_string())).collect()
        });
        let list = Object::new(cx.ctx.clone())?;
        list.set("length", attributes.len() as i32)?;
        for (n, (name, value)) in attributes.iter().enumerate() {
            let node = attribute_node(cx, name, value)?;
            list.set(n as u32, node.clone())?;
            list.set(name.as_str(), node)?;
        }
        Ok(list.into_value())
    }),
    get("children", |cx, _| cx.live(|document, id, _| document.child_elements(id).collect(), true)),
    get("all", |cx, _| list::all(cx, |document, id, _| document.descendant_elements(id).collect())),
    get("childElementCount", |cx, _| {
        Ok(cx.number(cx.read(|document, id| document.child_elements(id).count()) as f64))
    })
    .from(9),
    get("firstElementChild", |cx, _| {
        let found = cx.read(|document, id| document.child_elements(id).next());
        cx.wrap(found)
    })
    .from(9),
    get("lastElementChild", |cx, _| {
        let found = cx.read(|document, id| document.child_elements(id).last());
        cx.wrap(found)
    })
    .from(9),
    get("nextElementSibling", |cx, _| {
        let found = cx.read(|document, id| {
            std::iter::successors(document.next_sibling(id), |&id| document.next_sibling(id))
                .find(|&id| document.element(id).is_some())
        });
        cx.wrap(found)
    })
    .from(9),
    get("previousElementSibling", |cx, _| {
        let found = cx.read(|document, id| {
            std::iter::successors(document.previous_sibling(id), |&id| document.previous_sibling(id))
                .find(|&id| document.element(id).is_some())
        });
        cx.wrap(found)
    })
    .from(9),
    get("sourceIndex", |cx, _| {
        let index = cx
            .read(|document, id| document.descendant_elements(document.root()).position(|other| other == id));
        Ok(cx.number(index.map_or(-1.0, |index| index as f64)))
    }),
    get("uniqueID", |cx, _| cx.text(&format!("ms__id{:?}", cx.node))).to(10),
    get("canHaveChildren", |cx, _| Ok(cx.boolean(true))),
    call("getElementsByTagName", by_tag),
    call("getElementsByClassName", by_class).from(9),
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
    call("msMatchesSelector", |cx, args| match Selector::parse(&cx.text_of(args, 0), cx.page.mode) {
        Some(selector) => Ok(cx.boolean(cx.read(|document, id| selector.matches(document, id)))),
        None => Err(Exception::throw_syntax(&cx.ctx, "SyntaxError")),
    })
    .from(9),
    both(
        "innerText",
        |cx, _| {
            let text = cx.read(|document, id| document.rendered_text(id));
            cx.text(&text.replace('\n', "\r\n"))
        },
        |cx, args| {
            let text = cx.text_of(args, 0);
            cx.write(|document, id| document.set_text_content(id, &text));
            Ok(cx.undefined())
        },
    ),
    both(
        "innerHTML",
        |cx, _| {
            let html = cx.read(|document, id| document.inner_html(id));
            cx.text(&html)
        },
        |cx, args| {
            let html = cx.text_of(args, 0);
            let fixed = ["table", "tbody", "thead", "tfoot", "tr", "select", "head", "html", "title", "col"];
            if cx.page.mode.number() <= 9 && cx.read(|document, id| fixed.contains(&document.name(id))) {
                return Err(Exception::throw_message(&cx.ctx, "Unknown runtime error"));
            }
            cx.write(|document, id| document.set_inner_html(id, &html));
            inserted(cx, cx.node)
        },
    ),
    both(
        "outerHTML",
        |cx, _| {
            let html = cx.read(|document, id| document.outer_html(id));
            cx.text(&html)
        },
        |cx, args| {
            place_html(cx, "beforebegin", &cx.text_of(args, 0))?;
            cx.write(|document, id| document.remove(id));
            Ok(cx.undefined())
        },
    ),
    both(
        "outerText",
        |cx, _| {
            let text = cx.read(|document, id| document.rendered_text(id));
            cx.text(&text)
        },
        |cx, args| {
            let text = cx.text_of(args, 0);
            cx.write(|document, id| {
                let node = document.create_text(&text);
                if let Some(parent) = document.parent(id) {
                    let _ = document.insert_before(parent, node, Some(id));
                    document.remove(id);
                }
            });
            Ok(cx.undefined())
        },
    ),
    call("insertAdjacentHTML", |cx, args| {
        place_html(cx, &cx.text_of(args, 0), &cx.text_of(args, 1))?;
        Ok(cx.undefined())
    }),
    call("insertAdjacentText", |cx, args| {
        let text = cx.text_of(args, 1);
        let node = cx.write(|document, _| document.create_text(&text));
        place_nodes(cx, &cx.text_of(args, 0), &[node])?;
        Ok(cx.undefined())
    }),
    call("insertAdjacentElement", |cx, args| {
        let node = cx.node_of(args, 1).ok_or_else(|| cx.invalid())?;
        place_nodes(cx, &cx.text_of(args, 0), &[node])?;
        inserted(cx, node)?;
        cx.wrap(Some(node))
    }),
    get("offsetParent", |cx, _| {
        let found = cx.read(|document, id| {
            let positioned = |&above: &NodeId| {
                matches!(document.style(above).get("position"), "absolute" | "relative" | "fixed")
                    || matches!(document.name(above), "body" | "td" | "th" | "table")
            };
            document.ancestors(id).filter(|&above| document.element(above).is_some()).find(positioned)
        });
        cx.wrap(found)
    }),
    get("offsetLeft", |cx, _| measure(cx, |r| r.x)),
    get("offsetTop", |cx, _| measure(cx, |r| r.y)),
    get("offsetWidth", |cx, _| size(cx, |r| r.width)),
    get("offsetHeight", |cx, _| size(cx, |r| r.height)),
    get("clientWidth", |cx, _| client(cx, true)),
    get("clientHeight", |cx, _| client(cx, false)),
    get("clientLeft", |cx, _| Ok(cx.number(0.0))),
    get("clientTop", |cx, _| Ok(cx.number(0.0))),
    get("scrollWidth", |cx, _| client(cx, true)),
    get("scrollHeight", |cx, _| client(cx, false)),
    both("scrollLeft", |cx, _| scroll(cx, true), |cx, args| set_scroll(cx, args, true)),
    both("scrollTop", |cx, _| scroll(cx, false), |cx, args| set_scroll(cx, args, false)),
    call("getBoundingClientRect", |cx, _| {
        let rect = cx.read(|document, id| document.rect(id));
        let (left, top) = cx.page.scroll.get();
        // Modes 5 and 7 count from the window's border (`reference/emulator.md` section 6.2).
        let border = if cx.page.mode.number() <= 7 { 2.0 } else { 0.0 };
        let object = Object::new(cx.ctx.clone())?;
        object.set("left", rect.x - left + border)?;
        object.set("top", rect.y - top + border)?;
        object.set("right", rect.right() - left + border)?;
        object.set("bottom", rect.bottom() - top + border)?;
        if cx.page.mode.number() >= 9 {
            object.set("width", rect.width)?;
            object.set("height", rect.height)?;
        }
        Ok(object.into_value())
    }),
    call("click", |cx, _| {
        act::click(&cx.host, &cx.ctx, &cx.page, cx.node);
        Ok(cx.undefined())
    }),
    call("focus", |cx, _| {
        focus::set(&cx.host, &cx.ctx, &cx.page, Some(cx.node));
        Ok(cx.undefined())
    }),
    call("setActive", |cx, _| {
        focus::set(&cx.host, &cx.ctx, &cx.page, Some(cx.node));
        Ok(cx.undefined())
    }),
    call("blur", |cx, _| {
        if cx.page.active.get() == Some(cx.node) {
            focus::set(&cx.host, &cx.ctx, &cx.page, None);
        }
        Ok(cx.undefined())
    }),
    call("scrollIntoView", |cx, _| {
        let rect = cx.read(|document, id| document.rect(id));
        cx.page.scroll.set((0.0, rect.y.max(0.0)));
        Ok(cx.undefined())
    }),
    call("setCapture", |cx, _| Ok(cx.undefined())),
    call("releaseCapture", |cx, _| Ok(cx.undefined())),
    call("attachEvent", event::attach).to(10),
    call("detachEvent", event::detach).to(10),
    call("fireEvent", event::fire).to(10),
    call("addEventListener", event::listen).from(9),
    call("removeEventListener", event::unlisten).from(9),
    call("dispatchEvent", event::send).from(9),
    call("removeNode", |cx, args| {
        let deep = cx.flag_of(args, 0);
        cx.write(|document, id| {
            if !deep && let Some(parent) = document.parent(id) {
                let children: Vec<NodeId> = document.children(id).collect();
                for child in children {
                    let _ = document.insert_before(parent, child, Some(id));
                }
            }
            document.remove(id);
        });
        cx.wrap(Some(cx.node))
    })
    .to(10),
];

/// A property that only some elements have.
pub(super) const fn number_attribute(name: &'static str, read: Body, write: Body) -> Member {
    both(name, read, write)
}

pub(super) static LABEL: &[Member] =
    &[both("htmlFor", |cx, _| text_attribute(cx, "for"), |cx, args| set(cx, "for", args))];

pub(super) static GROUP: &[Member] =
    &[both("label", |cx, _| text_attribute(cx, "label"), |cx, args| set(cx, "label", args))];

pub(super) static TITLE: &[Member] = &[both(
    "text",
    |cx, _| {
        let text = cx.read(|document, id| document.text_content(id));
        cx.text(&text)
    },
    super::node::set_text,
)];

pub(super) static SCRIPT: &[Member] = &[
    both("src", |cx, _| text_attribute(cx, "src"), |cx, args| set(cx, "src", args)),
    both("type", |cx, _| text_attribute(cx, "type"), |cx, args| set(cx, "type", args)),
    both(
        "text",
        |cx, _| {
            let text = cx.read(|document, id| document.text_content(id));
            cx.text(&text)
        },
        |cx, args| {
            let text = cx.text_of(args, 0);
            cx.write(|document, id| document.set_text_content(id, &text));
            Ok(cx.undefined())
        },
    ),
];

pub(super) static ANCHOR: &[Member] = &[
    both("href", |cx, _| address(cx, "href"), |cx, args| set(cx, "href", args)),
    both("target", |cx, _| text_attribute(cx, "target"), |cx, args| set(cx, "target", args)),
    both("name", |cx, _| text_attribute(cx, "name"), |cx, args| set(cx, "name", args)),
    get("text", |cx, _| {
        let text = cx.read(|document, id| document.text_content(id));
        cx.text(&text)
    }),
];

pub(super) static IMAGE: &[Member] = &[
    both(
        "src",
        |cx, _| address(cx, "src"),
        |cx, args| {
            set(cx, "src", args)?;
            frames::load_image(cx);
            Ok(cx.undefined())
        },
    ),
    both("name", |cx, _| text_attribute(cx, "name"), |cx, args| set(cx, "name", args)),
    both("width", |cx, _| size(cx, |r| r.width), |cx, args| set(cx, "width", args)),
    both("height", |cx, _| size(cx, |r| r.height), |cx, args| set(cx, "height", args)),
    get("complete", |cx, _| Ok(cx.boolean(true))),
    both("useMap", |cx, _| text_attribute(cx, "usemap"), |cx, args| set(cx, "usemap", args)),
    both("alt", |cx, _| text_attribute(cx, "alt"), |cx, args| set(cx, "alt", args)),
];

pub(super) static FRAME: &[Member] = &[
    both(
        "src",
        |cx, _| address(cx, "src"),
        |cx, args| {
            set(cx, "src", args)?;
            frames::renew(cx);
            Ok(cx.undefined())
        },
    ),
    both("name", |cx, _| text_attribute(cx, "name"), |cx, args| set(cx, "name", args)),
    get("contentWindow", |cx, _| match frames::shown_in(&cx.host, &cx.page, cx.node) {
        Some(frame) => cx.host.window(&cx.ctx, frame),
        None => Ok(cx.null()),
    }),
    get("contentDocument", |cx, _| {
        match frames::shown_in(&cx.host, &cx.page, cx.node).and_then(|frame| cx.host.page_of(frame)) {
            Some(page) if page.origin() == cx.viewer().origin() => {
                let root = page.document.borrow().root();
                crate::script::node::wrap(&cx.ctx, &cx.host, &page, Some(root))
            }
            Some(_) => Err(Exception::throw_message(&cx.ctx, "Access is denied.")),
            None => Ok(cx.null()),
        }
    })
    .from(8),
    both("width", |cx, _| text_attribute(cx, "width"), |cx, args| set(cx, "width", args)),
    both("height", |cx, _| text_attribute(cx, "height"), |cx, args| set(cx, "height", args)),
];

fn editable<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    let text =
        cx.read(|document, id| document.attribute(id, "contenteditable").unwrap_or("inherit").to_owned());
    cx.text(&text)
}

fn attribute_node<'js>(cx: &Cx<'js>, name: &str, value: &str) -> Result<Object<'js>> {
    let node = Object::new(cx.ctx.clone())?;
    node.set("name", name)?;
    node.set("nodeName", name)?;
    node.set("value", value)?;
    node.set("nodeValue", value)?;
    node.set("specified", true)?;
    node.set("nodeType", 2)?;
    Ok(node)
}

/// What follows when a script has put nodes into the page: names, frames, scripts.
pub(super) fn inserted<'js>(cx: &Cx<'js>, top: NodeId) -> Result<Value<'js>> {
    names::added(&cx.ctx, &cx.host, &cx.page, top)?;
    frames::inserted(&cx.host, &cx.page, top);
    Ok(cx.undefined())
}

fn place_html(cx: &Cx<'_>, place: &str, html: &str) -> Result<()> {
    let outside = matches!(place.to_ascii_lowercase().as_str(), "beforebegin" | "afterend");
    let nodes = cx.write(|document, id| {
        let context = if outside { document.parent_element(id).unwrap_or(id) } else { id };
        let fragment = document.parse_fragment(context, html);
        document.children(fragment).collect::<Vec<_>>()
    });
    place_nodes(cx, place, &nodes)?;
    for node in nodes {
        inserted(cx, node)?;
    }
    Ok(())
}

fn place_nodes(cx: &Cx<'_>, place: &str, nodes: &[NodeId]) -> Result<()> {
    let done = cx.write(|document, id| {
        let (parent, before) = match place.to_ascii_lowercase().as_str() {
            "beforebegin" => (document.parent(id), Some(id)),
            "afterbegin" => (Some(id), document.first_child(id)),
            "beforeend" => (Some(id), None),
            "afterend" => (document.parent(id), document.next_sibling(id)),
            _ => return None,
        };
        for &node in nodes {
            document.insert_before(parent?, node, before).ok()?;
        }
        Some(())
    });
    done.ok_or_else(|| cx.invalid())
}

fn measure<'js>(cx: &Cx<'js>, f: fn(&crate::dom::Rect) -> f64) -> Result<Value<'js>> {
    let place = cx.read(|document, id| {
        let parent = document.ancestors(id).find(|&above| {
            matches!(document.style(above).get("position"), "absolute" | "relative" | "fixed")
                || matches!(document.name(above), "td" | "th" | "table")
        });
        f(&document.rect(id)) - parent.map_or(0.0, |parent| f(&document.rect(parent)))
    });
    Ok(cx.number(place.round()))
}

fn size<'js>(cx: &Cx<'js>, f: fn(&crate::dom::Rect) -> f64) -> Result<Value<'js>> {
    Ok(cx.number(cx.read(|document, id| f(&document.rect(id))).round()))
}

fn is_viewport(cx: &Cx<'_>) -> bool {
    cx.read(|document, id| document.is(id, "html") || document.is(id, "body") && document.is_quirky())
}

fn client<'js>(cx: &Cx<'js>, width: bool) -> Result<Value<'js>> {
    if is_viewport(cx) {
        return Ok(cx.number(if width { crate::dom::VIEWPORT_WIDTH } else { crate::dom::VIEWPORT_HEIGHT }));
    }
    size(cx, if width { |r| r.width } else { |r| r.height })
}

fn scroll<'js>(cx: &Cx<'js>, left: bool) -> Result<Value<'js>> {
    let place = if is_viewport(cx) { cx.page.scroll.get() } else { (0.0, 0.0) };
    Ok(cx.number(if left { place.0 } else { place.1 }))
}

fn set_scroll<'js>(cx: &Cx<'js>, args: &[Value<'js>], left: bool) -> Result<Value<'js>> {
    if is_viewport(cx) {
        let (x, y) = cx.page.scroll.get();
        let new = cx.number_of(args, 0).unwrap_or(0.0).max(0.0);
        cx.page.scroll.set(if left { (new, y) } else { (x, new) });
    }
    Ok(cx.undefined())
}

pub(super) fn flag<'js>(cx: &Cx<'js>, name: &str) -> Result<Value<'js>> {
    Ok(cx.boolean(cx.read(|document, id| document.has_attribute(id, name))))
}

pub(super) fn set_flag<'js>(cx: &Cx<'js>, name: &str, args: &[Value<'js>]) -> Result<Value<'js>> {
    let on = cx.flag_of(args, 0);
    cx.write(|document, id| {
        if on {
            document.set_attribute(id, name, "");
        } else {
            document.remove_attribute(id, name);
        }
    });
    Ok(cx.undefined())
}

pub(super) fn text_attribute<'js>(cx: &Cx<'js>, name: &str) -> Result<Value<'js>> {
    let value = cx.page.document.borrow().attribute(cx.node, name).unwrap_or_default().to_owned();
    cx.text(&value)
}

pub(super) fn set<'js>(cx: &Cx<'js>, name: &str, args: &[Value<'js>]) -> Result<Value<'js>> {
    let value = cx.text_of(args, 0);
    cx.page.document.borrow_mut().set_attribute(cx.node, name, &value);
    Ok(cx.undefined())
}

fn address<'js>(cx: &Cx<'js>, name: &str) -> Result<Value<'js>> {
    let value = {
        let document = cx.page.document.borrow();
        document.attribute(cx.node, name).map(|value| document.resolve(value)).unwrap_or_default()
    };
    cx.text(&value)
}

pub(super) fn by_tag<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    let name = cx.text_of(args, 0).to_ascii_lowercase();
    list::live(
        cx,
        |document, id, name| {
            document.descendant_elements(id).filter(|&id| name == "*" || document.name(id) == name).collect()
        },
        name,
        false,
    )
}

pub(super) fn by_class<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Value<'js>> {
    list::live(
        cx,
        |document, id, wanted| {
            let has = |&id: &NodeId| {
                let own = document.attribute(id, "class").unwrap_or_default();
                let mut wanted = wanted.split_ascii_whitespace().peekable();
                wanted.peek().is_some()
                    && wanted.all(|name| own.split_ascii_whitespace().any(|own| own == name))
            };
            document.descendant_elements(id).filter(has).collect()
        },
        cx.text_of(args, 0),
        false,
    )
}

pub(super) fn query<'js>(cx: &Cx<'js>, args: &[Value<'js>]) -> Result<Vec<NodeId>> {
    match Selector::parse(&cx.text_of(args, 0), cx.page.mode) {
        Some(selector) => Ok(selector.select(&cx.page.document.borrow(), cx.node)),
        None => Err(Exception::throw_syntax(&cx.ctx, "SyntaxError")),
    }
}
