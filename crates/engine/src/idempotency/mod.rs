//! Idempotency: the same request under the same key is carried out once, and its response is given again.
//!
//! # How it works
//! [`Engine::once`] is the bracket around an operation: it looks what is stored under the key, and carries the operation out
//! only when nothing is. A key is kept as a hash, with a keyed hash of the request's coerced arguments, never the
//! arguments. The first commit of the operation takes the key; the response is written in the commit that settles the
//! operation, as a snapshot from which a repeat is rendered through its own selection.
//!
//! # What a key answers
//! | stored under the key | the same request | another request |
//! |---|---|---|
//! | nothing, or forgotten after the retention | is carried out | is carried out |
//! | the key alone: the first is under way | waits; `error.idempotency.in-progress` when its time ends before | the same |
//! | an interim response | that, until the outcome takes its place | `error.idempotency.key-reused`, naming the payment |
//! | a result | that result | `error.idempotency.key-reused`, naming what was made |
//! | a fault | that fault | `error.idempotency.key-reused`, naming the fault's code |
//!
//! Where clients keep one key for their whole life (new customers) another request is another record. A browser whose token
//! neither took the key nor may read what was made gets `error.idempotency.key-reused`, whatever is stored.
//!
//! # What is stored, and by which commit
//! | when | response | commit |
//! |---|---|---|
//! | the arguments are refused, or what is refused before the first commit and would be refused again | the fault, with the key | one of its own |
//! | the operation begins | none yet | its first |
//! | the payment has ended, or waits for others, and no processor was asked | the payment | its first |
//! | the outcome has come, and nothing follows at once | the payment, or the operation's fault | the one that settles |
//! | the outcome has come, and a capture or the flow follows at once | none yet: it is owed ([`Payment::owed_answer`]) | the one after which nothing follows |
//! | the customer must act | the payment or the fault that says so, for good | the one that settles |
//! | the request's time ends before there is an outcome | the payment without an answer: interim | one of its own |
//! | the same, and the database does not answer | none: the payment without an answer, from memory | |
//! | the request's time ends, and the payment has an outcome but goes on | the payment as far as it is | the payment's next version |
//! | the same, and the database does not answer then | none: `error.unavailable` with the payment's id | |
//! | what is stored, a method or a customer, is made | the token, or the id | the one that makes it |
//! | a payment link is made | the link | the one that makes it, with its intent |
//! | a failure of ours, or an operation under way | none: the client tries again | |
//!
//! A response that is the payment at the version of the same commit is not copied: the record names the version. The commit of the next
//! version of such a payment writes the document of the one before into the records that name it ([`NamedVersion`]), so that a replay
//! stays what the request got.
//!
//! The request itself gets what a repeat would get: when others have gone on with its payment it reads its own key.
//!
//! # What is promised
//! Of any number of requests with one key, at once or one after the other, on any node, one is carried out; the others
//! wait for its response and get the same.
//!
//! # What is not
//! Our own failures are not remembered, nor what is refused before the operation begins, nor what a payment refuses only while the
//! outcome of something else is open ([`domain::Fault::is_remembered`]).
//!
//! [`Payment::owed_answer`]: domain::payment::Payment::owed_answer

mod bracket;
mod equality;
#[cfg(test)]
mod golden;
mod record;
mod responses;

use std::future::Future;

use domain::{
    Fault,
    id::{DisputeId, PaymentId},
};
use serde::{Deserialize, Serialize};

use crate::Engine;
use equality::Blanks;

pub(crate) use responses::{NamedVersion, Responses, payment_response};

/// The scope of payments, as it is stored.
pub(crate) const AUTHORISE_SCOPE: &str = "authorise";

/// What an idempotency key belongs to, within a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Payments, by whatever operation they are made.
    Authorise,
    /// Tokens, by whatever operation they are made.
    Tokenise,
    /// Customers.
    CreateCustomer,
    /// Payment links.
    CreateLink,
    /// Captures of one payment (its id as sent).
    Capture(String),
    /// Cancellations of one payment.
    Cancel(String),
    /// Refunds of one payment.
    Refund(String),
    /// Evidence for one dispute.
    SubmitEvidence(String),
    /// The acceptance of one dispute.
    AcceptDispute(String),
}

impl Scope {
    fn text(&self) -> String {
        // What is no id is not written down: it may be anything, a card's number too.
        let of = |what: &str, payment: &str| {
            let id = PaymentId::parse(payment).map_or_else(|| "none".to_owned(), PaymentId::key);
            format!("{what}:{id}")
        };
        let of_dispute = |what: &str, dispute: &str| {
            let id = DisputeId::parse(dispute).map_or_else(|| "none".to_owned(), DisputeId::key);
            format!("{what}:{id}")
        };
        match self {
            Self::Authorise => AUTHORISE_SCOPE.to_owned(),
            Self::Tokenise => "tokenise".to_owned(),
            Self::CreateCustomer => "customer".to_owned(),
            Self::CreateLink => "payment_link".to_owned(),
            Self::Capture(payment) => of("capture", payment),
            Self::Cancel(payment) => of("cancel", payment),
            Self::Refund(payment) => of("refund", payment),
            Self::SubmitEvidence(dispute) => of_dispute("evidence", dispute),
            Self::AcceptDispute(dispute) => of_dispute("accept", dispute),
        }
    }

    /// What an empty text means in the arguments: where it stands for an absent one, the two are one request.
    fn blanks(&self) -> Blanks {
        match self {
            Self::Authorise | Self::Tokenise | Self::CreateLink => Blanks::Absent,
            Self::CreateCustomer
            | Self::Capture(_)
            | Self::Cancel(_)
            | Self::Refund(_)
            | Self::SubmitEvidence(_)
            | Self::AcceptDispute(_) => Blanks::Values,
        }
    }

    /// Clients keep one key for their whole life when they make customers: another request is a new one there.
    fn another_request_is_new(&self) -> bool {
        matches!(self, Self::CreateCustomer)
    }
}

/// An idempotency key with the request that it came with.
pub struct Once {
    /// The key, 1 to 255 characters.
    pub key: String,
    /// What it belongs to.
    pub scope: Scope,
    /// The operation's arguments after coercion.
    pub arguments: serde_json::Value,
    /// The card or account number in arguments of which no command could be made: it counts like any other.
    pub number: Option<crate::SentNumber>,
}

/// Wiped: the arguments may hold a card number.
impl Drop for Once {
    fn drop(&mut self) {
        domain::wipe::wipe(&mut self.arguments);
    }
}

/// An answer, and whether it was given before.
#[derive(Debug)]
pub struct Response<T> {
    /// The answer.
    pub result: Result<T, Fault>,
    /// Whether it is given again.
    pub replayed: bool,
}

impl<T> Response<T> {
    pub(crate) fn now(result: Result<T, Fault>) -> Self {
        Self {
            result,
            replayed: false,
        }
    }
}

/// What is kept of an answer.
#[derive(Serialize, Deserialize)]
pub(crate) enum Snapshot<T> {
    /// The result.
    #[serde(rename = "ok")]
    Result(T),
    /// The fault.
    #[serde(rename = "fault")]
    Fault(Fault),
}

impl<T: Serialize> Snapshot<T> {
    /// The snapshot as it is stored.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A result that can be kept as a snapshot and returned again.
pub(crate) trait Kept: Sized + Send {
    /// What is stored.
    type Stored: Serialize + serde::de::DeserializeOwned + Send;

    /// What is stored of this result.
    fn stored(&self) -> Self::Stored;

    /// The result from what was stored.
    fn restored(
        engine: &Engine,
        stored: Self::Stored,
    ) -> impl Future<Output = Result<Self, Fault>> + Send;

    /// The id that a reused key's fault names.
    fn id(stored: &Self::Stored) -> Option<String>;

    /// What the first request did, for the fault of a reused key: a clause such as `made a payment that is DECLINED`.
    fn ended(stored: &Self::Stored) -> String;
}
