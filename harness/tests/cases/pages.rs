//! Serves the pages of a case as bytes, with the headers the case wants.

use super::case::{Case, folder};
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{Response, StatusCode, header::CONTENT_TYPE},
};
use serde_json::Value;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, task::JoinHandle};

/// Where the pages of one case lie, for as long as the value lives.
pub(crate) struct Pages {
    /// Address without a slash at its end.
    pub(crate) base: String,
    received: Arc<Mutex<Vec<(String, String)>>>,
    task: JoinHandle<()>,
}

struct Shelf {
    folder: PathBuf,
    serve: Value,
    received: Arc<Mutex<Vec<(String, String)>>>,
}

impl Pages {
    /// Serves a case's folder on a free port.
    pub(crate) async fn of(case: &Case) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::<Mutex<Vec<_>>>::default();
        let shelf = Shelf { folder: folder(&case.id), serve: case.serve.clone(), received: received.clone() };
        let app = Router::new().fallback(answer).with_state(Arc::new(shelf));
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Self { base, received, task }
    }

    /// Requests that carried a body: method with path, and the body.
    pub(crate) fn received(&self) -> Vec<(String, String)> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(shelf): State<Arc<Shelf>>, request: Request) -> Response<Body> {
    let route = format!("{} {}", request.method(), request.uri().path());
    let name = request.uri().path().trim_start_matches('/').to_owned();
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap_or_default();
    if !body.is_empty() {
        shelf.received.lock().unwrap().push((route.clone(), String::from_utf8_lossy(&body).into_owned()));
    }
    let routed = &shelf.serve["routes"][&route];
    if routed.is_object() {
        let status = routed["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
        let text = routed["body"].as_str().unwrap_or_default().to_owned();
        return Response::builder()
            .status(status)
            .header(CONTENT_TYPE, "text/html")
            .body(Body::from(text))
            .unwrap();
    }
    let Ok(bytes) = std::fs::read(shelf.folder.join(&name)) else {
        return Response::builder().status(StatusCode::NOT_FOUND).body(Body::from("not there")).unwrap();
    };
    let kind =
        shelf.serve["headers"][&name]["Content-Type"].as_str().unwrap_or(match name.rsplit('.').next() {
            Some("png") => "image/png",
            Some("gif") => "image/gif",
            Some("js") => "application/javascript",
            Some("css") => "text/css",
            _ => "text/html",
        });
    Response::builder().header(CONTENT_TYPE, kind).body(Body::from(bytes)).unwrap()
}
