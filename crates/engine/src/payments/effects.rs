//! What goes with every change of a payment, in the same commit: flows that its outcome starts, stored responses that it
//! completes, and the checkout that it frees. What only the authorisation needed is forgotten after the commit.

use domain::{
    Fault,
    id::{FlowId, PaymentId},
    payment::{Occurrence, Payment, Status},
};
use uuid::Uuid;

use super::triggers;
use crate::{
    Engine,
    change::{Aggregate, Key},
    commit::{CommitParts, Ended, note_payment},
    faults::{EngineError, payment_not_found},
    idempotency::{NamedVersion, Responses},
};

/// What a change of a payment brings besides its next version.
#[derive(Default)]
pub(crate) struct Effects {
    /// What the timeline says about it.
    pub(crate) entries: Vec<Occurrence>,
    /// The flow that has brought the outcome about, which does not start that flow again.
    pub(crate) cause: Option<FlowId>,
    /// Its outcome starts no flow: somebody else brought it about, and nothing here is to follow from it.
    pub(crate) starts_no_flow: bool,
    /// Which idempotent requests have their response by now.
    pub(crate) responses: Responses,
    /// What else is committed.
    pub(crate) parts: CommitParts,
}

/// A payment before a decision.
pub(crate) struct Before {
    outcomes: triggers::Before,
    authorisation_ended: bool,
    declined_by_rule: bool,
    frees_checkout: bool,
    /// The version that is changed, when idempotency records name it.
    named: Option<Box<NamedVersion>>,
}

impl Effects {
    /// Timeline entries.
    pub(crate) fn of(entries: Vec<Occurrence>) -> Self {
        Self {
            entries,
            ..Self::default()
        }
    }
}

/// What names the payment.
pub(crate) fn key_of(payment: &Payment) -> Key<PaymentId> {
    Key {
        team: payment.team(),
        id: payment.id(),
    }
}

impl Aggregate for Payment {
    type Id = PaymentId;
    type Before = Before;
    type Effects = Effects;

    fn lock_id(id: PaymentId) -> Uuid {
        id.uuid()
    }

    async fn find(engine: &Engine, key: Key<PaymentId>) -> Result<Option<Self>, EngineError> {
        let found = store::payment::of_team(&engine.inner.store, key.team, key.id).await?;
        if found.is_some() {
            note_payment(key.id);
        }
        Ok(found)
    }

    fn missing() -> Fault {
        payment_not_found()
    }

    fn before(&self) -> Before {
        Before {
            outcomes: triggers::Before::of(self),
            authorisation_ended: self.authorisation_ended(),
            declined_by_rule: self.rule().is_some(),
            frees_checkout: frees_checkout(self),
            named: NamedVersion::of(self),
        }
    }

    async fn commit(
        &mut self,
        engine: &Engine,
        before: Before,
        effects: Effects,
    ) -> Result<Ended, EngineError> {
        let Effects {
            mut entries,
            cause,
            starts_no_flow,
            responses,
            mut parts,
        } = effects;
        if !starts_no_flow {
            engine
                .trigger(self, &before.outcomes, cause.as_ref(), &mut entries)
                .await?;
        }
        self.next_version();
        if let Some(named) = &before.named {
            parts.statements.extend(named.kept(self));
        }
        self.count_public_events(&entries);
        engine.respond(self, responses, &mut parts);
        if frees_checkout(self) && !before.frees_checkout {
            free_checkout(self, &mut parts);
        }
        let ended = engine.commit_payment(self, &entries, parts).await?;
        if ended == Ended::Done {
            engine.follow_up(self, &before);
        }
        Ok(ended)
    }
}

impl Engine {
    /// What follows when a payment's first commit is on disk.
    pub(super) fn follow_first(&self, payment: &Payment) {
        if payment.rule().is_some() {
            self.count_outcome(payment);
            self.forget_later(payment);
        }
    }

    /// What follows when a change is on disk: an authorisation that has ended is counted, and what only it needed forgotten.
    fn follow_up(&self, payment: &Payment, before: &Before) {
        let has_ended = payment.authorisation_ended() && !before.authorisation_ended;
        let was_declined = payment.rule().is_some() && !before.declined_by_rule;
        if has_ended || was_declined {
            self.count_outcome(payment);
            self.forget_later(payment);
        }
    }
}

/// Whether the payment's checkout may be paid by another: this one has ended without money.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(
        NeverReleased = super::bugs::frees_never,
        ReleasedWhileUnknown = super::bugs::frees_while_unknown,
    )
)]
fn frees_checkout(payment: &Payment) -> bool {
    ended_without_money(payment.status())
}

/// Frees the checkout of a payment, whatever became of that.
pub(super) fn free_checkout(payment: &Payment, parts: &mut CommitParts) {
    if let Some(token) = payment.made_by() {
        let release = store::credential::release_payment(payment.team(), token, payment.id());
        parts.statements.push(release);
    }
    if let Some(intent) = payment.intent() {
        let release = store::intent::release(payment.team(), intent, payment.id());
        parts.statements.push(release);
    }
}

/// Whether the payment has ended, and nothing was charged.
pub(crate) fn ended_without_money(status: Status) -> bool {
    matches!(
        status,
        Status::Declined | Status::Failed | Status::Cancelled
    )
}
