//! Pages as data: an arena tree per document and everything that can be said of it without a script.
//!
//! Code map: `node`, `tree`, `document` hold it; `parse` fills it, `serialize` writes it; `mode` decides the
//! document mode; `css`, `xpath`, `find` search it; `form` is the state of controls; `style`, `layout`,
//! `text` say what a person sees. Does not own: scripts and events (`script`), loading (`browser`), commands
//! (`session`).

mod attribute;
mod blank;
mod conditional;
mod css;
mod document;
mod find;
mod form;
mod layout;
mod mode;
mod node;
mod parse;
mod screenshot;
mod serialize;
mod style;
mod submit;
mod text;
mod tree;
mod visible;
mod xpath;

pub use attribute::Answer;
pub use conditional::resolve as resolve_conditional_comments;
pub use css::Selector;
pub use document::{Charset, Document};
pub use find::{InvalidSelector, Strategy};
pub use form::ControlState;
pub use layout::{Boxes, Rect, VIEWPORT_HEIGHT, VIEWPORT_WIDTH};
pub use mode::{Mode, Quirks};
pub use node::{Attribute, Doctype, Element, Namespace, Node, NodeData, NodeId};
pub use parse::{Parser, Step};
pub use style::{Declaration, Style, declarations};
pub use submit::{Entry, Submission, javascript_source};
pub use tree::TreeError;
pub use xpath::{XPathError, XPathValue, evaluate};
