//! `switch_window`: goes to another window, closes one, answers a dialog.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::Command;
use crate::driver::session::Failure;
use crate::error::{Code, Outcome, ToolError};
use crate::mcp::{schema_of, schemars};
use crate::page::dialog::{self, DialogAction, DialogAnswer};
use crate::page::wait::Pace;
use crate::page::windows::{self, Window};
use crate::page::{Memory, state};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The tool.
pub struct SwitchWindow;

static SPEC: Spec = Spec {
    name: "switch_window",
    title: "Switch window, close one, answer a dialog",
    description: "Go to the newest window, or to one by index, title or url (substring); close one; or answer a dialog (target dialog).",
    read_only: false,
    effect: true,
    loads: true,
    despite_dialog: true,
    input: schema_of::<Args>,
    output: Some(output),
};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct Args {
    #[serde(default)]
    target: Option<Means>,
    /// From 0, in order of appearance.
    #[serde(default)]
    index: Option<usize>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    url: Option<String>,
    /// close: a window; accept, dismiss, read: the dialog.
    #[serde(default)]
    action: Option<Action>,
    /// Text for a prompt.
    #[serde(default)]
    text: Option<String>,
    /// Limit for a window to appear.
    #[serde(default)]
    #[allow(dead_code, reason = "read by the wrapper")]
    timeout_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "schemars")]
enum Means {
    Newest,
    Index,
    Dialog,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "schemars")]
enum Action {
    Close,
    Accept,
    Dismiss,
    Read,
}

/// Which window is meant.
enum Wanted {
    Newest,
    Index(usize),
    Like(Likeness),
    Current,
}

/// A part of title or address.
struct Likeness {
    title: Option<String>,
    url: Option<String>,
}

impl Likeness {
    fn of(&self, window: &Window) -> bool {
        let has = |part: &Option<String>, whole: &Option<String>| {
            part.as_ref().is_none_or(|part| whole.as_ref().is_some_and(|whole| whole.contains(part.as_str())))
        };
        has(&self.title, &window.title) && has(&self.url, &window.url)
    }

    /// Whether it is the whole title or address, not a part of it.
    fn is(&self, window: &Window) -> bool {
        let same = |part: &Option<String>, whole: &Option<String>| part.is_none() || part == whole;
        same(&self.title, &window.title) && same(&self.url, &window.url)
    }
}

fn output() -> Map<String, Value> {
    super::page_output(json!({
        "index": { "type": "integer" },
        "windowCount": { "type": "integer" },
        "windows": { "type": "array" },
        "fallback": { "type": "boolean" },
    }))
}

impl Tool for SwitchWindow {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            if args.target == Some(Means::Dialog) {
                return answer_dialog(call, args).await;
            }
            let closing = match args.action {
                None => false,
                Some(Action::Close) => true,
                Some(_) => return Err(ToolError::invalid("accept, dismiss and read need target dialog.")),
            };
            let ways = [
                args.target == Some(Means::Newest),
                args.index.is_some(),
                args.title.is_some() || args.url.is_some(),
            ];
            let wanted = match (ways, args.index) {
                ([true, false, false], _) => Wanted::Newest,
                ([false, true, false], Some(index)) => Wanted::Index(index),
                ([false, false, true], _) if args.target.is_none() => {
                    Wanted::Like(Likeness { title: args.title, url: args.url })
                }
                ([false, false, false], _) if closing && args.target.is_none() => Wanted::Current,
                _ => {
                    return Err(ToolError::invalid(
                        "switch_window needs exactly one of target newest, index, and title or url.",
                    ));
                }
            };
            let (handle, fallback) = find(call, wanted).await?;
            if closing {
                return close(call, &handle).await;
            }
            let mut output = arrive(call, &handle).await?;
            if fallback {
                output.json.insert("fallback".into(), true.into());
            }
            Ok(output)
        })
    }
}

/// The handle of the window, and whether it is only the one in place of a new one.
async fn find(call: &mut Call<'_>, wanted: Wanted) -> Result<(String, bool), ToolError> {
    match wanted {
        Wanted::Newest => newest(call).await,
        Wanted::Like(likeness) => Ok((like(call, &likeness).await?, false)),
        Wanted::Index(index) => {
            windows::look(call).await?;
            match call.memory().windows.list.get(index) {
                Some(window) => Ok((window.handle.clone(), false)),
                None => Err(not_found(call.memory(), format!("There is no window {index}."))
                    .detail("index", index)
                    .hint("Indexes start at 0.")),
            }
        }
        Wanted::Current => {
            windows::look(call).await?;
            let memory = call.memory();
            match memory.windows.current_index() {
                Some(index) => Ok((memory.windows.list[index].handle.clone(), false)),
                None => Err(not_found(memory, "The current window is gone already.")),
            }
        }
    }
}

async fn newest(call: &mut Call<'_>) -> Result<(String, bool), ToolError> {
    let mut pace = Pace::new(call);
    loop {
        windows::look(call).await?;
        if let Some(window) = call.memory().windows.newest() {
            return Ok((window.handle.clone(), false));
        }
        if !pace.next(call).await? {
            return match call.memory().windows.list.last() {
                Some(window) => Ok((window.handle.clone(), true)),
                None => Err(not_found(call.memory(), "No window is open.")),
            };
        }
    }
}

/// Visits windows until one is like that. Only the driver's current window has title and address.
async fn like(call: &mut Call<'_>, likeness: &Likeness) -> Result<String, ToolError> {
    let mut pace = Pace::new(call);
    windows::learn(call).await?;
    let home = call.memory().windows.current.clone();
    loop {
        windows::look(call).await?;
        let list: Vec<String> =
            call.memory().windows.list.iter().map(|window| window.handle.clone()).collect();
        for handle in &list {
            visit(call, handle).await?;
        }
        call.memory().windows_listed();
        let memory = call.memory();
        let alike: Vec<&Window> = memory.windows.list.iter().filter(|window| likeness.of(window)).collect();
        let exact: Vec<&Window> = alike.iter().copied().filter(|window| likeness.is(window)).collect();
        match (alike.as_slice(), exact.as_slice()) {
            ([window], _) | (_, [window]) => return Ok(window.handle.clone()),
            ([], _) => {}
            (several, _) => {
                let candidates: Vec<Value> = several
                    .iter()
                    .map(|window| {
                        let index = memory.windows.index_of(&window.handle);
                        json!({ "index": index, "title": window.title, "url": window.url })
                    })
                    .collect();
                go_home(call, home).await?;
                return Err(ToolError::invalid("Several windows are like that; name one by index.")
                    .detail("candidates", candidates)
                    .outcome(Outcome::NotDone));
            }
        }
        if !pace.next(call).await? {
            go_home(call, home).await?;
            return Err(not_found(call.memory(), "No window has such a title or address."));
        }
    }
}

/// Reads title and address of a window, if it has a document and no dialog.
async fn visit(call: &mut Call<'_>, handle: &str) -> Result<(), ToolError> {
    if call.memory().windows.current.as_deref() != Some(handle) {
        match windows::switch(call, handle).await {
            Err(failure) if failure.is("no such window") => return Ok(()),
            switched => switched?,
        }
    }
    match state::read(call).await {
        Ok(_) | Err(Failure::W3c { .. } | Failure::Odd(_)) => Ok(()),
        Err(failure) => Err(failure.into()),
    }
}

async fn go_home(call: &mut Call<'_>, home: Option<String>) -> Result<(), ToolError> {
    if let Some(home) = home
        && call.memory().windows.current.as_ref() != Some(&home)
        && call.memory().windows.index_of(&home).is_some()
    {
        windows::switch(call, &home).await?;
    }
    Ok(())
}

/// Goes there and says where that is.
async fn arrive(call: &mut Call<'_>, handle: &str) -> Result<Output, ToolError> {
    let before = call.memory().windows.current.clone().filter(|current| current != handle);
    let known = (call.memory().url.clone(), call.memory().title.clone());
    match windows::switch(call, handle).await {
        Err(failure) if failure.is("no such window") => {
            return Err(not_found(call.memory(), "The window was closed meanwhile."));
        }
        switched => switched?,
    }
    let seen = state::read(call).await;
    // A driver that ignores the switch still shows the window it was at.
    if let Ok(state) = &seen
        && before.is_some()
        && known == (Some(state.url.clone()), Some(state.title.clone()))
        && call.run(Command::window_handle()).await?.as_str() != Some(handle)
    {
        call.memory().windows.current = before;
        return Err(ToolError::internal("The driver did not go to that window.").reason("switch_ignored"));
    }
    say(call, seen)
}

/// The result for the current window.
fn say(call: &mut Call<'_>, seen: Result<state::State, Failure>) -> Result<Output, ToolError> {
    let memory = call.memory();
    let (url, title) = match seen {
        Ok(state) => (Some(state.url), Some(state.title)),
        Err(failure) if failure.is_dialog() => (memory.url.clone(), memory.title.clone()),
        Err(failure) => return Err(failure.into()),
    };
    memory.windows.acknowledge();
    let mut result = Map::new();
    for (name, text) in [("url", url), ("title", title)] {
        if let Some(text) = text {
            result.insert(name.into(), text.into());
        }
    }
    if let Some(index) = memory.windows.current_index() {
        result.insert("index".into(), index.into());
    }
    result.insert("windowCount".into(), memory.windows.list.len().into());
    result.insert("windows".into(), memory.windows_listed());
    Ok(Output::from(Value::Object(result)))
}

async fn close(call: &mut Call<'_>, handle: &str) -> Result<Output, ToolError> {
    if call.memory().windows.list.len() < 2 {
        return Err(ToolError::invalid("This is the only window.")
            .outcome(Outcome::NotDone)
            .hint("browser_close ends the browser."));
    }
    if call.memory().windows.current.as_deref() != Some(handle) {
        windows::switch(call, handle).await?;
    }
    let left = call.run(Command::close_window()).await?;
    let left: Vec<String> =
        left.as_array().into_iter().flatten().filter_map(|left| left.as_str().map(str::to_owned)).collect();
    let change = call.memory().windows.take(&left);
    if change.closed.iter().all(|window| window.handle != handle) {
        return Err(ToolError::internal("The window did not close.").reason("still_open"));
    }
    let mut output = after_closing(call, &change.closed).await?;
    output.json.insert("closed".into(), true.into());
    Ok(output)
}

/// Goes to the opener of the current window, which is among the closed ones, else to the first one left.
async fn after_closing(call: &mut Call<'_>, closed: &[Window]) -> Result<Output, ToolError> {
    let memory = call.memory();
    let gone = closed.iter().find(|window| memory.windows.current.as_ref() == Some(&window.handle));
    let next = gone.and_then(|gone| memory.windows.after(gone)).map(|window| window.handle.clone());
    match next {
        Some(next) => arrive(call, &next).await,
        None => Err(not_found(call.memory(), "No window is left.")),
    }
}

async fn answer_dialog(call: &mut Call<'_>, args: Args) -> Result<Output, ToolError> {
    if args.index.is_some() || args.title.is_some() || args.url.is_some() {
        return Err(ToolError::invalid("With target dialog there is no index, title or url."));
    }
    let action = match args.action {
        None | Some(Action::Read) => {
            let text = dialog::read(call).await?;
            return Ok(json!({ "dialog": { "text": text } }).into());
        }
        Some(Action::Accept) => DialogAction::Accept,
        Some(Action::Dismiss) => DialogAction::Dismiss,
        Some(Action::Close) => return Err(ToolError::invalid("A dialog is accepted or dismissed.")),
    };
    let text = dialog::answer(call, &DialogAnswer { action, text: args.text }).await?;
    let change = windows::look(call).await?;
    let closed_itself = call.memory().windows.current_index().is_none();
    let mut output = if closed_itself {
        let mut output = after_closing(call, &change.closed).await?;
        output.json.insert("closedCurrent".into(), true.into());
        output
    } else {
        let seen = state::read(call).await;
        say(call, seen)?
    };
    output.json.insert("answered".into(), dialog::answered(&text, action));
    Ok(output)
}

/// `WINDOW_NOT_FOUND` with what there is.
fn not_found(memory: &mut Memory, message: impl Into<String>) -> ToolError {
    ToolError::new(Code::WindowNotFound, message)
        .detail("windowCount", memory.windows.list.len())
        .detail("windows", memory.windows_listed())
        .outcome(Outcome::NotDone)
}
