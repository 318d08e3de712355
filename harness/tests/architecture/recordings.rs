//! Every recording in the repository reads, carries a known format and writes back byte for byte.

use super::sources::{none, root};
use harness::recording::{self, FLOW, MANIFEST, WIRE};

#[test]
fn every_recording_reads_and_writes_back_byte_for_byte() {
    let mut findings = Vec::new();
    let Ok(entries) = std::fs::read_dir(root().join("recordings")) else { return };
    for folder in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let recording = match recording::read(&folder) {
            Ok(recording) => recording,
            Err(damage) => {
                findings.push(damage.to_string());
                continue;
            }
        };
        let copy = tempfile::tempdir().unwrap();
        recording.write(copy.path()).unwrap();
        for file in [MANIFEST, FLOW, WIRE] {
            let (old, new) =
                (std::fs::read(folder.join(file)).unwrap(), std::fs::read(copy.path().join(file)).unwrap());
            if old != new {
                findings.push(format!("{}: {file} changes when it is rewritten", folder.display()));
            }
        }
    }
    none("a recording is damaged", findings);
}
