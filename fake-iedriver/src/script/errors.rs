//! What a failed script means to a command, in IE's words.
//!
//! Owns: the difference between an exception and a stop by limit, and the mapping of the engine's
//! texts to IE's English ones (`reference/emulator.md` section 4.5). Does not own: WebDriver codes.

use super::budget::Budget;
use rquickjs::{CaughtError, Ctx, Result};

/// How a script failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The script threw; its text as IE words it.
    Thrown(String),
    /// The script was stopped by its limit.
    TimedOut,
    /// The session ends.
    Aborted,
}

/// Turns the engine's result into ours and takes the pending exception.
///
/// # Errors
/// The [`Failure`], decided by the budget and not by the text of the error.
pub fn caught<'js, T>(ctx: &Ctx<'js>, budget: &Budget, result: Result<T>) -> std::result::Result<T, Failure> {
    result.map_err(|error| {
        let error = CaughtError::from_error(ctx, error);
        if budget.is_aborted() {
            return Failure::Aborted;
        }
        if budget.is_spent() {
            return Failure::TimedOut;
        }
        Failure::Thrown(match error {
            // The engine's parser has many texts of its own; IE's finer ones come from the scan before it.
            CaughtError::Exception(exception)
                if exception.get::<_, String>("name").is_ok_and(|name| name == "SyntaxError") =>
            {
                let own = exception
                    .message()
                    .filter(|text| text.starts_with("Expected ") || text == "Invalid character");
                own.unwrap_or_else(|| "Syntax error".into())
            }
            CaughtError::Exception(exception) => in_ie_words(&exception.message().unwrap_or_default()),
            CaughtError::Value(value) => super::value::text_of(ctx, &value),
            CaughtError::Error(error) => error.to_string(),
        })
    })
}

/// IE 11's English text for a text of the engine; other texts stay as they are.
pub fn in_ie_words(text: &str) -> String {
    if let Some(name) = text.strip_suffix(" is not defined") {
        return format!("'{}' is undefined", name.trim_matches('\''));
    }
    if text.ends_with("not a function") {
        return "Object doesn't support this property or method".into();
    }
    for kind in ["undefined", "null"] {
        if let Some(rest) = text.strip_prefix("cannot read property '")
            && let Some(name) = rest.strip_suffix(&format!("' of {kind}"))
        {
            return format!("Unable to get property '{name}' of undefined or null reference");
        }
        if let Some(rest) = text.strip_prefix("cannot set property '")
            && let Some(name) = rest.strip_suffix(&format!("' of {kind}"))
        {
            return format!("Unable to set property '{name}' of undefined or null reference");
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::engine;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn engine_texts_become_ie_texts() {
        let budget = Budget::new(Arc::new(AtomicBool::new(false)));
        engine::run(&budget, |ctx| {
            for (source, text) in [
                ("nosuch", "'nosuch' is undefined"),
                ("({}).f()", "Object doesn't support this property or method"),
                ("var u; u.x", "Unable to get property 'x' of undefined or null reference"),
                ("null.x = 1", "Unable to set property 'x' of undefined or null reference"),
                ("var = 1", "Syntax error"),
                ("throw 'plain'", "plain"),
                ("throw new Error('own text')", "own text"),
            ] {
                let result = engine::eval::<()>(&ctx, source, "t");
                assert_eq!(caught(&ctx, &budget, result), Err(Failure::Thrown(text.into())), "{source}");
            }
        })
        .unwrap();
    }
}
