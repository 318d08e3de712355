//! A page's realm: everything a script finds before the page's first script runs.
//!
//! Owns: the order in which a realm is furnished. Does not own: what is in it.

use super::{engine, interfaces, mode};
use crate::browser::host::{Host, Page};
use crate::dom::Document;
use rquickjs::{Ctx, Object, Persistent, Result, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What a page is besides its tree.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Browsing context.
    pub frame: u32,
    /// Address shown, which differs from the tree's where an error page stands.
    pub location: String,
    /// Origin of the page that made an `about:blank`.
    pub inherited: String,
    /// Address of the page that led here.
    pub referrer: String,
    /// A POST that led here.
    pub post: Option<(Vec<u8>, String)>,
    /// False for windows without a document.
    pub has_document: bool,
}

/// Makes the page of a document whose mode is decided, and its realm.
///
/// # Errors
/// The engine is out of memory.
pub fn open<'js>(ctx: &Ctx<'js>, host: &Rc<Host>, document: Document, origin: Origin) -> Result<Rc<Page>> {
    let realm = engine::new_realm(ctx)?;
    let mode = document.mode;
    mode::apply(&realm, mode)?;
    let clock = host.clone();
    mode::set_clock(&realm, mode, move || clock.port.now() as f64)?;
    let global = realm.globals();
    let eval: Value = global.get("eval")?;
    let eval = eval.into_function().ok_or(rquickjs::Error::Unknown)?;
    // Names of elements stand behind everything a script declares itself.
    let names = Object::new(realm.clone())?;
    global.set_prototype(Some(&names))?;
    let page = Rc::new(Page {
        id: host.number(),
        frame: origin.frame,
        document: RefCell::new(document),
        mode,
        global: Persistent::save(&realm, global),
        eval: Persistent::save(&realm, eval),
        prototypes: RefCell::default(),
        objects: RefCell::default(),
        styles: RefCell::default(),
        listeners: RefCell::default(),
        names: Persistent::save(&realm, names),
        named_at: Cell::new(u64::MAX),
        event: RefCell::default(),
        texts: RefCell::default(),
        caret: Cell::new(0),
        scroll: Cell::new((0.0, 0.0)),
        has_document: origin.has_document,
        location: RefCell::new(origin.location),
        inherited_origin: origin.inherited,
        referrer: origin.referrer,
        post: origin.post,
        parser: RefCell::default(),
        parsing: Cell::new(false),
        scripts_run: RefCell::default(),
        nodes_kept: Cell::new(0),
        pressed: Cell::new(None),
        hovered: Cell::new(None),
        typed: Cell::new(false),
        all_selected: Cell::new(false),
        change_due: Cell::new(false),
        ready: Cell::new("loading"),
        active: Cell::new(None),
        text_at_focus: RefCell::default(),
    });
    host.realms.borrow_mut().insert(realm.as_raw().as_ptr() as usize, page.id);
    host.pages.borrow_mut().insert(page.id, page.clone());
    interfaces::install(&realm, host, &page)?;
    interfaces::install_window(&realm, host, &page)?;
    Ok(page)
}
