//! Handing out a file.

use crate::boxed;
use bytes::Bytes;
use domain::{
    Fault,
    attachment::{Attachment, FileType},
    id::TeamId,
};
use sha2::{Digest as _, Sha256};

use super::switched_off;
use crate::{
    Engine,
    faults::{attachment_not_found, database},
};

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: FileType,
    /// Its content.
    pub content: Bytes,
}

impl Engine {
    /// Whose file a signed address permits to download, before anything is read; `None` where the address is none of ours.
    pub fn team_of_download(&self, token: &str) -> Option<TeamId> {
        let file = self.download_grant(token).map(|grant| grant.team);
        file.or_else(|| self.preview_grant(token).map(|grant| grant.team))
    }

    /// The file that a signed address permits to download: an attachment, or the document of a dispute's evidence as it is made now.
    ///
    /// # Errors
    /// `error.attachment.not-found`: the address is none of ours, its time is over, or the attachment is deleted. `error.unavailable`,
    /// `error.unknown`: its content can't be read, or is not what was uploaded.
    #[boxed]
    pub async fn download_attachment(&self, token: &str) -> Result<Download, Fault> {
        if let Some(grant) = self.preview_grant(token) {
            return self.evidence_preview(grant).await;
        }
        let grant = self
            .download_grant(token)
            .filter(|grant| grant.until > self.inner.world.now())
            .ok_or_else(attachment_not_found)?;
        let found = store::attachment::of_team(&self.inner.store, grant.team, grant.id).await;
        let attachment = found
            .map_err(|error| database(&error))?
            .filter(|attachment| attachment.deleted_at.is_none())
            .ok_or_else(attachment_not_found)?;
        let content = self.attachment_content(&attachment).await?;
        Ok(Download {
            name: attachment.name,
            kind: attachment.kind,
            content,
        })
    }

    /// What was uploaded, checked against what was noted then.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    pub(crate) async fn attachment_content(&self, attachment: &Attachment) -> Result<Bytes, Fault> {
        let Some(objects) = &self.inner.objects else {
            return Err(switched_off());
        };
        let most = usize::try_from(attachment.bytes).unwrap_or(usize::MAX);
        let content = objects
            .get(&attachment.object_key, most)
            .await
            .map_err(|error| {
                tracing::error!(%error, place = objects.place(), "the content of an attachment can't be read");
                Fault::unavailable()
            })?;
        let is_whole = |content: &Bytes| hex::encode(Sha256::digest(content)) == attachment.sha256;
        content.filter(is_whole).ok_or_else(|| {
            tracing::error!(
                attachment = %attachment.id,
                place = objects.place(),
                "the content of an attachment is gone, or is not what was uploaded"
            );
            Fault::unknown()
        })
    }
}
