//! Writes a recording so that a killed recorder loses at most the last line.
//!
//! Owns: one object a line, handed to the operating system as one write; the text of the manifest. Does not own:
//! redaction, which happened before.

use super::{BLOBS, FLOW, MANIFEST, Manifest, Recording, WIRE};
use serde::Serialize;
use std::{
    fs::{self, File},
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

/// Writes or replaces the manifest: first beside it, so that there is always a whole one.
///
/// # Errors
/// If it cannot be written.
pub fn write_manifest(folder: &Path, manifest: &Manifest) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(manifest)?;
    text.push('\n');
    let new = folder.join("manifest.json.new");
    fs::write(&new, text)?;
    fs::rename(new, folder.join(MANIFEST))
}

/// Writes a long text or picture, if it is not there yet.
///
/// # Errors
/// If it cannot be written.
pub fn write_blob(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let folder = folder.join(BLOBS);
    fs::create_dir_all(&folder)?;
    match File::create_new(folder.join(name)) {
        Ok(mut file) => file.write_all(content),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

impl Recording {
    /// Writes everything into a folder that holds no recording.
    ///
    /// # Errors
    /// If a file exists or cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        write_manifest(folder, &self.manifest)?;
        let mut flow = Lines::create(&folder.join(FLOW))?;
        self.flow.iter().try_for_each(|line| flow.push(line))?;
        let mut wire = Lines::create(&folder.join(WIRE))?;
        let mut processes = self.processes.iter().peekable();
        for line in &self.wire {
            while let Some(process) = processes.next_if(|process| process.n < line.n) {
                wire.push(process)?;
            }
            wire.push(line)?;
        }
        processes.try_for_each(|line| wire.push(line))?;
        self.blobs.iter().try_for_each(|(name, content)| write_blob(folder, name, content))
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use std::{collections::BTreeMap, fs, path::Path};

    const MANIFEST_TEXT: &str = r#"{
  "format": {
    "major": 1,
    "minor": 0
  },
  "id": "a",
  "when": "2026-11-30T17:05:09Z",
  "driver": {
    "name": "IEDriverServer",
    "version": "4.14.0.0 (32-bit)"
  },
  "config": {
    "timeout_ms": 500
  },
  "ids": {
    "e": "xxxxxxxx-xxxx"
  },
  "counts": {
    "calls": 1,
    "exchanges": 3,
    "blobs": 1
  },
  "redaction": {
    "slots": [
      "password"
    ],
    "late": 0
  },
  "ended": "closed",
  "title": "later member"
}
"#;
    const FLOW_TEXT: &str = "{\"call\":1,\"t\":0,\"cost\":9,\"tool\":\"click\",\"arguments\":{},\"result\":{\"content\":[{\"blob\":\"BLOB\"}]}}\n{\"control\":\"kill_driver\"}\n";
    const WIRE_TEXT: &str = "{\"n\":1,\"t\":1,\"process\":{\"event\":\"start\"}}\n{\"n\":2,\"call\":1,\"t\":3,\"cost\":2,\"cmd\":\"elementClick\",\"s\":\"s1\",\"el\":\"e9\",\"req\":{},\"res\":{\"ok\":null},\"page\":\"3f2a\"}\n{\"n\":3,\"t\":6,\"cost\":1,\"cmd\":\"getElementAttribute\",\"s\":\"s1\",\"el\":\"x1\",\"params\":{\"name\":\"id\"},\"req\":{},\"res\":{\"err\":{\"code\":\"no such window\",\"msg\":\"gone\",\"http\":404,\"data\":{\"text\":\"a\"}}}}\n{\"n\":4,\"t\":8,\"cost\":1,\"cmd\":\"getTitle\",\"req\":{},\"res\":{\"transport\":{\"kind\":\"reset\",\"after_bytes\":0}},\"process\":{\"event\":\"exit\",\"code\":-1073741819}}\n{\"n\":5,\"t\":9,\"process\":{\"event\":\"killed\"},\"later\":1}\n";

    fn folder(manifest: &str, wire: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let long = "x".repeat(401);
        let name = blobs::name_of(long.as_bytes());
        write_blob(folder.path(), &name, long.as_bytes()).unwrap();
        let flow = FLOW_TEXT.replace("BLOB", &name);
        for (name, text) in [(MANIFEST, manifest), (FLOW, &flow), (WIRE, wire)] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let mut all = BTreeMap::new();
        for part in [folder.to_owned(), folder.join(BLOBS)] {
            for entry in fs::read_dir(part).unwrap().map(Result::unwrap).filter(|e| e.path().is_file()) {
                all.insert(entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
            }
        }
        all
    }

    #[test]
    fn every_file_writes_back_byte_for_byte_with_unknown_members() {
        let from = folder(MANIFEST_TEXT, WIRE_TEXT);
        let to = tempfile::tempdir().unwrap();
        read(from.path()).unwrap().write(to.path()).unwrap();
        let (old, new) = (files(from.path()), files(to.path()));
        assert_eq!(old.len(), 4);
        assert_eq!(new, old);
    }

    #[test]
    fn a_newer_format_is_refused_by_its_number() {
        let from = folder(&MANIFEST_TEXT.replace("\"major\": 1", "\"major\": 2"), WIRE_TEXT);
        let damage = read(from.path()).unwrap_err();
        assert!(damage.what.contains("format 2.0"), "{damage}");
    }

    #[test]
    fn a_cut_line_is_named_with_its_file_number_and_remedy() {
        let from = folder(MANIFEST_TEXT, &WIRE_TEXT[..WIRE_TEXT.len() - 20]);
        let damage = read(from.path()).unwrap_err();
        assert_eq!((damage.line, damage.file.ends_with(WIRE)), (Some(5), true), "{damage}");
        assert!(damage.what.contains("harness repair"), "{damage}");
    }

    #[test]
    fn each_damage_is_named_by_file_and_line() {
        let without =
            WIRE_TEXT.lines().filter(|line| !line.contains("\"n\":3")).map(|line| format!("{line}\n"));
        let from = folder(MANIFEST_TEXT, &without.collect::<String>());
        let damage = read(from.path()).unwrap_err();
        assert_eq!(damage.line, Some(3), "{damage}");
        assert!(damage.what.contains("a line is missing"), "{damage}");

        let from = folder(MANIFEST_TEXT, WIRE_TEXT);
        let blob = fs::read_dir(from.path().join(BLOBS)).unwrap().next().unwrap().unwrap();
        fs::write(blob.path(), "changed").unwrap();
        let damage = read(from.path()).unwrap_err();
        assert!(damage.file == blob.path() && damage.what.contains("was changed"), "{damage}");

        fs::remove_file(blob.path()).unwrap();
        let damage = read(from.path()).unwrap_err();
        assert_eq!((damage.line, damage.file.ends_with(FLOW)), (Some(1), true), "{damage}");
        assert!(damage.what.contains("which is not there"), "{damage}");

        let from = folder("{\"id\":\"a\"}", WIRE_TEXT);
        assert!(read(from.path()).unwrap_err().what.contains("not a manifest"));

        let from = folder(MANIFEST_TEXT, &WIRE_TEXT.replace("\"res\":{\"ok\":null}", "\"res\":{}"));
        assert_eq!(read(from.path()).unwrap_err().line, Some(2));
    }

    #[test]
    fn a_recording_is_never_overwritten() {
        let from = folder(MANIFEST_TEXT, WIRE_TEXT);
        assert!(Lines::create(&from.path().join(WIRE)).is_err());
        assert!(read(from.path()).unwrap().write(from.path()).is_err());
    }
}
