//! Cases of frames.

use super::{
    case::Element,
    play::{play, play_with},
};
use serde_json::{Value, json};

fn body_in(frame: &str) -> Option<Element> {
    serde_json::from_value(json!({ "css": "body", "frame": [frame] })).ok()
}

fn frames(view: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for frame in view["frames"].as_array().into_iter().flatten() {
        names.push(frame["frame"].to_string());
        names.extend(frames(frame));
    }
    names
}

#[tokio::test]
async fn c17_nested_framesets() {
    let Some(mut case) = play_with("C17", |_, steps| steps[4].element = body_in("main")).await else {
        return;
    };
    let names = frames(&case.json(3));
    for name in ["banner", "menu", "main"] {
        assert!(names.iter().any(|frame| frame.contains(name)), "{name} is not among {names:?}");
    }
    let shown = case.names(3);
    for name in ["Orders", "Stock", "Log out"] {
        assert!(shown.contains(&name.to_owned()), "{name} is not among {shown:?}");
    }
    case.proved(0);
    assert!(case.text(6).contains("Stock list"), "{}", case.json(6));
    assert!(case.names(6).contains(&"Orders".to_owned()));
    case.proved(2);
    case.finish().await;
}

#[tokio::test]
async fn c19_the_frame_vanishes_under_the_session() {
    let Some(mut case) = play("C19").await else { return };
    assert!(case.text(5).contains("Welcome clerk7") && frames(&case.json(5)).is_empty(), "{}", case.json(5));
    case.proved(0);
    case.finish().await;
}

#[tokio::test]
async fn c21_every_tool_works_in_a_frame() {
    let Some(case) = play_with("C21", |_, steps| steps[6].element = body_in("#0")).await else { return };
    case.finish().await;
}
