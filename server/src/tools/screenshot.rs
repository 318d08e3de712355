//! `screenshot`: a picture of what the window shows.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::Command;
use crate::error::{Code, ToolError};
use crate::mcp::{schema_of, schemars};
use crate::page::picture::Picture;
use crate::page::selector::{FramePath, Selector};
use crate::page::target::{Seen, Target};
use crate::page::wait::Pace;
use crate::page::{operable, origin};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

/// The tool.
pub struct Screenshot;

static SPEC: Spec = Spec {
    name: "screenshot",
    title: "Take a picture",
    description: "PNG of the visible part of the window. inspect_page tells more for less.",
    read_only: true,
    effect: false,
    loads: false,
    despite_dialog: true,
    input: schema_of::<Args>,
    output: None,
};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(crate = "schemars")]
struct Args {
    /// One element instead of the window.
    #[serde(default)]
    selector: Option<Selector>,
    #[serde(default)]
    frame: Option<FramePath>,
    /// Shrink to at most so many pixels.
    #[serde(default)]
    max_width: Option<std::num::NonZeroU32>,
    /// Limit for the element to appear.
    #[serde(default)]
    #[allow(dead_code, reason = "read by the wrapper")]
    timeout_ms: Option<u64>,
}

async fn element(
    call: &mut Call<'_>,
    selector: Selector,
    frame: Option<FramePath>,
) -> Result<Command, ToolError> {
    let target = Target::new(call, selector, frame)?;
    let mut pace = Pace::new(call);
    let hidden = |seen: &Seen| (!seen.shown).then(|| ("hidden", "hidden".to_owned()));
    let ready = operable::ready(call, &target, &mut pace, |_| None, hidden).await;
    Ok(Command::element_screenshot(
        &ready
            .map_err(|mut error| {
                error.outcome = None;
                error
            })?
            .element,
    ))
}

/// Where other origins are refused, a picture shows none of them.
async fn withhold(call: &mut Call<'_>) -> Result<(), ToolError> {
    let url = call.run(Command::url()).await?;
    let start_page = call.driver.start_page().map(str::to_owned);
    if origin::may_stay(call.config, url.as_str().unwrap_or_default(), start_page.as_deref()) {
        return Ok(());
    }
    Err(ToolError::new(Code::UrlNotAllowed, "The browser shows a page of an origin that is not on the list."))
}

impl Tool for Screenshot {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            let command = match (args.selector, args.frame) {
                (Some(selector), frame) => element(call, selector, frame).await?,
                (None, None) => Command::screenshot(),
                (None, Some(_)) => return Err(ToolError::invalid("With frame there must be a selector.")),
            };
            if call.config.allowed_origins_strict {
                withhold(call).await?;
            }
            let answer = call.run(command).await?;
            let broken = |what: String| {
                ToolError::internal(format!("There is no picture: {what}."))
                    .reason("no_picture")
                    .hint("A locked, minimised or disconnected desktop has no picture.")
            };
            let picture = Picture::read(answer.as_str().unwrap_or_default()).map_err(broken)?;
            let (full_width, full_height) = (picture.width, picture.height);
            let picture = match args.max_width {
                Some(widest) => picture.shrunk(widest.get()).map_err(broken)?,
                None => picture,
            };
            let mut output = Output::from(json!({ "width": picture.width, "height": picture.height }));
            if picture.width != full_width {
                output
                    .json
                    .insert("shrunkFrom".into(), json!({ "width": full_width, "height": full_height }));
            }
            if picture.uniform {
                output.json.insert("uniform".into(), true.into());
                output.json.insert(
                    "hint".into(),
                    "The picture is of one single colour: the page is blank, or the desktop is locked or minimised.".into(),
                );
            }
            output.png = Some(picture.base64());
            Ok(output)
        })
    }
}
