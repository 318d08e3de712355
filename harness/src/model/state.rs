//! What the state of a phase forbids.
//!
//! Owns: the errors a live driver would give (an open dialog, a node that cannot be operated, a document
//! that is gone, `reference/iedriver-wire.md` sections 5.1.2 to 5.1.5 and 5.7), as far as the recording
//! knows. Does not own: when they are asked for (`run`).

use super::{Context, Model, Phase, Request};
use crate::recording::{Answer, WireError};
use fake_iedriver::wire::status_of;
use serde_json::{Map, Value};

fn error(code: &str, msg: &str) -> Answer {
    Answer::Err(WireError { code: code.into(), msg: msg.into(), http: status_of(code), other: Map::new() })
}

/// The error that an effect meets in this phase.
pub(super) fn forbids(phase: &Phase, request: &Request) -> Option<Answer> {
    let about_alert = matches!(request.command.name, "acceptAlert" | "dismissAlert" | "sendAlertText");
    match &phase.alert {
        Some(alert) if !request.command.passes_dialog => return Some(alert.clone()),
        _ => {}
    }
    if about_alert {
        let open = phase.facts.iter().find(|fact| fact.request.command.name == "getAlertText")?;
        return matches!(open.answer, Answer::Err(_)).then(|| open.answer.clone());
    }
    let node = request.element.as_deref()?;
    let acts = matches!(request.command.name, "elementClick" | "elementSendKeys" | "elementClear");
    (acts && !operable(phase, node))
        .then(|| error("element not interactable", "Element is not displayed or not enabled"))
}

/// False if the phase knows that the node is hidden or disabled.
fn operable(phase: &Phase, node: &str) -> bool {
    phase.facts.iter().all(|fact| {
        let Answer::Ok(value) = &fact.answer else { return true };
        match fact.request.command.name {
            "isElementDisplayed" | "isElementEnabled" if fact.request.element.as_deref() == Some(node) => {
                *value != Value::Bool(false)
            }
            "executeScript" => !told(&fact.request, value, node).is_some_and(|said| {
                said["shown"] == Value::Bool(false) || said["enabled"] == Value::Bool(false)
            }),
            _ => true,
        }
    })
}

/// What a probe of the server says of a node: `[version, text, node]`.
fn told(request: &Request, value: &Value, node: &str) -> Option<Value> {
    if request.marker()?.name != "probe" || value[2]["el"].as_str()? != node {
        return None;
    }
    serde_json::from_str(value[1].as_str()?).ok()
}

impl Model {
    /// The error that any command meets which the recording does not know here.
    pub(super) fn state_error(
        &self,
        epoch: usize,
        phase: usize,
        request: &Request,
        here: &Context,
    ) -> Option<Answer> {
        let now = &self.epochs[epoch].phases[phase];
        if let (Some(alert), false) = (&now.alert, request.command.passes_dialog) {
            return Some(alert.clone());
        }
        let window_gone = here.window.is_empty()
            && epoch > 0
            && self.epochs[epoch - 1]
                .exit
                .as_ref()
                .is_some_and(|exit| exit.request.command.name == "closeWindow");
        if window_gone && !request.needs_no_window() {
            return Some(error("no such window", "Unable to get browser"));
        }
        let node = request.element.as_deref()?;
        self.is_gone(node, epoch).then(|| error("stale element reference", "Element is no longer valid"))
    }

    /// True if what once found the node finds something else before this epoch ends, and the node was not
    /// used since.
    fn is_gone(&self, node: &str, epoch: usize) -> bool {
        let facts = |range: &[super::Epoch]| {
            range
                .iter()
                .flat_map(|epoch| epoch.phases.iter())
                .flat_map(|phase| phase.facts.iter())
                .filter(|fact| fact.count > 0)
                .cloned()
                .collect::<Vec<_>>()
        };
        let until = facts(&self.epochs[..=epoch]);
        let finds = |fact: &super::Fact| matches!(&fact.answer, Answer::Ok(value) if value["el"].as_str() == Some(node) || value[2]["el"].as_str() == Some(node));
        let Some(found) = until.iter().rfind(|fact| finds(fact)) else { return false };
        let after = found.lines.last().copied().unwrap_or(0);
        let used = |line: u64| line > after;
        let used_since = until.iter().any(|fact| {
            fact.request.speaks_of(node)
                && matches!(fact.answer, Answer::Ok(_))
                && fact.lines.iter().any(|line| used(*line))
        });
        !used_since
            && until.iter().any(|fact| {
                fact.key == found.key
                    && fact.answer != found.answer
                    && fact.lines.iter().any(|line| used(*line))
            })
    }
}
