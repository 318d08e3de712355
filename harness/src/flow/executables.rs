//! Where the executables of this workspace lie.
//!
//! Owns: the search beside the running executable and one folder up (a test runs in `deps`). Does not
//! own: flags and variables that name one; they go first.

use std::{
    env, fmt,
    path::{Path, PathBuf},
};

/// The MCP server.
pub const SERVER: &str = "ie-mode-mcp";
/// The far end that stands in for IEDriverServer.
pub const FAKE_IEDRIVER: &str = "fake-iedriver";

/// An executable of this workspace is not where it is built.
#[derive(Debug)]
pub struct Missing {
    name: String,
    searched: Vec<PathBuf>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot find {}; build it with `cargo build --workspace` (searched:", self.name)?;
        for folder in &self.searched {
            write!(f, " {}", folder.display())?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for Missing {}

/// Finds an executable of this workspace.
///
/// # Errors
/// If it is in neither folder; the text names the command that builds it.
pub fn find(name: &str) -> Result<PathBuf, Missing> {
    let here = env::current_exe().unwrap_or_default();
    let searched: Vec<PathBuf> = here.ancestors().skip(1).take(2).map(Path::to_owned).collect();
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    searched
        .iter()
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
        .ok_or_else(|| Missing { name: name.to_owned(), searched })
}

/// The first of these names on `PATH`, for programs that are not ours.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names.iter().find_map(|name| {
        let file = format!("{name}{}", env::consts::EXE_SUFFIX);
        folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_missing_executable_names_the_command_that_builds_it() {
        let text = super::find("no-such-program").unwrap_err().to_string();
        assert!(text.contains("no-such-program") && text.contains("cargo build --workspace"), "{text}");
    }
}
