//! Committing changes, and finding out what became of one whose answer got lost.

use std::time::Duration;

use db::{Change, ChangeId, Committed, Date, DbError, Statement};
use domain::{
    Fault,
    dispute::{Dispute, DisputeOccurrence},
    id::{PaymentId, TeamId},
    intent::{Intent, IntentEvent},
    payment::{Occurrence, Payment},
};
use store::once;

use crate::{
    Engine,
    deadline::Deadline,
    disputes::CaseParts,
    faults::{EngineError, database},
    progress::Progress,
};

/// How long a change without a deadline whose commit got no answer is submitted again.
const CLEAR_UP_WITHIN: Duration = Duration::from_mins(1);

/// What a payment's commit carries besides the payment and its event.
#[derive(Default)]
pub(crate) struct CommitParts {
    /// Takes an idempotency key.
    pub(crate) claim: Option<Statement>,
    /// Statements after those of the payment.
    pub(crate) statements: Vec<Statement>,
    /// Nothing is written when the change still waits at this time. For changes that promise nothing yet.
    pub(crate) deadline: Option<Deadline>,
    /// The request whose first commit it is, which learns how far that is.
    pub(crate) progress: Option<Progress>,
    /// The date of a new payment.
    pub(crate) date: Option<Date>,
    /// The service's own act, no matter whose request led to it: its event names nobody.
    pub(crate) is_services: bool,
}

/// Why a commit has no outcome.
pub(crate) enum Failed {
    /// Nothing was written.
    EngineError(EngineError),
    /// It may have been written: an answer was lost, and nothing could be found out since.
    Unclear,
}

impl Failed {
    /// The answer to a commit of the thing with this id.
    fn about(self, id: impl std::fmt::Display) -> EngineError {
        match self {
            Self::EngineError(stop) => stop,
            Self::Unclear => {
                tracing::error!("the database did not say what became of a commit");
                EngineError::Fault(Fault::unconfirmed(id))
            }
        }
    }
}

impl From<DbError> for Failed {
    fn from(error: DbError) -> Self {
        Self::EngineError(error.into())
    }
}

/// How a commit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It is on disk.
    Done,
    /// Somebody else changed the payment first.
    Overtaken,
    /// One of the statements after the payment's was refused (its index among them).
    Refused(usize),
    /// The idempotency key is taken.
    Taken,
}

/// Names the payment in the lines of the request that touches it.
pub(crate) fn note_payment(id: PaymentId) {
    tracing::Span::current().record("payment.id", tracing::field::display(id));
}

impl Engine {
    /// Commits a payment with its event, and what goes with it. `payment.version` is the version to be written.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(
            KeyAfterPayment = crate::bugs::take_key_after_payment,
            SendBeforeCommit = crate::bugs::send_before_commit,
        )
    )]
    pub(crate) async fn commit_payment(
        &self,
        payment: &Payment,
        lines: &[Occurrence],
        parts: CommitParts,
    ) -> Result<Ended, EngineError> {
        note_payment(payment.id());
        let id = self.change_id();
        let stream = payment.id().key();
        let claims = parts.claim.is_some();
        let mut change = Change::new(id, &stream);
        if let Some(claim) = parts.claim {
            change.push(claim);
        }
        let first = payment.version() == 1;
        let at = self.inner.world.now();
        change.push(if first {
            store::payment::insert(payment, at)
        } else {
            store::payment::update(payment, at)
        });
        let mut commit = self.event_commit(id);
        commit.by = commit.by.filter(|_| !parts.is_services);
        change.push(store::event::insert(payment, &commit, lines, at));
        for statement in parts.statements {
            change.push(statement);
        }
        if let Some(deadline) = parts.deadline {
            change = change.until(deadline.at());
        }
        if let Some(date) = &parts.date {
            change = change.dated(date);
        }
        if let Some(progress) = &parts.progress {
            progress.submitted(payment.id());
        }
        let committed = self
            .committed(change, payment.team(), &stream, payment.version())
            .await;
        match (&committed, &parts.progress) {
            (Ok(None), Some(progress)) => progress.begun(payment),
            (Ok(None), None) => self.inner.watching.note(payment),
            (Ok(Some(_)) | Err(Failed::EngineError(_)), Some(progress)) => progress.refused(),
            (Ok(Some(_)) | Err(Failed::EngineError(_)), None) | (Err(Failed::Unclear), _) => {}
        }
        let committed = committed.map_err(|failed| failed.about(payment.id()))?;
        let Some(conflict) = committed else {
            self.count_decline(payment);
            return Ok(Ended::Done);
        };
        let own = usize::from(claims);
        Ok(if claims && conflict == 0 {
            Ended::Taken
        } else if conflict < own + 2 {
            Ended::Overtaken
        } else {
            Ended::Refused(conflict - own - 2)
        })
    }

    /// Commits a dispute by itself, with its event and what goes with it. `dispute.version` is the version to be written.
    pub(crate) async fn commit_dispute(
        &self,
        dispute: &Dispute,
        occurred: &[DisputeOccurrence],
        parts: CaseParts,
    ) -> Result<Ended, EngineError> {
        let (id, stream) = (self.change_id(), dispute.id().key());
        let claims = usize::from(parts.claim.is_some());
        let own = self.dispute_statements(dispute, occurred, id);
        let all = parts.claim.into_iter().chain(own).chain(parts.statements);
        let mut change = all.fold(Change::new(id, &stream), Change::with);
        if let Some(deadline) = parts.deadline {
            change = change.until(deadline.at());
        }
        let committed = self
            .committed(change, dispute.team(), &stream, dispute.version())
            .await
            .map_err(|failed| failed.about(dispute.id()))?;
        Ok(match committed {
            None => Ended::Done,
            Some(0) if claims > 0 => Ended::Taken,
            Some(_) => Ended::Overtaken,
        })
    }

    /// A commit that writes an event, with who makes it.
    pub(crate) fn event_commit(&self, change: ChangeId) -> store::event::Commit {
        store::event::Commit {
            change,
            by: self.origin.by(),
        }
    }

    /// Commits a new intent with its event, and what goes with it.
    pub(crate) async fn commit_new_intent(
        &self,
        intent: &Intent,
        more: Vec<Statement>,
        date: &Date,
    ) -> Result<Ended, EngineError> {
        self.commit_intent_with(intent, IntentEvent::Started, more, Some(date))
            .await
    }

    /// Commits an intent with its event, and what goes with it. `intent.version` is the version to be written.
    pub(crate) async fn commit_intent(
        &self,
        intent: &Intent,
        event: IntentEvent,
        more: Vec<Statement>,
    ) -> Result<Ended, EngineError> {
        self.commit_intent_with(intent, event, more, None).await
    }

    async fn commit_intent_with(
        &self,
        intent: &Intent,
        event: IntentEvent,
        more: Vec<Statement>,
        date: Option<&Date>,
    ) -> Result<Ended, EngineError> {
        let (id, stream) = (self.change_id(), intent.id.key());
        let first = intent.version == 1;
        let mut change = Change::new(id, &stream)
            .with(if first {
                store::intent::insert(intent)
            } else {
                store::intent::update(intent)
            })
            .with(store::event::insert_of_intent(
                intent,
                &self.event_commit(id),
                event,
                self.inner.world.now(),
            ));
        for statement in more {
            change.push(statement);
        }
        if let Some(date) = date {
            change = change.dated(date);
        }
        let _naming = self.naming(&intent.id);
        let committed = self
            .committed(change, intent.team, &stream, intent.version)
            .await
            .map_err(|failed| failed.about(intent.id))?;
        let Some(conflict) = committed else {
            metrics::counter!("pointsman_intent_commits_total", "status" => intent.status.code())
                .increment(1);
            return Ok(Ended::Done);
        };
        Ok(conflict
            .checked_sub(2)
            .map_or(Ended::Overtaken, Ended::Refused))
    }

    /// Commits a change of an aggregate that has no events. `Some(index)` names the statement that was refused.
    pub(crate) async fn commit_plain(&self, change: Change) -> Result<Option<usize>, EngineError> {
        self.once_committed(change)
            .await?
            .ok_or_else(|| Fault::unconfirmed_unnamed().into())
    }

    /// The same, for a change that makes something: whatever becomes of it, the answer names that.
    pub(crate) async fn commit_naming(
        &self,
        change: Change,
        id: impl std::fmt::Display,
    ) -> Result<Option<usize>, EngineError> {
        let _naming = self.naming(&id);
        self.once_committed(change)
            .await?
            .ok_or_else(|| Fault::unconfirmed(id).into())
    }

    /// How a commit ended: `None` when nobody can say, else the statement that was refused, if one was.
    async fn once_committed(&self, change: Change) -> Result<Option<Option<usize>>, EngineError> {
        match self.inner.store.commit(change.in_lane(self.lane)).await? {
            Committed::Done => Ok(Some(None)),
            Committed::Conflict { statement } => Ok(Some(Some(statement))),
            Committed::Unknown => {
                tracing::error!("the database did not say what became of a commit");
                Ok(None)
            }
        }
    }

    /// A new change's id.
    pub(crate) fn change_id(&self) -> ChangeId {
        let mut bytes = [0; 16];
        self.inner.world.fill(&mut bytes);
        ChangeId(u128::from_le_bytes(bytes))
    }

    /// Submits a change until it is known what became of it: its event bears its id.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(
            UnknownCommitDoneAgain = crate::bugs::take_unknown_for_refused,
            UnknownCommitIsDone = crate::bugs::take_unknown_for_done,
        )
    )]
    async fn committed(
        &self,
        change: Change,
        team: TeamId,
        stream: &str,
        seq: u64,
    ) -> Result<Option<usize>, Failed> {
        let (store, world) = (&self.inner.store, &self.inner.world);
        let id = change.id;
        let give_up_at = change
            .give_up_at
            .unwrap_or_else(|| world.now().after(CLEAR_UP_WITHIN));
        let mut pause = Duration::from_millis(20);
        // Whether an answer was lost: then what is refused may have been written all the same.
        let mut is_unclear = false;
        loop {
            match store.commit(change.clone().in_lane(self.lane)).await {
                Ok(Committed::Done) => return Ok(None),
                Ok(Committed::Conflict { statement }) => {
                    // After a lost answer the conflict may be with ourselves.
                    match store::event::was_written_by(store, team, stream, seq, id).await {
                        Ok(ours) => return Ok(if ours { None } else { Some(statement) }),
                        Err(error) if !is_unclear => return Err(error.into()),
                        Err(error) => drop(database(&error)),
                    }
                }
                Ok(Committed::Unknown) => is_unclear = true,
                Err(error) if !is_unclear => return Err(error.into()),
                Err(error) => drop(database(&error)),
            }
            if world.now() >= give_up_at {
                return Err(Failed::Unclear);
            }
            world.sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    /// The statement that takes an idempotency key.
    pub(crate) fn claim(
        &self,
        claim: &once::Claim,
        stream: Option<&str>,
        answer: Option<&str>,
    ) -> Statement {
        let retention = self.inner.settings.idempotency_retention;
        once::claim(claim, stream, answer, self.inner.world.now(), retention)
    }
}
