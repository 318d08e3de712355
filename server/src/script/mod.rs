//! The scripts that run in the page: ES3, for document modes 5 to 11.
//!
//! Owns: how a script is built, sent and answers. Does not own: what an answer means (`page`, `tools`).
//!
//! A script starts with its marker, by which recordings know it. It consists of its own file and the
//! parts it uses; those hold function declarations only, which stand behind its `return`. Its reply is
//! `[version, text, element…]`: text is JSON written without the page's `JSON`, elements are only of
//! the document the script runs in, since the driver calls others stale.

mod compact;

use crate::driver::command::{Class, Command, element_id};
use crate::driver::session::Failure;
use crate::tools::Call;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::OnceLock;

/// A page script.
#[derive(Debug)]
pub struct Script {
    /// Its name in the marker.
    pub name: &'static str,
    /// Version of its arguments and reply, raised when either changes its meaning.
    pub version: u64,
    /// [`Class::Question`] for a pure one, else [`Class::Effect`].
    pub class: Class,
    /// The whole text as it is written.
    pub source: &'static str,
    short: OnceLock<String>,
}

/// What a script answered.
#[derive(Clone, Debug)]
pub struct Reply<T> {
    /// The text, read as JSON.
    pub said: T,
    /// The driver's references of the elements.
    pub elements: Vec<String>,
}

impl Script {
    /// The text that is sent: the same, shorter.
    pub fn text(&self) -> &str {
        self.short.get_or_init(|| compact::compact(self.source))
    }

    /// Runs it in the current frame. None if it gave nothing at all, as when a dialog opened in it
    /// (`reference/iedriver-wire.md` section 5.10).
    ///
    /// # Errors
    /// As the command; [`Failure::Odd`] for a reply of another form or version.
    pub async fn try_run<T: DeserializeOwned>(
        &self,
        call: &mut Call<'_>,
        args: Value,
    ) -> Result<Option<Reply<T>>, Failure> {
        match call.run(Command::script(self.text(), args, self.class)).await? {
            Value::Null => Ok(None),
            reply => self.read(&reply).map(Some),
        }
    }

    /// As [`Script::try_run`] for a script that always answers.
    ///
    /// # Errors
    /// Those, and [`Failure::Odd`] without a reply.
    pub async fn run<T: DeserializeOwned>(
        &self,
        call: &mut Call<'_>,
        args: Value,
    ) -> Result<Reply<T>, Failure> {
        match self.try_run(call, args).await? {
            Some(reply) => Ok(reply),
            None => Err(self.odd("no reply")),
        }
    }

    fn read<T: DeserializeOwned>(&self, reply: &Value) -> Result<Reply<T>, Failure> {
        let version = &reply[0];
        if version.as_u64() != Some(self.version) {
            return Err(self.odd("a reply of another version"));
        }
        let text = reply[1].as_str().ok_or_else(|| self.odd("a reply without text"))?;
        let said = serde_json::from_str(text).map_err(|error| self.odd(&format!("an odd reply, {error}")))?;
        let elements = reply
            .as_array()
            .into_iter()
            .flatten()
            .skip(2)
            .filter_map(|value| element_id(value).map(str::to_owned))
            .collect();
        Ok(Reply { said, elements })
    }

    fn odd(&self, what: &str) -> Failure {
        Failure::Odd(format!("script {} gave {what}", self.name))
    }
}

/// Puts a script together from its file and the parts it uses.
macro_rules! script {
    ($name:literal, $version:literal, $class:ident, $file:literal $(, $part:literal)*) => {
        Script {
            name: $name,
            version: $version,
            class: Class::$class,
            source: concat!(include_str!($file) $(, "\n", include_str!($part))*),
            short: OnceLock::new(),
        }
    };
}

/// Address, title, ready state and document mode of the current frame's document; no arguments.
pub static STATE: Script = script!("state", 1, Question, "state.js", "part/dom.js");

/// Finds an element and says what can be done with it; arguments: strategy (`id`, `name`, `css`, `element`), value or
/// element. Replies with [`crate::page::target::Seen`] and the element.
pub static PROBE: Script = script!(
    "probe",
    1,
    Question,
    "probe.js",
    "part/dom.js",
    "part/find.js",
    "part/shown.js",
    "part/field.js"
);

/// As [`PROBE`], but only what a wait asks: whether it is there, shown and enabled, and its text; further argument: wanted
/// text or null.
pub static GLANCE: Script = script!(
    "glance",
    1,
    Question,
    "glance.js",
    "part/dom.js",
    "part/find.js",
    "part/shown.js",
    "part/field.js"
);

/// As [`PROBE`] for a list: which options are meant; further arguments: null, how and which.
pub static LIST: Script = script!(
    "list",
    1,
    Question,
    "list.js",
    "part/dom.js",
    "part/find.js",
    "part/shown.js",
    "part/field.js",
    "part/option.js"
);

/// Compares what a field holds with what was typed; arguments: element, text (a secret where the field is one), length
/// before. Replies whether it is the same, and the length.
pub static READ_BACK: Script =
    script!("read-back", 1, Question, "read-back.js", "part/dom.js", "part/field.js");

/// Sets a field's value and fires `input` and `change`; arguments: element, text (a secret where the field is one),
/// whether existing text goes.
pub static SET_VALUE: Script = script!("set-value", 1, Effect, "set-value.js", "part/fire.js");

/// Chooses options of a list and fires `change`; arguments: element, indexes, folded texts. Replies whether it did, whether
/// the choice stays, and which other lists changed.
pub static CHOOSE: Script = script!("choose", 1, Effect, "choose.js", "part/dom.js", "part/fire.js");

/// What one document shows; see its file and `page::view`.
pub static INSPECT: Script = script!(
    "inspect",
    1,
    Question,
    "inspect.js",
    "part/dom.js",
    "part/text.js",
    "part/shown.js",
    "part/field.js"
);

/// The tables of one document; no arguments.
pub static TABLES: Script = script!(
    "tables",
    1,
    Question,
    "tables.js",
    "part/dom.js",
    "part/text.js",
    "part/shown.js",
    "part/field.js"
);

/// Scrolls an element into view; argument: element.
pub static REVEAL: Script = script!("reveal", 1, Effect, "reveal.js");

/// All scripts, for checks over them.
pub static SCRIPTS: &[&Script] =
    &[&STATE, &PROBE, &GLANCE, &LIST, &READ_BACK, &SET_VALUE, &CHOOSE, &REVEAL, &INSPECT, &TABLES];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_script_starts_with_the_marker_of_its_row() {
        for script in SCRIPTS {
            let class = if script.class == Class::Question { "pure" } else { "effect" };
            let marker = format!("/* ie-mode-mcp:{}:{}:{class} */", script.name, script.version);
            assert!(script.source.starts_with(&marker), "{}", script.name);
        }
    }

    #[test]
    fn a_reply_of_another_form_is_no_answer() {
        let read = |reply: Value| STATE.read::<Value>(&reply).map(|reply| (reply.said, reply.elements));
        for odd in [json!("text"), json!([]), json!([2, "{}"]), json!([1, 3]), json!([1, "{"]), json!({})] {
            assert!(matches!(read(odd.clone()), Err(Failure::Odd(_))), "{odd}");
        }
        let element = crate::driver::command::element("a1");
        let reply = read(json!([1, "{\"a\":1}", element])).unwrap();
        assert_eq!(reply, (json!({ "a": 1 }), vec!["a1".to_owned()]));
    }
}
