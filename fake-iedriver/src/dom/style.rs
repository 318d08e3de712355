//! What a document's styles say about an element.
//!
//! Owns: the cascade and its caches. Does not own: boxes.

/// Answers kept until the document changes.
#[derive(Debug, Default)]
pub(super) struct Caches {}
