//! A small object store that speaks the protocol of S3: it checks each signature by itself, and can be made to fail or to wait.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
};

use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};

use crate::Setup;

const ACCESS_KEY: &str = "AKIATESTKIT";
const SECRET_KEY: &str = "a secret of the test kit/+=";
const REGION: &str = "eu-test-1";
const BUCKET: &str = "attachments";

/// A store of objects. It lives as long as the test process.
#[derive(Clone)]
pub struct ObjectStore {
    address: SocketAddr,
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: Mutex<Contents>,
    changed: Condvar,
}

#[derive(Default)]
struct Contents {
    objects: BTreeMap<String, Vec<u8>>,
    /// Requests with a wrong signature.
    forged: usize,
    /// Requests that write and were written down.
    puts: usize,
    /// Every request is refused.
    away: bool,
    /// Writes are done, and their answers are held back.
    holds: bool,
}

impl ObjectStore {
    /// Starts an empty one.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let store = Self {
            address: listener.local_addr().expect("an address"),
            inner: Arc::default(),
        };
        let inner = Arc::clone(&store.inner);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let inner = Arc::clone(&inner);
                thread::spawn(move || while inner.answer(&stream).is_some() {});
            }
        });
        store
    }

    /// The keys of what is there.
    pub fn keys(&self) -> Vec<String> {
        let state = self.inner.state.lock().unwrap();
        state.objects.keys().cloned().collect()
    }

    /// How many requests were not signed as they should be.
    pub fn forged(&self) -> usize {
        self.inner.state.lock().unwrap().forged
    }

    /// Replaces an object by something else.
    pub fn damage(&self, key: &str, content: &[u8]) {
        let mut state = self.inner.state.lock().unwrap();
        state.objects.insert(key.to_owned(), content.to_vec());
    }

    /// Refuses every request, or no more.
    pub fn set_away(&self, away: bool) {
        self.inner.state.lock().unwrap().away = away;
    }

    /// Holds the answers of writes back, or lets them go.
    pub fn hold(&self, holds: bool) {
        self.inner.state.lock().unwrap().holds = holds;
        self.inner.changed.notify_all();
    }

    /// How many writes were done.
    pub fn puts(&self) -> usize {
        self.inner.state.lock().unwrap().puts
    }
}

impl Setup {
    /// Keeps attachments in this store.
    #[must_use]
    pub fn with_bucket(self, store: &ObjectStore) -> Self {
        self.setting("attachments.endpoint", &format!("http://{}", store.address))
            .setting("attachments.bucket", BUCKET)
            .setting("attachments.prefix", "test")
            .setting("attachments.region", REGION)
            .setting("attachments.access_key", ACCESS_KEY)
            .setting("attachments.secret_key", SECRET_KEY)
    }
}

struct Received {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Inner {
    /// Answers one request of a connection; nothing when it ends.
    fn answer(&self, stream: &TcpStream) -> Option<()> {
        let received = receive(stream)?;
        let is_signed = signature(&received).is_some_and(|ours| {
            received
                .headers
                .get("authorization")
                .is_some_and(|given| given.ends_with(&format!("Signature={ours}")))
        });
        let (status, body) = if is_signed {
            self.done(&received)
        } else {
            self.state.lock().unwrap().forged += 1;
            (
                403,
                b"<Error><Code>SignatureDoesNotMatch</Code></Error>".to_vec(),
            )
        };
        let head = format!(
            "HTTP/1.1 {status} x\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = stream;
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(&body).ok()
    }

    fn done(&self, received: &Received) -> (u16, Vec<u8>) {
        let mut state = self.state.lock().unwrap();
        if state.away {
            return (503, b"<Error><Code>SlowDown</Code></Error>".to_vec());
        }
        let Some(key) = received.path.strip_prefix(&format!("/{BUCKET}/test/")) else {
            return (404, b"<Error><Code>NoSuchBucket</Code></Error>".to_vec());
        };
        match received.method.as_str() {
            "PUT" => {
                state.objects.insert(key.to_owned(), received.body.clone());
                state.puts += 1;
                while state.holds {
                    state = self.changed.wait(state).unwrap();
                }
                (200, Vec::new())
            }
            "GET" => state.objects.get(key).map_or_else(
                || (404, b"<Error><Code>NoSuchKey</Code></Error>".to_vec()),
                |found| (200, found.clone()),
            ),
            "DELETE" => {
                state.objects.remove(key);
                (204, Vec::new())
            }
            _ => (405, Vec::new()),
        }
    }
}

fn receive(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .map_or(Some(0), |length| length.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received {
        method,
        path,
        headers,
        body,
    })
}

/// The signature that the request must have: its own headers are believed for what was signed, and its content is not.
fn signature(received: &Received) -> Option<String> {
    let header = |name: &str| received.headers.get(name).map(String::as_str);
    let date = header("x-amz-date")?;
    let content = hex::encode(Sha256::digest(&received.body));
    let authorization = header("authorization")?;
    let (_, signed) = authorization.split_once("SignedHeaders=")?;
    let (signed, _) = signed.split_once(',')?;
    let wants = ["host", "x-amz-content-sha256", "x-amz-date"];
    if !wants
        .iter()
        .all(|want| signed.split(';').any(|one| one == *want))
        || header("x-amz-content-sha256") != Some(&content)
    {
        return None;
    }
    let mut lines = String::new();
    for name in signed.split(';') {
        lines.extend([name, ":", header(name)?, "\n"]);
    }
    let canonical = [
        &received.method,
        &received.path,
        "",
        &lines,
        signed,
        &content,
    ]
    .join("\n");
    let scope = format!("{}/{REGION}/s3/aws4_request", date.get(..8)?);
    let to_sign = [
        "AWS4-HMAC-SHA256",
        date,
        &scope,
        &hex::encode(Sha256::digest(canonical)),
    ]
    .join("\n");
    let mut key = format!("AWS4{SECRET_KEY}").into_bytes();
    for part in scope.split('/') {
        key = mac(&key, part.as_bytes());
    }
    Some(hex::encode(mac(&key, to_sign.as_bytes())))
}

fn mac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = <Hmac<Sha256> as hmac::Mac>::new_from_slice(key).expect("any key");
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}
