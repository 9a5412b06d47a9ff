//! The authorisation and what follows it by itself.

use std::time::Duration;

use super::{EXPIRES_AFTER, Payment, Proof, Status, Taking, facts};
use crate::adyen::{
    books::Books,
    instrument::Flow,
    later::Change,
    plans::{Capturing, Ending, Reason, reason},
};

/// When a pending payment is decided, and a debit done.
const DECIDED_AFTER: Duration = Duration::from_secs(10);
/// When an error turns out to be an authorisation.
const CONTRADICTED_AFTER: Duration = Duration::from_secs(5);
/// When a scheme rejects a capture.
pub(in crate::adyen) const REJECTED_AFTER: Duration = Duration::from_secs(5);
/// When the cardholder disputes a payment that was captured.
const DISPUTED_AFTER: Duration = Duration::from_secs(2);

impl Books {
    /// Asks the issuer, as the payment's plan has it.
    pub(in crate::adyen) fn authorise(&mut self, psp: &str) {
        let Some(payment) = self.payments.get(psp) else {
            return;
        };
        let now = self.now;
        let expired = payment
            .instrument
            .card
            .as_ref()
            .is_some_and(|card| card.has_expired(now));
        let unknown = payment
            .instrument
            .card
            .as_ref()
            .is_some_and(|card| !crate::adyen::cards::is_known(&card.number));
        match payment.plan.ending.clone() {
            _ if unknown => self.refuse(psp, reason("8")),
            _ if expired => self.refuse(psp, reason("6")),
            Ending::Refused(why) => self.refuse(psp, why),
            Ending::Contradicted => {
                self.refuse(psp, reason("4"));
                self.do_later(CONTRADICTED_AFTER, Change::Decide(psp.to_owned()));
            }
            Ending::Later(_) => self.wait(psp),
            _ if payment.instrument.flow == Flow::Debit => self.wait(psp),
            Ending::Approved => self.approve(psp, Status::Authorised),
            Ending::Partly => self.approve(psp, Status::PartlyAuthorised),
        }
    }

    pub(in crate::adyen) fn wait(&mut self, psp: &str) {
        self.change(psp, |payment| payment.status = Status::Pending);
        self.do_later(DECIDED_AFTER, Change::Decide(psp.to_owned()));
    }

    /// Decides what was pending; and what was an error, after all.
    pub(in crate::adyen) fn decide(&mut self, psp: &str) {
        let Some(payment) = self.payments.get(psp) else {
            return;
        };
        let is_contradicted = payment.plan.ending == Ending::Contradicted;
        if payment.status != Status::Pending && !is_contradicted {
            return;
        }
        match payment.plan.ending {
            Ending::Later(Some(why)) => self.refuse(psp, why),
            _ => self.approve(psp, Status::Authorised),
        }
    }

    pub(in crate::adyen) fn refuse(&mut self, psp: &str, why: Reason) {
        self.change(psp, |payment| payment.status = Status::Refused(why));
        self.note_facts(psp);
        let Some(payment) = self.payments.get(psp) else {
            return;
        };
        let mut event = payment.event("AUTHORISATION", None);
        event.success = false;
        why.text.clone_into(&mut event.reason);
        event.additional.extend(payment.facts.clone());
        self.notify(event);
    }

    fn approve(&mut self, psp: &str, status: Status) {
        self.change(psp, |payment| {
            payment.status = status;
            payment.open = payment.authorised();
        });
        self.store_instrument(psp);
        self.note_facts(psp);
        let Some(payment) = self.payments.get(psp) else {
            return;
        };
        let mut event = payment.event("AUTHORISATION", None);
        event.amount = payment.amount.of_value(payment.authorised());
        event.additional.extend(payment.facts.clone());
        let taking = payment.taking;
        let is_money = payment.amount.value > 0;
        self.notify(event);
        if !is_money {
            return;
        }
        match taking {
            Taking::After(Duration::ZERO) => self.capture_by_itself(psp),
            Taking::After(delay) => self.do_later(delay, Change::Capture(psp.to_owned())),
            Taking::Asked => self.do_later(EXPIRES_AFTER, Change::Expire(psp.to_owned())),
        }
    }

    /// What answers and notifications say about it, where the account shows it.
    fn note_facts(&mut self, psp: &str) {
        if !self.account.shows_additional_data {
            return;
        }
        let code = self.draw.id("", 6).to_ascii_uppercase();
        let trace = u64::from_str_radix(&hex::encode(self.draw.id("", 6)), 16).unwrap_or(0);
        let token = self
            .payments
            .get(psp)
            .and_then(|payment| self.token_of(payment));
        let network = facts::Network { code, trace };
        self.change(psp, |payment| {
            facts::note(payment, &network, token.as_deref());
        });
    }

    /// An automatic capture has no reference and no notification of its own.
    pub(in crate::adyen) fn capture_by_itself(&mut self, psp: &str) {
        let Some(payment) = self.payments.get(psp) else {
            return;
        };
        if !payment.is_authorised() || payment.open == 0 {
            return;
        }
        let (value, fails) = (payment.open, payment.plan.capturing != Capturing::Sure);
        self.take(psp, value);
        if fails {
            self.do_later(REJECTED_AFTER, Change::CaptureFails(psp.to_owned()));
        }
    }

    /// Takes money of an authorisation. Without several captures the rest is released.
    pub(in crate::adyen) fn take(&mut self, psp: &str, value: i64) {
        let several = self.account.several_captures;
        self.change(psp, |payment| {
            payment.captured = payment.captured.saturating_add(value);
            payment.captures = payment.captures.saturating_add(1);
            payment.open = if several {
                payment.open.saturating_sub(value)
            } else {
                0
            };
        });
        let Some(payment) = self.payments.get(psp) else {
            return;
        };
        let (amount, is_first) = (payment.amount.of_value(value), payment.captures == 1);
        let is_disputed = payment.plan.dispute.is_some();
        self.moved(psp, "CAPTURE", amount);
        if is_first && is_disputed {
            self.do_later(DISPUTED_AFTER, Change::Dispute(psp.to_owned()));
        }
    }

    /// What isn't captured is released.
    pub(in crate::adyen) fn expire(&mut self, psp: &str) {
        let Some(payment) = self.payments.get(psp) else {
            return;
        };
        if !payment.is_authorised() || payment.open == 0 {
            return;
        }
        let mut event = payment.event("EXPIRE", None);
        event.amount = payment.amount.of_value(payment.open);
        let is_untouched = payment.captured == 0;
        self.change(psp, |payment| {
            payment.open = 0;
            if is_untouched {
                payment.status = Status::Expired;
            }
        });
        self.notify(event);
    }

    /// The shopper did not come back.
    pub(in crate::adyen) fn close(&mut self, psp: &str) {
        let Some(payment) = self
            .payments
            .get(psp)
            .filter(|payment| payment.status == Status::Open)
        else {
            return;
        };
        let mut event = payment.event("OFFER_CLOSED", None);
        event.additional.clear();
        self.change(psp, |payment| payment.status = Status::Closed);
        self.notify(event);
    }

    /// The bank, or the page of the method, has answered that the shopper was there.
    pub(in crate::adyen) fn prove(&mut self, psp: &str) {
        self.change(psp, |payment| {
            if matches!(payment.instrument.flow, Flow::Challenge(_)) {
                payment.proof = Proof::Here;
            }
        });
    }

    pub(in crate::adyen) fn change(&mut self, psp: &str, change: impl FnOnce(&mut Payment)) {
        if let Some(payment) = self.payments.get_mut(psp) {
            change(payment);
        }
    }
}
