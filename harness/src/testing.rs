//! What a test file uses: recordings of this repository, played in one line.
//!
//! Owns: finding them and the executables beside a test. Does not own: playing (`replay`).

use crate::{
    flow::executables::{self, Missing, SERVER},
    replay::Mode,
};
use std::path::{Path, PathBuf};

/// The folder of the repository's recordings.
pub fn recordings_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("recordings")
}

/// Folders of recordings in order of their names; none if there is no such folder.
pub fn recordings() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(recordings_folder()) else { return Vec::new() };
    let mut folders: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The mode with the built executables beside this test.
///
/// # Errors
/// If one is not built.
pub fn binary_mode() -> Result<Mode, Missing> {
    Ok(Mode::Binary { server: executables::find(SERVER)?, harness: executables::find("harness")? })
}
