//! Attachments: files that a merchant keeps with a payment or a dispute.
//!
//! # How it works
//! An operation hands out a signed address of ours; nothing is stored for it. What is uploaded there is judged by its content. Its key is
//! committed as due to be removed, its content is written, and one more commit makes it an attachment. So a crash anywhere leaves
//! either an attachment with its content, or a key that a job removes. Downloads have signed addresses too.
//!
//! # What is promised
//! - An attachment that is listed has its content on stable storage.
//! - An address is of no use for anything else, nor later than it says. It holds no credential.
//! - A file is what its type says; it is only ever handed out to be saved.

mod address;
mod download;
mod upload;

use crate::boxed;
use std::{collections::BTreeSet, sync::Arc, time::Duration};

use db::{Change, Statement};
use domain::{
    Code, Fault, Faults, Timestamp,
    attachment::{Attachment, FileType, Limits, Subject, UploadGrant, Usage, file_name},
    audit::{Act, Deed},
    caller::Caller,
    dispute::Dispute,
    id::{AttachmentId, TeamId},
};

use objects::Objects;

pub use download::Download;
pub(crate) use upload::WrittenContent;
pub use upload::{Stored, UploadError};

use crate::{
    Engine,
    faults::{
        EngineError, attachment_not_found, database, dispute_not_found, only_fault,
        payment_not_found,
    },
};

/// How long an address to upload to is good.
const UPLOAD_WITHIN: Duration = Duration::from_mins(15);
/// How long an address to download from is good.
const DOWNLOAD_WITHIN: Duration = Duration::from_mins(15);
/// So long after it was deleted the content is removed: a backup that was begun before must find it.
const REMOVED_AFTER: Duration = Duration::from_hours(24);

/// Asks for an address to upload a file to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateAttachment {
    /// What it is to belong to.
    pub subject: Subject,
    /// The file's name.
    pub name: String,
    /// Its media type.
    pub kind: String,
}

/// Where a file is to be uploaded to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadAddress {
    /// The id that the attachment will have.
    pub id: AttachmentId,
    /// The address.
    pub url: String,
    /// It is of no use later.
    pub expires_at: Timestamp,
    /// What the content must be.
    pub kind: FileType,
    /// The largest file. Unit: bytes.
    pub most: u64,
}

/// An attachment with an address to download it from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentView {
    /// The attachment.
    pub attachment: Attachment,
    /// A signed address, good for some minutes.
    pub access_url: String,
}

impl Engine {
    /// Hands out an address to which a file for a payment or a dispute can be uploaded.
    ///
    /// # Errors
    /// `error.attachment.switched-off`; `error.payment.not-found`, `error.dispute.not-found`; `error.validation` for the name, the
    /// type, and where there is as much as there may be.
    #[boxed]
    pub async fn create_attachment(
        &self,
        caller: &Caller,
        command: CreateAttachment,
    ) -> Result<UploadAddress, Fault> {
        self.created_attachment(caller, command)
            .await
            .map_err(only_fault)
    }

    async fn created_attachment(
        &self,
        caller: &Caller,
        command: CreateAttachment,
    ) -> Result<UploadAddress, EngineError> {
        let mut faults = Faults::default();
        let name = faults.or_default(file_name(command.name, "name"));
        let kind = FileType::declared(&command.kind, "type");
        let kind = match kind {
            Ok(kind) => faults.end(kind)?,
            Err(fault) => {
                faults.or_default::<()>(Err(fault));
                return Err(faults.end(()).err().unwrap_or_else(Fault::unknown).into());
            }
        };
        let subject = command.subject;
        self.find_subject(caller.team, subject).await?;
        let Some(objects) = &self.inner.objects else {
            return Err(switched_off().into());
        };
        if !objects.has_room(0).await {
            return Err(no_room().into());
        }
        let limits = self.inner.settings.attachments;
        let there = self.inventory(caller.team, subject).await?;
        limits
            .room(there.usage)
            .map_err(|refused| Fault::new(Code::Validation, refused.message(limits)))?;
        let world = &self.inner.world;
        let grant = UploadGrant {
            team: caller.team,
            id: AttachmentId::new(world.uuid_v7()),
            subject,
            name: kind.name_of(name),
            kind,
            made_by: caller.key,
            until: world.now().after(UPLOAD_WITHIN),
        };
        let deed = Deed::on(
            caller.team,
            Act::AttachmentRequested,
            "attachment",
            grant.id,
        )
        .with(subject.word(), subject.id());
        let change = Change::new(self.change_id(), &grant.id.key()).with(self.audit(&deed));
        self.commit_plain(change).await?;
        Ok(UploadAddress {
            id: grant.id,
            url: self.upload_url(&grant),
            expires_at: grant.until,
            kind,
            most: limits.file_bytes,
        })
    }

    /// Whether the team has the thing that attachments belong to.
    async fn find_subject(&self, team: TeamId, subject: Subject) -> Result<(), EngineError> {
        let store = &self.inner.store;
        match subject {
            Subject::Payment(id) => {
                let found = store::payment::of_team(store, team, id).await?;
                found.ok_or_else(payment_not_found)?;
            }
            Subject::Dispute(id) => {
                let found = store::dispute::of_team(store, team, id).await?;
                found.ok_or_else(dispute_not_found)?;
            }
        }
        Ok(())
    }

    /// The attachments of a payment or a dispute, oldest first.
    ///
    /// # Errors
    /// `error.payment.not-found`, `error.dispute.not-found`.
    #[boxed]
    pub async fn attachments_of_one(
        &self,
        caller: &Caller,
        subject: Subject,
    ) -> Result<Vec<AttachmentView>, Fault> {
        self.find_subject(caller.team, subject)
            .await
            .map_err(only_fault)?;
        self.attachments_of(caller.team, &[subject]).await
    }

    /// The attachments of payments and disputes of a team, oldest first, by one read.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn attachments_of(
        &self,
        team: TeamId,
        subjects: &[Subject],
    ) -> Result<Vec<AttachmentView>, Fault> {
        let found = store::attachment::of_subjects(&self.inner.store, team, subjects)
            .await
            .map_err(|error| database(&error))?;
        let views = found.into_iter().map(|(_, attachment)| AttachmentView {
            access_url: self.download_url(&attachment),
            attachment,
        });
        Ok(views.collect())
    }

    /// Deletes an attachment. Its content is removed a day later.
    ///
    /// # Errors
    /// `error.attachment.not-found`; `error.payment.operation-in-progress` while a response to a dispute is sent with it.
    #[boxed]
    pub async fn delete_attachment(&self, caller: &Caller, id: AttachmentId) -> Result<(), Fault> {
        self.deleted_attachment(caller.team, id)
            .await
            .map_err(only_fault)
    }

    async fn deleted_attachment(&self, team: TeamId, id: AttachmentId) -> Result<(), EngineError> {
        let found = store::attachment::of_team(&self.inner.store, team, id).await?;
        let attachment = found
            .filter(|attachment| attachment.deleted_at.is_none())
            .ok_or_else(attachment_not_found)?;
        self.refuse_while_sent(&attachment).await?;
        let subject = attachment.subject;
        let deed = Deed::on(team, Act::AttachmentDeleted, "attachment", id)
            .with(subject.word(), subject.id());
        let change = self
            .deletion(&attachment)
            .into_iter()
            .fold(Change::new(self.change_id(), &id.key()), Change::with)
            .with(self.audit(&deed));
        if self.commit_plain(change).await?.is_some() {
            // Somebody else deleted it at the same moment.
            return Err(attachment_not_found().into());
        }
        Ok(())
    }

    /// What takes an attachment off the list, and has its content removed.
    pub(crate) fn deletion(&self, attachment: &Attachment) -> [Statement; 2] {
        let now = self.inner.world.now();
        [
            store::attachment::delete(attachment.team, attachment.id, now),
            store::attachment::release_object(attachment, now.after(REMOVED_AFTER)),
        ]
    }

    /// Refuses a file of a response that may have to be sent again.
    async fn refuse_while_sent(&self, attachment: &Attachment) -> Result<(), EngineError> {
        let (store, team) = (&self.inner.store, attachment.team);
        let disputes = match attachment.subject {
            Subject::Dispute(id) => {
                let found = store::dispute::of_team(store, team, id).await?;
                found.into_iter().collect()
            }
            Subject::Payment(id) => store::dispute::of_payment(store, team, id).await?,
        };
        let is_sent = |dispute: &Dispute| {
            let mut open = dispute.responses().iter().filter(|one| one.is_open());
            open.any(|one| one.attachments.contains(&attachment.id))
        };
        if let Some(dispute) = disputes.iter().find(|dispute| is_sent(dispute)) {
            let message = "The file is sent with a response to a dispute, which the processor has not confirmed yet.";
            let fault = Fault::new(Code::OperationInProgress, message);
            return Err(fault.about(dispute.id()).into());
        }
        Ok(())
    }

    /// Where the content of attachments lies.
    pub fn objects(&self) -> Option<Arc<dyn Objects>> {
        self.inner.objects.clone()
    }

    /// How much is kept.
    pub fn attachment_limits(&self) -> Limits {
        self.inner.settings.attachments
    }
}

/// No attachments are kept here.
fn switched_off() -> Fault {
    let message = "This installation keeps no attachments: its nodes share a database, and no object store is configured for the files \
                   (`attachments.bucket`, see docs/attachments.md).";
    Fault::new(Code::AttachmentsOff, message)
}

/// The disk has too little room for files.
fn no_room() -> Fault {
    let message =
        "The disk has too little room left for files. Payments go on. Please try again later.";
    Fault::new(Code::Unavailable, message)
}

/// What is there already, with the slots that are taken.
struct Inventory {
    usage: Usage,
    slots: BTreeSet<u32>,
}

impl Engine {
    /// What belongs to something, deleted ones included whose content is still there.
    async fn inventory(&self, team: TeamId, subject: Subject) -> Result<Inventory, EngineError> {
        let store = &self.inner.store;
        let there = store::attachment::of_subject(store, team, subject).await?;
        let deleted = store::attachment::deleted_of_subject(store, team, subject).await?;
        let count = |files: usize| u32::try_from(files).unwrap_or(u32::MAX);
        Ok(Inventory {
            usage: Usage {
                files: count(there.len()),
                bytes: there.iter().map(|(_, one)| one.bytes).sum(),
                deleted_files: count(deleted.len()),
                deleted_bytes: deleted.iter().sum(),
            },
            slots: there.iter().map(|(slot, _)| *slot).collect(),
        })
    }
}
