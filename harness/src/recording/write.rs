//! Writes lines so that a killed recorder loses at most the last one.
//!
//! Owns: one object a line, handed to the operating system as one write. Does not own: redaction,
//! which happened before.

use serde::Serialize;
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

/// A growing file of lines.
#[derive(Debug)]
pub struct Lines(File);

impl Lines {
    /// Starts a new file.
    ///
    /// # Errors
    /// If it exists (a recording is never overwritten) or cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        File::create_new(path).map(Self)
    }

    /// Adds one line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.0.write_all(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    const MANIFEST_TEXT: &str = r#"{"format":{"major":1,"minor":0},"id":"a","when":"2026-11-30T17:05:09Z","config":{"timeout_ms":500},"title":"later member"}"#;
    const FLOW_TEXT: &str = "{\"call\":1,\"t\":0,\"cost\":9,\"tool\":\"click\",\"arguments\":{},\"result\":{}}\n{\"control\":\"kill_driver\"}\n";
    const WIRE_TEXT: &str = "{\"n\":1,\"call\":1,\"t\":3,\"cost\":2,\"cmd\":\"elementClick\",\"el\":\"e9\",\"req\":{},\"res\":{\"ok\":null},\"page\":\"3f2a\"}\n{\"n\":2,\"t\":6,\"cost\":1,\"cmd\":\"getTitle\",\"req\":{},\"res\":{\"err\":{\"code\":\"no such window\",\"msg\":\"gone\",\"http\":404}}}\n{\"n\":3,\"t\":8,\"cost\":1,\"cmd\":\"getTitle\",\"req\":{},\"res\":{\"transport\":{\"kind\":\"reset\"}}}\n";

    fn folder(manifest: &str, wire: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [(MANIFEST, manifest), (FLOW, FLOW_TEXT), (WIRE, wire)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn what_was_read_writes_back_byte_for_byte_with_unknown_members() {
        let from = folder(MANIFEST_TEXT, WIRE_TEXT);
        let recording = read(from.path()).unwrap();
        let to = tempfile::tempdir().unwrap();
        let mut flow = Lines::create(&to.path().join(FLOW)).unwrap();
        recording.flow.iter().for_each(|line| flow.push(line).unwrap());
        let mut wire = Lines::create(&to.path().join(WIRE)).unwrap();
        recording.wire.iter().for_each(|line| wire.push(line).unwrap());
        assert_eq!(std::fs::read_to_string(to.path().join(FLOW)).unwrap(), FLOW_TEXT);
        assert_eq!(std::fs::read_to_string(to.path().join(WIRE)).unwrap(), WIRE_TEXT);
        assert_eq!(serde_json::to_string(&recording.manifest).unwrap(), MANIFEST_TEXT);
    }

    #[test]
    fn a_newer_format_is_refused_by_its_number() {
        let from = folder(&MANIFEST_TEXT.replace("\"major\":1", "\"major\":2"), WIRE_TEXT);
        let damage = read(from.path()).unwrap_err();
        assert!(damage.what.contains("format 2.0"), "{damage}");
    }

    #[test]
    fn a_cut_line_is_named_with_its_file_and_number() {
        let from = folder(MANIFEST_TEXT, &WIRE_TEXT[..WIRE_TEXT.len() - 20]);
        let damage = read(from.path()).unwrap_err();
        assert_eq!((damage.line, damage.file.ends_with(WIRE)), (Some(3), true), "{damage}");
    }

    #[test]
    fn a_recording_is_never_overwritten() {
        let from = folder(MANIFEST_TEXT, WIRE_TEXT);
        assert!(Lines::create(&from.path().join(WIRE)).is_err());
    }
}
