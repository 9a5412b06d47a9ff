//! The admin listener on a thread of its own.
//!
//! Requests of the public listener can take all the time of the runtime's threads. The system gives this thread its share all
//! the same, so that health and metrics answer while the node is at its limit.

use std::{io, thread};

use axum::Router;
use tokio::{net::TcpListener, runtime, sync::oneshot};
use world::World;

use crate::http::{Bounds, Connections};

/// A listener that serves until it is closed.
pub(super) struct AdminListener {
    close: oneshot::Sender<()>,
    closed: oneshot::Receiver<()>,
}

impl AdminListener {
    /// Starts the thread, which serves `router` on connections within `bounds`.
    ///
    /// # Errors
    /// The thread can't be started, or the listener can't be moved to it.
    pub(super) fn start(listener: TcpListener, router: Router, bounds: Bounds) -> io::Result<Self> {
        let listener = listener.into_std()?;
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let (close, closing) = oneshot::channel();
        let (done, closed) = oneshot::channel();
        thread::Builder::new()
            .name("pointsman-admin".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    let connections = Connections::new(World::real(), router, bounds);
                    tokio::select! {
                        biased;
                        _ = closing => {}
                        () = connections.accept(listener) => {}
                    }
                    connections.close().await;
                });
                // Nobody waits any more when the process ends at once.
                let _ = done.send(());
            })?;
        Ok(Self { close, closed })
    }

    /// Accepts no more connections and waits until those that are open have closed.
    pub(super) async fn close(self) {
        // The thread has ended already when nobody receives this.
        let _ = self.close.send(());
        let _ = self.closed.await;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpStream,
        time::Duration,
    };

    use axum::routing::get;

    use super::*;

    #[tokio::test]
    async fn it_answers_while_the_runtime_of_the_service_is_busy() {
        let router = Router::new().route("/health/live", get(async || "alive"));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let bounds = Bounds {
            most: 4,
            most_per_address: 4,
            trusted_proxies: Vec::new(),
            header_timeout: Duration::from_secs(20),
            write_timeout: Duration::from_secs(20),
            max_age: Duration::from_mins(10),
            request_timeout: Duration::from_secs(20),
        };
        let admin = AdminListener::start(listener, router, bounds).unwrap();
        // From here on this thread, the only one of its runtime, waits without giving way.
        let mut client = TcpStream::connect(address).unwrap();
        client
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        client
            .write_all(b"GET /health/live HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.ends_with("alive"), "{answer}");
        admin.close().await;
        assert!(TcpStream::connect(address).is_err());
    }
}
