//! Changes that no operation brings: of what is shown, of when it is captured, and of which requests have their response.

use std::time::Duration;

use super::{
    CaptureRule, FellBack, Occurrence, OnceRef, PauseReason, Payer, Payment, PaymentEvent, Status,
};
use crate::{Timestamp, id::ConnectionId};

/// Where a payment goes after an attempt that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The attempt that has ended.
    pub after: u32,
    /// Why it may go on, in the words of [`Payment::may_fall_back`].
    pub why: &'static str,
    /// The connection of the next attempt.
    pub connection: ConnectionId,
    /// The connections that are left after that one, in order.
    pub rest: Vec<ConnectionId>,
}

impl Payment {
    /// Counts a commit. Each change calls it once, before the document is written.
    pub fn next_version(&mut self) {
        self.version += 1;
        self.is_response = false;
    }

    /// Idempotency records name this version as their response. Who changes it writes the document into them.
    pub fn note_response(&mut self) {
        self.is_response = true;
    }

    /// Counts the events of a commit that merchants get. Each change calls it once, before the document is written.
    pub fn count_public_events(&mut self, occurred: &[Occurrence]) {
        let found = public_events_in(occurred);
        self.public_events = self.public_events.saturating_add(found);
    }

    /// How many events merchants got, or will get, of it before the commit of these occurrences, which are counted already.
    pub fn public_events_before(&self, occurred: &[Occurrence]) -> u64 {
        let found = public_events_in(occurred);
        self.public_events.saturating_sub(found)
    }

    /// The merchant's own data are replaced.
    pub fn replace_metadata(&mut self, metadata: serde_json::Value) {
        self.metadata = Some(metadata);
    }

    /// A flow decides, after the authorisation, when the payment is captured. Returns whether there is anything to capture.
    pub fn decide_capture(&mut self, rule: CaptureRule, at: Timestamp) -> bool {
        if self.status != Status::Authorised {
            return false;
        }
        self.capture_rule = rule;
        match rule {
            CaptureRule::Immediate => self.capture_at = Some(at),
            CaptureRule::After { seconds } => {
                self.capture_at = Some(at.after(Duration::from_secs(seconds)));
            }
            CaptureRule::Api | CaptureRule::Flow => {}
        }
        true
    }

    /// The attempt that has just ended is not the end: another follows in the same commit.
    pub fn go_on_elsewhere(&mut self, next: Elsewhere, at: Timestamp) -> Occurrence {
        self.status = Status::Active;
        if let Some(route) = &mut self.route {
            route.rest = next.rest;
        }
        if let Some(pause) = self.flow.as_mut().and_then(|run| run.pause.as_mut())
            && pause.why == PauseReason::Step
        {
            pause.why = PauseReason::Outcome;
            pause.due = None;
        }
        let words = format!(
            "After {}, the payment goes on at {}.",
            next.why, next.connection
        );
        let fell_back = PaymentEvent::FellBack(FellBack {
            operation: next.after,
            connection: next.connection,
        });
        Occurrence::new(at, "Falling back")
            .saying(words)
            .event(fell_back)
    }

    /// The idempotency record that waits for operation `n`, taken from it.
    pub fn take_once(&mut self, n: u32) -> Option<OnceRef> {
        self.operation_mut(n)?.once.take()
    }

    /// The request with this idempotency record waits for what follows at once.
    pub fn owe_answer(&mut self, once: OnceRef) {
        self.owed_answer = Some(once);
    }

    /// The idempotency record that waits for what followed at once, taken from the payment.
    pub fn take_owed_answer(&mut self) -> Option<OnceRef> {
        self.owed_answer.take()
    }

    /// The request with this idempotency record has the payment as its response.
    pub fn note_answered(&mut self, once: OnceRef) {
        self.answered.push(once);
    }

    /// Erases what is known of the person; the id of the customer stays. Returns whether there was anything more.
    pub fn forget_person(&mut self) -> bool {
        let known = self.customer.take();
        self.customer = known.as_ref().map(|payer| Payer {
            id: payer.id,
            ..Payer::default()
        });
        let (holder, address) = (self.method.holder.take(), self.method.address.take());
        // The address from which the customer accepted a mandate is a person's; the consent itself must stay.
        let account = self.method.account.as_mut();
        let mandate = account.and_then(|account| account.mandate.as_mut());
        let accepted_from = mandate.and_then(|mandate| mandate.ip_address.take());
        // What the merchant's fraud provider knows is about the person too.
        let fraud = self.fraud.take();
        let browser = self.browser.take();
        accepted_from.is_some()
            || known != self.customer
            || holder.is_some()
            || address.is_some()
            || fraud.is_some()
            || browser.is_some()
    }
}

/// How many of the events merchants get.
fn public_events_in(occurred: &[Occurrence]) -> u64 {
    let events = occurred.iter().flat_map(|one| &one.events);
    let public = events.filter(|event| crate::event::is_public_of_payment(event));
    u64::try_from(public.count()).unwrap_or(u64::MAX)
}
