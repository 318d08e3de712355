//! `browser_start`: starts driver and browser, or keeps the live session.

use super::{Call, Output, Spec, Tool, no_arguments};
use crate::error::ToolError;
use crate::page::windows;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

/// The tool.
pub struct BrowserStart;

static SPEC: Spec = Spec {
    name: "browser_start",
    title: "Start the browser",
    description: "Start Edge in IE mode, or keep the live session. Call this first.",
    read_only: false,
    effect: false,
    loads: false,
    despite_dialog: true,
    input: no_arguments,
    output: Some(output),
};

fn output() -> Map<String, Value> {
    super::parse(json!({
        "type": "object",
        "properties": {
            "status": { "type": "string" },
            "reused": { "type": "boolean" },
            "driver": { "type": "object" },
            "warnings": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["status", "reused"],
    }))
    .unwrap_or_default()
}

impl Tool for BrowserStart {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run<'a>(&'a self, _: Value, call: &'a mut Call<'_>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let started = call.driver.start(call.config, &call.budget).await?;
            if !started.reused {
                // So that later a new window is told from the first one. Without an answer it is learned later.
                let _ = windows::learn(call).await;
            }
            let mut result = json!({ "status": "ready", "reused": started.reused });
            if let Some((version, bits)) = &started.build {
                result["driver"] = json!({ "version": version, "bits": bits });
                if *bits == 64 {
                    result["warnings"] = json!([
                        "The driver is the 64-bit build: typing takes seconds a key. Use the 32-bit build."
                    ]);
                }
            }
            Ok(result.into())
        })
    }
}
