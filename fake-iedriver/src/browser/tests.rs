//! Windows, frames, loading and a person's doings, on small pages of our own writing.

use super::rig::{Rig, site, with};
use super::{act, load, windows};
use crate::dom::Mode;

#[test]
fn a_page_loads_with_scripts_in_order_and_events_after_them() {
    let pages = [
        (
            "/",
            "<!doctype html><script>var s = 'a'; document.attachEvent ? 0 : document.addEventListener('DOMContentLoaded', function () { s += 'd' })</script>\
             <script src=late.js defer></script><script src=x.js></script><script>s += 'c'; window.onload = function () { s += 'l' + document.readyState }</script>\
             <script type='text/vbscript'>MsgBox 1</script>",
        ),
        ("/x.js", "s += 'b' + document.readyState + ';'"),
        ("/late.js", "s += 'z'"),
    ];
    with(site(&pages), |rig| {
        rig.go("/");
        assert_eq!(rig.eval("s"), "abloading;czdlcomplete");
    });
}

#[test]
fn the_mode_comes_from_meta_or_header_and_frames_share_it() {
    let pages = [
        (
            "/",
            "<html><head><meta http-equiv=X-UA-Compatible content=IE=8></head><body><iframe name=f src=inner></iframe>",
        ),
        ("/inner", "<!doctype html><p>in</p>"),
        ("/plain", "<p>x</p>"),
    ];
    with(site(&pages), |rig| {
        rig.go("/");
        assert_eq!(rig.page().mode, Mode::Ie8);
        assert_eq!(rig.frame("f").mode, Mode::Ie8);
        rig.go("/plain");
        assert_eq!(rig.eval("document.documentMode + document.compatMode"), "11BackCompat");
    });
}

#[test]
fn framesets_load_and_a_link_fills_the_frame_it_names() {
    let pages = [
        ("/menu", "<frameset cols='200,*'><frame name=list src=menu/list><frame src=menu/inner></frameset>"),
        ("/menu/list", "<a href=stock target=work id=s>stock</a> <a href=sales target=work id=t>sales</a>"),
        (
            "/menu/inner",
            "<frameset rows='60,*'><frame name=head src=head><frame name=work src=stock></frameset>",
        ),
        ("/menu/head", "<b>head</b>"),
        ("/menu/stock", "<h2>stock</h2><iframe name=lines src=lines></iframe>"),
        (
            "/menu/lines",
            "<input id=n value=12><button type=button id=b onclick=\"document.getElementById('r').innerHTML = Number(n.value) + 1\">+</button><p id=r></p>",
        ),
        ("/menu/sales", "<h2>sales</h2>"),
    ];
    with(site(&pages), |rig| {
        rig.go("/menu");
        assert_eq!(rig.text_in(&rig.frame("work"), "h2"), "stock");
        let lines = rig.frame("lines");
        rig.click_in(&lines, "#b");
        assert_eq!(rig.text_in(&lines, "#r"), "13");
        assert_eq!(rig.eval_in(&lines, "parent.parent.parent === top"), "true");
        assert_eq!(rig.eval_in(&lines, "top.frames.length + top.frames[0].name"), "2list");
        assert_eq!(rig.eval("window == top && parent == self"), "true");
        rig.click_in(&rig.frame("list"), "#t");
        assert_eq!(rig.text_in(&rig.frame("work"), "h2"), "sales");
        assert_eq!(rig.eval("frames[1].work.document.body.innerText"), "sales");
        assert_eq!(rig.eval("frames[1].frames['work'].location.pathname"), "/menu/sales");
    });
}

#[test]
fn a_popup_fills_a_field_of_its_opener_and_closes() {
    let pages = [
        (
            "/",
            "<meta http-equiv=X-UA-Compatible content=IE=5><script>var w; function pick() { w = window.open('pick', 'pick', 'width=400') }</script>\
               <input id=code name=code><button type=button id=b onclick='pick()'>p</button><a href=pick target=_blank id=blank>x</a>",
        ),
        (
            "/pick",
            "<script>function choose() { window.opener.document.getElementById('code').value = list.value; window.close() }</script>\
                   <select id=list><option value=1>a<option value=3>b</select><button id=ok type=button onclick='choose()'>ok</button>",
        ),
    ];
    with(site(&pages), |rig| {
        rig.go("/");
        rig.click("#b");
        let [main, popup] = rig.windows()[..] else { panic!("{:?}", rig.windows()) };
        assert_eq!(
            rig.eval("w.closed + w.location.pathname + w.document.getElementById('list').value"),
            "false/pick1"
        );
        let page = rig.host.page_of(popup).unwrap();
        act::choose(&rig.host, &rig.ctx, &page, rig.find_in(&page, "option[value='3']"));
        rig.click_in(&page, "#ok");
        assert_eq!(rig.windows(), [main]);
        assert_eq!(rig.eval("code.value + w.closed"), "3true");
        rig.click("#blank");
        assert_eq!(rig.windows().len(), 2);
        rig.click("#b");
        rig.click("#b");
        assert_eq!(rig.windows().len(), 3, "a named window is used again");
    });
}

#[test]
fn pages_of_other_origins_are_out_of_reach() {
    let pages = [("/", "<iframe name=far src=http://other.test/other></iframe>")];
    with(site(&pages), |rig| {
        rig.go("/");
        assert_eq!(rig.text_in(&rig.frame("far"), "#p"), "far");
        assert_eq!(rig.eval("frames.far.secret"), "error: Access is denied.");
        assert_eq!(
            rig.eval("document.getElementsByName('far')[0].contentDocument"),
            "error: Access is denied."
        );
        assert_eq!(rig.eval("frames.length"), "1");
        assert_eq!(
            rig.eval_in(&rig.frame("far"), "try { parent.document } catch (e) { e.message }"),
            "Access is denied."
        );
    });
}

#[test]
fn forms_are_sent_by_button_by_enter_and_by_script() {
    let pages = [
        (
            "/",
            "<form method=post action=save onsubmit='return ok'><input id=item name=item><input type=checkbox name=urgent value=1 id=u>\
               <textarea name=note></textarea><input type=submit id=go name=go value=Save></form><script>var ok = false</script>",
        ),
        ("/save", "<form id=f action=find><input name=q id=q></form>"),
        ("/find", "<p id=done>done</p>"),
    ];
    with(site(&pages), |rig| {
        rig.go("/");
        rig.type_into("#item", "A1");
        rig.click("#u");
        rig.click("#go");
        assert_eq!(rig.requests(), ["GET /"], "onsubmit refuses");
        rig.eval("ok = true");
        rig.click("#go");
        assert_eq!(rig.requests()[1], "POST /save item=A1&urgent=1&note=&go=Save");
        rig.type_into("#q", "a b\u{e007}");
        assert_eq!(rig.requests()[2], "GET /find?q=a+b");
        rig.eval("history.back()");
        rig.eval("document.forms.f.q.value = 'x'; f.submit()");
        assert_eq!(rig.requests().last().unwrap(), "GET /find?q=x");
    });
}

#[test]
fn typing_fires_keys_and_change_at_leaving() {
    Rig::show(
        "<meta http-equiv=X-UA-Compatible content=IE=5><script>var s = ''; function log(t) { s += t + ' ' }</script>\
         <input id=a onkeydown=\"log('d' + event.keyCode)\" onkeypress=\"log('p' + event.keyCode)\" onkeyup=\"log('u')\" \
         onchange=\"log('change:' + value)\" onfocus=\"log('focus')\" onblur=\"log('blur')\"><input id=b maxlength=2>",
        |rig| {
            rig.type_into("#a", "x");
            assert_eq!(rig.eval("s"), "focus d88 p120 u ");
            rig.eval("s = ''");
            rig.type_into("#a", "\u{e003}Z\u{e004}");
            assert_eq!(rig.eval("s"), "d8 u d90 p90 u d9 change:Z blur ");
            assert_eq!(rig.eval("document.activeElement.id"), "b");
            rig.type_into("#b", "123");
            assert_eq!(rig.eval("b.value"), "12");
            rig.type_into("#b", "\u{e009}a\u{e000}9");
            assert_eq!(rig.eval("b.value"), "9");
        },
    );
}

#[test]
fn choosing_an_option_tells_the_page_once() {
    Rig::show(
        "<select id=s onchange='n++; got = this.value'><option value=a>A<option value=b>B</select><script>var n = 0, got</script>",
        |rig| {
            rig.choose("option[value=b]");
            rig.choose("option[value=b]");
            assert_eq!(rig.eval("n + got"), "1b");
            rig.type_into("#s", "A");
            assert_eq!(rig.eval("n + got"), "2a");
        },
    );
}

#[test]
fn an_alert_at_load_is_answered_and_the_page_is_complete() {
    Rig::show("<body onload=\"alert('stock day')\"><p>x</p>", |rig| {
        assert_eq!(*rig.dialogs.borrow(), ["Alert: stock day"]);
        assert_eq!(rig.eval("document.readyState"), "complete");
    });
}

#[test]
fn leaving_asks_when_the_page_wants_it() {
    let pages = [
        ("/", "<script>window.onbeforeunload = function () { return 'unsaved' }</script>"),
        ("/next", "<p>n</p>"),
    ];
    with(site(&pages), |rig| {
        rig.go("/");
        rig.answers.borrow_mut().push_back(None);
        rig.go("/next");
        assert_eq!(*rig.dialogs.borrow(), ["Leave: unsaved"]);
        assert_eq!(rig.eval("location.pathname"), "/");
        rig.go("/next");
        assert_eq!(rig.eval("location.pathname"), "/next");
    });
}

#[test]
fn history_goes_back_and_forward_and_reloads() {
    let pages =
        [("/a", "a<a href='#x' id=l>l</a>"), ("/b", "b"), ("/c", "<script>location.replace('b')</script>")];
    with(site(&pages), |rig| {
        rig.go("/a");
        rig.click("#l");
        assert_eq!(rig.eval("location.hash"), "#x");
        assert_eq!(rig.requests(), ["GET /a"], "a fragment loads nothing");
        rig.go("/b");
        windows::travel(&rig.host, rig.window, -1);
        rig.settle();
        assert_eq!(rig.eval("location.pathname + location.hash"), "/a#x");
        windows::travel(&rig.host, rig.window, 1);
        rig.settle();
        assert_eq!(rig.eval("location.pathname"), "/b");
        let again = windows::again(&rig.page());
        load::navigate(&rig.host, &rig.ctx, again);
        assert_eq!(rig.requests().len(), 5);
        rig.go("/c");
        assert_eq!(rig.eval("location.pathname"), "/b");
    });
}

#[test]
fn pages_in_old_encodings_are_read_and_answered_in_them() {
    let mut pages = site(&[]);
    let html = "<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'><title>商品</title><p id=p>①㈱髙﨑～</p>\
                <form action=find><input name=q id=q><input type=submit id=go value=検索></form>";
    let bytes = encoding_rs::SHIFT_JIS.encode(html).0.into_owned();
    pages.insert("/".into(), ("text/html".into(), bytes.clone()));
    pages.insert("/find".into(), ("text/html".into(), bytes));
    with(pages, |rig| {
        rig.go("/");
        assert_eq!(rig.text("#p"), "①㈱髙﨑～");
        assert_eq!(rig.page().document.borrow().title(), "商品");
        rig.type_into("#q", "東京");
        rig.click("#go");
        assert_eq!(rig.requests()[1], "GET /find?q=%93%8C%8B%9E");
    });
}

#[test]
fn redirects_and_cookies_are_followed_and_kept() {
    let mut pages = site(&[("/end", "<p id=p>end</p>"), ("/loop2", "")]);
    pages.insert("/start".into(), ("redirect /end".into(), Vec::new()));
    pages.insert("/loop".into(), ("redirect /loop".into(), Vec::new()));
    with(pages, |rig| {
        rig.go("/start");
        assert_eq!(rig.eval("location.pathname"), "/end");
        assert_eq!(
            rig.eval("document.cookie = 'a=1'; document.cookie = 'b=2; path=/x'; document.cookie"),
            "a=1"
        );
        rig.go("/loop");
        assert_eq!(rig.text("#cause"), "too many redirects");
        assert_eq!(rig.eval("location.pathname"), "/loop");
    });
}

#[test]
fn a_page_that_shows_itself_ends_somewhere() {
    let pages = [
        ("/", "<iframe src='/'></iframe><iframe src='/?a'></iframe>"),
        ("/?a", "<iframe src='/?b'></iframe>"),
        ("/?b", "<iframe src='/?a'></iframe>"),
    ];
    with(site(&pages), |rig| {
        rig.go("/");
        assert!(rig.host.frames.borrow().len() < 40);
    });
}

#[test]
fn an_endless_script_is_stopped_and_the_page_goes_on() {
    Rig::show("<script>while (true) {}</script><p id=p>after</p><script>var on = 1</script>", |rig| {
        assert_eq!(rig.text("#p") + &rig.eval("on"), "after1");
    });
}

#[test]
fn javascript_addresses_run_in_the_page() {
    Rig::show(
        "<a id=a href=\"javascript:void(n = 5)\">x</a><a id=b href=\"javascript:'<p id=new>t</p>'\">y</a><script>var n = 1</script>",
        |rig| {
            rig.click("#a");
            assert_eq!(rig.eval("n"), "5");
            rig.click("#b");
            assert_eq!(rig.text("#new"), "t");
        },
    );
}

#[test]
fn frames_that_scripts_put_in_are_loaded_and_taken_away() {
    let pages = [("/", "<div id=d></div>"), ("/in", "<p id=q>in</p>")];
    with(site(&pages), |rig| {
        rig.go("/");
        rig.eval("d.innerHTML = '<iframe name=f src=in></iframe>'");
        assert_eq!(rig.text_in(&rig.frame("f"), "#q"), "in");
        rig.eval("d.innerHTML = ''");
        assert_eq!(rig.eval("frames.length"), "0");
        assert_eq!(rig.host.frames.borrow().len(), 1);
    });
}

#[test]
fn hostile_pages_do_not_break_the_browser() {
    Rig::show(
        "<script>var Number = 'n', String = 's', Array = [1], Object = 0, JSON = 'j', parseInt = 5, name = 'main';</script>\
         <form id=f onsubmit='return false'><input name=id><input name=name><input type=button name=submit value=S \
         onclick=\"document.getElementById('r').innerHTML = 'sent ' + this.form.elements[1].value\"><input name=parentNode>\
         <input name=tagName><input name=length><input name=getAttribute><input name=childNodes><input name=style></form><p id=r></p>",
        |rig| {
            rig.type_into("input[name=name]", "v");
            rig.click("input[name=submit]");
            assert_eq!(rig.text("#r"), "sent v");
            assert_eq!(rig.eval("window.name"), "main");
            assert_eq!(rig.eval("document.forms[0].tagName.name"), "tagName");
        },
    );
}

#[test]
fn an_error_page_stands_for_what_cannot_be_loaded() {
    Rig::show("<a id=a href='http://127.0.0.1:1/x'>x</a>", |rig| {
        rig.click("#a");
        assert_eq!(rig.eval("location.href"), "http://127.0.0.1:1/x");
        assert_eq!(rig.page().document.borrow().title(), "This page can\u{2019}t be displayed");
    });
}

#[test]
fn old_modes_read_conditional_comments_and_drop_white_space() {
    let page = |mode: u32| {
        format!(
            "<html><head><!--[if lt IE 9]><script>var old = 'old'</script><![endif]--><meta http-equiv=X-UA-Compatible content=IE={mode}></head>\
             <body> <ul id=u> <li>1</li> <li>2</li> </ul> </body></html>"
        )
    };
    Rig::show(&page(8), |rig| {
        assert_eq!(rig.eval("old + u.childNodes.length + u.firstChild.nextSibling.innerText"), "old22");
    });
    Rig::show(&page(9), |rig| {
        assert_eq!(rig.eval("typeof old + u.childNodes.length"), "undefined5");
    });
}

#[test]
fn a_page_that_draws_itself_anew_for_ever_keeps_its_memory() {
    Rig::show(
        "<div id=d></div><script>var i = 0; setInterval(function () { d.innerHTML = new Array(2000).join('<i>x</i>'); i++ }, 10)</script>",
        |rig| {
            rig.pass(600);
            assert!(rig.eval("i").parse::<u32>().unwrap() > 50);
            let nodes = rig.page().document.borrow().node_count();
            assert!(nodes < 50_000, "{nodes}");
        },
    );
}

#[test]
fn pages_that_are_left_are_forgotten() {
    let pages = [
        ("/", "<iframe src=in></iframe><script>var x = document.all; setInterval('1', 50)</script>"),
        ("/in", "in"),
    ];
    with(site(&pages), |rig| {
        for _ in 0..20 {
            rig.go("/");
        }
        assert_eq!((rig.host.pages.borrow().len(), rig.host.frames.borrow().len()), (2, 2));
        assert_eq!((rig.host.realms.borrow().len(), rig.host.timers.borrow().len()), (2, 1));
    });
}
