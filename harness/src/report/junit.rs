//! A replay as JUnit XML: one suite, one case per flow.

use crate::replay::{Played, Verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// The XML text; `damaged` holds names and texts of recordings that cannot be read.
///
/// # Errors
/// If the text cannot be written as XML.
pub fn junit(all: &[Played], damaged: &[(String, String)], mode: &str) -> Result<String, String> {
    let mut suite = TestSuite::new(format!("replay {mode}"));
    for played in all {
        let status = match played.verdict() {
            Verdict::Same => TestCaseStatus::success(),
            verdict => bad(NonSuccessKind::Failure, format!("{verdict:?}"), played.trouble()),
        };
        suite.add_test_case(TestCase::new(played.name.as_str(), status));
    }
    for (name, text) in damaged {
        let status = bad(NonSuccessKind::Error, "Damaged".to_owned(), text.clone());
        suite.add_test_case(TestCase::new(name.as_str(), status));
    }
    let mut report = Report::new("harness replay");
    report.add_test_suite(suite);
    report.to_string().map_err(|error| error.to_string())
}

fn bad(kind: NonSuccessKind, message: String, text: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(message).set_description(text);
    status
}
