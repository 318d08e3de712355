//! Finding: drivers and profiles that earlier runs left behind.

use super::Finding;
use std::path::Path;

const NAME: &str = "leftovers";

/// What is left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// Running drivers; None where they cannot be counted.
    drivers: Option<usize>,
    /// Profiles of the driver in the temporary folder.
    profiles: usize,
}

pub(super) fn probe(running: Option<&[String]>) -> Facts {
    Facts {
        drivers: running.map(|running| running.iter().filter(|name| *name == "iedriverserver.exe").count()),
        profiles: profiles(&std::env::temp_dir()),
    }
}

/// The driver names its profiles `IEDriver-<guid>` (`reference/iedriver-wire.md` section 4.7).
fn profiles(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("IEDriver-")).count()
}

pub(super) fn check(facts: &Facts) -> Finding {
    match (facts.drivers, facts.profiles) {
        (Some(0) | None, 0) => Finding::fine(NAME, "none"),
        (Some(0) | None, profiles) => Finding::warning(
            NAME,
            format!("{profiles} profiles of earlier sessions in the temporary folder"),
            "Delete the folders IEDriver-* while no session runs.",
        ),
        (Some(drivers), profiles) => Finding::warning(
            NAME,
            format!("{drivers} drivers run, {profiles} profiles in the temporary folder"),
            "End drivers that no one uses: two on one desktop share mouse and keyboard.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn drivers_and_profiles_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("IEDriver-1")).unwrap();
        std::fs::write(folder.path().join("other"), "").unwrap();
        assert_eq!(profiles(folder.path()), 1);
        assert_eq!(profiles(&folder.path().join("missing")), 0);
        let of = |drivers, profiles| check(&Facts { drivers, profiles }).level;
        assert_eq!(
            [of(Some(0), 0), of(None, 0), of(Some(1), 0), of(None, 2)],
            [Level::Fine, Level::Fine, Level::Warning, Level::Warning]
        );
    }
}
