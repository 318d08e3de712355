//! The emulator as a client meets it: pages with scripts from memory, in virtual time.

mod driver;

use driver::{Driver, ELEMENT};
use fake_iedriver::{
    browser::{
        net::{Network, Source},
        pages::Pageful,
    },
    session::{Emulator, EmulatorOptions, Pace},
    wire::capabilities::Machine,
};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};

const PAGES: &[(&str, &str)] = &[
    (
        "/",
        "<title>Home</title><input id=a><p id=out></p>\
         <button id=ask onclick=\"document.getElementById('out').innerText = confirm('Sure?') ? 'yes' : 'no'\">ask</button>\
         <button id=name onclick=\"document.title = prompt('Name?', 'x')\">name</button>\
         <button id=late onclick=\"setTimeout(function () { document.getElementById('out').innerHTML = '<b id=b>b</b>' }, 700)\">late</button>\
         <button id=pop onclick=\"window.open('/pop', 'p')\">pop</button>\
         <button id=modal onclick=\"document.title = showModalDialog('/modal', 'in')\">modal</button>\
         <a id=go href=/second>go</a><a id=dead href=http://dead.test/>dead</a>",
    ),
    ("/second", "<title>Second</title><p>2</p>"),
    (
        "/pop",
        "<title>Pop</title><button id=close onclick=\"opener.document.title = 'told'; window.close()\">close</button>",
    ),
    (
        "/modal",
        "<title>Modal</title><button id=ok onclick=\"window.returnValue = dialogArguments + ' out'; window.close()\">ok</button>",
    ),
    (
        "/frames",
        "<title>Frames</title><frameset cols='*,*'><frame name=l src=/left><frame name=r src=/right></frameset>",
    ),
    ("/left", "<title>Left</title><a id=t target=r href=/second>to the right</a>"),
    ("/right", "<title>Right</title><iframe src=/second></iframe><p id=p>right</p>"),
    ("/leave", "<title>Leave</title><script>window.onbeforeunload = function () { return 'Stay?' }</script>"),
    ("/loop", "<title>Loop</title><p id=p>before</p><script>while (true) {}</script><p id=q>after</p>"),
    ("/self", "<title>Self</title><iframe src=/self></iframe>"),
    ("/twice", "<title>Twice</title><script>alert('one'); alert('two'); document.title = 'Done'</script>"),
];

async fn start(always: Value) -> Driver {
    let page = |&(path, html): &(&str, &str)| {
        (path.to_owned(), ("text/html; charset=utf-8".to_owned(), html.as_bytes().to_vec()))
    };
    let memory: HashMap<_, _> = PAGES.iter().map(page).collect();
    let network = Network::new(vec![("http://demo.test".to_owned(), Source::Memory(memory))]);
    let machine = Machine { start_url: "http://demo.test/".into(), ..Machine::default() };
    let options = EmulatorOptions { machine, pace: Pace::Fast };
    Driver::over(Emulator::new(Arc::new(Pageful::default()), Arc::new(network), options), always).await
}

async fn click(driver: &Driver, css: &str) {
    let id = driver.find(css).await;
    driver.value("POST", &format!("/element/{id}/click"), json!({})).await;
}

async fn text(driver: &Driver, css: &str) -> Value {
    let id = driver.find(css).await;
    driver.value("GET", &format!("/element/{id}/text"), json!({})).await
}

async fn script(driver: &Driver, body: &str, args: Value) -> Value {
    driver.value("POST", "/execute/sync", json!({ "script": body, "args": args })).await
}

async fn title(driver: &Driver) -> Value {
    driver.value("GET", "/title", json!({})).await
}

#[tokio::test(start_paused = true)]
async fn scripts_take_and_give_elements_and_fail_in_ies_words() {
    let driver = start(json!({})).await;
    let field = json!({ ELEMENT: driver.find("#a").await });
    let both =
        script(&driver, "arguments[0].value = 'x'; return [arguments[0], {n: 1.5}]", json!([field])).await;
    assert_eq!(both, json!([field, { "n": 1.5 }]));
    let id = driver.find("#a").await;
    assert_eq!(driver.value("GET", &format!("/element/{id}/property/value"), json!({})).await, "x");
    let error = driver.error("POST", "/execute/sync", json!({ "script": "nosuch()", "args": [] })).await;
    assert_eq!(error.0, "javascript error");
    assert!(error.1.contains("'nosuch' is undefined"), "{error:?}");
    let window =
        driver.error("POST", "/execute/sync", json!({ "script": "return window", "args": [] })).await;
    assert_eq!(window.0, "javascript error");
    let later = "var done = arguments[0]; setTimeout(function () { done('later') }, 5000)";
    let value = driver.value("POST", "/execute/async", json!({ "script": later, "args": [] })).await;
    assert_eq!(value, "later");
    driver.value("POST", "/timeouts", json!({ "script": 2000 })).await;
    let error =
        driver.error("POST", "/execute/sync", json!({ "script": "while (true) {}", "args": [] })).await;
    assert_eq!(error.0, "script timeout");
    let error = driver.error("POST", "/execute/async", json!({ "script": "", "args": [] })).await;
    assert_eq!(error, ("script timeout".to_owned(), "Timeout expired waiting for async script".to_owned()));
    assert_eq!(title(&driver).await, "Home");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_changes_later_is_found_by_waiting() {
    let driver = start(json!({ "timeouts": { "implicit": 2000 } })).await;
    click(&driver, "#late").await;
    assert_eq!(text(&driver, "#b").await, "b");
}

#[tokio::test(start_paused = true)]
async fn dialogs_stop_the_script_until_they_are_answered() {
    let driver = start(json!({ "unhandledPromptBehavior": "ignore" })).await;
    click(&driver, "#ask").await;
    assert_eq!(driver.error("GET", "/title", json!({})).await.0, "unexpected alert open");
    driver.value("POST", "/alert/accept", json!({})).await;
    assert_eq!(text(&driver, "#out").await, "yes");
    click(&driver, "#name").await;
    assert_eq!(driver.value("GET", "/alert/text", json!({})).await, "Name?");
    driver.value("POST", "/alert/text", json!({ "text": "山田" })).await;
    driver.value("POST", "/alert/accept", json!({})).await;
    assert_eq!(title(&driver).await, "山田");
    // One that a load opens ends the wait for the page; the next comes when it is answered.
    driver.value("POST", "/url", json!({ "url": "http://demo.test/twice" })).await;
    for text in ["one", "two"] {
        assert_eq!(driver.value("GET", "/alert/text", json!({})).await, text);
        driver.value("POST", "/alert/dismiss", json!({})).await;
    }
    assert_eq!(title(&driver).await, "Done");
    // The question on leaving is accepted unasked.
    driver.value("POST", "/url", json!({ "url": "http://demo.test/leave" })).await;
    driver.value("POST", "/url", json!({ "url": "http://demo.test/second" })).await;
    assert_eq!(title(&driver).await, "Second");
}

#[tokio::test(start_paused = true)]
async fn frames_are_entered_and_a_load_of_the_top_leads_back_to_it() {
    let driver = start(json!({})).await;
    driver.value("POST", "/url", json!({ "url": "http://demo.test/frames" })).await;
    driver.value("POST", "/frame", json!({ "id": 1 })).await;
    assert_eq!(text(&driver, "#p").await, "right");
    let inside = driver.find("#p").await;
    driver.value("POST", "/frame", json!({ "id": 0 })).await;
    assert_eq!(text(&driver, "p").await, "2");
    for _ in 0..2 {
        driver.value("POST", "/frame/parent", json!({})).await;
    }
    // Always of the top page.
    assert_eq!(title(&driver).await, "Frames");
    let stale = driver.error("GET", &format!("/element/{inside}/text"), json!({})).await;
    assert_eq!(stale.0, "stale element reference");
    let left = json!({ "id": { ELEMENT: driver.find("frame[name=l]").await } });
    driver.value("POST", "/frame", left).await;
    click(&driver, "#t").await;
    driver.value("POST", "/frame", json!({ "id": null })).await;
    driver.value("POST", "/frame", json!({ "id": 1 })).await;
    assert_eq!(text(&driver, "p").await, "2");
    driver.value("POST", "/frame", json!({ "id": null })).await;
    // A load of the top page sets the focus back to it without a word.
    driver.value("POST", "/frame", json!({ "id": 1 })).await;
    driver.value("POST", "/back", json!({})).await;
    driver.value("POST", "/url", json!({ "url": "http://demo.test/second" })).await;
    assert_eq!(text(&driver, "p").await, "2");
    assert_eq!(title(&driver).await, "Second");
}

#[tokio::test(start_paused = true)]
async fn windows_open_talk_and_close_themselves() {
    let driver = start(json!({})).await;
    let first = driver.value("GET", "/window", json!({})).await;
    click(&driver, "#pop").await;
    let handles = driver.value("GET", "/window/handles", json!({})).await;
    let list = handles.as_array().expect("list");
    let new = list.iter().find(|handle| **handle != first).expect("a new window");
    driver.value("POST", "/window", json!({ "handle": new })).await;
    assert_eq!(title(&driver).await, "Pop");
    click(&driver, "#close").await;
    assert_eq!(driver.error("GET", "/title", json!({})).await.0, "no such window");
    driver.value("POST", "/window", json!({ "handle": first })).await;
    assert_eq!(title(&driver).await, "told");
}

#[tokio::test(start_paused = true)]
async fn a_modal_dialog_page_is_a_window_and_gives_its_value_back() {
    let driver = start(json!({})).await;
    let first = driver.value("GET", "/window", json!({})).await;
    click(&driver, "#modal").await;
    let handles = driver.value("GET", "/window/handles", json!({})).await;
    let list = handles.as_array().expect("list");
    let modal = list.iter().find(|handle| **handle != first).expect("a modal window");
    driver.value("POST", "/window", json!({ "handle": modal })).await;
    assert_eq!(title(&driver).await, "Modal");
    let go = driver.error("POST", "/url", json!({ "url": "http://demo.test/second" })).await;
    assert_eq!(go.0, "unknown error");
    click(&driver, "#ok").await;
    driver.value("POST", "/window", json!({ "handle": first })).await;
    assert_eq!(title(&driver).await, "in out");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_does_not_load_is_a_success_that_refuses_scripts() {
    let driver = start(json!({})).await;
    driver.value("POST", "/url", json!({ "url": "https://dead.test/" })).await;
    assert_eq!(driver.value("GET", "/url", json!({})).await, "https://dead.test/");
    assert_eq!(title(&driver).await, "This page can\u{2019}t be displayed");
    let source = driver.value("GET", "/source", json!({})).await;
    assert!(source.as_str().is_some_and(|source| source.contains("ErrorPageTemplate.css")), "{source}");
    let run = json!({ "script": "return 1", "args": [] });
    assert_eq!(driver.error("POST", "/execute/sync", run).await.0, "javascript error");
    let find = driver.error("POST", "/element", json!({ "using": "css selector", "value": "h1" })).await;
    assert_eq!(find.0, "no such element");
    driver.value("POST", "/back", json!({})).await;
    assert_eq!(title(&driver).await, "Home");
}

#[tokio::test(start_paused = true)]
async fn keys_and_actions_reach_the_page() {
    let driver = start(json!({})).await;
    let field = driver.find("#a").await;
    driver.value("POST", &format!("/element/{field}/value"), json!({ "text": "ab\u{e003}\u{e008}c" })).await;
    assert_eq!(driver.value("GET", &format!("/element/{field}/property/value"), json!({})).await, "aC");
    assert_eq!(driver.value("GET", "/element/active", json!({})).await, json!({ ELEMENT: field }));
    let hooks = "var d = document, seen = window.seen = []; \
        var note = function (kind) { d.addEventListener(kind, function (e) { seen.push(kind) }, false) }; \
        var kinds = ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu']; \
        for (var i = 0; i < kinds.length; i++) note(kinds[i])";
    script(&driver, hooks, json!([])).await;
    let out = json!({ ELEMENT: driver.find("#out").await });
    let press = |button: u8| {
        json!([
            { "type": "pointerMove", "origin": out, "x": 0, "y": 0 },
            { "type": "pointerDown", "button": button },
            { "type": "pointerUp", "button": button },
        ])
    };
    let act = |actions: Value| json!({ "actions": [{ "type": "pointer", "id": "m", "parameters": { "pointerType": "mouse" }, "actions": actions }] });
    driver.value("POST", "/actions", act(press(0))).await;
    driver.value("POST", "/actions", act(press(0))).await;
    driver.value("POST", "/actions", act(press(2))).await;
    let seen = script(&driver, "return window.seen.join(' ')", json!([])).await;
    assert_eq!(
        seen,
        "mousedown mouseup click mousedown mouseup click dblclick mousedown mouseup contextmenu"
    );
    let wheel = json!({ "actions": [{ "type": "wheel", "id": "w", "actions": [] }] });
    let error = driver.error("POST", "/actions", wheel).await;
    assert_eq!(
        error,
        ("invalid argument".to_owned(), "Unexpected error performing action sequence.".to_owned())
    );
    let far = act(json!([{ "type": "pointerMove", "x": 5000, "y": 5 }]));
    assert_eq!(driver.error("POST", "/actions", far).await.0, "move target out of bounds");
    driver.value("DELETE", "/actions", json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn hostile_pages_leave_the_session_usable() {
    let driver = start(json!({})).await;
    let go = async |path: &str| {
        driver.send("POST", "/url", json!({ "url": format!("http://demo.test{path}") })).await
    };
    // The endless script is stopped, the page goes on.
    assert_eq!(go("/loop").await, (200, Value::Null));
    assert_eq!(text(&driver, "#q").await, "after");
    assert_eq!(go("/self").await, (200, Value::Null));
    assert_eq!(title(&driver).await, "Self");
    for (body, code) in [
        ("var s = 'x'; while (true) s += s", "javascript error"),
        ("(function f() { f() })()", "javascript error"),
        ("return {length: 4e9}", "javascript error"),
        ("var a = []; a[0] = a; return a", "javascript error"),
        ("for (;;) { try { for (;;) {} } catch (e) {} }", "script timeout"),
    ] {
        let error = driver.error("POST", "/execute/sync", json!({ "script": body, "args": [] })).await;
        assert_eq!(error.0, code, "{body}: {error:?}");
        assert_eq!(title(&driver).await, "Self", "{body}");
    }
    let deep = "var h = ''; for (var i = 0; i < 3000; i++) h += '<div>'; document.body.innerHTML = h; return document.getElementsByTagName('div').length";
    assert!(script(&driver, deep, json!([])).await.as_u64().is_some_and(|count| count > 100));
    assert_eq!(go("/second").await, (200, Value::Null));
    assert_eq!(title(&driver).await, "Second");
}
