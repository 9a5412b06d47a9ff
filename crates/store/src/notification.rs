//! Notifications: what processors sent by themselves, byte for byte, and what became of it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    cursor::CursorShape,
    filter::SortOrder,
    id::{ConnectionId, PaymentId, TeamId},
    notification::NotificationStatus,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    dated_list::{self, Dated, Texts},
    part::{Listed, Part},
    query::Conditions,
};

/// A notification as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Whose it is.
    pub team: TeamId,
    /// Its id, of version 7.
    pub id: Uuid,
    /// Made of the connection and of the processor's ids: the same for every copy.
    pub mark: String,
    /// The connection to whose address it was sent.
    pub connection: ConnectionId,
    /// When it came.
    pub received_at: Timestamp,
    /// The processor's words for what it is.
    pub word: String,
    /// What became of it.
    pub status: NotificationStatus,
    /// Why, for people.
    pub message: Option<String>,
    /// The payment that it is about, where that is known.
    pub payment: Option<PaymentId>,
    /// How often it was taken to be applied.
    pub tries: u32,
    /// When it is to be applied (again).
    pub due_at: Option<Timestamp>,
    /// What was sent.
    pub content: Content,
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The headers, without those that hold credentials.
    pub headers: Vec<(String, String)>,
    /// The body in base64.
    pub body: String,
}

impl Content {
    /// What was sent.
    pub fn of(headers: Vec<(String, String)>, body: &[u8]) -> Self {
        Self {
            headers,
            body: STANDARD.encode(body),
        }
    }

    /// The body, byte for byte.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.body).ok()
    }
}

/// A new notification. Refused when it is there already.
pub fn insert(new: &Notification) -> Statement {
    Statement::one(
        "insert into notification (team_id, notification_id, connection_id, received_at, word, status, message, payment_id, \
         tries, due_at, body, mark) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (team_id, mark) do nothing",
        vec![
            new.team.key().into(),
            key(new.id).into(),
            new.connection.as_str().into(),
            new.received_at.micros().into(),
            new.word.as_str().into(),
            new.status.code().into(),
            new.message.as_deref().into(),
            new.payment.map(PaymentId::key).into(),
            i64::from(new.tries).into(),
            new.due_at.map(Timestamp::micros).into(),
            crate::text(&new.content).into(),
            new.mark.as_str().into(),
        ],
    )
}

/// What became of a notification.
pub fn set_outcome(one: &Notification) -> Statement {
    Statement::any(
        "update notification set status = $3, message = $4, payment_id = $5, tries = $6, due_at = $7 \
         where team_id = $1 and notification_id = $2",
        vec![
            one.team.key().into(),
            key(one.id).into(),
            one.status.code().into(),
            one.message.as_deref().into(),
            one.payment.map(PaymentId::key).into(),
            i64::from(one.tries).into(),
            one.due_at.map(Timestamp::micros).into(),
        ],
    )
}

/// A notification that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Its id.
    pub id: Uuid,
    /// What became of it.
    pub status: NotificationStatus,
}

/// The notification with this mark.
pub async fn known(db: &Db, team: TeamId, mark: &str) -> Result<Option<Known>, DbError> {
    let sql = "select notification_id, status from notification where team_id = $1 and mark = $2";
    let rows = db.read(sql, vec![team.key().into(), mark.into()]).await?;
    let read = |row: &Row| {
        let id = Uuid::try_parse(row.text(0)?).ok();
        let status = NotificationStatus::parse(row.text(1)?);
        let known = id.zip(status).map(|(id, status)| Known { id, status });
        known.ok_or_else(|| DbError::Corrupt("notification: a column".to_owned()))
    };
    rows.first().map(read).transpose()
}

/// A notification that came once more, in the place of one with its id and this status. Refused when that has another status by now.
pub fn replace(new: &Notification, before: NotificationStatus) -> Statement {
    Statement::one(
        "update notification set word = $3, status = $4, message = $5, tries = $6, due_at = $7, body = $8 \
         where team_id = $1 and notification_id = $2 and status = $9",
        vec![
            new.team.key().into(),
            key(new.id).into(),
            new.word.as_str().into(),
            new.status.code().into(),
            new.message.as_deref().into(),
            i64::from(new.tries).into(),
            new.due_at.map(Timestamp::micros).into(),
            crate::text(&new.content).into(),
            before.code().into(),
        ],
    )
}

/// A team's notification.
pub async fn of_team(db: &Db, team: TeamId, id: Uuid) -> Result<Option<Notification>, DbError> {
    let sql = "select team_id, notification_id, connection_id, received_at, word, status, message, payment_id, tries, due_at, body, mark \
               from notification where team_id = $1 and notification_id = $2";
    db.read(sql, vec![team.key().into(), key(id).into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// A notification as a list shows it: without what was sent, which may be long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationLine {
    /// Its id, of version 7.
    pub id: Uuid,
    /// The connection to whose address it was sent.
    pub connection: ConnectionId,
    /// When it came.
    pub received_at: Timestamp,
    /// The processor's words for what it is.
    pub word: String,
    /// What became of it.
    pub status: NotificationStatus,
    /// Why, for people.
    pub message: Option<String>,
    /// The payment that it is about, where that is known.
    pub payment: Option<PaymentId>,
}

impl Dated for NotificationLine {
    const NAME: &'static str = "notifications";
    const TEXTS: Texts = Texts {
        rows: "select notification_id, connection_id, received_at, word, status, message, payment_id from notification where team_id = $1",
        ids: "select notification_id from notification where team_id = $1",
        count: "select count(*) from notification where team_id = $1",
        id: "notification_id",
    };

    fn read(row: &Row) -> Result<Self, DbError> {
        let corrupt = || DbError::Corrupt("notification: a column".to_owned());
        let payment = row.opt_text(6)?.map(PaymentId::parse);
        Ok(Self {
            id: Uuid::try_parse(row.text(0)?).map_err(|_| corrupt())?,
            connection: ConnectionId::parse(row.text(1)?).ok_or_else(corrupt)?,
            received_at: row.time(2)?,
            word: row.text(3)?.to_owned(),
            status: NotificationStatus::parse(row.text(4)?).ok_or_else(corrupt)?,
            message: row.opt_text(5)?.map(str::to_owned),
            payment: payment.map(|id| id.ok_or_else(corrupt)).transpose()?,
        })
    }

    fn uuid(&self) -> Uuid {
        self.id
    }
}

/// The shape of the list's cursors.
pub fn shape() -> CursorShape {
    dated_list::shape::<NotificationLine>(SortOrder::Descending)
}

/// A part of a team's list, the newest first; of one connection, when that is given.
pub async fn page(
    db: &Db,
    team: TeamId,
    connection: Option<&ConnectionId>,
    part: &Part,
) -> Result<Listed<NotificationLine>, DbError> {
    let mut conditions = Conditions::of_team(team);
    if let Some(connection) = connection {
        let connection = conditions.bind(connection.as_str());
        conditions.and(&format!("connection_id = {connection}"));
    }
    dated_list::page(db, conditions, SortOrder::Descending, part).await
}

/// Takes notifications of any team that are due: until `lease_until` nobody else takes them. Only those due later
/// than `after` are looked at, see [`crate::overdue`].
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    lease_until: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, Uuid)>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update notification set due_at = $2 where (team_id, notification_id) in \
               (select team_id, notification_id from notification where due_at is not null and due_at > $4 and due_at <= $1 order by due_at limit $3) \
               and due_at <= $1 returning team_id, notification_id";
    let params = vec![
        now.micros().into(),
        lease_until.micros().into(),
        limit.into(),
        after.micros().into(),
    ];
    let rows = db.claim(sql, params).await?;
    rows.iter()
        .map(|row| {
            let keys = TeamId::parse(row.text(0)?).zip(Uuid::try_parse(row.text(1)?).ok());
            keys.ok_or_else(|| DbError::Corrupt("notification: keys of a due row".to_owned()))
        })
        .collect()
}

/// Removes notifications of any team that came before `before`. Only those later than `after` are looked at, see
/// [`crate::overdue`]. Returns their times.
pub async fn sweep(
    db: &Db,
    before: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<Timestamp>, DbError> {
    // How long they are kept is the same for every team; the rows removed carry no data out.
    let sql = "delete from notification where (team_id, notification_id) in \
               (select team_id, notification_id from notification where received_at > $3 and received_at <= $1 order by received_at limit $2) \
               returning received_at";
    let params = vec![before.micros().into(), limit.into(), after.micros().into()];
    db.claim_for_sweep(sql, params)
        .await?
        .iter()
        .map(|row| row.int(0).map(Timestamp::from_micros))
        .collect()
}

fn read(row: &Row) -> Result<Notification, DbError> {
    let corrupt = || DbError::Corrupt("notification: a column".to_owned());
    let payment = row.opt_text(7)?.map(PaymentId::parse);
    Ok(Notification {
        team: TeamId::parse(row.text(0)?).ok_or_else(corrupt)?,
        id: Uuid::try_parse(row.text(1)?).map_err(|_| corrupt())?,
        connection: ConnectionId::parse(row.text(2)?).ok_or_else(corrupt)?,
        received_at: row.time(3)?,
        word: row.text(4)?.to_owned(),
        status: NotificationStatus::parse(row.text(5)?).ok_or_else(corrupt)?,
        message: row.opt_text(6)?.map(str::to_owned),
        payment: payment.map(|id| id.ok_or_else(corrupt)).transpose()?,
        tries: u32::try_from(row.int(8)?).map_err(|_| corrupt())?,
        due_at: row.opt_int(9)?.map(Timestamp::from_micros),
        content: crate::document(row.text(10)?, "notification", row.text(1)?)?,
        mark: row.text(11)?.to_owned(),
    })
}

fn key(id: Uuid) -> String {
    id.hyphenated().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_does_not_read_what_was_sent() {
        let Texts { rows, .. } = NotificationLine::TEXTS;
        assert!(!rows.contains("body"), "{rows}");
    }
}
