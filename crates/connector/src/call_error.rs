//! A call that brought no answer.

/// A call that brought no answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Nothing was sent (refused connection, circuit open): safe to try elsewhere.
    #[error("the request was not sent: {0}")]
    NotSent(String),
    /// It may have happened: look it up, never send it elsewhere.
    #[error("the outcome is unknown: {0}")]
    Unknown(String),
    /// The processor refused the request itself (our credentials, our syntax); nothing happened.
    #[error("the processor refused the request: {0}")]
    Rejected(String),
    /// This connector has no such verb.
    #[error("the processor has no such operation")]
    Unsupported,
}
