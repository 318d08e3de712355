//! What a document and the frames below it show. Owns: the limits of a view, entering frames one after another, refs of
//! what is shown. Does not own: what the scripts see (`script`), the arguments of the tool.
//!
//! One script call a document. Elements are taken from the document the script runs in, so each frame is entered that
//! has some.

use super::selector::{By, FramePath, Selector};
use super::{error_page, origin, state, target};
use crate::driver::command::Command;
use crate::driver::session::Failure;
use crate::error::{Code, ToolError};
use crate::script;
use crate::tools::Call;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Frames deeper than this are listed only.
const DEEPEST: usize = 8;
/// Frames after so many are listed only.
const MOST_FRAMES: usize = 50;
/// Text of a frame that is shown even when the documents before it used the limit up.
const LEAST_TEXT: usize = 500;

/// What is asked of a view.
#[derive(Clone, Debug)]
pub struct Request {
    /// Only elements whose text, label, id, name or value contains this; empty for all.
    pub query: String,
    /// Elements to leave out at the beginning, counted over all frames.
    pub offset: usize,
    /// Most elements, counted over all frames.
    pub limit: usize,
    /// UTF-16 units of the text to leave out at the beginning.
    pub text_offset: usize,
    /// Most UTF-16 units of text.
    pub text_limit: usize,
    /// Tables as rows too.
    pub tables: bool,
}

/// What one document said.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    url: String,
    title: String,
    top: Option<Place>,
    document_mode: Option<u32>,
    ready_state: Option<String>,
    text: String,
    #[serde(default)]
    text_truncated: bool,
    total: usize,
    elements: Vec<Map<String, Value>>,
    #[serde(default)]
    frames: Vec<Frame>,
}

#[derive(Debug, Deserialize)]
struct Place {
    url: String,
    title: String,
}

/// A frame of a document.
#[derive(Debug, Deserialize)]
struct Frame {
    /// Where its element stands in the reply.
    at: Option<usize>,
    /// Where it stands among the frames of its document.
    index: u16,
    id: Option<String>,
    name: Option<String>,
    src: Option<String>,
    #[serde(default)]
    hidden: bool,
    /// What it shows, if it holds nothing to operate and no frame: it is not entered.
    still: Option<Still>,
}

/// What a frame shows in which nothing can be operated.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Still {
    url: String,
    title: String,
    document_mode: Option<u32>,
    text: String,
}

impl Still {
    /// As if the frame had been entered, its text cut to what is left of the limit.
    fn document(self, room: usize) -> Document {
        let mut units = 0;
        let text: String = self
            .text
            .chars()
            .take_while(|c| {
                units += c.len_utf16();
                units <= room
            })
            .collect();
        Document {
            url: self.url,
            title: self.title,
            top: None,
            document_mode: self.document_mode,
            ready_state: None,
            text_truncated: text.len() < self.text.len(),
            text,
            total: 0,
            elements: Vec::new(),
            frames: Vec::new(),
        }
    }
}

impl Frame {
    /// The selector an agent is told.
    fn step(&self) -> Selector {
        match (&self.name, &self.id) {
            (Some(name), _) => Selector { by: By::Name, value: name.clone() },
            (None, Some(id)) => Selector { by: By::Id, value: id.clone() },
            (None, None) => self.place(),
        }
    }

    /// The selector that costs least.
    fn place(&self) -> Selector {
        Selector { by: By::Index, value: self.index.to_string() }
    }
}

/// A frame's two names: as the agent is told, and by places.
#[derive(Clone, Debug, Default)]
struct Way {
    told: FramePath,
    short: FramePath,
}

impl Way {
    fn to(&self, frame: &Frame) -> Self {
        let mut way = self.clone();
        way.told.0.push(frame.step());
        way.short.0.push(frame.place());
        way
    }
}

/// What is left of the limits, and how much there is.
struct Room {
    skip: usize,
    elements: usize,
    text: usize,
    frames: usize,
    total: usize,
    listed: usize,
}

/// What a document and all frames below it show: the members of the result.
///
/// # Errors
/// `ELEMENT_NOT_FOUND` for a frame that is not there, `NAVIGATION_FAILED` for an error page of the browser,
/// `INTERNAL_ERROR` with reason `no_document` where there is nothing to see, else as the commands.
pub async fn read(
    call: &mut Call<'_>,
    request: &Request,
    frame: &FramePath,
) -> Result<Map<String, Value>, ToolError> {
    target::enter_frame(call, frame).await?;
    let mut room = Room {
        skip: request.offset,
        elements: request.limit,
        text: request.text_limit,
        frames: MOST_FRAMES,
        total: 0,
        listed: 0,
    };
    let way = Way { told: frame.clone(), short: frame.clone() };
    let (document, elements) = match look(call, request, &room, request.text_offset).await {
        Ok(seen) => seen,
        Err(failure) if failure.is_dialog() => return Ok(nothing(call)),
        Err(failure) => return Err(unseen(call, frame, failure).await),
    };
    if frame.is_top() && error_page::is_address(&document.url) {
        return Err(unseen(call, frame, Failure::w3c("javascript error", "")).await);
    }
    let mut result = Map::new();
    let memory = call.memory();
    if frame.is_top() {
        (memory.url, memory.title) = (Some(document.url.clone()), Some(document.title.clone()));
    } else if let Some(top) = &document.top {
        (memory.url, memory.title) = (Some(top.url.clone()), Some(top.title.clone()));
    }
    for (name, text) in [("url", &memory.url), ("title", &memory.title)] {
        if let Some(text) = text {
            result.insert(name.into(), text.clone().into());
        }
    }
    if !frame.is_top() {
        result.insert("frame".into(), frame.to_json());
    }
    put(call, &mut result, &document, &elements, &way, &mut room);
    if request.tables {
        result.insert("tables".into(), tables(call).await?);
    }
    let mut below = Vec::new();
    frames(call, request, document.frames, &elements, &way, &mut room, &mut below).await?;
    result.insert("truncated".into(), (room.total > request.offset + room.listed).into());
    result.insert("total".into(), room.total.into());
    if !below.is_empty() {
        result.insert("frames".into(), below.into());
    }
    Ok(result)
}

/// With a dialog open there is nothing to see but the dialog, which the wrapper adds.
fn nothing(call: &mut Call<'_>) -> Map<String, Value> {
    let memory = call.memory();
    let mut result = Map::new();
    for (name, text) in [("url", &memory.url), ("title", &memory.title)] {
        if let Some(text) = text {
            result.insert(name.into(), text.clone().into());
        }
    }
    result.insert("text".into(), "".into());
    result.insert("elements".into(), json!([]));
    result.insert("truncated".into(), false.into());
    result
}

async fn look(
    call: &mut Call<'_>,
    request: &Request,
    room: &Room,
    text_offset: usize,
) -> Result<(Document, Vec<String>), Failure> {
    let args = json!([request.query, room.skip, room.elements, text_offset, room.text]);
    match script::INSPECT.try_run::<Document>(call, args).await? {
        Some(reply) => Ok((reply.said, reply.elements)),
        // A dialog that opens while a script runs ends it without a value.
        None => match call.run(Command::alert_text()).await {
            Ok(text) => Err(Failure::W3c {
                code: "unexpected alert open".into(),
                message: String::new(),
                data: json!({ "text": text }),
            }),
            Err(failure) if failure.is("no such alert") => {
                Err(Failure::Odd("a page script gave nothing".into()))
            }
            Err(failure) => Err(failure),
        },
    }
}

async fn tables(call: &mut Call<'_>) -> Result<Value, Failure> {
    let mut reply = script::TABLES.run::<Map<String, Value>>(call, json!([])).await?;
    Ok(reply.said.remove("tables").unwrap_or_else(|| json!([])))
}

/// Adds what a document says of itself.
fn put(
    call: &mut Call<'_>,
    result: &mut Map<String, Value>,
    document: &Document,
    elements: &[String],
    way: &Way,
    room: &mut Room,
) {
    if let Some(mode) = document.document_mode {
        result.insert("documentMode".into(), mode.into());
    }
    if let Some(state) = &document.ready_state {
        result.insert("readyState".into(), state.clone().into());
    }
    result.insert("text".into(), document.text.clone().into());
    if document.text_truncated {
        result.insert("textTruncated".into(), true.into());
    }
    let listed: Vec<Value> = document
        .elements
        .iter()
        .zip(elements)
        .map(|(element, id)| {
            let mut entry = Map::new();
            entry.insert("ref".into(), call.memory().refs.of(id, &way.short).into());
            entry.extend(element.clone());
            Value::Object(entry)
        })
        .collect();
    room.listed += listed.len();
    room.elements = room.elements.saturating_sub(listed.len());
    room.skip = room.skip.saturating_sub(document.total);
    room.total += document.total;
    room.text = room.text.saturating_sub(document.text.encode_utf16().count()).max(LEAST_TEXT);
    result.insert("elements".into(), listed.into());
}

/// Shows the frames of the current document, each with those below it, in document order.
#[allow(clippy::too_many_arguments, reason = "one step of a recursion")]
fn frames<'a>(
    call: &'a mut Call<'_>,
    request: &'a Request,
    frames: Vec<Frame>,
    elements: &'a [String],
    way: &'a Way,
    room: &'a mut Room,
    out: &'a mut Vec<Value>,
) -> BoxFuture<'a, Result<(), ToolError>> {
    Box::pin(async move {
        for frame in frames {
            let way = way.to(&frame);
            let mut entry = Map::new();
            entry.insert("frame".into(), way.told.to_json());
            let id = frame.at.and_then(|at| elements.get(at)).filter(|_| !frame.hidden);
            let skipped = room.frames == 0 || way.short.0.len() > DEEPEST;
            let Some(id) = id.filter(|_| !skipped) else {
                address(&mut entry, frame.src);
                entry.insert(if frame.hidden { "hidden" } else { "skipped" }.into(), true.into());
                out.push(Value::Object(entry));
                continue;
            };
            room.frames -= 1;
            if let Some(still) = frame.still.filter(|_| !request.tables) {
                let document = still.document(room.text);
                inside(call, request, document, &[], &way, room, entry, out).await?;
                continue;
            }
            match call.run(Command::frame_element(id)).await {
                Ok(_) => {}
                Err(failure) => {
                    unreadable(&mut entry, frame.src, failure)?;
                    out.push(Value::Object(entry));
                    continue;
                }
            }
            match look(call, request, room, 0).await {
                Ok((document, elements)) => {
                    inside(call, request, document, &elements, &way, room, entry, out).await?;
                }
                Err(failure) => {
                    unreadable(&mut entry, frame.src, failure)?;
                    out.push(Value::Object(entry));
                }
            }
            back(call, &way).await?;
        }
        Ok(())
    })
}

/// Shows the frame that was entered, and those below it.
#[allow(clippy::too_many_arguments, reason = "one step of a recursion")]
async fn inside(
    call: &mut Call<'_>,
    request: &Request,
    document: Document,
    elements: &[String],
    way: &Way,
    room: &mut Room,
    mut entry: Map<String, Value>,
    out: &mut Vec<Value>,
) -> Result<(), ToolError> {
    entry.insert("url".into(), document.url.clone().into());
    let start_page = call.driver.start_page().map(str::to_owned);
    if !origin::may_stay(call.config, &document.url, start_page.as_deref()) {
        entry.insert("originAllowed".into(), false.into());
        if call.config.allowed_origins_strict {
            out.push(Value::Object(entry));
            return Ok(());
        }
    }
    if !document.title.is_empty() {
        entry.insert("title".into(), document.title.clone().into());
    }
    put(call, &mut entry, &document, elements, way, room);
    if request.tables {
        entry.insert("tables".into(), tables(call).await?);
    }
    out.push(Value::Object(entry));
    frames(call, request, document.frames, elements, way, room, out).await
}

/// To the document that holds the frame `way`.
async fn back(call: &mut Call<'_>, way: &Way) -> Result<(), ToolError> {
    if way.short.0.len() == 1 {
        return Ok(state::top(call).await?);
    }
    call.run(Command::parent_frame()).await?;
    Ok(())
}

fn address(entry: &mut Map<String, Value>, src: Option<String>) {
    if let Some(src) = src {
        entry.insert("url".into(), src.into());
    }
}

/// Lists a frame that cannot be seen, which spoils nothing. What ends the whole call is an error still.
fn unreadable(
    entry: &mut Map<String, Value>,
    src: Option<String>,
    failure: Failure,
) -> Result<(), ToolError> {
    if failure.is_dialog() || !matches!(failure, Failure::W3c { .. } | Failure::Odd(_)) {
        return Err(failure.into());
    }
    address(entry, src);
    entry.insert("unreadable".into(), true.into());
    Ok(())
}

/// Why nothing can be seen of the document that was to be seen.
async fn unseen(call: &mut Call<'_>, frame: &FramePath, failure: Failure) -> ToolError {
    if !failure.is("javascript error") && !matches!(failure, Failure::Odd(_)) {
        return failure.into();
    }
    if frame.is_top() {
        let mut text = Vec::new();
        for command in [Command::url(), Command::title(), Command::source()] {
            text.push(
                call.run(command)
                    .await
                    .ok()
                    .and_then(|value| value.as_str().map(str::to_owned))
                    .unwrap_or_default(),
            );
        }
        if let [url, title, source] = text.as_slice()
            && let Some(reason) = error_page::recognise(url, title, source)
        {
            return ToolError::new(
                Code::NavigationFailed,
                format!("The browser shows an error page: {title}"),
            )
            .detail("url", origin::without_user_info(url))
            .reason(reason);
        }
    }
    ToolError::internal("There is no HTML document here, or it refuses scripts.")
        .reason("no_document")
        .hint("screenshot may show what it is.")
}
