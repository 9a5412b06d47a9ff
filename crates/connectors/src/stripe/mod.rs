//! Stripe. API version `2026-10-28.endive`.
//!
//! Facts and their sources: docs/processors/stripe.md. The simulator of the wire format that this is proven against:
//! `pointsman-lab processor stripe`.

mod account;
mod amounts;
mod answers;
mod api;
mod authorise;
#[cfg(feature = "planted")]
mod bugs;
mod declines;
mod descriptor;
mod disputes;
mod later;
mod look_up;
mod marks;
mod methods;
mod notices;
mod prepare;
mod refunds;
mod registration;
mod requests;
mod resolve;
mod signature;
mod stored;
mod wire;

pub use registration::EVENTS;

use connector::{
    Answer, Authorise, Called, Cancel, Capture, Complete, Connector, Credentials, Descriptor,
    Disputes, Finding, LaterAnswer, Link, LookUp, Notices, Probe, Refund, Registers, Stored,
};
use domain::{caller::Mode, money::Money};
use serde_json::Value;

use self::api::Api;

/// Stripe's connector. It has no state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stripe;

impl Connector for Stripe {
    fn descriptor(&self) -> &Descriptor {
        &descriptor::DESCRIPTOR
    }

    fn check_settings(&self, settings: &Value) -> Result<(), String> {
        let Some(settings) = settings.as_object() else {
            return Err("must be an object".to_owned());
        };
        let named = settings.get(descriptor::NETWORK_IDS);
        if named.is_some_and(|named| !named.is_boolean()) {
            return Err(format!(
                "has a setting {} that is neither true nor false",
                descriptor::NETWORK_IDS
            ));
        }
        let is_known =
            |name: &&String| ["base_url", descriptor::NETWORK_IDS].contains(&name.as_str());
        match settings.keys().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(_) => Err(format!(
                "has a setting that Stripe's connector does not know: it knows base_url (test mode) and {}",
                descriptor::NETWORK_IDS
            )),
        }
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

    fn look_up<'a>(&'a self, link: &'a Link<'a>, call: &'a LookUp<'a>) -> Called<'a, Finding> {
        Box::pin(look_up::look_up(Api::of(link), call))
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
