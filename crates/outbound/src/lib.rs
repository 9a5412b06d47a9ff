//! The one client for calls that are not a processor's: wallets' merchant validation, webhooks.
//!
//! Whom it calls is often said by somebody else, so it refuses what could be used against the network that it stands in:
//! a host is resolved once, its addresses are judged, and the connection goes to an address that was judged; there are no
//! redirects, no proxies and no second connection. Times and sizes are bounded. A certificate that is not right ends the
//! call.

mod address;
mod client;
mod identity;
mod tls;
mod url;

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, ready};

pub use address::is_public;
pub use client::{Client, Private};
pub use identity::{Identity, IdentityError};
pub use tls::TrustError;
pub use url::{BadUrl, HostPattern, Url};

/// A call: a JSON document that is posted.
pub struct Post<'a> {
    /// Where to.
    pub url: &'a Url,
    /// The hosts that may be called; `None`: any.
    pub hosts: Option<&'a [HostPattern]>,
    /// Who we are, where the other side asks for a certificate.
    pub identity: Option<&'a Identity>,
    /// Further headers: names in lower case.
    pub headers: &'a [(&'static str, String)],
    /// The document.
    pub body: Bytes,
    /// The whole call ends within this time.
    pub timeout: Duration,
    /// A larger answer is refused. Unit: bytes.
    pub most: usize,
}

/// What came back, whatever its status. Redirects are answers like others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Bytes,
}

/// Why there is no answer. Its text is for the operator: told to whoever gave the address, it would show what our network
/// looks like.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailed {
    /// The host is not one of those that may be called. Nothing was looked up or sent.
    #[error("the host is not one of those that may be called")]
    HostNotAllowed,
    /// The host leads to private addresses alone. Nothing was sent.
    #[error("the host leads to private addresses alone")]
    Private,
    /// No connection, or no trusted one.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("it took too long")]
    Elapsed,
    /// The answer is too large.
    #[error("the answer is too large")]
    TooLarge,
    /// The connection broke, or what came is no HTTP.
    #[error("the exchange broke: {0}")]
    Broken(String),
}

/// Whoever makes such calls.
pub trait Outbound: Send + Sync + 'static {
    /// Posts a document and waits for the answer.
    fn post<'a>(&'a self, call: &'a Post<'a>) -> BoxFuture<'a, Result<Reply, CallFailed>>;
}

/// Reaches nobody. For worlds without a network.
#[derive(Debug, Clone, Copy)]
pub struct Nowhere;

impl Outbound for Nowhere {
    fn post<'a>(&'a self, _: &'a Post<'a>) -> BoxFuture<'a, Result<Reply, CallFailed>> {
        Box::pin(ready(Err(CallFailed::Unreachable(
            "there is no network".to_owned(),
        ))))
    }
}
