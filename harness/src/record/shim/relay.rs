//! One connection of the server, passed on to the driver byte for byte.
//!
//! Owns: the bytes of both directions and how a connection is lost, the recorder's own questions. Does not own:
//! framing (`http`), what may be asked (`fields`), processes (`mod.rs`).
//!
//! An answer is held until the recorder has it on the disk. A driver that takes no connection, closes early or
//! resets looks so from the server's side as well.

use super::{
    Shim,
    http::{self, Read, Request, Response},
};
use crate::{
    clock::Stopwatch,
    record::events::{Came, Event},
};
use std::{io, net::Ipv4Addr, sync::atomic::Ordering};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional, join},
    net::{
        TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
};

/// The server's end of a connection.
struct Client<'a> {
    reader: ReadHalf<'a>,
    writer: WriteHalf<'a>,
    buffer: Vec<u8>,
}

/// The driver's end of it.
#[derive(Default)]
struct Upstream {
    io: Option<TcpStream>,
    buffer: Vec<u8>,
}

/// Passes requests and answers on until either side ends the connection.
pub(super) async fn run(shim: &Shim, mut client: TcpStream) {
    let reset = match serve(shim, &mut client).await {
        Ok(()) => false,
        Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
    };
    if reset {
        let _ = client.set_zero_linger();
    }
}

async fn serve(shim: &Shim, client: &mut TcpStream) -> io::Result<()> {
    let (reader, writer) = client.split();
    let mut client = Client { reader, writer, buffer: Vec::new() };
    let mut upstream = Upstream::default();
    loop {
        let read = tokio::select! {
            biased;
            ended = upstream.unasked(&mut client.writer) => return ended,
            read = http::request(&mut client.reader, &mut client.buffer) => read?,
        };
        let request = match read {
            Read::Message(request) => request,
            Read::Ended(bytes) | Read::Opaque(bytes) => return opaque(shim, client, upstream, &bytes).await,
        };
        let answer = exchange(shim, &mut client, &mut upstream, &request).await?;
        client.writer.write_all(&answer.bytes).await?;
        if answer.closes {
            return Ok(());
        }
    }
}

/// One request: asked, told, passed on, answered, told.
async fn exchange(
    shim: &Shim,
    client: &mut Client<'_>,
    upstream: &mut Upstream,
    request: &Request,
) -> io::Result<Response> {
    let id = shim.requests.fetch_add(1, Ordering::Relaxed) + 1;
    let body = request.body();
    let before = Stopwatch::start();
    let questions = shim.fields(|fields| fields.questions(&request.method, &request.target, &body));
    for question in questions {
        let answer = ask(shim.driver_port, &question.path).await;
        let (status, text) = answer.map_or((0, String::new()), |answer| (answer.status, answer.body()));
        shim.fields(|fields| fields.learn(&question.element, status, &text));
    }
    shim.teller
        .tell(&Event::Asked {
            id,
            method: request.method.clone(),
            target: request.target.clone(),
            field: shim.fields(|fields| fields.of(&request.method, &request.target, &body)),
            body: body.clone(),
            injected: before.elapsed_ms(),
        })
        .await;
    let watch = Stopwatch::start();
    let result = passed_on(shim, client, upstream, request).await;
    let cost = watch.elapsed_ms();
    let ok = matches!(&result, Passed::Answer(answer) if answer.status == 200);
    shim.fields(|fields| fields.answered(&request.method, &request.target, &body, ok));
    let broken = |kind: &str, after_bytes: usize| Came::Broken {
        kind: kind.to_owned(),
        after_bytes: u64::try_from(after_bytes).unwrap_or(u64::MAX),
    };
    let (came, exit) = match &result {
        Passed::Answer(answer) => (Came::Http { status: answer.status, body: answer.body() }, None),
        Passed::GivenUp => (broken("no_answer", 0), None),
        Passed::Refused => (broken("refused", 0), shim.exit_soon().await),
        Passed::Lost(bytes, true) => (broken("reset", bytes.len()), shim.exit_soon().await),
        Passed::Lost(bytes, false) => (broken("closed_early", bytes.len()), shim.exit_soon().await),
    };
    shim.teller.tell(&Event::Answered { id, cost, came, exit }).await;
    match result {
        Passed::Answer(answer) => Ok(answer),
        Passed::GivenUp => Err(io::ErrorKind::ConnectionAborted.into()),
        Passed::Refused => Err(io::ErrorKind::ConnectionReset.into()),
        Passed::Lost(bytes, reset) => {
            client.writer.write_all(&bytes).await?;
            let kind = if reset { io::ErrorKind::ConnectionReset } else { io::ErrorKind::ConnectionAborted };
            Err(kind.into())
        }
    }
}

/// What became of a request.
enum Passed {
    Answer(Response),
    /// The server closed its end first.
    GivenUp,
    /// The driver takes no connection.
    Refused,
    /// The driver's connection ended after these bytes; true: by a reset.
    Lost(Vec<u8>, bool),
}

async fn passed_on(
    shim: &Shim,
    client: &mut Client<'_>,
    upstream: &mut Upstream,
    request: &Request,
) -> Passed {
    let io = match upstream.io.take() {
        Some(io) => upstream.io.insert(io),
        None => match connect(shim.driver_port).await {
            Ok(io) => upstream.io.insert(io),
            Err(_) => return Passed::Refused,
        },
    };
    if io.write_all(&request.bytes).await.is_err() {
        return Passed::Lost(Vec::new(), true);
    }
    let answered = http::response(io, &mut upstream.buffer, &request.method);
    let result = tokio::select! {
        biased;
        result = answered => result,
        () = hung_up(client) => return Passed::GivenUp,
    };
    match result {
        Ok(Read::Message(answer)) => Passed::Answer(answer),
        Ok(Read::Ended(bytes) | Read::Opaque(bytes)) => Passed::Lost(bytes, false),
        Err(_) => Passed::Lost(std::mem::take(&mut upstream.buffer), true),
    }
}

/// Returns when the server closed its end; what it sends meanwhile is kept.
async fn hung_up(client: &mut Client<'_>) {
    while matches!(client.reader.read_buf(&mut client.buffer).await, Ok(1..)) {}
}

impl Upstream {
    /// Passes on what the driver says unasked (the second answer to `/`, its idle close); returns at the
    /// connection's end. Cancel safe.
    async fn unasked(&mut self, client: &mut WriteHalf<'_>) -> io::Result<()> {
        let Some(io) = &mut self.io else { return std::future::pending().await };
        loop {
            while !self.buffer.is_empty() {
                let count = client.write(&self.buffer).await?;
                self.buffer.drain(..count);
            }
            if io.read_buf(&mut self.buffer).await? == 0 {
                return Ok(());
            }
        }
    }
}

/// Bytes that are no request, and all that follows, go to the driver as they are.
async fn opaque(shim: &Shim, client: Client<'_>, upstream: Upstream, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let id = shim.requests.fetch_add(1, Ordering::Relaxed) + 1;
    let body = String::from_utf8_lossy(bytes).into_owned();
    let asked =
        Event::Asked { id, method: String::new(), target: String::new(), body, field: None, injected: 0 };
    shim.teller.tell(&asked).await;
    let came = Came::Broken { kind: "bad_http".to_owned(), after_bytes: 0 };
    shim.teller.tell(&Event::Answered { id, cost: 0, came, exit: None }).await;
    let mut io = match upstream.io {
        Some(io) => io,
        None => connect(shim.driver_port).await?,
    };
    io.write_all(bytes).await?;
    copy_bidirectional(&mut join(client.reader, client.writer), &mut io).await.map(drop)
}

/// A question of the recorder, on a connection of its own.
async fn ask(port: u16, path: &str) -> io::Result<Response> {
    let mut io = connect(port).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    io.write_all(request.as_bytes()).await?;
    match http::response(&mut io, &mut Vec::new(), "GET").await? {
        Read::Message(answer) => Ok(answer),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

pub(super) async fn connect(port: u16) -> io::Result<TcpStream> {
    let io = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    io.set_nodelay(true)?;
    Ok(io)
}
