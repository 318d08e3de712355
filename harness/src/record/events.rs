//! What the shim tells the recorder, over loopback.
//!
//! Owns: the messages, one JSON object a line, each answered by an empty line before the shim goes on:
//! a line is on the disk before the server has the answer it is about. Does not own: what becomes of them
//! (`scribe`), when they are sent (`shim`).

use serde::{Deserialize, Serialize};
use tokio::{
    io::{self, AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::Mutex,
};

/// Variable that makes the harness the driver's stand-in: `<address>,<token>`.
pub(super) const SHIM: &str = "HARNESS_SHIM";
/// Variable that names the driver behind the stand-in.
pub(super) const REAL_DRIVER: &str = "HARNESS_REAL_DRIVER";

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    /// The first message: who is there.
    Hello {
        /// The token of [`SHIM`].
        token: String,
    },
    /// The driver listens.
    Started {
        /// Its port.
        port: u16,
    },
    /// A request of the server came.
    Asked {
        /// Number among the shim's requests.
        id: u64,
        /// HTTP method.
        method: String,
        /// HTTP target, as it stood in the request.
        target: String,
        /// Body.
        body: String,
        /// Where what it types goes; absent if it types nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        field: Option<Field>,
        /// Time spent on questions of the recorder before it is passed on, ms.
        injected: u64,
    },
    /// What became of it.
    Answered {
        /// The request's number.
        id: u64,
        /// How long the driver took, ms.
        cost: u64,
        /// What came.
        came: Came,
        /// The driver's process ended with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<Exit>,
    },
    /// The driver's process ended between requests.
    Exited(Exit),
}

/// What kind of field a text goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Field {
    /// The driver said it is none for passwords.
    Plain,
    /// The driver said it is one for passwords.
    Password,
    /// It could not be asked.
    Unknown,
}

/// How an exchange ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Came {
    /// A whole HTTP answer.
    Http {
        /// Status.
        status: u16,
        /// Body; what is not UTF-8 is replaced.
        body: String,
    },
    /// None, or a part of one (`replay.md` section 7).
    Broken {
        /// reset, refused, closed_early or no_answer.
        kind: String,
        /// Bytes of it that came.
        after_bytes: u64,
    },
}

/// The end of the driver's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Exit {
    /// Exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<i64>,
    /// Signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signal: Option<i64>,
}

/// The shim's end of the connection. When the recorder is gone nothing is recorded any more, and the relay
/// goes on, so that the server can end its session in order.
pub(super) struct Teller(Mutex<Option<(BufReader<OwnedReadHalf>, OwnedWriteHalf)>>);

impl Teller {
    /// Connects to the recorder; `text` is the value of [`SHIM`].
    pub(super) async fn connect(text: &str) -> io::Result<Self> {
        let (address, token) = text.split_once(',').ok_or(io::ErrorKind::InvalidInput)?;
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (reader, writer) = stream.into_split();
        let teller = Self(Mutex::new(Some((BufReader::new(reader), writer))));
        teller.tell(&Event::Hello { token: token.to_owned() }).await;
        let refused = teller.0.lock().await.is_none();
        if refused { Err(io::ErrorKind::ConnectionRefused.into()) } else { Ok(teller) }
    }

    /// Tells an event and waits until it is recorded.
    pub(super) async fn tell(&self, event: &Event) {
        let mut connection = self.0.lock().await;
        let Some((reader, writer)) = connection.as_mut() else { return };
        if exchange(reader, writer, event).await.is_err() {
            *connection = None;
        }
    }
}

async fn exchange(
    reader: &mut BufReader<OwnedReadHalf>,
    writer: &mut OwnedWriteHalf,
    event: &Event,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    writer.write_all(&line).await?;
    let mut answer = String::new();
    match reader.read_line(&mut answer).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}
