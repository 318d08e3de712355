//! What one request asks, independent of how the client words it.
//!
//! Owns: the key by which questions and effects are compared, and the class of a request (a script is
//! pure by its marker). Does not own: answers, order.

use super::{Context, Marker, locator, script};
use crate::recording::{Answer, Exchange};
use fake_iedriver::wire::{Class, Command, by_name};
use serde_json::{Map, Value, json};

/// A command with symbols in place of ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The row of the wire's table.
    pub command: &'static Command,
    /// Symbol of the element in the path.
    pub element: Option<String>,
    /// Members of the body, and further parameters of the path under their names.
    pub members: Map<String, Value>,
}

/// What makes two requests the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    command: &'static str,
    element: Option<String>,
    context: Context,
    rest: String,
}

impl Request {
    /// The request of a recorded exchange.
    ///
    /// # Errors
    /// If the table has no command of this name.
    pub fn recorded(exchange: &Exchange) -> Result<Self, String> {
        let command = by_name(&exchange.cmd)
            .ok_or_else(|| format!("exchange {}: there is no command {}", exchange.n, exchange.cmd))?;
        let mut members = exchange.req.clone();
        members.extend(exchange.params.clone());
        Ok(Self { command, element: exchange.el.clone(), members })
    }

    /// Effect, cursor or question.
    pub fn class(&self) -> Class {
        match self.script() {
            Some(text) if Marker::of(text).is_some_and(|marker| marker.pure) => Class::Question,
            _ => self.command.class,
        }
    }

    /// The window that a switch names.
    pub fn window(&self) -> Option<&str> {
        self.members.get("handle").and_then(Value::as_str)
    }

    /// True if its element or window is one that nobody handed out (`x1`).
    pub fn names_unknown(&self) -> bool {
        self.element.as_deref().is_some_and(|symbol| symbol.starts_with('x'))
            || self.window().is_some_and(|symbol| symbol.starts_with("{{x"))
    }

    /// The marker of the script it runs.
    pub fn marker(&self) -> Option<Marker> {
        Marker::of(self.script()?)
    }

    /// True if it is about this node.
    pub fn speaks_of(&self, node: &str) -> bool {
        let is_it = |value: &Value| value.get("el").and_then(Value::as_str) == Some(node);
        let argument = self.members.get("args").and_then(Value::as_array);
        self.element.as_deref() == Some(node) || argument.is_some_and(|items| items.iter().any(is_it))
    }

    /// True if it needs no window to be answered.
    pub(super) fn needs_no_window(&self) -> bool {
        matches!(scope(self), Scope::Session)
    }

    /// True if it asks for the same node by another locator, in the same context.
    pub(super) fn equivalent(&self, other: &Self, own: &Key, others: &Key) -> bool {
        self.command == other.command
            && own.context == others.context
            && own.element == others.element
            && self.locator().is_some_and(|locator| Some(locator) == other.locator())
    }

    /// A simple locator as attribute and value.
    fn locator(&self) -> Option<(&'static str, String)> {
        let (using, value) = (self.members.get("using")?.as_str()?, self.members.get("value")?.as_str()?);
        locator::simple(using, value)
    }

    /// What a new session must have in common with the recorded one, if this one has not.
    pub(super) fn incompatible(&self, asked: &Self) -> Option<String> {
        let of = |request: &Self, name: &str| {
            request.members.get("capabilities")?.get("alwaysMatch")?.get(name).cloned()
        };
        ["browserName", "unhandledPromptBehavior"].iter().find_map(|name| {
            let recorded = of(self, name)?;
            (of(asked, name) != Some(recorded.clone())).then(|| format!("{name} {recorded}"))
        })
    }

    fn script(&self) -> Option<&str> {
        if !matches!(self.command.name, "executeScript" | "executeAsyncScript") {
            return None;
        }
        self.members.get("script").and_then(Value::as_str)
    }

    /// What makes it the same as another one, asked here.
    pub fn key(&self, here: &Context) -> Key {
        let context = match scope(self) {
            // An element is of one document, wherever the cursor is.
            _ if self.element.is_some() => Context::default(),
            Scope::Session => Context::default(),
            Scope::Window => Context { window: here.window.clone(), frames: Vec::new() },
            Scope::Frame => here.clone(),
        };
        Key {
            command: self.command.name,
            element: self.element.clone(),
            context,
            rest: Value::Object(self.essential()).to_string(),
        }
    }

    /// Members that make a difference, in order of their names.
    pub(super) fn essential(&self) -> Map<String, Value> {
        if self.command.name == "newSession" {
            return Map::new();
        }
        let mut names: Vec<&String> = self.members.keys().collect();
        names.sort();
        let mut essential = Map::new();
        for name in names {
            let value = match self.script() {
                Some(text) if name == "script" => script::identity(text).into(),
                _ => self.members[name].clone(),
            };
            essential.insert(name.clone(), value);
        }
        // Clients may add the characters of the text (Selenium's old habit).
        if self.command.name == "elementSendKeys" && essential.contains_key("text") {
            essential.shift_remove("value");
        }
        essential
    }
}

impl Key {
    /// The command.
    pub(super) fn command(&self) -> Option<&'static Command> {
        by_name(self.command)
    }

    /// In which window and frame.
    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// True if only window or frame differ.
    pub(super) fn asks_the_same(&self, other: &Self) -> bool {
        self.command == other.command && self.element == other.element && self.rest == other.rest
    }
}

/// One line for a person: command, element, and what matters of the rest, cut at 120 characters.
impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.command.name)?;
        if let Some(element) = &self.element {
            write!(f, " {element}")?;
        }
        let essential = self.essential();
        if essential.is_empty() {
            return Ok(());
        }
        let rest = match (essential.get("using"), essential.get("value")) {
            (Some(Value::String(using)), Some(Value::String(value))) => format!("{using} {value}"),
            _ => match self.script() {
                Some(text) => {
                    format!("{} {}", script::identity(text), essential.get("args").unwrap_or(&json!([])))
                }
                None => Value::Object(essential).to_string(),
            },
        };
        match rest.char_indices().nth(120) {
            Some((at, _)) => write!(f, " {}…", &rest[..at]),
            None => write!(f, " {rest}"),
        }
    }
}

enum Scope {
    Session,
    Window,
    Frame,
}

/// How much of the cursor a command's answer depends on.
fn scope(request: &Request) -> Scope {
    match request.command.name {
        "switchToFrame" if request.members.get("id").is_none_or(Value::is_null) => Scope::Window,
        "newSession"
        | "deleteSession"
        | "getSessionCapabilities"
        | "getTimeouts"
        | "setTimeouts"
        | "getWindowHandles"
        | "switchToWindow"
        | "newWindow" => Scope::Session,
        "getWindowHandle"
        | "closeWindow"
        | "getTitle"
        | "getCurrentUrl"
        | "navigateTo"
        | "back"
        | "forward"
        | "refresh"
        | "takeScreenshot"
        | "getWindowRect"
        | "setWindowRect"
        | "maximizeWindow"
        | "minimizeWindow"
        | "fullscreenWindow"
        | "acceptAlert"
        | "dismissAlert"
        | "getAlertText"
        | "sendAlertText"
        | "setAlertCredentials"
        | "performActions"
        | "releaseActions" => Scope::Window,
        _ => Scope::Frame,
    }
}

/// True if the answer leaves open that an effect took place. The driver gives the other errors before it
/// acts, so such an effect is a question whose answer is the error (`replay.md` section 3).
pub fn happened(answer: &Answer) -> bool {
    match answer {
        Answer::Ok(_) | Answer::Transport(_) => true,
        Answer::Err(error) => {
            matches!(error.code.as_str(), "timeout" | "script timeout" | "javascript error" | "unknown error")
        }
    }
}

/// True if this request with this answer is to be matched strictly.
pub fn is_effect(request: &Request, answer: &Answer) -> bool {
    request.class() == Class::Effect && happened(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(command: &str, members: Value) -> Request {
        let Value::Object(members) = members else { panic!("no object") };
        Request { command: by_name(command).unwrap(), element: None, members }
    }

    #[test]
    fn a_script_is_known_by_marker_and_arguments() {
        let script = |body: &str, args: Value| {
            request(
                "executeScript",
                json!({ "script": format!("/* ie-mode-mcp:probe:1:pure */{body}"), "args": args }),
            )
        };
        let here = Context::default();
        assert_eq!(script("a", json!([1])).key(&here), script("b", json!([1])).key(&here));
        assert_ne!(script("a", json!([1])).key(&here), script("a", json!([2])).key(&here));
        assert_eq!(script("a", json!([])).class(), Class::Question);
        assert_eq!(request("executeScript", json!({ "script": "x", "args": [] })).class(), Class::Effect);
        assert_eq!(script("a", json!([{"el":"e1"}])).to_string(), r#"executeScript probe:1 [{"el":"e1"}]"#);
    }

    #[test]
    fn the_order_of_members_does_not_matter_and_the_frame_matters_where_it_changes_the_answer() {
        let find = request("findElement", json!({ "using": "css selector", "value": "#a" }));
        let other = request("findElement", json!({ "value": "#a", "using": "css selector" }));
        let frame = Context { window: "w1".into(), frames: vec!["0".into()] };
        assert_eq!(find.key(&frame), other.key(&frame));
        assert_ne!(find.key(&frame), find.key(&Context { frames: Vec::new(), ..frame.clone() }));
        let title = request("getTitle", json!({}));
        assert_eq!(title.key(&frame), title.key(&Context { frames: Vec::new(), ..frame.clone() }));
    }
}
