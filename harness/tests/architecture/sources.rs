//! The workspace's own files as the rules look at them. Owns: finding and reading them.

use std::path::{Path, PathBuf};

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A file with its path from the root, `/` between its pieces.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// Lines that are code, with their number from 1: no comments, nothing from `#[cfg(test)]` on, which
    /// stands at the end of a file.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .take_while(|line| {
                !line.trim_start().starts_with("#[cfg(test)]") && !line.contains("#[cfg(all(test")
            })
            .enumerate()
            .map(|(n, line)| (n + 1, line))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// Whether the file lies in this folder or is this file.
    pub(crate) fn is_in(&self, place: &str) -> bool {
        self.path.starts_with(place)
    }
}

/// All files with this ending below a folder of the workspace, sorted.
pub(crate) fn below(folder: &str, ending: &str) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root().join(folder), ending, &mut found);
    found.sort();
    found
        .into_iter()
        .map(|file| Source {
            text: std::fs::read_to_string(&file).unwrap(),
            path: file.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"),
        })
        .collect()
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
}

/// Code lines below a folder that contain one of these words as a whole word.
pub(crate) fn lines_naming(folder: &str, words: &[&str], allowed: &[&str]) -> Vec<String> {
    let words: Vec<regex::Regex> =
        words.iter().map(|word| regex::Regex::new(&format!(r"\b{word}\b")).unwrap()).collect();
    let mut found = Vec::new();
    for source in below(folder, ".rs") {
        if allowed.iter().any(|place| source.is_in(place)) {
            continue;
        }
        for (n, line) in source.code() {
            if words.iter().any(|word| word.is_match(line)) {
                found.push(format!("{}:{n}: {}", source.path, line.trim()));
            }
        }
    }
    found
}

/// Fails with all findings, one a line.
pub(crate) fn none(rule: &str, findings: Vec<String>) {
    assert!(findings.is_empty(), "{rule}\n{}", findings.join("\n"));
}
