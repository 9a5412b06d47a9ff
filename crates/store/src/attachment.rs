//! Attachments, and the content that lies elsewhere under its key.
//!
//! The key of content is noted as due before the content is written, so that whatever happens then it is removed, unless the
//! commit of its attachment has made it one that stays.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    attachment::{Attachment, FileType, Subject},
    id::{AttachmentId, KeyId, TeamId},
};

/// The columns of an attachment, in the order of [`read`].
const COLUMNS: &str = "team_id, attachment_id, subject, name, kind, bytes, sha256, object_key, made_by, created_at, deleted_at";

/// Content that is to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueObject {
    /// Whose it is.
    pub team: TeamId,
    /// Its key.
    pub key: String,
    /// The attachment that it was of.
    pub attachment: AttachmentId,
}

/// Notes content that is about to be written, and when it is removed if nothing comes of it.
pub fn insert_object(attachment: &Attachment, due_at: Timestamp) -> Statement {
    Statement::one(
        "insert into attachment_object (team_id, object_key, attachment_id, due_at) values ($1, $2, $3, $4)",
        vec![
            attachment.team.key().into(),
            attachment.object_key.as_str().into(),
            attachment.id.key().into(),
            due_at.micros().into(),
        ],
    )
}

/// Lets content stay. Refused when a job has begun to remove it.
pub fn keep_object(attachment: &Attachment, due_at: Timestamp) -> Statement {
    Statement::one(
        "update attachment_object set due_at = null where team_id = $1 and object_key = $2 and due_at = $3",
        vec![
            attachment.team.key().into(),
            attachment.object_key.as_str().into(),
            due_at.micros().into(),
        ],
    )
}

/// Has content removed that nothing uses any more.
pub fn release_object(attachment: &Attachment, due_at: Timestamp) -> Statement {
    Statement::one(
        "update attachment_object set due_at = $3 where team_id = $1 and object_key = $2",
        vec![
            attachment.team.key().into(),
            attachment.object_key.as_str().into(),
            due_at.micros().into(),
        ],
    )
}

/// Forgets content that is removed, as it was taken.
pub fn delete_object(object: &DueObject, taken_until: Timestamp) -> Statement {
    Statement::one(
        "delete from attachment_object where team_id = $1 and object_key = $2 and due_at = $3",
        vec![
            object.team.key().into(),
            object.key.as_str().into(),
            taken_until.micros().into(),
        ],
    )
}

/// A new attachment. Refused when there is one of its id, also a deleted one, and when its slot is taken.
pub fn insert(attachment: &Attachment, slot: u32) -> Statement {
    Statement::one(
        "insert into attachment (team_id, attachment_id, subject, slot, name, kind, bytes, sha256, object_key, made_by, \
         created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        vec![
            attachment.team.key().into(),
            attachment.id.key().into(),
            attachment.subject.key().into(),
            i64::from(slot).into(),
            attachment.name.as_str().into(),
            attachment.kind.code().into(),
            i64::try_from(attachment.bytes).unwrap_or(i64::MAX).into(),
            attachment.sha256.as_str().into(),
            attachment.object_key.as_str().into(),
            attachment.made_by.key().into(),
            attachment.created_at.micros().into(),
        ],
    )
}

/// Deletes an attachment. Its row stays until its content is removed, so that an address for its upload makes no new one.
pub fn delete(team: TeamId, id: AttachmentId, at: Timestamp) -> Statement {
    Statement::one(
        "update attachment set deleted_at = $3 where team_id = $1 and attachment_id = $2 and deleted_at is null",
        vec![team.key().into(), id.key().into(), at.micros().into()],
    )
}

/// Forgets an attachment that was deleted.
pub fn forget_deleted(team: TeamId, id: AttachmentId) -> Statement {
    Statement::any(
        "delete from attachment where team_id = $1 and attachment_id = $2 and deleted_at is not null",
        vec![team.key().into(), id.key().into()],
    )
}

/// A team's attachment, also one that was deleted.
pub async fn of_team(
    db: &Db,
    team: TeamId,
    id: AttachmentId,
) -> Result<Option<Attachment>, DbError> {
    let sql = format!("select {COLUMNS} from attachment where team_id = $1 and attachment_id = $2");
    db.read(sql, vec![team.key().into(), id.key().into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// What belongs to something, with the slots that are taken, oldest first.
pub async fn of_subject(
    db: &Db,
    team: TeamId,
    subject: Subject,
) -> Result<Vec<(u32, Attachment)>, DbError> {
    of_subjects(db, team, &[subject]).await
}

/// What belongs to some things, by one read, oldest first.
pub async fn of_subjects(
    db: &Db,
    team: TeamId,
    subjects: &[Subject],
) -> Result<Vec<(u32, Attachment)>, DbError> {
    if subjects.is_empty() {
        return Ok(Vec::new());
    }
    let places: Vec<String> = (2..subjects.len().saturating_add(2))
        .map(|place| format!("${place}"))
        .collect();
    let places = places.join(", ");
    let sql = format!(
        "select {COLUMNS}, slot from attachment where team_id = $1 and subject in ({places}) and deleted_at is null \
         order by created_at, attachment_id"
    );
    let mut params = vec![team.key().into()];
    params.extend(subjects.iter().map(|subject| subject.key().into()));
    let rows = db.read(sql, params).await?;
    rows.iter()
        .map(|row| {
            let slot = u32::try_from(row.int(11)?)
                .map_err(|_| DbError::Corrupt("attachment: its slot".to_owned()))?;
            Ok((slot, read(row)?))
        })
        .collect()
}

/// The deleted ones of something, as long as their content is there, each with its length in bytes.
pub async fn deleted_of_subject(
    db: &Db,
    team: TeamId,
    subject: Subject,
) -> Result<Vec<u64>, DbError> {
    let sql = "select bytes from attachment where team_id = $1 and subject = $2 and deleted_at is not null";
    let params = vec![team.key().into(), subject.key().into()];
    let rows = db.read(sql, params).await?;
    let length = |row: &Row| u64::try_from(row.int(0)?).map_err(|_| corrupt("length"));
    rows.iter().map(length).collect()
}

/// Attachments of any team behind this one, in the order of their keys: for looking through all of them.
pub async fn page(
    db: &Db,
    after: Option<(TeamId, AttachmentId)>,
    limit: i64,
) -> Result<Vec<Attachment>, DbError> {
    let (team, id) = after.map_or((String::new(), String::new()), |(team, id)| {
        (team.key(), id.key())
    });
    // The whole installation is looked through; each row carries its team with it.
    let sql = format!(
        "select {COLUMNS} from attachment where (team_id, attachment_id) > ($1, $2) order by team_id, attachment_id limit $3"
    );
    let rows = db
        .scan(sql, vec![team.into(), id.into(), limit.into()])
        .await?;
    rows.iter().map(read).collect()
}

/// Takes content of any team that is to be removed; until `again_at` nobody else takes it. Only what is due later than `after` is
/// looked at, see [`crate::overdue`].
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    again_at: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<DueObject>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update attachment_object set due_at = $2 where (team_id, object_key) in \
               (select team_id, object_key from attachment_object where due_at is not null and due_at > $4 and due_at <= $1 \
               order by due_at limit $3) and due_at <= $1 returning team_id, object_key, attachment_id";
    let rows = db
        .claim_for_sweep(
            sql,
            vec![
                now.micros().into(),
                again_at.micros().into(),
                limit.into(),
                after.micros().into(),
            ],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let keys = TeamId::parse(row.text(0)?).zip(AttachmentId::parse(row.text(2)?));
            let (team, attachment) = keys.ok_or_else(|| {
                DbError::Corrupt("attachment_object: keys of a due row".to_owned())
            })?;
            Ok(DueObject {
                team,
                key: row.text(1)?.to_owned(),
                attachment,
            })
        })
        .collect()
}

fn corrupt(what: &str) -> DbError {
    DbError::Corrupt(format!("attachment: its {what}"))
}

fn read(row: &Row) -> Result<Attachment, DbError> {
    let keys = TeamId::parse(row.text(0)?).zip(AttachmentId::parse(row.text(1)?));
    let (team, id) = keys.ok_or_else(|| corrupt("keys"))?;
    Ok(Attachment {
        team,
        id,
        subject: Subject::parse(row.text(2)?).ok_or_else(|| corrupt("subject"))?,
        name: row.text(3)?.to_owned(),
        kind: FileType::parse(row.text(4)?).ok_or_else(|| corrupt("kind"))?,
        bytes: u64::try_from(row.int(5)?).map_err(|_| corrupt("length"))?,
        sha256: row.text(6)?.to_owned(),
        object_key: row.text(7)?.to_owned(),
        made_by: KeyId::parse(row.text(8)?).ok_or_else(|| corrupt("maker"))?,
        created_at: Timestamp::from_micros(row.int(9)?),
        deleted_at: row.opt_int(10)?.map(Timestamp::from_micros),
    })
}
