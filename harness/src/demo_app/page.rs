//! Pages as answers: placeholders filled, text escaped, bytes encoded.
//!
//! Owns: how a file of `pages/` becomes an HTTP response. Does not own: which one is given (`routes`).

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use encoding_rs::SHIFT_JIS;

/// A page of `pages/`, whose `{{name}}` are still to be filled.
pub(super) struct Page(String);

impl Page {
    pub(super) fn new(source: &str) -> Self {
        Self(source.to_owned())
    }

    /// Fills every `{{name}}` with a text that is escaped for HTML.
    pub(super) fn text(self, name: &str, value: &str) -> Self {
        self.markup(name, &escape(value))
    }

    /// Fills every `{{name}}` with markup of our own.
    pub(super) fn markup(self, name: &str, value: &str) -> Self {
        Self(self.0.replace(&format!("{{{{{name}}}}}"), value))
    }

    /// The page as text.
    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// An answer in UTF-8.
    pub(super) fn utf8(self) -> Response {
        html("text/html; charset=utf-8", self.0.into_bytes())
    }

    /// An answer in Shift_JIS whose header names no charset: only the page's own `meta` does, as on
    /// servers of that time. A character that Shift_JIS lacks becomes a numeric reference.
    pub(super) fn shift_jis(self) -> Response {
        let (bytes, _, _) = SHIFT_JIS.encode(&self.0);
        html("text/html", bytes.into_owned())
    }

    /// An answer with an error status.
    pub(super) fn status(self, status: StatusCode) -> Response {
        (status, self.utf8()).into_response()
    }
}

fn html(content_type: &'static str, bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "no-store")], bytes).into_response()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
