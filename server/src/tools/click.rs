//! `click`: waits until an element can be clicked, and clicks it once.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::Command;
use crate::driver::session::Failure;
use crate::error::{Code, Outcome, ToolError};
use crate::mcp::{schema_of, schemars};
use crate::page::dialog::DialogAnswer;
use crate::page::selector::{FramePath, Selector};
use crate::page::target::{Seen, Target};
use crate::page::wait::Pace;
use crate::page::{aftermath, operable, windows};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The tool.
pub struct Click;

static SPEC: Spec = Spec {
    name: "click",
    title: "Click an element",
    description: "Wait until an element is visible, enabled and uncovered, then click it once.",
    read_only: false,
    effect: true,
    loads: true,
    despite_dialog: false,
    input: schema_of::<Args>,
    output: Some(output),
};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct Args {
    selector: Selector,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frame: Option<FramePath>,
    /// Answer to a dialog the click opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialog: Option<DialogAnswer>,
    /// Limit of the wait for the element, at most 55000.
    #[serde(default, rename = "timeoutMs", skip_serializing_if = "Option::is_none")]
    _timeout_ms: Option<u32>,
}

fn output() -> Map<String, Value> {
    super::page_output(json!({
        "navigated": { "type": "boolean" },
        "closedCurrent": { "type": "boolean" },
        "windows": { "type": "array", "items": { "type": "object" } },
    }))
}

impl Tool for Click {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            let target = Target::new(call, args.selector, args.frame)?;
            let before = click(call, &target).await?;
            let mut result = aftermath::tell(call, args.dialog.as_ref()).await?;
            let now = result.get("url").and_then(Value::as_str);
            let moved = before.is_some() && now.is_some() && before.as_deref() != now;
            if moved && !result.contains_key("closedCurrent") {
                result.insert("navigated".into(), true.into());
            }
            Ok(Value::Object(result).into())
        })
    }
}

/// Clicks; gives the address of the page before.
async fn click(call: &mut Call<'_>, target: &Target) -> Result<Option<String>, ToolError> {
    windows::learn(call).await?;
    let mut pace = Pace::new(call);
    loop {
        let ready = operable::ready(call, target, &mut pace, refuse, operable::for_pointer).await?;
        let before =
            if target.frame.is_top() { Some(ready.seen.url.clone()) } else { call.memory().url.clone() };
        match call.run(Command::click(&ready.element)).await {
            Ok(_) => return Ok(before),
            // It was there a moment ago: the click closed its own window.
            Err(failure) if failure.is("no such window") => return Ok(before),
            // Replaced between look and click. Nothing was clicked, so the one that replaced it is looked for.
            Err(failure) if vanished(&failure) => {
                if !pace.next(call).await? {
                    return Err(target.selector.stale().outcome(Outcome::NotDone));
                }
            }
            Err(failure) => return Err(target.describe(explain(failure))),
        }
    }
}

fn vanished(failure: &Failure) -> bool {
    failure.is("stale element reference") || failure.is("no such element")
}

/// What no waiting changes.
fn refuse(seen: &Seen) -> Option<ToolError> {
    (seen.tag == "input" && seen.kind == "file").then(|| {
        ToolError::new(
            Code::NotInteractable,
            "A file field cannot be clicked: it opens a window of the system.",
        )
        .reason("file")
        .hint("Use type with the absolute path of the file as text.")
    })
}

fn explain(failure: Failure) -> ToolError {
    let blocker = match &failure {
        Failure::W3c { code, message, .. } if code == "element click intercepted" => Some(blocker(message)),
        _ => None,
    };
    let error = ToolError::from(failure);
    match blocker {
        Some(blocker) => {
            let by = blocker.as_deref().unwrap_or("another element");
            let mut error = error.reason("covered").detail("coveredBy", by);
            error.message = format!("The element is covered by {by}; nothing was clicked.");
            error.hint("Close or wait for what covers it, or use another element.")
        }
        None => error,
    }
}

/// Tag, id and name in the start tag that the driver's message ends with (`reference/iedriver-wire.md` section 5.7).
fn blocker(message: &str) -> Option<String> {
    let (_, tag) = message.split_once("would receive the click: <")?;
    let tag = tag.split('>').next().unwrap_or_default();
    let mut named = tag.split_whitespace().next()?.to_ascii_lowercase();
    for (attribute, open, close) in [(" id=\"", "#", ""), (" name=\"", "[name=", "]")] {
        if let Some((_, rest)) = tag.split_once(attribute) {
            let value = rest.split('"').next().unwrap_or_default();
            named.push_str(&format!("{open}{value}{close}"));
        }
    }
    Some(named.chars().take(120).collect())
}
