//! Cookies of the focused frame's address (`reference/iedriver-wire.md` section 5.11).

use super::{Outcome, Run};
use crate::browser::cookies::Cookie;
use crate::wire::DriverError;
use serde_json::{Map, Value, json};
use url::Url;

/// The largest expiry, in seconds since 1970.
const LAST: f64 = 2_147_483_647.0;

pub(super) fn all(run: &Run<'_>) -> Outcome {
    Ok(Value::Array(visible(run)?.iter().map(value).collect()))
}

pub(super) fn one(run: &Run<'_>) -> Outcome {
    let name = run.call.param("name").unwrap_or_default();
    let found = visible(run)?.into_iter().find(|cookie| cookie.name == name);
    found.as_ref().map(value).ok_or_else(|| {
        DriverError::new("no such cookie", format!("No cookie could be found with the name '{name}'."))
    })
}

pub(super) fn add(run: &Run<'_>) -> Outcome {
    if let Err(answer) = run.checked() {
        return answer;
    }
    run.window("Unable to get current browser")?;
    let refuse = || DriverError::new("invalid cookie domain", "Unable to add cookie to page");
    let url = address(run)?.ok_or_else(refuse)?;
    let given = run.call.body.get("cookie").and_then(Value::as_object);
    let given = given.ok_or_else(|| super::invalid("cookie parameter must be an object"))?;
    let cookie = cookie(given, &url)?;
    let host = url.host_str().unwrap_or_default();
    let below = host.strip_suffix(cookie.domain.as_str()).is_some_and(|rest| rest.ends_with('.'));
    if host != cookie.domain && !below {
        return Err(refuse());
    }
    run.pages.jar().borrow_mut().put(cookie, run.session.port.now() / 1000);
    Ok(Value::Null)
}

fn cookie(given: &Map<String, Value>, url: &Url) -> Result<Cookie, DriverError> {
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    let required =
        |name: &str| text(name).ok_or_else(|| super::invalid(format!("Missing parameter: {name}")));
    let expiry = given.get("expiry").and_then(Value::as_f64);
    if expiry.is_some_and(|expiry| expiry > LAST) {
        return Err(DriverError::new(
            "unable to set cookie",
            "Specified expiry is larger than the largest one that can be set (2147483647)",
        ));
    }
    // A last segment with a dot is taken for a file.
    let path = text("path").unwrap_or("/");
    let path = match path.rsplit_once('/') {
        Some((folder, last)) if last.contains('.') => format!("{folder}/"),
        _ => path.to_owned(),
    };
    let domain = text("domain").map(|domain| domain.trim_start_matches('.').to_ascii_lowercase());
    Ok(Cookie {
        name: required("name")?.to_owned(),
        value: required("value")?.to_owned(),
        host_only: domain.is_none(),
        domain: domain.unwrap_or_else(|| url.host_str().unwrap_or_default().to_owned()),
        path,
        expiry: expiry.map(|expiry| expiry as u64),
        secure: given.get("secure") == Some(&Value::Bool(true)),
        // Not honoured: it goes in through the page.
        http_only: false,
    })
}

pub(super) fn delete(run: &Run<'_>) -> Outcome {
    remove(run, Some(run.call.param("name").unwrap_or_default()))
}

pub(super) fn delete_all(run: &Run<'_>) -> Outcome {
    remove(run, None)
}

fn remove(run: &Run<'_>, name: Option<&str>) -> Outcome {
    if let Some(url) = address(run)? {
        run.pages.jar().borrow_mut().remove(&url, name, run.session.port.now() / 1000);
    }
    Ok(Value::Null)
}

fn address(run: &Run<'_>) -> Result<Option<Url>, DriverError> {
    let page = run.page()?;
    let url = run.with(page, |document| document.url.clone());
    Ok(Url::parse(&url).ok().filter(Url::has_host))
}

fn visible(run: &Run<'_>) -> Result<Vec<Cookie>, DriverError> {
    let Some(url) = address(run)? else { return Ok(Vec::new()) };
    Ok(run.pages.jar().borrow().matching(&url, run.session.port.now() / 1000).cloned().collect())
}

fn value(cookie: &Cookie) -> Value {
    let mut value = json!({
        "domain": cookie.domain,
        "httpOnly": cookie.http_only,
        "name": cookie.name,
        "path": cookie.path,
        "secure": cookie.secure,
        "value": cookie.value,
    });
    if let Some(expiry) = cookie.expiry {
        value["expiry"] = expiry.into();
    }
    value
}
