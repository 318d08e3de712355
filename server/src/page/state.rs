//! Where the browser stands. Owns: address, title, ready state and document mode of the top document in one round
//! trip. Does not own: windows, frames below.

use crate::driver::command::Command;
use crate::driver::session::Failure;
use crate::script;
use crate::tools::Call;
use serde::Deserialize;
use serde_json::{Value, json};

/// State of the top document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// Address.
    pub url: String,
    /// Title.
    pub title: String,
    /// `loading`, `interactive`, `complete`; empty if unknown.
    #[serde(default)]
    pub ready_state: String,
    /// Document mode 5 to 11, or 0 where there is none.
    #[serde(default)]
    pub mode: u32,
}

/// Reads it, and remembers address and title. Leaves the session in the top document.
///
/// IE's own pages refuse scripts; there the driver tells address and title.
///
/// # Errors
/// As the commands: `unexpected alert open` while a dialog is open.
pub async fn read(call: &mut Call<'_>) -> Result<State, Failure> {
    top(call).await?;
    let state = match script::STATE.run::<State>(call, json!([])).await {
        Ok(reply) => reply.said,
        Err(failure) if failure.is("javascript error") || matches!(failure, Failure::Odd(_)) => {
            let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
            let url = text(call.run(Command::url()).await?);
            let title = text(call.run(Command::title()).await?);
            State { url, title, ..State::default() }
        }
        Err(failure) => return Err(failure),
    };
    (call.memory().url, call.memory().title) = (Some(state.url.clone()), Some(state.title.clone()));
    Ok(state)
}

/// Goes to the top document, unless the session is known to be there.
///
/// # Errors
/// As the command.
pub async fn top(call: &mut Call<'_>) -> Result<(), Failure> {
    let there = call.driver.session.as_ref().is_some_and(|session| session.at_top());
    if !there {
        call.run(Command::top_frame()).await?;
    }
    Ok(())
}
