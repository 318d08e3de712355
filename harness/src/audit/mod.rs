//! Looks for what must not be in a recording (`replay.md` section 6).
//!
//! Owns: the walk over a recording's files and the list of findings. Does not own: the rules (`rules`),
//! redaction while recording (`record`). The audit knows no secret: it finds by form and place.

mod rules;

use crate::recording::{self, FLOW, MANIFEST, Recording, WIRE};
use rules::Rule;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// Something that must not be in a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file, from the recording's folder on.
    pub file: String,
    /// The line, from 1; absent where the file as a whole is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The rule's name.
    pub rule: &'static str,
    /// What is wrong and what helps; never the finding's own text, which may be a secret.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {} ({})", self.what, self.rule)
    }
}

/// Looks through one recording. `deny` holds terms of the user that must not occur, such as the names of
/// customers.
///
/// # Errors
/// If a file cannot be read. A recording that is damaged is a finding.
pub fn audit(folder: &Path, deny: &[String]) -> io::Result<Vec<Finding>> {
    let rules = rules::all(deny);
    let mut findings = Vec::new();
    for file in files(folder)? {
        let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&file)?;
        if let Some(finding) = renamed(&name, &bytes) {
            findings.push(finding);
        }
        if bytes.starts_with(b"\x89PNG") {
            continue;
        }
        let Ok(text) = String::from_utf8(bytes) else {
            findings.push(whole(
                &name,
                "encoding",
                "is neither UTF-8 nor a PNG: recordings hold nothing else",
            ));
            continue;
        };
        search(&name, &text, &rules, &mut findings);
    }
    match recording::read(folder) {
        Ok(recording) => findings.extend(rewritten(folder, &recording)?),
        Err(damage) => {
            let file = damage.file.strip_prefix(folder).unwrap_or(&damage.file).display().to_string();
            findings.push(Finding { file, line: damage.line, rule: "damage", what: damage.what });
        }
    }
    Ok(findings)
}

fn whole(file: &str, rule: &'static str, what: impl Into<String>) -> Finding {
    Finding { file: file.to_owned(), line: None, rule, what: what.into() }
}

fn search(file: &str, text: &str, rules: &[Rule], findings: &mut Vec<Finding>) {
    for (n, line) in text.lines().enumerate() {
        for rule in rules.iter().filter(|rule| rule.hits(line)) {
            findings.push(Finding {
                file: file.to_owned(),
                line: Some(n + 1),
                rule: rule.name,
                what: rule.what.clone(),
            });
        }
    }
}

/// A file named after the hash of its content must have that content.
fn renamed(name: &str, bytes: &[u8]) -> Option<Finding> {
    let stem = name.strip_prefix("pages/")?.split('.').next()?;
    let hash = hex(&Sha256::digest(bytes));
    let is = stem.len() >= 8 && hash.starts_with(stem);
    (!is).then(|| whole(name, "hash", "its content is not what its name says: it was changed; record again"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether each file writes back as it was read, so that later versions may rewrite it.
fn rewritten(folder: &Path, recording: &Recording) -> io::Result<Vec<Finding>> {
    let copy = tempfile::tempdir()?;
    recording.write(copy.path())?;
    let mut findings = Vec::new();
    for file in [MANIFEST, FLOW, WIRE] {
        if fs::read(folder.join(file))? != fs::read(copy.path().join(file))? {
            findings.push(whole(
                file,
                "form",
                "does not write back byte for byte: it was edited by hand; record again",
            ));
        }
    }
    Ok(findings)
}

/// Every file below a folder, sorted.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST_TEXT: &str = "{\n  \"format\": {\n    \"major\": 1,\n    \"minor\": 0\n  },\n  \"id\": \"a\",\n  \"when\": \"2026-11-30T17:05:09Z\",\n  \"config\": {\n    \"timeout_ms\": 500\n  }\n}\n";
    const WIRE_TEXT: &str = "{\"n\":1,\"call\":1,\"t\":3,\"cost\":2,\"cmd\":\"elementSendKeys\",\"el\":\"e1\",\"req\":{\"text\":\"{{secret:password}}\"},\"res\":{\"ok\":null}}\n";

    fn recording(flow: &str, wire: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [(MANIFEST, MANIFEST_TEXT), (FLOW, flow), (WIRE, wire)] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn rules_of(flow: &str, wire: &str, deny: &[String]) -> Vec<&'static str> {
        let folder = recording(flow, wire);
        audit(folder.path(), deny).unwrap().into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn a_clean_recording_has_no_finding() {
        let flow = "{\"call\":1,\"t\":0,\"cost\":9,\"tool\":\"navigate\",\"arguments\":{\"url\":\"http://demo.test/customer\"},\"result\":{}}\n";
        assert_eq!(rules_of(flow, WIRE_TEXT, &[]), Vec::<&str>::new());
    }

    #[test]
    fn each_rule_finds_what_it_is_for() {
        let call = |arguments: &str| {
            format!(
                "{{\"call\":1,\"t\":0,\"cost\":9,\"tool\":\"type\",\"arguments\":{arguments},\"result\":{{}}}}\n"
            )
        };
        for (rule, arguments) in [
            ("password field", r#"{"selector":{"by":"id","value":"loginPassword"},"text":"hunter2"}"#),
            ("user info", r#"{"url":"http://someone:word@demo.test/"}"#),
            ("authorization", r#"{"a":"Basic c29tZW9uZTp3b3Jk"}"#),
            ("raw id", r#"{"a":"0f0e7a4c-3a52-4a4e-9b0a-7f1c1d2e3f40"}"#),
            ("unknown id", r#"{"a":{"el":"x1"}}"#),
            ("machine path", r#"{"a":"/home/someone/driver"}"#),
            ("machine path", r#"{"a":"C:\\Users\\someone"}"#),
            ("port", r#"{"a":"http://127.0.0.1:40321/"}"#),
            ("private key", r#"{"a":"-----BEGIN RSA PRIVATE KEY-----"}"#),
            ("entropy", r#"{"a":"q7Zp0LxW3vTg9RkB2yHs8NdFc5JmUe4A"}"#),
            ("denied term", r#"{"a":"ACME Corp"}"#),
        ] {
            let found = rules_of(&call(arguments), WIRE_TEXT, &["acme corp".to_owned()]);
            assert_eq!(found, [rule], "{arguments}");
        }
    }

    #[test]
    fn a_picture_or_a_long_name_in_a_page_is_no_token() {
        let flow = "{\"call\":1,\"t\":0,\"cost\":9,\"tool\":\"navigate\",\"arguments\":{},\"result\":{\"a\":\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEgAAABIAQMAAABvIyEEAAAABlBM/VEUAAABTU1OoaSf audiocueProximityThresholdMobileA11y\"}}\n";
        assert_eq!(rules_of(flow, WIRE_TEXT, &[]), Vec::<&str>::new());
    }

    #[test]
    fn damage_and_hand_edits_are_findings() {
        assert_eq!(rules_of("", &WIRE_TEXT[..40], &[]), ["damage"]);
        assert_eq!(rules_of("", &WIRE_TEXT.replace("\"n\":1", "\"n\": 1"), &[]), ["form"]);
        let folder = recording("", WIRE_TEXT);
        fs::create_dir(folder.path().join("blobs")).unwrap();
        fs::write(folder.path().join("blobs/0123456789abcdef.txt"), "other").unwrap();
        let findings = audit(folder.path(), &[]).unwrap();
        assert_eq!(findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), ["damage"]);
    }

    #[test]
    fn a_finding_does_not_repeat_the_secret() {
        let flow = "{\"call\":1,\"tool\":\"type\",\"arguments\":{\"selector\":{\"by\":\"id\",\"value\":\"pin\"},\"text\":\"hunter2\"}}\n";
        let folder = recording(flow, WIRE_TEXT);
        let findings = audit(folder.path(), &[]).unwrap();
        assert!(
            !findings.is_empty() && findings.iter().all(|finding| !finding.to_string().contains("hunter2"))
        );
    }
}
