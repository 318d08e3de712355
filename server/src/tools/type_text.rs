//! `type`: types a text into a field once and reads it back, or presses keys.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::{Command, element};
use crate::driver::session::Failure;
use crate::error::{Code, Outcome, ToolError};
use crate::mcp::{schema_of, schemars};
use crate::page::dialog::{self, DialogAnswer};
use crate::page::operable::{self, Ready};
use crate::page::selector::{FramePath, Selector};
use crate::page::target::{Seen, Target};
use crate::page::wait::Pace;
use crate::page::{keys, upload};
use crate::script;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The tool.
pub struct Type;

static SPEC: Spec = Spec {
    name: "type",
    title: "Type into a field",
    description: "Type text into a field once and read it back. Existing text is cleared unless clear is false. A file field \
takes an absolute path.",
    read_only: false,
    effect: true,
    loads: false,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Instead of text: keys like Enter, Tab, F5, ArrowDown, Control+a.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<String>>,
    /// Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clear: Option<bool>,
    /// keys (default), or value: set it and fire the events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strategy: Option<Strategy>,
    /// Press Enter afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    submit: Option<bool>,
    /// Answer to a dialog that opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialog: Option<DialogAnswer>,
    /// Limit of the wait for the element, at most 55000.
    #[serde(default, rename = "timeoutMs", skip_serializing_if = "Option::is_none")]
    _timeout_ms: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "schemars")]
enum Strategy {
    #[default]
    Keys,
    Value,
}

fn output() -> Map<String, Value> {
    super::parse(json!({
        "type": "object",
        "properties": {
            "status": { "type": "string" },
            "verified": { "type": "boolean" },
            "expectedLength": { "type": "integer" },
            "actualLength": { "type": "integer" },
        },
        "required": ["status"],
    }))
    .unwrap_or_default()
}

impl Tool for Type {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn extra_ms(&self, args: &Map<String, Value>) -> u64 {
        let characters = args.get("text").and_then(Value::as_str).map_or(0, |text| text.chars().count());
        u64::try_from(characters).unwrap_or(u64::MAX).saturating_mul(40)
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            let input = Input::new(&args)?;
            let target = Target::new(call, args.selector, args.frame)?;
            let mut result = Map::from_iter([("status".to_owned(), "ok".into())]);
            let answer = args.dialog.as_ref();
            let (ready, before) = write(call, &target, &input, answer, &mut result).await?;
            let mut back = read_back(call, &input, &ready, before).await;
            if back.as_ref().is_err_and(Failure::is_dialog)
                && let Some(answer) = answer
            {
                let text = dialog::answer(call, answer).await?;
                result.insert("answered".into(), dialog::answered(&text, answer.action));
                back = read_back(call, &input, &ready, before).await;
            }
            report(&mut result, &input, before, back)?;
            if args.submit == Some(true) && call.dialog().is_none() {
                call.run(Command::send_keys(&ready.element, keys::ENTER)).await?;
            }
            Ok(Value::Object(result).into())
        })
    }
}

/// What is written, and how.
struct Input {
    /// What is sent: letters, or the code points of keys.
    text: String,
    /// It names keys, not text.
    keys: bool,
    clear: bool,
    strategy: Strategy,
}

impl Input {
    fn new(args: &Args) -> Result<Self, ToolError> {
        let strategy = args.strategy.unwrap_or_default();
        let (text, keys) = match (&args.text, &args.keys) {
            // A line break is one key.
            (Some(text), None) => (text.replace("\r\n", "\n"), false),
            (None, Some(keys)) if strategy == Strategy::Keys => (keys::encode(keys)?, true),
            _ => {
                return Err(ToolError::invalid(
                    "type needs either text or keys; keys only with strategy keys.",
                ));
            }
        };
        Ok(Self { text, keys, clear: args.clear.unwrap_or(true) && !keys, strategy })
    }

    /// Whether the field holds this text afterwards, if all goes well: no key leaves it or sends it off.
    fn comparable(&self, seen: &Seen) -> bool {
        let breaks_stay = seen.tag != "input";
        !self.keys
            && (seen.editable || seen.kind == "file")
            && (self.strategy == Strategy::Value
                || (!keys::has_key(&self.text)
                    && !self.text.contains('\t')
                    && (breaks_stay || seen.kind == "file" || !self.text.contains('\n'))))
    }

    fn refuse(&self, call_is_local: bool, seen: &Seen) -> Option<ToolError> {
        if seen.kind == "file" {
            return if self.keys {
                None
            } else {
                upload::check(&self.text, seen.multiple, call_is_local).err()
            };
        }
        if self.keys {
            return None;
        }
        if seen.read_only {
            let error = ToolError::new(Code::NotInteractable, "The field is read-only.");
            return Some(error.reason("read_only"));
        }
        let use_instead = match (seen.tag.as_str(), seen.kind.as_str()) {
            ("select", _) => "Use select.",
            (_, "checkbox" | "radio" | "submit" | "button" | "image" | "reset") => "Use click.",
            (_, "hidden") => "A person cannot reach it: use the fields that are shown.",
            _ if self.strategy == Strategy::Value && !seen.editable => "Only fields have a value.",
            _ => return None,
        };
        let error = ToolError::new(Code::NotInteractable, "The element takes no text.");
        Some(error.reason("not_editable").hint(use_instead))
    }
}

/// Writes the text; gives the field and how many UTF-16 units stood in it before.
async fn write(
    call: &mut Call<'_>,
    target: &Target,
    input: &Input,
    answer: Option<&DialogAnswer>,
    result: &mut Map<String, Value>,
) -> Result<(Ready, u64), ToolError> {
    let local = call.config.driver_url.is_none();
    let mut pace = Pace::new(call);
    loop {
        let refuse = |seen: &Seen| input.refuse(local, seen);
        // A file field is often hidden behind a button; the driver does not mind.
        let hindrance = |seen: &Seen| if seen.kind == "file" { None } else { operable::for_keys(seen) };
        let ready = operable::ready(call, target, &mut pace, refuse, hindrance).await?;
        let (id, seen) = (&ready.element, &ready.seen);
        if seen.kind == "password" {
            call.memory().secrets.keep(&input.text);
        }
        let clears = input.clear && seen.editable && seen.length > 0;
        let before = if input.clear { 0 } else { seen.length };
        let sent = match input.strategy {
            Strategy::Value => {
                let args = json!([element(id), input.text, input.clear]);
                script::SET_VALUE.try_run::<Value>(call, args).await.map(drop)
            }
            Strategy::Keys if clears => match call.run(Command::clear(id)).await {
                Ok(_) => type_after_clear(call, id, input, answer, result).await?,
                Err(failure) => Err(failure),
            },
            Strategy::Keys => call.run(Command::send_keys(id, &input.text)).await.map(drop),
        };
        match sent {
            Ok(()) => return Ok((ready, before)),
            // Replaced between look and keys: nothing was typed, so the one that replaced it is looked for.
            Err(failure) if failure.is("stale element reference") || failure.is("no such element") => {
                if !pace.next(call).await? {
                    return Err(target.selector.stale());
                }
            }
            Err(failure) => return Err(target.describe(failure.into())),
        }
    }
}

/// Types into a field that was cleared. Clearing fires a change event, whose handler may open a dialog before the
/// first key.
async fn type_after_clear(
    call: &mut Call<'_>,
    id: &str,
    input: &Input,
    answer: Option<&DialogAnswer>,
    result: &mut Map<String, Value>,
) -> Result<Result<(), Failure>, ToolError> {
    let sent = call.run(Command::send_keys(id, &input.text)).await.map(drop);
    let Err(failure) = &sent else { return Ok(sent) };
    if !failure.is_dialog() {
        return Ok(sent);
    }
    let Some(answer) = answer else {
        let mut error = ToolError::from(failure.clone()).outcome(Outcome::Unknown);
        error.message = "A dialog opened when the field was cleared; the text was not typed.".into();
        return Err(error);
    };
    let text = dialog::answer(call, answer).await?;
    result.insert("answered".into(), dialog::answered(&text, answer.action));
    Ok(call.run(Command::send_keys(id, &input.text)).await.map(drop))
}

/// What the field holds. None: it cannot be compared.
async fn read_back(
    call: &mut Call<'_>,
    input: &Input,
    ready: &Ready,
    before: u64,
) -> Result<Option<Back>, Failure> {
    if !input.comparable(&ready.seen) {
        return Ok(None);
    }
    let args = json!([element(&ready.element), input.text, before]);
    script::READ_BACK.run::<Back>(call, args).await.map(|reply| Some(reply.said))
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Back {
    same: bool,
    length: u64,
}

/// Tells what the field holds; the text is typed by now.
fn report(
    result: &mut Map<String, Value>,
    input: &Input,
    before: u64,
    back: Result<Option<Back>, Failure>,
) -> Result<(), ToolError> {
    match back {
        Ok(None) => {}
        Ok(Some(back)) => {
            result.insert("verified".into(), back.same.into());
            if !back.same {
                let expected =
                    before.saturating_add(u64::try_from(input.text.encode_utf16().count()).unwrap_or(0));
                result.insert("expectedLength".into(), expected.into());
                result.insert("actualLength".into(), back.length.into());
                result.insert(
                    "hint".into(),
                    "The field does not hold what was typed: it may shorten, format or refuse text, or keys got lost. \
Nothing was typed twice; look with inspect_page."
                        .into(),
                );
            }
        }
        Err(failure) if failure.is_dialog() => {}
        Err(Failure::W3c { .. } | Failure::Odd(_)) => {
            result.insert("verified".into(), false.into());
            result.insert(
                "hint".into(),
                "The text was typed, but the field is gone or cannot be read back; look with inspect_page."
                    .into(),
            );
        }
        Err(failure) => return Err(ToolError::from(failure).outcome(Outcome::Done)),
    }
    Ok(())
}
