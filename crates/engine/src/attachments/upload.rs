//! Taking a file that is uploaded.

use crate::boxed;
use std::time::Duration;

use bytes::Bytes;
use db::{Change, Statement};
use domain::{
    Fault, Timestamp,
    attachment::{Attachment, Refused, UploadGrant},
    audit::{Act, Deed},
};
use sha2::{Digest as _, Sha256};

use super::{no_room, switched_off};
use crate::{
    Engine,
    faults::{EngineError, only_fault},
};

/// Content that did not become an attachment within this time is removed. Far longer than any upload takes.
const UNFINISHED: Duration = Duration::from_hours(1);

/// How often a free place among the attachments is looked for again.
const ROUNDS: u32 = 8;

/// A file that is kept now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The attachment.
    pub attachment: Attachment,
    /// Whether the same content had been uploaded there before.
    pub again: bool,
}

/// Content that is written, and is removed after a while unless it becomes an attachment.
pub(crate) struct WrittenContent {
    /// The attachment that it may become.
    pub(crate) attachment: Attachment,
    content: Bytes,
    remove_at: Timestamp,
}

/// Why a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UploadError {
    /// We never handed out that address.
    NoSuchAddress,
    /// The address was ours and is of no use any more.
    Expired,
    /// Another file was uploaded there, or the attachment is deleted.
    Used,
    /// The file is none that is taken.
    Refused(Refused),
    /// Anything else.
    Fault(Fault),
}

impl From<EngineError> for UploadError {
    fn from(stop: EngineError) -> Self {
        Self::Fault(only_fault(stop))
    }
}

impl From<db::DbError> for UploadError {
    fn from(error: db::DbError) -> Self {
        EngineError::from(error).into()
    }
}

impl Engine {
    /// Judges the address of an upload before anything of it is read.
    ///
    /// # Errors
    /// `NoSuchAddress`, `Expired`; `Fault` where no attachments are kept.
    pub fn admit_upload(&self, token: &str) -> Result<UploadGrant, UploadError> {
        let grant = self.upload_grant(token).ok_or(UploadError::NoSuchAddress)?;
        if grant.until <= self.inner.world.now() {
            return Err(UploadError::Expired);
        }
        if self.inner.objects.is_none() {
            return Err(UploadError::Fault(switched_off()));
        }
        Ok(grant)
    }

    /// Judges, before anything is read, an upload of so many bytes to an address that may have been used.
    ///
    /// # Errors
    /// `Used` where another file was uploaded there, or the attachment is deleted; `Fault`.
    #[boxed]
    pub async fn check_unused(
        &self,
        grant: &UploadGrant,
        declared: Option<u64>,
    ) -> Result<(), UploadError> {
        let there = store::attachment::of_team(&self.inner.store, grant.team, grant.id).await?;
        let may_be_same = there.is_none_or(|there| {
            there.deleted_at.is_none() && declared.is_none_or(|bytes| bytes == there.bytes)
        });
        may_be_same.then_some(()).ok_or(UploadError::Used)
    }

    /// Keeps a file that was uploaded. The same file may be sent again.
    ///
    /// # Errors
    /// Why it is not kept: then nothing of it stays.
    #[boxed]
    pub async fn take_upload(
        &self,
        grant: UploadGrant,
        content: Bytes,
    ) -> Result<Stored, UploadError> {
        // From its first commit on it is a task of the engine's own: a client that goes away doesn't end it.
        let engine = self.clone();
        let work = Box::pin(async move { engine.taken_upload(grant, content).await });
        self.own(work)
            .await
            .unwrap_or_else(|| Err(UploadError::Fault(Fault::unknown())))
    }

    async fn taken_upload(
        &self,
        grant: UploadGrant,
        content: Bytes,
    ) -> Result<Stored, UploadError> {
        let store = &self.inner.store;
        let sha256 = hex::encode(Sha256::digest(&content));
        if let Some(there) = store::attachment::of_team(store, grant.team, grant.id).await? {
            return again(there, &sha256);
        }
        let written = self.write_content(grant, content).await?;
        self.kept(written).await
    }

    /// Writes content that only a commit with [`Self::keep_written`] makes an attachment. Without one it is removed after an hour.
    ///
    /// # Errors
    /// Why it is not taken.
    pub(crate) async fn write_content(
        &self,
        grant: UploadGrant,
        content: Bytes,
    ) -> Result<WrittenContent, UploadError> {
        let Some(objects) = &self.inner.objects else {
            return Err(UploadError::Fault(switched_off()));
        };
        let world = &self.inner.world;
        let there = self.inventory(grant.team, grant.subject).await?;
        self.inner
            .settings
            .attachments
            .admit(&content, grant.kind, there.usage)
            .map_err(UploadError::Refused)?;
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        if !objects.has_room(bytes).await {
            tracing::error!(
                place = objects.place(),
                "too little room is left: files are refused"
            );
            return Err(UploadError::Fault(no_room()));
        }
        let now = world.now();
        let attachment = Attachment {
            team: grant.team,
            id: grant.id,
            subject: grant.subject,
            name: grant.name,
            kind: grant.kind,
            bytes,
            sha256: hex::encode(Sha256::digest(&content)),
            // Each try has a key of its own: content under a key never changes.
            object_key: format!("{}/{}/{}", grant.team, grant.id, world.uuid_v7().simple()),
            made_by: grant.made_by,
            created_at: now,
            deleted_at: None,
        };
        let remove_at = now.after(UNFINISHED);
        let noted = Change::new(self.change_id(), &attachment.object_key)
            .with(store::attachment::insert_object(&attachment, remove_at));
        self.commit_plain(noted).await?;
        if let Err(error) = objects.put(&attachment.object_key, content.clone()).await {
            tracing::error!(%error, place = objects.place(), "the content of an attachment can't be written");
            return Err(UploadError::Fault(Fault::unavailable()));
        }
        Ok(WrittenContent {
            attachment,
            content,
            remove_at,
        })
    }

    /// The statements that make content an attachment. The first one is refused where a job has begun to remove the content, the second
    /// one where another attachment was faster.
    ///
    /// # Errors
    /// Why it is not taken, as things are now.
    pub(crate) async fn keep_written(
        &self,
        written: &WrittenContent,
    ) -> Result<[Statement; 3], UploadError> {
        let (limits, attachment) = (self.inner.settings.attachments, &written.attachment);
        let subject = attachment.subject;
        let there = self.inventory(attachment.team, subject).await?;
        limits
            .admit(&written.content, attachment.kind, there.usage)
            .map_err(UploadError::Refused)?;
        let Some(slot) = (0..limits.files).find(|slot| !there.slots.contains(slot)) else {
            return Err(UploadError::Refused(Refused::TooMany));
        };
        let deed = Deed::on(
            attachment.team,
            Act::AttachmentStored,
            "attachment",
            attachment.id,
        )
        .with(subject.word(), subject.id())
        .with("asked_by", attachment.made_by.to_string());
        Ok([
            store::attachment::keep_object(attachment, written.remove_at),
            store::attachment::insert(attachment, slot),
            self.audit(&deed),
        ])
    }

    /// Makes an attachment of content that is written.
    async fn kept(&self, written: WrittenContent) -> Result<Stored, UploadError> {
        let attachment = &written.attachment;
        for _ in 0..ROUNDS {
            // Within this node uploads to one thing are counted one after the other; between nodes the slot bounds their number.
            let _turn = self
                .inner
                .upload_turns
                .take(attachment.subject.uuid())
                .await;
            let change = self.keep_written(&written).await?.into_iter().fold(
                Change::new(self.change_id(), &attachment.id.key()),
                Change::with,
            );
            match self.commit_naming(change, attachment.id).await? {
                None => {
                    return Ok(Stored {
                        attachment: written.attachment,
                        again: false,
                    });
                }
                // It took so long that a job has begun to remove the content.
                Some(0) => return Err(UploadError::Fault(Fault::unavailable())),
                Some(_) => {}
            }
            // Another upload to the same address was faster, or took the slot.
            let store = &self.inner.store;
            let there = store::attachment::of_team(store, attachment.team, attachment.id).await?;
            if let Some(there) = there {
                return again(there, &attachment.sha256);
            }
        }
        Err(UploadError::Fault(Fault::unavailable()))
    }
}

/// The answer to an upload to an address that was used.
fn again(there: Attachment, sha256: &str) -> Result<Stored, UploadError> {
    if there.deleted_at.is_some() || there.sha256 != sha256 {
        return Err(UploadError::Used);
    }
    Ok(Stored {
        attachment: there,
        again: true,
    })
}
