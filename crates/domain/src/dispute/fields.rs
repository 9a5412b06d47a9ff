//! What a dispute is, to be read: its fields change by its transitions alone.

use super::{
    Dispute, DisputeOccurrence, DisputeReason, DisputeStage, DisputeStatus, DisputedFunds,
    Standing, Warning,
};
use crate::{
    Timestamp,
    id::{ConnectionId, DisputeId, PaymentId, TeamId},
    money::Money,
};

impl Dispute {
    /// Its id.
    pub fn id(&self) -> DisputeId {
        self.id
    }

    /// Whose it is.
    pub fn team(&self) -> TeamId {
        self.team
    }

    /// The payment.
    pub fn payment(&self) -> PaymentId {
        self.payment
    }

    /// The connection whose processor reported it.
    pub fn connection(&self) -> &ConnectionId {
        &self.connection
    }

    /// The processor's id of it.
    pub fn source_id(&self) -> &str {
        &self.source_id
    }

    /// The processor's id of the payment, as far as it was reported.
    pub fn source_payment(&self) -> Option<&str> {
        self.source_payment.as_deref()
    }

    /// Counts its commits; the number of its last event.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// When it became known here.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// When the customer disputed, as the processor says.
    pub fn disputed_at(&self) -> Timestamp {
        self.disputed_at
    }

    /// Until when the merchant can respond.
    pub fn respond_by(&self) -> Option<Timestamp> {
        self.respond_by
    }

    /// How much is disputed; may be a part of the payment, or in another currency.
    pub fn money(&self) -> Money {
        self.money
    }

    /// Its status.
    pub fn status(&self) -> DisputeStatus {
        self.status
    }

    /// Its stage.
    pub fn stage(&self) -> DisputeStage {
        self.stage
    }

    /// Its stage and status.
    pub fn standing(&self) -> Standing {
        Standing {
            stage: self.stage,
            status: self.status,
        }
    }

    /// Why.
    pub fn reason(&self) -> DisputeReason {
        self.reason
    }

    /// The processor's own status.
    pub fn processor_status(&self) -> Option<&str> {
        self.processor_status.as_deref()
    }

    /// The processor's own reason.
    pub fn processor_reason(&self) -> Option<&str> {
        self.processor_reason.as_deref()
    }

    /// Where the money is, when the processor says it.
    pub fn funds(&self) -> Option<DisputedFunds> {
        self.funds
    }

    /// The last warning about the time to respond as it is now.
    pub fn warned(&self) -> Option<Warning> {
        self.warned
    }

    /// How many events merchants got, or will get, of it before the commit of these occurrences, which are counted already.
    pub fn public_events_before(&self, occurred: &[DisputeOccurrence]) -> u64 {
        self.public_events
            .saturating_sub(public_events_in(occurred))
    }

    /// Whether merchants get an event of these occurrences.
    pub fn is_public(occurred: &[DisputeOccurrence]) -> bool {
        public_events_in(occurred) > 0
    }

    /// Counts a commit and its events. Each change calls it once, before the document is written.
    pub fn next_version(&mut self, occurred: &[DisputeOccurrence]) {
        self.version = self.version.saturating_add(1);
        let found = public_events_in(occurred);
        self.public_events = self.public_events.saturating_add(found);
    }
}

/// How many of the events merchants get.
fn public_events_in(occurred: &[DisputeOccurrence]) -> u64 {
    let events = occurred.iter().flat_map(|one| &one.events);
    let public = events.filter(|event| crate::event::is_public_of_dispute(event));
    u64::try_from(public.count()).unwrap_or(u64::MAX)
}
