//! When a payment must be looked after, and what is to be done then.

use std::time::Duration;

use uuid::Uuid;

use super::{Kind, Operation, Payment, State, Status};
use crate::Timestamp;

/// Between look-ups once the schedule is exhausted, and between further tries of what a processor refused.
const DAILY: Duration = Duration::from_hours(24);

/// So long whoever commits a payment goes on with it alone. Longer than a webhook that a flow calls may take.
const HELD: Duration = Duration::from_secs(12);

/// Until when at most others leave to whoever commits at `at` what is due then.
pub fn held_until(at: Timestamp) -> Timestamp {
    at.after(HELD)
}

/// The rules of time for one connection.
#[derive(Debug, Clone)]
pub struct Policy {
    /// When an unknown outcome is looked up, counted from the time it became unknown; then daily.
    pub recovery: Vec<Duration>,
    /// When something that the processor decides later is looked up first; then the recovery schedule.
    pub pending: Vec<Duration>,
    /// How long an authorisation can be captured.
    pub lifetime: Duration,
    /// So long after a call can have been sent at the latest, "not found" proves that nothing happened.
    pub not_found_final_after: Option<Duration>,
    /// How long the customer has to come back from 3D Secure or from an alternative method's page.
    pub customer_lifetime: Duration,
    /// How long a call can take after it is sent.
    pub call_timeout: Duration,
}

impl Policy {
    /// The first time of the recovery schedule after `now` for something unknown since `since`.
    pub fn next_look(&self, since: Timestamp, now: Timestamp) -> Timestamp {
        next_of(&self.recovery, since, now)
    }

    /// The first time of the pending schedule after `now`, then of the recovery schedule.
    pub fn next_ask(&self, since: Timestamp, now: Timestamp) -> Timestamp {
        let mut offsets = Vec::with_capacity(self.pending.len());
        let mut total = Duration::ZERO;
        for span in &self.pending {
            total = total.saturating_add(*span);
            offsets.push(total);
        }
        let early = offsets
            .iter()
            .map(|offset| since.after(*offset))
            .find(|at| *at > now);
        early.unwrap_or_else(|| self.next_look(since, now))
    }

    /// The time after `now` at which something refused or failed since `since` is tried again.
    pub fn next_try(&self, since: Timestamp, now: Timestamp) -> Timestamp {
        self.next_look(since, now)
    }
}

fn next_of(offsets: &[Duration], since: Timestamp, now: Timestamp) -> Timestamp {
    offsets
        .iter()
        .map(|offset| since.after(*offset))
        .find(|at| *at > now)
        .unwrap_or_else(|| now.after(DAILY))
}

/// What is to be done for a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duty {
    /// Ask the processor what became of an operation.
    LookUp(u32),
    /// Capture what was authorised and should have been captured at once.
    Capture,
    /// Cancel an authorisation whose life time has ended.
    Expire,
    /// Give up the authorisation that waits for the customer.
    Abandon,
    /// Go on with the payment's own flow.
    Flow,
    /// Go on with this flow, which an outcome started.
    Triggered(Uuid),
    /// Give back the charge of an operation.
    Reverse {
        /// The operation that charged.
        target: u32,
        /// Whether it was captured.
        captured: bool,
    },
}

impl Payment {
    /// When others must look after the payment that is committed at `at`. Whoever commits it goes on with what is due at
    /// once (a step of its flow, a capture), so that a request tells how it ended and not the middle of it; others take
    /// that over only after a while, should the committer have died.
    pub fn due_for_others(&self, at: Timestamp) -> Option<Timestamp> {
        let held = self
            .own_duties()
            .map(|(due, _)| if due <= at { held_until(at) } else { due });
        self.looked_after().chain(held).min()
    }

    /// When the payment must be looked after next. `None`: never, unless something happens.
    pub fn due_at(&self) -> Option<Timestamp> {
        self.looked_after()
            .chain(self.own_duties().map(|own| own.0))
            .min()
    }

    /// What whoever commits the payment goes on with at `at`: one thing at a time, the earliest due first. Nothing that
    /// others look after hides it.
    pub fn own_duty(&self, at: Timestamp) -> Option<Duty> {
        self.own_duties()
            .filter(|(due, _)| *due <= at)
            .min_by_key(|own| own.0)
            .map(|own| own.1)
    }

    /// The times of what a request goes on with.
    fn own_duties(&self) -> impl Iterator<Item = (Timestamp, Duty)> + '_ {
        let give_up = self.give_up_due().map(|time| (time, Duty::Abandon));
        let flow = self.flow_due().map(|time| (time, Duty::Flow));
        let capture = self.capture_due().map(|time| (time, Duty::Capture));
        give_up.into_iter().chain(flow).chain(capture)
    }

    /// The times of what no request goes on with: look-ups, life times, reversals, and what outcomes have started.
    fn looked_after(&self) -> impl Iterator<Item = Timestamp> + '_ {
        let operations = self
            .operations
            .iter()
            .filter(|operation| operation.state.is_open());
        let times = operations.filter_map(|operation| operation.next_at);
        let ends = times
            .chain(self.expiry_due())
            .chain(self.reversals_due().map(|due| due.0));
        ends.chain(self.triggered_due().map(|due| due.0))
    }

    /// What is to be done at `at`: one thing at a time, the earliest due first.
    pub fn duty(&self, at: Timestamp) -> Option<Duty> {
        let due = |time: &Timestamp| *time <= at;
        let looks = self
            .operations
            .iter()
            .filter(|operation| operation.state.is_open());
        let looks = looks.filter_map(|operation| {
            operation
                .next_at
                .filter(due)
                .map(|time| (time, Duty::LookUp(operation.n)))
        });
        let capture = self
            .capture_due()
            .filter(due)
            .map(|time| (time, Duty::Capture));
        let expire = self
            .expiry_due()
            .filter(due)
            .map(|time| (time, Duty::Expire));
        let reverse = self.reversals_due().filter(|found| due(&found.0));
        let give_up = self
            .give_up_due()
            .filter(due)
            .map(|time| (time, Duty::Abandon));
        let flow = self.flow_due().filter(due).map(|time| (time, Duty::Flow));
        let triggered = self.triggered_due().filter(|found| due(&found.0));
        let triggered = triggered.map(|(time, instance)| (time, Duty::Triggered(instance)));
        // Of what is due at the same time, what ends something comes before asking once more.
        let ends = give_up
            .into_iter()
            .chain(reverse)
            .chain(flow)
            .chain(triggered)
            .chain(capture)
            .chain(expire);
        ends.chain(looks)
            .min_by_key(|found| found.0)
            .map(|found| found.1)
    }

    /// The authorisation that waits to be completed.
    pub fn completion_owed(&self) -> Option<u32> {
        let attempt = self.waiting_attempt()?;
        attempt
            .action
            .as_ref()
            .is_some_and(|action| action.ready)
            .then_some(attempt.n)
    }

    /// Operations that may be looked up now because someone reads the payment: their call has ended.
    pub fn can_look_up(&self, at: Timestamp, call_timeout: Duration) -> Option<u32> {
        let ended = |operation: &&Operation| match &operation.state {
            State::Unknown { .. } | State::Pending { .. } | State::Waiting { .. } => true,
            State::Sent => operation.send_by.after(call_timeout) < at,
            State::Done { .. } | State::Refused { .. } | State::Failed { .. } => false,
        };
        self.operations
            .iter()
            .find(ended)
            .map(|operation| operation.n)
    }

    fn capture_due(&self) -> Option<Timestamp> {
        if self.status == Status::Authorised && !self.later_open() {
            self.capture_at
        } else {
            None
        }
    }

    fn expiry_due(&self) -> Option<Timestamp> {
        if self.status == Status::Authorised && !self.later_open() {
            self.expires_at
        } else {
            None
        }
    }

    /// When waiting for the customer ends, unless it is being ended.
    fn give_up_due(&self) -> Option<Timestamp> {
        let attempt = self.waiting_attempt()?;
        if self.is_being_abandoned() {
            None
        } else {
            attempt.give_up_at
        }
    }

    /// When the flow goes on.
    fn flow_due(&self) -> Option<Timestamp> {
        self.flow.as_ref()?.pause.as_ref()?.due
    }

    /// When charges are given back, and which. There can be several: each connection that was asked may have charged.
    fn reversals_due(&self) -> impl Iterator<Item = (Timestamp, Duty)> + '_ {
        self.operations.iter().filter_map(|operation| {
            let owed = operation.owed.as_ref()?;
            Some((
                owed.due?,
                Duty::Reverse {
                    target: operation.n,
                    captured: owed.captured,
                },
            ))
        })
    }

    /// The charges that must be given back and are not yet: authorisations and captures that took effect after all.
    pub fn reversals_owed(&self) -> impl Iterator<Item = u32> + '_ {
        self.operations
            .iter()
            .filter(|one| one.owed.is_some() && !self.is_given_back(one.n))
            .map(|one| one.n)
    }

    /// Whether the charge of operation `target` has been given back.
    pub(super) fn is_given_back(&self, target: u32) -> bool {
        self.operations.iter().any(|operation| {
            operation.state.is_done()
                && matches!(operation.kind, Kind::Reverse { target: of, .. } if of == target)
        })
    }

    fn later_open(&self) -> bool {
        self.operations.iter().any(Operation::excludes_others)
    }
}
