//! The browser around the pages.
//!
//! Code map: `host` is what all parts share; `load` brings pages into `windows` and `frames` through
//! `fetch` (redirects, cookies) and `net` (one request), `charset` decodes them, `responses` stands in
//! where there is no page; `act`, `keys`, `focus`, `submit` are a person's doings; `timers` and
//! `dialogs` are what scripts wait for. Does not own: the page tree (`dom`), scripts (`script`),
//! commands (`session`), to which `pages` shows all this.

pub mod act;
pub mod charset;
pub mod cookies;
pub mod dialogs;
pub mod fetch;
pub mod focus;
pub mod frames;
pub mod host;
pub mod keys;
pub mod load;
pub mod net;
pub mod pages;
pub mod responses;
#[cfg(test)]
pub mod rig;
pub mod submit;
pub mod timers;
pub mod windows;

#[cfg(test)]
mod tests;

/// What the browser calls itself in edge mode.
pub const USER_AGENT: &str = "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko";
