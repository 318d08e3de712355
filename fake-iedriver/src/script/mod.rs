//! QuickJS as the script engine of the emulated pages.
//!
//! Code map: `engine` is the one entry and makes realms, `realm` furnishes them; `mode` and
//! `syntax` hide what a document mode lacks; `members` installs the tables of `interfaces`; `node`, `list`, `names` are
//! how scripts hold the tree; `event` and `handler` call listeners; `run` enters scripts, `execute` runs a client's, `errors`
//! and `budget` bound them; `value` converts between scripts and JSON. Does not own: windows and
//! loading (`browser`), commands (`session`).

pub mod budget;
pub mod engine;
pub mod errors;
pub mod event;
pub mod execute;
pub mod handler;
pub mod interfaces;
pub mod list;
pub mod members;
pub mod mode;
pub mod names;
pub mod node;
pub mod realm;
pub mod run;
pub mod syntax;
pub mod value;

#[cfg(test)]
mod tests;
