//! Webhook endpoints: merchants' servers to which events are sent.
//!
//! # How it works
//! Each endpoint has a place in the feed. A task that holds the endpoint's lease reads on from there, sends, and commits the new place
//! together with a row for each event that it sent. Events of one stream are sent one after the other; those of others do not wait for
//! them. What failed stays as a pending row, and later events of its stream wait behind it. While an endpoint takes nothing at all, a few
//! streams of each round are tried, due ones and new ones, and above some pending rows its place stays: a server that is down for days
//! costs few rows. One that refuses a kind of event gets all others.
//!
//! # What is promised
//! - Every event that an endpoint wants is sent at least once, under the same id each time: the place moves only in a commit with what
//!   became of the events before it.
//! - An endpoint that is slow or away delays no other, and no payment: deliveries have slots of their own, write in the lane of sweeps,
//!   and no statement of theirs is in a payment's commit.

mod attempt;
mod claim;
mod deliveries;
mod endpoints;
mod flow_call;
mod incoming;
mod resend;
mod round;
mod sending;
mod sign;
mod switch;
mod work;

use std::time::Duration;

use domain::{
    Timestamp,
    id::EndpointId,
    webhook::{Delivery, RetrySchedule},
};
use store::webhook_endpoint::Endpoint;

use crate::Engine;

#[cfg(feature = "planted")]
pub(crate) use attempt::Letter;
pub use deliveries::{DeliveryPage, ListDeliveries};
pub use endpoints::{SaveEndpoint, no_such_endpoint};
pub(crate) use flow_call::{Called, FlowCall};
pub use incoming::{IncomingAddress, SignedWebhook};
pub(crate) use incoming::{Message, count as count_received};
pub use resend::Resend;
pub(crate) use sending::AT_ONCE;
pub(crate) use sign::Secrets;
pub use sign::SigningSecret;
pub use switch::Resume;

/// What the configuration says of webhooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSettings {
    /// The pauses before each further attempt. An endpoint that took nothing until their end is disabled.
    pub schedule: RetrySchedule,
    /// By when an endpoint must have answered.
    pub timeout: Duration,
    /// How long deliveries that are over are kept.
    pub retention: Duration,
    /// Whether private addresses may be called, so that they may be saved.
    pub private_addresses: bool,
    /// Connections to endpoints' servers that this node may use at a time.
    pub connections: u32,
}

impl WebhookSettings {
    /// More connections than this are not used, whatever the system allows: those of 256 endpoints, and of 64 that take nothing.
    pub const CONNECTIONS_MAX: u32 = 5_120;
}

impl Default for WebhookSettings {
    fn default() -> Self {
        let minutes = [1, 5, 15, 30, 60, 120, 240, 360, 480, 600, 720, 720, 960];
        let pauses = minutes.map(Duration::from_mins);
        Self {
            schedule: RetrySchedule([Duration::from_secs(5)].into_iter().chain(pauses).collect()),
            timeout: Duration::from_secs(15),
            retention: Duration::from_hours(30 * 24),
            private_addresses: true,
            connections: Self::CONNECTIONS_MAX,
        }
    }
}

/// An endpoint, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointView {
    /// Its id.
    pub id: EndpointId,
    /// Its address.
    pub url: String,
    /// Which events it gets; none for all.
    pub kinds: Vec<String>,
    /// Whether events are sent to it.
    pub is_enabled: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when it takes nothing.
    pub failing_since: Option<Timestamp>,
    /// The signing secret, where it has just been made.
    pub secret: Option<String>,
    /// Where its server sends webhooks; their name follows.
    pub incoming_url: String,
    /// The secret with which its server signs those, where it has just been made.
    pub incoming_secret: Option<String>,
}

/// A delivery, as it is shown.
pub type DeliveryView = Delivery;

impl Engine {
    /// The endpoint as it is shown; with its secrets where they have just been made.
    fn endpoint_view(&self, endpoint: Endpoint, made: Option<&Secrets>) -> EndpointView {
        EndpointView {
            incoming_url: self.incoming_url(&endpoint),
            id: endpoint.id,
            url: endpoint.url,
            kinds: endpoint.kinds.entries().to_vec(),
            is_enabled: endpoint.enabled,
            created_at: endpoint.created_at,
            failing_since: endpoint.health.failing_since,
            secret: made.map(|secrets| secrets.current().to_owned()),
            incoming_secret: made.and_then(Secrets::incoming),
        }
    }
}
