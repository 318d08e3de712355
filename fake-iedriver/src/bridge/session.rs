//! One session of the browser's driver.
//!
//! Owns: a command's way there and back: ids in both directions, limits in whole seconds, the few
//! commands that are made of others. Does not own: error texts (`translate`), starting it (`mod`).

use super::{chromedriver::Chromedriver, names::Names, translate};
use crate::wire::{
    Call, Command, DriverError, Reply, SessionReply, by_name,
    capabilities::{self, Granted},
    guid,
    parameters::ELEMENT_KEY,
};
use serde_json::{Map, Value, json};
use std::sync::{Mutex, PoisonError};

/// A live session.
pub(super) struct Live {
    /// Session id that the client sees.
    pub(super) id: String,
    /// Session id of the browser's driver.
    pub(super) foreign: String,
    granted: Granted,
    /// Limits as the client set them.
    timeouts: Mutex<Map<String, Value>>,
    elements: Names,
    windows: Names,
}

impl Live {
    pub(super) fn new(foreign: &str, granted: Granted) -> Self {
        let timeouts = granted.echo.get("timeouts").and_then(Value::as_object).cloned().unwrap_or_default();
        Self {
            id: guid(),
            foreign: foreign.to_owned(),
            granted,
            timeouts: Mutex::new(timeouts),
            elements: Names::default(),
            windows: Names::default(),
        }
    }

    pub(super) async fn run(&self, driver: &Chromedriver, call: Call) -> SessionReply {
        if let Some(reply) = translate::answered_here(&call) {
            return reply.into();
        }
        match call.command.name {
            "getSessionCapabilities" => return Reply::Value(capabilities::flat(&self.granted.echo)).into(),
            "getTimeouts" => {
                let timeouts = self.timeouts.lock().unwrap_or_else(PoisonError::into_inner);
                return Reply::Value(Value::Object(timeouts.clone())).into();
            }
            _ => {}
        }
        let (command, path, body) = match self.request(&call) {
            Ok(request) => request,
            Err(error) => return Reply::Error(error).into(),
        };
        let body = (command.method == "POST").then_some(body);
        match driver.send(command.method, &path, body).await {
            Ok(value) => self.reply(driver, &call, value).await,
            Err(reason) => {
                let message = format!("Unable to get browser ({reason})");
                Reply::Error(DriverError::new("no such window", message)).into()
            }
        }
    }

    /// What goes to the browser's driver.
    fn request(&self, call: &Call) -> Result<(&'static Command, String, Value), DriverError> {
        let unknown = |id: &str| translate::unknown_element(call, id);
        let element = |name: &str| {
            let id = call.param(name).unwrap_or_default();
            self.elements.theirs(id).ok_or_else(|| unknown(id))
        };
        let mut body = Value::Object(call.body.clone());
        let mut command = call.command;
        match command.name {
            "elementEquals" => {
                let (one, other) = (element("e")?, element("other")?);
                let args = json!([{ ELEMENT_KEY: one }, { ELEMENT_KEY: other }]);
                body = json!({ "script": "return arguments[0] === arguments[1]", "args": args });
                command = by_name("executeScript").unwrap_or(command);
            }
            "switchToWindow" => {
                let handle = call.text("handle").and_then(|handle| self.windows.theirs(handle));
                body["handle"] =
                    handle.ok_or_else(|| DriverError::new("no such window", "No window found"))?.into();
            }
            "setTimeouts" => {
                self.timeouts
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(call.body.clone().into_iter().filter(|(name, _)| is_timeout(name)));
                body = whole_seconds(&call.body);
            }
            _ => self.elements.restore_elements(&mut body).map_err(|id| unknown(&id))?,
        }
        let mut missing = None;
        let path = command.fill(|name| match name {
            "s" => Some(self.foreign.clone()),
            "e" => element(name).map_err(|error| missing = Some(error)).ok(),
            _ => call.param(name).map(str::to_owned),
        });
        match (path, missing) {
            (Ok(path), _) => Ok((command, path, body)),
            (Err(_), Some(error)) => Err(error),
            (Err(name), None) => Err(DriverError::new("unknown error", format!("no value for {name}"))),
        }
    }

    async fn reply(&self, driver: &Chromedriver, call: &Call, value: Value) -> SessionReply {
        let elsewhere = translate::is_of_another_frame(call, &value);
        let mut answer = translate::reply(call, value);
        match &mut answer.reply {
            Reply::Value(value) => {
                let can_be_told = self.rename(call, value);
                if !can_be_told {
                    let error = DriverError::new("javascript error", "Error executing JavaScript");
                    answer.reply = Reply::Error(error);
                }
            }
            Reply::Error(error) if error.code == "stale element reference" => {
                let in_body = call.body.get("id").and_then(|id| id.get(ELEMENT_KEY)?.as_str());
                if let Some(id) = call.param("e").or(in_body)
                    && !elsewhere
                {
                    self.elements.forget(id);
                }
            }
            // The browser's driver has one code for all that cannot take keys.
            Reply::Error(error) if call.command.name == "elementSendKeys" => {
                let id = call.param("e").and_then(|id| self.elements.theirs(id)).unwrap_or_default();
                let path = format!("/session/{}/element/{id}/enabled", self.foreign);
                let is_hidden = error.message.ends_with("not displayed");
                if is_hidden && driver.send("GET", &path, None).await == Ok(Value::Bool(false)) {
                    error.message = error.message.replace("not displayed", "not enabled");
                }
            }
            _ => {}
        }
        answer
    }

    /// Puts the client's ids into an answer. False if IE's driver cannot return such a value.
    fn rename(&self, call: &Call, value: &mut Value) -> bool {
        let handle = |value: &mut Value| {
            if let Value::String(handle) = value {
                *handle = self.windows.ours(handle);
            }
        };
        match call.command.name {
            "getWindowHandle" => handle(value),
            "newWindow" => {
                if let Some(value) = value.get_mut("handle") {
                    handle(value);
                }
            }
            // In the order of the ids, which has nothing to do with the order of opening.
            "getWindowHandles" | "closeWindow" => {
                if let Value::Array(handles) = value {
                    handles.iter_mut().for_each(handle);
                    handles.sort_unstable_by(|a, b| a.as_str().cmp(&b.as_str()));
                }
            }
            "getNamedCookie" | "getAllCookies" => {
                // IE's driver knows no such member.
                let cookies = value.as_array_mut().map_or(&mut [][..], Vec::as_mut_slice);
                for cookie in cookies.iter_mut().filter_map(Value::as_object_mut) {
                    cookie.remove("sameSite");
                }
                if let Some(cookie) = value.as_object_mut() {
                    cookie.remove("sameSite");
                }
            }
            _ => return self.elements.rename_elements(value),
        }
        true
    }
}

fn is_timeout(name: &str) -> bool {
    matches!(name, "implicit" | "pageLoad" | "script")
}

/// The driver counts whole seconds: implicit at least one, the others cut (section 5.3).
pub(super) fn whole_seconds(timeouts: &Map<String, Value>) -> Value {
    let whole = |(name, value): (&String, &Value)| {
        let ms = value.as_f64().map(|ms| ms as u64);
        let ms = ms.map(|ms| match name.as_str() {
            "implicit" if (1..1000).contains(&ms) => 1000,
            _ => ms / 1000 * 1000,
        });
        is_timeout(name).then(|| (name.clone(), ms.map_or(Value::Null, Value::from)))
    };
    Value::Object(timeouts.iter().filter_map(whole).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_whole_seconds() {
        let Value::Object(asked) = json!({ "implicit": 1, "pageLoad": 1999, "script": null, "x": 5 }) else {
            panic!("object")
        };
        assert_eq!(whole_seconds(&asked), json!({ "implicit": 1000, "pageLoad": 1000, "script": null }));
    }
}
