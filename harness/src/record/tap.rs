//! Between the MCP client and the MCP server, on stdio.
//!
//! Owns: passing every byte on as it came, line by line, after the scribe has seen the line. Does not own: what is
//! written (`scribe`).

use super::scribe::Scribe;
use serde_json::Value;
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// The scribe as its sources share it; none once it was closed.
pub(super) type Shared = Arc<Mutex<Option<Scribe>>>;

/// Gives the scribe something to write, if the recording is still open.
pub(super) fn with(scribe: &Shared, of: impl FnOnce(&mut Scribe)) {
    if let Some(scribe) = scribe.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        of(scribe);
    }
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    Client,
    Server,
}

/// Passes lines on until their end. The writer is closed then.
pub(super) async fn pass_on(
    speaker: Speaker,
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    scribe: Shared,
) -> io::Result<()> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line).await? == 0 {
            return to.shutdown().await;
        }
        if let Ok(message) = serde_json::from_slice::<Value>(&line) {
            with(&scribe, |scribe| {
                each(message, |message| match speaker {
                    Speaker::Client => scribe.of_client(&message),
                    Speaker::Server => scribe.of_server(&message),
                })
            });
        }
        to.write_all(&line).await?;
        to.flush().await?;
    }
}

/// Older protocol versions send several messages in one list.
fn each(message: Value, mut of: impl FnMut(Value)) {
    match message {
        Value::Array(messages) => messages.into_iter().for_each(of),
        message => of(message),
    }
}
