//! The connection to the driver, which can be cut.
//!
//! Owns: dialling and cutting. A client that timed out is always cut off before it is dropped, else a
//! command that waits behind a hung one is still sent when the hang ends (`reference/crates.md`
//! section 10).

use futures::future::BoxFuture;
use std::{io, sync::Arc};
use tokio::io::{AsyncRead, AsyncWrite};

/// A byte stream to a driver.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// Opens one connection to the driver each time it is called.
pub type Dial = Arc<dyn Fn() -> BoxFuture<'static, io::Result<Box<dyn Io>>> + Send + Sync>;
