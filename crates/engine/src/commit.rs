//! Committing changes, and finding out what became of one whose answer got lost.

use std::time::Duration;

use db::{Change, ChangeId, Committed, Statement};
use domain::{
    id::{PaymentId, TeamId},
    intent::{Intent, Moment},
    payment::{Line, Payment},
};
use planted::Bug;
use store::once;

use crate::{Engine, deadline::Deadline, faults::Stop};

/// What a payment's commit carries besides the payment itself.
#[derive(Default)]
pub(crate) struct Extra {
    /// Takes an idempotency key.
    pub(crate) claim: Option<Statement>,
    /// Statements after those of the payment.
    pub(crate) more: Vec<Statement>,
    /// Nothing is written when the change still waits at this time. For changes that promise nothing yet.
    pub(crate) deadline: Option<Deadline>,
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
    pub(crate) async fn commit_payment(
        &self,
        payment: &Payment,
        lines: &[Line],
        extra: Extra,
    ) -> Result<Ended, Stop> {
        note_payment(payment.id);
        let id = self.change_id();
        let stream = payment.id.key();
        let claims = extra.claim.is_some();
        let mut change = Change::new(id, &stream);
        let late_claim = extra
            .claim
            .clone()
            .filter(|_| planted::is(Bug::KeyAfterPayment));
        let claims = claims && late_claim.is_none();
        if let Some(claim) = extra.claim.filter(|_| claims) {
            change.push(claim);
        }
        let first = payment.version == 1;
        let at = self.inner.world.now();
        change.push(if first {
            store::payment::insert(payment, at)
        } else {
            store::payment::update(payment, at)
        });
        change.push(store::event::insert(payment, id, lines, at));
        for statement in extra.more {
            change.push(statement);
        }
        if let Some(deadline) = extra.deadline {
            change = change.until(deadline.at());
        }
        let Some(conflict) = self
            .committed(change, payment.team, &stream, payment.version)
            .await?
        else {
            if let Some(claim) = late_claim {
                let taken = self
                    .commit_plain(Change::new(self.change_id(), &stream).with(claim))
                    .await?;
                return Ok(if taken.is_some() {
                    Ended::Taken
                } else {
                    Ended::Done
                });
            }
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

    /// Commits an intent with its event, and what goes with it. `intent.version` is the version to be written.
    pub(crate) async fn commit_intent(
        &self,
        intent: &Intent,
        moment: Moment,
        more: Vec<Statement>,
    ) -> Result<Ended, Stop> {
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
                id,
                moment,
                self.inner.world.now(),
            ));
        for statement in more {
            change.push(statement);
        }
        let Some(conflict) = self
            .committed(change, intent.team, &stream, intent.version)
            .await?
        else {
            metrics::counter!("pointsman_intent_commits_total", "status" => intent.status.code())
                .increment(1);
            return Ok(Ended::Done);
        };
        Ok(conflict
            .checked_sub(2)
            .map_or(Ended::Overtaken, Ended::Refused))
    }

    /// Commits a change of an aggregate that has no events. `Some(index)` names the statement that was refused.
    pub(crate) async fn commit_plain(&self, change: Change) -> Result<Option<usize>, Stop> {
        match self.inner.store.commit(change).await? {
            Committed::Done => Ok(None),
            Committed::Conflict { statement } => Ok(Some(statement)),
            Committed::Unknown => {
                tracing::error!("the database did not say what became of a commit");
                Err(Stop::Fault(domain::Fault::unavailable()))
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
    async fn committed(
        &self,
        change: Change,
        team: TeamId,
        stream: &str,
        seq: u64,
    ) -> Result<Option<usize>, Stop> {
        let store = &self.inner.store;
        let id = change.id;
        let mut pause = Duration::from_millis(20);
        loop {
            match store.commit(change.clone()).await? {
                Committed::Done => return Ok(None),
                Committed::Conflict { statement } if planted::is(Bug::OwnCommitNotRecognised) => {
                    return Ok(Some(statement));
                }
                Committed::Conflict { statement } => {
                    // After a lost answer the conflict may be with ourselves.
                    let ours = store::event::was_written_by(store, team, stream, seq, id).await?;
                    return Ok(if ours { None } else { Some(statement) });
                }
                Committed::Unknown if planted::is(Bug::UnknownCommitIsDone) => return Ok(None),
                Committed::Unknown if planted::is(Bug::UnknownCommitDoneAnew) => {
                    return Ok(Some(1));
                }
                Committed::Unknown => {
                    self.inner.world.sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(2));
                }
            }
        }
    }

    /// The statement that takes an idempotency key.
    pub(crate) fn claim(
        &self,
        claim: &once::Claim,
        stream: Option<&str>,
        answer: Option<&str>,
    ) -> Statement {
        let now = self.inner.world.now();
        once::claim(
            claim,
            stream,
            answer,
            (now, now.before(self.inner.settings.idempotency_retention)),
        )
    }
}
