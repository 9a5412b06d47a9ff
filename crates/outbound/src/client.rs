//! The client over the network.

use std::{net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::future::{BoxFuture, Either, select};
use http::{Request, header};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, lookup_host},
};
use tokio_rustls::TlsConnector;
use world::{Elapsed, World};

use crate::{
    CallFailed, HostPattern, Outbound, Post, Reply, TrustError, Url, address::is_public, tls::Trust,
};

/// An address that does not take a connection within this time is left for the next one.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// More addresses of one host than this are not tried.
const ADDRESSES: usize = 4;

/// Whether private addresses may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    /// They may.
    Allowed,
    /// Only the public internet is called.
    Refused,
}

/// The client over the network.
pub struct Client {
    world: World,
    private: Private,
    trust: Trust,
}

impl Client {
    /// A client that trusts the system's authorities and those in `further` (PEM).
    ///
    /// # Errors
    /// `further` holds none.
    pub fn new(world: World, private: Private, further: Option<&str>) -> Result<Self, TrustError> {
        Ok(Self {
            world,
            private,
            trust: Trust::new(further)?,
        })
    }

    /// Whether a text can be the further authorities of a client.
    ///
    /// # Errors
    /// It holds none.
    pub fn check_authorities(further: &str) -> Result<(), TrustError> {
        Trust::new(Some(further)).map(|_| ())
    }

    async fn exchange(&self, call: &Post<'_>) -> Result<Reply, CallFailed> {
        if !is_allowed(call.url, call.hosts) {
            return Err(CallFailed::HostNotAllowed);
        }
        let stream = self.connect(call.url).await?;
        if !call.url.tls {
            return talk(stream, call).await;
        }
        let settings = self.trust.settings(call.identity).map_err(unreachable)?;
        let name = ServerName::try_from(call.url.host.clone()).map_err(unreachable)?;
        let stream = TlsConnector::from(Arc::new(settings))
            .connect(name, stream)
            .await
            .map_err(unreachable)?;
        talk(stream, call).await
    }

    /// Connects to one of the host's addresses that may be called. The name is not resolved again.
    async fn connect(&self, url: &Url) -> Result<TcpStream, CallFailed> {
        let found = lookup_host((url.host.as_str(), url.port))
            .await
            .map_err(unreachable)?;
        let is_allowed =
            |address: &SocketAddr| self.private == Private::Allowed || is_public(address.ip());
        let addresses: Vec<SocketAddr> = found.filter(is_allowed).take(ADDRESSES).collect();
        let mut failed = CallFailed::Private;
        for address in addresses {
            match self
                .world
                .timeout(CONNECT_WITHIN, TcpStream::connect(address))
                .await
            {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failed = unreachable(error),
                Err(Elapsed) => failed = CallFailed::Elapsed,
            }
        }
        Err(failed)
    }
}

impl Outbound for Client {
    fn post<'a>(&'a self, call: &'a Post<'a>) -> BoxFuture<'a, Result<Reply, CallFailed>> {
        Box::pin(async move {
            match self.world.timeout(call.timeout, self.exchange(call)).await {
                Ok(result) => result,
                Err(Elapsed) => Err(CallFailed::Elapsed),
            }
        })
    }
}

fn is_allowed(url: &Url, hosts: Option<&[HostPattern]>) -> bool {
    hosts.is_none_or(|hosts| hosts.iter().any(|host| host.allows(url)))
}

/// One request and its answer on a connection of its own.
async fn talk<S>(stream: S, call: &Post<'_>) -> Result<Reply, CallFailed>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    let request = request(call)?;
    let exchange = async {
        let answer = sender.send_request(request).await.map_err(broken)?;
        let status = answer.status().as_u16();
        let body = Limited::new(answer.into_body(), call.most).collect().await;
        let body = body.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => CallFailed::TooLarge,
            None => CallFailed::Broken(error.to_string()),
        })?;
        Ok(Reply {
            status,
            body: body.to_bytes(),
        })
    };
    match select(pin!(exchange), pin!(connection)).await {
        Either::Left((reply, _)) => reply,
        // The other side has closed; what it said before may still be on its way to us.
        Either::Right((_, exchange)) => exchange.await,
    }
}

fn request(call: &Post<'_>) -> Result<Request<Full<Bytes>>, CallFailed> {
    let mut request = Request::post(call.url.path.clone())
        .header(header::HOST, &call.url.authority)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, */*;q=0.1")
        .header(
            header::USER_AGENT,
            concat!("pointsman/", env!("CARGO_PKG_VERSION")),
        )
        .header(header::CONNECTION, "close");
    for (name, value) in call.headers {
        request = request.header(*name, value);
    }
    request.body(Full::new(call.body.clone())).map_err(broken)
}

fn unreachable(error: impl std::fmt::Display) -> CallFailed {
    CallFailed::Unreachable(error.to_string())
}

fn broken(error: impl std::fmt::Display) -> CallFailed {
    CallFailed::Broken(error.to_string())
}
