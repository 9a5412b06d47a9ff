//! Adyen. Checkout API v72, Dispute API v30.
//!
//! Facts and their sources: docs/processors/adyen.md. The simulator of the wire format that this is proven against:
//! `pointsman-lab processor adyen`.
//!
//! # What differs from other processors
//! Nothing can be read: what a lost answer was, and how captures, cancellations and refunds end, notifications tell alone. A look-up
//! therefore finds nothing, and that proves nothing ([`connector::Descriptor::not_found_final_after`] is `None`). What has no answer is
//! made sure of otherwise ([`connector::Certainty`]).

mod account;
mod address;
mod amounts;
mod answers;
mod api;
mod authorise;
#[cfg(feature = "planted")]
mod bugs;
mod checks;
mod declines;
mod defence;
mod descriptor;
mod disputed;
mod item;
mod keys;
mod later;
mod methods;
mod notices;
mod registration;
mod request;
mod shopper;
mod stored;
#[cfg(test)]
mod tests;
mod wire;

use std::time::Duration;

use connector::{
    Answer, Authorise, Called, Cancel, Capture, Certainty, Complete, Connector, Credentials,
    Descriptor, Disputes, Finding, LaterAnswer, Link, LookUp, Notices, Probe, Refund, Registers,
    Stored,
};
use domain::{caller::Mode, money::Money};
use serde_json::Value;

use self::api::Api;

/// So long after it was first sent a change is sent again: Adyen knows a key for at least seven days. Source: docs/processors/adyen.md,
/// "Idempotency".
const REPLAYS_WITHIN: Duration = Duration::from_hours(6 * 24);

/// Adyen's connector. It has no state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Adyen;

impl Connector for Adyen {
    fn descriptor(&self) -> &Descriptor {
        &descriptor::DESCRIPTOR
    }

    fn check_settings(&self, settings: &Value) -> Result<(), String> {
        account::check_settings(settings)
    }

    fn check_credentials(&self, credentials: &Credentials, mode: Mode) -> Result<(), String> {
        account::check(credentials, mode)
    }

    fn check_amount(&self, money: Money) -> Result<(), &'static str> {
        amounts::to_wire(money).map(drop)
    }

    fn authorise<'a>(&'a self, link: &'a Link<'a>, call: &'a Authorise<'a>) -> Called<'a, Answer> {
        Box::pin(authorise::authorise(Api::of(link), call))
    }

    fn complete<'a>(&'a self, link: &'a Link<'a>, call: &'a Complete<'a>) -> Called<'a, Answer> {
        Box::pin(authorise::complete(Api::of(link), call))
    }

    fn capture<'a>(&'a self, link: &'a Link<'a>, call: &'a Capture<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(later::capture(Api::of(link), call))
    }

    fn cancel<'a>(&'a self, link: &'a Link<'a>, call: &'a Cancel<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(later::cancel(Api::of(link), call))
    }

    fn refund<'a>(&'a self, link: &'a Link<'a>, call: &'a Refund<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(later::refund(Api::of(link), call))
    }

    /// Adyen can't be asked. Source: docs/processors/adyen.md, "Looking up".
    fn look_up<'a>(&'a self, _: &'a Link<'a>, _: &'a LookUp<'a>) -> Called<'a, Finding> {
        Box::pin(std::future::ready(Ok(Finding::nothing())))
    }

    fn certainty(&self) -> Option<&dyn Certainty> {
        Some(self)
    }

    fn probe(&self) -> Option<&dyn Probe> {
        Some(self)
    }

    fn stored(&self) -> Option<&dyn Stored> {
        Some(self)
    }

    fn registers(&self) -> Option<&dyn Registers> {
        Some(self)
    }

    fn notices(&self) -> Option<&dyn Notices> {
        Some(self)
    }

    fn disputes(&self) -> Option<&dyn Disputes> {
        Some(self)
    }
}

impl Certainty for Adyen {
    fn replays_within(&self) -> Duration {
        replays_within()
    }

    fn abandon<'a>(&'a self, link: &'a Link<'a>, call: &'a Cancel<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(later::abandon(Api::of(link), call))
    }
}

/// For how long a request may be sent again.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenKeyOutlivesItsRetention = bugs::replay_for_a_month)
)]
fn replays_within() -> Duration {
    REPLAYS_WITHIN
}
