//! The document that is made of what is known here, and sent as a file of evidence.

use std::time::Duration;

use bytes::Bytes;
use db::Statement;
use domain::{
    Code, Fault,
    attachment::{FileType, Subject, UploadGrant},
    caller::Caller,
    dispute::{
        Dispute,
        evidence::{KnownFacts, PreviewGrant, propose},
    },
    id::AttachmentId,
};
use paper::Section;

use super::Checked;
use crate::{
    Download, Engine, UploadError,
    attachments::WrittenContent,
    faults::{EngineError, attachment_not_found, only_fault, payment_not_found},
    request::Request,
};

/// Its name.
const NAME: &str = "evidence.pdf";
/// How long keeping it may take.
const KEPT_WITHIN: Duration = Duration::from_mins(5);

impl Engine {
    /// Writes the document where it is wanted, and adds it to the files that are sent. It becomes a file of the dispute in the commit that
    /// begins the response: a process that dies before that leaves none.
    ///
    /// # Errors
    /// `error.validation`: the processor takes no such file; `error.attachment.switched-off`.
    pub(super) async fn document_of(
        &self,
        checked: &mut Checked,
        request: &Request,
    ) -> Result<Option<WrittenContent>, EngineError> {
        if !checked.evidence.document {
            return Ok(None);
        }
        let limits = &checked.limits;
        let refused = |reason: &str| Fault::invalid("evidence.document", reason);
        if !limits.types.contains(&FileType::Pdf) {
            return Err(refused("must be false: the processor takes no PDF").into());
        }
        let content = self.known_as_pdf(&checked.dispute, &request.caller).await?;
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
            name: NAME.to_owned(),
            kind: FileType::Pdf,
            made_by: request.caller.key,
            until: world.now().after(KEPT_WITHIN),
        };
        let written = self.write_content(grant, Bytes::from(content)).await;
        let written = written.map_err(|error| self.not_kept(error))?;
        checked.files.push(written.attachment.clone());
        Ok(Some(written))
    }

    /// The statements that make the document a file of the dispute.
    pub(super) async fn document_kept(
        &self,
        written: &WrittenContent,
    ) -> Result<[Statement; 3], EngineError> {
        let kept = self.keep_written(written).await;
        kept.map_err(|error| self.not_kept(error).into())
    }

    fn not_kept(&self, error: UploadError) -> Fault {
        match error {
            UploadError::Fault(fault) => fault,
            UploadError::Refused(why) => {
                Fault::new(Code::Validation, why.message(self.attachment_limits()))
            }
            UploadError::NoSuchAddress | UploadError::Expired | UploadError::Used => {
                Fault::unknown()
            }
        }
    }

    /// The document as it would be made now. Nothing of it is kept.
    ///
    /// # Errors
    /// `error.attachment.not-found`: the time of the permission is over; `error.unavailable`, `error.unknown`.
    pub(crate) async fn evidence_preview(&self, grant: PreviewGrant) -> Result<Download, Fault> {
        if grant.until <= self.inner.world.now() {
            return Err(attachment_not_found());
        }
        let caller = Caller::operator(grant.team, self.inner.settings.mode);
        let dispute = self.dispute(&caller, grant.dispute).await?.dispute;
        let content = self.known_as_pdf(&dispute, &caller).await;
        Ok(Download {
            name: NAME.to_owned(),
            kind: FileType::Pdf,
            content: Bytes::from(content.map_err(only_fault)?),
        })
    }

    /// All that is known here and speaks for the merchant, as a PDF.
    async fn known_as_pdf(
        &self,
        dispute: &Dispute,
        caller: &Caller,
    ) -> Result<Vec<u8>, EngineError> {
        let (store, team) = (&self.inner.store, dispute.team());
        let payment = store::payment::of_team(store, team, dispute.payment())
            .await?
            .ok_or_else(payment_not_found)?;
        let timeline = self.timeline_in_time(&payment).await?;
        let others = self.of_same_customer(caller, &payment).await?;
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
