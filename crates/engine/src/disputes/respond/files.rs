//! The files of evidence: attachments of the dispute or of its payment.

use connector::EvidenceFile;
use domain::{
    Fault,
    attachment::{Attachment, Subject},
    dispute::{Dispute, ResponseNews},
    id::{AttachmentId, TeamId},
};

use crate::{
    Engine,
    faults::{EngineError, attachment_not_found},
};

impl Engine {
    /// These attachments, in their order.
    ///
    /// # Errors
    /// `error.attachment.not-found`, naming the place: there is no such attachment of this dispute or of its payment.
    pub(super) async fn files_of(
        &self,
        dispute: &Dispute,
        ids: &[AttachmentId],
    ) -> Result<Vec<Attachment>, EngineError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let store = &self.inner.store;
        let subjects = [
            Subject::Dispute(dispute.id()),
            Subject::Payment(dispute.payment()),
        ];
        let there = store::attachment::of_subjects(store, dispute.team(), &subjects).await?;
        let mut files = Vec::with_capacity(ids.len());
        for (place, id) in ids.iter().enumerate() {
            let found = there.iter().find(|(_, one)| one.id == *id);
            let Some((_, found)) = found else {
                let mut fault = attachment_not_found();
                fault.field = Some(format!("evidence.attachments.{place}"));
                "There is no such attachment of the dispute or of its payment."
                    .clone_into(&mut fault.message);
                return Err(fault.into());
            };
            files.push(found.clone());
        }
        Ok(files)
    }

    /// The content of a response's files; the news that they can't be sent.
    pub(super) async fn contents_of(
        &self,
        team: TeamId,
        ids: &[AttachmentId],
    ) -> Result<Result<Vec<EvidenceFile>, ResponseNews>, EngineError> {
        let mut files = Vec::with_capacity(ids.len());
        for id in ids {
            let found = store::attachment::of_team(&self.inner.store, team, *id).await?;
            let Some(attachment) = found else {
                return Ok(Err(gone()));
            };
            match self.attachment_content(&attachment).await {
                Ok(content) => files.push(EvidenceFile {
                    name: attachment.name,
                    kind: attachment.kind,
                    content,
                }),
                Err(fault) if fault == Fault::unavailable() => {
                    let why = "its files can't be read at the moment".to_owned();
                    return Ok(Err(ResponseNews::NotSent(why)));
                }
                Err(_) => return Ok(Err(gone())),
            }
        }
        Ok(Ok(files))
    }
}

fn gone() -> ResponseNews {
    ResponseNews::Refused("a file of it is not kept any more".to_owned())
}
