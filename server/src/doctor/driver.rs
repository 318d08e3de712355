//! Finding: the driver, its version and its bits.

use super::Finding;
use crate::config::Config;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

const NAME: &str = "driver";

/// What is known of the driver.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// A driver that runs elsewhere is used.
    url: Option<String>,
    /// What the operator set.
    configured: Option<PathBuf>,
    found: Option<PathBuf>,
    version: Option<String>,
    bits: Option<u32>,
}

pub(super) async fn probe(config: &Config) -> Facts {
    let found = crate::driver::find(config.driver_path.as_ref());
    let version = match &found {
        Some(path) => version(path).await,
        None => None,
    };
    // The header of a program for Windows stands within its first page.
    let bits = found.as_ref().and_then(|path| {
        let mut head = vec![0; 4096];
        let read = std::io::Read::read(&mut std::fs::File::open(path).ok()?, &mut head).ok()?;
        bits(&head[..read])
    });
    Facts { url: config.driver_url.clone(), configured: config.driver_path.clone(), found, version, bits }
}

pub(super) fn check(facts: &Facts) -> Finding {
    if let Some(url) = &facts.url {
        return Finding::fine(NAME, format!("the one at {url} is used; it is not examined"));
    }
    let Some(path) = &facts.found else {
        return match &facts.configured {
            Some(path) => Finding::blocks(
                NAME,
                format!("IE_MCP_DRIVER_PATH names no file: {}", path.display()),
                "Set IE_MCP_DRIVER_PATH to the full path of IEDriverServer.exe.",
            ),
            None => Finding::blocks(
                NAME,
                "IEDriverServer is not on PATH",
                "Download the 32-bit IEDriverServer.exe and set IE_MCP_DRIVER_PATH to its full path.",
            ),
        };
    };
    let version = facts.version.as_deref().unwrap_or("of unknown version");
    let text = format!("{} {version}", path.display());
    match facts.bits {
        Some(64) => Finding::warning(
            NAME,
            format!("{text}, 64 bit"),
            "Use the 32-bit build, on 64-bit Windows too: the 64-bit one takes seconds for each typed key.",
        ),
        Some(bits) => Finding::fine(NAME, format!("{text}, {bits} bit")),
        None => Finding::fine(NAME, text),
    }
}

/// What the program says for `--version`. One that serves instead is ended after 3 s.
async fn version(path: &Path) -> Option<String> {
    let mut command = tokio::process::Command::new(path);
    command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(3), command.output()).await.ok()?.ok()?;
    number(&String::from_utf8_lossy(&output.stdout))
}

/// The first word that looks like a version.
fn number(text: &str) -> Option<String> {
    let word = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.contains('.')
            && word.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    text.split_whitespace().find(word).map(str::to_owned)
}

/// Bits of a program for Windows, by the machine in its header.
fn bits(head: &[u8]) -> Option<u32> {
    if !head.starts_with(b"MZ") {
        return None;
    }
    let offset = u32::from_le_bytes(head.get(0x3c..0x40)?.try_into().ok()?) as usize;
    let header = head.get(offset..offset + 6)?.strip_prefix(b"PE\0\0")?;
    match header {
        [0x4c, 0x01] => Some(32),
        [0x64, 0x86] => Some(64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn bits_are_read_from_the_header() {
        let mut head = vec![0; 256];
        head[..2].copy_from_slice(b"MZ");
        head[0x3c] = 0x80;
        head[0x80..0x86].copy_from_slice(b"PE\0\0\x4c\x01");
        assert_eq!(bits(&head), Some(32));
        head[0x84..0x86].copy_from_slice(b"\x64\x86");
        assert_eq!(bits(&head), Some(64));
        assert_eq!((bits(b"#!/bin/sh"), bits(b"MZ")), (None, None));
    }

    #[test]
    fn a_missing_driver_blocks_and_a_64_bit_one_is_slow() {
        assert_eq!(check(&Facts::default()).level, Level::Blocks);
        let configured = Facts { configured: Some("x.exe".into()), ..Facts::default() };
        assert!(check(&configured).text.contains("IE_MCP_DRIVER_PATH"));
        let found = Facts {
            found: Some("d.exe".into()),
            version: number("IEDriverServer.exe 4.14.0.0 (x)"),
            ..Facts::default()
        };
        assert!(check(&found).text.contains("4.14.0.0"));
        assert_eq!(check(&Facts { bits: Some(64), ..found.clone() }).level, Level::Warning);
        assert_eq!(check(&Facts { bits: Some(32), ..found }).level, Level::Fine);
        let elsewhere = Facts { url: Some("http://hub:4444".into()), ..Facts::default() };
        assert_eq!(check(&elsewhere).level, Level::Fine);
    }
}
