//! Checks of a command's parameters that come before anything else.
//!
//! Owns: the driver's texts for what is missing or of the wrong type (`reference/iedriver-wire.md` sections
//! 5 and 6). Emulator and bridge ask it first. Does not own: what well-formed parameters do.

use super::backend::{Call, DriverError, Reply};
use serde_json::Value;

/// Key of an element reference.
pub const ELEMENT_KEY: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The largest timeout.
const MOST: u64 = (1 << 53) - 1;

/// What the driver answers without looking at the page; none if the parameters are well formed.
pub fn refused(call: &Call) -> Option<Reply> {
    let refuse = |message: String| Some(Reply::Error(DriverError::new("invalid argument", message)));
    let missing = |names: &[&str]| {
        let name = names.iter().find(|name| !call.body.contains_key(**name))?;
        Some(format!("Missing parameter: {name}"))
    };
    let is_text = |name: &str| call.body.get(name).is_some_and(Value::is_string);
    match call.command.name {
        "findElement" | "findElements" | "findElementFromElement" | "findElementsFromElement" => {
            const KNOWN: [&str; 5] = ["css selector", "tag name", "link text", "partial link text", "xpath"];
            if let Some(message) = missing(&["using", "value"]) {
                return refuse(message);
            }
            if let Some(name) = ["using", "value"].iter().find(|name| !is_text(name)) {
                return refuse(format!("{name} parameter must be a string"));
            }
            let using = call.text("using").filter(|using| !KNOWN.contains(using))?;
            refuse(format!("using parameter value '{using}' is not a valid value"))
        }
        // An integer code without translation: a success with the text as value (section 5.1.1).
        "elementSendKeys" if !call.body.contains_key("text") => {
            Some(Reply::Value("Missing parameter: text".into()))
        }
        "elementSendKeys" if !is_text("text") => refuse("parameter 'text' must be a string".into()),
        "executeScript" | "executeAsyncScript" => {
            if !call.body.contains_key("script") {
                return refuse("Missing parameter: script".into());
            }
            if !is_text("script") {
                return refuse("script parameter must be a string".into());
            }
            match call.body.get("args") {
                None => refuse("Missing parameter: args".into()),
                Some(Value::Array(_)) => None,
                Some(_) => refuse("args parameter must be an array".into()),
            }
        }
        "navigateTo" => missing(&["url"]).and_then(refuse),
        // The driver names the wrong parameter.
        "switchToWindow" => missing(&["handle"]).and_then(|_| refuse("Missing parameter: name".into())),
        "newWindow" => match call.body.get("type") {
            None => refuse("Missing parameter: type".into()),
            Some(Value::Null | Value::String(_)) => None,
            Some(_) => refuse("type parameter must be a string or null".into()),
        },
        "switchToFrame" => match call.body.get("id") {
            None => refuse("Missing parameter: id".into()),
            Some(Value::Null) => None,
            Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {
                let fits = number.as_u64().is_some_and(|number| number <= 65_535);
                let text = "Frame identifier was an integer, but must be between 0 and 65535 inclusive";
                if fits { None } else { refuse(text.into()) }
            }
            Some(Value::Object(reference)) if reference.contains_key(ELEMENT_KEY) => None,
            Some(Value::Object(_)) => {
                refuse("Frame identifier was an object, but not a web element reference".into())
            }
            Some(_) => refuse(
                "Frame identifier argument must be null, an integer, or a web element reference".into(),
            ),
        },
        "setTimeouts" => call.body.iter().find_map(|(name, value)| {
            let text = match whole(value) {
                _ if name == "script" && value.is_null() => return None,
                Some(0..=MOST) => return None,
                Some(_) => " between 0 and 2^53 - 1",
                None if value.is_number() && value.as_f64().is_some_and(|n| n < 0.0 && n.fract() == 0.0) => {
                    " between 0 and 2^53 - 1"
                }
                None => "",
            };
            refuse(format!("Timeout value for timeout type {name} must be an integer{text}"))
        }),
        "setWindowRect" => ["width", "height", "x", "y"].iter().find_map(|name| {
            let value = call.body.get(*name)?;
            let number = match value.as_f64() {
                None => return refuse(format!("{name} must be a numeric parameter.")),
                Some(number) => number,
            };
            let size = matches!(*name, "width" | "height");
            if size && number < 0.0 {
                return refuse(format!("{name} must be a numeric parameter greater than zero."));
            }
            if number.abs() >= 2_147_483_647.0 {
                return refuse(format!("{name} must be a numeric parameter less than 2^31 - 1"));
            }
            None
        }),
        "addCookie" => missing(&["cookie"]).and_then(refuse),
        "performActions" => match call.body.get("actions") {
            None => refuse("Missing parameter: actions".into()),
            Some(Value::Array(_)) => None,
            Some(_) => refuse("Actions value is not an array".into()),
        },
        "sendAlertText" => match call.body.get("text") {
            None => refuse("Missing parameter: text".into()),
            Some(Value::String(_)) => None,
            Some(_) => refuse("text must be a string".into()),
        },
        "setAlertCredentials" => missing(&["username", "password"]).and_then(refuse),
        _ => None,
    }
}

fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0)?;
        Some(number as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::by_name;
    use serde_json::json;

    fn check(command: &str, body: Value, expected: &str) {
        let Value::Object(members) = body else { panic!("object") };
        let call = Call { command: by_name(command).expect("row"), params: vec![], body: members };
        let text = match refused(&call) {
            None => String::new(),
            Some(Reply::Error(error)) => error.message,
            Some(other) => format!("{other:?}"),
        };
        assert_eq!(text, expected, "{command} {:?}", call.body);
    }

    #[test]
    fn malformed_parameters_get_the_drivers_texts() {
        let reference = json!({ ELEMENT_KEY: "x" });
        check("findElement", json!({}), "Missing parameter: using");
        check("findElement", json!({"using": "xpath", "value": 1}), "value parameter must be a string");
        check(
            "findElements",
            json!({"using": "id", "value": "a"}),
            "using parameter value 'id' is not a valid value",
        );
        check("elementSendKeys", json!({}), "Value(String(\"Missing parameter: text\"))");
        check("executeScript", json!({"script": ""}), "Missing parameter: args");
        check("switchToWindow", json!({"name": "x"}), "Missing parameter: name");
        check("switchToFrame", json!({"id": reference}), "");
        check(
            "switchToFrame",
            json!({"id": 65536}),
            "Frame identifier was an integer, but must be between 0 and 65535 inclusive",
        );
        check(
            "switchToFrame",
            json!({"id": 0.5}),
            "Frame identifier argument must be null, an integer, or a web element reference",
        );
        check("setTimeouts", json!({"script": null, "other": 1.0}), "");
        check(
            "setTimeouts",
            json!({"implicit": -1}),
            "Timeout value for timeout type implicit must be an integer between 0 and 2^53 - 1",
        );
        check(
            "setTimeouts",
            json!({"implicit": "1"}),
            "Timeout value for timeout type implicit must be an integer",
        );
        check("setWindowRect", json!({"x": -8, "y": -8}), "");
        check("setWindowRect", json!({"width": -1}), "width must be a numeric parameter greater than zero.");
        check("sendAlertText", json!({"text": null}), "text must be a string");
    }
}
