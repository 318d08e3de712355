//! Loading a page into a window or frame.
//!
//! Owns: the order of parsing, scripts, frames and load events; queued navigations; what a script
//! writes into a page. Does not own: requests (`fetch`), error pages (`errors`), windows.

use super::host::{DialogKind, Host, Navigation, Page, Spot, Task, Timer};
use super::net::{Fetched, TIMED_OUT};
use super::{charset, dialogs, fetch, frames, responses, windows};
use crate::dom::{
    Charset, Document, Mode, NodeId, Parser, Step, javascript_source, resolve_conditional_comments,
};
use crate::script::event::{self, Event};
use crate::script::realm::{self, Origin};
use crate::script::{names, run, value};
use rquickjs::Ctx;
use std::rc::Rc;

/// How a load ended for the command that waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Loaded, be it an error page.
    Done,
    /// The page-load limit was over first.
    TimedOut,
}

/// Navigations in a row without a person's doing: more are pages that reload each other for ever.
const MOST_IN_A_ROW: usize = 50;

/// Does the queued navigations and closes windows until none is left.
pub fn settle(host: &Rc<Host>, ctx: &Ctx<'_>) -> Loading {
    let mut loading = Loading::Done;
    for _ in 0..MOST_IN_A_ROW {
        windows::sweep(host, ctx);
        let Some(navigation) = host.navigations.borrow_mut().pop_front() else {
            host.pages.borrow().values().for_each(|page| free_nodes(page));
            return loading;
        };
        // Only the last of several navigations of one window counts.
        let superseded = host.navigations.borrow().iter().any(|later| later.frame == navigation.frame);
        if superseded && javascript_source(&navigation.url).is_none() {
            continue;
        }
        if navigate(host, ctx, navigation) == Loading::TimedOut {
            loading = Loading::TimedOut;
        }
    }
    host.navigations.borrow_mut().clear();
    windows::sweep(host, ctx);
    loading
}

/// Detached nodes a page may keep before they are looked through.
const MANY_NODES: usize = 20_000;

/// Frees what scripts took out of a page and hold no more, so that a page which draws itself anew for
/// ever does not fill the memory.
fn free_nodes(page: &Page) {
    let mut document = page.document.borrow_mut();
    if document.node_count() < page.nodes_kept.get() + MANY_NODES {
        return;
    }
    let held: Vec<NodeId> = page.objects.borrow().keys().copied().collect();
    document.sweep(held);
    page.nodes_kept.set(document.node_count());
}

/// Loads an address into a window or frame.
pub fn navigate(host: &Rc<Host>, ctx: &Ctx<'_>, navigation: Navigation) -> Loading {
    let Some(old) = host.page_of(navigation.frame) else { return Loading::Done };
    if let Some(source) = javascript_source(&navigation.url) {
        run_address(host, ctx, &old, &source);
        return Loading::Done;
    }
    if navigation.post.is_none() && navigation.entry && same_but_fragment(&old, &navigation.url) {
        old.document.borrow_mut().url.clone_from(&navigation.url);
        old.location.replace(navigation.url.clone());
        windows::enter(host, navigation.frame, &navigation.url, true);
        event::dispatch(host, ctx, &old, Spot::Window, &Event::plain("hashchange"));
        return Loading::Done;
    }
    if !may_leave(host, ctx, navigation.frame) || host.budget.is_aborted() {
        return Loading::Done;
    }
    let referrer =
        navigation.from.and_then(|page| host.page(page)).map(|page| page.location.borrow().clone());
    let arrived = arrive(host, &navigation, referrer.as_deref());
    let Arrival { response, url, location, timed_out, post } = match arrived {
        Some(arrival) => arrival,
        // A download: the page stays.
        None => return Loading::Done,
    };
    unload(host, ctx, navigation.frame);
    let origin = Origin {
        frame: navigation.frame,
        location: location.clone(),
        inherited: old.origin(),
        referrer: referrer.filter(|referrer| referrer.starts_with("http")).unwrap_or_default(),
        post,
        has_document: responses::has_document(&response),
    };
    drop(old);
    if windows::enter(host, navigation.frame, &location, navigation.entry) {
        show(host, ctx, response, &url, origin);
    }
    if timed_out { Loading::TimedOut } else { Loading::Done }
}

struct Arrival {
    response: Fetched,
    url: String,
    location: String,
    timed_out: bool,
    post: Option<(Vec<u8>, String)>,
}

fn arrive(host: &Rc<Host>, navigation: &Navigation, referrer: Option<&str>) -> Option<Arrival> {
    let asked = navigation.url.clone();
    if asked.is_empty() || asked.starts_with("about:") {
        let response = responses::html("");
        return Some(Arrival { response, url: asked.clone(), location: asked, timed_out: false, post: None });
    }
    let (method, headers, body) = match &navigation.post {
        Some((body, kind)) => ("POST", vec![("content-type".to_owned(), kind.clone())], body.clone()),
        None => ("GET", Vec::new(), Vec::new()),
    };
    match fetch::load(host, method, &asked, headers, body, referrer) {
        Ok(loaded) if responses::is_download(&loaded.response) => None,
        Ok(loaded) => {
            let url = loaded.url.to_string();
            let post = navigation.post.clone().filter(|_| !loaded.became_get);
            let response = responses::shown(loaded.response, &url);
            Some(Arrival { response, url: url.clone(), location: url, timed_out: false, post })
        }
        Err(cause) => {
            let response = responses::unreachable(&asked, &cause);
            let url = responses::ERROR_ADDRESS.to_owned() + &asked;
            Some(Arrival { response, url, location: asked, timed_out: cause == TIMED_OUT, post: None })
        }
    }
}

fn same_but_fragment(page: &Page, url: &str) -> bool {
    let Some((before, _)) = url.split_once('#') else { return false };
    let location = page.location.borrow();
    location.split('#').next() == Some(before)
}

/// `javascript:` addresses: a text they give replaces the page.
fn run_address(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, source: &str) {
    match run::source(host, ctx, page, source, "javascript:") {
        Ok(result) if result.is_string() => {
            let html = value::text_of(ctx, &result);
            open_for_writing(host, page);
            write(host, ctx, page, &html);
            close_writing(host, ctx, page);
        }
        Ok(_) => {}
        Err(failure) => run::report(host, ctx, page, failure),
    }
}

/// Asks the pages of a window whether they may be left.
pub fn may_leave(host: &Rc<Host>, ctx: &Ctx<'_>, frame: u32) -> bool {
    let mut frames = vec![frame];
    while let Some(frame) = frames.pop() {
        frames.extend(host.children(frame));
        let Some(page) = host.page_of(frame) else { continue };
        let outcome = event::dispatch(host, ctx, &page, Spot::Window, &Event::plain("beforeunload"));
        let Some(text) = outcome.text else { continue };
        match dialogs::ask(host, ctx, DialogKind::Leave, &text, "") {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(_) => {
                ctx.catch();
                return false;
            }
        }
    }
    true
}

/// Tells the pages of a window that they go, and forgets the frames below it.
pub fn unload(host: &Rc<Host>, ctx: &Ctx<'_>, frame: u32) {
    for child in host.children(frame) {
        unload(host, ctx, child);
        host.discard(child);
    }
    if let Some(page) = host.page_of(frame) {
        event::dispatch(host, ctx, &page, Spot::Window, &Event::plain("unload"));
    }
}

/// Puts a response on the screen: makes the page, parses, runs scripts, loads frames, fires `load`.
fn show(host: &Rc<Host>, ctx: &Ctx<'_>, response: Fetched, url: &str, origin: Origin) {
    let (html, encoding) = charset::decode(&response.body, response.header("content-type"));
    let mut document = Document::new(url, Mode::Ie11);
    let mut parser = Parser::new();
    parser.push(&html);
    // Up to the first script the mode is open: a meta element may still decide it.
    let mut first = parser.step(&mut document);
    let mode = mode_of(host, &mut document, &response, origin.frame);
    document.mode = mode;
    if let Some(resolved) = resolve_conditional_comments(&html, mode) {
        document = Document::new(url, mode);
        parser = Parser::new();
        parser.push(&resolved);
        first = parser.step(&mut document);
    }
    document.charset = Charset(encoding);
    let frame = origin.frame;
    if host.depth.get() == 0 {
        // The page's own surface is script, too; a limit that the last one used up is not its own.
        host.budget.grant(Some(run::PAGE_LIMIT));
    }
    let page = match realm::open(ctx, host, document, origin) {
        Ok(page) => page,
        Err(error) => {
            tracing::error!(%error, url, "no memory for the page's scripts");
            return;
        }
    };
    let old =
        host.frames.borrow_mut().get_mut(&frame).map(|frame| std::mem::replace(&mut frame.page, page.id));
    if let Some(old) = old {
        host.discard_page(old);
    }
    page.parser.replace(Some(parser));
    page.parsing.set(true);
    let mut deferred = Vec::new();
    let mut step = Some(first);
    while let Some(Step::Script(script)) = step {
        drop_blanks(&page);
        frames::load_sheets(host, &page);
        if is_deferred(&page.document.borrow(), script) {
            deferred.push(script);
        } else {
            run_script(host, ctx, &page, script);
        }
        step = next_step(&page);
    }
    end_parsing(&page);
    for script in deferred {
        run_script(host, ctx, &page, script);
    }
    page.parsing.set(false);
    finish(host, ctx, &page);
}

/// The document mode of a page whose beginning is parsed.
fn mode_of(host: &Host, document: &mut Document, response: &Fetched, frame: u32) -> Mode {
    let top = host.top(frame);
    if top != frame
        && let Some(page) = host.page_of(top)
    {
        // Frames are shown in the mode of the window they are in (IE 9 and later [mem]).
        return page.mode;
    }
    document.decide_mode(response.header("x-ua-compatible"), host.fallback_mode);
    document.mode
}

fn next_step(page: &Page) -> Option<Step> {
    page.parser.borrow_mut().as_mut().map(|parser| parser.step(&mut page.document.borrow_mut()))
}

fn end_parsing(page: &Page) {
    if let Some(parser) = page.parser.take() {
        parser.finish(&mut page.document.borrow_mut());
    }
    drop_blanks(page);
}

fn drop_blanks(page: &Page) {
    let mut document = page.document.borrow_mut();
    let root = document.root();
    document.drop_blanks(root);
}

/// Everything after the last byte: style sheets, frames, events.
fn finish(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>) {
    let root = page.document.borrow().root();
    frames::load_sheets(host, page);
    page.ready.set("interactive");
    event::dispatch(host, ctx, page, Spot::Node(root), &Event::plain("readystatechange"));
    if page.mode >= Mode::Ie9 {
        let ready = Event { cancelable: false, ..Event::bubbling("DOMContentLoaded") };
        event::dispatch(host, ctx, page, Spot::Node(root), &ready);
    }
    frames::load_children(host, ctx, page);
    if host.page(page.id).is_none() {
        return;
    }
    refresh_by_meta(host, page);
    let images: Vec<NodeId> = {
        let document = page.document.borrow();
        document.descendant_elements(root).filter(|&id| document.is(id, "img")).collect()
    };
    for image in images {
        event::dispatch(host, ctx, page, Spot::Node(image), &Event::plain("load"));
    }
    page.ready.set("complete");
    if let Some(frame) = host.frames.borrow_mut().get_mut(&page.frame) {
        frame.loads += 1;
    }
    event::dispatch(host, ctx, page, Spot::Node(root), &Event::plain("readystatechange"));
    event::dispatch(host, ctx, page, Spot::Window, &Event::plain("load"));
    let element = host.frames.borrow().get(&page.frame).and_then(|frame| frame.element);
    if let Some((parent, node)) = element
        && let Some(parent) = host.page(parent)
    {
        event::dispatch(host, ctx, &parent, Spot::Node(node), &Event::plain("load"));
    }
}

fn refresh_by_meta(host: &Rc<Host>, page: &Rc<Page>) {
    let document = page.document.borrow();
    let wanted =
        document.descendant_elements(document.root()).filter(|&id| document.is(id, "meta")).find_map(|id| {
            let name = document.attribute(id, "http-equiv")?;
            name.trim().eq_ignore_ascii_case("refresh").then(|| document.attribute(id, "content"))?
        });
    let Some(content) = wanted else { return };
    let (seconds, rest) = content.split_once([';', ',']).unwrap_or((content, ""));
    let seconds: f64 = seconds.trim().parse().unwrap_or(0.0);
    let target = rest.split_once('=').map(|(_, url)| url.trim().trim_matches(['"', '\'']));
    let url = target.map_or_else(|| page.location.borrow().clone(), |url| document.resolve(url));
    let due = host.port.now() + (seconds.max(0.0) * 1000.0) as u64;
    let timer = Timer { id: host.number(), page: page.id, due, every: None, task: Task::Navigate(url) };
    host.timers.borrow_mut().push(timer);
}

fn is_deferred(document: &Document, script: NodeId) -> bool {
    document.has_attribute(script, "src")
        && (document.has_attribute(script, "defer") || document.has_attribute(script, "async"))
}

/// True for the languages the engine runs.
fn is_script(document: &Document, script: NodeId) -> bool {
    let own = document.attribute(script, "type").filter(|kind| !kind.trim().is_empty());
    let kind =
        own.or_else(|| document.attribute(script, "language")).unwrap_or("javascript").to_ascii_lowercase();
    kind.contains("javascript")
        || kind.contains("ecmascript")
        || kind.contains("jscript")
        || kind.contains("livescript")
}

/// Runs a script element once.
pub fn run_script(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, script: NodeId) {
    let source = {
        let document = page.document.borrow();
        if !is_script(&document, script) || !page.scripts_run.borrow_mut().insert(script) {
            return;
        }
        match document.attribute(script, "src") {
            Some(src) => Err(document.resolve(src)),
            None => Ok(document.text_content(script)),
        }
    };
    let (text, name) = match source {
        Ok(text) => (text, page.location.borrow().clone()),
        Err(url) => {
            let referrer = page.location.borrow().clone();
            let loaded = fetch::load(host, "GET", &url, Vec::new(), Vec::new(), Some(&referrer));
            let Ok(loaded) = loaded.map_err(|error| tracing::debug!(url, error, "script not loaded")) else {
                return;
            };
            if loaded.response.status >= 400 {
                return;
            }
            let fallback = page.document.borrow().charset.0;
            let declared = page.document.borrow().attribute(script, "charset").map(str::to_owned);
            let kind = loaded.response.header("content-type").map(str::to_owned);
            (charset::decode_text(&loaded.response.body, kind.as_deref(), declared.as_deref(), fallback), url)
        }
    };
    let text = text
        .trim_start()
        .strip_prefix("<!--")
        .map_or(text.as_str(), |rest| rest.split_once('\n').map_or("", |(_, rest)| rest));
    if let Err(failure) = run::source(host, ctx, page, text, &name) {
        run::report(host, ctx, page, failure);
    }
    if page.document.borrow().has_attribute(script, "src") {
        event::dispatch(host, ctx, page, Spot::Node(script), &Event::plain("load"));
    }
}

/// Runs the scripts of a subtree that a script put into the page.
pub fn run_inserted(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, top: NodeId) {
    let scripts: Vec<NodeId> = {
        let document = page.document.borrow();
        if !document.is_connected(top) {
            return;
        }
        let mut all = std::iter::once(top)
            .chain(document.descendant_elements(top))
            .filter(|&id| document.is(id, "script"));
        let first: Vec<NodeId> = all.by_ref().collect();
        first
    };
    for script in scripts {
        run_script(host, ctx, page, script);
    }
}

/// `document.open()`: empties a loaded page for writing; nothing while it loads.
pub fn open_for_writing(host: &Rc<Host>, page: &Rc<Page>) {
    if page.parsing.get() {
        return;
    }
    for child in host.children(page.frame) {
        host.discard(child);
    }
    {
        let mut document = page.document.borrow_mut();
        let root = document.root();
        document.remove_children(root);
    }
    page.listeners.borrow_mut().clear();
    page.active.set(None);
    page.ready.set("loading");
    page.parser.replace(Some(Parser::new()));
}

/// `document.write`: parsed at once, its scripts run at once.
pub fn write(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>, text: &str) {
    if page.parser.borrow().is_none() {
        if page.parsing.get() {
            return;
        }
        open_for_writing(host, page);
    }
    let held = page.parser.borrow_mut().as_mut().map(|parser| {
        let held = parser.hold();
        parser.push(text);
        held
    });
    while let Some(Step::Script(script)) = next_step(page) {
        let _ = names::refresh(ctx, host, page);
        run_script(host, ctx, page, script);
    }
    if let (Some(held), Some(parser)) = (held, page.parser.borrow_mut().as_mut()) {
        parser.release(held);
    }
}

/// `document.close()`: ends a page that a script wrote.
pub fn close_writing(host: &Rc<Host>, ctx: &Ctx<'_>, page: &Rc<Page>) {
    if page.parsing.get() || page.parser.borrow().is_none() {
        return;
    }
    end_parsing(page);
    finish(host, ctx, page);
}
