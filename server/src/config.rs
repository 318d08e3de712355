//! Configuration of the server: one struct, every default written here. Does not own: the command
//! line (`main.rs`).

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the operator may set (`contract.md` sections 1.2, 2.2, 2.6, 2.7). Holds nothing secret: the
/// harness stores it in the manifest of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// `IE_MCP_EDGE_PATH`: path of msedge.exe; unset: the driver finds Edge.
    pub edge_path: Option<PathBuf>,
    /// `IE_MCP_DRIVER_PATH`: path of IEDriverServer.exe; unset: searched on `PATH`.
    pub driver_path: Option<PathBuf>,
    /// `IE_MCP_DRIVER_URL`: a driver or hub that runs already; then no process is started or ended.
    pub driver_url: Option<String>,
    /// `IE_MCP_ALLOWED_ORIGINS`: origins that `navigate` may open; empty means any.
    pub allowed_origins: Vec<String>,
    /// `IE_MCP_ALLOWED_ORIGINS_STRICT`: pages reached on other origins are refused too.
    pub allowed_origins_strict: bool,
    /// `IE_MCP_TIMEOUT_MS`: default limit for finding elements and for waits, in ms.
    pub timeout_ms: u64,
    /// `IE_MCP_PAGE_LOAD_MS`: limit of a page load, in ms.
    pub page_load_ms: u64,
    /// `IE_MCP_START_MS`: limit of `browser_start`, in ms.
    pub start_ms: u64,
    /// `IE_MCP_READ_ONLY`: `click`, `type` and `select` refuse.
    pub read_only: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            edge_path: None,
            driver_path: None,
            driver_url: None,
            allowed_origins: Vec::new(),
            allowed_origins_strict: false,
            timeout_ms: 10_000,
            page_load_ms: 30_000,
            start_ms: 55_000,
            read_only: false,
        }
    }
}

/// One variable of the operator, which is a flag too.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Name in the environment.
    pub name: &'static str,
    /// Name on the command line, without the dashes.
    pub flag: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What holds when it is unset or empty.
    pub default: &'static str,
}

const fn variable(
    name: &'static str,
    flag: &'static str,
    meaning: &'static str,
    default: &'static str,
) -> Variable {
    Variable { name, flag, meaning, default }
}

/// All variables; README's table and the command line derive from it.
pub static VARIABLES: &[Variable] = &[
    variable("IE_MCP_EDGE_PATH", "edge-path", "path of msedge.exe", "the driver finds Edge"),
    variable("IE_MCP_DRIVER_PATH", "driver-path", "path of IEDriverServer.exe", "searched on PATH"),
    variable(
        "IE_MCP_DRIVER_URL",
        "driver-url",
        "http address of a driver or Selenium Grid hub that runs already",
        "unset",
    ),
    variable(
        "IE_MCP_ALLOWED_ORIGINS",
        "allowed-origins",
        "comma-separated origins that navigate may open; * = any",
        "*",
    ),
    variable(
        "IE_MCP_ALLOWED_ORIGINS_STRICT",
        "allowed-origins-strict",
        "1: refuse pages reached on other origins too",
        "0",
    ),
    variable("IE_MCP_TIMEOUT_MS", "timeout-ms", "limit for finding elements and for waits, in ms", "10000"),
    variable("IE_MCP_PAGE_LOAD_MS", "page-load-ms", "limit of a page load, in ms", "30000"),
    variable("IE_MCP_START_MS", "start-ms", "limit of browser_start, in ms", "55000"),
    variable("IE_MCP_READ_ONLY", "read-only", "1: click, type and select refuse", "0"),
];

/// Largest limit that fits below the cap of a call.
const MAX_MS: u64 = 55_000;

impl Config {
    /// Reads the settings; `value_of` gives the text of a variable or its flag. Empty means unset.
    ///
    /// # Errors
    /// A text that names the variable, its value and what it must be.
    pub fn read(value_of: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let get = |name| value_of(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let ms = |name, default| match get(name) {
            None => Ok(default),
            Some(text) => text.parse().ok().filter(|ms| *ms <= MAX_MS).ok_or_else(|| {
                format!("{name} must be a whole number of milliseconds from 0 to {MAX_MS}, but is \"{text}\"")
            }),
        };
        let switch = |name| match get(name).as_deref() {
            None | Some("0" | "false") => Ok(false),
            Some("1" | "true") => Ok(true),
            Some(text) => Err(format!("{name} must be 0 or 1, but is \"{text}\"")),
        };
        let default = Self::default();
        Ok(Self {
            edge_path: get("IE_MCP_EDGE_PATH").map(path),
            driver_path: get("IE_MCP_DRIVER_PATH").map(path),
            driver_url: get("IE_MCP_DRIVER_URL").map(driver_url).transpose()?,
            allowed_origins: origins(get("IE_MCP_ALLOWED_ORIGINS").as_deref())?,
            allowed_origins_strict: switch("IE_MCP_ALLOWED_ORIGINS_STRICT")?,
            timeout_ms: ms("IE_MCP_TIMEOUT_MS", default.timeout_ms)?,
            page_load_ms: ms("IE_MCP_PAGE_LOAD_MS", default.page_load_ms)?,
            start_ms: ms("IE_MCP_START_MS", default.start_ms)?,
            read_only: switch("IE_MCP_READ_ONLY")?,
        })
    }
}

/// Windows users copy paths with their quotes ("Copy as path").
fn path(text: String) -> PathBuf {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(bare) => bare.into(),
        None => text.into(),
    }
}

fn driver_url(text: String) -> Result<String, String> {
    match url::Url::parse(&text) {
        Ok(url) if url.scheme() == "http" && url.host_str().is_some() => Ok(text),
        _ => Err(format!("IE_MCP_DRIVER_URL must be an http address, but is \"{text}\"")),
    }
}

/// Normalised origins; empty means any.
fn origins(text: Option<&str>) -> Result<Vec<String>, String> {
    let mut list = Vec::new();
    for item in text.unwrap_or("*").split(',').map(str::trim).filter(|item| !item.is_empty()) {
        if item == "*" {
            return Ok(Vec::new());
        }
        let wrong = || {
            format!(
                "IE_MCP_ALLOWED_ORIGINS must list origins such as http://legacy01.local, but has \"{item}\""
            )
        };
        let url = url::Url::parse(item).map_err(|_| wrong())?;
        let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        if !url.has_host() || !bare || !url.username().is_empty() || url.password().is_some() {
            return Err(wrong());
        }
        list.push(url.as_str().trim_end_matches('/').to_owned());
    }
    if list.is_empty() {
        return Err("IE_MCP_ALLOWED_ORIGINS lists no origin; leave it unset or write * to allow any".into());
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, value: &str) -> Result<Config, String> {
        Config::read(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn unset_and_empty_give_the_defaults() {
        assert_eq!(Config::read(|_| None), Ok(Config::default()));
        for variable in VARIABLES {
            assert_eq!(read(variable.name, " "), Ok(Config::default()), "{}", variable.name);
        }
    }

    #[test]
    fn broken_values_name_their_variable() {
        for (name, value) in [
            ("IE_MCP_DRIVER_URL", "https://grid/"),
            ("IE_MCP_ALLOWED_ORIGINS", "legacy01.local"),
            ("IE_MCP_ALLOWED_ORIGINS", "http://legacy01.local/path"),
            ("IE_MCP_ALLOWED_ORIGINS", ","),
            ("IE_MCP_ALLOWED_ORIGINS_STRICT", "yes please"),
            ("IE_MCP_TIMEOUT_MS", "soon"),
            ("IE_MCP_TIMEOUT_MS", "-1"),
            ("IE_MCP_PAGE_LOAD_MS", "1.5"),
            ("IE_MCP_START_MS", "55001"),
            ("IE_MCP_READ_ONLY", "2"),
        ] {
            let message = read(name, value).expect_err(value);
            assert!(message.contains(name), "{message}");
        }
    }

    #[test]
    fn paths_lose_the_quotes_they_were_copied_with() {
        let config = read("IE_MCP_DRIVER_PATH", r#""C:\Program Files\IEDriverServer.exe""#);
        let path = config.expect("valid").driver_path;
        assert_eq!(path, Some(PathBuf::from(r"C:\Program Files\IEDriverServer.exe")));
    }

    #[test]
    fn origins_lose_slash_and_default_port() {
        let config = read("IE_MCP_ALLOWED_ORIGINS", "HTTP://Legacy01.local:80/, https://b.test:8443");
        assert_eq!(config.expect("valid").allowed_origins, ["http://legacy01.local", "https://b.test:8443"]);
        assert_eq!(read("IE_MCP_ALLOWED_ORIGINS", "*").expect("valid").allowed_origins, Vec::<String>::new());
    }
}
