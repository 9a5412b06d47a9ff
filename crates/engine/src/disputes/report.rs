//! Taking what a processor reports of a dispute, no matter who brings it.

use domain::{
    dispute::{Dispute, DisputeOccurrence, DisputeReport, NewDispute},
    id::{ConnectionId, PaymentId, TeamId},
};
use uuid::Uuid;

use super::{Case, CaseEffects, CaseId, CaseParts, dispute_id};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::EngineError,
};

/// A report of a connection's processor about a dispute of a payment.
#[derive(Debug, Clone)]
pub(crate) struct DisputeNews {
    /// The team.
    pub(crate) team: TeamId,
    /// The connection.
    pub(crate) connection: ConnectionId,
    /// The payment.
    pub(crate) payment: PaymentId,
    /// What is reported.
    pub(crate) report: DisputeReport,
    /// The notification that brought it.
    pub(crate) notification: Option<Uuid>,
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It changed something.
    Changed,
    /// It was known, or older than what is known.
    Unchanged,
}

impl Engine {
    /// Takes a report about a dispute. Returns the dispute as it is then, and what became of the report.
    ///
    /// # Errors
    /// `error.payment.not-found`; the database's.
    pub(crate) async fn take_dispute(
        &self,
        news: &DisputeNews,
    ) -> Result<(Option<Dispute>, Taken), EngineError> {
        let dispute = dispute_id(news.team, &news.connection, &news.report.source_id);
        let key = Key {
            team: news.team,
            id: CaseId {
                payment: news.payment,
                dispute,
            },
        };
        let take = |case: Case| async move { Ok(self.with_report(case, key.id, news)) };
        let (case, taken) = self.change(key, take).await?;
        if taken == Taken::Changed
            && let Some(dispute) = &case.dispute
        {
            metrics::counter!("pointsman_disputes_total", "status" => dispute.status().code())
                .increment(1);
        }
        Ok((case.dispute, taken))
    }

    /// The case with the report.
    fn with_report(&self, case: Case, id: CaseId, news: &DisputeNews) -> Decision<Case, Taken> {
        let at = self.inner.world.now();
        let Case { payment, dispute } = case;
        let report = news.report.clone().cleaned(payment.method().own_card());
        // A dispute stays with its payment, whatever a later report says.
        if dispute
            .as_ref()
            .is_some_and(|dispute| dispute.payment() != payment.id())
        {
            return Decision::Leave(Case { payment, dispute }, Taken::Unchanged);
        }
        let (dispute, mut occurred) = match dispute {
            None => {
                let new = NewDispute {
                    id: id.dispute,
                    team: news.team,
                    payment: payment.id(),
                    connection: news.connection.clone(),
                };
                Dispute::open(new, report, at)
            }
            Some(mut dispute) => {
                let occurred = dispute.take(report, at);
                (dispute, occurred)
            }
        };
        if let (Some(id), Some(first)) = (news.notification, occurred.first_mut()) {
            first.say_also(&format!("The processor reported it by notification {id}."));
        }
        let mut case = Case {
            payment,
            dispute: Some(dispute),
        };
        if occurred.is_empty() {
            return Decision::Leave(case, Taken::Unchanged);
        }
        let effects = case.changed(occurred, at);
        Decision::Write(case, effects, Taken::Changed)
    }
}

impl Case {
    /// What goes with a dispute that has changed.
    pub(super) fn changed(
        &mut self,
        occurred: Vec<DisputeOccurrence>,
        at: domain::Timestamp,
    ) -> CaseEffects {
        let of_payment = match &self.dispute {
            Some(dispute) => self.payment.note_dispute(dispute, at).into_iter().collect(),
            None => Vec::new(),
        };
        CaseEffects {
            occurred,
            of_payment,
            parts: CaseParts::default(),
        }
    }
}
