//! Events as merchants get them: of public kinds, small, in the order of their stream.
//!
//! They are not stored. [`public_events`] makes them of a row of the feed, always the same of the same row, so that deliveries,
//! the catch-up query and streams all show one event under one id. A stream is what the rows belong to: a payment, an intent, a dispute.
//! A new kind of stream is joined in one place: a variant of [`Happened`], its arm in [`public_events`], and a file like
//! `payment.rs` here that names its public kinds and their data.

#[cfg(feature = "planted")]
mod bugs;
mod dispute;
mod endpoint;
mod intent;
mod kind;
mod page;
mod payment;

use serde_json::{Map, Value, json};

use crate::{Timestamp, dispute::DisputeEvent, intent::IntentEvent, payment::PaymentEvent};

pub(crate) use dispute::is_public as is_public_of_dispute;
pub use endpoint::EndpointEvent;
pub(crate) use intent::is_public as is_public_of_intent;
pub use kind::{EventKind, KindFilter};
pub use page::PageEvent;
pub(crate) use payment::is_public as is_public_of_payment;

/// The version of the payload. It goes up when a field is taken away or changes its meaning, not when one is added.
pub const PAYLOAD_VERSION: u32 = 1;

/// What happened in one commit, in order, by the kind of its stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// To a payment.
    Payment(Vec<PaymentEvent>),
    /// To an intent.
    Intent(Vec<IntentEvent>),
    /// To a dispute.
    Dispute(Vec<DisputeEvent>),
    /// To a webhook endpoint.
    Endpoint(Vec<EndpointEvent>),
    /// To a guarded page.
    Page(Vec<PageEvent>),
}

/// One commit of a stream, as the feed has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamCommit {
    /// The id of the payment, the intent or the dispute, without prefix.
    pub stream: String,
    /// Its number within the stream, from 1 without gaps.
    pub version: i64,
    /// How many public events the stream had before it.
    pub events_before: u64,
    /// When it was.
    pub at: Timestamp,
    /// The status after it.
    pub status: String,
    /// What happened.
    pub happened: Happened,
}

/// An event for the merchant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// `{stream}:{version}:{index}`, the same whenever it is sent.
    pub id: String,
    /// What happened.
    pub kind: EventKind,
    /// When.
    pub at: Timestamp,
    /// To what: the id of a payment, an intent or a dispute, without prefix. Events of one stream are delivered in their sequence.
    pub stream: String,
    /// Its number among the public events of its stream, from 1 without gaps.
    pub sequence: u64,
    /// The facts as of its commit. No card data, no personal data.
    pub data: Map<String, Value>,
    /// Its place among all events of its commit.
    pub index: usize,
}

impl Event {
    /// What is sent. Source: Standard Webhooks, "Payload structure": `type`, `timestamp` and `data`; the others are ours.
    pub fn payload(&self) -> String {
        json!({
            "id": self.id,
            "type": self.kind.code(),
            "version": PAYLOAD_VERSION,
            "timestamp": self.at.rfc3339_millis(),
            "sequence": self.sequence,
            "data": self.data,
        })
        .to_string()
    }
}

/// The public events of a commit, in order. Pure: the same row always gives the same events.
pub fn public_events(commit: &StreamCommit) -> Vec<Event> {
    let found: Vec<(usize, EventKind, Map<String, Value>)> = match &commit.happened {
        Happened::Payment(events) => each(events, |event| payment::public(commit, event)),
        Happened::Dispute(events) => each(events, |event| dispute::public(commit, event)),
        Happened::Intent(events) => each(events, |event| intent::public(commit, *event)),
        Happened::Endpoint(events) => each(events, |event| endpoint::public(commit, event)),
        Happened::Page(events) => each(events, |event| page::public(commit, event)),
    };
    let numbered = (commit.events_before.saturating_add(1)..).zip(found);
    numbered
        .map(|(sequence, (index, kind, data))| Event {
            id: format!("{}:{}:{index}", commit.stream, commit.version),
            kind,
            at: commit.at,
            stream: commit.stream.clone(),
            sequence,
            data,
            index,
        })
        .collect()
}

/// The kind of an event and its data.
type Public = (EventKind, Map<String, Value>);

/// The events that are public, each with its place among all.
fn each<E>(
    events: &[E],
    public: impl Fn(&E) -> Option<Public>,
) -> Vec<(usize, EventKind, Map<String, Value>)> {
    let indexed = events.iter().enumerate();
    indexed
        .filter_map(|(index, event)| public(event).map(|(kind, data)| (index, kind, data)))
        .collect()
}
