//! Finding: Microsoft Edge.

use super::registry::{Root, text};
use super::{Finding, WINDOWS_ONLY};
use crate::config::Config;
use std::path::PathBuf;

const NAME: &str = "edge";

/// Where Edge was looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    windows: bool,
    /// What the operator set, and whether it is a file.
    configured: Option<(PathBuf, bool)>,
    /// What the registry names, if it is a file.
    registered: Option<PathBuf>,
}

pub(super) fn probe(config: &Config) -> Facts {
    let key = r"SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths\msedge.exe";
    Facts {
        windows: cfg!(windows),
        configured: config.edge_path.as_ref().map(|path| (path.clone(), path.is_file())),
        registered: text(Root::Machine, key, "")
            .map(|path| PathBuf::from(path.trim_matches('"')))
            .filter(|path| path.is_file()),
    }
}

pub(super) fn check(facts: &Facts) -> Finding {
    match facts {
        Facts { configured: Some((path, true)), .. } => Finding::fine(NAME, path.display().to_string()),
        Facts { configured: Some((path, false)), .. } => Finding::blocks(
            NAME,
            format!("IE_MCP_EDGE_PATH names no file: {}", path.display()),
            "Set IE_MCP_EDGE_PATH to the full path of msedge.exe, or leave it unset.",
        ),
        Facts { registered: Some(path), .. } => Finding::fine(NAME, path.display().to_string()),
        Facts { windows: false, .. } => Finding::unknown(NAME, WINDOWS_ONLY),
        _ => Finding::blocks(
            NAME,
            "the registry names no msedge.exe",
            "Install Microsoft Edge, or set IE_MCP_EDGE_PATH to the full path of msedge.exe.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn what_is_configured_counts_before_what_is_registered() {
        let registered = Facts { windows: true, registered: Some("r.exe".into()), ..Facts::default() };
        assert_eq!(check(&registered).level, Level::Fine);
        let wrong = Facts { configured: Some(("x.exe".into(), false)), ..registered };
        assert_eq!(check(&wrong).level, Level::Blocks);
        assert_eq!(check(&Facts { windows: true, ..Facts::default() }).level, Level::Blocks);
        assert_eq!(check(&Facts::default()).level, Level::Unknown);
    }
}
