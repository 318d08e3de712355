//! The end of a recording.
//!
//! Owns: searching every written file for every known secret in every shape, masking what is found, the completed
//! manifest; withholding a recording from which a secret cannot be removed. Does not own: shapes (`encodings`).

use super::secrets::Secrets;
use crate::recording::{BLOBS, Counts, FLOW, Manifest, Redaction, WIRE, blobs, write_blob, write_manifest};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// Folder beside `recordings/` for what must not stay in it.
const WITHHELD: &str = "withheld-recordings";

/// How often files are masked and searched again.
const ROUNDS: usize = 3;

/// What a recording came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Where it lies.
    pub folder: PathBuf,
    /// How much is in it.
    pub counts: Counts,
    /// What was masked.
    pub redaction: Redaction,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { calls, exchanges, blobs } = self.counts;
        write!(
            f,
            "recorded {}: {calls} calls, {exchanges} exchanges, {blobs} files beside",
            self.folder.display()
        )?;
        match self.redaction.slots.as_slice() {
            [] => f.write_str("; nothing was secret"),
            slots => write!(f, "; masked: {}", slots.join(", ")),
        }
    }
}

/// Searches, masks, completes.
pub(super) fn close(
    folder: &Path,
    mut manifest: Manifest,
    secrets: &mut Secrets,
    calls: u64,
    exchanges: u64,
) -> io::Result<Summary> {
    let mut late = 0;
    for _ in 0..ROUNDS {
        let masked = mask_all(folder, secrets)?;
        late += masked;
        if masked == 0 {
            break;
        }
    }
    let blobs = fs::read_dir(folder.join(BLOBS)).map_or(0, Iterator::count);
    let counts = Counts { calls, exchanges, blobs: u64::try_from(blobs).unwrap_or(u64::MAX) };
    let mut slots = BTreeSet::new();
    for file in files(folder)? {
        slots.extend(secrets.slots_in(&String::from_utf8_lossy(&fs::read(&file)?)));
    }
    let redaction = Redaction { slots: slots.into_iter().collect(), late };
    manifest.counts = Some(counts);
    manifest.redaction = Some(redaction.clone());
    write_manifest(folder, &manifest)?;
    for file in files(folder)? {
        if let Some(slot) = secrets.found_in(&fs::read(&file)?) {
            let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
            let to = withhold(folder)?;
            return Err(io::Error::other(format!(
                "{name} still holds the secret {slot} after masking: the recording was moved to {}, readable by its owner only; look there, do not share it",
                to.display()
            )));
        }
    }
    Ok(Summary { folder: folder.to_owned(), counts, redaction })
}

/// Masks what is found in any file; how many places.
fn mask_all(folder: &Path, secrets: &mut Secrets) -> io::Result<u64> {
    let mut count = 0;
    let mut renamed = BTreeMap::new();
    for file in files(folder)? {
        let is_blob = file.parent().is_some_and(|parent| parent.ends_with(BLOBS));
        if !is_blob || secrets.found_in(&fs::read(&file)?).is_none() {
            continue;
        }
        // A picture with a secret in its bytes cannot be masked: it is withheld with the rest.
        let Ok(mut text) = fs::read_to_string(&file) else { continue };
        count += secrets.mask(&mut text);
        let new = blobs::name_of(text.as_bytes());
        write_blob(folder, &new, text.as_bytes())?;
        fs::remove_file(&file)?;
        renamed.insert(file.file_name().unwrap_or_default().to_string_lossy().into_owned(), new);
    }
    for name in [FLOW, WIRE] {
        let file = folder.join(name);
        let text = fs::read_to_string(&file)?;
        let touched = |line: &str| {
            secrets.found_in(line.as_bytes()).is_some()
                || renamed.keys().any(|old| line.contains(old.as_str()))
        };
        if !text.lines().any(touched) {
            continue;
        }
        let mut new = String::with_capacity(text.len());
        for line in text.lines() {
            if touched(line) {
                let (line, places) = masked_line(line, secrets, &renamed);
                count += places;
                new.push_str(&line);
            } else {
                new.push_str(line);
            }
            new.push('\n');
        }
        replace(&file, &new)?;
    }
    for file in files(folder)? {
        if file.extension().is_some_and(|kind| kind == "md")
            && let Ok(mut text) = fs::read_to_string(&file)
        {
            let places = secrets.mask(&mut text);
            if places > 0 {
                count += places;
                replace(&file, &text)?;
            }
        }
    }
    Ok(count)
}

/// A line with its strings masked and its references renewed. What spans several strings is masked in the
/// text, if it stays JSON.
fn masked_line(line: &str, secrets: &Secrets, renamed: &BTreeMap<String, String>) -> (String, u64) {
    let mut places = 0;
    let mut line = match serde_json::from_str::<Value>(line) {
        Ok(value) => masked_value(value, secrets, renamed, &mut places).to_string(),
        Err(_) => line.to_owned(),
    };
    if secrets.found_in(line.as_bytes()).is_some() {
        let mut text = line.clone();
        let more = secrets.mask(&mut text);
        if serde_json::from_str::<Value>(&text).is_ok() {
            places += more;
            line = text;
        }
    }
    (line, places)
}

fn masked_value(
    value: Value,
    secrets: &Secrets,
    renamed: &BTreeMap<String, String>,
    places: &mut u64,
) -> Value {
    match value {
        Value::String(mut text) => {
            if let Some(new) = renamed.get(&text) {
                return new.clone().into();
            }
            *places += secrets.mask(&mut text);
            text.into()
        }
        Value::Array(items) => {
            items.into_iter().map(|item| masked_value(item, secrets, renamed, places)).collect()
        }
        Value::Object(members) => members
            .into_iter()
            .map(|(mut name, value)| {
                *places += secrets.mask(&mut name);
                (name, masked_value(value, secrets, renamed, places))
            })
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

/// Replaces a file at once.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let new = file.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, file)
}

/// Moves a recording out of the folder of recordings; where it is then.
fn withhold(folder: &Path) -> io::Result<PathBuf> {
    let recordings = folder.parent().unwrap_or(folder);
    let place = recordings.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let place = place.join(WITHHELD);
    fs::create_dir_all(&place)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let free = (1..).map(|n| place.join(format!("{name}-{n}"))).find(|path| !path.exists());
    let to = free.unwrap_or_else(|| place.join(name));
    fs::rename(folder, &to)?;
    #[cfg(unix)]
    for folder in [&place, &to] {
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    }
    Ok(to)
}

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
    use crate::recording::{self, Format, Forms, MANIFEST};
    use base64::{Engine, engine::general_purpose::STANDARD};
    use serde_json::json;

    const CANARY: &str = "Kanari/\"ワード\"-7301";

    /// A recording as a recorder without its redactor would leave it: each of these results is a call's.
    fn leaked(results: &[Value], blob: &[u8]) -> (tempfile::TempDir, PathBuf, Manifest) {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("recordings").join("a");
        fs::create_dir_all(&folder).unwrap();
        let name = blobs::name_of(blob);
        write_blob(&folder, &name, blob).unwrap();
        let line =
            |n: usize, result: &Value| json!({ "call": n, "tool": "t", "arguments": {}, "result": result });
        let flow: String =
            results.iter().enumerate().map(|(n, result)| format!("{}\n", line(n + 1, result))).collect();
        fs::write(folder.join(FLOW), flow).unwrap();
        let wire = json!({ "n": 1, "t": 0, "cost": 0, "cmd": "getPageSource", "req": {}, "res": { "ok": { "blob": name } } });
        fs::write(folder.join(WIRE), format!("{wire}\n")).unwrap();
        let manifest = Manifest {
            format: Format::CURRENT,
            id: "a".into(),
            when: "2026-11-30T17:05:09Z".into(),
            server: None,
            driver: None,
            browser: None,
            os: None,
            config: Map::new(),
            ids: Forms::default(),
            counts: None,
            redaction: None,
            ended: None,
            other: Map::new(),
        };
        write_manifest(&folder, &manifest).unwrap();
        (outside, folder, manifest)
    }

    fn secrets() -> Secrets {
        let mut secrets = Secrets::default();
        secrets.add("password", CANARY);
        secrets
    }

    #[test]
    fn the_search_finds_and_masks_every_shape_in_every_file_and_keeps_the_recording_readable() {
        let utf16: Vec<u8> = format!("x{CANARY}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        let (sjis, ..) = encoding_rs::SHIFT_JIS.encode(CANARY);
        let percent = |bytes: &[u8]| bytes.iter().map(|byte| format!("%{byte:02X}")).collect::<String>();
        let results = [
            json!(CANARY),
            json!({ CANARY: 1 }),
            json!({ "text": json!({ "value": CANARY }).to_string() }),
            json!(CANARY.chars().map(String::from).collect::<Vec<_>>()),
            json!(STANDARD.encode(format!("xy{CANARY}z"))),
            json!(STANDARD.encode(&utf16)),
            json!(utf16.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
            json!(percent(CANARY.as_bytes())),
            json!(percent(&sjis)),
            json!(CANARY.replace('"', "&quot;")),
        ];
        let page = format!("<html>{}{}</html>", CANARY.replace('"', "&quot;"), "x".repeat(400));
        let (_outside, folder, manifest) = leaked(&results, page.as_bytes());
        let mut secrets = secrets();
        for line in fs::read_to_string(folder.join(FLOW)).unwrap().lines() {
            assert!(secrets.found_in(line.as_bytes()).is_some(), "the search is blind to {line}");
        }
        let summary = close(&folder, manifest, &mut secrets, 10, 1).unwrap();
        assert!(summary.redaction.late >= 11, "{:?}", summary.redaction);
        assert_eq!(summary.redaction.slots, ["password"]);
        for file in files(&folder).unwrap() {
            assert_eq!(secrets.found_in(&fs::read(&file).unwrap()), None, "{}", file.display());
        }
        let recording = recording::read(&folder).unwrap_or_else(|damage| panic!("{damage}"));
        assert!(
            recording
                .flow
                .iter()
                .all(|line| line.members["result"].to_string().contains("{{secret:password}}"))
        );
        let recording::Answer::Ok(source) = &recording.wire[0].res else { panic!("ok") };
        assert!(recording.expand(source).as_str().unwrap().starts_with("<html>{{secret:password}}xxx"));
    }

    #[test]
    fn a_recording_that_keeps_a_secret_is_moved_out_of_the_recordings() {
        let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), CANARY.as_bytes(), &[0xff; 8]].concat();
        let (outside, folder, manifest) = leaked(&[json!("harmless")], &picture);
        let error = close(&folder, manifest, &mut secrets(), 1, 1).unwrap_err().to_string();
        assert!(error.contains("blobs") && error.contains("password") && error.contains(WITHHELD), "{error}");
        assert!(!error.contains(CANARY) && !folder.exists());
        let kept = outside.path().join(WITHHELD).join("a-1");
        assert!(kept.join(MANIFEST).is_file(), "the evidence is kept");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn what_holds_no_secret_stays_as_it_is() {
        let (_outside, folder, manifest) = leaked(&[json!("harmless")], b"a page");
        let before = fs::read(folder.join(FLOW)).unwrap();
        let summary = close(&folder, manifest, &mut secrets(), 1, 1).unwrap();
        assert_eq!((summary.redaction.late, summary.counts.blobs), (0, 1));
        assert_eq!(fs::read(folder.join(FLOW)).unwrap(), before);
        assert!(summary.to_string().ends_with("nothing was secret"));
    }
}
