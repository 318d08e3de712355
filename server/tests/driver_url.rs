//! A driver or hub that runs already, over a real socket.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use axum::http::Method;
use ie_mode_mcp::driver::Driver;
use ie_mode_mcp::driver::session::Budget;
use ie_mode_mcp::{Config, DriverAccess};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_hub_below_a_path_is_used_and_no_process_is_started() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let hub = axum::Router::new().fallback(move |method: Method, uri: axum::http::Uri| async move {
        log.lock().unwrap().push(format!("{method} {}", uri.path()));
        match uri.path() {
            "/wd/hub/status" => json!({ "value": { "ready": true, "message": "Selenium Grid ready." } }),
            "/wd/hub/session" => {
                json!({ "value": { "sessionId": "g1", "capabilities": { "browserName": "internet explorer" } } })
            }
            "/wd/hub/session/g1/window" => json!({ "value": "w1" }),
            _ => json!({ "value": null }),
        }
        // As text/plain, as a hub behind a proxy may do.
        .to_string()
    });
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, hub).await });
    let config = Config {
        driver_url: Some(format!("http://{address}/wd/hub")),
        driver_path: Some("/no/such/driver".into()),
        ..Config::default()
    };
    let mut driver = Driver::new(DriverAccess::Configured);
    let budget =
        Budget { deadline: Instant::now() + Duration::from_secs(50), cancel: CancellationToken::new() };
    let started =
        driver.start(&config, &budget).await.map_err(|error| Value::Object(error.to_json())).unwrap();
    assert!(!started.reused && started.build.is_none());
    assert!(driver.start(&config, &budget).await.is_ok_and(|started| started.reused));
    driver.close().await;
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "GET /wd/hub/status",
            "POST /wd/hub/session",
            "GET /wd/hub/session/g1/window",
            "DELETE /wd/hub/session/g1"
        ]
    );
}
