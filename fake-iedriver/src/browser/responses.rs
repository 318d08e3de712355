//! What a browser shows for a response that is no page, and where none came.
//!
//! Owns: error pages, plain text, pictures, windows without a document. Does not own: loading.

use super::net::Fetched;

/// Front of the address of an error page; the address asked for follows.
pub const ERROR_ADDRESS: &str = "res://ieframe.dll/dnserrordiagoff.htm#";

/// A page of ours.
pub fn html(text: &str) -> Fetched {
    Fetched {
        status: 200,
        headers: vec![("content-type".into(), "text/html; charset=utf-8".into())],
        body: text.as_bytes().to_vec(),
    }
}

fn kind(response: &Fetched) -> String {
    let kind = response.header("content-type").unwrap_or("text/html");
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// False where the window shows no document, such as a PDF.
pub fn has_document(response: &Fetched) -> bool {
    kind(response) != "application/pdf"
}

/// True for what is saved and not shown.
pub fn is_download(response: &Fetched) -> bool {
    let attached = response
        .header("content-disposition")
        .is_some_and(|text| text.trim_start().to_ascii_lowercase().starts_with("attachment"));
    attached
        || matches!(
            kind(response).as_str(),
            "application/octet-stream" | "application/zip" | "application/vnd.ms-excel"
        )
}

/// The page that shows a response.
pub fn shown(response: Fetched, url: &str) -> Fetched {
    let kind = kind(&response);
    match kind.as_str() {
        "application/pdf" => Fetched { body: Vec::new(), ..response },
        _ if kind.starts_with("image/") => {
            html(&format!("<html><body><img src=\"{}\"></body></html>", escape(url)))
        }
        "text/plain" | "application/json" | "application/javascript" | "text/css" => {
            let (text, _) = super::charset::decode(&response.body, response.header("content-type"));
            html(&format!("<html><head></head><body><pre>{}</pre></body></html>", escape(&text)))
        }
        _ if response.status >= 400 && response.body.is_empty() => {
            let code = response.status;
            html(&format!(
                "<html><head><title>HTTP {code}</title></head><body><h1>HTTP {code}</h1></body></html>"
            ))
        }
        _ => response,
    }
}

/// IE's page for an address that could not be loaded, with the files and codes a client can tell it by.
pub fn unreachable(url: &str, cause: &str) -> Fetched {
    let code = match cause {
        "dns" => "INET_E_RESOURCE_NOT_FOUND",
        "certificate" => "INET_E_SECURITY_PROBLEM",
        super::net::TIMED_OUT => "INET_E_CONNECTION_TIMEOUT",
        _ => "INET_E_CANNOT_CONNECT",
    };
    html(&format!(
        "<!DOCTYPE html><html><head><link rel=\"stylesheet\" type=\"text/css\" href=\"NewErrorPageTemplate.css\">\
         <title>This page can\u{2019}t be displayed</title></head><body>\
         <h1 id=\"mainTitle\">This page can\u{2019}t be displayed</h1><p>{}</p><p id=\"cause\">{}</p>\
         <p id=\"errorCode\">{code}</p></body></html>",
        escape(url),
        escape(cause)
    ))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
