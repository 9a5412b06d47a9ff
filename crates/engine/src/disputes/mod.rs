//! Disputes: what processors report of them, and how they are read.
//!
//! A dispute is changed under the turn of its payment. Where the payment changes too, both are one commit.

mod evidence;
mod list;
mod look_up;
mod read;
mod report;
mod respond;
mod trigger;

use db::{ChangeId, Statement};
use domain::{
    Fault,
    dispute::{Dispute, DisputeOccurrence, Standing},
    id::{ConnectionId, DisputeId, PaymentId, TeamId},
    payment::{Occurrence, Payment, TimelineEntry},
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    AttachmentView, Engine,
    change::{Aggregate, Key},
    commit::{CommitParts, Ended},
    deadline::Deadline,
    faults::{EngineError, payment_not_found},
    payments::Effects,
};

pub use evidence::{EvidenceView, KeptEvidence, UnsuitableAttachment};
pub use list::{DisputePage, ListDisputes};
pub(crate) use report::{DisputeNews, Taken};
pub use respond::{AcceptDispute, SubmitEvidence};

/// A dispute as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisputeView {
    /// The dispute.
    pub dispute: Dispute,
    /// Its timeline, when that was asked for.
    pub timeline: Option<Vec<TimelineEntry>>,
    /// Its files, when they were asked for.
    pub attachments: Vec<AttachmentView>,
}

impl DisputeView {
    /// A dispute alone.
    pub(crate) fn of(dispute: Dispute) -> Self {
        Self {
            dispute,
            timeline: None,
            attachments: Vec::new(),
        }
    }
}

/// A payment with one of its disputes, which may not be known yet: what a report changes.
pub(crate) struct Case {
    pub(crate) payment: Payment,
    pub(crate) dispute: Option<Dispute>,
}

/// What names a case within its team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CaseId {
    pub(crate) payment: PaymentId,
    pub(crate) dispute: DisputeId,
}

/// What a change of a case brings.
pub(crate) struct CaseEffects {
    /// What happened to the dispute.
    pub(crate) occurred: Vec<DisputeOccurrence>,
    /// What that makes of the payment; empty: nothing.
    pub(crate) of_payment: Vec<Occurrence>,
    /// What the commit carries besides.
    pub(crate) parts: CaseParts,
}

impl CaseEffects {
    /// The same with what the commit carries besides.
    fn with(self, parts: CaseParts) -> Self {
        Self { parts, ..self }
    }
}

/// What the commit of a dispute carries besides the dispute and its event.
#[derive(Default)]
pub(crate) struct CaseParts {
    /// Takes an idempotency key.
    pub(crate) claim: Option<Statement>,
    /// Statements after those of the dispute.
    pub(crate) statements: Vec<Statement>,
    /// Nothing is written when the change still waits at this time.
    pub(crate) deadline: Option<Deadline>,
}

/// A case before a decision.
pub(crate) struct CaseBefore {
    payment: <Payment as Aggregate>::Before,
    dispute: Option<Standing>,
}

/// The id of a dispute: the same for every report of it, on every node.
pub(crate) fn dispute_id(team: TeamId, connection: &ConnectionId, source_id: &str) -> DisputeId {
    let mut hash = Sha256::new();
    hash.update(team.uuid().as_bytes());
    // The id of a connection has no such byte, so that no two pairs are one text.
    hash.update(connection.as_str().as_bytes());
    hash.update([0]);
    hash.update(source_id.as_bytes());
    let mut bytes = [0; 16];
    bytes
        .iter_mut()
        .zip(hash.finalize())
        .for_each(|(byte, hashed)| *byte = hashed);
    DisputeId::new(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

impl Aggregate for Case {
    type Id = CaseId;
    type Before = CaseBefore;
    type Effects = CaseEffects;

    fn lock_id(id: CaseId) -> Uuid {
        id.payment.uuid()
    }

    async fn find(engine: &Engine, key: Key<CaseId>) -> Result<Option<Self>, EngineError> {
        let CaseId { payment, dispute } = key.id;
        let store = &engine.inner.store;
        let dispute = store::dispute::of_team(store, key.team, dispute).await?;
        let key = Key {
            team: key.team,
            id: payment,
        };
        let payment = Payment::find(engine, key).await?;
        Ok(payment.map(|payment| Self { payment, dispute }))
    }

    fn missing() -> Fault {
        payment_not_found()
    }

    fn before(&self) -> CaseBefore {
        CaseBefore {
            payment: self.payment.before(),
            dispute: self.dispute.as_ref().map(Dispute::standing),
        }
    }

    async fn commit(
        &mut self,
        engine: &Engine,
        before: CaseBefore,
        effects: CaseEffects,
    ) -> Result<Ended, EngineError> {
        let Some(dispute) = &mut self.dispute else {
            return Ok(Ended::Done);
        };
        let CaseEffects {
            occurred,
            mut of_payment,
            parts,
        } = effects;
        dispute.next_version(&occurred);
        // A draft, or a response that is under way, is nothing that flows wait for.
        if Dispute::is_public(&occurred) {
            let started = engine
                .trigger_by_dispute(&mut self.payment, dispute, before.dispute)
                .await?;
            of_payment.extend(started);
        }
        if of_payment.is_empty() {
            return engine.commit_dispute(dispute, &occurred, parts).await;
        }
        let id = engine.change_id();
        let mut statements: Vec<Statement> =
            engine.dispute_statements(dispute, &occurred, id).into();
        statements.extend(parts.statements);
        let effects = Effects {
            entries: of_payment,
            parts: CommitParts {
                claim: parts.claim,
                statements,
                deadline: parts.deadline,
                ..CommitParts::default()
            },
            ..Effects::default()
        };
        self.payment.commit(engine, before.payment, effects).await
    }
}

impl Engine {
    /// The dispute's next version and its event, in a change with this id.
    pub(crate) fn dispute_statements(
        &self,
        dispute: &Dispute,
        occurred: &[DisputeOccurrence],
        change: ChangeId,
    ) -> [Statement; 2] {
        let at = self.inner.world.now();
        let write = if dispute.version() == 1 {
            store::dispute::insert(dispute, at)
        } else {
            store::dispute::update(dispute, at)
        };
        let commit = self.event_commit(change);
        let event = store::event::insert_of_dispute(dispute, &commit, occurred, at);
        [write, event]
    }
}

/// A dispute that stands so, for tests.
#[cfg(test)]
fn sample(stage: domain::dispute::DisputeStage, status: domain::dispute::DisputeStatus) -> Dispute {
    use domain::{
        Timestamp,
        dispute::{DisputeReport, NewDispute},
        money::{Currency, Money},
    };
    let at = Timestamp::from_micros(0);
    let new = NewDispute {
        id: DisputeId::new(Uuid::from_u128(1)),
        team: TeamId::new(Uuid::from_u128(2)),
        payment: PaymentId::new(Uuid::from_u128(3)),
        connection: ConnectionId::parse("bank-a").unwrap(),
    };
    let report = DisputeReport {
        source_id: "dp_1".to_owned(),
        source_payment: None,
        status,
        stage,
        reason: None,
        money: Money::new(1000, Currency::parse("EUR").unwrap()),
        disputed_at: at,
        respond_by: None,
        processor_status: None,
        processor_reason: None,
        funds: None,
        as_of: None,
    };
    Dispute::open(new, report, at).0
}
