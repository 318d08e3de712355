//! One HTTP exchange with the driver outside a session: `/status` and `POST /session`.
//!
//! Owns: one request on one connection of its own. Does not own: what is asked.

use super::cable::Cable;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::io;

/// Sends one request and reads the whole JSON answer, whatever its HTTP status.
///
/// # Errors
/// If the connection breaks or the answer is no JSON.
pub(super) async fn exchange(cable: &Cable, url: &url::Url, body: Option<&Value>) -> io::Result<Value> {
    let wire = cable.open().await?;
    let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
        .title_case_headers(true)
        .handshake::<_, Full<Bytes>>(TokioIo::new(wire))
        .await
        .map_err(io::Error::other)?;
    let driving = tokio::spawn(connection);
    let text = body.map(Value::to_string).unwrap_or_default();
    let mut request = http::Request::builder()
        .method(if body.is_some() { "POST" } else { "GET" })
        .uri(&url[url::Position::BeforePath..url::Position::AfterQuery])
        .header(http::header::HOST, &url[url::Position::BeforeHost..url::Position::AfterPort]);
    if body.is_some() {
        request = request
            .header(http::header::CONTENT_TYPE, "application/json; charset=utf-8")
            .header(http::header::CONTENT_LENGTH, text.len());
    }
    let request = request.body(Full::from(text)).map_err(io::Error::other)?;
    let answer = async {
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        response.into_body().collect().await.map_err(io::Error::other)
    }
    .await;
    driving.abort();
    serde_json::from_slice(&answer?.to_bytes()).map_err(io::Error::other)
}
