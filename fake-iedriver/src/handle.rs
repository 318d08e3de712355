//! A driver inside a test.
//!
//! Owns: a [`Wire`] on a free loopback port, or without any socket, and its end on drop. Does not own:
//! what answers (`Backend`).

use crate::wire::{Backend, Wire, WireOptions};
use std::{io, net::SocketAddr, sync::Arc};
use tokio::{
    io::{DuplexStream, duplex},
    net::TcpListener,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Size of an in-memory connection's buffer, in bytes.
const PIPE: usize = 64 * 1024;

/// A running driver; stops on drop. Log and faults are those of its [`Wire`].
pub struct FakeIeDriver {
    wire: Arc<Wire>,
    address: SocketAddr,
    _stop: DropGuard,
}

impl FakeIeDriver {
    /// Listens on a free loopback port.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn start(backend: Arc<dyn Backend>, options: WireOptions) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let wire = Wire::new(backend, options);
        let stop = CancellationToken::new();
        tokio::spawn(Arc::clone(&wire).serve_listener(listener, stop.clone()));
        Ok(Self { wire, address, _stop: stop.drop_guard() })
    }

    /// `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Log of commands, faults, exit code.
    pub fn wire(&self) -> &Arc<Wire> {
        &self.wire
    }
}

/// Opens an in-memory connection to a driver, for runtimes under a paused clock.
///
/// # Errors
/// Refused once the driver has ended by itself, as a port without a listener is.
pub fn dial(wire: &Arc<Wire>) -> io::Result<DuplexStream> {
    if wire.exit_code().is_some() {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    let (near, far) = duplex(PIPE);
    tokio::spawn(Arc::clone(wire).serve_connection(far));
    Ok(near)
}
