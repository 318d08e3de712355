//! Which addresses may be opened, and which were reached without leave.
//!
//! Owns: origins, their comparison, what of an address may be logged. Does not own: opening (`tools::navigate`),
//! reading the list (`config`).

use crate::config::Config;
use crate::error::{Code, Outcome, ToolError};
use url::{Position, Url};

/// The address to send for the text of an agent, if its origin may be opened (`contract.md` sections 1.2 and 2.6).
///
/// # Errors
/// `INVALID_ARGUMENT` for a text that is no absolute address, `URL_NOT_ALLOWED` for one that is not on the list.
pub fn may_open(config: &Config, text: &str) -> Result<String, ToolError> {
    let text = text.trim();
    let url = Url::parse(text).map_err(|error| {
        ToolError::invalid(format!(
            "url must be an absolute address such as http://legacy01.local/: {error}."
        ))
        .outcome(Outcome::NotDone)
    })?;
    let origin = of(&url);
    let known_scheme = matches!(url.scheme(), "http" | "https");
    let listed = config.allowed_origins.contains(&origin);
    if listed || (known_scheme && config.allowed_origins.is_empty()) {
        return Ok(faithful(text, &url));
    }
    let refused = ToolError::new(Code::UrlNotAllowed, format!("This origin may not be opened: {origin}"))
        .detail("origin", origin)
        .outcome(Outcome::NotDone);
    Err(if known_scheme {
        refused.detail("allowed", config.allowed_origins.clone())
    } else {
        refused.hint("Only http and https are opened, unless IE_MCP_ALLOWED_ORIGINS names another scheme.")
    })
}

/// The text as it is when its beginning is surely read alike by every parser, else the normalised address: what was
/// checked is what is opened. The text is preferred because IE sends a query in the code page of the machine, and a
/// normalised one would be UTF-8.
fn faithful(text: &str, url: &Url) -> String {
    let normal = &url[..Position::BeforePath];
    let plain = text.bytes().all(|byte| byte != b'\\' && byte > b' ');
    let same_start = text.get(..normal.len()).is_some_and(|start| start.eq_ignore_ascii_case(normal));
    let ends_there = matches!(text.as_bytes().get(normal.len()), None | Some(b'/' | b'?' | b'#'));
    if plain && same_start && ends_there && url.username().is_empty() && url.password().is_none() {
        text.to_owned()
    } else {
        url.as_str().to_owned()
    }
}

/// Scheme, host and port, the default port left out; for addresses without a host their scheme.
pub fn of(url: &Url) -> String {
    match (url.host(), url.port()) {
        (Some(host), Some(port)) => format!("{}://{host}:{port}", url.scheme()),
        (Some(host), None) => format!("{}://{host}", url.scheme()),
        (None, _) => format!("{}://", url.scheme()),
    }
}

/// Whether a page that was reached, by whatever way, is on the list. `start_page` is the driver's own first page.
pub fn may_stay(config: &Config, address: &str, start_page: Option<&str>) -> bool {
    if config.allowed_origins.is_empty() || start_page.is_some_and(|start| address.starts_with(start)) {
        return true;
    }
    match Url::parse(address) {
        Ok(url) => {
            matches!(url.scheme(), "about" | "res" | "chrome-error")
                || config.allowed_origins.contains(&of(&url))
        }
        // A window without a document has no address.
        Err(_) => address.is_empty(),
    }
}

/// The address without name and password, for the log and for messages.
pub fn without_user_info(text: &str) -> String {
    match Url::parse(text) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.into()
        }
        Ok(url) if url.has_host() => text.to_owned(),
        // It may hold a password that only a lenient reader would see.
        _ if text.contains('@') => "(not an address)".to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(origins: &[&str]) -> Config {
        Config { allowed_origins: origins.iter().map(|&origin| origin.into()).collect(), ..Config::default() }
    }

    #[test]
    fn origins_are_compared_exactly_after_normalising() {
        let config = listing(&["http://legacy01.local", "https://b.test:8443", "http://[::1]:81"]);
        for good in [
            "http://legacy01.local",
            "HTTP://LEGACY01.local:80/a?b#c",
            "http://legacy01.local/../x",
            "https://b.test:8443/x",
            "http://[0:0::1]:81/",
            "http://u:p@legacy01.local/",
        ] {
            assert!(may_open(&config, good).is_ok(), "{good}");
        }
        for bad in [
            "https://legacy01.local/",
            "http://legacy01.local:8080/",
            "http://legacy01.local.evil.test/",
            "http://evil.test/http://legacy01.local/",
            "http://legacy01.local@evil.test/",
            "https://b.test/",
        ] {
            assert_eq!(may_open(&config, bad).expect_err(bad).code, Code::UrlNotAllowed, "{bad}");
        }
    }

    #[test]
    fn other_schemes_need_to_be_named() {
        for text in
            ["file:///c:/x.html", "javascript:alert(1)", "about:blank", "ftp://h/", "res://ieframe.dll/x"]
        {
            let error = may_open(&Config::default(), text).expect_err(text);
            assert_eq!((error.code, error.outcome), (Code::UrlNotAllowed, Some(Outcome::NotDone)), "{text}");
        }
        assert!(may_open(&listing(&["ftp://h"]), "ftp://h/x").is_ok());
        assert!(may_open(&listing(&["file://"]), "file:///c:/x.html").is_ok());
        assert_eq!(
            may_open(&Config::default(), "/customer").expect_err("relative").code,
            Code::InvalidArgument
        );
    }

    #[test]
    fn what_was_checked_is_what_is_sent() {
        let config = listing(&["http://a.test"]);
        for (given, sent) in [
            ("http://a.test/検索?名=山田", "http://a.test/検索?名=山田"),
            (" HTTP://A.test ", "HTTP://A.test"),
            ("http://a.test:80/x", "http://a.test/x"),
            ("http:\\\\a.test\\x", "http://a.test/x"),
            ("http:a.test/x", "http://a.test/x"),
            ("http://a.test/a b", "http://a.test/a%20b"),
            ("http://a.te\tst/", "http://a.test/"),
        ] {
            assert_eq!(may_open(&config, given).expect(given), sent, "{given}");
        }
    }

    #[test]
    fn pages_of_driver_and_browser_may_stay() {
        let config = listing(&["http://a.test"]);
        for good in [
            "about:blank",
            "res://ieframe.dll/dnserror.htm#x",
            "http://localhost:5555/",
            "http://a.test/x",
            "",
        ] {
            assert!(may_stay(&config, good, Some("http://localhost:5555/")), "{good}");
        }
        assert!(!may_stay(&config, "http://b.test/", Some("http://localhost:5555/")));
        assert!(may_stay(&Config::default(), "http://b.test/", None));
    }

    #[test]
    fn names_and_passwords_are_not_logged() {
        assert_eq!(without_user_info("http://u:p@a.test/x"), "http://a.test/x");
        assert_eq!(without_user_info("http://a.test/x@y"), "http://a.test/x@y");
        assert_eq!(without_user_info("u:p@a.test"), "(not an address)");
    }
}
