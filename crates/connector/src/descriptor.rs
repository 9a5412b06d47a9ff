//! The facts about a processor.

use std::time::Duration;

use domain::method::Method;
use http_client::HostPattern;

use crate::{CredentialField, Fact};

/// The facts about a processor.
#[derive(Debug, Clone)]
pub struct Descriptor {
    /// Its identifier in settings and rows, such as `simulator`.
    pub processor: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The address of its logo, when it has one.
    pub logo: Option<&'static str>,
    /// The methods it takes.
    pub methods: &'static [Method],
    /// What it can do.
    pub capabilities: Capabilities,
    /// What it must be given to know a team.
    pub credentials: &'static [CredentialField],
    /// The fields of a payment that it fills.
    pub facts: &'static [Fact],
    /// The hosts that its connector calls; none for one that calls nobody.
    pub hosts: Vec<HostPattern>,
    /// A call that takes longer counts as unanswered.
    pub call_timeout: Duration,
    /// So long after a call can have reached the processor at the latest, "not found" proves that it never did.
    /// `None`: it never proves it.
    pub not_found_final_after: Option<Duration>,
    /// The parameters of the customer's way back that a completion needs, all of them. Empty: the processor is asked whether the
    /// customer has finished.
    pub returned: &'static [&'static str],
    /// How long an authorisation can be captured.
    pub authorisation_lifetime: Duration,
    /// When to ask after things that the processor said it would decide later, counted from its answer; the last
    /// interval repeats until the recovery schedule is reached. Empty: the recovery schedule alone.
    pub pending_schedule: &'static [Duration],
}

/// What a processor can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each answers one question, and no two depend on each other"
)]
pub struct Capabilities {
    /// Authorise and capture in one call.
    pub sale: bool,
    /// Capture less than was authorised.
    pub partial_capture: bool,
    /// Capture one authorisation several times. What an authorisation's own answer says of it counts more
    /// ([`crate::Approval::several_captures`]).
    pub several_captures: bool,
    /// Refund less than was captured.
    pub partial_refund: bool,
}
