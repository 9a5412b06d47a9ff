//! What happens by itself after a while.

use std::time::Duration;

use super::{books::Books, refusal::Refusal};

/// A change to come, named by what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// A bank account is debited for the intent.
    Debit(String),
    /// The authorisation of the intent ends.
    Expire(String),
    /// The cardholder disputes the charge.
    Dispute(String),
    /// The cardholder's bank asks about the charge.
    Inquiry(String),
    /// The refund comes through.
    Refunded(String),
    /// The refund fails.
    RefundFailed(String),
    /// The bank decides about the dispute.
    Decide(String),
    /// The time to answer the dispute is over.
    Deadline(String),
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
        self.origin = None;
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
            // What is no longer possible has become needless: the intent was cancelled, the dispute closed.
            let _needless = self.happen(&later.change);
        }
        self.now = now;
    }

    fn happen(&mut self, change: &Change) -> Result<(), Refusal> {
        match change {
            Change::Debit(id) => self.debit(id),
            Change::Expire(id) => self.expire(id),
            Change::Dispute(id) => self.open_dispute(id, false),
            Change::Inquiry(id) => self.open_dispute(id, true),
            Change::Refunded(id) => self.finish_refund(id),
            Change::RefundFailed(id) => self.fail_refund(id),
            Change::Decide(id) => self.decide_by_evidence(id),
            Change::Deadline(id) => self.miss_deadline(id),
        }
    }
}
