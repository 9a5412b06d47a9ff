//! Connections: their bounds and deadlines, and what a request must be that uses one.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{ACCESS_TOKEN, PATIENCE, Server, Setup, until};

use crate::shared;

/// Longer than any deadline that a story sets, shorter than those that it does not: thirty seconds to write an answer.
const SOON: Duration = Duration::from_secs(25);

/// A connection that stays open between requests.
struct Wire(TcpStream);

/// The status and the headers of an answer, in lower case.
struct Head {
    status: u16,
    text: String,
}

impl Head {
    fn ends_the_connection(&self) -> bool {
        self.text.contains("\r\nconnection: close")
    }
}

impl Wire {
    fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        Self(stream)
    }

    fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).unwrap();
    }

    /// Reads one answer whole; `None` when the connection has ended.
    fn answer(&mut self) -> Option<Head> {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while !bytes.ends_with(b"\r\n\r\n") {
            if self.0.read(&mut byte).ok()? == 0 {
                return None;
            }
            bytes.push(byte[0]);
        }
        let text = String::from_utf8(bytes).unwrap().to_ascii_lowercase();
        let length = text
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        let status = text.split_whitespace().nth(1).unwrap().parse().unwrap();
        Some(Head { status, text })
    }

    fn ask(&mut self, text: &str) -> Head {
        self.send(text);
        self.answer().unwrap()
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")
}

fn query(credential: &str, padding: usize) -> String {
    let body =
        json!({"query": "{ __typename }", "variables": {"pad": "x".repeat(padding)}}).to_string();
    format!(
        "POST /api/graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {credential}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A connection that asks for far more than fits the buffers on the way, and reads nothing.
fn unread(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    let mut writing = stream.try_clone().unwrap();
    std::thread::spawn(move || {
        // It ends with an error when the service has cut the connection.
        for _ in 0..3_000 {
            if writing.write_all(get("/metrics").as_bytes()).is_err() {
                return;
            }
        }
    });
    stream
}

fn is_served(server: &Server) -> bool {
    let shop = server.shop();
    let request = shop.graphql(json!({"query": "{ __typename }"}).to_string());
    request
        .try_send_within(shop.address(), Duration::from_secs(1))
        .is_ok_and(|reply| reply.status == 200)
}

#[test]
fn connections_that_are_never_read_end_and_health_is_answered_meanwhile() {
    let server = Setup::new()
        .setting("server.max_connections", "4")
        .setting("server.max_connections_per_address", "100")
        .setting("server.write_timeout", "2s")
        .start();
    let _held: Vec<_> = (0..4).map(|_| unread(server.address())).collect();
    until(SOON, "no connection is free", || {
        (!is_served(&server)).then_some(())
    });
    assert!(server.is_ready());
    assert_eq!(server.stranger().get("/health/live").status, 200);
    until(SOON, "a new client is served", || {
        is_served(&server).then_some(())
    });
}

#[test]
fn a_connection_that_is_read_slowly_and_steadily_is_not_cut() {
    let server = Setup::new().setting("server.write_timeout", "5s").start();
    let mut stream = unread(server.address());
    let mut seen = 0;
    let mut part = vec![0; 64 * 1024];
    let begun = Instant::now();
    // For longer than the server waits for a client that takes nothing.
    while begun.elapsed() < Duration::from_secs(8) {
        seen += stream.read(&mut part).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(seen > 0);
    assert!(stream.read(&mut part).is_ok_and(|more| more > 0));
}

#[test]
fn an_address_has_so_many_connections_unless_it_is_a_trusted_proxys() {
    let bounded = Setup::new().setting("server.max_connections_per_address", "3");
    let server = bounded.clone().start();
    let hello = || Wire::to(server.address());
    let open = |what: &str| {
        until(SOON, what, || {
            let mut wire = hello();
            let _ = wire.0.write_all(get("/health/live").as_bytes());
            wire.answer().map(|_| wire)
        })
    };
    // The look whether the server is up may still count for a moment.
    let held = [(); 3].map(|()| open("there is room for three"));
    let mut refused = hello();
    let _ = refused.0.write_all(get("/health/live").as_bytes());
    assert!(refused.answer().is_none());
    drop(held);
    drop(open("there is room again"));
    let server = bounded
        .setting("server.trusted_proxies", "127.0.0.1")
        .start();
    let mut held: Vec<Wire> = (0..9).map(|_| Wire::to(server.address())).collect();
    for wire in &mut held {
        assert_eq!(wire.ask(&get("/health/live")).status, 200);
    }
}

#[test]
fn an_old_connection_ends_with_an_answer() {
    let server = Setup::new()
        .setting("server.max_connection_age", "6s")
        .start();
    let mut wire = Wire::to(server.address());
    assert!(!wire.ask(&query(ACCESS_TOKEN, 0)).ends_the_connection());
    until(PATIENCE, "its age ends it", || {
        let answer = wire.ask(&query(ACCESS_TOKEN, 0));
        assert_eq!(answer.status, 200);
        answer.ends_the_connection().then_some(())
    });
    assert!(wire.answer().is_none());
}

#[test]
fn a_refusal_leaves_the_connection_to_be_used_again() {
    let mut wire = Wire::to(shared::server().address());
    for padding in [0, 100_000] {
        assert_eq!(
            wire.ask(&query("sk_test_nobody_knows_this_one", padding))
                .status,
            401
        );
        assert_eq!(wire.ask(&query(ACCESS_TOKEN, padding)).status, 200);
    }
}

#[test]
fn a_head_that_can_be_read_in_two_ways_is_refused() {
    let address = shared::server().address();
    for head in [
        "GET /health/live HTTP/1.1\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ] {
        let mut wire = Wire::to(address);
        let refused = wire.ask(head);
        assert_eq!(refused.status, 400, "{head}");
        assert!(refused.text.contains("\r\nx-request-id: "));
        assert!(refused.ends_the_connection(), "{head}");
    }
    let long = format!(
        "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n",
        "x".repeat(40_000)
    );
    let mut wire = Wire::to(address);
    let _ = wire.0.write_all(long.as_bytes());
    assert!(wire.answer().is_none_or(|refused| refused.status == 431));
}

#[test]
fn the_admin_listener_has_health_and_metrics_and_nothing_else() {
    let server = Setup::new()
        .setting("server.admin_listen", "127.0.0.1:0")
        .start();
    let port = until(SOON, "the address is in the log", || {
        let log = server.log();
        let whole = log.rfind('\n').map_or("", |end| &log[..end]);
        let line = whole.lines().find(|line| line.contains("admin listener"))?;
        let (_, rest) = line.split_once("127.0.0.1:")?;
        let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(port)
    });
    let address = SocketAddr::from(([127, 0, 0, 1], port.parse().unwrap()));
    let status = |path: &str| Wire::to(address).ask(&get(path)).status;
    assert_eq!(status("/health/live"), 200);
    assert_eq!(status("/health/ready"), 200);
    assert_eq!(status("/metrics"), 200);
    assert_eq!(status("/api/graphql"), 404);
    assert_eq!(status("/sandbox/books"), 404);
}
