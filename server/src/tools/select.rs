//! `select`: chooses options of a list.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::{Command, element};
use crate::driver::session::Failure;
use crate::error::{Code, Outcome, ToolError};
use crate::mcp::{schema_of, schemars};
use crate::page::dialog::{self, DialogAnswer};
use crate::page::operable;
use crate::page::selector::{FramePath, Selector};
use crate::page::target::{Ask, Choice, Look, Seen, Target};
use crate::page::wait::Pace;
use crate::script::{self, Reply};
use futures::future::BoxFuture;
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value, json};

/// The tool.
pub struct Select;

static SPEC: Spec = Spec {
    name: "select",
    title: "Choose from a list",
    description: "Choose an option of a select element by its text, value or index (from 0). In a multiple list exactly the \
given values are chosen.",
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
    by: By,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Wanted>,
    /// Instead of value, for a multiple list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Wanted>>,
    /// Answer to a dialog the choice opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialog: Option<DialogAnswer>,
    /// Limit of the wait for list and option, at most 55000.
    #[serde(default, rename = "timeoutMs", skip_serializing_if = "Option::is_none")]
    _timeout_ms: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "schemars")]
enum By {
    Text,
    Value,
    Index,
}

impl By {
    fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Value => "value",
            Self::Index => "index",
        }
    }
}

/// A text, or a number meaning its digits.
#[derive(Debug)]
struct Wanted(String);

impl<'de> Deserialize<'de> for Wanted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            _ => Err(de::Error::custom("value must be a text or a number")),
        }
    }
}

impl schemars::JsonSchema for Wanted {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Wanted".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["string", "number"] })
    }
}

fn output() -> Map<String, Value> {
    super::parse(json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "value": { "type": "string" },
            "index": { "type": "integer" },
            "chosen": { "type": "array", "items": { "type": "object" } },
            "dependents": { "type": "array", "items": { "type": "object" } },
        },
    }))
    .unwrap_or_default()
}

impl Tool for Select {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            let (values, several) = wanted(args.by, args.value, args.values)?;
            let target = Target::new(call, args.selector, args.frame)?;
            let (id, choices) = find(call, &target, args.by, &values, several).await?;
            let done = choose(call, &target, &id, &choices).await?;
            let mut result = told(&choices, several);
            if let Some(answer) = &args.dialog
                && call.dialog().is_some()
            {
                let text = dialog::answer(call, answer).await?;
                result.insert("answered".into(), dialog::answered(&text, answer.action));
            }
            if let Some(done) = done {
                if !done.stays {
                    result.insert("verified".into(), false.into());
                    result.insert(
                        "hint".into(),
                        "The page changed the choice again; look with inspect_page.".into(),
                    );
                }
                if !done.dependents.is_empty() {
                    result.insert("dependents".into(), done.dependents.into());
                }
            }
            Ok(Value::Object(result).into())
        })
    }
}

fn wanted(
    by: By,
    value: Option<Wanted>,
    values: Option<Vec<Wanted>>,
) -> Result<(Vec<String>, bool), ToolError> {
    let (values, several) = match (value, values) {
        (Some(value), None) => (vec![value.0], false),
        (None, Some(values)) => (values.into_iter().map(|value| value.0).collect::<Vec<_>>(), true),
        _ => return Err(ToolError::invalid("select needs either value or values.")),
    };
    if by == By::Index
        && let Some(odd) = values.iter().find(|value| value.parse::<u32>().is_err())
    {
        return Err(ToolError::invalid(format!(
            "With by index, value must be a whole number from 0, not \"{odd}\"."
        )));
    }
    Ok((values, several))
}

/// Waits for list and options.
async fn find(
    call: &mut Call<'_>,
    target: &Target,
    by: By,
    values: &[String],
    several: bool,
) -> Result<(String, Vec<Choice>), ToolError> {
    let mut pace = Pace::new(call);
    loop {
        let error = match target.look(call, &Ask::Options(by.as_str(), values)).await? {
            Look::Absent(error) => error,
            Look::Found(seen, id) => match judge(target, &seen, by, values, several) {
                Verdict::Ready(choices) => return Ok((id, choices)),
                Verdict::Wait(error) => error,
                Verdict::Never(error) => return Err(target.describe(error).outcome(Outcome::NotDone)),
            },
        };
        if !pace.next(call).await? {
            return Err(target.describe(error).outcome(Outcome::NotDone));
        }
    }
}

enum Verdict {
    Ready(Vec<Choice>),
    /// It may come; else this is the error.
    Wait(ToolError),
    Never(ToolError),
}

fn judge(target: &Target, seen: &Seen, by: By, values: &[String], several: bool) -> Verdict {
    if seen.tag != "select" {
        return Verdict::Never(ToolError::invalid(format!(
            "The element is no select element but {}.",
            seen.tag
        )));
    }
    if several && !seen.multiple {
        return Verdict::Never(ToolError::invalid(
            "values is for a multiple list; this list takes one value.",
        ));
    }
    match operable::for_keys(seen) {
        Some(("disabled", _)) => {
            let error =
                ToolError::new(Code::NotInteractable, format!("The list is disabled: {}", target.selector));
            return Verdict::Wait(error.reason("disabled"));
        }
        Some((reason, text)) => {
            let message = format!("The list stayed {text}: {}", target.selector);
            return Verdict::Wait(ToolError::new(Code::Timeout, message).reason(reason));
        }
        None => {}
    }
    let mut choices = Vec::new();
    for (value, found) in values.iter().zip(&seen.options) {
        match found.as_slice() {
            [] => {
                let message = format!("Option was not found: {}={value}", by.as_str());
                let error = ToolError::new(Code::ElementNotFound, message).reason("option");
                return Verdict::Wait(error.detail("options", seen.texts.clone()));
            }
            [_, _, ..] if by == By::Text => {
                let candidates: Vec<Value> = found.iter().map(candidate).collect();
                let error = ToolError::invalid(format!("Several options have the text \"{value}\"."));
                return Verdict::Never(
                    error.detail("candidates", candidates).hint("Choose by value or index instead."),
                );
            }
            [choice, ..] if choice.disabled => {
                let message = format!("The option is disabled: {}={value}", by.as_str());
                return Verdict::Never(ToolError::new(Code::NotInteractable, message).reason("disabled"));
            }
            [choice, ..] => choices.push(choice.clone()),
        }
    }
    Verdict::Ready(choices)
}

fn candidate(choice: &Choice) -> Value {
    let mut object = entry(choice);
    if let Some(group) = &choice.group {
        object.insert("group".into(), group.clone().into());
    }
    Value::Object(object)
}

fn entry(choice: &Choice) -> Map<String, Value> {
    Map::from_iter([
        ("text".to_owned(), choice.text.clone().into()),
        ("value".to_owned(), choice.value.clone().into()),
        ("index".to_owned(), choice.index.into()),
    ])
}

fn told(choices: &[Choice], several: bool) -> Map<String, Value> {
    if several {
        let chosen: Vec<Value> = choices.iter().map(|choice| Value::Object(entry(choice))).collect();
        return Map::from_iter([("chosen".to_owned(), chosen.into())]);
    }
    choices.first().map(entry).unwrap_or_default()
}

/// What the script did.
#[derive(Debug, Deserialize)]
struct Done {
    done: bool,
    #[serde(default)]
    stays: bool,
    #[serde(default)]
    dependents: Vec<Value>,
}

/// Chooses once. None: it is done, but a dialog that it opened kept the script from answering.
async fn choose(
    call: &mut Call<'_>,
    target: &Target,
    id: &str,
    choices: &[Choice],
) -> Result<Option<Done>, ToolError> {
    let indexes: Vec<u32> = choices.iter().map(|choice| choice.index).collect();
    let texts: Vec<&str> = choices.iter().map(|choice| choice.text.as_str()).collect();
    let args = json!([element(id), indexes, texts]);
    match script::CHOOSE.try_run::<Done>(call, args).await {
        Ok(Some(Reply { said: done, .. })) if done.done => Ok(Some(done)),
        Ok(Some(_)) => {
            let error = ToolError::new(Code::ElementNotFound, "The options changed while one was chosen.");
            Err(target.describe(error.reason("stale")).outcome(Outcome::NotDone))
        }
        Ok(None) => {
            // Which dialog, if any; without one the page has gone elsewhere.
            match call.run(Command::alert_text()).await {
                Ok(_) => Ok(None),
                Err(failure) if failure.is("no such alert") => Ok(None),
                Err(failure) => Err(ToolError::from(failure).outcome(Outcome::Done)),
            }
        }
        // None was open at the look a moment ago: the choice opened it.
        Err(failure) if failure.is_dialog() => Ok(None),
        Err(failure) if failure.is("stale element reference") || failure.is("no such element") => {
            Err(target.selector.stale().outcome(Outcome::NotDone))
        }
        Err(failure @ Failure::Odd(_)) => Err(ToolError::from(failure).outcome(Outcome::Unknown)),
        Err(failure) => Err(target.describe(failure.into())),
    }
}
