//! QuickJS as the script engine of the emulated pages.
//!
//! Owns: the runtime of one session, realms (one per document), limits, conversion of values, what
//! a document mode hides. Does not own: windows and loading (`browser`), commands (`session`).

pub mod budget;
pub mod engine;
pub mod errors;
pub mod mode;
pub mod value;
