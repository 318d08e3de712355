//! Loading bytes.
//!
//! Owns: one request without redirects, the map from origins to folders, other servers or pages in
//! memory, `file:` addresses. Does not own: redirects, cookies, decoding (the session's thread does
//! those). TLS is not spoken: https loads only what is mapped.

use futures::future::BoxFuture;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

/// Largest body that is read.
const LARGEST_BODY: usize = 64 << 20;

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: String,
    /// Absolute address.
    pub url: Url,
    /// Headers to send.
    pub headers: Vec<(String, String)>,
    /// Body of a POST.
    pub body: Vec<u8>,
    /// Milliseconds until the load fails with [`TIMED_OUT`].
    pub limit_ms: u64,
}

/// One response.
#[derive(Clone, Debug, Default)]
pub struct Fetched {
    /// HTTP status; 200 for files.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl Fetched {
    /// First header of this lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Error text of a load that took longer than allowed.
pub const TIMED_OUT: &str = "timed out";

/// Where an origin's pages come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Files below a folder.
    Folder(PathBuf),
    /// Another server; path and query are appended.
    Server(Url),
    /// Pages in memory by path: content type and body. For tests.
    Memory(HashMap<String, (String, Vec<u8>)>),
    /// An application in this process. Under a paused clock nothing of it is waited for in real time.
    Handler(Handler),
}

/// Answers requests in this process.
#[derive(Clone)]
pub struct Handler(Arc<dyn Fn(Request) -> BoxFuture<'static, Result<Fetched, String>> + Send + Sync>);

impl Handler {
    /// What this function answers.
    pub fn new<F, A>(answer: F) -> Self
    where
        F: Fn(Request) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Fetched, String>> + Send + 'static,
    {
        Self(Arc::new(move |request| Box::pin(answer(request))))
    }
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handler")
    }
}

/// The network of the emulated browser.
#[derive(Debug, Default)]
pub struct Network {
    maps: Vec<(String, Source)>,
    client: std::sync::OnceLock<Client<HttpConnector, Full<Bytes>>>,
    log: Mutex<Vec<(String, String, Vec<u8>)>>,
}

impl Network {
    /// A network in which `maps` (origin without trailing slash, source) stand before the real one.
    pub fn new(maps: Vec<(String, Source)>) -> Self {
        Self { maps, ..Self::default() }
    }

    /// Parses one `ORIGIN=DIR|URL`.
    ///
    /// # Errors
    /// Names what is wrong with the text.
    pub fn parse_map(text: &str) -> Result<(String, Source), String> {
        let form = "expected ORIGIN=FOLDER or ORIGIN=URL, for example http://intranet=./pages";
        let (origin, target) = text.split_once('=').ok_or_else(|| format!("map '{text}': {form}"))?;
        let parsed = Url::parse(origin).map_err(|error| format!("map '{text}': origin: {error}; {form}"))?;
        let origin = parsed.origin().ascii_serialization();
        if target.starts_with("http://") {
            let url = Url::parse(target).map_err(|error| format!("map '{text}': {error}; {form}"))?;
            return Ok((origin, Source::Server(url)));
        }
        let folder = PathBuf::from(target);
        if !folder.is_dir() {
            return Err(format!("map '{text}': '{target}' is not a folder; {form}"));
        }
        Ok((origin, Source::Folder(folder)))
    }

    /// Requests made so far: method, address, body.
    pub fn requests(&self) -> Vec<(String, String, Vec<u8>)> {
        self.log.lock().map(|log| log.clone()).unwrap_or_default()
    }

    /// Loads one address.
    ///
    /// # Errors
    /// A text that names the cause (`refused`, `dns`, [`TIMED_OUT`], …).
    pub async fn fetch(&self, request: Request) -> Result<Fetched, String> {
        if let Ok(mut log) = self.log.lock() {
            log.push((request.method.clone(), request.url.to_string(), request.body.clone()));
        }
        if request.url.scheme() == "file" {
            let path = request.url.to_file_path().map_err(|()| "not a file path".to_owned())?;
            return file(&path);
        }
        let origin = request.url.origin().ascii_serialization();
        match self.maps.iter().find(|(mapped, _)| *mapped == origin).map(|(_, source)| source) {
            Some(Source::Memory(pages)) => Ok(from_memory(pages, &request.url)),
            Some(Source::Folder(folder)) => from_folder(folder, &request.url),
            Some(Source::Handler(handler)) => {
                let limit = Duration::from_millis(request.limit_ms);
                let answered = tokio::time::timeout(limit, (handler.0)(request)).await;
                answered.unwrap_or_else(|_| Err(TIMED_OUT.into()))
            }
            Some(Source::Server(server)) => {
                let mut url = request.url.clone();
                let moved = url.set_scheme(server.scheme()).is_ok()
                    && url.set_host(server.host_str()).is_ok()
                    && url.set_port(server.port()).is_ok();
                if !moved {
                    return Err(format!("the map to {server} does not fit {}", request.url));
                }
                self.over_http(Request { url, ..request.clone() }, request.url.authority()).await
            }
            None => {
                let authority = request.url.authority().to_owned();
                self.over_http(request, &authority).await
            }
        }
    }

    async fn over_http(&self, request: Request, host: &str) -> Result<Fetched, String> {
        if request.url.scheme() != "http" {
            return Err(format!("the emulator speaks no {}", request.url.scheme()));
        }
        let client = self.client.get_or_init(|| Client::builder(TokioExecutor::new()).build_http());
        let mut builder = hyper::Request::builder().method(request.method.as_str()).uri(request.url.as_str());
        builder = builder.header("host", host).header("accept", "text/html, application/xhtml+xml, */*");
        builder = builder.header("user-agent", crate::browser::USER_AGENT);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let message =
            builder.body(Full::new(Bytes::from(request.body))).map_err(|error| error.to_string())?;
        let exchange = async {
            let response = client.request(message).await.map_err(|error| cause(&error))?;
            let (head, body) = response.into_parts();
            let body = http_body_util::Limited::new(body, LARGEST_BODY).collect().await;
            let body = body.map_err(|error| format!("the body broke off: {error}"))?.to_bytes().to_vec();
            let text = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
                (name.as_str().to_owned(), value.as_bytes().iter().map(|&byte| byte as char).collect())
            };
            Ok(Fetched {
                status: head.status.as_u16(),
                headers: head.headers.iter().map(text).collect(),
                body,
            })
        };
        match tokio::time::timeout(Duration::from_millis(request.limit_ms), exchange).await {
            Ok(result) => result,
            Err(_) => Err(TIMED_OUT.into()),
        }
    }
}

fn cause(error: &hyper_util::client::legacy::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}

fn from_memory(pages: &HashMap<String, (String, Vec<u8>)>, url: &Url) -> Fetched {
    let with_query = url.query().map(|query| format!("{}?{query}", url.path()));
    match with_query.and_then(|path| pages.get(&path)).or_else(|| pages.get(url.path())) {
        Some((kind, body)) => match kind.strip_prefix("redirect ") {
            Some(target) => {
                Fetched { status: 302, headers: vec![("location".into(), target.into())], body: Vec::new() }
            }
            None => Fetched {
                status: 200,
                headers: vec![("content-type".into(), kind.clone())],
                body: body.clone(),
            },
        },
        None => missing(),
    }
}

fn from_folder(folder: &Path, url: &Url) -> Result<Fetched, String> {
    let mut path = folder.to_path_buf();
    for piece in url.path().split('/').filter(|piece| !piece.is_empty()) {
        let piece = percent_encoding::percent_decode_str(piece).decode_utf8_lossy().into_owned();
        if piece == ".." || piece.contains(['/', '\\', '\0']) {
            return Ok(missing());
        }
        path.push(piece);
    }
    if path.is_dir() {
        path.push("index.html");
    }
    if path.is_file() { file(&path) } else { Ok(missing()) }
}

fn missing() -> Fetched {
    Fetched {
        status: 404,
        headers: vec![("content-type".into(), "text/html".into())],
        body: b"<title>404</title><h1>Not Found</h1>".to_vec(),
    }
}

fn file(path: &Path) -> Result<Fetched, String> {
    let body = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let kind = match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" | "htm" | "asp" | "aspx" | "jsp" | "php" => "text/html",
        "js" => "application/javascript",
        "css" => "text/css",
        "png" => "image/png",
        "gif" => "image/gif",
        "pdf" => "application/pdf",
        "xml" => "text/xml",
        "txt" => "text/plain",
        _ => "application/octet-stream",
    };
    Ok(Fetched { status: 200, headers: vec![("content-type".into(), kind.into())], body })
}
