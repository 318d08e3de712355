//! What tools share of a page. Owns: what is remembered of it between calls. Does not own: commands.

pub mod aftermath;
pub mod dialog;
pub mod error_page;
pub mod keys;
pub mod operable;
pub mod origin;
pub mod picture;
pub mod refs;
pub mod secrets;
pub mod selector;
pub mod state;
pub mod target;
pub mod upload;
pub mod view;
pub mod wait;
pub mod windows;

use refs::Refs;
use secrets::Secrets;
use windows::{Window, Windows};

/// What the server remembers of the page while the session lives.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Address known last.
    pub url: Option<String>,
    /// Title known last.
    pub title: Option<String>,
    /// The browser's windows.
    pub windows: Windows,
    /// Elements handed to the agent.
    pub refs: Refs,
    /// What was typed into password fields.
    pub secrets: Secrets,
}

impl Memory {
    /// Keeps what is known of the current window for the list.
    fn leave_window(&mut self) {
        let (url, title) = (self.url.take(), self.title.take());
        if let Some(window) = self.current_window() {
            (window.url, window.title) = (url, title);
        }
    }

    /// Recalls what is known of the window that is current now.
    fn enter_window(&mut self) {
        let known = self.current_window().map(|window| (window.url.clone(), window.title.clone()));
        (self.url, self.title) = known.unwrap_or_default();
    }

    /// The windows for a result.
    pub fn windows_listed(&mut self) -> serde_json::Value {
        let known = (self.url.clone(), self.title.clone());
        if let Some(window) = self.current_window() {
            (window.url, window.title) = known;
        }
        self.windows.listed()
    }

    fn current_window(&mut self) -> Option<&mut Window> {
        let index = self.windows.current_index()?;
        self.windows.list.get_mut(index)
    }
}
