//! Waiting until a person could operate an element. Owns: what holds an action up, and the error when it does to the
//! end. Does not own: the action.

use super::target::{Ask, Look, Seen, Target};
use super::wait::Pace;
use crate::error::{Code, Outcome, ToolError};
use crate::tools::Call;

/// An element that can be operated now.
#[derive(Debug)]
pub struct Ready {
    /// What the last look saw.
    pub seen: Seen,
    /// The driver's reference.
    pub element: String,
}

/// What holds an action up, as a word and as text.
type Hindrance = (&'static str, String);

/// Hidden, disabled or covered: what a person would wait for before a click.
pub fn for_pointer(seen: &Seen) -> Option<Hindrance> {
    for_keys(seen).or_else(|| seen.covered_by.as_ref().map(|by| ("covered", format!("covered by {by}"))))
}

/// Hidden or disabled: what a person would wait for before typing.
pub fn for_keys(seen: &Seen) -> Option<Hindrance> {
    if !seen.shown {
        Some(("hidden", "hidden".to_owned()))
    } else if !seen.enabled {
        Some(("disabled", "disabled".to_owned()))
    } else {
        None
    }
}

/// Looks until nothing holds the action up.
///
/// `refuse` says of an element what no waiting changes.
///
/// # Errors
/// `ELEMENT_NOT_FOUND` if it never came, `TIMEOUT` with the hindrance as `reason`, what `refuse` says, or what
/// [`Target::look`] calls final; always with nothing done.
pub async fn ready(
    call: &mut Call<'_>,
    target: &Target,
    pace: &mut Pace,
    refuse: impl Fn(&Seen) -> Option<ToolError>,
    hindrance: impl Fn(&Seen) -> Option<Hindrance>,
) -> Result<Ready, ToolError> {
    loop {
        let error = match target.look(call, &Ask::Act).await? {
            Look::Absent(error) => error,
            Look::Found(seen, element) => {
                if let Some(error) = refuse(&seen) {
                    return Err(target.describe(error).outcome(Outcome::NotDone));
                }
                match hindrance(&seen) {
                    None => return Ok(Ready { seen: *seen, element }),
                    Some((reason, text)) => hindered(target, &seen, reason, &text),
                }
            }
        };
        if !pace.next(call).await? {
            return Err(target.describe(error).outcome(Outcome::NotDone));
        }
    }
}

fn hindered(target: &Target, seen: &Seen, reason: &'static str, text: &str) -> ToolError {
    let error = ToolError::new(Code::Timeout, format!("The element stayed {text}: {}", target.selector))
        .reason(reason)
        .hint("It was not operated. Look with inspect_page; something else may have to be done first.");
    match &seen.covered_by {
        Some(by) if reason == "covered" => error.detail("coveredBy", by.as_str()),
        _ => error,
    }
}
