//! What may be sent in response to a dispute, what is there for it, and what we propose. Nothing is sent here.

use crate::boxed;
use domain::{
    Fault,
    attachment::{FileType, Subject},
    caller::Caller,
    dispute::{
        Dispute, DisputeResponse, Evidence, ResponseKind,
        evidence::{EvidenceLimits, EvidenceText, KnownFacts, propose},
    },
    filter::{Condition, Sort},
    id::DisputeId,
    page::Page,
    payment::Payment,
};

use super::respond::evidence_key;
use crate::{
    AttachmentView, Engine, ListPayments,
    faults::{EngineError, only_fault, payment_not_found},
};

/// Payments of the same customer that are looked through, the newest first.
const LOOKED_THROUGH: i32 = 50;

/// What speaks for the merchant in a dispute.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceView {
    /// What the processor takes; `None` where it takes no response by its API, or its connection is gone.
    pub limits: Option<EvidenceLimits>,
    /// The files that are kept with the dispute and its payment, as far as the processor takes them.
    pub attachments: Vec<AttachmentView>,
    /// Those that it does not take, whatever is sent with them.
    pub unsuitable: Vec<UnsuitableAttachment>,
    /// Where the document that is made of what is known can be seen; `None` where the processor takes no such file.
    pub document_url: Option<String>,
    /// The evidence that was saved or submitted last; `None`: none was.
    pub kept: Option<KeptEvidence>,
    /// Texts of what is known here, cut to the limits.
    pub proposed: Vec<EvidenceText>,
}

/// A file that the processor takes as evidence in no case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsuitableAttachment {
    /// The file.
    pub attachment: AttachmentView,
    /// Why not, for people.
    pub reason: String,
}

/// Evidence that was saved or submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptEvidence {
    /// The response that it is of.
    pub response: DisputeResponse,
    /// What it holds.
    pub evidence: Evidence,
}

impl Engine {
    /// What speaks for the merchant in a dispute.
    ///
    /// # Errors
    /// `error.dispute.not-found`; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn dispute_evidence(
        &self,
        caller: &Caller,
        id: DisputeId,
    ) -> Result<EvidenceView, Fault> {
        let dispute = self.dispute(caller, id).await?.dispute;
        let payment = store::payment::of_team(&self.inner.store, caller.team, dispute.payment())
            .await
            .map_err(|error| only_fault(EngineError::from(error)))?
            .ok_or_else(payment_not_found)?;
        let limits = self.evidence_limits(&dispute).await.map_err(only_fault)?;
        let timeline = self.timeline_in_time(&payment).await?;
        let others = self.of_same_customer(caller, &payment).await?;
        let known = KnownFacts {
            payment: &payment,
            timeline: &timeline,
            others: &others,
        };
        let subjects = [Subject::Payment(payment.id()), Subject::Dispute(id)];
        let files = self.attachments_of(caller.team, &subjects).await?;
        let (attachments, unsuitable) = judged(files, limits.as_ref());
        let takes_document = limits.is_some_and(|limits| limits.types.contains(&FileType::Pdf));
        Ok(EvidenceView {
            kept: self.kept_of(&dispute).await.map_err(only_fault)?,
            proposed: propose(known, limits.as_ref()),
            limits,
            attachments,
            unsuitable,
            document_url: takes_document.then(|| self.preview_url(&dispute)),
        })
    }

    async fn kept_of(&self, dispute: &Dispute) -> Result<Option<KeptEvidence>, EngineError> {
        let mut all = dispute.responses().iter().rev();
        let Some(response) = all.find(|one| one.kind == ResponseKind::Evidence) else {
            return Ok(None);
        };
        let key = evidence_key(dispute, response.n);
        let found = store::dispute_evidence::find(&self.inner.store, key).await?;
        Ok(found.map(|evidence| KeptEvidence {
            response: response.clone(),
            evidence,
        }))
    }

    async fn evidence_limits(
        &self,
        dispute: &Dispute,
    ) -> Result<Option<EvidenceLimits>, EngineError> {
        let line = self.line(dispute.team(), dispute.connection()).await?;
        Ok(line.and_then(|line| line.connector.disputes()?.limits().copied()))
    }

    /// The newest payments of the payment's customer.
    pub(super) async fn of_same_customer(
        &self,
        caller: &Caller,
        payment: &Payment,
    ) -> Result<Vec<Payment>, Fault> {
        let Some(customer) = payment.customer().and_then(|payer| payer.id) else {
            return Ok(Vec::new());
        };
        let list = ListPayments {
            page: Page::parse(Some(LOOKED_THROUGH), None, None, None)?,
            conditions: vec![Condition::customer(customer)],
            sort: Sort::default(),
            id: None,
            team: None,
            want_total: false,
            want_timeline: false,
            want_settled: false,
        };
        let found = self.payments(caller, list).await?;
        Ok(found
            .views
            .into_iter()
            .map(|(_, view)| view.payment)
            .collect())
    }
}

/// The files that the processor takes, and those that it does not take. Where nothing is known of it, it may take all.
fn judged(
    files: Vec<AttachmentView>,
    limits: Option<&EvidenceLimits>,
) -> (Vec<AttachmentView>, Vec<UnsuitableAttachment>) {
    let (mut taken, mut unsuitable) = (Vec::new(), Vec::new());
    for attachment in files {
        let reasons = limits.map(|limits| limits.unsuitable(&attachment.attachment));
        match reasons.filter(|reasons| !reasons.is_empty()) {
            None => taken.push(attachment),
            Some(reasons) => unsuitable.push(UnsuitableAttachment {
                attachment,
                reason: format!("The file {}.", reasons.join("; it ")),
            }),
        }
    }
    (taken, unsuitable)
}
