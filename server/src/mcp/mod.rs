//! The MCP edge: the handler over the list of tools. Owns: MCP types, rendering. Does not own: what a tool does.

mod arguments;
mod progress;
mod wrapper;

pub use progress::Progress;
pub use rmcp::schemars;

use crate::config::Config;
use crate::driver::Driver;
use crate::error::ToolError;
use crate::tools::{Output, TOOLS, Tool};
use crate::{ServeError, World};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;
use wrapper::Desk;

const INSTRUCTIONS: &str = "Operates one legacy web page in the IE mode of Microsoft Edge. Call browser_start, then \
navigate, then inspect_page to see what can be operated; act with click, type and select; wait with wait_for. \
Tool calls act at once and run one after another. Errors are JSON with `error` and `message`. `outcome` says what became of \
an action: not_done (safe to try again), done, or unknown: then look with inspect_page before doing it again, else an order may \
be placed twice. After DRIVER_LOST call browser_start. While `dialog` is in a result, an alert, confirm or prompt is open and \
must be answered before anything else.";

/// The schema of a type without the members clients do not need, without references and without null, which some
/// clients do not understand: a member that is not required may be left out.
pub fn schema_of<T: schemars::JsonSchema>() -> Map<String, Value> {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut schema);
    match schema {
        Value::Object(mut object) => {
            object.remove("description");
            object
        }
        _ => Map::new(),
    }
}

fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            for name in ["title", "format", "default"] {
                if object.get(name).is_some_and(|value| !value.is_object()) {
                    object.remove(name);
                }
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice["type"] != "null");
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    for (name, value) in only {
                        object.entry(name).or_insert(value);
                    }
                }
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(list) => list.iter_mut().for_each(plain),
        _ => {}
    }
}

/// The tools as MCP lists them.
pub fn listed() -> Vec<rmcp::model::Tool> {
    TOOLS.iter().map(|tool| tool_of(*tool)).collect()
}

fn tool_of(tool: &dyn Tool) -> rmcp::model::Tool {
    let spec = tool.spec();
    let annotations = ToolAnnotations::new().read_only(spec.read_only);
    let annotations = if spec.effect { annotations.idempotent(false) } else { annotations };
    let listed = rmcp::model::Tool::new(spec.name, spec.description, Arc::new((spec.input)()))
        .with_title(spec.title)
        .with_annotations(annotations);
    match spec.output {
        Some(output) => listed.with_raw_output_schema(Arc::new(output())),
        None => listed,
    }
}

struct Handler(Arc<Desk>);

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("ie-mode-mcp", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(listed()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.spec().name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool named {}", request.name), None));
        };
        let progress =
            context.meta.get_progress_token().map(|token| Progress::new(context.peer.clone(), token));
        let args = request.arguments.unwrap_or_default();
        let result = wrapper::call(&self.0, *tool, args, context.ct.clone(), progress).await;
        Ok(render(tool.spec().output.is_some(), result).into())
    }
}

/// Errors are text only: some clients validate them against the output schema.
fn render(structured: bool, result: Result<Output, ToolError>) -> CallToolResult {
    match result {
        Ok(output) => {
            let json = Value::Object(output.json);
            let mut content = Vec::new();
            if let Some(png) = output.png {
                content.push(ContentBlock::image(png, "image/png"));
            }
            content.push(ContentBlock::text(json.to_string()));
            let mut result = CallToolResult::success(content);
            result.structured_content = structured.then_some(json);
            result
        }
        Err(error) => {
            CallToolResult::error(vec![ContentBlock::text(Value::Object(error.to_json()).to_string())])
        }
    }
}

/// Tells at once when the client is gone; rmcp alone would wait for running calls first.
struct Watched {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    end: CancellationToken,
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buf.filled().len();
        let room = buf.remaining() > 0;
        let result = Pin::new(&mut self.reader).poll_read(cx, buf);
        match &result {
            Poll::Ready(Ok(())) if room && buf.filled().len() == before => self.end.cancel(),
            Poll::Ready(Err(_)) => self.end.cancel(),
            _ => {}
        }
        result
    }
}

/// Serves until the reader ends or the world stops; then closes browser and driver.
pub(crate) async fn serve(config: Config, world: World) -> Result<(), ServeError> {
    let World { reader, writer, driver, stop } = world;
    let end = CancellationToken::new();
    let desk = Arc::new(Desk {
        config,
        driver: tokio::sync::Mutex::new(Driver::new(driver)),
        stop: end.clone(),
        note: std::sync::Mutex::default(),
    });
    let reader = Watched { reader, end: end.clone() };
    let handshake = Handler(desk.clone()).serve((reader, writer));
    let running = tokio::select! {
        biased;
        () = stop.cancelled() => return Ok(()),
        running = handshake => match running {
            Ok(running) => running,
            // Closed before the first message: some clients probe so.
            Err(_) if end.is_cancelled() => return Ok(()),
            Err(error) => return Err(ServeError::Handshake(error.to_string())),
        },
    };
    let token = running.cancellation_token();
    let mut waiting = tokio::spawn(running.waiting());
    let ended = tokio::select! {
        biased;
        _ = &mut waiting => true,
        () = end.cancelled() => false,
        () = stop.cancelled() => false,
    };
    end.cancel();
    // Running calls end now; the client may still read their answers.
    if !ended && tokio::time::timeout(Duration::from_millis(300), &mut waiting).await.is_err() {
        token.cancel();
    }
    desk.driver.lock().await.end(Duration::from_millis(2_000)).await;
    Ok(())
}
