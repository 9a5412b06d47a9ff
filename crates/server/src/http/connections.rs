//! Connections: accepted up to a bound, closed when they are slow to ask, ended gracefully.

use std::{future::Future, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{Router, body::Body};
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tower::Service;
use world::World;

/// Headers of one request may have this many bytes in all.
const HEADER_BYTES: usize = 32 * 1024;
/// How long to wait when no connection can be accepted, for example since too many files are open.
const REST: Duration = Duration::from_millis(50);

/// The server's connections.
pub struct Connections {
    world: World,
    router: Router,
    slots: Arc<Semaphore>,
    most: u32,
    header_timeout: Duration,
    closing: watch::Sender<bool>,
}

impl Connections {
    /// At most `most` at a time, each closed when it does not send a request's headers within `header_timeout`.
    pub fn new(world: World, router: Router, most: u32, header_timeout: Duration) -> Self {
        let slots = Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(usize::MAX)));
        Self {
            world,
            router,
            slots,
            most,
            header_timeout,
            closing: watch::Sender::new(false),
        }
    }

    /// Accepts connections until [`Self::close`].
    pub async fn accept(&self, listener: TcpListener) {
        let mut closing = self.closing.subscribe();
        let mut stopped = pin!(async move { closing.wait_for(|closing| *closing).await.is_ok() });
        loop {
            let next = async {
                let slot = Arc::clone(&self.slots).acquire_owned().await.ok()?;
                Some((slot, listener.accept().await))
            };
            tokio::select! {
                biased;
                _ = &mut stopped => return,
                accepted = next => match accepted {
                    Some((slot, Ok((stream, peer)))) => self.serve(slot, stream, peer),
                    Some((_, Err(error))) => {
                        tracing::warn!(%error, "a connection can't be accepted");
                        self.world.sleep(REST).await;
                    }
                    None => return,
                },
            }
        }
    }

    /// Accepts no more, lets requests under way end, and waits until every connection is closed.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        let _all = self.slots.acquire_many(self.most).await;
    }

    fn serve(&self, slot: OwnedSemaphorePermit, stream: TcpStream, peer: SocketAddr) {
        // Answers are small and written at once; waiting to fill packets only delays them.
        let _ = stream.set_nodelay(true);
        let connection = connection(
            stream,
            peer,
            self.router.clone(),
            self.header_timeout,
            self.closing.subscribe(),
        );
        self.world.spawn(async move {
            connection.await;
            drop(slot);
        });
    }
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    header_timeout: Duration,
    mut closing: watch::Receiver<bool>,
) -> impl Future<Output = ()> + Send {
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        router.clone().call(request)
    });
    async move {
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(header_timeout)
            .max_buf_size(HEADER_BYTES);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
        // A connection that breaks has nobody left to tell.
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            _ = async { closing.wait_for(|closing| *closing).await.is_ok() } => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const HELLO: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";

    async fn site(most: u32, header_timeout: Duration) -> (Connections, TcpListener, SocketAddr) {
        let router = Router::new().route("/", get(async || "hello"));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (
            Connections::new(World::real(), router, most, header_timeout),
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
    async fn whoever_asks_too_slowly_is_cut_off() {
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
            () = connections.accept(listener) => panic!("it accepts for ever"),
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
            assert!(early.is_err(), "the second is not served beside the first");
            drop(first);
            assert!(rest_of_one(&mut second).await.contains("hello"));
        };
        tokio::select! {
            () = connections.accept(listener) => panic!("it accepts for ever"),
            () = client => {}
        }
    }

    async fn rest_of_one(stream: &mut TcpStream) -> String {
        let mut text = vec![0; 1024];
        let length = stream.read(&mut text).await.unwrap();
        String::from_utf8(text[..length].to_vec()).unwrap()
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
