//! Finding: an interactive, unlocked desktop.

use super::{Finding, WINDOWS_ONLY};

const NAME: &str = "desktop";

/// What the desktop is.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    windows: bool,
    /// `SESSIONNAME`: `Console`, `RDP-Tcp#1`; a service has none.
    session: Option<String>,
    /// The sign-in screen is shown.
    locked: Option<bool>,
}

pub(super) fn probe(running: Option<&[String]>) -> Facts {
    Facts {
        windows: cfg!(windows),
        session: std::env::var("SESSIONNAME").ok().filter(|name| !name.is_empty()),
        locked: running.map(|running| running.iter().any(|name| name == "logonui.exe")),
    }
}

pub(super) fn check(facts: &Facts) -> Finding {
    if !facts.windows {
        return Finding::unknown(NAME, WINDOWS_ONLY);
    }
    let Some(session) = &facts.session else {
        return Finding::warning(
            NAME,
            "this is no desktop session, as in a service or a scheduled task",
            "Run the server in the session of a user who is signed in.",
        );
    };
    match facts.locked {
        Some(true) => Finding::blocks(
            NAME,
            format!("{session}, locked"),
            "Unlock the desktop and keep it unlocked: typing, clicking and pictures need it. Closing a remote desktop locks it.",
        ),
        Some(false) if session.to_ascii_lowercase().starts_with("rdp") => Finding::warning(
            NAME,
            format!("{session}, unlocked"),
            "Keep the remote desktop open and not minimised: closing it locks the desktop.",
        ),
        Some(false) => Finding::fine(NAME, format!("{session}, unlocked")),
        None => Finding::unknown(NAME, format!("{session}; whether it is locked could not be told")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_locked_desktop_blocks_and_a_remote_one_is_a_warning() {
        let of = |session: &str, locked| {
            check(&Facts { windows: true, session: Some(session.into()), locked }).level
        };
        assert_eq!(
            [
                of("Console", Some(false)),
                of("Console", Some(true)),
                of("RDP-Tcp#0", Some(false)),
                of("Console", None)
            ],
            [Level::Fine, Level::Blocks, Level::Warning, Level::Unknown]
        );
        assert_eq!(check(&Facts { windows: true, ..Facts::default() }).level, Level::Warning);
    }
}
