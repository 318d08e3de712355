//! `location`, `history`, `navigator`, `screen`, storage, the clipboard.

use crate::browser::windows;
use crate::script::members::{self, Cx, Member, both, call, get};
use rquickjs::{Object, Persistent, Result, Value};
use url::Url;

static LOCATION: &[Member] = &[
    both(
        "href",
        |cx, _| {
            let text = cx.page.location.borrow().clone();
            cx.text(&text)
        },
        |cx, args| {
            windows::go(cx, &cx.text_of(args, 0), true);
            Ok(cx.undefined())
        },
    ),
    get("protocol", |cx, _| part(cx, |url| format!("{}:", url.scheme()))),
    get("host", |cx, _| part(cx, |url| url[url::Position::BeforeHost..url::Position::AfterPort].to_owned())),
    get("hostname", |cx, _| part(cx, |url| url.host_str().unwrap_or_default().to_owned())),
    get("port", |cx, _| {
        part(cx, |url| url.port_or_known_default().map(|port| port.to_string()).unwrap_or_default())
    }),
    get("pathname", |cx, _| part(cx, |url| url.path().to_owned())),
    both(
        "search",
        |cx, _| part(cx, |url| url.query().map(|query| format!("?{query}")).unwrap_or_default()),
        |cx, args| {
            let mut url = cx.page.url();
            if let Some(url) = &mut url {
                url.set_query(Some(cx.text_of(args, 0).trim_start_matches('?')));
                windows::go(cx, url.as_str(), true);
            }
            Ok(cx.undefined())
        },
    ),
    both(
        "hash",
        |cx, _| part(cx, |url| url.fragment().map(|part| format!("#{part}")).unwrap_or_default()),
        |cx, args| {
            let text = cx.text_of(args, 0);
            windows::go(cx, &format!("#{}", text.trim_start_matches('#')), true);
            Ok(cx.undefined())
        },
    ),
    call("assign", |cx, args| {
        windows::go(cx, &cx.text_of(args, 0), true);
        Ok(cx.undefined())
    }),
    call("replace", |cx, args| {
        windows::go(cx, &cx.text_of(args, 0), false);
        Ok(cx.undefined())
    }),
    call("reload", |cx, _| {
        windows::reload(cx);
        Ok(cx.undefined())
    }),
    call("toString", |cx, _| {
        let text = cx.page.location.borrow().clone();
        cx.text(&text)
    }),
];

static HISTORY: &[Member] = &[
    get("length", |cx, _| {
        let frames = cx.host.frames.borrow();
        let length = frames.get(&cx.host.top(cx.page.frame)).map_or(0, |frame| frame.history.0.len());
        Ok(cx.number(length as f64))
    }),
    call("back", |cx, _| travel(cx, -1)),
    call("forward", |cx, _| travel(cx, 1)),
    call("go", |cx, args| travel(cx, cx.number_of(args, 0).unwrap_or(0.0) as i64)),
];

fn travel<'js>(cx: &Cx<'js>, by: i64) -> Result<Value<'js>> {
    if by == 0 {
        windows::reload(cx);
    } else {
        windows::travel(&cx.host, cx.host.top(cx.page.frame), by);
    }
    Ok(cx.undefined())
}

fn part<'js>(cx: &Cx<'js>, f: impl FnOnce(&Url) -> String) -> Result<Value<'js>> {
    let text = Url::parse(&cx.page.location.borrow()).ok().map(|url| f(&url));
    cx.text(&text.unwrap_or_default())
}

fn kept<'js>(
    cx: &Cx<'js>,
    name: &'static str,
    make: impl FnOnce() -> Result<Object<'js>>,
) -> Result<Value<'js>> {
    let known = cx.page.prototypes.borrow().get(name).cloned();
    if let Some(known) = known {
        return Ok(known.restore(&cx.ctx)?.into_value());
    }
    let object = make()?;
    cx.page.prototypes.borrow_mut().insert(name, Persistent::save(&cx.ctx, object.clone()));
    Ok(object.into_value())
}

fn with<'js>(cx: &Cx<'js>, name: &'static str, table: &[Member]) -> Result<Value<'js>> {
    kept(cx, name, || {
        let realm = cx.page.realm(&cx.ctx)?;
        let object = Object::new(realm.clone())?;
        members::install(&realm, &cx.host, &object, table, cx.page.mode, Some((cx.page.id, cx.node)))?;
        Ok(object)
    })
}

pub(super) fn object<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    with(cx, "location", LOCATION)
}

pub(super) fn history<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    with(cx, "history", HISTORY)
}

pub(super) fn navigator<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    kept(cx, "navigator", || {
        let object = Object::new(cx.page.realm(&cx.ctx)?)?;
        let old = cx.page.mode.number() <= 10;
        let agent = agent(cx.page.mode.number());
        let version = agent.strip_prefix("Mozilla/").unwrap_or_default();
        object.set("appVersion", version)?;
        object.set("appName", if old { "Microsoft Internet Explorer" } else { "Netscape" })?;
        object.set("userAgent", agent.as_str())?;
        object.set("appCodeName", "Mozilla")?;
        object.set("platform", "Win32")?;
        object.set("cpuClass", "x86")?;
        object.set("cookieEnabled", true)?;
        object.set("onLine", true)?;
        let language = if old { "browserLanguage" } else { "language" };
        object.set(language, "ja-JP")?;
        object.set("userLanguage", "ja-JP")?;
        object.set("systemLanguage", "ja-JP")?;
        let lists = [Object::new(object.ctx().clone())?, Object::new(object.ctx().clone())?];
        for list in &lists {
            list.set("length", 0)?;
        }
        object.set("plugins", lists[0].clone())?;
        object.set("mimeTypes", lists[1].clone())?;
        object.set("javaEnabled", rquickjs::function::Func::from(|| false))?;
        Ok(object)
    })
}

/// The user agent scripts see: compatible modes call themselves by their old names [mem].
fn agent(mode: u32) -> String {
    let name = match mode {
        5 | 7 => "MSIE 7.0",
        8 => "MSIE 8.0",
        9 => "MSIE 9.0",
        10 => "MSIE 10.0",
        _ => return crate::browser::USER_AGENT.to_owned(),
    };
    let product = if mode <= 8 { "4.0" } else { "5.0" };
    format!("Mozilla/{product} (compatible; {name}; Windows NT 10.0; WOW64; Trident/7.0)")
}

pub(super) fn screen<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    kept(cx, "screen", || {
        let object = Object::new(cx.page.realm(&cx.ctx)?)?;
        for (name, value) in [
            ("width", 1920),
            ("height", 1080),
            ("availWidth", 1920),
            ("availHeight", 1040),
            ("colorDepth", 24),
        ] {
            object.set(name, value)?;
        }
        Ok(object)
    })
}

static CLIPBOARD: &[Member] = &[
    call("getData", |cx, _| {
        let text = cx.page.texts.borrow().get("clipboard").cloned();
        text.map_or_else(|| Ok(cx.null()), |text| cx.text(&text))
    }),
    call("setData", |cx, args| {
        cx.page.texts.borrow_mut().insert("clipboard", cx.text_of(args, 1));
        Ok(cx.boolean(true))
    }),
    call("clearData", |cx, _| {
        cx.page.texts.borrow_mut().remove("clipboard");
        Ok(cx.boolean(true))
    }),
];

pub(super) fn clipboard<'js>(cx: &Cx<'js>, _: &[Value<'js>]) -> Result<Value<'js>> {
    with(cx, "clipboardData", CLIPBOARD)
}

macro_rules! storage {
    ($name:literal) => {
        &[
            call("getItem", |cx, args| {
                let key = ($name, cx.page.origin(), cx.text_of(args, 0));
                let found = cx.host.storage.borrow().get(&key).cloned();
                found.map_or_else(|| Ok(cx.null()), |text| cx.text(&text))
            }),
            call("setItem", |cx, args| {
                let key = ($name, cx.page.origin(), cx.text_of(args, 0));
                cx.host.storage.borrow_mut().insert(key, cx.text_of(args, 1));
                Ok(cx.undefined())
            }),
            call("removeItem", |cx, args| {
                let key = ($name, cx.page.origin(), cx.text_of(args, 0));
                cx.host.storage.borrow_mut().remove(&key);
                Ok(cx.undefined())
            }),
            call("clear", |cx, _| {
                let origin = cx.page.origin();
                cx.host.storage.borrow_mut().retain(|key, _| key.0 != $name || key.1 != origin);
                Ok(cx.undefined())
            }),
        ]
    };
}

static LOCAL: &[Member] = storage!("localStorage");
static SESSION: &[Member] = storage!("sessionStorage");

pub(super) fn storage<'js>(cx: &Cx<'js>, name: &'static str) -> Result<Value<'js>> {
    with(cx, name, if name == "localStorage" { LOCAL } else { SESSION })
}
