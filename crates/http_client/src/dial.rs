//! Making connections: the name is resolved once, its addresses are judged, and the connection goes to one that was judged.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::future::BoxFuture;
use http::Uri;
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpStream, lookup_host},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tower::Service;
use world::{Elapsed, World};

use crate::{Reason, Url, address::is_public};

/// An address that does not take a connection within this time is left for the next one.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// A connection is made within this time, the name and TLS included. The pool goes on making it when the request that asked for it
/// has ended, so that it needs a bound of its own.
pub(crate) const MADE_WITHIN: Duration = Duration::from_secs(15);

/// More addresses of one host than this are not tried.
const ADDRESSES: usize = 4;

/// Makes the connections of a client.
#[derive(Clone)]
pub(crate) struct Dial {
    pub(crate) world: World,
    /// Connect to addresses of the public internet alone.
    pub(crate) public_only: bool,
    pub(crate) tls: Arc<ClientConfig>,
    /// A connection is made within this time, the name and TLS included.
    pub(crate) within: Duration,
    /// Each connection has one of these places as long as it is open.
    pub(crate) places: Option<Arc<Semaphore>>,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoConnection(pub(crate) Reason);

impl Dial {
    async fn dial(self, uri: Uri) -> Result<TokioIo<Stream>, NoConnection> {
        let world = self.world.clone();
        match world.timeout(self.within, self.make(uri)).await {
            Ok(made) => made,
            Err(Elapsed) => Err(NoConnection(Reason::Elapsed)),
        }
    }

    async fn make(self, uri: Uri) -> Result<TokioIo<Stream>, NoConnection> {
        let url = Url::http_or_https(&uri.to_string()).map_err(unreachable)?;
        let place = match &self.places {
            Some(places) => Arc::clone(places).acquire_owned().await.ok(),
            None => None,
        };
        let stream = self.connect(&url).await?;
        if !url.tls {
            return Ok(TokioIo::new(Stream {
                line: Line::Plain(stream),
                _place: place,
            }));
        }
        let name = ServerName::try_from(url.host).map_err(unreachable)?;
        let stream = TlsConnector::from(self.tls)
            .connect(name, stream)
            .await
            .map_err(|error| no_tls(&error))?;
        Ok(TokioIo::new(Stream {
            line: Line::Tls(Box::new(stream)),
            _place: place,
        }))
    }

    /// Connects to one of the host's addresses that may be called. The name is not resolved again.
    async fn connect(&self, url: &Url) -> Result<TcpStream, NoConnection> {
        let found = lookup_host((url.host.as_str(), url.port))
            .await
            .map_err(|error| NoConnection(Reason::Unresolved(error.to_string())))?;
        let is_allowed = |address: &SocketAddr| !self.public_only || is_public(address.ip());
        let addresses: Vec<SocketAddr> = found.filter(is_allowed).take(ADDRESSES).collect();
        let mut failed = NoConnection(Reason::Private);
        for address in addresses {
            match self
                .world
                .timeout(CONNECT_WITHIN, TcpStream::connect(address))
                .await
            {
                Ok(Ok(stream)) => {
                    // Requests are small and wait for their answer: nothing is gained by holding bytes back.
                    stream.set_nodelay(true).map_err(unreachable)?;
                    return Ok(stream);
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    failed = NoConnection(Reason::Refused(error.to_string()));
                }
                Ok(Err(error)) => failed = unreachable(error),
                Err(Elapsed) => failed = NoConnection(Reason::Elapsed),
            }
        }
        Err(failed)
    }
}

impl Service<Uri> for Dial {
    type Response = TokioIo<Stream>;
    type Error = NoConnection;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().dial(uri))
    }
}

fn unreachable(error: impl std::fmt::Display) -> NoConnection {
    NoConnection(Reason::Unreachable(error.to_string()))
}

/// Why TLS did not begin: the certificate, or anything else.
fn no_tls(error: &io::Error) -> NoConnection {
    let source = error.get_ref().and_then(|source| source.downcast_ref());
    let why = error.to_string();
    NoConnection(match source {
        Some(rustls::Error::InvalidCertificate(_)) => Reason::Untrusted(why),
        _ => Reason::NoTls(why),
    })
}

/// A connection, with its place among those that there may be.
pub(crate) struct Stream {
    line: Line,
    _place: Option<OwnedSemaphorePermit>,
}

/// A connection, in the clear or within TLS.
enum Line {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.get_mut().line {
            Line::Plain(stream) => Pin::new(stream).poll_read(cx, into),
            Line::Tls(stream) => Pin::new(stream).poll_read(cx, into),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().line {
            Line::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Line::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().line {
            Line::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Line::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().line {
            Line::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Line::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::tls::Trust;

    #[tokio::test]
    async fn a_connection_whose_tls_never_begins_is_given_up() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = silent.local_addr().unwrap().port();
        let dial = Dial {
            world: World::real(),
            public_only: false,
            tls: Trust::new(None).unwrap().settings(None).unwrap().into(),
            within: Duration::from_millis(50),
            places: None,
        };
        let uri = format!("https://127.0.0.1:{port}/").parse().unwrap();
        let made = dial.dial(uri).await.map(|_| ());
        assert!(
            matches!(made, Err(NoConnection(Reason::Elapsed))),
            "{made:?}"
        );
    }
}
