//! The document that is made of what is known here, and sent as a file of evidence.

use std::time::Duration;

use bytes::Bytes;
use domain::{
    Code, Fault,
    attachment::{FileType, Subject, UploadGrant},
    dispute::{
        Dispute,
        evidence::{KnownFacts, propose},
    },
    id::AttachmentId,
};
use paper::Section;

use super::Checked;
use crate::{
    Engine, UploadError,
    faults::{EngineError, payment_not_found},
    request::Request,
};

/// How long keeping it may take.
const KEPT_WITHIN: Duration = Duration::from_mins(5);

impl Engine {
    /// Makes the document where it is wanted, keeps it as a file of the dispute, and adds it to the files that are sent.
    ///
    /// # Errors
    /// `error.validation`: the processor takes no such file; `error.attachment.switched-off`.
    pub(super) async fn document_of(
        &self,
        checked: &mut Checked,
        request: &Request,
    ) -> Result<Option<AttachmentId>, EngineError> {
        if !checked.evidence.document {
            return Ok(None);
        }
        let limits = &checked.limits;
        let refused = |reason: &str| Fault::invalid("evidence.document", reason);
        if !limits.types.contains(&FileType::Pdf) {
            return Err(refused("must be false: the processor takes no PDF").into());
        }
        let content = self.known_as_pdf(&checked.dispute, request).await?;
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        let all: u64 = checked.files.iter().map(|one| one.bytes).sum();
        if bytes > limits.file_bytes || all.saturating_add(bytes) > limits.all_bytes {
            let reason = format!(
                "would have {bytes} bytes, more than the processor takes with the other files"
            );
            return Err(refused(&reason).into());
        }
        let world = &self.inner.world;
        let grant = UploadGrant {
            team: request.caller.team,
            id: AttachmentId::new(world.uuid_v7()),
            subject: Subject::Dispute(checked.dispute.id()),
            name: "evidence.pdf".to_owned(),
            kind: FileType::Pdf,
            made_by: request.caller.key,
            until: world.now().after(KEPT_WITHIN),
        };
        let kept = self.take_upload(grant, Bytes::from(content)).await;
        let kept = kept.map_err(|error| match error {
            UploadError::Fault(fault) => fault,
            UploadError::Refused(why) => {
                Fault::new(Code::Validation, why.message(self.attachment_limits()))
            }
            UploadError::NoSuchAddress | UploadError::Expired | UploadError::Used => {
                Fault::unknown()
            }
        })?;
        let id = kept.attachment.id;
        checked.files.push(kept.attachment);
        Ok(Some(id))
    }

    /// All that is known here and speaks for the merchant, as a PDF.
    async fn known_as_pdf(
        &self,
        dispute: &Dispute,
        request: &Request,
    ) -> Result<Vec<u8>, EngineError> {
        let (store, team) = (&self.inner.store, dispute.team());
        let payment = store::payment::of_team(store, team, dispute.payment())
            .await?
            .ok_or_else(payment_not_found)?;
        let timeline = self.timeline_in_time(&payment).await?;
        let others = self.of_same_customer(&request.caller, &payment).await?;
        let known = KnownFacts {
            payment: &payment,
            timeline: &timeline,
            others: &others,
        };
        let sections: Vec<Section> = propose(known, None)
            .into_iter()
            .map(|one| Section {
                heading: one.kind.code().replace('_', " "),
                text: one.text,
            })
            .collect();
        let title = format!("Evidence for the dispute {}", dispute.source_id());
        Ok(paper::pdf(&title, &sections))
    }
}
