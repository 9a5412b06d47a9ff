//! What happens by itself after a while.

use std::time::Duration;

use super::books::Books;

/// A change to come, named by the `pspReference` of what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// The outcome of a modification.
    Settle(String),
    /// The payment is captured by itself.
    Capture(String),
    /// A capture, or the automatic one of a payment, fails after all.
    CaptureFails(String),
    RefundFails(String),
    RefundReversed(String),
    /// A pending payment is decided.
    Decide(String),
    /// What isn't captured has expired.
    Expire(String),
    /// The shopper did not come back.
    Close(String),
    /// The cardholder disputes the payment.
    Dispute(String),
    /// The money of a dispute is taken.
    Charge(String),
    /// The defence was good for the time being.
    Reverse(String),
    /// The issuer doesn't answer the defence.
    Win(String),
    /// The issuer declines the defence.
    ChargeAgain(String),
    /// An inquiry was answered badly.
    Escalate(String),
    /// The time to defend is over, or the dispute was accepted.
    Forfeit(String),
}

/// A change with its time.
#[derive(Debug, Clone)]
pub(super) struct Later {
    at: Duration,
    change: Change,
}

impl Books {
    pub(super) fn do_later(&mut self, after: Duration, change: Change) {
        self.later.push(Later {
            at: self.now.saturating_add(after),
            change,
        });
    }

    /// Makes happen what is due by `now`, in the order of its times.
    pub(super) fn catch_up(&mut self, now: Duration) {
        loop {
            let next = self
                .later
                .iter()
                .enumerate()
                .filter(|(_, later)| later.at <= now)
                .min_by_key(|(_, later)| later.at);
            let Some((at, _)) = next else { break };
            let later = self.later.remove(at);
            self.now = later.at;
            self.happen(&later.change);
        }
        self.now = now;
    }

    /// Each does nothing where it has become needless: the payment was cancelled, the dispute closed.
    fn happen(&mut self, change: &Change) {
        match change {
            Change::Settle(psp) => self.settle(psp),
            Change::Capture(psp) => self.capture_by_itself(psp),
            Change::CaptureFails(psp) => self.fail_capture(psp),
            Change::RefundFails(psp) => self.take_refund_back(psp, "REFUND_FAILED"),
            Change::RefundReversed(psp) => self.take_refund_back(psp, "REFUNDED_REVERSED"),
            Change::Decide(psp) => self.decide(psp),
            Change::Expire(psp) => self.expire(psp),
            Change::Close(psp) => self.close(psp),
            Change::Dispute(psp) => self.dispute_by_plan(psp),
            Change::Charge(psp) => self.charge_back(psp),
            Change::Reverse(psp) => self.reverse_chargeback(psp),
            Change::Win(psp) => self.win(psp),
            Change::ChargeAgain(psp) => self.charge_back_again(psp),
            Change::Escalate(psp) => self.become_chargeback(psp),
            Change::Forfeit(psp) => self.forfeit(psp),
        }
    }
}
