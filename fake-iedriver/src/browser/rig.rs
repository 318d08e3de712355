//! A browser inside a test: pages in memory, a clock that jumps, answers to dialogs prepared.

#![allow(missing_docs, reason = "for tests of this crate")]

use super::act;
use super::host::{Host, Navigation, Page};
use super::net::{Network, Source};
use super::{keys, load, timers, windows};
use crate::dom::NodeId;
use crate::script::budget::Budget;
use crate::script::{engine, errors, execute, node, run, value};
use crate::session::port::{Down, Port, Up};
use rquickjs::Ctx;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;

/// Origin of the pages in memory.
pub const ORIGIN: &str = "http://demo.test";

/// Pages by path; `text/html; charset=utf-8` unless the path's entry says otherwise.
pub fn site(pages: &[(&str, &str)]) -> HashMap<String, (String, Vec<u8>)> {
    let page = |&(path, html): &(&str, &str)| {
        let kind = if path.ends_with(".js") { "application/javascript" } else { "text/html; charset=utf-8" };
        (path.to_owned(), (kind.to_owned(), html.as_bytes().to_vec()))
    };
    pages.iter().map(page).collect()
}

/// The browser of a test.
pub struct Rig<'js> {
    pub host: Rc<Host>,
    pub ctx: Ctx<'js>,
    pub window: u32,
    /// Dialogs seen, as `kind: text`.
    pub dialogs: Rc<RefCell<Vec<String>>>,
    /// Answers for dialogs to come: none is Cancel. OK when there is none prepared.
    pub answers: Rc<RefCell<VecDeque<Option<&'static str>>>>,
    known: Rc<RefCell<Vec<(u32, NodeId)>>>,
    network: Arc<Network>,
}

/// Element ids of a test: places in a list.
struct Ids {
    host: Rc<Host>,
    known: Rc<RefCell<Vec<(u32, NodeId)>>>,
}

impl<'js> value::References<'js> for Ids {
    fn id_of(&self, object: &rquickjs::Object<'js>) -> Option<String> {
        let what = node::unwrap(object.as_value())?;
        let page = self.host.page(what.page)?;
        if !node::is_element(&page, what.node) {
            return None;
        }
        let mut known = self.known.borrow_mut();
        let place = known.iter().position(|&one| one == (what.page, what.node));
        Some(
            place
                .unwrap_or_else(|| {
                    known.push((what.page, what.node));
                    known.len() - 1
                })
                .to_string(),
        )
    }

    fn is_window(&self, object: &rquickjs::Object<'js>) -> bool {
        self.host.frame_of_window(object.ctx(), object).is_some()
    }

    fn element(&self, ctx: &Ctx<'js>, id: &str) -> rquickjs::Result<rquickjs::Value<'js>> {
        let (page, id) = self.known.borrow()[id.parse::<usize>().unwrap()];
        node::wrap(ctx, &self.host, &self.host.page(page).unwrap(), Some(id))
    }
}

/// Runs a test on an engine thread of its own.
pub fn with(pages: HashMap<String, (String, Vec<u8>)>, test: impl FnOnce(&Rig<'_>) + Send) {
    let other = site(&[("/other", "<p id=p>far</p><script>var secret = 1</script>")]);
    let maps = vec![
        (ORIGIN.to_owned(), Source::Memory(pages)),
        ("http://other.test".to_owned(), Source::Memory(other)),
    ];
    let network = Arc::new(Network::new(maps));
    let ((up, from_engine), (to_engine, down)) = (mpsc::channel(), mpsc::channel());
    std::thread::scope(|scope| {
        let served = network.clone();
        scope.spawn(move || serve(&from_engine, &to_engine, &served));
        let engine =
            std::thread::Builder::new().stack_size(engine::THREAD_STACK).spawn_scoped(scope, move || {
                let budget = Budget::new(Arc::new(AtomicBool::new(false)));
                engine::run(&budget.clone(), |ctx| {
                    let host = Rc::new(Host::new(Rc::new(Port::new(up, down, 0)), budget, None));
                    let window = windows::open_blank(&host, &ctx).unwrap();
                    let rig = Rig {
                        host: host.clone(),
                        ctx: ctx.clone(),
                        window,
                        dialogs: Rc::default(),
                        answers: Rc::default(),
                        known: Rc::default(),
                        network,
                    };
                    rig.answer_dialogs();
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(&rig)));
                    drop(rig);
                    host.clear();
                    drop(host);
                    result
                })
                .unwrap()
            });
        if let Err(panic) = engine.unwrap().join().unwrap() {
            std::panic::resume_unwind(panic);
        }
    });
}

fn serve(from_engine: &mpsc::Receiver<Up>, to_engine: &mpsc::Sender<Down>, network: &Network) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut now = 0;
    while let Ok(message) = from_engine.recv() {
        let answer = match message {
            Up::Fetch(request) => Down::Fetched(runtime.block_on(network.fetch(*request)), now),
            Up::WaitUntil(time) => {
                now = time;
                Down::Tick(now)
            }
            Up::Answer(_) | Up::Idle(_) => continue,
        };
        if to_engine.send(answer).is_err() {
            return;
        }
    }
}

impl Rig<'_> {
    fn answer_dialogs(&self) {
        let _ = self.host.port.wait_until(1_700_000_000_000);
        let (dialogs, answers) = (self.dialogs.clone(), self.answers.clone());
        self.host.gate.replace(Some(Rc::new(move |host: &Rc<Host>, _: &Ctx<'_>| {
            let mut open = host.dialog.borrow_mut();
            let dialog = open.as_mut().unwrap();
            dialogs.borrow_mut().push(format!("{:?}: {}", dialog.kind, dialog.text));
            match answers.borrow_mut().pop_front() {
                Some(None) => dialog.answered = Some(false),
                Some(Some(text)) => {
                    dialog.input = text.to_owned();
                    dialog.answered = Some(true);
                }
                None => dialog.answered = Some(true),
            }
            true
        })));
    }

    /// Loads an address of the pages in memory.
    pub fn go(&self, path: &str) {
        let url = if path.starts_with('/') { format!("{ORIGIN}{path}") } else { path.to_owned() };
        load::navigate(
            &self.host,
            &self.ctx,
            Navigation { frame: self.window, url, post: None, entry: true, from: None },
        );
        self.settle();
    }

    /// A page of one text.
    pub fn show(pages: &str, test: impl FnOnce(&Rig<'_>) + Send) {
        with(site(&[("/", pages)]), |rig| {
            rig.go("/");
            test(rig);
        });
    }

    pub fn settle(&self) {
        load::settle(&self.host, &self.ctx);
    }

    /// The page in the window.
    pub fn page(&self) -> Rc<Page> {
        self.host.page_of(self.window).unwrap()
    }

    /// The page of the first frame of this name, in any window.
    pub fn frame(&self, name: &str) -> Rc<Page> {
        let found = self.host.frames.borrow().iter().find(|(_, frame)| frame.name == name).map(|(&id, _)| id);
        self.host.page_of(found.unwrap_or_else(|| panic!("no frame {name}"))).unwrap()
    }

    /// Windows, oldest first.
    pub fn windows(&self) -> Vec<u32> {
        self.host
            .frames
            .borrow()
            .iter()
            .filter(|(_, frame)| frame.parent.is_none())
            .map(|(&id, _)| id)
            .collect()
    }

    /// Value of an expression as a text; errors as `error: text`.
    pub fn eval(&self, source: &str) -> String {
        self.eval_in(&self.page(), source)
    }

    pub fn eval_in(&self, page: &Rc<Page>, source: &str) -> String {
        let text = match run::source(&self.host, &self.ctx, page, source, "test") {
            Ok(value) => value::text_of(&self.ctx, &value),
            Err(errors::Failure::Thrown(text)) => format!("error: {text}"),
            Err(failure) => format!("{failure:?}"),
        };
        self.settle();
        text
    }

    pub fn find(&self, css: &str) -> NodeId {
        self.find_in(&self.page(), css)
    }

    pub fn find_in(&self, page: &Rc<Page>, css: &str) -> NodeId {
        let document = page.document.borrow();
        let selector = crate::dom::Selector::parse(css, crate::dom::Mode::Ie11).unwrap();
        selector.select_first(&document, document.root()).unwrap_or_else(|| panic!("no {css}"))
    }

    /// Clicks as a person does and lets follow what follows.
    pub fn click(&self, css: &str) {
        self.click_in(&self.page(), css);
    }

    pub fn click_in(&self, page: &Rc<Page>, css: &str) {
        let id = self.find_in(page, css);
        act::press(&self.host, &self.ctx, page, id);
        self.settle();
    }

    pub fn choose(&self, css: &str) {
        act::choose(&self.host, &self.ctx, &self.page(), self.find(css));
        self.settle();
    }

    pub fn type_into(&self, css: &str, text: &str) {
        self.type_in(&self.page(), css, text);
    }

    pub fn type_in(&self, page: &Rc<Page>, css: &str, text: &str) {
        let id = self.find_in(page, css);
        keys::type_text(&self.host, &self.ctx, page, id, text);
        self.settle();
    }

    /// Runs a client's script in the window; elements are `{"element-…": "n"}` in order of appearance.
    pub fn execute(
        &self,
        script: &str,
        args: &serde_json::Value,
    ) -> Result<serde_json::Value, execute::Ended> {
        let args = args.as_array().cloned().unwrap_or_default();
        let result =
            execute::sync(&self.host, &self.ctx, &self.page(), &self.ids(), script, &args, Some(2_000));
        self.settle();
        result
    }

    pub fn execute_async(&self, script: &str, limit: u64) -> Result<serde_json::Value, execute::Ended> {
        execute::asynchronous(&self.host, &self.ctx, &self.page(), &self.ids(), script, &[], Some(limit))
    }

    fn ids(&self) -> Ids {
        Ids { host: self.host.clone(), known: self.known.clone() }
    }

    /// Reference of an element, for arguments.
    pub fn reference(&self, css: &str) -> serde_json::Value {
        let known = (self.page().id, self.find(css));
        self.known.borrow_mut().push(known);
        serde_json::json!({ value::ELEMENT_KEY: (self.known.borrow().len() - 1).to_string() })
    }

    /// Text a person sees.
    pub fn text(&self, css: &str) -> String {
        self.text_in(&self.page(), css)
    }

    pub fn text_in(&self, page: &Rc<Page>, css: &str) -> String {
        let id = self.find_in(page, css);
        page.document.borrow().rendered_text(id)
    }

    /// Lets time pass and timers run.
    pub fn pass(&self, ms: u64) {
        let end = self.host.port.now() + ms;
        loop {
            let next = self.host.next_timer().unwrap_or(u64::MAX).min(end);
            self.host.port.wait_until(next).unwrap();
            timers::run_due(&self.host, &self.ctx);
            self.settle();
            if self.host.port.now() >= end && self.host.next_timer().is_none_or(|next| next > end) {
                return;
            }
        }
    }

    /// Requests made so far as `METHOD address body`.
    pub fn requests(&self) -> Vec<String> {
        let all = self.network.requests();
        all.into_iter()
            .map(|(method, url, body)| {
                let body = String::from_utf8_lossy(&body).into_owned();
                format!("{method} {} {body}", url.trim_start_matches(ORIGIN)).trim_end().to_owned()
            })
            .collect()
    }
}
