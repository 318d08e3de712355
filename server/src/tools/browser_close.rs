//! `browser_close`: ends session, browser and driver; never an error.

use super::{Call, Output, Spec, Tool, no_arguments};
use crate::error::ToolError;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

/// The tool.
pub struct BrowserClose;

static SPEC: Spec = Spec {
    name: "browser_close",
    title: "Close the browser",
    description: "Close browser and driver. Never fails; a driver that hangs is ended.",
    read_only: false,
    effect: false,
    loads: false,
    despite_dialog: true,
    input: no_arguments,
    output: Some(output),
};

fn output() -> Map<String, Value> {
    super::parse(json!({
        "type": "object", "properties": { "status": { "type": "string" } }, "required": ["status"],
    }))
    .unwrap_or_default()
}

impl Tool for BrowserClose {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, _: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            call.driver.close().await;
            Ok(json!({ "status": "closed" }).into())
        })
    }
}
