//! `wait_for`: waits until one condition holds.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::Command;
use crate::error::{Code, ToolError};
use crate::mcp::{schema_of, schemars};
use crate::page::selector::{FramePath, Selector};
use crate::page::state;
use crate::page::target::{Ask, Look, Target};
use crate::page::wait::Pace;
use crate::page::windows;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The tool.
pub struct WaitFor;

static SPEC: Spec = Spec {
    name: "wait_for",
    title: "Wait for a condition",
    description: "Wait until a condition holds: element (present, visible, enabled, gone, hidden; selector), its text (text, \
textGone; selector and text), url or title (contains text), dialog, window.",
    read_only: true,
    effect: false,
    loads: false,
    despite_dialog: true,
    input: schema_of::<Args>,
    output: Some(output),
};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct Args {
    #[serde(rename = "type")]
    condition: Condition,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selector: Option<Selector>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frame: Option<FramePath>,
    /// What the text, address or title shall contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// At most 55000.
    #[serde(default, rename = "timeoutMs", skip_serializing_if = "Option::is_none")]
    _timeout_ms: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(crate = "schemars")]
enum Condition {
    Present,
    Visible,
    Enabled,
    Text,
    Url,
    Title,
    Gone,
    Hidden,
    TextGone,
    Dialog,
    Window,
}

impl Condition {
    fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Visible => "visible",
            Self::Enabled => "enabled",
            Self::Text => "text",
            Self::Url => "url",
            Self::Title => "title",
            Self::Gone => "gone",
            Self::Hidden => "hidden",
            Self::TextGone => "textGone",
            Self::Dialog => "dialog",
            Self::Window => "window",
        }
    }

    fn needs_selector(self) -> bool {
        !matches!(self, Self::Url | Self::Title | Self::Dialog | Self::Window)
    }

    fn needs_text(self) -> bool {
        matches!(self, Self::Text | Self::TextGone | Self::Url | Self::Title)
    }
}

fn output() -> Map<String, Value> {
    super::parse(json!({
        "type": "object",
        "properties": { "type": { "type": "string" }, "waitedMs": { "type": "integer" } },
        "required": ["type", "waitedMs"],
    }))
    .unwrap_or_default()
}

impl Tool for WaitFor {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            let wanted = Wanted::new(call, args)?;
            if wanted.condition != Condition::Dialog
                && let Some(text) = call.dialog()
            {
                return Err(ToolError::dialog(text));
            }
            let mut pace = Pace::steady(call);
            loop {
                let seen = wanted.look(call).await?;
                if seen.holds {
                    let result = json!({ "type": wanted.condition.as_str(), "waitedMs": pace.waited_ms() });
                    return Ok(result.into());
                }
                let text = format!("waiting for {}: {}", wanted.condition.as_str(), seen.last);
                call.report(&text).await;
                if !pace.next(call).await? {
                    return Err(wanted.missed(seen));
                }
            }
        })
    }
}

/// What is waited for, checked.
struct Wanted {
    condition: Condition,
    target: Option<Target>,
    text: String,
}

/// What one look saw.
struct Seen {
    holds: bool,
    /// For the error; text of the page stands in `value` only.
    last: &'static str,
    value: Option<String>,
}

impl Seen {
    fn new(holds: bool, last: &'static str) -> Self {
        Self { holds, last, value: None }
    }

    fn text(holds: bool, value: &str) -> Self {
        Self { holds, last: "another text", value: Some(value.chars().take(120).collect()) }
    }
}

impl Wanted {
    fn new(call: &mut Call<'_>, args: Args) -> Result<Self, ToolError> {
        let condition = args.condition;
        let word = condition.as_str();
        let text = args.text.unwrap_or_default();
        if condition.needs_text() && text.is_empty() {
            return Err(ToolError::invalid(format!("wait_for with type {word} needs text.")));
        }
        let target = match args.selector {
            Some(selector) if condition.needs_selector() => Some(Target::new(call, selector, args.frame)?),
            None if condition.needs_selector() => {
                return Err(ToolError::invalid(format!("wait_for with type {word} needs selector.")));
            }
            _ => None,
        };
        Ok(Self { condition, target, text })
    }

    async fn look(&self, call: &mut Call<'_>) -> Result<Seen, ToolError> {
        match (self.condition, &self.target) {
            (Condition::Url, _) => {
                let state = state::read(call).await?;
                Ok(Seen::text(state.url.contains(&self.text), &state.url))
            }
            (Condition::Title, _) => {
                let state = state::read(call).await?;
                Ok(Seen::text(state.title.contains(&self.text), &state.title))
            }
            (Condition::Dialog, _) => match call.run(Command::alert_text()).await {
                Ok(_) => Ok(Seen::new(true, "a dialog")),
                Err(failure) if failure.is("no such alert") => Ok(Seen::new(false, "no dialog")),
                Err(failure) => Err(failure.into()),
            },
            (_, Some(target)) => self.look_at(call, target).await,
            (_, None) => {
                windows::look(call).await?;
                Ok(Seen::new(call.memory().windows.newest().is_some(), "no new window"))
            }
        }
    }

    async fn look_at(&self, call: &mut Call<'_>, target: &Target) -> Result<Seen, ToolError> {
        let absence = matches!(self.condition, Condition::Gone | Condition::Hidden | Condition::TextGone);
        let ask = Ask::Glance(self.condition.needs_text().then_some(self.text.as_str()));
        let look = match target.look(call, &ask).await {
            // A ref whose element is gone is what these wait for.
            Err(error) if absence && error.reason == Some("stale") => return Ok(Seen::new(true, "absent")),
            look => look?,
        };
        let seen = match look {
            Look::Found(seen, _) => seen,
            Look::Absent(error) if error.code == Code::ElementNotFound && error.reason.is_none() => {
                return Ok(Seen::new(absence, "absent"));
            }
            // The document may be on its way out.
            Look::Absent(_) => return Ok(Seen::new(false, "a page that cannot be read")),
        };
        let visible = seen.shown && !seen.transparent;
        let last = match (visible, seen.enabled) {
            (false, _) => "hidden",
            (true, false) => "visible and disabled",
            (true, true) => "visible and enabled",
        };
        let shown = seen.text.as_deref().unwrap_or_default();
        Ok(match self.condition {
            Condition::Visible => Seen::new(visible, last),
            Condition::Enabled => Seen::new(visible && seen.enabled, last),
            Condition::Hidden => Seen::new(!visible, last),
            Condition::Gone => Seen::new(false, last),
            Condition::Text => Seen::text(seen.has, shown),
            Condition::TextGone => Seen::text(!seen.has, shown),
            _ => Seen::new(true, last),
        })
    }

    fn missed(&self, seen: Seen) -> ToolError {
        let word = self.condition.as_str();
        let of = self.target.as_ref().map(|target| format!(" ({})", target.selector)).unwrap_or_default();
        let message = format!("The condition {word}{of} was not met in time; seen last: {}.", seen.last);
        let mut error = ToolError::new(Code::Timeout, message).detail("seen", seen.last);
        if let Some(value) = seen.value {
            error = error.detail("lastText", value);
        }
        match &self.target {
            Some(target) => target.describe(error),
            None => error,
        }
    }
}
