//! Reading disputes.

use crate::boxed;
use domain::{
    Fault,
    attachment::Subject,
    caller::Caller,
    dispute::Dispute,
    id::{DisputeId, PaymentId, TeamId},
};

use super::DisputeView;
use crate::{
    AttachmentView, Engine,
    faults::{database, dispute_not_found},
};

impl Engine {
    /// A team's dispute.
    ///
    /// # Errors
    /// `error.dispute.not-found`; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn dispute(&self, caller: &Caller, id: DisputeId) -> Result<DisputeView, Fault> {
        let found = store::dispute::of_team(&self.inner.store, caller.team, id).await;
        let dispute = found
            .map_err(|error| database(&error))?
            .ok_or_else(dispute_not_found)?;
        Ok(DisputeView::of(dispute))
    }

    /// The disputes of these payments, the oldest first, each with its timeline when that is wanted.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn disputes_of(
        &self,
        team: TeamId,
        payments: &[PaymentId],
        want_timeline: bool,
    ) -> Result<Vec<DisputeView>, Fault> {
        let found = store::dispute::of_payments(&self.inner.store, team, payments).await;
        let mut found: Vec<Dispute> = found.map_err(|error| database(&error))?;
        found.sort_by_key(|dispute| (dispute.disputed_at(), dispute.id()));
        let mut views = Vec::with_capacity(found.len());
        for dispute in found {
            let view = DisputeView::of(dispute);
            views.push(if want_timeline {
                self.with_dispute_timeline(view).await?
            } else {
                view
            });
        }
        Ok(views)
    }

    /// Adds the timeline as it was at the dispute's version.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn with_dispute_timeline(&self, mut view: DisputeView) -> Result<DisputeView, Fault> {
        let dispute = &view.dispute;
        let stream = dispute.id().key();
        let store = &self.inner.store;
        let lines = store::event::timeline(store, dispute.team(), &stream, dispute.version()).await;
        view.timeline = Some(lines.map_err(|error| database(&error))?);
        Ok(view)
    }

    /// Adds the files of disputes, by one read.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn with_dispute_attachments(
        &self,
        team: TeamId,
        views: &mut [DisputeView],
    ) -> Result<(), Fault> {
        let subjects: Vec<Subject> = views
            .iter()
            .map(|view| Subject::Dispute(view.dispute.id()))
            .collect();
        let mut found = self.attachments_of(team, &subjects).await?;
        for view in views {
            let own = Subject::Dispute(view.dispute.id());
            let is_own = |one: &mut AttachmentView| one.attachment.subject == own;
            view.attachments = found.extract_if(.., is_own).collect();
        }
        Ok(())
    }
}
