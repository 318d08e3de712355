//! How a file looks: its head, its size, its name.

use super::sources::{Source, below, none};

const FOLDERS: [&str; 6] = [
    "server/src",
    "fake-iedriver/src",
    "harness/src",
    "server/tests",
    "fake-iedriver/tests",
    "harness/tests",
];

fn all() -> impl Iterator<Item = Source> {
    FOLDERS.into_iter().flat_map(|folder| below(folder, ".rs"))
}

#[test]
fn every_module_says_what_it_owns() {
    let silent = all().filter(|file| !file.text.starts_with("//!")).map(|file| file.path);
    none("a module without //! at its head", silent.collect());
}

#[test]
fn no_file_is_longer_than_600_lines_without_its_tests() {
    let long = all().filter_map(|file| {
        let lines = file.text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
        (lines > 600).then(|| format!("{}: {lines} lines", file.path))
    });
    none("a file too long to be one concern", long.collect());
}

#[test]
fn no_room_is_a_drawer_for_leftovers() {
    const DRAWERS: [&str; 7] = ["util", "utils", "helper", "helpers", "common", "misc", "manager"];
    let drawers = all().map(|file| file.path).filter(|path| {
        path.split('/').any(|piece| DRAWERS.contains(&piece.strip_suffix(".rs").unwrap_or(piece)))
    });
    none("a name that says nothing", drawers.collect());
}
