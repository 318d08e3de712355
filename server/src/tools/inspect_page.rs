//! `inspect_page`: what the page shows and what can be operated in it.

use super::{Call, Output, Spec, Tool};
use crate::error::ToolError;
use crate::mcp::{schema_of, schemars};
use crate::page::selector::FramePath;
use crate::page::view::{self, Request};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The tool.
pub struct InspectPage;

static SPEC: Spec = Spec {
    name: "inspect_page",
    title: "See the page",
    description: "Visible text and operable elements of the page and its frames, each with a ref for later calls. Look here first, and after each change.",
    read_only: true,
    effect: false,
    loads: false,
    despite_dialog: true,
    input: schema_of::<Args>,
    output: None,
};

/// Elements of a view that asks for no number, and at most (`contract.md` sections 1.4 and 2.5).
const MOST_ELEMENTS: usize = 300;
/// Characters of text (`contract.md` section 1.4).
const MOST_TEXT: usize = 4000;
/// Bytes of an answer that asks for no number of elements (`contract.md` section 2.5).
const MOST_BYTES: usize = 40_000;

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct Args {
    #[serde(default)]
    frame: FramePath,
    /// Only elements whose text, label, id, name or value contains this.
    #[serde(default)]
    query: Option<String>,
    /// Elements to skip.
    #[serde(default)]
    offset: Option<u32>,
    /// At most 300.
    #[serde(default)]
    limit: Option<u32>,
    /// Characters of text to skip.
    #[serde(default)]
    text_offset: Option<u32>,
    /// Tables as rows of cell texts too.
    #[serde(default)]
    tables: bool,
}

impl Tool for InspectPage {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            let number =
                |value: Option<u32>, otherwise: usize| value.map_or(otherwise, |value| value as usize);
            let limit = number(args.limit, MOST_ELEMENTS);
            if limit > MOST_ELEMENTS {
                return Err(ToolError::invalid(format!("limit must be at most {MOST_ELEMENTS}.")));
            }
            let request = Request {
                query: args.query.unwrap_or_default(),
                offset: number(args.offset, 0),
                limit,
                text_offset: number(args.text_offset, 0),
                text_limit: MOST_TEXT,
                tables: args.tables,
            };
            let mut view = view::read(call, &request, &args.frame).await?;
            if args.limit.is_none() {
                fit(&mut view, MOST_BYTES);
            }
            if view["truncated"] == true {
                let next = request.offset + listed(&mut view);
                view.insert("nextOffset".into(), next.into());
            }
            Ok(Output { json: view, png: None })
        })
    }
}

/// The lists of elements in a view, those of frames too, in order.
fn lists(view: &mut Map<String, Value>) -> Vec<&mut Vec<Value>> {
    let mut lists = Vec::new();
    for (name, value) in view.iter_mut() {
        match (name.as_str(), value) {
            ("elements", Value::Array(list)) => lists.insert(0, list),
            ("frames", Value::Array(frames)) => {
                lists.extend(frames.iter_mut().filter_map(|frame| frame.get_mut("elements")?.as_array_mut()));
            }
            _ => {}
        }
    }
    lists
}

fn listed(view: &mut Map<String, Value>) -> usize {
    lists(view).iter().map(|list| list.len()).sum()
}

/// Shortens a view to so many bytes: first the options of selects go, then elements, last ones first.
fn fit(view: &mut Map<String, Value>, most: usize) {
    let mut size = Value::Object(view.clone()).to_string().len();
    if size <= most {
        return;
    }
    let mut cut = false;
    {
        let mut lists = lists(view);
        for element in lists.iter_mut().flat_map(|list| list.iter_mut()).rev() {
            if size <= most {
                return;
            }
            if let Some(options) = element.as_object_mut().and_then(|element| element.remove("options")) {
                size -= options.to_string().len() + r#","options":"#.len();
            }
        }
        while size > most
            && let Some(list) = lists.iter_mut().rev().find(|list| !list.is_empty())
            && let Some(element) = list.pop()
        {
            size = size.saturating_sub(element.to_string().len() + 1);
            cut = true;
        }
    }
    if cut {
        view.insert("truncated".into(), true.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_view_loses_options_first_and_then_its_last_elements() {
        let long = "x".repeat(100);
        let select = json!({ "tag": "select", "options": [long] });
        let Value::Object(whole) = json!({
            "text": "", "elements": [select, select], "truncated": false,
            "frames": [{ "elements": [select, { "tag": "a" }] }],
        }) else {
            panic!("an object")
        };
        let mut view = whole.clone();
        fit(&mut view, 10_000);
        assert_eq!(view, whole);
        fit(&mut view, 400);
        assert_eq!(view["truncated"], false);
        assert_eq!(view["elements"][0], select);
        assert_eq!(view["frames"][0]["elements"], json!([{ "tag": "select" }, { "tag": "a" }]));
        fit(&mut view, 100);
        assert_eq!(view["truncated"], true);
        assert_eq!(view["frames"][0]["elements"], json!([]));
        assert!(Value::Object(view.clone()).to_string().len() <= 100, "{view:?}");
        assert_eq!(listed(&mut view), 1, "the first element stays");
    }
}
