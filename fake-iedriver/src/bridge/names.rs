//! Ids of the browser's driver under the names that the client sees.
//!
//! Owns: one lower-case GUID for each element, window and session, in both directions, and forgetting
//! (`reference/iedriver-wire.md` sections 5.1.3 and 5.1.4). Does not own: which answers hold ids.

use crate::wire::{guid, parameters::ELEMENT_KEY};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// Members under which the browser's driver refers to what IE's cannot return.
const FOREIGN_KEYS: [&str; 3] = [
    "shadow-6066-11e4-a52e-4f735466cecf",
    "frame-075b-4da1-b6ec-e579c2d3230a",
    "window-fcc6-11e5-b4f8-330a88ab9d7f",
];

/// GUIDs of one kind of thing.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    ours: HashMap<String, String>,
    theirs: HashMap<String, String>,
}

impl Names {
    /// The GUID of a foreign id; the same for its life.
    pub(super) fn ours(&self, foreign: &str) -> String {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ours) = tables.ours.get(foreign) {
            return ours.clone();
        }
        let ours = guid();
        tables.ours.insert(foreign.to_owned(), ours.clone());
        tables.theirs.insert(ours.clone(), foreign.to_owned());
        ours
    }

    /// The foreign id of a GUID.
    pub(super) fn theirs(&self, ours: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).theirs.get(ours).cloned()
    }

    /// Forgets a GUID: its next use is that of an unknown one.
    pub(super) fn forget(&self, ours: &str) {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(foreign) = tables.theirs.remove(ours) {
            tables.ours.remove(&foreign);
        }
    }

    /// Renames the element references in an answer. False if it holds something that IE's driver
    /// cannot return.
    pub(super) fn rename_elements(&self, value: &mut Value) -> bool {
        match value {
            Value::Array(items) => items.iter_mut().all(|item| self.rename_elements(item)),
            Value::Object(members) => {
                if FOREIGN_KEYS.iter().any(|key| members.contains_key(*key)) {
                    return false;
                }
                if let Some(Value::String(id)) = members.get_mut(ELEMENT_KEY) {
                    *id = self.ours(id);
                    return true;
                }
                members.values_mut().all(|member| self.rename_elements(member))
            }
            _ => true,
        }
    }

    /// Puts foreign ids into the references of a request.
    ///
    /// # Errors
    /// The first unknown GUID.
    pub(super) fn restore_elements(&self, value: &mut Value) -> Result<(), String> {
        match value {
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.restore_elements(item)),
            Value::Object(members) => {
                if let Some(Value::String(id)) = members.get_mut(ELEMENT_KEY) {
                    *id = self.theirs(id).ok_or_else(|| id.clone())?;
                    return Ok(());
                }
                members.values_mut().try_for_each(|member| self.restore_elements(member))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_element_keeps_its_guid_at_any_depth() {
        let names = Names::default();
        let mut answer = json!([{ ELEMENT_KEY: "f.1.e.2" }, { "a": [{ ELEMENT_KEY: "f.1.e.2" }, 5] }]);
        assert!(names.rename_elements(&mut answer));
        let id = names.ours("f.1.e.2");
        assert_eq!(answer, json!([{ ELEMENT_KEY: id }, { "a": [{ ELEMENT_KEY: id }, 5] }]));
        assert_eq!(names.restore_elements(&mut answer), Ok(()));
        assert_eq!(answer[1]["a"][0][ELEMENT_KEY], "f.1.e.2");
        names.forget(&id);
        assert_eq!(names.theirs(&id), None);
        assert_ne!(names.ours("f.1.e.2"), id);
    }

    #[test]
    fn windows_and_shadow_roots_cannot_be_returned() {
        let mut window = json!({ "a": [{ "window-fcc6-11e5-b4f8-330a88ab9d7f": "x" }] });
        assert!(!Names::default().rename_elements(&mut window));
    }
}
