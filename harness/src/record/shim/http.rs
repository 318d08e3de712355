//! HTTP/1.1 messages as bytes.
//!
//! Owns: where a request or an answer ends, so that its bytes can be passed on as they came. Does not own:
//! what they mean, what the recorder hears of them.

use tokio::io::{self, AsyncRead, AsyncReadExt};

/// Larger heads are passed on without being understood.
const MAX_HEAD: usize = 64 * 1024;

/// One whole request.
#[derive(Debug)]
pub(super) struct Request {
    /// All its bytes.
    pub(super) bytes: Vec<u8>,
    head: usize,
    pub(super) method: String,
    pub(super) target: String,
}

impl Request {
    /// The body as text; what is not UTF-8 is replaced.
    pub(super) fn body(&self) -> String {
        String::from_utf8_lossy(&self.bytes[self.head..]).into_owned()
    }
}

/// What a connection brought.
#[derive(Debug)]
pub(super) enum Read<T> {
    /// A whole message.
    Message(T),
    /// It ended: these bytes are no whole message.
    Ended(Vec<u8>),
    /// These bytes cannot be framed: pass everything on from here.
    Opaque(Vec<u8>),
}

/// Reads one request; `buffer` keeps what follows it. Cancel safe: bytes read stay in `buffer`.
pub(super) async fn request<I: AsyncRead + Unpin>(
    io: &mut I,
    buffer: &mut Vec<u8>,
) -> io::Result<Read<Request>> {
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 128];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(buffer) {
            Ok(httparse::Status::Complete(head)) => {
                let method = parsed.method.unwrap_or_default().to_owned();
                let target = parsed.path.unwrap_or_default().to_owned();
                let Some(length) = length_of(parsed.headers) else { return Ok(Read::Opaque(take(buffer))) };
                let end = head.saturating_add(length.unwrap_or(0));
                while buffer.len() < end {
                    if io.read_buf(buffer).await? == 0 {
                        return Ok(Read::Ended(take(buffer)));
                    }
                }
                let rest = buffer.split_off(end);
                let bytes = std::mem::replace(buffer, rest);
                return Ok(Read::Message(Request { bytes, head, method, target }));
            }
            Ok(httparse::Status::Partial) if buffer.len() < MAX_HEAD => {}
            _ => return Ok(Read::Opaque(take(buffer))),
        }
        if io.read_buf(buffer).await? == 0 {
            return Ok(Read::Ended(take(buffer)));
        }
    }
}

/// One whole answer.
#[derive(Debug)]
pub(super) struct Response {
    /// All its bytes.
    pub(super) bytes: Vec<u8>,
    head: usize,
    pub(super) status: u16,
    /// Its end was the end of the connection.
    pub(super) closes: bool,
}

impl Response {
    /// The body as text; what is not UTF-8 is replaced.
    pub(super) fn body(&self) -> String {
        String::from_utf8_lossy(&self.bytes[self.head..]).into_owned()
    }
}

/// Reads one answer to a request of this method; `buffer` keeps what follows it, and what came when the read
/// fails.
pub(super) async fn response<I: AsyncRead + Unpin>(
    io: &mut I,
    buffer: &mut Vec<u8>,
    method: &str,
) -> io::Result<Read<Response>> {
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 128];
        let mut parsed = httparse::Response::new(&mut headers);
        match parsed.parse(buffer) {
            Ok(httparse::Status::Complete(head)) => {
                let status = parsed.code.unwrap_or_default();
                let length = match length_of(parsed.headers) {
                    _ if method == "HEAD" || matches!(status, 100..200 | 204 | 304) => Some(0),
                    Some(length) => length,
                    None => return Ok(Read::Opaque(take(buffer))),
                };
                let end = length.map(|length| head.saturating_add(length));
                while end.is_none_or(|end| buffer.len() < end) {
                    if io.read_buf(buffer).await? == 0 {
                        return Ok(match end {
                            Some(_) => Read::Ended(take(buffer)),
                            None => {
                                Read::Message(Response { bytes: take(buffer), head, status, closes: true })
                            }
                        });
                    }
                }
                let rest = buffer.split_off(end.unwrap_or(buffer.len()));
                let bytes = std::mem::replace(buffer, rest);
                return Ok(Read::Message(Response { bytes, head, status, closes: false }));
            }
            Ok(httparse::Status::Partial) if buffer.len() < MAX_HEAD => {}
            _ => return Ok(Read::Opaque(take(buffer))),
        }
        if io.read_buf(buffer).await? == 0 {
            return Ok(Read::Ended(take(buffer)));
        }
    }
}

fn take(buffer: &mut Vec<u8>) -> Vec<u8> {
    std::mem::take(buffer)
}

/// None: a coding other than a length. Some(None): no length.
fn length_of(headers: &[httparse::Header<'_>]) -> Option<Option<usize>> {
    let find = |name: &str| headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    if find("transfer-encoding").is_some() {
        return None;
    }
    match find("content-length") {
        Some(header) => Some(Some(std::str::from_utf8(header.value).ok()?.trim().parse().ok()?)),
        None => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_are_cut_where_they_end_and_their_bytes_stay_as_they_were() {
        let one = "POST /session HTTP/1.1\r\nhost: a\r\nContent-Length:  2\r\n\r\n{}";
        let two = "GET /status HTTP/1.1\r\n\r\n";
        let text = [one, two].concat();
        let mut io = text.as_bytes();
        let mut buffer = Vec::new();
        let Read::Message(request_one) = request(&mut io, &mut buffer).await.unwrap() else {
            panic!("no message")
        };
        assert_eq!((request_one.bytes.as_slice(), request_one.body().as_str()), (one.as_bytes(), "{}"));
        let Read::Message(second) = request(&mut io, &mut buffer).await.unwrap() else {
            panic!("no message")
        };
        assert_eq!((second.bytes.as_slice(), second.target.as_str()), (two.as_bytes(), "/status"));
    }

    #[tokio::test]
    async fn answers_end_by_length_or_with_the_connection() {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 404";
        let mut buffer = Vec::new();
        let Read::Message(whole) = response(&mut answer.as_bytes(), &mut buffer, "GET").await.unwrap() else {
            panic!("no message")
        };
        assert_eq!((whole.status, whole.body().as_str(), whole.closes), (200, "{}", false));
        assert_eq!(buffer, b"HTTP/1.1 404", "what follows is kept");
        let mut buffer = Vec::new();
        let endless = "HTTP/1.1 400 Bad Request\r\n\r\nError";
        let Read::Message(endless) = response(&mut endless.as_bytes(), &mut buffer, "GET").await.unwrap()
        else {
            panic!("no message")
        };
        assert_eq!((endless.body().as_str(), endless.closes), ("Error", true));
        let cut = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}";
        let cut = response(&mut cut.as_bytes(), &mut buffer, "GET").await.unwrap();
        assert!(matches!(cut, Read::Ended(bytes) if bytes.ends_with(b"{}")));
    }
}
