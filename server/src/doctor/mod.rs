//! Checks of a machine: what keeps the driver from working, each with its remedy (`contract.md` section 2.7).
//!
//! Owns: what a finding is, the list, the report. Each finding is one file with a probe that gathers facts and a pure
//! check on them. Does not own: starting anything; a doctor changes nothing.

mod driver;
mod edge;
mod ie_mode;
mod leftovers;
mod processes;
mod protected_mode;
mod proxy;
mod registry;
mod scale;
mod session;

use crate::config::Config;
use serde::Serialize;
use std::io::{self, Write};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Fine,
    /// It works, but not well.
    Warning,
    /// A browser cannot be started or operated.
    Blocks,
    /// Cannot be told on this system.
    Unknown,
}

/// What was found on one matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The matter, as a word.
    pub name: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What was found.
    pub text: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
}

impl Finding {
    fn fine(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, level: Level::Fine, text: text.into(), remedy: None }
    }

    fn warning(name: &'static str, text: impl Into<String>, remedy: &'static str) -> Self {
        Self { name, level: Level::Warning, text: text.into(), remedy: Some(remedy) }
    }

    fn blocks(name: &'static str, text: impl Into<String>, remedy: &'static str) -> Self {
        Self { name, level: Level::Blocks, text: text.into(), remedy: Some(remedy) }
    }

    fn unknown(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, level: Level::Unknown, text: text.into(), remedy: None }
    }
}

/// Looks at everything.
pub async fn examine(config: &Config) -> Vec<Finding> {
    let running = processes::probe().await;
    vec![
        driver::check(&driver::probe(config).await),
        edge::check(&edge::probe(config)),
        ie_mode::check(&ie_mode::probe()),
        protected_mode::check(&protected_mode::probe()),
        scale::check(&scale::probe()),
        session::check(&session::probe(running.as_deref())),
        proxy::check(&proxy::probe()),
        leftovers::check(&leftovers::probe(running.as_deref())),
    ]
}

/// Writes the findings, as JSON or for people. True if nothing blocks.
///
/// # Errors
/// If the output is closed.
pub fn report(findings: &[Finding], json: bool, out: &mut dyn Write) -> io::Result<bool> {
    if json {
        serde_json::to_writer_pretty(&mut *out, findings)?;
        writeln!(out)?;
    } else {
        for finding in findings {
            let mark = match finding.level {
                Level::Fine => "ok     ",
                Level::Warning => "warning",
                Level::Blocks => "BLOCKS ",
                Level::Unknown => "unknown",
            };
            writeln!(out, "{mark}  {}: {}", finding.name, finding.text)?;
            if let Some(remedy) = finding.remedy {
                writeln!(out, "         -> {remedy}")?;
            }
        }
    }
    Ok(findings.iter().all(|finding| finding.level != Level::Blocks))
}

/// What is said where only Windows has an answer.
const WINDOWS_ONLY: &str = "can be checked on Windows only";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_each_finding_with_its_remedy() {
        let findings = [
            Finding::fine("driver", "found"),
            Finding::blocks("protectedMode", "differs", "Set it alike."),
            Finding::unknown("scale", WINDOWS_ONLY),
        ];
        let mut text = Vec::new();
        assert!(!report(&findings, false, &mut text).unwrap());
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "ok       driver: found\nBLOCKS   protectedMode: differs\n         -> Set it alike.\n\
             unknown  scale: can be checked on Windows only\n"
        );
        let mut json = Vec::new();
        assert!(report(&findings[..1], true, &mut json).unwrap());
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json, serde_json::json!([{ "name": "driver", "level": "fine", "text": "found" }]));
    }
}
