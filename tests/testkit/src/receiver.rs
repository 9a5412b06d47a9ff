//! A merchant's server that gets webhooks, and does with them what a story wants.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;

/// How a receiver answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answers {
    /// With this status.
    With(u16),
    /// With 200, and closes without the body that it announced.
    ThenCloses,
    /// With 200 after this time.
    After(Duration),
    /// Not at all: it closes.
    Never,
    /// With a redirect to this address.
    To(String),
    /// With 200, these headers, and this body.
    Whole {
        /// Lines such as `x-frame-options: DENY`.
        headers: Vec<String>,
        /// The body.
        body: String,
    },
}

/// A webhook as it arrived.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// The path that was called.
    pub path: String,
    /// Names in small letters, with their values.
    pub headers: Vec<(String, String)>,
    /// The exact body.
    pub body: String,
    /// The status that it was answered with.
    pub answered: Option<u16>,
}

impl Arrived {
    /// The value of a header; empty when there is none.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|header| header.0 == name);
        found.map_or("", |header| &header.1)
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// How many of its signatures this secret has made. Source: Standard Webhooks.
    pub fn signatures_by(&self, secret: &str) -> usize {
        let key = STANDARD
            .decode(secret.strip_prefix("whsec_").unwrap())
            .unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        let (id, time) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        mac.update(format!("{id}.{time}.{}", self.body).as_bytes());
        let wanted = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let signatures = self.header("webhook-signature").split(' ');
        signatures.filter(|one| *one == wanted).count()
    }

    /// Whether it was answered as taken.
    pub fn was_taken(&self) -> bool {
        self.answered
            .is_some_and(|status| (200..300).contains(&status))
    }
}

type Judge = Box<dyn Fn(&Arrived) -> Answers + Send>;

struct Shared {
    arrived: Mutex<Vec<Arrived>>,
    judge: Mutex<Judge>,
}

/// A merchant's server. It lives as long as the test process.
#[derive(Clone)]
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Receiver {
    /// One that takes everything.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let receiver = Self {
            address: listener.local_addr().unwrap(),
            shared: Arc::new(Shared {
                arrived: Mutex::default(),
                judge: Mutex::new(Box::new(|_| Answers::With(200))),
            }),
        };
        let shared = Arc::clone(&receiver.shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || while let Ok(true) = serve(&stream, &shared) {});
            }
        });
        receiver
    }

    /// The address of a path of it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Answers everything so from now on.
    pub fn answer(&self, answer: Answers) {
        self.judge(move |_| answer.clone());
    }

    /// Answers as `judge` says from now on.
    pub fn judge(&self, judge: impl Fn(&Arrived) -> Answers + Send + 'static) {
        *lock(&self.shared.judge) = Box::new(judge);
    }

    /// Everything that arrived at a path, in order.
    pub fn arrived(&self, path: &str) -> Vec<Arrived> {
        let arrived = lock(&self.shared.arrived);
        let own = arrived.iter().filter(|one| one.path == path);
        own.cloned().collect()
    }

    /// What was taken at a path, in order.
    pub fn taken(&self, path: &str) -> Vec<Arrived> {
        let mut arrived = self.arrived(path);
        arrived.retain(Arrived::was_taken);
        arrived
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes one request; says whether another may follow on the connection.
fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<bool> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(false);
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|header| header.0 == "content-length");
    let length = length.and_then(|header| header.1.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut arrived = Arrived {
        path,
        headers,
        body: String::from_utf8(body).unwrap(),
        answered: None,
    };
    let answer = lock(&shared.judge)(&arrived);
    if let Answers::After(time) = answer {
        thread::sleep(time);
    }
    arrived.answered = match &answer {
        Answers::With(status) => Some(*status),
        Answers::ThenCloses | Answers::After(_) | Answers::Whole { .. } => Some(200),
        Answers::Never => None,
        Answers::To(_) => Some(302),
    };
    lock(&shared.arrived).push(arrived);
    write(stream, &answer)
}

fn write(mut stream: &TcpStream, answer: &Answers) -> io::Result<bool> {
    let (status, more) = match answer {
        Answers::Never => return Ok(false),
        Answers::ThenCloses => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")?;
            return Ok(false);
        }
        Answers::With(status) => (*status, String::new()),
        Answers::After(_) => (200, String::new()),
        Answers::To(address) => (302, format!("location: {address}\r\n")),
        Answers::Whole { headers, .. } => (
            200,
            headers
                .iter()
                .fold(String::new(), |all, line| all + line + "\r\n"),
        ),
    };
    let body = match answer {
        Answers::Whole { body, .. } => body.clone(),
        _ => format!("answer {status}"),
    };
    let text = format!(
        "HTTP/1.1 {status} x\r\n{more}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes())?;
    Ok(true)
}
