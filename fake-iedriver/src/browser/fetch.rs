//! Loading with everything a browser adds to a request.
//!
//! Owns: redirects, cookies, the referrer. Does not own: one request (`net`), decoding (`charset`).

use super::host::Host;
use super::net::{Fetched, Request, TIMED_OUT};
use url::Url;

/// More redirects than this are a loop.
const MOST_REDIRECTS: usize = 20;

/// A response and where it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The last response.
    pub response: Fetched,
    /// Its address, after redirects.
    pub url: Url,
    /// True if the body of a POST was not sent on.
    pub became_get: bool,
}

/// Loads an address, following redirects.
///
/// # Errors
/// A text that names the cause; [`TIMED_OUT`] for the page-load limit.
pub fn load(
    host: &Host,
    method: &str,
    url: &str,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    referrer: Option<&str>,
) -> Result<Loaded, String> {
    let mut url = Url::parse(url).map_err(|error| format!("{url}: {error}"))?;
    let fragment = url.fragment().map(str::to_owned);
    url.set_fragment(None);
    let (mut method, mut body, mut headers) = (method.to_owned(), body, headers);
    let mut became_get = false;
    let end = host.port.now().saturating_add(host.load_limit.get());
    for _ in 0..=MOST_REDIRECTS {
        let now = host.port.now();
        if now >= end {
            return Err(TIMED_OUT.into());
        }
        let mut all = headers.clone();
        let cookies = host.jar.borrow().header(&url, now / 1000, false);
        if !cookies.is_empty() {
            all.push(("cookie".into(), cookies));
        }
        if let Some(referrer) = referrer.filter(|referrer| referrer.starts_with("http")) {
            let plain = referrer.split('#').next().unwrap_or_default();
            all.push(("referer".into(), plain.to_owned()));
        }
        let request = Request {
            method: method.clone(),
            url: url.clone(),
            headers: all,
            body: body.clone(),
            limit_ms: end - now,
        };
        let response = host.port.fetch(request)?;
        for (name, value) in &response.headers {
            if name == "set-cookie" {
                host.jar.borrow_mut().set(&url, value, host.port.now() / 1000, false);
            }
        }
        let target =
            response.header("location").filter(|_| matches!(response.status, 301 | 302 | 303 | 307 | 308));
        let Some(target) = target else {
            if url.fragment().is_none() {
                url.set_fragment(fragment.as_deref());
            }
            return Ok(Loaded { response, url, became_get });
        };
        let next = url.join(target).map_err(|error| format!("redirect to {target}: {error}"))?;
        if matches!(response.status, 301..=303) && method != "GET" && method != "HEAD" {
            became_get = true;
            method = "GET".into();
            body = Vec::new();
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        }
        url = next;
    }
    Err("too many redirects".into())
}
