//! Why there is no answer, and whether the request may have reached anyone.

/// A request without an answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct HttpError {
    /// Whether a byte of the request may have been written.
    pub sent: Sent,
    /// Why.
    pub reason: Reason,
}

/// Whether a byte of a request may have been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Not one: it is safe to send the request again, also elsewhere.
    No,
    /// It may have been: the other side may have taken the request.
    Maybe,
}

/// Why there is no answer. Its text is for the operator: shown to the person who gave the address, it would reveal our network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The host is not one of those that may be called. Nothing was resolved.
    #[error("the host is not one of those that may be called")]
    HostNotAllowed,
    /// The host leads to private addresses alone.
    #[error("the host leads to private addresses alone")]
    Private,
    /// The request can't be written as HTTP: its method, or a header.
    #[error("the request can't be written: {0}")]
    Unwritable(String),
    /// The request's body is larger than [`crate::REQUEST_MAX`].
    #[error("the request is too large")]
    RequestTooLarge,
    /// The host's name leads to no address.
    #[error("the name can't be resolved: {0}")]
    Unresolved(String),
    /// Nobody listens at the host's addresses.
    #[error("no connection: {0}")]
    Refused(String),
    /// No connection for another reason.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The certificate is not one of the host's that is trusted and valid now.
    #[error("the certificate is not trusted: {0}")]
    Untrusted(String),
    /// TLS could not be agreed on.
    #[error("no TLS: {0}")]
    NoTls(String),
    /// It took too long.
    #[error("it took too long")]
    Elapsed,
    /// The answer is too large.
    #[error("the answer is too large")]
    ReplyTooLarge,
    /// The connection broke, or what came is no HTTP.
    #[error("the exchange broke: {0}")]
    Broken(String),
}

impl HttpError {
    /// Nothing was sent.
    pub const fn not_sent(reason: Reason) -> Self {
        Self {
            sent: Sent::No,
            reason,
        }
    }

    /// The request may have reached the other side.
    pub const fn maybe_sent(reason: Reason) -> Self {
        Self {
            sent: Sent::Maybe,
            reason,
        }
    }
}
