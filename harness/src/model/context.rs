//! In which window and frame a command speaks.
//!
//! Owns: following the cursor commands and the effects that reset them. Recording and replay are
//! followed by the same rules. Does not own: whether a window or frame exists.

use super::Request;
use crate::recording::Answer;
use serde_json::Value;

/// A window and the frames entered in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Context {
    /// Symbol of the window; empty while there is none.
    pub window: String,
    /// Frames from the outermost: the `id` of each switch as JSON text.
    pub frames: Vec<String>,
}

/// The cursor of a client.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    first: Vec<String>,
    sessions: usize,
    now: Context,
}

impl Windows {
    /// A cursor before the first session; `first` names the window in which each session starts.
    pub fn new(first: Vec<String>) -> Self {
        Self { first, ..Self::default() }
    }

    /// Where commands speak now.
    pub fn now(&self) -> &Context {
        &self.now
    }

    /// Follows a command that was answered.
    pub fn follow(&mut self, request: &Request, answer: &Answer) {
        let Answer::Ok(value) = answer else { return };
        match request.command.name {
            "newSession" => {
                let window = self.first.get(self.sessions).cloned().unwrap_or_default();
                self.sessions += 1;
                self.now = Context { window, frames: Vec::new() };
            }
            "deleteSession" | "closeWindow" => self.now = Context::default(),
            "getWindowHandle" => {
                if let Some(window) = value.as_str() {
                    self.now.window = window.to_owned();
                }
            }
            "switchToWindow" => {
                if let Some(window) = request.window() {
                    self.now = Context { window: window.to_owned(), frames: Vec::new() };
                }
            }
            "switchToFrame" => match request.members.get("id") {
                None | Some(Value::Null) => self.now.frames.clear(),
                Some(id) => self.now.frames.push(id.to_string()),
            },
            "switchToParentFrame" => {
                self.now.frames.pop();
            }
            "navigateTo" | "back" | "forward" | "refresh" => self.now.frames.clear(),
            _ => {}
        }
    }
}
