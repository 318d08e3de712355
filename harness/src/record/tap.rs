//! Between the MCP client and the MCP server, on stdio.
//!
//! Owns: passing every byte on as it came, line by line, after the scribe has seen the line; the recorder's own tools
//! for an agent. Does not own: what is written (`scribe`), what those tools are (`own_tools`).

use super::{own_tools::OwnTools, scribe::Scribe};
use serde_json::Value;
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::Mutex as AsyncMutex,
};

/// The scribe as its sources share it; none once it was closed.
pub(super) type Shared = Arc<Mutex<Option<Scribe>>>;

/// Gives the scribe something to write, if the recording is still open.
pub(super) fn with(scribe: &Shared, of: impl FnOnce(&mut Scribe)) {
    if let Some(scribe) = scribe.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        of(scribe);
    }
}

/// What both directions share. `W` is the way to the client.
pub(super) struct Tap<W> {
    scribe: Shared,
    client: AsyncMutex<W>,
    own: Option<Mutex<OwnTools>>,
}

impl<W: AsyncWrite + Unpin> Tap<W> {
    /// A tap before this client; `own_tools`: it is an agent that may use them.
    pub(super) fn new(scribe: Shared, client: W, own_tools: bool) -> Arc<Self> {
        let own = own_tools.then(Mutex::default);
        Arc::new(Self { scribe, client: AsyncMutex::new(client), own })
    }

    /// Passes the client's lines on to the server until their end, which ends the server's input.
    pub(super) async fn up(
        self: Arc<Self>,
        client: impl AsyncRead + Unpin,
        mut server: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut lines = BufReader::new(client);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).await? > 0 {
            let message = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            let own = self.own(|own| own.of_client(&message)).flatten();
            match own {
                Some(call) => {
                    with(&self.scribe, |scribe| scribe.note_down(call.kind, &call.text));
                    let mut answer = call.answer.to_string();
                    answer.push('\n');
                    self.to_client(answer.as_bytes()).await?;
                }
                None => {
                    with(&self.scribe, |scribe| each(&message, |message| scribe.of_client(message)));
                    server.write_all(&line).await?;
                    server.flush().await?;
                }
            }
            line.clear();
        }
        server.shutdown().await
    }

    /// Passes the server's lines on to the client until their end.
    pub(super) async fn down(self: Arc<Self>, server: impl AsyncRead + Unpin) -> io::Result<()> {
        let mut lines = BufReader::new(server);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).await? > 0 {
            let mut message = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            with(&self.scribe, |scribe| each(&message, |message| scribe.of_server(message)));
            if self.own(|own| own.of_server(&mut message)) == Some(true) {
                line = message.to_string().into_bytes();
                line.push(b'\n');
            }
            self.to_client(&line).await?;
            line.clear();
        }
        self.client.lock().await.shutdown().await
    }

    async fn to_client(&self, line: &[u8]) -> io::Result<()> {
        let mut client = self.client.lock().await;
        client.write_all(line).await?;
        client.flush().await
    }

    fn own<T>(&self, of: impl FnOnce(&mut OwnTools) -> T) -> Option<T> {
        self.own.as_ref().map(|own| of(&mut own.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Older protocol versions send several messages in one list.
fn each(message: &Value, mut of: impl FnMut(&Value)) {
    match message {
        Value::Array(messages) => messages.iter().for_each(of),
        message => of(message),
    }
}
