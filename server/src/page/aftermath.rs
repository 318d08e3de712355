//! What an action led to. Owns: answering a dialog it opened, windows that opened or closed, address and title
//! afterwards. Does not own: the action.

use super::dialog::{self, DialogAnswer};
use super::state::{self, State};
use super::windows;
use crate::driver::session::Failure;
use crate::error::{Outcome, ToolError};
use crate::tools::Call;
use serde_json::{Map, Value};

/// Says where the browser is after an action that may have led anywhere.
///
/// With a dialog open the address cannot be read: `url` and `title` are then the last known ones, or absent. A window
/// that the action closed is left for its opener, or for the first one left.
///
/// # Errors
/// As the commands. The action itself is done.
pub async fn tell(
    call: &mut Call<'_>,
    answer: Option<&DialogAnswer>,
) -> Result<Map<String, Value>, ToolError> {
    let mut result = Map::new();
    let mut now = state::read(call).await;
    if now.as_ref().is_err_and(Failure::is_dialog)
        && let Some(answer) = answer
    {
        let text = dialog::answer(call, answer).await?;
        result.insert("answered".into(), dialog::answered(&text, answer.action));
        now = state::read(call).await;
    }
    let mut gone = false;
    match now {
        Ok(state) => place(&mut result, &state),
        Err(failure) if failure.is_dialog() => {
            let memory = call.memory();
            for (name, text) in [("url", &memory.url), ("title", &memory.title)] {
                if let Some(text) = text {
                    result.insert(name.into(), text.clone().into());
                }
            }
        }
        Err(failure) if failure.is("no such window") => gone = true,
        // Whether a dialog waits for the answer that was to be given is not known.
        Err(failure) if answer.is_some() => return Err(ToolError::from(failure).outcome(Outcome::Unknown)),
        Err(failure) => return Err(failure.into()),
    }
    let own = call.memory().windows.current.clone();
    let opener = own.as_ref().and_then(|own| {
        let windows = &call.driver.memory.windows;
        windows.list.get(windows.index_of(own)?)?.opener.clone()
    });
    let change = match windows::look(call).await {
        Ok(change) => change,
        // Its last window is closed, and the session with it.
        Err(failure) if gone => return Err(failure.into()),
        // The action is done and told; what windows there are can be asked later.
        Err(_) => return Ok(result),
    };
    if gone {
        result.insert("closedCurrent".into(), true.into());
        let list = &call.memory().windows;
        let next = opener
            .filter(|opener| list.index_of(opener).is_some())
            .or_else(|| list.list.first().map(|window| window.handle.clone()));
        let Some(next) = next else {
            return Err(Failure::w3c("no such window", "No window is left.").into());
        };
        windows::switch(call, &next).await?;
        match state::read(call).await {
            Ok(state) => place(&mut result, &state),
            Err(failure) if failure.is_dialog() => {}
            Err(failure) => return Err(failure.into()),
        }
    }
    if gone || !change.opened.is_empty() || !change.closed.is_empty() {
        result.insert("windows".into(), call.memory().windows_listed());
    }
    Ok(result)
}

fn place(result: &mut Map<String, Value>, state: &State) {
    result.insert("url".into(), state.url.clone().into());
    result.insert("title".into(), state.title.clone().into());
}
