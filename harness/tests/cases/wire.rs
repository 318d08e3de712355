//! Cases of a driver that answers oddly.

use super::play::{play, play_with};
use serde_json::json;

#[tokio::test]
async fn c23_protected_mode_differs_between_zones() {
    let Some(mut case) = play("C23").await else { return };
    let error = case.json(1);
    assert_eq!(error["reason"], "protected_mode", "{error}");
    assert!(error["hint"].as_str().unwrap_or_default().contains("zones"), "{error}");
    case.proved(0);
    // Processes: harness/tests (failed start).
    case.proved(1);
    assert_eq!(case.far_end.bodies("newSession").len(), 2, "one for each start");
    case.proved(2);
    case.finish().await;
}

#[tokio::test]
async fn c26_insecure_certificates_are_never_asked_for() {
    let Some(case) = play("C26").await else { return };
    case.finish().await;
}

#[tokio::test]
async fn c29_a_second_start_keeps_the_session() {
    let Some(mut case) = play("C29").await else { return };
    assert_eq!(case.json(2)["reused"], true, "{}", case.json(2));
    assert_eq!(case.far_end.bodies("newSession").len(), 2);
    case.proved(0);
    assert!(!case.results[&5].is_error(), "{}", case.json(5));
    case.proved(2);
    case.finish().await;
}

#[tokio::test]
async fn c64_black_empty_or_broken_pictures() {
    let Some(mut case) = play("C64").await else { return };
    for n in 2..=4 {
        assert!(case.results[&n].is_error(), "{}", case.json(n));
    }
    assert!(case.results[&5].picture().is_some(), "{}", case.json(5));
    assert_eq!((case.json(5)["width"].as_u64(), case.json(5)["height"].as_u64()), (Some(4), Some(4)));
    case.proved(3);
    assert!(case.results[&6].picture().is_none(), "{}", case.json(6));
    case.proved(4);
    assert!(case.results[&7].picture().is_some(), "{}", case.json(7));
    assert!(case.text(7).contains("one single colour"), "{}", case.json(7));
    case.proved(5);
    case.finish().await;
}

#[tokio::test]
async fn c75_a_text_where_an_object_should_be() {
    let Some(mut case) = play_with("C75", |config, _| config.timeout_ms = 1_000).await else { return };
    assert!(case.results[&2].is_error(), "{}", case.json(2));
    case.proved(0);
    case.finish().await;
}

#[tokio::test]
async fn c69_replies_that_are_not_what_the_standard_says() {
    let Some(mut case) = play_with("C69", |config, steps| {
        config.timeout_ms = 500;
        steps.truncate(1);
    })
    .await
    else {
        return;
    };
    let selector = json!({ "selector": { "by": "xpath", "value": "//button[.='Go']" } });
    let mut codes = Vec::new();
    for n in 0..15 {
        let result = case.server.call("click", selector.as_object().unwrap().clone()).await.unwrap();
        let text = result.text().unwrap_or_default().to_owned();
        assert!(text.chars().count() < 600, "reply {n}: {text}");
        codes.push(result.error_code().unwrap_or_else(|| "fine".into()));
        if codes[n] == "DRIVER_LOST" {
            case.far_end.end().await;
            case.server.call("browser_start", serde_json::Map::new()).await.unwrap();
            case.write_stub().await;
        }
    }
    let wanted = [
        ("INTERNAL_ERROR", [0, 1, 2, 3, 4, 6, 7, 12, 13].as_slice()),
        ("TIMEOUT", &[8, 9]),
        ("INTERNAL_ERROR", &[10]),
        ("DRIVER_LOST", &[11]),
        ("fine", &[14]),
    ];
    for (code, replies) in wanted {
        for n in replies {
            assert_eq!(codes[*n], code, "reply {n} of {codes:?}");
        }
    }
    (0..7).for_each(|place| case.proved(place));
    case.finish().await;
}
