//! Servers of these tests: a script for each connection, on a thread of their own.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread::{JoinHandle, spawn},
    time::Duration,
};

use http_client::{
    Body, Client, HostPattern, Http as _, HttpError, Method, Private, Recipient, Reply, Request,
    Url,
};
use world::World;

/// Far longer than any test takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const FINE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

/// Serves on a port of its own until the script ends.
pub(crate) fn serve<T: Send + 'static>(
    script: impl FnOnce(&TcpListener) -> T + Send + 'static,
) -> (Url, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url("http", listener.local_addr().unwrap().port());
    (url, spawn(move || script(&listener)))
}

pub(crate) fn url(scheme: &str, port: u16) -> Url {
    Url::http_or_https(&format!(
        "{scheme}://127.0.0.1:{port}/v1/payments?expand=all"
    ))
    .unwrap()
}

/// Takes the next connection and reads one request from it: head and body as text. `None`: it was closed first.
pub(crate) fn accept(listener: &TcpListener) -> (TcpStream, Option<String>) {
    let (mut stream, _) = listener.accept().unwrap();
    let request = read(&mut stream);
    (stream, request)
}

/// Reads one request.
pub(crate) fn read(stream: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => text.push(byte[0]),
            _ => return None,
        }
    }
    let head = String::from_utf8(text).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(head + &String::from_utf8(body).unwrap())
}

/// Answers the next connection's request with these bytes, then closes it. Returns the request.
pub(crate) fn answer(listener: &TcpListener, bytes: &[u8]) -> String {
    let (mut stream, request) = accept(listener);
    stream.write_all(bytes).unwrap();
    request.unwrap()
}

/// Plays with a client on one thread: a wait handles everything that has reached the machine before it.
pub(crate) fn play<T>(private: Private, work: impl AsyncFnOnce(&Client) -> T) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(async {
        let client = Client::new(World::real(), private, None).unwrap();
        work(&client).await
    })
}

/// The same with a client that has so many connections to subscribers.
pub(crate) fn play_with<T>(connections: usize, work: impl AsyncFnOnce(&Client) -> T) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(async {
        let client = Client::new(World::real(), Private::Allowed, None).unwrap();
        work(&client.with_subscribers(connections)).await
    })
}

/// The one host of an address.
pub(crate) fn hosts(url: &Url) -> Vec<HostPattern> {
    vec![url.own_host().unwrap()]
}

pub(crate) fn get(url: &Url, timeout: Duration) -> Request<'_> {
    Request {
        method: Method::GET,
        url,
        headers: &[],
        body: Body::Empty,
        timeout,
        most: 1_000,
    }
}

/// Posts a document to a processor.
pub(crate) async fn post(
    client: &Client,
    url: &Url,
    timeout: Duration,
) -> Result<Reply, HttpError> {
    let hosts = hosts(url);
    let request = Request {
        method: Method::POST,
        body: Body::Json("{\"amount\":1000}".into()),
        ..get(url, timeout)
    };
    let recipient = Recipient::Processor { hosts: &hosts };
    client.send(recipient, &request).await
}
