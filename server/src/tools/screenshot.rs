//! `screenshot`: a picture of what the window shows.

use super::{Call, Output, Spec, Tool};
use crate::driver::command::Command;
use crate::error::ToolError;
use crate::mcp::{schema_of, schemars};
use crate::page::picture::Picture;
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
#[serde(deny_unknown_fields)]
#[schemars(crate = "schemars")]
struct Args {
    /// Shrink to at most so many pixels.
    #[serde(default, rename = "maxWidth")]
    max_width: Option<std::num::NonZeroU32>,
}

impl Tool for Screenshot {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, args: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let args: Args = super::parse(args)?;
            let answer = call.run(Command::screenshot()).await?;
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
