//! The browser around the pages.
//!
//! Owns: windows and frames, loading (network, encodings, origin maps), cookies. Does not own: the
//! page tree (`dom`), scripts (`script`), commands (`session`).

pub mod charset;
pub mod cookies;
pub mod net;

/// What the browser calls itself in edge mode.
pub const USER_AGENT: &str = "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko";
