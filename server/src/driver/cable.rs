//! The connection to the driver, which can be cut, and which counts what is written.
//!
//! Owns: dialling, cutting, counting. A client that timed out is always cut off before it is dropped, else a
//! command that waits behind a hung one is still sent when the hang ends (`reference/crates.md`
//! section 10).

use super::mend::Mender;
use futures::future::BoxFuture;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::{io, sync::Arc};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// A byte stream to a driver.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// Opens one connection to the driver each time it is called.
pub type Dial = Arc<dyn Fn() -> BoxFuture<'static, io::Result<Box<dyn Io>>> + Send + Sync>;

/// A dial function for an address; never through a proxy.
pub fn tcp(host: String, port: u16) -> Dial {
    Arc::new(move || {
        let host = host.clone();
        Box::pin(async move {
            let stream = tokio::net::TcpStream::connect((host.as_str(), port)).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Io>)
        })
    })
}

/// One client's way to the driver. Never used again once cut.
#[derive(Clone)]
pub(super) struct Cable {
    dial: Dial,
    cut: CancellationToken,
    written: Arc<AtomicU64>,
}

impl Cable {
    pub(super) fn new(dial: Dial) -> Self {
        Self { dial, cut: CancellationToken::new(), written: Arc::default() }
    }

    /// Ends every connection and refuses new ones.
    pub(super) fn cut(&self) {
        self.cut.cancel();
    }

    /// Bytes handed to connections so far.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Opens a connection.
    pub(super) async fn open(&self) -> io::Result<Wire> {
        tokio::select! {
            biased;
            () = self.cut.cancelled() => Err(aborted()),
            io = async { (self.dial)().await } => Ok(Wire {
                io: io?,
                cut: Box::pin(self.cut.clone().cancelled_owned()),
                written: self.written.clone(),
                mender: Mender::default(),
                ready: VecDeque::new(),
                ended: false,
            }),
        }
    }
}

fn aborted() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "cut")
}

/// One connection.
pub(super) struct Wire {
    io: Box<dyn Io>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    written: Arc<AtomicU64>,
    mender: Mender,
    /// Mended bytes that were not taken yet.
    ready: VecDeque<u8>,
    ended: bool,
}

impl Wire {
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.cut.as_mut().poll(cx).is_ready() { Err(aborted()) } else { Ok(()) }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        let wire = &mut *self;
        while wire.ready.is_empty() && !wire.ended {
            let mut room = [0; 8192];
            let mut raw = ReadBuf::new(&mut room);
            ready!(Pin::new(&mut wire.io).poll_read(cx, &mut raw))?;
            wire.ended = raw.filled().is_empty();
            wire.ready.extend(if wire.ended { wire.mender.rest() } else { wire.mender.mend(raw.filled()) });
        }
        let (next, _) = wire.ready.as_slices();
        let taken = next.len().min(buf.remaining());
        buf.put_slice(&next[..taken]);
        wire.ready.drain(..taken);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        let result = Pin::new(&mut self.io).poll_write(cx, buf);
        if let Poll::Ready(Ok(n)) = &result {
            self.written.fetch_add(*n as u64, Ordering::Relaxed);
        }
        result
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl tower::Service<http::Uri> for Cable {
    type Response = TokioIo<Wire>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<TokioIo<Wire>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: http::Uri) -> Self::Future {
        let cable = self.clone();
        Box::pin(async move { cable.open().await.map(TokioIo::new) })
    }
}
