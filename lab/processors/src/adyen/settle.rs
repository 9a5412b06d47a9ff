//! The outcomes of modifications.

use std::time::Duration;

use super::{
    amount::Amount,
    books::Books,
    later::Change,
    modifications::{Modification, Sort},
    notices::Event,
    payments::{Payment, REJECTED_AFTER, Status},
    plans::{Capturing, Refunding},
};

/// How much later a slow refund comes.
const SLOW: Duration = Duration::from_secs(30);

/// Source: docs/processors/adyen.md, "Results".
const NO_BALANCE: &str = "Insufficient balance on payment";
const NOT_CAPTURED: &str = "Transaction hasn't been captured, refund not possible";
/// The simulator's own words.
const NOT_CANCELLED: &str = "Transaction can't be cancelled";
const SEVERAL_CAPTURES: &str = "Reversal isn't possible after several captures";
const UNKNOWN: &str = "Transaction not found";
const BY_ISSUER: &str = "Refused by the issuer";

impl Books {
    /// Makes a modification take effect, or not, and notifies that.
    pub(super) fn settle(&mut self, psp: &str) {
        let Some(modification) = self
            .modifications
            .get(psp)
            .filter(|row| row.outcome.is_none())
            .cloned()
        else {
            return;
        };
        if modification.sort == Sort::TechnicalCancel {
            self.settle_technical_cancel(&modification);
            return;
        }
        let Some(payment) = self.payments.get(&modification.payment).cloned() else {
            return;
        };
        match modification.sort {
            Sort::Capture => self.settle_capture(&modification, &payment),
            Sort::Refund => self.settle_refund(&modification, &payment),
            Sort::Reverse => self.settle_reversal(&modification, &payment),
            Sort::Cancel | Sort::TechnicalCancel => {
                let refusal = (!can_cancel(&payment)).then_some(NOT_CANCELLED);
                if refusal.is_none() {
                    self.cancel(&payment);
                }
                self.notify_outcome(
                    &modification,
                    event(&modification, &payment, "CANCELLATION"),
                    refusal,
                );
            }
        }
    }

    fn settle_capture(&mut self, modification: &Modification, payment: &Payment) {
        let value = value_for(modification, payment);
        let refusal = match value {
            Some(_) if payment.plan.capturing == Capturing::Refused => Some(BY_ISSUER),
            Some(value) if payment.is_authorised() && value <= payment.open => None,
            _ => Some(NO_BALANCE),
        };
        if let (None, Some(value)) = (refusal, value) {
            self.take(&payment.psp, value);
            if payment.plan.capturing == Capturing::FailsLater {
                self.do_later(
                    REJECTED_AFTER,
                    Change::CaptureFails(modification.psp.clone()),
                );
            }
        }
        self.notify_outcome(
            modification,
            event(modification, payment, "CAPTURE"),
            refusal,
        );
    }

    fn settle_refund(&mut self, modification: &Modification, payment: &Payment) {
        let value = value_for(modification, payment);
        let left = payment.captured.saturating_sub(payment.refunded);
        let due_at = modification.asked_at.saturating_add(SLOW);
        let refusal = match value {
            _ if payment.captured == 0 => Some(NOT_CAPTURED),
            Some(value) if value <= left => match payment.plan.refunding {
                Refunding::Refused => Some(BY_ISSUER),
                Refunding::Slow if self.now < due_at => {
                    let rest = due_at.saturating_sub(self.now);
                    self.do_later(rest, Change::Settle(modification.psp.clone()));
                    return;
                }
                _ => None,
            },
            _ => Some(NO_BALANCE),
        };
        if let (None, Some(value)) = (refusal, value) {
            self.give_back(payment, value);
            self.plan_refund(modification, payment);
        }
        self.notify_outcome(
            modification,
            event(modification, payment, "REFUND"),
            refusal,
        );
    }

    /// `CANCEL_OR_REFUND`: always the whole amount.
    fn settle_reversal(&mut self, modification: &Modification, payment: &Payment) {
        let mut event = event(modification, payment, "CANCEL_OR_REFUND");
        let mut act = |action: &str| {
            event
                .additional
                .insert("modification.action".to_owned(), action.to_owned());
        };
        let left = payment.captured.saturating_sub(payment.refunded);
        let refusal = if payment.captures > 1 {
            Some(SEVERAL_CAPTURES)
        } else if payment.captured == 0 && can_cancel(payment) {
            act("cancel");
            self.cancel(payment);
            None
        } else if left > 0 {
            act("refund");
            self.give_back(payment, left);
            self.plan_refund(modification, payment);
            None
        } else {
            Some(NO_BALANCE)
        };
        self.notify_outcome(modification, event, refusal);
    }

    /// All payments of the reference that aren't captured, and were there when it was asked. Without one, nothing is known of it.
    fn settle_technical_cancel(&mut self, modification: &Modification) {
        let found: Vec<Payment> = self
            .payments
            .values()
            .filter(|payment| {
                payment.reference == modification.payment
                    && payment.account == modification.account
                    && payment.number < modification.number
                    && matches!(
                        payment.status,
                        Status::Authorised
                            | Status::PartlyAuthorised
                            | Status::Cancelled
                            | Status::Pending
                    )
            })
            .cloned()
            .collect();
        for payment in &found {
            let refusal = (!can_cancel(payment)).then_some(NOT_CANCELLED);
            if refusal.is_none() {
                self.cancel(payment);
            }
            self.notify_outcome(
                modification,
                payment.event("TECHNICAL_CANCEL", Some(&modification.psp)),
                refusal,
            );
        }
        if found.is_empty() {
            let event = Event {
                code: "TECHNICAL_CANCEL",
                psp: modification.psp.clone(),
                original: None,
                account: modification.account.clone(),
                reference: modification.payment.clone(),
                amount: Amount {
                    value: 0,
                    currency: "EUR".to_owned(),
                },
                method: String::new(),
                success: false,
                reason: String::new(),
                additional: std::collections::BTreeMap::new(),
            };
            self.notify_outcome(modification, event, Some(UNKNOWN));
        }
    }

    fn notify_outcome(
        &mut self,
        modification: &Modification,
        mut event: Event,
        refusal: Option<&str>,
    ) {
        event.success = refusal.is_none();
        refusal.unwrap_or_default().clone_into(&mut event.reason);
        if let Some(row) = self.modifications.get_mut(&modification.psp) {
            row.outcome = Some(event.success);
        }
        self.notify(event);
    }

    /// Releases what isn't captured.
    fn cancel(&mut self, payment: &Payment) {
        self.change(&payment.psp, |payment| {
            payment.open = 0;
            if payment.captured == 0 {
                payment.status = Status::Cancelled;
            }
        });
    }

    fn give_back(&mut self, payment: &Payment, value: i64) {
        self.change(&payment.psp, |payment| {
            payment.refunded = payment.refunded.saturating_add(value);
        });
        self.moved(
            &payment.psp,
            "REFUND",
            payment.amount.of_value(value.saturating_neg()),
        );
    }

    fn plan_refund(&mut self, modification: &Modification, payment: &Payment) {
        let psp = modification.psp.clone();
        match payment.plan.refunding {
            Refunding::FailsLater => self.do_later(REJECTED_AFTER, Change::RefundFails(psp)),
            Refunding::ReversedLater => self.do_later(REJECTED_AFTER, Change::RefundReversed(psp)),
            Refunding::Sure | Refunding::Slow | Refunding::Refused => {}
        }
    }
}

/// The event of a modification: with its own reference where it has one.
fn event(modification: &Modification, payment: &Payment, code: &'static str) -> Event {
    let mut event = payment.event(code, Some(&modification.psp));
    if let Some(reference) = &modification.reference {
        event.reference.clone_from(reference);
    }
    if let Some(amount) = &modification.amount {
        event.amount.clone_from(amount);
    }
    event
}

/// The value of a modification in the payment's own currency.
fn value_for(modification: &Modification, payment: &Payment) -> Option<i64> {
    let amount = modification.amount.as_ref()?;
    (amount.currency == payment.amount.currency).then_some(amount.value)
}

/// Whether something is authorised that isn't captured.
fn can_cancel(payment: &Payment) -> bool {
    payment.is_authorised()
        && (payment.open > 0 || payment.amount.value == 0 && payment.captured == 0)
}
