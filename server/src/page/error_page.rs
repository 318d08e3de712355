//! The browser's own error pages. The driver takes a page that did not load for a success and shows one of them, and
//! IE's refuse scripts (`reference/iedriver-wire.md` section 5.2). Owns: telling them by address, title and source, and
//! why they are shown. Does not own: asking.

/// Why the browser shows its own page instead of the one asked for (`contract.md` section 2.6).
pub type Reason = &'static str;

/// Whether an address is that of an error page. The driver gives the address asked for instead, a script gives this one.
pub fn is_address(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    lower.starts_with("res://ieframe.dll/") || lower.starts_with("chrome-error:")
}

/// Files that IE's error pages load, and elements that only they have. From memory of IE 11's `ieframe.dll`: none of
/// the captures holds such a page.
const SIGNS: [&str; 6] = [
    "res://ieframe.dll/",
    "errorpagetemplate.css",
    "httperrorpagesscripts.js",
    "errorpagestrings.js",
    "invalidcert.js",
    "id=\"main-frame-error\"",
];

/// Words of address, title or source, most special first.
const REASONS: [(&str, Reason); 26] = [
    ("invalidcert", "certificate"),
    ("securityerror", "certificate"),
    ("certificate error", "certificate"),
    ("証明書", "certificate"),
    ("err_cert", "certificate"),
    ("err_ssl", "certificate"),
    ("offcancl", "offline"),
    ("you're not connected", "offline"),
    ("you are not connected", "offline"),
    ("work offline", "offline"),
    ("err_internet_disconnected", "offline"),
    ("http_4", "http"),
    ("http_5", "http"),
    ("http 4", "http"),
    ("http 5", "http"),
    ("err_http_response_code_failure", "http"),
    ("err_invalid_response", "http"),
    ("err_name_not_resolved", "dns"),
    ("dns_probe", "dns"),
    ("inet_e_resource_not_found", "dns"),
    ("800c0005", "dns"),
    ("inet_e_cannot_connect", "refused"),
    ("800c0004", "refused"),
    ("err_connection", "refused"),
    ("err_address_unreachable", "refused"),
    // IE shows the same page for a name that is not known and for a host that does not answer.
    ("dnserror", "dns"),
];

/// The reason, if this is an error page.
pub fn recognise(address: &str, title: &str, source: &str) -> Option<Reason> {
    let (source, title) = (source.to_lowercase(), title.to_lowercase());
    if !is_address(address) && !SIGNS.iter().any(|sign| source.contains(sign)) {
        return None;
    }
    let known = |text: &str| REASONS.iter().find(|(word, _)| text.contains(word)).map(|&(_, reason)| reason);
    // The scripts of an error page name all causes, so what surely speaks of this one comes first.
    if let Some((_, rest)) = source.split_once("errorcode\":") {
        return known(rest.split(',').next().unwrap_or_default()).or(Some("refused"));
    }
    known(&address.to_lowercase()).or_else(|| known(&title)).or_else(|| known(&source)).or(Some("dns"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_its_reason() {
        for (address, title, source, reason) in [
            ("http://x.test/", "Can’t reach this page", r#"<link href="NewErrorPageTemplate.css">"#, "dns"),
            (
                "http://x.test/",
                "このページに到達できません",
                r#"<script src="errorPageStrings.js"></script>INET_E_CANNOT_CONNECT"#,
                "refused",
            ),
            ("res://ieframe.dll/dnserror.htm#http://x.test/", "", "", "dns"),
            ("res://ieframe.dll/invalidcert.htm", "", "", "certificate"),
            (
                "http://x.test/",
                "Certificate Error: Navigation Blocked",
                "<script src=invalidcert.js>",
                "certificate",
            ),
            (
                "http://x.test/",
                "証明書エラー: ナビゲーションはブロックされました",
                "<script src=invalidcert.js>",
                "certificate",
            ),
            ("http://x.test/", "HTTP 404 Not Found", "<script src=httpErrorPagesScripts.js>", "http"),
            ("res://ieframe.dll/offcancl.htm", "", "", "offline"),
            ("chrome-error://chromewebdata/", "x.test", "<div>ERR_CONNECTION_REFUSED</div>", "refused"),
            (
                "chrome-error://chromewebdata/",
                "x.test",
                r#"if (x == "ERR_INTERNET_DISCONNECTED") {"errorCode":"ERR_NAME_NOT_RESOLVED"}"#,
                "dns",
            ),
        ] {
            assert_eq!(recognise(address, title, source), Some(reason), "{address} {title}");
        }
    }

    #[test]
    fn a_page_that_speaks_of_errors_is_none() {
        assert_eq!(
            recognise("http://x.test/", "HTTP 404 Not Found", "<p>Certificate Error, dnserror</p>"),
            None
        );
    }
}
