//! Flows that disputes start: runs of the payment's, in the commit that changes the dispute.

use domain::{
    dispute::{Dispute, DisputeStatus, Standing},
    payment::{Occurrence, Payment, StartedFlow},
};
use flow::{DisputeMoment, Position, Trigger};
use uuid::Uuid;

use crate::{Engine, faults::EngineError};

/// What a change of a dispute is to flows. `before`: how it stood; `None` when it is new.
fn moments(dispute: &Dispute, before: Option<Standing>) -> Vec<DisputeMoment> {
    let first = match before {
        None => DisputeMoment::Created,
        Some(_) => DisputeMoment::Updated,
    };
    let mut moments = vec![first];
    if before == Some(dispute.standing()) {
        return moments;
    }
    moments.extend(match dispute.status() {
        DisputeStatus::NeedsResponse => Some(DisputeMoment::NeedsResponse),
        DisputeStatus::UnderReview => Some(DisputeMoment::UnderReview),
        DisputeStatus::Won => Some(DisputeMoment::Won),
        DisputeStatus::Lost => Some(DisputeMoment::Lost),
        DisputeStatus::Closed | DisputeStatus::Refunded => Some(DisputeMoment::Closed),
        DisputeStatus::Notification | DisputeStatus::SentForReview => None,
    });
    moments
}

impl Engine {
    /// Adds a run of each published flow that waits for what the dispute has come to. Returns what the payment's timeline says
    /// of them.
    pub(super) async fn trigger_by_dispute(
        &self,
        payment: &mut Payment,
        dispute: &Dispute,
        before: Option<Standing>,
    ) -> Result<Vec<Occurrence>, EngineError> {
        let moments = moments(dispute, before);
        let mut lines = Vec::new();
        for flow in self.automations(payment.team()).await? {
            let Trigger::Dispute(wanted) = flow.program.trigger() else {
                continue;
            };
            let Some(moment) = moments.iter().find(|moment| wanted.contains(moment)) else {
                continue;
            };
            let started = StartedFlow {
                id: flow.id,
                name: flow.name,
                version: flow.version,
                instance: self.inner.world.uuid_v7(),
                first: Position::START.number(),
                dispute: Some(dispute.id()),
            };
            let reason = format!("a dispute of the payment is {}", moment.word());
            let at = self.inner.world.now();
            lines.push(payment.start_flow(started, &reason, at));
        }
        Ok(lines)
    }

    /// The dispute that started a run.
    pub(crate) async fn dispute_of_run(
        &self,
        payment: &Payment,
        run: Option<Uuid>,
    ) -> Result<Option<Dispute>, EngineError> {
        let Some(id) = payment.run(run).and_then(|run| run.dispute) else {
            return Ok(None);
        };
        Ok(store::dispute::of_team(&self.inner.store, payment.team(), id).await?)
    }
}

#[cfg(test)]
mod tests {
    use domain::dispute::DisputeStage;

    use super::*;
    use crate::disputes::sample;

    #[test]
    fn each_change_of_a_dispute_is_the_moments_that_flows_wait_for() {
        use DisputeMoment as M;
        let stage = DisputeStage::Chargeback;
        let known = Standing {
            stage,
            status: DisputeStatus::Notification,
        };
        for (status, moment) in [
            (DisputeStatus::NeedsResponse, Some(M::NeedsResponse)),
            (DisputeStatus::SentForReview, None),
            (DisputeStatus::UnderReview, Some(M::UnderReview)),
            (DisputeStatus::Won, Some(M::Won)),
            (DisputeStatus::Lost, Some(M::Lost)),
            (DisputeStatus::Closed, Some(M::Closed)),
            (DisputeStatus::Refunded, Some(M::Closed)),
        ] {
            let dispute = sample(stage, status);
            let expected = |first| std::iter::once(first).chain(moment).collect::<Vec<_>>();
            assert_eq!(moments(&dispute, None), expected(M::Created), "{status}");
            assert_eq!(
                moments(&dispute, Some(known)),
                expected(M::Updated),
                "{status}"
            );
            let same = Some(dispute.standing());
            assert_eq!(moments(&dispute, same), [M::Updated], "{status}");
        }
    }
}
