//! `screenshot` against a scripted driver in memory, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

mod agent;
mod far_end;

use agent::{Agent, absent, dialog_open, found, quiet};
use base64::Engine;
use far_end::{FarEnd, value};
use ie_mode_mcp::Config;
use serde_json::{Value, json};

/// A PNG in base64 whose left half is dark, or all of it.
fn picture(width: u32, height: u32, uniform: bool) -> String {
    let row: Vec<u8> = (0..width).map(|x| if uniform || x < width / 2 { 20 } else { 200 }).collect();
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&row.repeat(height as usize)).unwrap();
    json!(base64::prelude::BASE64_STANDARD.encode(png)).to_string()
}

#[tokio::test(start_paused = true)]
async fn the_answer_is_a_png_and_its_size() {
    let far = FarEnd::new(|asked, _| match asked {
        "GET /screenshot" => value(&picture(80, 40, false)),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let content = agent.content("screenshot", json!({})).await;
    assert_eq!((&content[0]["type"], &content[0]["mimeType"]), (&json!("image"), &json!("image/png")));
    assert!(content[0]["data"].as_str().unwrap().starts_with("iVBOR"));
    assert_eq!(content[1]["text"], r#"{"width":80,"height":40}"#);
    let small = agent.call("screenshot", json!({ "maxWidth": 20 })).await.unwrap();
    assert_eq!(small, json!({ "width": 20, "height": 10, "shrunkFrom": { "width": 80, "height": 40 } }));
    assert_eq!(far.asked(), ["GET /screenshot", "GET /screenshot"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_picture_is_an_error_and_one_colour_is_said_case_c64() {
    for broken in ["\"\"", "null", "\"%%%\"", "\"/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==\""] {
        let far = FarEnd::new(
            move |asked, _| if asked == "GET /screenshot" { value(broken) } else { quiet(asked) },
        );
        let error = Agent::start(&far).await.call("screenshot", json!({})).await.unwrap_err();
        assert_eq!(error["error"], "INTERNAL_ERROR", "{broken}");
    }
    let far = FarEnd::new(|asked, _| match asked {
        "GET /screenshot" => value(&picture(8, 8, true)),
        other => quiet(other),
    });
    let result = Agent::start(&far).await.call("screenshot", json!({})).await.unwrap();
    assert_eq!(result["uniform"], true);
    assert!(result["hint"].is_string());
}

#[tokio::test(start_paused = true)]
async fn one_element_is_pictured_when_it_is_shown() {
    let far = FarEnd::new(|asked, before| match (asked, before) {
        ("POST /execute/sync probe", 0) => absent(),
        ("POST /execute/sync probe", _) => found("e7", json!({})),
        ("GET /element/e7/screenshot", _) => value(&picture(10, 10, false)),
        (other, _) => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    let one = json!({ "selector": { "by": "id", "value": "chart" } });
    assert_eq!(agent.call("screenshot", one).await.unwrap()["width"], 10);
    assert_eq!(far.count("GET /screenshot"), 0);
    let error = agent.call("screenshot", json!({ "frame": { "by": "id", "value": "x" } })).await.unwrap_err();
    assert_eq!(error["error"], "INVALID_ARGUMENT");
}

#[tokio::test(start_paused = true)]
async fn a_picture_is_taken_while_a_dialog_is_open() {
    let far = FarEnd::new(|asked, _| match asked {
        "GET /screenshot" => value(&picture(10, 10, false)),
        "GET /alert/text" => value("\"Sure?\""),
        "POST /url" => value("null"),
        "POST /execute/sync state" => dialog_open("Sure?"),
        other => quiet(other),
    });
    let mut agent = Agent::start(&far).await;
    agent.call("navigate", json!({ "url": "http://a.test/" })).await.unwrap();
    let result = agent.call("screenshot", json!({})).await.unwrap();
    assert_eq!((&result["width"], &result["dialog"]), (&json!(10), &json!({ "text": "Sure?" })));
}

#[tokio::test(start_paused = true)]
async fn in_strict_mode_no_picture_shows_another_origin() {
    let far = FarEnd::new(|asked, _| match asked {
        "GET /url" => value("\"http://other.test/\""),
        "GET /screenshot" => value(&picture(10, 10, false)),
        other => quiet(other),
    });
    let config = Config {
        allowed_origins: vec!["http://a.test".into()],
        allowed_origins_strict: true,
        ..Config::default()
    };
    let error: Value = Agent::start_with(&far, config).await.call("screenshot", json!({})).await.unwrap_err();
    assert_eq!(error["error"], "URL_NOT_ALLOWED");
    assert_eq!(far.count("GET /screenshot"), 0);
}
