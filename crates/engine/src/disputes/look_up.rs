//! Disputes that are due: warnings about the time to respond, after the processor was asked. Nothing here decides.

use db::Change;
use domain::{
    Timestamp,
    dispute::{Dispute, DisputeDuty, DisputeReport},
    id::{DisputeId, TeamId},
};
use futures_util::{StreamExt, stream};
use store::overdue::Queue;

use super::{Case, CaseId, DisputeNews};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::EngineError,
    jobs::{Round, TOGETHER},
};

impl Engine {
    /// Takes disputes that are due, asks their processors and warns. Returns how many were taken.
    pub(crate) async fn watch_disputes(&self, round: &Round) -> Result<usize, EngineError> {
        let Round {
            now,
            lease_until,
            rows,
            ..
        } = *round;
        let (floor, store) = (&self.inner.floors.disputes, &self.inner.store);
        let look = floor.look(now);
        let due = store::dispute::claim_due(store, now, lease_until, look.after, rows).await?;
        let taken = due.len();
        let full = i64::try_from(taken).is_ok_and(|taken| taken >= rows);
        self.batch_taken(Queue::Disputes, look, full);
        let work = async |(team, id)| {
            if let Err(stop) = self.watch_dispute(team, id, lease_until).await {
                round.item_failed(&id, stop);
            }
        };
        stream::iter(due).for_each_concurrent(TOGETHER, work).await;
        Ok(taken)
    }

    async fn watch_dispute(
        &self,
        team: TeamId,
        id: DisputeId,
        lease_until: Timestamp,
    ) -> Result<(), EngineError> {
        let store = &self.inner.store;
        let Some(dispute) = store::dispute::of_team(store, team, id).await? else {
            return Ok(());
        };
        if let Some(DisputeDuty::Confirm(n)) = dispute.duty(self.inner.world.now()) {
            return self.confirm_response(dispute, n).await;
        }
        let dispute = match self.ask_about(&dispute).await? {
            Some(report) => {
                let news = DisputeNews {
                    team,
                    connection: dispute.connection().clone(),
                    payment: dispute.payment(),
                    report,
                    notification: None,
                };
                self.take_dispute(&news).await?.0.unwrap_or(dispute)
            }
            None => dispute,
        };
        let warned = match dispute.duty(self.inner.world.now()) {
            Some(DisputeDuty::Warn(_)) => self.warn_of(&dispute).await?,
            Some(DisputeDuty::LookUp | DisputeDuty::Confirm(_)) | None => false,
        };
        if !warned {
            let now = self.inner.world.now();
            let change = Change::new(self.change_id(), &id.key()).with(store::dispute::set_due(
                &dispute,
                now,
                lease_until,
            ));
            self.commit_plain(change).await?;
        }
        Ok(())
    }

    /// Warns of the time to respond. Returns whether there was anything to say.
    async fn warn_of(&self, dispute: &Dispute) -> Result<bool, EngineError> {
        let key = Key {
            team: dispute.team(),
            id: CaseId {
                payment: dispute.payment(),
                dispute: dispute.id(),
            },
        };
        let warn = |mut case: Case| async move {
            let at = self.inner.world.now();
            let warning = case.dispute.as_mut().and_then(|dispute| dispute.warn(at));
            Ok(match warning {
                None => Decision::Leave(case, false),
                Some(warning) => {
                    let effects = case.changed(vec![warning], at);
                    Decision::Write(case, effects, true)
                }
            })
        };
        let (_, warned) = self.change(key, warn).await?;
        Ok(warned)
    }

    /// What the processor says of a dispute now; `None` when it can't be asked or does not answer.
    pub(crate) async fn ask_about(
        &self,
        dispute: &Dispute,
    ) -> Result<Option<DisputeReport>, EngineError> {
        let Some(connected) = self.line(dispute.team(), dispute.connection()).await? else {
            return Ok(None);
        };
        let Some(facet) = connected.connector.disputes() else {
            return Ok(None);
        };
        let connection = match self.open_connection(&connected).await? {
            Ok(connection) => connection,
            Err(why) => {
                tracing::warn!(dispute.id = %dispute.id(), why, "its connection can't be used for a look-up");
                return Ok(None);
            }
        };
        let link = self.link(&connected, &connection);
        let timeout = connected.connector.descriptor().call_timeout;
        let read = facet.read(&link, dispute.source_id());
        match self.inner.world.timeout(timeout, read).await {
            Ok(Ok(report)) => Ok(report.filter(|report| match report.check() {
                Ok(()) => true,
                Err(why) => {
                    tracing::error!(dispute.id = %dispute.id(), why, "a processor's report about a dispute can't be taken: a person must look");
                    false
                }
            })),
            Ok(Err(error)) => {
                tracing::warn!(dispute.id = %dispute.id(), error = %error, "a look-up of a dispute failed");
                Ok(None)
            }
            Err(world::Elapsed) => {
                tracing::warn!(dispute.id = %dispute.id(), "a look-up of a dispute was not answered in time");
                Ok(None)
            }
        }
    }
}
