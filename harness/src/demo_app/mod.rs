//! The legacy application that flows, tests and benchmarks run on.
//!
//! Owns: its life (start, address, stop) and what a test may read of it. Does not own: what its
//! pages say (`pages/`), how requests are answered (`routes`).
//!
//! Every address in it is relative, so a recording can know it as `http://demo.test`. Scripts are ES3
//! and run in a modern browser as well.

mod counters;
mod page;
mod routes;

pub use counters::Counters;
pub use routes::{LOGIN_PASSWORD, LOGIN_USER};

use counters::Shared;
use std::{io, net::Ipv4Addr};
use tokio::{net::TcpListener, task::JoinHandle};

/// The application on a loopback port; stops on drop.
#[derive(Debug)]
pub struct DemoApp {
    port: u16,
    state: Shared,
    server: JoinHandle<()>,
}

impl DemoApp {
    /// Starts on a free port of the loopback device.
    ///
    /// # Errors
    /// If the operating system refuses a listening socket.
    pub async fn start() -> io::Result<Self> {
        Self::start_on(0).await
    }

    /// Starts on this port; 0 means any free one.
    ///
    /// # Errors
    /// If the port is taken or not permitted.
    pub async fn start_on(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        let state = Shared::default();
        let router = routes::router(state.clone());
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the demo application stopped");
            }
        });
        Ok(Self { port, state, server })
    }

    /// Address without a trailing slash, for example `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What the application has counted so far.
    pub fn counters(&self) -> Counters {
        self.state.snapshot()
    }

    /// Serves until the listening socket fails or the handle is dropped.
    pub async fn wait(&mut self) {
        // A join error means the task was aborted or panicked: served to its end either way.
        let _ = (&mut self.server).await;
    }
}

impl Drop for DemoApp {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The application as a value that needs no socket, with its counters.
#[derive(Debug)]
pub struct InMemory {
    /// Answers requests.
    pub router: axum::Router,
    state: Shared,
}

impl InMemory {
    /// What the application has counted so far.
    pub fn counters(&self) -> Counters {
        self.state.snapshot()
    }
}

/// The application without a socket, with counters of its own.
pub fn in_memory() -> InMemory {
    let state = Shared::default();
    InMemory { router: routes::router(state.clone()), state }
}

#[cfg(test)]
mod tests;
