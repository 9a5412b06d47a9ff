//! Connections: accepted up to bounds, closed when they are slow to ask or to take, ended gracefully.
//!
//! Who holds a connection without using it is the first thing that stops a server. So every step of a connection has a
//! deadline: headers of a request, progress of an answer, its age, and its end once it is asked to end.

mod addresses;
mod slots;
mod watched;

use std::{net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{Router, body::Body, response::Response};
use domain::{Code, Timestamp};
use http::{HeaderValue, StatusCode, header};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::net::sockopt::{set_socket_recv_buffer_size, set_socket_send_buffer_size};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Mutex, watch},
    task::yield_now,
};
use tokio_rustls::TlsAcceptor;
use tower::Service;
use world::World;

use self::{
    addresses::{Addresses, Entered},
    slots::{Slot, Slots},
    watched::{AcceptTurns, Watched},
};
use super::{
    envelope::{Envelope, Media},
    head::HEADER_BYTES,
    tls::Tls,
};
use crate::config::IpRange;

/// How long to wait when no connection can be accepted, for example since too many files are open.
const REST: Duration = Duration::from_millis(50);
/// A connection beyond those that are served must send its request within this time.
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// A TLS handshake must be finished within this time.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// What asks for the node's health has paths that begin so.
const HEALTH: &str = "/health/";
/// So much of a connection's data may lie in the system's buffer for each direction. Unit: bytes; Linux takes twice as many, for
/// what it notes besides them. Left to itself it gives megabytes to a client that asks much and reads nothing.
const SYSTEM_BUFFER: usize = 128 * 1024;

/// What connections may take.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Connections that are served at a time.
    pub most: u32,
    /// Connections of one address.
    pub most_per_address: u32,
    /// Whose connections are not counted by address.
    pub trusted_proxies: Vec<IpRange>,
    /// The headers of a request must be there within this time.
    pub header_timeout: Duration,
    /// A connection ends when no byte of an answer is taken for so long.
    pub write_timeout: Duration,
    /// A connection that is older than this ends with its next answer.
    pub max_age: Duration,
    /// A request ends within this time.
    pub request_timeout: Duration,
}

impl Bounds {
    /// After this time a connection is cut, whatever it does: it was asked to end long before.
    fn longest(&self) -> Duration {
        self.max_age + self.header_timeout + self.request_timeout + self.write_timeout
    }
}

/// The server's connections. Clones share them.
#[derive(Clone)]
pub struct Connections(Arc<Inner>);

struct Inner {
    tls: Option<Arc<Tls>>,
    world: World,
    router: Router,
    bounds: Bounds,
    slots: Slots,
    addresses: Arc<Addresses>,
    closing: watch::Sender<bool>,
}

impl Connections {
    /// Serves `router` on connections within `bounds`.
    pub fn new(world: World, router: Router, bounds: Bounds) -> Self {
        Self::over(None, world, router, bounds)
    }

    /// The same, over TLS where there is a certificate.
    pub fn over(tls: Option<Arc<Tls>>, world: World, router: Router, bounds: Bounds) -> Self {
        Self(Arc::new(Inner {
            tls,
            world,
            router,
            slots: Slots::new(bounds.most),
            addresses: Addresses::new(bounds.most_per_address, bounds.trusted_proxies.clone()),
            bounds,
            closing: watch::Sender::new(false),
        }))
    }

    /// Accepts connections until [`Self::close`].
    pub async fn accept(&self, listener: TcpListener) {
        let inner = &self.0;
        let mut closing = inner.closing.subscribe();
        let mut stopped = pin!(async move { closing.wait_for(|closing| *closing).await.is_ok() });
        loop {
            let next = async {
                let slot = inner.slots.next().await?;
                Some((slot, listener.accept().await))
            };
            tokio::select! {
                biased;
                _ = &mut stopped => return,
                accepted = next => match accepted {
                    Some((slot, Ok((stream, peer)))) => self.begin(slot, stream, peer),
                    Some((_, Err(error))) => {
                        tracing::warn!(%error, "a connection can't be accepted");
                        inner.world.sleep(REST).await;
                    }
                    None => return,
                },
            }
        }
    }

    /// Accepts no more, lets requests under way end, and waits until every connection is closed.
    pub async fn close(&self) {
        self.0.closing.send_replace(true);
        self.0.slots.emptied().await;
    }

    /// Serves a connection in a task of its own, unless its address has too many.
    fn begin(&self, slot: Slot, stream: TcpStream, peer: SocketAddr) {
        let inner = &self.0;
        let now = inner.world.now();
        let Some(entered) = inner.addresses.enter(peer.ip(), now) else {
            return;
        };
        // Answers are small and written at once; waiting to fill packets only delays them.
        let _ = stream.set_nodelay(true);
        bound_buffers(&stream);
        let turns = AcceptTurns::default();
        let patience = inner.bounds.write_timeout;
        let stream = Watched::new(stream, inner.world.clone(), patience).taking(&turns);
        let connection = Connection {
            server: Arc::clone(inner),
            slot: Mutex::new(slot),
            peer,
            opened_at: now,
            turns,
            _entered: entered,
            _open: Open::count(),
        };
        match inner.tls.as_ref().map(|tls| tls.acceptor()) {
            None => inner.world.spawn(connection.serve(stream)),
            Some(acceptor) => inner.world.spawn(connection.secure(acceptor, stream)),
        }
    }
}

/// Bounds what the system keeps for a connection. One that can't be bounded has broken already.
fn bound_buffers(stream: &TcpStream) {
    let _ = set_socket_send_buffer_size(stream, SYSTEM_BUFFER);
    let _ = set_socket_recv_buffer_size(stream, SYSTEM_BUFFER);
}

/// When the connection of a request was opened, and how old it becomes.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenedAt {
    pub(super) at: Timestamp,
    pub(super) lasts: Duration,
}

/// One connection.
struct Connection {
    server: Arc<Inner>,
    slot: Mutex<Slot>,
    peer: SocketAddr,
    opened_at: Timestamp,
    turns: AcceptTurns,
    _entered: Entered,
    _open: Open,
}

/// Counts a connection as open until it is dropped.
struct Open(metrics::Gauge);

impl Open {
    fn count() -> Self {
        let gauge = metrics::gauge!("pointsman_http_connections_open");
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

impl Connection {
    /// Takes the handshake within its time, then serves as any other connection.
    async fn secure(self, acceptor: TlsAcceptor, stream: Watched<TcpStream>) {
        let bounds = &self.server.bounds;
        let mut patience = bounds.header_timeout.min(HANDSHAKE);
        if !self.slot.lock().await.is_served() {
            patience = patience.min(READ_TIMEOUT);
        }
        let world = self.server.world.clone();
        match world.timeout(patience, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => self.serve(stream).await,
            // Nobody is left to be answered; scanners are too many for the log.
            Ok(Err(_)) | Err(world::Elapsed) => {
                metrics::counter!("pointsman_tls_handshakes_failed_total").increment(1);
            }
        }
    }

    /// Answers requests until the connection ends, is too old, or the server closes.
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send) {
        let server = Arc::clone(&self.server);
        let header_timeout = if self.slot.lock().await.is_served() {
            server.bounds.header_timeout
        } else {
            server.bounds.header_timeout.min(READ_TIMEOUT)
        };
        let this = Arc::new(self);
        let service = service_fn(move |request| {
            let this = Arc::clone(&this);
            async move { this.answer(request).await }
        });
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(header_timeout)
            .max_buf_size(HEADER_BYTES);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let mut closing = server.closing.subscribe();
        let ended = async {
            let mut connection = pin!(connection);
            // A connection that breaks has nobody left to tell.
            tokio::select! {
                biased;
                _ = connection.as_mut() => return,
                _ = async { closing.wait_for(|closing| *closing).await.is_ok() } => connection.as_mut().graceful_shutdown(),
            }
            let _ = connection.await;
        };
        let _ = server.world.timeout(server.bounds.longest(), ended).await;
    }

    /// The answer to one request. The last one of a connection says so.
    async fn answer(
        &self,
        request: hyper::Request<Incoming>,
    ) -> Result<Response, std::convert::Infallible> {
        if !self.turns.begins() {
            // Its request was there already: a client that sends many at once has no more turns than others.
            yield_now().await;
        }
        let mut slot = self.slot.lock().await;
        let is_health = request.uri().path().starts_with(HEALTH);
        let may_ask = is_health || self.server.slots.serve(&mut slot, &self.server.world).await;
        let served = slot.is_served();
        drop(slot);
        let mut response = if may_ask {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(self.peer);
            request.extensions_mut().insert(OpenedAt {
                at: self.opened_at,
                lasts: self.server.bounds.max_age,
            });
            let Ok(response) = self.server.router.clone().call(request).await;
            response
        } else {
            let message =
                "The service has too many connections at the moment. Please try again shortly.";
            Envelope::new(StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable, message)
                .answer(Media::Json)
        };
        let age = self.server.world.now().since(self.opened_at);
        if !served || age >= self.server.bounds.max_age {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        io,
        sync::atomic::{AtomicU32, AtomicUsize, Ordering},
    };

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const HELLO: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";

    async fn site(most: u32, header_timeout: Duration) -> (Connections, TcpListener, SocketAddr) {
        let router = Router::new().route("/", get(async || "hello"));
        site_with(router, most, header_timeout).await
    }

    async fn site_with(
        router: Router,
        most: u32,
        header_timeout: Duration,
    ) -> (Connections, TcpListener, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let bounds = Bounds {
            most,
            most_per_address: 100,
            trusted_proxies: Vec::new(),
            header_timeout,
            write_timeout: Duration::from_secs(1),
            max_age: Duration::from_mins(10),
            request_timeout: Duration::from_secs(10),
        };
        (
            Connections::new(World::real(), router, bounds),
            listener,
            address,
        )
    }

    /// What comes until the other side closes.
    async fn rest(stream: &mut TcpStream) -> String {
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text).await;
        String::from_utf8(text).unwrap()
    }

    async fn answer(stream: &mut TcpStream) -> String {
        stream.write_all(HELLO).await.unwrap();
        let mut text = vec![0; 1024];
        let length = stream.read(&mut text).await.unwrap();
        String::from_utf8(text[..length].to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_client_that_asks_too_slowly_is_cut_off() {
        let (connections, listener, address) = site(10, Duration::from_millis(50)).await;
        let client = async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream
                .write_all(b"GET / HTTP/1.1\r\nhost: x")
                .await
                .unwrap();
            assert!(!rest(&mut stream).await.contains("hello"));
        };
        tokio::select! {
            () = connections.accept(listener) => panic!("it accepts without end"),
            () = client => {}
        }
    }

    #[tokio::test]
    async fn one_connection_too_many_waits_for_another_to_end() {
        let (connections, listener, address) = site(1, Duration::from_secs(10)).await;
        let world = World::real();
        let client = async {
            let mut first = TcpStream::connect(address).await.unwrap();
            assert!(answer(&mut first).await.contains("hello"));
            let mut second = TcpStream::connect(address).await.unwrap();
            let early = world
                .timeout(Duration::from_millis(50), answer(&mut second))
                .await;
            assert!(early.is_err(), "the second is not served next to the first");
            drop(first);
            assert!(rest_of_one(&mut second).await.contains("hello"));
        };
        tokio::select! {
            () = connections.accept(listener) => panic!("it accepts without end"),
            () = client => {}
        }
    }

    async fn rest_of_one(stream: &mut TcpStream) -> String {
        let mut text = vec![0; 1024];
        let length = stream.read(&mut text).await.unwrap();
        String::from_utf8(text[..length].to_vec()).unwrap()
    }

    #[tokio::test]
    async fn requests_that_come_all_at_once_are_answered_in_turn_with_what_others_do() {
        let seen = Arc::new(AtomicU32::new(0));
        let turns = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let (counter, noted) = (Arc::clone(&seen), Arc::clone(&turns));
        let router = Router::new().route(
            "/",
            get(async move || {
                noted.lock().push(counter.load(Ordering::Relaxed));
                "hello"
            }),
        );
        let (connections, listener, address) = site_with(router, 10, Duration::from_secs(10)).await;
        let client = async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(&HELLO.repeat(50)).await.unwrap();
            while turns.lock().len() < 50 {
                seen.fetch_add(1, Ordering::Relaxed);
                yield_now().await;
            }
        };
        tokio::select! {
            () = connections.accept(listener) => panic!("it accepts without end"),
            () = client => {}
        }
        let turns: BTreeSet<u32> = turns.lock().iter().copied().collect();
        assert!(turns.len() > 25, "{turns:?}");
    }

    #[tokio::test]
    async fn what_nobody_reads_fills_small_buffers_and_no_more() {
        const ANSWER: usize = 16 * 1024;
        let answers = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&answers);
        let router = Router::new().route(
            "/",
            get(async move || {
                counter.fetch_add(1, Ordering::Relaxed);
                vec![b'x'; ANSWER]
            }),
        );
        let (connections, listener, address) = site_with(router, 10, Duration::from_secs(10)).await;
        let client = async {
            let stream = TcpStream::connect(address).await.unwrap();
            // It ends when the connection is cut.
            loop {
                stream.writable().await.unwrap();
                match stream.try_write(HELLO) {
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => return,
                }
            }
        };
        tokio::select! {
            () = connections.accept(listener) => panic!("it accepts without end"),
            () = client => {}
        }
        let written = answers.load(Ordering::Relaxed) * ANSWER;
        assert!((1..1024 * 1024).contains(&written), "{written}");
    }

    #[tokio::test]
    async fn closing_ends_idle_connections_and_takes_no_more() {
        let (connections, listener, address) = site(10, Duration::from_secs(10)).await;
        let client = async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            assert!(answer(&mut stream).await.contains("hello"));
            connections.close().await;
            assert_eq!(rest(&mut stream).await, "");
            assert!(TcpStream::connect(address).await.is_err());
        };
        let ((), ()) = futures_util::join!(connections.accept(listener), client);
    }
}
