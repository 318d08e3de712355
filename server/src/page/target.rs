//! An element an agent named, and how it is found. Owns: entering frames, one look for the element and what the look
//! says of it. Does not own: waiting (`wait`), what a tool makes of it.
//!
//! A look costs one script for `id`, `name`, `css` and `ref`; for `xpath` and `linkText`, and for `css` in document
//! modes that have no selectors of their own, the driver's search comes before it. Every look starts from the top
//! document: a page that reloads itself puts the session back there without a word
//! (`reference/iedriver-wire.md` section 5.6), where the same selector may mean another element.

use super::selector::{By, FramePath, Selector, search_error};
use super::state;
use crate::driver::command::{Command, element, element_id};
use crate::driver::session::Failure;
use crate::error::ToolError;
use crate::script::{self, Script};
use crate::tools::Call;
use serde::Deserialize;
use serde_json::{Value, json};

/// An element by frame and selector.
#[derive(Clone, Debug)]
pub struct Target {
    /// The frame it is in.
    pub frame: FramePath,
    /// What names it there.
    pub selector: Selector,
    /// The driver's reference behind a ref.
    element: Option<String>,
}

/// What one look saw of an element.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Seen {
    found: bool,
    invalid: Option<String>,
    /// The document mode has no selectors: the driver must search.
    unable: bool,
    /// Tag name in lower case.
    pub tag: String,
    /// The `type` of an input or button, in lower case.
    pub kind: String,
    /// A person can see its place: it has a box that nothing hides or clips.
    pub shown: bool,
    /// Its opacity is 0.
    pub transparent: bool,
    /// Neither it nor what holds it is disabled.
    pub enabled: bool,
    /// A field that refuses text.
    pub read_only: bool,
    /// Text can be typed into it.
    pub editable: bool,
    /// A list of several choices, or a field for several files.
    pub multiple: bool,
    /// A check box, radio button or option that is chosen.
    pub checked: bool,
    /// Its middle is in the viewport.
    pub in_view: bool,
    /// What lies over its middle: tag, id and name of that element.
    pub covered_by: Option<String>,
    /// UTF-16 units of its value.
    pub length: u64,
    /// Its folded text or value contains the wanted text.
    pub has: bool,
    /// The first 120 characters of its text, if a text was wanted.
    pub text: Option<String>,
    /// Address of its document.
    pub url: String,
    /// For each wanted option of a list, those it may mean.
    pub options: Vec<Vec<Choice>>,
    /// The first 20 texts of a list, if options were wanted.
    pub texts: Vec<String>,
}

/// An option of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Choice {
    /// Position, from 0.
    pub index: u32,
    /// Its text with white space folded.
    pub text: String,
    /// Its value.
    pub value: String,
    /// Neither it nor its group can be chosen.
    pub disabled: bool,
    /// Label of its group.
    pub group: Option<String>,
}

/// What a look asks.
#[derive(Clone, Debug)]
pub enum Ask<'a> {
    /// What a person could do with the element.
    Act,
    /// What a person sees of it, and whether its text contains this.
    Glance(Option<&'a str>),
    /// Which options of a list are meant: by `text`, `value` or `index`.
    Options(&'a str, &'a [String]),
}

impl Ask<'_> {
    fn script(&self) -> &'static Script {
        match self {
            Self::Act => &script::PROBE,
            Self::Glance(_) => &script::GLANCE,
            Self::Options(..) => &script::LIST,
        }
    }

    fn args(&self) -> [Value; 2] {
        match self {
            Self::Act | Self::Glance(None) => [Value::Null, Value::Null],
            Self::Glance(Some(text)) => [(*text).into(), Value::Null],
            Self::Options(by, values) => [Value::Null, json!([by, values])],
        }
    }
}

/// What one look gave.
#[derive(Debug)]
pub enum Look {
    /// Not there; the error holds if it never comes.
    Absent(ToolError),
    /// There, with the driver's reference.
    Found(Box<Seen>, String),
}

impl Target {
    /// Takes a ref's element and frame from memory.
    ///
    /// # Errors
    /// `BROWSER_NOT_STARTED` without a session; `ELEMENT_NOT_FOUND` with reason `stale` for a ref it never gave.
    pub fn new(call: &mut Call<'_>, selector: Selector, frame: Option<FramePath>) -> Result<Self, ToolError> {
        if call.driver.session.is_none() {
            return Err(Failure::NoSession.into());
        }
        if selector.by != By::Ref {
            return Ok(Self { frame: frame.unwrap_or_default(), selector, element: None });
        }
        match call.memory().refs.get(&selector.value) {
            Some(known) => {
                Ok(Self { frame: known.frame.clone(), element: Some(known.element.clone()), selector })
            }
            None => Err(selector.stale()),
        }
    }

    /// Looks once.
    ///
    /// # Errors
    /// What waiting cannot change: a selector that cannot be read, a stale ref, an open dialog, a closed window, a lost
    /// driver.
    pub async fn look(&self, call: &mut Call<'_>, ask: &Ask<'_>) -> Result<Look, ToolError> {
        match self.look_in_frame(call, ask).await {
            Ok(look) => Ok(look),
            Err(Trouble::Final(error)) => Err(error),
            Err(Trouble::Passing(error)) => Ok(Look::Absent(error)),
        }
    }

    async fn look_in_frame(&self, call: &mut Call<'_>, ask: &Ask<'_>) -> Result<Look, Trouble> {
        enter(call, &self.frame).await?;
        let reply = match &self.element {
            Some(id) => examine(call, id, ask).await,
            None => find(call, &self.selector, ask).await,
        };
        match reply {
            Ok(Some((seen, id))) => Ok(Look::Found(Box::new(seen), id)),
            Ok(None) => Ok(Look::Absent(self.selector.not_found())),
            Err(Trouble::Final(error)) => Err(Trouble::Final(error)),
            Err(Trouble::Passing(_)) if self.element.is_some() => Err(Trouble::Final(self.selector.stale())),
            Err(passing) => Err(passing),
        }
    }

    /// What an agent is told of the element's place beside an error.
    pub fn describe(&self, error: ToolError) -> ToolError {
        let error = if error.details.iter().any(|(name, _)| *name == "selector") {
            error
        } else {
            error.detail("selector", self.selector.to_json())
        };
        if self.frame.is_top() || error.details.iter().any(|(name, _)| *name == "frame") {
            error
        } else {
            error.detail("frame", self.frame.to_json())
        }
    }
}

/// Why a look gave nothing.
enum Trouble {
    /// It may be over at the next look.
    Passing(ToolError),
    /// Waiting does not help.
    Final(ToolError),
}

/// Enters a frame from the top document.
///
/// # Errors
/// `ELEMENT_NOT_FOUND` for a frame that is not there, else as the commands.
pub async fn enter_frame(call: &mut Call<'_>, path: &FramePath) -> Result<(), ToolError> {
    enter(call, path).await.map_err(|trouble| match trouble {
        Trouble::Passing(error) | Trouble::Final(error) => error,
    })
}

async fn enter(call: &mut Call<'_>, path: &FramePath) -> Result<(), Trouble> {
    state::top(call).await.map_err(|failure| Trouble::Final(failure.into()))?;
    for (at, step) in path.0.iter().enumerate() {
        let command = match (step.by, step.value.parse()) {
            (By::Index, Ok(index)) => Command::frame_index(index),
            _ => match find(call, step, &Ask::Glance(None)).await? {
                Some((_, id)) => Command::frame_element(&id),
                None => return Err(Trouble::Passing(path.not_found(at))),
            },
        };
        match call.run(command).await {
            Ok(_) => {}
            Err(failure) if failure.is("no such frame") => {
                return Err(Trouble::Passing(path.not_found(at)));
            }
            Err(failure) => return Err(judge(call, failure)),
        }
    }
    Ok(())
}

/// Looks for a selector in the current frame.
async fn find(
    call: &mut Call<'_>,
    selector: &Selector,
    ask: &Ask<'_>,
) -> Result<Option<(Seen, String)>, Trouble> {
    let using = match selector.by {
        By::Xpath => "xpath",
        By::LinkText => "link text",
        _ => {
            let [text, options] = ask.args();
            let args = json!([selector.by.as_str(), selector.value, text, options]);
            let reply = ask.script().run::<Seen>(call, args).await;
            let reply = reply.map_err(|failure| judge(call, failure))?;
            if let Some(reason) = &reply.said.invalid {
                return Err(Trouble::Final(selector.unreadable(reason)));
            }
            if !reply.said.unable {
                let id = reply.elements.into_iter().next();
                return Ok(id.filter(|_| reply.said.found).map(|id| (reply.said, id)));
            }
            "css selector"
        }
    };
    let found = call.run(Command::find_element(using, &selector.value)).await;
    match found {
        Ok(found) => match element_id(&found) {
            Some(id) => examine(call, id, ask).await,
            None => Err(Trouble::Final(Failure::Odd("an element without reference".into()).into())),
        },
        Err(failure) if failure.is("no such element") => Ok(None),
        Err(failure) if failure.is("invalid selector") => {
            Err(Trouble::Final(search_error(selector, failure)))
        }
        Err(failure) => Err(judge(call, failure)),
    }
}

/// Looks at an element the driver knows.
async fn examine(call: &mut Call<'_>, id: &str, ask: &Ask<'_>) -> Result<Option<(Seen, String)>, Trouble> {
    let [text, options] = ask.args();
    let reply = ask.script().run::<Seen>(call, json!(["element", element(id), text, options])).await;
    let reply = reply.map_err(|failure| judge(call, failure))?;
    Ok(Some((reply.said, id.to_owned())))
}

/// A document that is going away gives errors which the next look does not see.
fn judge(call: &Call<'_>, failure: Failure) -> Trouble {
    let in_frame = !call.driver.session.as_ref().is_some_and(|session| session.at_top());
    let passing = match &failure {
        Failure::W3c { code, .. } => {
            matches!(code.as_str(), "stale element reference" | "no such element" | "javascript error")
                || (in_frame && code == "no such window")
        }
        Failure::Odd(_) => true,
        _ => false,
    };
    if passing { Trouble::Passing(failure.into()) } else { Trouble::Final(failure.into()) }
}
