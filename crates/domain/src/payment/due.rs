//! When a payment must be looked after, and what is to be done then.

use std::time::Duration;

use uuid::Uuid;

use super::{Operation, OperationKind, OperationState, Payment, Status};
use crate::Timestamp;

/// Between look-ups once the schedule is exhausted, and between further tries of what a processor refused.
const DAILY: Duration = Duration::from_hours(24);

/// So long the task that commits a payment goes on with it alone. Longer than a webhook that a flow calls may take.
const HELD: Duration = Duration::from_secs(12);

/// Until when at most others leave to the task that commits at `at` what is due then.
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
    /// How long an authorisation can be captured, where its processor says nothing of it.
    pub lifetime: Duration,
    /// No authorisation is captured later, whatever its processor says of it.
    pub lifetime_max: Duration,
    /// So long after a call can have been sent at the latest, "not found" proves that nothing happened.
    pub not_found_final_after: Option<Duration>,
    /// How long the customer has to come back from 3D Secure or from an alternative method's page.
    pub customer_lifetime: Duration,
    /// How long a call can take after it is sent.
    pub call_timeout: Duration,
    /// How long an authorisation without an answer waits for the processor's notification before the processor is asked to let nothing
    /// stand. `None`: that is not asked, since the processor can be read or has no such request.
    pub abandon_after: Option<Duration>,
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

/// Who looks after a duty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The request or job that commits the payment goes on with it, so that a request's answer says how it ended. Others take it
    /// over only after a while, should the committer have died.
    Committer,
    /// Nobody's request waits for it: a job looks after it.
    Others,
}

/// Something that is to be done for a payment at a time.
#[derive(Debug, Clone, Copy)]
struct Due {
    at: Timestamp,
    duty: Duty,
    whose: Whose,
}

impl Due {
    const fn own(at: Timestamp, duty: Duty) -> Self {
        let whose = Whose::Committer;
        Self { at, duty, whose }
    }

    const fn of_others(at: Timestamp, duty: Duty) -> Self {
        let whose = Whose::Others;
        Self { at, duty, whose }
    }
}

impl Payment {
    /// Everything that is to be done for it, each with its time. Of what is due at the same time the first comes first: what ends
    /// something before asking once more.
    fn duties(&self) -> impl Iterator<Item = Due> + '_ {
        let own = |at: Option<Timestamp>, duty| at.map(|at| Due::own(at, duty)).into_iter();
        let reversals = self.reversals_due();
        let triggered = self.triggered_due();
        let triggered = triggered.map(|(at, run)| Due::of_others(at, Duty::Triggered(run)));
        let open = self.operations.iter().filter(|one| one.state.is_open());
        let looks = open.filter_map(|one| Some(Due::of_others(one.next_at?, Duty::LookUp(one.n))));
        let expire = self.expiry_due();
        own(self.give_up_due(), Duty::Abandon)
            .chain(reversals.map(|(at, duty)| Due::of_others(at, duty)))
            .chain(own(self.flow_due(), Duty::Flow))
            .chain(triggered)
            .chain(own(self.capture_due(), Duty::Capture))
            .chain(expire.map(|at| Due::of_others(at, Duty::Expire)))
            .chain(looks)
    }

    /// Everything that is to be done for it, each with its time.
    pub(super) fn due(&self) -> impl Iterator<Item = (Timestamp, Duty)> + '_ {
        self.duties().map(|due| (due.at, due.duty))
    }

    /// When others must look after the payment that is committed at `at`.
    pub fn due_for_others(&self, at: Timestamp) -> Option<Timestamp> {
        let due = |due: Due| match due.whose {
            Whose::Committer if due.at <= at => held_until(at),
            Whose::Committer | Whose::Others => due.at,
        };
        self.duties().map(due).min()
    }

    /// When the payment must be looked after next. `None`: never, unless something happens.
    pub fn due_at(&self) -> Option<Timestamp> {
        self.duties().map(|due| due.at).min()
    }

    /// What the task that commits the payment goes on with at `at`: one thing at a time, the earliest due first. Nothing that
    /// others look after hides it.
    pub fn own_duty(&self, at: Timestamp) -> Option<Duty> {
        self.first_due(at, |due| due.whose == Whose::Committer)
    }

    /// What is to be done at `at`: one thing at a time, the earliest due first.
    pub fn duty(&self, at: Timestamp) -> Option<Duty> {
        self.first_due(at, |_| true)
    }

    fn first_due(&self, at: Timestamp, counts: impl Fn(&Due) -> bool) -> Option<Duty> {
        self.duties()
            .filter(|due| due.at <= at && counts(due))
            .min_by_key(|due| due.at)
            .map(|due| due.duty)
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
            OperationState::Unknown { .. }
            | OperationState::Pending { .. }
            | OperationState::Waiting { .. } => true,
            OperationState::Sent => operation.send_by.after(call_timeout) < at,
            OperationState::Done { .. }
            | OperationState::Refused { .. }
            | OperationState::Failed { .. } => false,
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

    /// When waiting for the customer, or for news of an attempt without an answer, ends, unless it is being ended.
    fn give_up_due(&self) -> Option<Timestamp> {
        if self.is_being_abandoned() {
            return None;
        }
        match self.waiting_attempt() {
            Some(attempt) => attempt.give_up_at,
            None => self.unanswered_attempt()?.abandon_at,
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
                && matches!(operation.kind, OperationKind::Reverse { target: of, .. } if of == target)
        })
    }

    fn later_open(&self) -> bool {
        self.operations.iter().any(Operation::excludes_others)
    }
}
