//! Where commands of the driver carry secrets.
//!
//! Owns: which member of which request or answer is secret because of where it stands (`replay.md` section 6), short
//! values included. Does not own: masking by value (`secrets`), whether a field is one for passwords (`shim::fields`).

use super::{encodings::SHORTEST, events::Field, secrets::Secrets};
use serde_json::{Value, json};

/// What is known of a request beside itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    /// Where what it types goes.
    pub(super) field: Option<Field>,
    /// The text of the tool call that is running, if it types one.
    pub(super) typed: Option<&'a str>,
    /// A tool call is running.
    pub(super) in_call: bool,
}

impl Around<'_> {
    /// Name for what is typed; none if it is no secret.
    fn slot(&self) -> Option<&'static str> {
        match self.field? {
            Field::Password => Some("password"),
            Field::Unknown => Some("typed"),
            Field::Plain => None,
        }
    }
}

/// Takes the secrets of a request before it is passed on.
pub(super) fn learn(secrets: &mut Secrets, command: &str, body: &Value, around: Around<'_>) {
    match (command, around.slot()) {
        ("elementSendKeys", Some(slot)) => {
            let text = body["text"].as_str().map(str::to_owned);
            let text = text.unwrap_or_else(|| strings(&body["value"]).collect());
            if is_named_key(&text) {
                return;
            }
            secrets.add(slot, &text);
            // It may be a part of the tool's text.
            secrets.add(slot, around.typed.unwrap_or_default());
        }
        ("executeScript" | "executeAsyncScript", Some(slot)) => {
            for text in strings(&body["args"]) {
                // A script of a tool has other texts beside what is typed; of a foreign one nothing is known.
                if around.typed == Some(text) || !around.in_call {
                    secrets.add(slot, text);
                }
            }
        }
        ("setAlertCredentials", _) => {
            for name in ["username", "password"] {
                secrets.add(name, body[name].as_str().unwrap_or_default());
            }
        }
        ("performActions", _) => drop(secrets.add("keys", &key_actions(body))),
        _ => {}
    }
}

/// The request's body with symbols, masked. `body` is the one that came.
pub(super) fn mask_request(
    secrets: &mut Secrets,
    command: &str,
    body: &Value,
    mut req: Value,
    around: Around<'_>,
) -> Value {
    match (command, around.slot()) {
        ("elementSendKeys", Some(slot)) => {
            for name in ["text", "value"] {
                let text = match &body[name] {
                    Value::String(text) => text.clone(),
                    Value::Array(_) => strings(&body[name]).collect(),
                    _ => continue,
                };
                if !is_named_key(&text) {
                    let mark = secrets.add(slot, &text);
                    req[name] = if body[name].is_array() { json!([mark]) } else { mark.into() };
                }
            }
        }
        ("executeScript" | "executeAsyncScript", _) => {
            req["args"].as_array_mut().into_iter().flatten().for_each(|arg| whole(secrets, arg));
        }
        ("setAlertCredentials", _) => {
            ["username", "password"].into_iter().for_each(|name| whole(secrets, &mut req[name]));
        }
        ("performActions", _) => mask_key_actions(&mut req),
        ("addCookie", _) => mask_cookie(secrets, &mut req["cookie"]),
        _ => {}
    }
    secrets.redact(req)
}

/// The value of an answer, masked.
pub(super) fn mask_answer(secrets: &mut Secrets, command: &str, mut value: Value) -> Value {
    match command {
        "getAllCookies" => {
            value.as_array_mut().into_iter().flatten().for_each(|cookie| mask_cookie(secrets, cookie));
        }
        "getNamedCookie" => mask_cookie(secrets, &mut value),
        "getElementProperty" | "getElementAttribute" | "getElementText" => whole(secrets, &mut value),
        _ => {}
    }
    secrets.redact(value)
}

fn whole(secrets: &Secrets, value: &mut Value) {
    if let Some(mark) = value.as_str().and_then(|text| secrets.whole(text)) {
        *value = mark.into();
    }
}

fn mask_cookie(secrets: &mut Secrets, cookie: &mut Value) {
    let Some(text) = cookie.get("value").and_then(Value::as_str).filter(|text| !text.is_empty()) else {
        return;
    };
    // A short one is a word of any text: it is masked here only.
    let short = text.chars().count() < SHORTEST;
    let mark = if short { "{{secret:cookie}}".to_owned() } else { secrets.add("cookie", text) };
    cookie["value"] = mark.into();
}

/// The strings of a list.
pub(super) fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// What key actions type, without named keys.
fn key_actions(body: &Value) -> String {
    let sources = body["actions"].as_array().into_iter().flatten();
    let actions =
        sources.filter(|source| source["type"] == "key").flat_map(|source| source["actions"].as_array());
    actions
        .flatten()
        .filter(|action| action["type"] == "keyDown")
        .filter_map(|action| action["value"].as_str())
        .filter(|value| !is_named_key(value))
        .collect()
}

fn mask_key_actions(body: &mut Value) {
    for source in body["actions"].as_array_mut().into_iter().flatten() {
        for action in source["actions"].as_array_mut().into_iter().flatten() {
            if action["value"].as_str().is_some_and(|value| !is_named_key(value)) {
                action["value"] = "{{secret:keys}}".into();
            }
        }
    }
}

/// Nothing but keys such as Enter (WebDriver's code points U+E000 to U+F8FF).
fn is_named_key(text: &str) -> bool {
    text.chars().all(|c| ('\u{e000}'..='\u{f8ff}').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(command: &str, body: &Value, around: Around<'_>) -> (Secrets, Value) {
        let mut secrets = Secrets::default();
        learn(&mut secrets, command, body, around);
        let req = mask_request(&mut secrets, command, body, body.clone(), around);
        (secrets, req)
    }

    fn around(field: Option<Field>) -> Around<'static> {
        Around { field, typed: None, in_call: false }
    }

    #[test]
    fn keys_into_a_password_field_are_masked_even_if_short_and_named_keys_are_not() {
        let body = json!({ "text": "1234", "value": ["1", "2", "3", "4"] });
        let (_, req) = masked("elementSendKeys", &body, around(Some(Field::Password)));
        assert_eq!(req, json!({ "text": "{{secret:password}}", "value": ["{{secret:password}}"] }));
        let (_, req) = masked("elementSendKeys", &body, around(Some(Field::Plain)));
        assert_eq!(req, body);
        let enter = json!({ "text": "\u{e007}" });
        let (secrets, req) = masked("elementSendKeys", &enter, around(Some(Field::Password)));
        assert_eq!((req, secrets.whole("\u{e007}")), (enter, None));
    }

    #[test]
    fn a_text_typed_in_pieces_is_secret_as_a_whole_too() {
        let part = json!({ "text": "geheim" });
        let around = Around { field: Some(Field::Password), typed: Some("geheimnis"), in_call: true };
        let (secrets, _) = masked("elementSendKeys", &part, around);
        assert_eq!(secrets.whole("geheimnis").as_deref(), Some("{{secret:password2}}"));
    }

    #[test]
    fn of_a_tools_script_only_what_is_typed_is_secret() {
        let body = json!({ "script": "x", "args": ["change", "geheim", { "el": "e1" }] });
        let tool = Around { field: Some(Field::Password), typed: Some("geheim"), in_call: true };
        let (_, req) = masked("executeScript", &body, tool);
        assert_eq!(req["args"], json!(["change", "{{secret:password}}", { "el": "e1" }]));
        let (_, req) = masked("executeScript", &body, around(Some(Field::Unknown)));
        assert_eq!(req["args"], json!(["{{secret:typed}}", "{{secret:typed2}}", { "el": "e1" }]));
    }

    #[test]
    fn credentials_cookies_and_key_actions_are_masked_where_they_stand() {
        let body = json!({ "username": "u", "password": "p" });
        let (_, req) = masked("setAlertCredentials", &body, around(None));
        assert_eq!(req, json!({ "username": "{{secret:username}}", "password": "{{secret:password}}" }));
        let (_, req) = masked("addCookie", &json!({ "cookie": { "name": "a", "value": "1" } }), around(None));
        assert_eq!(req["cookie"]["value"], "{{secret:cookie}}");
        let cookies = json!([{ "name": "s", "value": "0123456789" }, { "name": "e", "value": "" }]);
        let cookies = mask_answer(&mut Secrets::default(), "getAllCookies", cookies);
        assert_eq!((&cookies[0]["value"], &cookies[1]["value"]), (&json!("{{secret:cookie}}"), &json!("")));
        let key = |value: &str| json!({ "type": "keyDown", "value": value });
        let body = json!({ "actions": [{ "type": "key", "actions": [key("a"), key("\u{e007}")] }] });
        let (_, req) = masked("performActions", &body, around(None));
        assert_eq!(req["actions"][0]["actions"], json!([key("{{secret:keys}}"), key("\u{e007}")]));
    }
}
