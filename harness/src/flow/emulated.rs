//! The whole set-up in this process without a socket: demonstration application, emulator, server.
//!
//! Owns: putting them together. Under a paused clock nothing of it waits in real time. Does not own: what is done with
//! them.

use super::{StartError, ToolServer, live};
use crate::demo_app::{self, InMemory};
use axum::body::Body;
use fake_iedriver::{
    browser::{
        net::{Fetched, Handler, Network, Request, Source},
        pages::Pageful,
    },
    fault::Plan,
    handle,
    session::{Emulator, EmulatorOptions, Pace},
    wire::{
        Wire, WireOptions,
        capabilities::{self, Machine},
    },
};
use futures::FutureExt;
use ie_mode_mcp::{Config, DriverAccess, driver::cable::Io};
use std::sync::{Arc, Mutex, PoisonError};
use tower::ServiceExt;

/// A server whose driver is the emulator, in front of the demonstration application.
pub struct Emulated {
    /// The application the browser sees as [`live::DEMO_ORIGIN`] and [`live::OTHER_ORIGIN`].
    pub app: InMemory,
    /// The server.
    pub server: ToolServer,
    driver: Arc<Machinery>,
}

/// The driver that dials reach now, and how the next one is made.
struct Machinery {
    pages: Handler,
    faults: Plan,
    wire: Mutex<Arc<Wire>>,
}

impl Emulated {
    /// Starts the server; a session starts with the first `browser_start`.
    ///
    /// # Errors
    /// If the MCP handshake fails.
    pub async fn start(config: Config, faults: Plan) -> Result<Self, StartError> {
        let app = demo_app::in_memory();
        let router = app.router.clone();
        let pages = Handler::new(move |request| asked(router.clone(), request));
        let wire = Mutex::new(driver(&pages, &faults));
        let machinery = Arc::new(Machinery { pages, faults, wire });
        let dialled = Arc::clone(&machinery);
        let dial = Arc::new(move || {
            let io = handle::dial(&dialled.wire()).map(|io| Box::new(io) as Box<dyn Io>);
            async move { io }.boxed()
        });
        let server = ToolServer::in_process(config, DriverAccess::Dial(dial)).await?;
        Ok(Self { app, server, driver: machinery })
    }

    /// The driver that runs now.
    pub fn wire(&self) -> Arc<Wire> {
        self.driver.wire()
    }

    /// Faults of the driver, and of the ones that follow it.
    pub fn faults(&self) -> &Plan {
        &self.driver.faults
    }

    /// A new driver in place of one that ended: what starting its process would be.
    pub fn new_driver(&self) {
        let fresh = driver(&self.driver.pages, &self.driver.faults);
        *self.driver.wire.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }
}

impl Machinery {
    fn wire(&self) -> Arc<Wire> {
        Arc::clone(&self.wire.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn driver(pages: &Handler, faults: &Plan) -> Arc<Wire> {
    let origins = [live::DEMO_ORIGIN, live::OTHER_ORIGIN];
    let maps = origins.map(|origin| (origin.to_owned(), Source::Handler(pages.clone())));
    let machine =
        Machine { start_url: format!("{}/", live::DEMO_ORIGIN), edge_path: capabilities::EDGE_PATH.into() };
    let emulator = Emulator::new(
        Arc::new(Pageful { fallback_mode: None }),
        Arc::new(Network::new(maps.into())),
        EmulatorOptions { machine, pace: Pace::default() },
    );
    Wire::new(Arc::new(emulator), WireOptions { faults: faults.clone(), ..WireOptions::default() })
}

async fn asked(router: axum::Router, request: Request) -> Result<Fetched, String> {
    let mut message =
        axum::http::Request::builder().method(request.method.as_str()).uri(request.url.as_str());
    for (name, value) in &request.headers {
        message = message.header(name, value);
    }
    let message = message.body(Body::from(request.body)).map_err(|error| error.to_string())?;
    let Ok(answer) = router.oneshot(message).await;
    let (head, body) = answer.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.map_err(|error| error.to_string())?.to_vec();
    let headers = head.headers.iter().map(|(name, value)| {
        (name.as_str().to_owned(), value.as_bytes().iter().map(|&byte| char::from(byte)).collect())
    });
    Ok(Fetched { status: head.status.as_u16(), headers: headers.collect(), body })
}
