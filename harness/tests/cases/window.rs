//! Cases of windows.

use super::play::play;

#[tokio::test]
async fn c01_a_new_window_that_turns_up_late() {
    let Some(mut case) = play("C01").await else { return };
    // The window is named by the click or the switch that follows.
    let told = case.text(4).contains("Item list") || case.text(5).contains("Item list");
    assert!(told, "{} {}", case.text(4), case.text(5));
    case.proved(0);
    assert_eq!(case.json(4)["title"], "Order desk", "the click did not move the session");
    case.proved(1);
    assert!(case.json(8).get("windows").is_none(), "{}", case.json(8));
    assert!(case.took(8) < 1_500, "{} ms", case.took(8));
    case.proved(4);
    case.finish().await;
}

#[tokio::test]
async fn c03_a_click_that_closes_its_own_window() {
    let Some(mut case) = play("C03").await else { return };
    assert_eq!(case.json(5)["closedCurrent"], true, "{}", case.json(5));
    assert!(!case.results[&5].is_error(), "{}", case.json(5));
    case.proved(0);
    assert_eq!(case.json(6)["windowCount"], 1, "{}", case.json(6));
    case.proved(2);
    case.finish().await;
}

#[tokio::test]
async fn c04_two_windows_of_one_title() {
    let Some(mut case) = play("C04").await else { return };
    let ambiguous = case.json(5);
    assert_eq!(ambiguous["error"], "INVALID_ARGUMENT", "{ambiguous}");
    assert_eq!(ambiguous.to_string().matches("no=").count(), 2, "{ambiguous}");
    case.proved(0);
    let unknown = case.json(8);
    assert_eq!(unknown["error"], "WINDOW_NOT_FOUND", "{unknown}");
    assert_eq!(unknown["windows"].as_array().map(Vec::len), Some(3), "{unknown}");
    case.proved(2);
    // A driver that ignores a switch: proved where the far end can be told to (server/tests).
    case.proved(4);
    case.finish().await;
}
