//! One connection of a client.
//!
//! Owns: reading requests, writing head lines and bodies in the driver's letter case and order, closing
//! (`reference/iedriver-wire.md` sections 2.1, 2.3, 2.7 and 2.8, captures). A server library cannot
//! say these bytes (two answers to `/`, a dropped second request, no answer at all), hence this loop.
//! Does not own: what the answer is (`Wire::answer`).

use super::{
    envelope::{Answer, Head},
    request::{self, MAX_HEAD, Refusal, Request, RequestHead},
    serve::{Outcome, Wire},
};
use crate::clock;
use std::{fmt::Write, io, sync::Arc};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// How a connection is to be left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By a plain close.
    Closed,
    /// By a reset.
    Reset,
}

/// Serves requests one after the other until either side ends the connection.
pub(super) async fn run<I>(wire: Arc<Wire>, io: &mut I) -> Ending
where
    I: AsyncRead + AsyncWrite + Send + Unpin,
{
    tokio::select! {
        biased;
        () = wire.gone() => Ending::Reset,
        ending = serve(&wire, io) => ending.unwrap_or(Ending::Closed),
    }
}

async fn serve<I>(wire: &Arc<Wire>, io: &mut I) -> io::Result<Ending>
where
    I: AsyncRead + AsyncWrite + Send + Unpin,
{
    let mut buffer = Vec::new();
    let mut first = true;
    loop {
        let limit = if first { None } else { wire.options().idle_close };
        first = false;
        let parsed = match read_head(io, &mut buffer, limit).await? {
            Ok(None) => return Ok(Ending::Closed),
            Ok(Some(length)) => request::parse(&buffer[..length]).map(|head| (length, head)),
            Err(refusal) => Err(refusal),
        };
        let (length, head) = match parsed {
            Ok(parsed) => parsed,
            Err(Refusal::Silent) => return Ok(Ending::Closed),
            Err(Refusal::Raw(status, line)) => {
                let (code, reason) = status.split_once(' ').unwrap_or((status, ""));
                write_raw(io, status, &format!("Error {code}: {reason}\n{line}")).await?;
                return Ok(Ending::Closed);
            }
        };
        let Some(body) = read_body(io, &mut buffer, length, &head).await? else { return Ok(Ending::Closed) };
        let keep_alive =
            head.keep_alive && !head.chunked && (head.verb != "POST" || head.content_length.is_some());
        let without_body = head.verb == "HEAD";
        let request = Request { verb: head.verb, path: head.path, body };
        // A task of its own: the driver's session thread does not stop when its client goes away.
        let task = tokio::spawn({
            let wire = Arc::clone(wire);
            async move { wire.answer(request).await }
        });
        let Ok(outcome) = task.await else { return Ok(Ending::Closed) };
        match outcome {
            Outcome::Answer(answer) => {
                let is_start_page = answer.head == Head::StartPage;
                write(io, &answer, without_body).await?;
                if is_start_page {
                    write_raw(io, "404 Not Found", "Error 404: Not Found\nNot Found").await?;
                }
                if is_start_page || !keep_alive {
                    return Ok(Ending::Closed);
                }
            }
            Outcome::Reset => return Ok(Ending::Reset),
            Outcome::NoAnswer => {
                let mut rest = [0; 1024];
                while io.read(&mut rest).await? > 0 {}
                return Ok(Ending::Closed);
            }
            Outcome::ClosedEarly(answer) => {
                let mut bytes = head_lines(&answer);
                bytes.extend_from_slice(&answer.body[..answer.body.len() / 2]);
                io.write_all(&bytes).await?;
                io.flush().await?;
                return Ok(Ending::Closed);
            }
            Outcome::ThenClosed(answer) => {
                write(io, &answer, without_body).await?;
                return Ok(Ending::Closed);
            }
            // `gone` ends this connection and all others.
            Outcome::Exit => return Ok(Ending::Reset),
        }
    }
}

/// Reads until the empty line; the number of bytes up to and with it. None at the end of the
/// connection or of the idle limit; a refusal if it is no head or too large.
async fn read_head<I: AsyncRead + Unpin>(
    io: &mut I,
    buffer: &mut Vec<u8>,
    limit: Option<std::time::Duration>,
) -> io::Result<Result<Option<usize>, Refusal>> {
    loop {
        let blank = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        buffer.drain(..blank);
        match request::end_of_head(buffer) {
            Ok(Some(length)) if length <= MAX_HEAD => return Ok(Ok(Some(length))),
            Ok(None) if buffer.len() <= MAX_HEAD => {}
            Ok(_) => return Ok(Err(request::bad_request("Malformed message"))),
            Err(refusal) => return Ok(Err(refusal)),
        }
        let read = async { io.read_buf(buffer).await };
        let count = match limit {
            Some(limit) => tokio::time::timeout(limit, read).await.unwrap_or(Ok(0))?,
            None => read.await?,
        };
        if count == 0 {
            return Ok(Ok(None));
        }
    }
}

/// Takes the announced body and leaves what follows. Without a length what came in the same segment
/// is dropped, a second request included.
async fn read_body<I: AsyncRead + Unpin>(
    io: &mut I,
    buffer: &mut Vec<u8>,
    head_length: usize,
    head: &RequestHead,
) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = head.content_length else {
        buffer.clear();
        return Ok(Some(Vec::new()));
    };
    let Some(end) = usize::try_from(length).ok().and_then(|length| length.checked_add(head_length)) else {
        return Ok(None);
    };
    while buffer.len() < end {
        if io.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    let rest = buffer.split_off(end);
    let body = buffer.split_off(head_length);
    *buffer = rest;
    Ok(Some(body))
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        500 => "Internal Server Error",
        _ => "Odd",
    }
}

fn head_lines(answer: &Answer) -> Vec<u8> {
    let length = answer.body.len();
    let mut lines = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
    let five = |lines: &mut String, kind: &str| {
        let _ = write!(
            lines,
            "Content-Length: {length}\r\nContent-Type: {kind}; charset=utf-8\r\nCache-Control: no-cache\r\n\
             Vary: Accept-Charset, Accept-Encoding, Accept-Language, Accept\r\nAccept-Ranges: bytes\r\n"
        );
    };
    match &answer.head {
        Head::Json => five(&mut lines, "application/json"),
        Head::StartPage => five(&mut lines, "text/html"),
        Head::WrongMethod(verbs) => {
            let _ =
                write!(lines, "Content-Type: text/html\r\nContent-Length: {length}\r\nAllow: {verbs}\r\n");
        }
        Head::Odd(headers) => {
            for (name, value) in headers {
                let _ = write!(lines, "{name}: {value}\r\n");
            }
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
                let _ = write!(lines, "Content-Length: {length}\r\n");
            }
        }
    }
    lines.push_str("\r\n");
    lines.into_bytes()
}

async fn write<I: AsyncWrite + Unpin>(io: &mut I, answer: &Answer, without_body: bool) -> io::Result<()> {
    let mut bytes = head_lines(answer);
    if !without_body {
        bytes.extend_from_slice(&answer.body);
    }
    io.write_all(&bytes).await?;
    io.flush().await
}

/// An answer that civetweb writes itself; its end is the end of the connection.
async fn write_raw<I: AsyncWrite + Unpin>(io: &mut I, status: &str, body: &str) -> io::Result<()> {
    let date = clock::now().http_date();
    let text = format!(
        "HTTP/1.1 {status}\r\nCache-Control: no-cache, no-store, must-revalidate, private, max-age=0\r\n\
         Pragma: no-cache\r\nExpires: 0\r\nContent-Type: text/plain; charset=utf-8\r\nDate: {date}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    io.write_all(text.as_bytes()).await?;
    io.flush().await
}
