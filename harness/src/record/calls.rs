//! Tool calls as the MCP messages between client and server show them.
//!
//! Owns: which call runs, what it was given and how it ended. Does not own: lines, masking (`scribe`).

use super::events::Field;
use serde_json::{Map, Value};
use std::collections::VecDeque;

/// A tool call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Its number, from 1.
    pub(super) number: u64,
    request: Value,
    token: Option<Value>,
    /// When it arrived, ms.
    pub(super) t: u64,
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    /// When the client cancelled it, ms.
    pub(super) cancelled: Option<u64>,
    /// Notifications of progress.
    pub(super) progress: u64,
    /// `result` or `error`, and its value.
    pub(super) ended: Option<(&'static str, Value)>,
    pub(super) ended_at: Option<u64>,
    /// Where its text went; none if it reached no field.
    pub(super) field: Option<Field>,
}

impl Call {
    /// The text it types.
    pub(super) fn typed_text(&self) -> Option<&str> {
        (self.tool == "type").then(|| self.arguments.get("text")?.as_str()).flatten()
    }

    /// Notes where its text goes; what is worse for a secret stays.
    pub(super) fn goes_into(&mut self, field: Field) {
        self.field = match (self.field, field) {
            (Some(Field::Password), _) | (_, Field::Password) => Some(Field::Password),
            (Some(Field::Unknown), _) | (_, Field::Unknown) => Some(Field::Unknown),
            _ => Some(Field::Plain),
        };
    }
}

/// The calls that are not written yet, in order of arrival.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: VecDeque<Call>,
    seen: u64,
    /// How many were written.
    pub(super) written: u64,
}

impl Calls {
    pub(super) fn of_client(&mut self, message: &Value, now: u64) {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("tools/call") => {
                self.seen += 1;
                self.open.push_back(Call {
                    number: self.seen,
                    request: message["id"].clone(),
                    token: params.pointer("/_meta/progressToken").cloned(),
                    t: now,
                    tool: params["name"].as_str().unwrap_or_default().to_owned(),
                    arguments: params["arguments"].as_object().cloned().unwrap_or_default(),
                    cancelled: None,
                    progress: 0,
                    ended: None,
                    ended_at: None,
                    field: None,
                });
            }
            Some("notifications/cancelled") => {
                let cancelled = self.open.iter_mut().find(|call| call.request == params["requestId"]);
                cancelled.into_iter().for_each(|call| call.cancelled = Some(now));
            }
            _ => {}
        }
    }

    pub(super) fn of_server(&mut self, message: &Value, now: u64) {
        if message["method"] == "notifications/progress" {
            let token = &message["params"]["progressToken"];
            let call = self.open.iter_mut().find(|call| call.token.as_ref() == Some(token));
            call.into_iter().for_each(|call| call.progress += 1);
        }
        if message.get("method").is_some() {
            return;
        }
        let Some(call) = self
            .open
            .iter_mut()
            .find(|call| call.ended.is_none() && Some(&call.request) == message.get("id"))
        else {
            return;
        };
        let ended = ["result", "error"].into_iter().find_map(|name| Some((name, message.get(name)?.clone())));
        call.ended = ended;
        call.ended_at = Some(now);
    }

    /// The call the server works on: it runs them one after the other, in order of arrival. A cancelled one may
    /// never be answered, while the server goes on with the next.
    pub(super) fn running(&self) -> Option<&Call> {
        self.open.get(self.place_of_running()?)
    }

    /// The same, to be changed.
    pub(super) fn running_mut(&mut self) -> Option<&mut Call> {
        let place = self.place_of_running()?;
        self.open.get_mut(place)
    }

    fn place_of_running(&self) -> Option<usize> {
        let runs = |call: &Call| call.ended.is_none();
        let place = |of: &dyn Fn(&Call) -> bool| self.open.iter().position(of);
        place(&|call| runs(call) && call.cancelled.is_none()).or_else(|| place(&runs))
    }

    /// The next call that ended and waits for none before it.
    pub(super) fn next_ended(&mut self) -> Option<Call> {
        let first = self.open.front()?;
        let silent = first.cancelled.is_some() && self.open.iter().any(|call| call.ended.is_some());
        (first.ended.is_some() || silent).then(|| self.open.pop_front()).flatten()
    }

    /// How many came.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// What is left at the end, whether it ended or not.
    pub(super) fn rest(&mut self) -> Vec<Call> {
        self.open.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: u64) -> Value {
        json!({ "id": id, "method": "tools/call", "params": { "name": "click", "_meta": { "progressToken": id } } })
    }

    #[test]
    fn calls_are_handed_out_in_order_of_arrival() {
        let mut calls = Calls::default();
        calls.of_client(&call(7), 1);
        calls.of_client(&call(8), 2);
        calls.of_server(&json!({ "id": 8, "result": {} }), 3);
        assert!(calls.next_ended().is_none(), "the first is not through");
        assert_eq!(calls.running().map(|call| call.number), Some(1));
        calls.of_server(&json!({ "method": "notifications/progress", "params": { "progressToken": 7 } }), 4);
        calls.of_server(&json!({ "id": 7, "error": { "code": 1 } }), 5);
        let first = calls.next_ended().unwrap();
        assert_eq!((first.number, first.progress, first.ended_at), (1, 1, Some(5)));
        assert_eq!(first.ended, Some(("error", json!({ "code": 1 }))));
        assert_eq!(calls.next_ended().map(|call| call.number), Some(2));
    }

    #[test]
    fn a_cancelled_call_without_an_answer_holds_up_none() {
        let mut calls = Calls::default();
        calls.of_client(&call(1), 1);
        calls.of_client(&json!({ "method": "notifications/cancelled", "params": { "requestId": 1 } }), 2);
        calls.of_client(&call(2), 3);
        assert_eq!(calls.running().map(|call| call.number), Some(2));
        calls.of_server(&json!({ "id": 2, "result": {} }), 4);
        let first = calls.next_ended().unwrap();
        assert_eq!((first.number, first.cancelled, first.ended), (1, Some(2), None));
        assert_eq!(calls.next_ended().map(|call| call.number), Some(2));
    }
}
