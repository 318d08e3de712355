//! `click`: waits until an element can be clicked, and clicks it once.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::{self, Command};
use crate::driver::session::Failure;
use crate::error::{Code, Outcome, ToolError};
use crate::mcp::{schema_of, schemars};
use crate::page::dialog::DialogAnswer;
use crate::page::operable::Ready;
use crate::page::selector::{FramePath, Selector};
use crate::page::target::{Seen, Target};
use crate::page::wait::Pace;
use crate::page::{aftermath, operable, windows};
use crate::script;
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
    /// Default left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    button: Option<Button>,
    /// 1 (default), or 2 for a double click.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u8>,
    /// Bring a check box or radio button to this state; no click if it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checked: Option<bool>,
    /// Answer to a dialog the click opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialog: Option<DialogAnswer>,
    /// Limit of the wait for the element, at most 55000.
    #[serde(default, rename = "timeoutMs", skip_serializing_if = "Option::is_none")]
    _timeout_ms: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "schemars")]
enum Button {
    #[default]
    Left,
    Right,
}

fn output() -> Map<String, Value> {
    super::page_output(json!({
        "checked": { "type": "boolean" },
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
            let gesture = Gesture::new(&args)?;
            let target = Target::new(call, args.selector, args.frame)?;
            let clicked = click(call, &target, &gesture).await?;
            let checked = match gesture.checked {
                Some(_) => checked_now(call, &clicked).await,
                None => None,
            };
            let mut result = aftermath::tell(call, args.dialog.as_ref()).await?;
            if let Some(checked) = checked {
                result.insert("checked".into(), checked.into());
            }
            let before = clicked.before;
            let now = result.get("url").and_then(Value::as_str);
            let moved = before.is_some() && now.is_some() && before.as_deref() != now;
            if moved && !result.contains_key("closedCurrent") {
                result.insert("navigated".into(), true.into());
            }
            Ok(Value::Object(result).into())
        })
    }
}

/// How to click.
struct Gesture {
    button: Button,
    count: u8,
    checked: Option<bool>,
}

impl Gesture {
    fn new(args: &Args) -> Result<Self, ToolError> {
        let gesture = Self {
            button: args.button.unwrap_or_default(),
            count: args.count.unwrap_or(1),
            checked: args.checked,
        };
        if !matches!(gesture.count, 1 | 2) {
            return Err(ToolError::invalid("count must be 1 or 2."));
        }
        if gesture.checked.is_some() && !gesture.is_plain() {
            return Err(ToolError::invalid("checked is for one click with the left button."));
        }
        Ok(gesture)
    }

    /// What the driver's own click does.
    fn is_plain(&self) -> bool {
        self.button == Button::Left && self.count == 1
    }

    fn command(&self, id: &str) -> Command {
        if self.is_plain() {
            return Command::click(id);
        }
        let button = if self.button == Button::Right { 2 } else { 0 };
        let mut steps = vec![
            json!({ "type": "pointerMove", "duration": 0, "origin": command::element(id), "x": 0, "y": 0 }),
        ];
        for _ in 0..self.count {
            steps.push(json!({ "type": "pointerDown", "button": button }));
            steps.push(json!({ "type": "pointerUp", "button": button }));
        }
        Command::perform_actions(json!([{
            "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": steps,
        }]))
    }

    /// What no waiting changes.
    fn refuse(&self, seen: &Seen) -> Option<ToolError> {
        if seen.tag == "input" && seen.kind == "file" {
            let text = "A file field cannot be clicked: it opens a window of the system.";
            let error = ToolError::new(Code::NotInteractable, text).reason("file");
            return Some(error.hint("Use type with the absolute path of the file as text."));
        }
        match (self.checked, seen.kind.as_str()) {
            (None, _) | (Some(_), "checkbox") | (Some(true), "radio") => None,
            (Some(false), "radio") => Some(ToolError::invalid(
                "A radio button goes out only when another one of its group is chosen.",
            )),
            _ => Some(ToolError::invalid("checked is for check boxes and radio buttons.")),
        }
    }
}

/// What was clicked.
struct Clicked {
    element: String,
    /// Address of the page before.
    before: Option<String>,
}

async fn click(call: &mut Call<'_>, target: &Target, gesture: &Gesture) -> Result<Clicked, ToolError> {
    windows::learn(call).await?;
    let mut pace = Pace::new(call);
    let mut revealed = false;
    loop {
        let refuse = |seen: &Seen| gesture.refuse(seen);
        let Ready { seen, element } =
            operable::ready(call, target, &mut pace, refuse, operable::for_pointer).await?;
        let before = if target.frame.is_top() { Some(seen.url.clone()) } else { call.memory().url.clone() };
        if gesture.checked == Some(seen.checked) {
            return Ok(Clicked { element, before });
        }
        // The driver scrolls for its own click only (`reference/iedriver-wire.md` section 5.13).
        let sent = if !gesture.is_plain() && !seen.in_view && !revealed {
            revealed = true;
            match script::REVEAL.try_run::<Value>(call, json!([command::element(&element)])).await {
                Ok(_) => continue,
                Err(failure) => Err(failure),
            }
        } else {
            call.run(gesture.command(&element)).await
        };
        match sent {
            Ok(_) => return Ok(Clicked { element, before }),
            // It was there a moment ago: the click closed its own window.
            Err(failure) if failure.is("no such window") => return Ok(Clicked { element, before }),
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

/// Whether a check box or radio button is chosen after its click; None if it is gone or a dialog is open.
async fn checked_now(call: &mut Call<'_>, clicked: &Clicked) -> Option<bool> {
    let args = json!(["element", command::element(&clicked.element), null, null]);
    script::PROBE.run::<Seen>(call, args).await.ok().map(|reply| reply.said.checked)
}

fn vanished(failure: &Failure) -> bool {
    failure.is("stale element reference") || failure.is("no such element")
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
