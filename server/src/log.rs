//! The log: one JSON object a line on stderr. Owns: its form and what may pass. Does not own: what is said.

use serde_json::{Map, Value};
use std::fmt::{self, Debug};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// Sends the log to stderr. `RUST_LOG` changes the filter, but other crates never get below `warn`: their
/// debug lines hold whole requests with typed text.
pub fn install() {
    let filter = std::env::var("RUST_LOG")
        .ok()
        .and_then(|text| EnvFilter::try_new(text).ok())
        .unwrap_or_else(|| EnvFilter::new("warn,ie_mode_mcp=info"));
    let ours =
        tracing_subscriber::filter::filter_fn(|meta| ours(meta.target()) || *meta.level() <= Level::WARN);
    let layer =
        tracing_subscriber::fmt::layer().event_format(Line).with_writer(std::io::stderr).with_filter(ours);
    // A second call, as in a test process, keeps the first.
    let _ = tracing_subscriber::registry().with(filter).with(layer).try_init();
    std::panic::set_hook(Box::new(|info| {
        // Without the payload: it may hold what the page or the agent said.
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
}

fn ours(target: &str) -> bool {
    target.starts_with("ie_mode_mcp")
}

/// `{"level":…, …fields}`; a field named `json` holds an object whose members stand for themselves.
struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let meta = event.metadata();
        let mut members = Members(Map::new());
        members.0.insert("level".into(), meta.level().as_str().to_ascii_lowercase().into());
        if ours(meta.target()) {
            event.record(&mut members);
        } else {
            // Only where it was said: the text may quote a message.
            members.0.insert("event".into(), meta.name().into());
            members.0.insert("target".into(), meta.target().into());
        }
        writeln!(writer, "{}", Value::Object(members.0))
    }
}

struct Members(Map<String, Value>);

impl Visit for Members {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "json"
            && let Ok(Value::Object(object)) = serde_json::from_str(value)
        {
            self.0.extend(object);
        } else {
            self.0.insert(field.name().into(), value.into());
        }
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().into(), value.into());
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().into(), value.into());
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().into(), value.into());
    }
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().into(), format!("{value:?}").into());
    }
}
