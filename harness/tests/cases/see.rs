//! Cases of what a page view says, and of waits.

use super::play::{play, play_with};
use serde_json::json;

#[tokio::test]
async fn c50_helper_scripts_of_the_driver_are_not_needed() {
    let Some(case) = play("C50").await else { return };
    case.finish().await;
}

#[tokio::test]
async fn c53_white_space_in_names() {
    let Some(mut case) = play("C53").await else { return };
    let names = case.names(3);
    for name in ["Self - Charles Grant", "Hello World", "Two lines", "株式会社 北", "Save as"] {
        assert!(names.contains(&name.to_owned()), "{name} is not among {names:?}");
    }
    case.proved(0);
    case.finish().await;
}

#[tokio::test]
async fn c56_what_counts_as_visible() {
    let Some(mut case) = play_with("C56", |config, _| config.timeout_ms = 500).await else { return };
    let shown: Vec<String> =
        case.shown(3).iter().filter_map(|shown| shown["id"].as_str().map(str::to_owned)).collect();
    // Transparent ones are operable by the driver's click, so they are shown.
    assert_eq!(shown, ["v01", "v05", "v09", "v12", "v15", "v16"]);
    case.proved(0);
    case.finish().await;
}

#[tokio::test]
async fn c62_a_page_with_more_than_a_thousand_controls() {
    let Some(mut case) = play("C62").await else { return };
    assert!(case.text(3).len() <= 40_000, "{} bytes", case.text(3).len());
    assert_eq!(case.json(3)["total"], 1200, "{}", case.json(3)["total"]);
    case.proved(0);
    let refs =
        |n| case.shown(n).iter().find(|shown| shown["id"] == "q0777").map(|shown| shown["ref"].clone());
    assert_eq!(refs(5), refs(7));
    let held = case.far_end.observe("return document.getElementById('q0777').value", json!([])).await;
    assert_eq!(held, "5");
    case.proved(4);
    let commands = case.far_end.commands();
    let first = commands.iter().filter(|name| **name == "executeScript").count();
    assert!(first <= 5 * 5, "{commands:?}");
    case.proved(5);
    case.finish().await;
}

#[tokio::test]
async fn c81_a_password_is_never_shown() {
    let Some(mut case) = play("C81").await else { return };
    let view = case.text(3);
    assert!(!view.contains("Pre-1111") && view.contains("••••"), "{view}");
    case.proved(0);
    // Logs: server/tests; recordings: harness/tests (canary).
    case.proved(4);
    case.finish().await;
}

#[tokio::test]
async fn c82_the_meaning_and_end_of_a_wait() {
    let Some(mut case) = play("C82").await else { return };
    assert!((1_000..3_000).contains(&case.took(5)), "{} ms", case.took(5));
    // Text and its absence cannot be asked in one call: the second of the two is what counts here.
    case.proved(3);
    case.finish().await;
}
