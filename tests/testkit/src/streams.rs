//! A client of server-sent events.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{PATIENCE, Shop};

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Streamed {
    /// Its id.
    pub id: Option<String>,
    /// `next` or `complete`.
    pub event: String,
    /// Its JSON.
    pub data: Value,
}

/// A stream that is being read.
pub struct Streaming {
    reader: BufReader<TcpStream>,
    /// The status of the answer.
    pub status: u16,
    /// The value of its content type.
    pub content_type: String,
    is_chunked: bool,
    /// What was read and not used yet.
    text: String,
    /// Comments that came.
    pub comments: usize,
    /// The place that was named last, with an event or without.
    pub place: Option<String>,
}

impl Shop {
    /// Opens a stream, behind the event `last` where one is named.
    #[track_caller]
    pub fn subscribe(&self, query: &str, variables: Value, last: Option<&str>) -> Streaming {
        let body = json!({ "query": query, "variables": variables });
        let opened = Streaming::open(self, self.address(), &body, last, PATIENCE);
        opened.expect("a stream")
    }

    /// Opens a stream at a node that may be away, behind the event `last`. Reading from it waits for `patience` at most.
    ///
    /// # Errors
    /// The system's.
    pub fn try_subscribe(
        &self,
        at: SocketAddr,
        query: &str,
        last: &str,
        patience: Duration,
    ) -> io::Result<Streaming> {
        let body = json!({ "query": query });
        Streaming::open(self, at, &body, Some(last), patience)
    }

    /// Follows all events, behind the event `last` where one is named.
    #[track_caller]
    pub fn follow(&self, last: Option<&str>) -> Streaming {
        let query = "subscription { events { id kind sequence data } }";
        let stream = self.subscribe(query, json!({}), last);
        assert_eq!(stream.status, 200, "{}", stream.content_type);
        stream
    }
}

impl Streaming {
    fn open(
        shop: &Shop,
        at: SocketAddr,
        body: &Value,
        last: Option<&str>,
        patience: Duration,
    ) -> io::Result<Self> {
        let body = body.to_string();
        let mut head = vec![
            "POST /api/graphql HTTP/1.1".to_owned(),
            format!("Host: {at}"),
            "Accept: text/event-stream".to_owned(),
            "Content-Type: application/json".to_owned(),
            format!("Authorization: Bearer {}", shop.credential()),
            format!("Content-Length: {}", body.len()),
        ];
        head.extend(last.map(|last| format!("Last-Event-ID: {last}")));
        let request = format!("{}\r\n\r\n{body}", head.join("\r\n"));
        let mut stream = TcpStream::connect_timeout(&at, patience)?;
        stream.set_read_timeout(Some(patience))?;
        stream.write_all(request.as_bytes())?;
        Self::of(stream)
    }

    fn of(stream: TcpStream) -> io::Result<Self> {
        let mut reader = BufReader::new(stream);
        let mut status = 0;
        let (mut content_type, mut is_chunked) = (String::new(), false);
        for n in 0.. {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if n == 0 {
                let code = line.split_whitespace().nth(1);
                let code = code.and_then(|code| code.parse().ok());
                status = code.ok_or(io::ErrorKind::InvalidData)?;
            } else if let Some((name, value)) = line.split_once(':') {
                match name {
                    "content-type" => value.trim().clone_into(&mut content_type),
                    "transfer-encoding" => is_chunked = value.contains("chunked"),
                    _ => {}
                }
            } else {
                break;
            }
        }
        Ok(Self {
            reader,
            status,
            content_type,
            is_chunked,
            text: String::new(),
            comments: 0,
            place: None,
        })
    }

    /// The next event; nothing where the stream ended in an orderly way. Fails the test where the connection breaks.
    #[track_caller]
    pub fn next_event(&mut self) -> Option<Streamed> {
        self.try_next().expect("the stream goes on or ends")
    }

    /// The next event; an error where the connection breaks.
    ///
    /// # Errors
    /// The system's.
    pub fn try_next(&mut self) -> io::Result<Option<Streamed>> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                self.note_place(&block);
                match read_event(&block) {
                    Some(event) => return Ok(Some(event)),
                    None => self.comments += 1,
                }
                continue;
            }
            if !self.read_on()? {
                return Ok(None);
            }
        }
    }

    /// Reads the next block, whatever is in it.
    #[track_caller]
    pub fn read_block(&mut self) {
        while !self.text.contains("\n\n") {
            assert!(self.read_on().expect("the stream goes on"), "it has ended");
        }
        let next = self.text.split_once("\n\n");
        let (block, rest) = next
            .map(|(block, rest)| (block.to_owned(), rest.to_owned()))
            .unwrap_or_default();
        self.text = rest;
        self.note_place(&block);
    }

    fn note_place(&mut self, block: &str) {
        let place = block.lines().find_map(|line| line.strip_prefix("id: "));
        self.place = place.map(str::to_owned).or_else(|| self.place.take());
    }

    /// The next answer's data.
    #[track_caller]
    pub fn next_data(&mut self) -> Value {
        let next = self.next_event().expect("the stream has not ended");
        assert_eq!(next.event, "next", "{next:?}");
        assert!(next.data["errors"].is_null(), "{next:?}");
        next.data["data"].clone()
    }

    /// The whole of an answer that is no stream.
    pub fn text(mut self) -> String {
        while self.read_on().unwrap_or(false) {}
        self.text
    }

    /// Reads a part more; false at an orderly end.
    fn read_on(&mut self) -> io::Result<bool> {
        if !self.is_chunked {
            let mut rest = vec![0; 4096];
            let read = self.reader.read(&mut rest)?;
            self.text.push_str(&String::from_utf8_lossy(&rest[..read]));
            return Ok(read > 0);
        }
        let mut size = String::new();
        if self.reader.read_line(&mut size)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let size = usize::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
        let mut chunk = vec![0; size + 2];
        self.reader.read_exact(&mut chunk)?;
        self.text.push_str(&String::from_utf8_lossy(&chunk[..size]));
        Ok(size > 0)
    }
}

/// An event; nothing for comments and what only sets the time to wait.
fn read_event(block: &str) -> Option<Streamed> {
    let field = |name: &str| {
        let mut lines = block.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
    };
    let event = field("event")?.trim().to_owned();
    let data = field("data").unwrap_or_default().trim();
    Some(Streamed {
        id: field("id").map(|id| id.trim().to_owned()),
        event,
        data: serde_json::from_str(data).unwrap_or_default(),
    })
}
