//! What an effect means to do, apart from the command that does it.
//!
//! Owns: the table from commands and effect scripts to intents (`replay.md` sections 3 and 4). Does not
//! own: whether it is allowed.

use super::Request;
use serde_json::{Map, Value};

/// An effect's meaning. Nodes are element symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    /// A session begins.
    Begin,
    /// It ends.
    End,
    /// A node is clicked.
    Activate(String),
    /// A text is added to a node's.
    Enter(String, String),
    /// A node's value becomes this one.
    Set(String, String),
    /// A node is emptied.
    Clear(String),
    /// An option of a node is chosen; what by, as JSON.
    Choose(String, String),
    /// A page is opened.
    Go(String),
    /// A dialog is answered.
    Alert(String),
    /// The window is closed.
    Close,
    /// Anything else: command or script with its arguments.
    Run(String),
}

impl Intent {
    /// The intent of a request that is an effect.
    pub fn of(request: &Request) -> Self {
        let node = request.element.clone();
        let text = |name: &str| request.members.get(name).and_then(Value::as_str).map(str::to_owned);
        match (request.command.name, node) {
            ("newSession", _) => Self::Begin,
            ("deleteSession", _) => Self::End,
            ("closeWindow", _) => Self::Close,
            ("elementClick", Some(node)) => Self::Activate(node),
            ("elementClear", Some(node)) => Self::Clear(node),
            ("elementSendKeys", Some(node)) => Self::Enter(node, text("text").unwrap_or_default()),
            ("navigateTo", _) => Self::Go(text("url").unwrap_or_default()),
            ("acceptAlert", _) => Self::Alert("accept".into()),
            ("dismissAlert", _) => Self::Alert("dismiss".into()),
            ("sendAlertText", _) => Self::Alert(format!("text {}", text("text").unwrap_or_default())),
            _ => Self::of_script(request).unwrap_or_else(|| Self::Run(request.to_string_whole())),
        }
    }

    /// The one table of the server's effect scripts; an unknown one is `Run`.
    fn of_script(request: &Request) -> Option<Self> {
        let marker = request.marker()?;
        let arguments = request.members.get("args")?.as_array()?;
        let node = arguments.first()?.get("el")?.as_str()?.to_owned();
        let rest = |from: usize| Value::Array(arguments.iter().skip(from).cloned().collect()).to_string();
        match marker.name.as_str() {
            "click" => Some(Self::Activate(node)),
            "choose" | "select" => Some(Self::Choose(node, rest(1))),
            "set-value" => {
                let text = arguments.get(1)?.as_str()?.to_owned();
                let replaces = arguments.get(2).and_then(Value::as_bool).unwrap_or(true);
                Some(if replaces { Self::Set(node, text) } else { Self::Enter(node, text) })
            }
            _ => None,
        }
    }

    /// The node, if it fills one in and touches nothing else by itself.
    pub fn filled(&self) -> Option<&str> {
        match self {
            Self::Enter(node, _) | Self::Set(node, _) | Self::Clear(node) | Self::Choose(node, _) => {
                Some(node)
            }
            _ => None,
        }
    }
}

impl Request {
    /// The command and all that matters of it, uncut.
    fn to_string_whole(&self) -> String {
        let mut whole = Map::new();
        whole.insert(self.command.name.into(), Value::Object(self.essential()));
        Value::Object(whole).to_string()
    }
}
