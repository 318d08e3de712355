//! Script dialogs: the script waits on its thread while commands go on.
//!
//! Owns: opening a dialog, waiting for its answer. Does not own: which commands may answer
//! (`session`'s gate).

use super::host::{Dialog, DialogKind, Host};
use rquickjs::{Ctx, Exception, Result};
use std::rc::Rc;

/// Longest text a dialog shows; a page's mistake must not fill the log.
const LONGEST: usize = 100_000;

/// Opens a dialog and waits. The text for OK (that of a prompt's field), none for Cancel.
///
/// # Errors
/// Throws if the session ends meanwhile; the script is then stopped at its next poll.
pub fn ask(
    host: &Rc<Host>,
    ctx: &Ctx<'_>,
    kind: DialogKind,
    text: &str,
    input: &str,
) -> Result<Option<String>> {
    if host.budget.is_aborted() {
        return Err(Exception::throw_message(ctx, "the session ends"));
    }
    let text: String = text.chars().take(LONGEST).collect();
    let Some(gate) = host.gate.borrow().clone() else {
        // Nobody could answer: OK, as the driver presses it on dialogs it does not know.
        return Ok(Some(input.to_owned()));
    };
    host.dialog.replace(Some(Dialog { kind, text, input: input.to_owned(), answered: None }));
    loop {
        if !gate(host, ctx) {
            host.dialog.take();
            host.budget.abort();
            return Err(Exception::throw_message(ctx, "the session ends"));
        }
        let answered = host.dialog.borrow().as_ref().is_none_or(|dialog| dialog.answered.is_some());
        if answered {
            break;
        }
    }
    let dialog = host.dialog.take();
    Ok(dialog.filter(|dialog| dialog.answered == Some(true)).map(|dialog| dialog.input))
}
