//! Capabilities of a new session.
//!
//! Owns: validation, merging and matching with the driver's texts, the echo, and its flat form
//! (`reference/iedriver-wire.md` sections 3.2 and 4, captures). Does not own: starting a browser.

use super::backend::DriverError;
use serde_json::{Map, Value, json};

/// Where Edge stands on an ordinary machine.
pub const EDGE_PATH: &str = r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe";

/// What the machine contributes to the answer.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// First page unless the client names one: `http://localhost:<port>/`.
    pub start_url: String,
    /// Path of msedge.exe as driver 4.5 and later find it; echoed if the client asks for Edge mode
    /// without a path.
    pub edge_path: String,
}

/// A request that validated and matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Granted {
    /// Member `capabilities` of the answer.
    pub echo: Map<String, Value>,
    /// First page.
    pub start_url: String,
}

impl Granted {
    /// Value of `unhandledPromptBehavior`.
    pub fn prompt_behavior(&self) -> &str {
        self.echo.get("unhandledPromptBehavior").and_then(Value::as_str).unwrap_or("dismiss and notify")
    }

    /// Value of `pageLoadStrategy`.
    pub fn page_load_strategy(&self) -> &str {
        self.echo.get("pageLoadStrategy").and_then(Value::as_str).unwrap_or("normal")
    }
}

/// Validates and matches the body of `POST /session`.
///
/// # Errors
/// `invalid argument` or `session not created` with the driver's text.
pub fn grant(body: &Map<String, Value>, machine: &Machine) -> Result<Granted, DriverError> {
    let Some(capabilities) = body.get("capabilities") else {
        return Err(invalid("No property named 'capabilities' found in new session request body."));
    };
    let Some(capabilities) = capabilities.as_object() else {
        return Err(invalid("'capabilities' in new session request body is not a JSON object."));
    };
    let always = match capabilities.get("alwaysMatch") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(members)) => without_nulls(members),
        Some(_) => return Err(invalid("alwaysMatch must be a JSON object")),
    };
    validate(&always, "alwaysMatch").map_err(invalid)?;
    let first = first_match(capabilities.get("firstMatch"))?;

    let mut reasons = Vec::new();
    for (n, entry) in first.into_iter().enumerate() {
        let mut merged = always.clone();
        for (name, value) in entry {
            if merged.contains_key(&name) {
                return Err(invalid(format!("Cannot merge capabilities: {name} is already specified")));
            }
            merged.insert(name, value);
        }
        match mismatch(&merged) {
            None => return Ok(echo(&merged, machine)),
            Some(reason) => reasons.push(format!("\nUnable to match capability set {n}: {reason}")),
        }
    }
    let message = format!("No matching capability sets found.{}", reasons.concat());
    Err(DriverError::new("session not created", message))
}

fn invalid(message: impl Into<String>) -> DriverError {
    DriverError::new("invalid argument", message)
}

fn without_nulls(members: &Map<String, Value>) -> Map<String, Value> {
    members
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn first_match(list: Option<&Value>) -> Result<Vec<Map<String, Value>>, DriverError> {
    let entries = match list {
        None | Some(Value::Null) => return Ok(vec![Map::new()]),
        Some(Value::Array(entries)) if entries.is_empty() => return Ok(vec![Map::new()]),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(invalid("firstMatch must be a JSON list")),
    };
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for (n, entry) in entries.iter().enumerate() {
        match entry.as_object().map(without_nulls) {
            None => bad.push(format!("firstMatch element {n} is not a JSON object.")),
            Some(members) => match validate(&members, &format!("firstMatch element {n}")) {
                Ok(()) => good.push(members),
                Err(message) => bad.push(message),
            },
        }
    }
    if bad.is_empty() {
        return Ok(good);
    }
    Err(invalid(format!("All firstMatch elements failed validation\n{}", bad.join("\n"))))
}

fn type_word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Members in the order of the driver's JSON library: by the bytes of their names.
fn sorted(members: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut list: Vec<_> = members.iter().collect();
    list.sort_unstable_by_key(|(name, _)| *name);
    list
}

fn validate(members: &Map<String, Value>, place: &str) -> Result<(), String> {
    for (name, value) in sorted(members) {
        check(name, value).map_err(|reason| format!("Invalid capabilities in {place}: {reason}"))?;
    }
    Ok(())
}

fn of_type(name: &str, value: &Value, wanted: &str) -> Result<(), String> {
    let actual = type_word(value);
    if actual == wanted { Ok(()) } else { Err(format!("{name} is type {actual} instead of {wanted}")) }
}

fn check(name: &str, value: &Value) -> Result<(), String> {
    let text = value.as_str().unwrap_or_default();
    match name {
        "acceptInsecureCerts" | "strictFileInteractability" => of_type(name, value, "boolean"),
        "browserName" | "browserVersion" | "platformName" => of_type(name, value, "string"),
        "unhandledPromptBehavior" => {
            of_type(name, value, "string")?;
            const GOOD: [&str; 5] =
                ["dismiss", "accept", "dismiss and notify", "accept and notify", "ignore"];
            if GOOD.contains(&text) {
                return Ok(());
            }
            Err(format!("unhandledPromptBehavior is {text} but must be 'accept' or 'dismiss'"))
        }
        "pageLoadStrategy" => {
            of_type(name, value, "string")?;
            if ["none", "eager", "normal"].contains(&text) {
                return Ok(());
            }
            Err(format!("pageLoadStrategy is {text} but must be 'none', 'eager', or 'normal'"))
        }
        "timeouts" => {
            of_type(name, value, "object")?;
            value
                .as_object()
                .into_iter()
                .flat_map(sorted)
                .try_for_each(|(name, value)| check_timeout(name, value))
        }
        "proxy" => {
            of_type(name, value, "object")?;
            value
                .as_object()
                .into_iter()
                .flat_map(sorted)
                .try_for_each(|(name, value)| check_proxy(name, value))
        }
        "se:ieOptions" => of_type(name, value, "object"),
        _ if name.contains(':') => Ok(()),
        _ => Err(format!("unknown capability named {name}")),
    }
}

fn check_timeout(name: &str, value: &Value) -> Result<(), String> {
    if !["implicit", "pageLoad", "script"].contains(&name) {
        return Err(format!(
            "a timeout named {name} is specified, but timeout names must be 'implicit', 'pageLoad', or 'script'"
        ));
    }
    if name == "script" && value.is_null() {
        return Ok(());
    }
    // To the driver a number beyond 64 bits is no integer.
    let integral = |n: &f64| n.fract() == 0.0 && (i64::MIN as f64..u64::MAX as f64).contains(n);
    let whole = value.as_i64().or_else(|| value.as_f64().filter(integral).map(|n| n as i64));
    match whole {
        None => Err(format!("timeout {name}must be an integer")),
        Some(0..=0x1f_ffff_ffff_ffff) => Ok(()),
        Some(_) => Err(format!("timeout {name}must be an integer between 0 and 2^53 - 1")),
    }
}

fn check_proxy(name: &str, value: &Value) -> Result<(), String> {
    let typed = |wanted: &str| {
        let actual = type_word(value);
        if actual == wanted {
            return Ok(());
        }
        Err(format!("proxy setting {name} is type {actual} instead of {wanted}"))
    };
    match name {
        "proxyType" => {
            typed("string")?;
            let kind = value.as_str().unwrap_or_default();
            if ["pac", "direct", "autodetect", "system", "manual"].contains(&kind.to_lowercase().as_str()) {
                return Ok(());
            }
            Err(format!(
                "a proxy type named {kind} is specified, but proxy type must be 'pac', 'direct', 'autodetect', 'system', or 'manual'"
            ))
        }
        "proxyAutoconfigUrl" | "ftpProxy" | "httpProxy" | "sslProxy" | "socksProxy" => typed("string"),
        "noProxy" => typed("array"),
        "socksVersion" => {
            typed("number")?;
            if value.as_i64().is_some_and(|version| (0..=255).contains(&version)) {
                return Ok(());
            }
            Err("SOCKS version must be between 0 and 255.".into())
        }
        // The driver leaves the name out.
        _ => Err("unknown proxy setting named ".into()),
    }
}

fn mismatch(members: &Map<String, Value>) -> Option<String> {
    for (name, value) in sorted(members) {
        let text = value.as_str().unwrap_or_default();
        match name.as_str() {
            "browserName" if text != "internet explorer" => {
                return Some(format!("browserName must be 'internet explorer', but was '{text}'"));
            }
            "platformName" if text != "windows" => {
                return Some(format!("platformName must be 'windows', but was '{text}'"));
            }
            "browserVersion" if leading_integer(text) != "11" => {
                return Some(format!(
                    "requested browserVersion value was '{text}', but the installed version of IE is 11 (note: only exact matches on major version number are supported)"
                ));
            }
            "acceptInsecureCerts" if value == &Value::Bool(true) => {
                return Some("acceptInsecureCerts was 'true', but the IE driver does not allow bypassing insecure (self-signed) SSL certificates".into());
            }
            "se:ieOptions" => {}
            _ if name.contains(':') && !name.starts_with("test:") => {
                return Some(format!("{name} is an unknown extension capability for IE"));
            }
            _ => {}
        }
    }
    None
}

fn leading_integer(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

fn echo(members: &Map<String, Value>, machine: &Machine) -> Granted {
    let empty = Map::new();
    let asked = members.get("se:ieOptions").and_then(Value::as_object).unwrap_or(&empty);
    // A member of the wrong type takes its default without a word.
    let option = |name: &str, default: Value| {
        asked.get(name).filter(|value| type_word(value) == type_word(&default)).cloned().unwrap_or(default)
    };
    let edge = option("ie.edgechromium", json!(false));
    let found_edge = if edge == json!(true) { machine.edge_path.as_str() } else { "" };
    let mut edge_path = option("ie.edgepath", json!(""));
    if edge_path == json!("") {
        edge_path = found_edge.into();
    }
    let start_url = option("initialBrowserUrl", machine.start_url.as_str().into());
    let focus = option("requireWindowFocus", json!(false));
    let native = option("nativeEvents", json!(true));
    let hover = option("enablePersistentHover", json!(true)) == json!(true)
        && focus == json!(false)
        && native == json!(true);
    let mut timeouts = Map::new();
    for (name, default) in [("implicit", 0), ("pageLoad", 300_000), ("script", 30_000)] {
        let given = members.get("timeouts").and_then(|timeouts| timeouts.get(name)).cloned();
        timeouts.insert(name.to_owned(), given.unwrap_or(default.into()));
    }
    let proxy = proxy_echo(members.get("proxy"));
    let mut options = json!({
        "browserAttachTimeout": option("browserAttachTimeout", json!(0)),
        "elementScrollBehavior": option("elementScrollBehavior", json!(0)),
        "enablePersistentHover": hover,
        "ie.browserCommandLineSwitches": option("ie.browserCommandLineSwitches", json!("")),
        "ie.edgechromium": edge,
        "ie.edgepath": edge_path,
        "ie.ensureCleanSession": option("ie.ensureCleanSession", json!(false)),
        "ie.fileUploadDialogTimeout": option("ie.fileUploadDialogTimeout", json!(3000)),
        "ie.forceCreateProcessApi": option("ie.forceCreateProcessApi", json!(false)),
        "ignoreProtectedModeSettings": option("ignoreProtectedModeSettings", json!(false)),
        "ignoreZoomSetting": option("ignoreZoomSetting", json!(false)),
        "initialBrowserUrl": start_url,
        "nativeEvents": native,
        "requireWindowFocus": focus,
    });
    if proxy != json!({}) {
        options["ie.usePerProcessProxy"] = option("ie.usePerProcessProxy", json!(false));
    }
    let given = |name: &str, default: Value| members.get(name).cloned().unwrap_or(default);
    let echo = json!({
        "acceptInsecureCerts": false,
        "browserName": "internet explorer",
        "browserVersion": "11",
        "pageLoadStrategy": given("pageLoadStrategy", json!("normal")),
        "platformName": "windows",
        "proxy": proxy,
        "se:ieOptions": options,
        "setWindowRect": true,
        "strictFileInteractability": given("strictFileInteractability", json!(false)),
        "timeouts": timeouts,
        "unhandledPromptBehavior": given("unhandledPromptBehavior", json!("dismiss and notify")),
    });
    let start_url = start_url.as_str().unwrap_or_default().to_owned();
    Granted { echo: echo.as_object().cloned().unwrap_or_default(), start_url }
}

fn proxy_echo(asked: Option<&Value>) -> Value {
    let mut echo = Map::new();
    for (name, value) in asked.and_then(Value::as_object).into_iter().flatten() {
        let text = match (name.as_str(), value) {
            ("proxyType", Value::String(kind)) => kind.to_lowercase(),
            ("noProxy", Value::Array(hosts)) => {
                hosts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(";")
            }
            ("socksVersion", _) => continue,
            (_, Value::String(text)) => text.clone(),
            _ => continue,
        };
        echo.insert(name.clone(), text.into());
    }
    Value::Object(echo)
}

/// The flat form that `GET /session/{s}` and `/sessions` give (section 3.2).
pub fn flat(echo: &Map<String, Value>) -> Value {
    const TOP: [&str; 5] =
        ["browserName", "browserVersion", "platformName", "pageLoadStrategy", "unhandledPromptBehavior"];
    const HIDDEN: [&str; 2] = ["ie.edgechromium", "ie.edgepath"];
    let mut flat: Map<String, Value> =
        TOP.iter().filter_map(|name| Some(((*name).to_owned(), echo.get(*name)?.clone()))).collect();
    for (name, value) in echo.get("se:ieOptions").and_then(Value::as_object).into_iter().flatten() {
        if !HIDDEN.contains(&name.as_str()) {
            flat.insert(name.clone(), value.clone());
        }
    }
    flat.entry("ie.usePerProcessProxy").or_insert(false.into());
    if let Some(proxy) = echo.get("proxy").filter(|proxy| **proxy != json!({})) {
        flat.insert("proxy".into(), proxy.clone());
    }
    Value::Object(flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(body: Value) -> Result<Granted, DriverError> {
        let machine =
            Machine { start_url: "http://localhost:5555/".into(), edge_path: "C:\\msedge.exe".into() };
        grant(body.as_object().expect("object"), &machine)
    }

    fn check_refused(always: Value, code: &str, message: &str) {
        let error = ask(json!({ "capabilities": { "alwaysMatch": always } })).expect_err("refused");
        assert_eq!((error.code.as_str(), error.message.as_str()), (code, message));
    }

    #[test]
    fn refusals_have_the_drivers_texts() {
        let (bad, none) = ("invalid argument", "session not created");
        check_refused(json!(5), bad, "alwaysMatch must be a JSON object");
        check_refused(
            json!({"browserName": 1}),
            bad,
            "Invalid capabilities in alwaysMatch: browserName is type number instead of string",
        );
        check_refused(
            json!({"webSocketUrl": true}),
            bad,
            "Invalid capabilities in alwaysMatch: unknown capability named webSocketUrl",
        );
        check_refused(
            json!({"timeouts": {"script": 1.5}}),
            bad,
            "Invalid capabilities in alwaysMatch: timeout scriptmust be an integer",
        );
        check_refused(
            json!({"unhandledPromptBehavior": "x"}),
            bad,
            "Invalid capabilities in alwaysMatch: unhandledPromptBehavior is x but must be 'accept' or 'dismiss'",
        );
        check_refused(
            json!({"platformName": "Windows"}),
            none,
            "No matching capability sets found.\nUnable to match capability set 0: platformName must be 'windows', but was 'Windows'",
        );
        check_refused(
            json!({"timeouts": {"implicit": true, "foo": 1}}),
            bad,
            "Invalid capabilities in alwaysMatch: a timeout named foo is specified, but timeout names must be 'implicit', 'pageLoad', or 'script'",
        );
        check_refused(
            json!({"timeouts": {"implicit": 1e20}}),
            bad,
            "Invalid capabilities in alwaysMatch: timeout implicitmust be an integer",
        );
        check_refused(
            json!({"browserName": "firefox", "a:b": 1}),
            none,
            "No matching capability sets found.\nUnable to match capability set 0: a:b is an unknown extension capability for IE",
        );
        check_refused(
            json!({"ms:edgeOptions": {}}),
            none,
            "No matching capability sets found.\nUnable to match capability set 0: ms:edgeOptions is an unknown extension capability for IE",
        );
        let error = ask(json!({"capabilities": {"firstMatch": [1, {"a": 1}, {}]}})).expect_err("refused");
        assert_eq!(
            error.message,
            "All firstMatch elements failed validation\nfirstMatch element 0 is not a JSON object.\nInvalid capabilities in firstMatch element 1: unknown capability named a"
        );
    }

    #[test]
    fn edge_mode_is_told_only_by_its_option() {
        let granted = ask(json!({"capabilities": {"firstMatch": [], "alwaysMatch": {"se:ieOptions": {"ie.edgechromium": true, "ignoreZoomSetting": "yes"}}}})).expect("granted");
        let options = &granted.echo["se:ieOptions"];
        assert_eq!(granted.echo["browserName"], "internet explorer");
        assert_eq!(
            (&options["ie.edgechromium"], &options["ie.edgepath"]),
            (&json!(true), &json!("C:\\msedge.exe"))
        );
        assert_eq!(options["ignoreZoomSetting"], json!(false));
        assert_eq!(granted.start_url, "http://localhost:5555/");
    }
}
