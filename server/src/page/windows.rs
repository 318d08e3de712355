//! The browser's windows. Owns: their order, which are new, switching, their list for results. Does not own: waiting
//! for one, what is in them.
//!
//! The driver gives handles in random order (`reference/iedriver-wire.md` section 5.4), so the order is that in which
//! this server first saw them.

use crate::driver::command::Command;
use crate::driver::session::Failure;
use crate::tools::Call;
use serde_json::{Map, Value};

/// A window the server has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The driver's handle.
    pub handle: String,
    /// Handle of the window that was current when this one was first seen.
    pub opener: Option<String>,
    /// First seen after the last switch.
    pub new: bool,
    /// Address known last.
    pub url: Option<String>,
    /// Title known last.
    pub title: Option<String>,
}

/// What a look found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Handles not seen before.
    pub opened: Vec<String>,
    /// Windows that are gone.
    pub closed: Vec<Window>,
}

/// All windows and the current one.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    /// In the order in which they were first seen.
    pub list: Vec<Window>,
    /// Handle of the window that commands mean, if known.
    pub current: Option<String>,
}

impl Windows {
    /// Where a handle stands in the list.
    pub fn index_of(&self, handle: &str) -> Option<usize> {
        self.list.iter().position(|window| window.handle == handle)
    }

    /// Where the current window stands, if it is known and still there.
    pub fn current_index(&self) -> Option<usize> {
        self.index_of(self.current.as_deref()?)
    }

    /// The newest window first seen after the last switch.
    pub fn newest(&self) -> Option<&Window> {
        self.list.iter().rev().find(|window| window.new)
    }

    /// The window to go to when this one is gone: its opener, else the first.
    pub fn after(&self, closed: &Window) -> Option<&Window> {
        let opener = closed.opener.as_deref().and_then(|opener| self.index_of(opener));
        self.list.get(opener.unwrap_or(0))
    }

    /// From now on no window is new.
    pub fn acknowledge(&mut self) {
        for window in &mut self.list {
            window.new = false;
        }
    }

    /// Takes the handles of a look.
    pub fn take(&mut self, handles: &[String]) -> Change {
        let mut change = Change::default();
        let (stay, gone) =
            std::mem::take(&mut self.list).into_iter().partition(|window| handles.contains(&window.handle));
        (self.list, change.closed) = (stay, gone);
        for handle in handles {
            if self.index_of(handle).is_none() {
                let new = self.current.as_ref() != Some(handle);
                let opener = self.current.clone().filter(|_| new);
                self.list.push(Window { handle: handle.clone(), opener, new, ..Window::default() });
                if new {
                    change.opened.push(handle.clone());
                }
            }
        }
        change
    }

    /// The list for a result; addresses and titles stand there as far as they are known.
    pub(super) fn listed(&self) -> Value {
        let current = self.current_index();
        let entry = |(index, window): (usize, &Window)| {
            let mut entry = Map::new();
            entry.insert("index".into(), index.into());
            for (name, text) in [("title", &window.title), ("url", &window.url)] {
                if let Some(text) = text {
                    entry.insert(name.into(), text.clone().into());
                }
            }
            if current == Some(index) {
                entry.insert("current".into(), true.into());
            }
            Value::Object(entry)
        };
        self.list.iter().enumerate().map(entry).collect()
    }
}

/// Learns the current window's handle, if it is not known yet.
///
/// # Errors
/// As the command, but a closed current window is none.
pub async fn learn(call: &mut Call<'_>) -> Result<(), Failure> {
    if call.memory().windows.current.is_some() {
        return Ok(());
    }
    match call.run(Command::window_handle()).await {
        Ok(handle) => {
            let windows = &mut call.memory().windows;
            windows.current = handle.as_str().map(str::to_owned);
            if let Some(handle) = &windows.current
                && windows.list.is_empty()
            {
                windows.list.push(Window { handle: handle.clone(), ..Window::default() });
            }
            Ok(())
        }
        Err(failure) if failure.is("no such window") => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Asks which windows there are now.
///
/// # Errors
/// As the commands.
pub async fn look(call: &mut Call<'_>) -> Result<Change, Failure> {
    learn(call).await?;
    let answer = call.run(Command::window_handles()).await?;
    let handles: Vec<String> = answer
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|handle| handle.as_str().map(str::to_owned))
        .collect();
    Ok(call.memory().windows.take(&handles))
}

/// Makes a window the current one; the driver goes to its top document.
///
/// # Errors
/// As the command: `no such window` if it is gone.
pub async fn switch(call: &mut Call<'_>, handle: &str) -> Result<(), Failure> {
    call.run(Command::switch_to_window(handle)).await?;
    let memory = call.memory();
    memory.leave_window();
    memory.windows.current = Some(handle.to_owned());
    memory.enter_window();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handles(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn order_is_that_of_first_sight_whatever_order_the_driver_gives() {
        let mut windows = Windows { current: Some("b".into()), ..Windows::default() };
        assert_eq!(windows.take(&handles(&["b"])), Change::default());
        let change = windows.take(&handles(&["a", "b"]));
        assert_eq!(change.opened, ["a"]);
        assert_eq!((windows.current_index(), windows.index_of("a")), (Some(0), Some(1)));
        assert_eq!(windows.newest().map(|window| window.opener.as_deref()), Some(Some("b")));
        let closed = windows.take(&handles(&["a"])).closed;
        assert_eq!(closed.iter().map(|window| &*window.handle).collect::<Vec<_>>(), ["b"]);
        assert_eq!(windows.after(&closed[0]).map(|window| &*window.handle), Some("a"));
        assert_eq!((windows.current_index(), windows.index_of("a")), (None, Some(0)));
    }
}
