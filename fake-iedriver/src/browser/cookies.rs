//! The cookie store of a session.
//!
//! Owns: parsing `Set-Cookie` and `document.cookie`, matching by host, path and scheme, expiry. Does
//! not own: the cookie commands' texts. No `sameSite`: the real driver has none.

use url::Url;

/// One cookie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookie {
    /// Name.
    pub name: String,
    /// Value as it goes over the wire.
    pub value: String,
    /// Host without a leading dot.
    pub domain: String,
    /// True if only this very host gets it.
    pub host_only: bool,
    /// Path prefix.
    pub path: String,
    /// Seconds since 1970; none ends with the session.
    pub expiry: Option<u64>,
    /// Only over https.
    pub secure: bool,
    /// Hidden from scripts.
    pub http_only: bool,
}

/// All cookies of a session, in the order they were set.
#[derive(Debug, Default)]
pub struct Jar {
    cookies: Vec<Cookie>,
}

impl Jar {
    /// Takes one `Set-Cookie` value (or what a script assigned to `document.cookie`); cookies for
    /// other domains are dropped, as browsers do. `now` is seconds since 1970.
    pub fn set(&mut self, url: &Url, text: &str, now: u64, from_script: bool) -> bool {
        let Some(host) = url.host_str() else { return false };
        let mut parts = text.split(';');
        let first = parts.next().unwrap_or_default();
        let (name, value) = first.split_once('=').unwrap_or(("", first));
        let directory = url.path().rfind('/').map_or("/", |at| &url.path()[..at.max(1)]);
        let mut cookie = Cookie {
            name: name.trim().into(),
            value: value.trim().into(),
            domain: host.to_owned(),
            host_only: true,
            path: directory.to_owned(),
            expiry: None,
            secure: false,
            http_only: false,
        };
        let mut max_age = None;
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "path" if value.starts_with('/') => cookie.path = value.into(),
                "domain" if !value.is_empty() => {
                    cookie.domain = value.trim_start_matches('.').to_ascii_lowercase();
                    cookie.host_only = false;
                }
                "max-age" => max_age = value.parse::<i64>().ok(),
                "expires" => cookie.expiry = http_date(value),
                "secure" => cookie.secure = true,
                "httponly" => cookie.http_only = true,
                _ => {}
            }
        }
        if let Some(age) = max_age {
            cookie.expiry = Some(now.saturating_add_signed(age.max(-1)).max(u64::from(age > 0)));
            if age <= 0 {
                cookie.expiry = Some(0);
            }
        }
        if !host_matches(host, &cookie.domain, cookie.host_only) || (from_script && cookie.http_only) {
            return false;
        }
        self.put(cookie, now);
        true
    }

    /// Stores a cookie, replacing the one of the same name, domain and path; an expired one deletes.
    pub fn put(&mut self, cookie: Cookie, now: u64) {
        let same = |c: &Cookie| c.name == cookie.name && c.domain == cookie.domain && c.path == cookie.path;
        let place = self.cookies.iter().position(same);
        if cookie.expiry.is_some_and(|expiry| expiry <= now) {
            if let Some(at) = place {
                self.cookies.remove(at);
            }
            return;
        }
        match place {
            Some(at) => self.cookies[at] = cookie,
            None => self.cookies.push(cookie),
        }
    }

    /// Cookies an address gets, in order.
    pub fn matching<'a>(&'a self, url: &'a Url, now: u64) -> impl Iterator<Item = &'a Cookie> {
        let host = url.host_str().unwrap_or_default();
        self.cookies.iter().filter(move |cookie| {
            host_matches(host, &cookie.domain, cookie.host_only)
                && path_matches(url.path(), &cookie.path)
                && (!cookie.secure || url.scheme() == "https")
                && cookie.expiry.is_none_or(|expiry| expiry > now)
        })
    }

    /// The `Cookie` header, or `document.cookie` without the hidden ones.
    pub fn header(&self, url: &Url, now: u64, for_script: bool) -> String {
        let pairs = self.matching(url, now).filter(|cookie| !for_script || !cookie.http_only);
        let text = |cookie: &Cookie| match cookie.name.as_str() {
            "" => cookie.value.clone(),
            name => format!("{name}={}", cookie.value),
        };
        pairs.map(text).collect::<Vec<_>>().join("; ")
    }

    /// Removes what the address sees, one name or all.
    pub fn remove(&mut self, url: &Url, name: Option<&str>, now: u64) {
        let gone: Vec<Cookie> = self
            .matching(url, now)
            .filter(|cookie| name.is_none_or(|name| cookie.name == name))
            .cloned()
            .collect();
        self.cookies.retain(|cookie| !gone.contains(cookie));
    }
}

fn host_matches(host: &str, domain: &str, host_only: bool) -> bool {
    host == domain || (!host_only && host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')))
}

fn path_matches(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || prefix.ends_with('/') || rest.starts_with('/'))
}

/// `Wed, 21 Oct 2015 07:28:00 GMT` and its older spellings, in seconds since 1970.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let lower = text.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split([' ', '-', ',']).filter(|part| !part.is_empty()).collect();
    let [.., day, month, year, time, _zone] = parts.as_slice() else { return None };
    let month = MONTHS.find(month.get(..3)?)? as i64 / 3 + 1;
    let (day, mut year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
    if year < 100 {
        year += if year < 70 { 2000 } else { 1900 };
    }
    let mut clock = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    u64::try_from(days * 86_400 + hour * 3600 + minute * 60 + second).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn cookies_go_where_host_path_and_scheme_allow() {
        let mut jar = Jar::default();
        let page = url("http://a.demo.test/app/login.asp");
        assert!(jar.set(&page, "id=7; HttpOnly", 0, false));
        assert!(jar.set(&page, "all=1; path=/; domain=.demo.test", 0, false));
        assert!(jar.set(&page, "s=1; path=/; secure", 0, false));
        assert!(!jar.set(&page, "bad=1; domain=other.test", 0, false));
        assert_eq!(jar.header(&page, 0, false), "id=7; all=1");
        assert_eq!(jar.header(&page, 0, true), "all=1");
        assert_eq!(jar.header(&url("http://a.demo.test/apples"), 0, false), "all=1");
        assert_eq!(jar.header(&url("https://b.demo.test/"), 0, false), "all=1");
        assert_eq!(jar.header(&url("https://a.demo.test/app/x"), 0, false), "id=7; all=1; s=1");
    }

    #[test]
    fn expiry_deletes() {
        let mut jar = Jar::default();
        let page = url("http://demo.test/");
        jar.set(&page, "a=1; max-age=10", 100, false);
        assert_eq!(jar.header(&page, 109, false), "a=1");
        assert_eq!(jar.header(&page, 110, false), "");
        jar.set(&page, "b=1", 100, false);
        jar.set(&page, "b=; expires=Thu, 01-Jan-1970 00:00:01 GMT", 100, false);
        assert_eq!(jar.header(&page, 100, false), "a=1");
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
    }
}
