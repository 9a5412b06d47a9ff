//! The one HTTP client, with a policy for each kind of recipient.
//!
//! - *To a processor* ([`Recipient::Processor`]): hosts that our code names, connections that are kept.
//! - *To a stranger* ([`Recipient::Stranger`]): an address that somebody else gave. It could be used against the network that
//!   we stand in, so the host is resolved once, its addresses are judged, the connection goes to an address that was judged,
//!   and nothing is kept.
//! - *To a subscriber* ([`Recipient::Subscriber`]): the same guard for an address that is called often; a connection, once its address
//!   was judged, is kept for the next request.
//!
//! For all: no redirect is followed and no proxy used, times and sizes are bounded, and a certificate that is not right
//! ends the exchange. No request is written twice: one is sent again only where hyper gave it back unwritten.
//!
//! What is promised: [`Sent::No`] is proven. A request that was never given a connection, or that hyper gave back before
//! it began to write it, was not sent. Everything else is [`Sent::Maybe`].

mod address;
mod client;
mod dial;
mod error;
mod identity;
mod request;
mod tls;
mod url;

use futures_util::future::{BoxFuture, ready};

pub use address::is_public;
pub use client::{Client, Private};
pub use error::{HttpError, Reason, Sent};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method};
pub use identity::{Identity, IdentityError};
pub use request::{Body, FILE_MAX, REQUEST_MAX, Recipient, Reply, Request};
pub use tls::TrustError;
pub use url::{BadUrl, HostPattern, Url};

/// What sends requests: the client, or what stands in for it in a world without a network.
pub trait Http: Send + Sync + 'static {
    /// Sends one request and waits for the answer.
    fn send<'a>(
        &'a self,
        recipient: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>>;
}

/// The handle that a connector is given: it reaches the hosts of its processor and no other.
#[derive(Clone, Copy)]
pub struct ProcessorHttp<'a> {
    http: &'a dyn Http,
    hosts: &'a [HostPattern],
}

impl<'a> ProcessorHttp<'a> {
    /// A handle that reaches these hosts alone.
    pub const fn new(http: &'a dyn Http, hosts: &'a [HostPattern]) -> Self {
        Self { http, hosts }
    }

    /// Sends one request and waits for the answer.
    ///
    /// # Errors
    /// [`HttpError::sent`] says whether the processor may have received the request.
    pub async fn send(&self, request: &Request<'_>) -> Result<Reply, HttpError> {
        let hosts = self.hosts;
        self.http
            .send(Recipient::Processor { hosts }, request)
            .await
    }
}

/// Reaches nobody. For worlds without a network.
#[derive(Debug, Clone, Copy)]
pub struct Nowhere;

impl Http for Nowhere {
    fn send<'a>(
        &'a self,
        _: Recipient<'a>,
        _: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        let reason = Reason::Unreachable("there is no network".to_owned());
        Box::pin(ready(Err(HttpError::not_sent(reason))))
    }
}
