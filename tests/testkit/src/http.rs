//! A minimal blocking HTTP/1.1 client: one connection for each request, exact bytes in and out.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than the 25 s in which the service promises an answer, also on a busy machine.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// A request that is being put together.
#[derive(Clone)]
pub struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request without headers and body.
    pub fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the body's exact bytes.
    #[must_use]
    pub fn body(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = bytes.into();
        self
    }

    /// Sends it and reads the whole answer.
    ///
    /// # Errors
    /// When the connection can't be made or ends before the answer is whole.
    pub fn try_send(&self, address: SocketAddr) -> io::Result<Reply> {
        self.try_send_within(address, READ_TIMEOUT)
    }

    /// Like [`Self::try_send`], for a client that does not wait that long for the next byte.
    ///
    /// # Errors
    /// When the connection can't be made or ends before the answer is whole.
    pub fn try_send_within(&self, address: SocketAddr, patience: Duration) -> io::Result<Reply> {
        let stream = TcpStream::connect_timeout(&address, patience.min(Duration::from_secs(10)))?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_nodelay(true)?;
        // A server may answer (413) before it has read everything: what it said still counts.
        let written = (&stream).write_all(&self.bytes(address));
        match Reply::read(BufReader::new(&stream)) {
            Ok(reply) => Ok(reply),
            Err(error) => Err(written.err().unwrap_or(error)),
        }
    }

    /// Sends it and reads the whole answer; fails the test when there is none.
    #[track_caller]
    pub fn send(&self, address: SocketAddr) -> Reply {
        self.try_send(address)
            .unwrap_or_else(|error| panic!("{} {} got no answer: {error}", self.method, self.path))
    }

    fn bytes(&self, address: SocketAddr) -> Vec<u8> {
        let mut head = vec![
            format!("{} {} HTTP/1.1", self.method, self.path),
            format!("Host: {address}"),
            "Connection: close".to_owned(),
        ];
        head.extend(
            self.headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}")),
        );
        let names_length = self
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        if (self.method != "GET" || !self.body.is_empty()) && !names_length {
            head.push(format!("Content-Length: {}", self.body.len()));
        }
        let mut bytes = format!("{}\r\n\r\n", head.join("\r\n")).into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// An answer, as it came.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Header names (lower case) and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body's exact bytes, without the transfer's framing.
    pub body: Vec<u8>,
}

impl Reply {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as text, for messages.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn read(mut from: impl BufRead) -> io::Result<Self> {
        let status = read_line(&mut from)?
            .split_whitespace()
            .nth(1)
            .and_then(|code| code.parse().ok())
            .ok_or_else(|| io::Error::other("no status line"))?;
        let mut headers = Vec::new();
        loop {
            let line = read_line(&mut from)?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| io::Error::other("a header without a colon"))?;
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut reply = Self {
            status,
            headers,
            body: Vec::new(),
        };
        reply.body = reply.read_body(from)?;
        Ok(reply)
    }

    fn read_body(&self, mut from: impl BufRead) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if self
            .header("transfer-encoding")
            .is_some_and(|how| how.eq_ignore_ascii_case("chunked"))
        {
            loop {
                let size = usize::from_str_radix(read_line(&mut from)?.trim(), 16)
                    .map_err(io::Error::other)?;
                let mut chunk = vec![0; size + 2];
                from.read_exact(&mut chunk)?;
                if size == 0 {
                    return Ok(body);
                }
                body.extend_from_slice(&chunk[..size]);
            }
        }
        match self
            .header("content-length")
            .and_then(|length| length.parse().ok())
        {
            Some(length) => {
                body.resize(length, 0);
                from.read_exact(&mut body)?;
            }
            None => {
                from.read_to_end(&mut body)?;
            }
        }
        Ok(body)
    }
}

fn read_line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    if from.read_line(&mut line)? == 0 {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the connection was closed",
        ));
    }
    Ok(line.trim_end().to_owned())
}
