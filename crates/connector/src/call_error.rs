//! A call that brought no answer.

use std::time::Duration;

use domain::{answer::Known, processor_text::ProcessorText};

/// A call that brought no answer that can be used. The reasons are for the operator's log: a processor's words may quote what it was
/// sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Nothing happened (refused connection, or an answer that says that the request was not processed): safe to try elsewhere.
    #[error("the request was not sent: {reason}")]
    NotSent {
        /// Why.
        reason: ProcessorText,
        /// How long the processor asks to be left alone, where it says so.
        again_after: Option<Duration>,
    },
    /// It may have happened: look it up, never send it elsewhere.
    #[error("the outcome is unknown: {reason}")]
    Unknown {
        /// Why.
        reason: ProcessorText,
        /// What is known all the same. It is kept with the operation, and given back to the connector with the look-up.
        known: Known,
    },
    /// The processor refused the request itself; nothing happened.
    #[error("the processor refused the request: {reason}")]
    Rejected {
        /// The processor's own code for it.
        code: Option<ProcessorText>,
        /// Why.
        reason: ProcessorText,
        /// What must change before such a request is accepted.
        cause: Cause,
    },
    /// This connector has no such verb.
    #[error("the processor has no such operation")]
    Unsupported,
}

/// What a processor found wrong with a request that it refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The connection's credentials: every request will be refused until somebody changes them.
    Credentials,
    /// Another request was sent before under the same reference. That is a defect of ours, or a restored database. This request
    /// did nothing; whether the other one did is looked up.
    KeyReused,
    /// The request itself: a field, an amount, an operation that is not possible now.
    Request,
    /// The processor does not know the stored card that the request named, or not any more. Nothing happened; its token is forgotten, so that
    /// the next payment sends the number.
    StoredCardGone,
}

impl CallError {
    /// Nothing was sent.
    pub fn not_sent(reason: impl Into<ProcessorText>) -> Self {
        Self::NotSent {
            reason: reason.into(),
            again_after: None,
        }
    }

    /// It may have happened, and nothing is known of it.
    pub fn unknown(reason: impl Into<ProcessorText>) -> Self {
        Self::Unknown {
            reason: reason.into(),
            known: Known::default(),
        }
    }

    /// The processor refused the request for what is in it.
    pub fn rejected(reason: impl Into<ProcessorText>) -> Self {
        Self::Rejected {
            code: None,
            reason: reason.into(),
            cause: Cause::Request,
        }
    }
}

impl From<http_client::HttpError> for CallError {
    /// A request without an answer: not sent, or unknown.
    fn from(error: http_client::HttpError) -> Self {
        match error.sent {
            http_client::Sent::No => Self::not_sent(error.to_string()),
            http_client::Sent::Maybe => Self::unknown(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use http_client::{HttpError, Reason};

    use super::*;

    #[test]
    fn a_request_that_may_have_been_written_is_unknown() {
        let sent = CallError::from(HttpError::maybe_sent(Reason::Elapsed));
        assert!(matches!(sent, CallError::Unknown { .. }), "{sent}");
        let unsent = CallError::from(HttpError::not_sent(Reason::Elapsed));
        assert!(matches!(unsent, CallError::NotSent { .. }), "{unsent}");
    }
}
