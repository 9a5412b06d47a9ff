//! Erasing a person from the responses to disputes of their payments.

use db::{Change, Statement};
use domain::{
    dispute::{Dispute, DisputeResponse},
    id::{AttachmentId, PaymentId, TeamId},
};

use super::{Case, case_key, evidence_key};
use crate::{Engine, change::Decision, faults::EngineError};

impl Engine {
    /// Erases texts and documents of responses to a payment's disputes. What is being sent is erased when it has an outcome.
    pub(crate) async fn erase_from_disputes(
        &self,
        team: TeamId,
        payment: PaymentId,
    ) -> Result<(), EngineError> {
        let store = &self.inner.store;
        for dispute in store::dispute::of_payment(store, team, payment).await? {
            if dispute.responses().is_empty() {
                continue;
            }
            let dispute = self.forget_what_is_sent(dispute).await?;
            self.erase_what_is_kept(&dispute).await?;
        }
        Ok(())
    }

    async fn forget_what_is_sent(&self, dispute: Dispute) -> Result<Dispute, EngineError> {
        if !dispute.responses().iter().any(DisputeResponse::is_open) {
            return Ok(dispute);
        }
        let forget = |mut case: Case| async move {
            let at = self.inner.world.now();
            let dispute = case.dispute.as_mut();
            let occurred = dispute.and_then(|dispute| dispute.forget_responses(at));
            Ok(match occurred {
                None => Decision::Leave(case, ()),
                Some(occurred) => {
                    let effects = case.changed(vec![occurred], at);
                    Decision::Write(case, effects, ())
                }
            })
        };
        let (case, ()) = self.change(case_key(&dispute), forget).await?;
        Ok(case.dispute.unwrap_or(dispute))
    }

    async fn erase_what_is_kept(&self, dispute: &Dispute) -> Result<(), EngineError> {
        let mut change = Change::new(self.change_id(), &dispute.id().key());
        for one in dispute.responses().iter().filter(|one| !one.is_open()) {
            change.push(store::dispute_evidence::delete(evidence_key(
                dispute, one.n,
            )));
        }
        self.commit_plain(change).await?;
        let ended = dispute.responses().iter().filter(|one| !one.is_open());
        for id in ended.filter_map(|one| one.document) {
            self.remove_document(dispute.team(), id).await?;
        }
        Ok(())
    }

    /// Removes a document that was made here: what is in it is known.
    async fn remove_document(&self, team: TeamId, id: AttachmentId) -> Result<(), EngineError> {
        let deletion = self.document_deletion(team, id).await?;
        if !deletion.is_empty() {
            let change = Change::new(self.change_id(), &id.key());
            // Refused: somebody else has deleted it.
            self.commit_plain(deletion.into_iter().fold(change, Change::with))
                .await?;
        }
        Ok(())
    }

    /// What takes a document away that was made here; nothing where it is gone.
    pub(super) async fn document_deletion(
        &self,
        team: TeamId,
        id: AttachmentId,
    ) -> Result<Vec<Statement>, EngineError> {
        let found = store::attachment::of_team(&self.inner.store, team, id).await?;
        let there = found.filter(|one| one.deleted_at.is_none());
        Ok(there.map_or_else(Vec::new, |one| self.deletion(&one).into()))
    }
}
