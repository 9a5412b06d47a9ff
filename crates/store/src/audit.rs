//! Entries of the audit trail.

use db::{Db, DbError, Insert, Row, Statement};
use domain::{Timestamp, audit::Entry, id::TeamId};

/// A new entry.
static NEW: Insert = Insert::new(
    "audit",
    &[
        "team_id",
        "audit_id",
        "at",
        "act",
        "actor",
        "actor_id",
        "address",
        "request_id",
        "subject",
        "subject_id",
        "outcome",
        "details",
    ],
);

const COLUMNS: &str = "team_id, audit_id, at, act, actor, actor_id, address, request_id, subject, subject_id, outcome, \
                       details, seq, link, mac";

/// An entry with its place in the team's chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The entry.
    pub entry: Entry,
    /// Its place; `None` until it is sealed.
    pub seal: Option<Seal>,
}

/// What holds an entry in its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// Its number, from 1.
    pub seq: i64,
    /// The hash of the entry and of the link before.
    pub link: String,
    /// The keyed hash of the link.
    pub mac: String,
}

/// Writes an entry. It goes with the commit of the act.
pub fn insert(team: TeamId, entry: &Entry) -> Statement {
    let text = |text: &Option<String>| text.as_deref().into();
    NEW.with(vec![
        team.key().into(),
        entry.id.as_str().into(),
        entry.at_micros.into(),
        entry.act.as_str().into(),
        entry.actor.as_str().into(),
        text(&entry.actor_id),
        text(&entry.address),
        text(&entry.request_id),
        entry.subject.as_str().into(),
        text(&entry.subject_id),
        entry.outcome.as_str().into(),
        entry.details.as_str().into(),
    ])
}

/// Gives an entry its place, which it has only once.
pub fn seal(team: TeamId, id: &str, seal: &Seal) -> Statement {
    Statement::one(
        "update audit set seq = $3, link = $4, mac = $5 where team_id = $1 and audit_id = $2 and seq is null",
        vec![
            team.key().into(),
            id.into(),
            seal.seq.into(),
            seal.link.as_str().into(),
            seal.mac.as_str().into(),
        ],
    )
}

/// The ids of teams that have entries to be sealed, in their order: those behind `after`. An id that is no team's is among
/// them, so that it can't stand in the way of the others.
pub async fn unsealed_teams(db: &Db, after: &str, limit: i64) -> Result<Vec<String>, DbError> {
    // Of all teams on purpose: a job seals for each. Ids of teams and nothing else.
    let sql = "select distinct team_id from audit where seq is null and team_id > $1 order by team_id limit $2";
    let mut rows = db.read(sql, vec![after.into(), limit.into()]).await?;
    rows.iter_mut().map(|row| row.take_text(0)).collect()
}

/// Every team that has entries.
pub async fn teams(db: &Db) -> Result<Vec<TeamId>, DbError> {
    // Of all teams on purpose: the people who run the service read the whole trail.
    let sql =
        "select distinct team_id from audit union select team_id from audit_chain order by team_id";
    let rows = db.scan(sql, Vec::new()).await?;
    rows.iter().map(team_of).collect()
}

/// A team's entries that are not sealed, oldest first.
pub async fn unsealed(db: &Db, team: TeamId, limit: i64) -> Result<Vec<Entry>, DbError> {
    let sql = format!(
        "select {COLUMNS} from audit where team_id = $1 and seq is null order by audit_id limit $2"
    );
    let rows = db.read(sql, vec![team.key().into(), limit.into()]).await?;
    rows.iter()
        .map(|row| read(row).map(|stored| stored.entry))
        .collect()
}

/// Whether a team has an entry from before a time that is not sealed. Its contents are not read: they may be unreadable.
pub async fn has_unsealed(db: &Db, team: TeamId, before: Timestamp) -> Result<bool, DbError> {
    let sql = "select seq from audit where team_id = $1 and seq is null and at < $2 limit 1";
    let rows = db
        .scan(sql, vec![team.key().into(), before.micros().into()])
        .await?;
    Ok(!rows.is_empty())
}

/// The ids of teams that have entries from before a time; one that is no team's is among them.
pub async fn teams_before(db: &Db, before: Timestamp) -> Result<Vec<String>, DbError> {
    // Of all teams on purpose: a job removes what is old of each. Ids of teams and nothing else.
    let sql = "select distinct team_id from audit where at < $1 order by team_id";
    let mut rows = db.scan(sql, vec![before.micros().into()]).await?;
    rows.iter_mut().map(|row| row.take_text(0)).collect()
}

/// Whether a team has this entry.
pub async fn is_there(db: &Db, team: TeamId, id: &str) -> Result<bool, DbError> {
    let sql = "select audit_id from audit where team_id = $1 and audit_id = $2";
    let rows = db.read(sql, vec![team.key().into(), id.into()]).await?;
    Ok(!rows.is_empty())
}

/// Where a walk along a chain goes on: behind the entry with this number and this id. Numbers are each there once, unless
/// somebody has put others there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// The number.
    pub seq: i64,
    /// The entry's id.
    pub id: String,
}

impl Behind {
    /// Before every number, also before those that no chain has and that somebody has put there.
    pub const NOTHING: Self = Self {
        seq: i64::MIN,
        id: String::new(),
    };
}

/// A team's sealed entries in the order of the chain.
pub async fn sealed(
    db: &Db,
    team: TeamId,
    behind: &Behind,
    limit: i64,
) -> Result<Vec<Stored>, DbError> {
    let sql = format!(
        "select {COLUMNS} from audit where team_id = $1 and seq is not null \
         and (seq > $2 or (seq = $2 and audit_id > $3)) order by seq, audit_id limit $4"
    );
    let params = vec![
        team.key().into(),
        behind.seq.into(),
        behind.id.as_str().into(),
        limit.into(),
    ];
    db.scan(sql, params).await?.iter().map(read).collect()
}

/// A team's entries from a time on, oldest first: those behind the id `after`, when that is given.
pub async fn since(
    db: &Db,
    team: TeamId,
    since: Timestamp,
    after: Option<&str>,
    limit: i64,
) -> Result<Vec<Stored>, DbError> {
    let floor = domain::dated::id_floor(since);
    let sql = format!(
        "select {COLUMNS} from audit where team_id = $1 and audit_id > $2 and at >= $3 order by audit_id limit $4"
    );
    let params = vec![
        team.key().into(),
        after.unwrap_or(&floor).into(),
        since.micros().into(),
        limit.into(),
    ];
    db.scan(sql, params).await?.iter().map(read).collect()
}

/// Removes a team's sealed entries up to a number.
pub fn delete_up_to(team: TeamId, seq: i64) -> Statement {
    Statement::any(
        "delete from audit where team_id = $1 and seq is not null and seq <= $2",
        vec![team.key().into(), seq.into()],
    )
}

fn team_of(row: &Row) -> Result<TeamId, DbError> {
    TeamId::parse(row.text(0)?).ok_or_else(|| DbError::Corrupt("audit: its team".to_owned()))
}

fn read(row: &Row) -> Result<Stored, DbError> {
    let text = |index| row.text(index).map(str::to_owned);
    let opt_text = |index| row.opt_text(index).map(|text| text.map(str::to_owned));
    let entry = Entry {
        team: text(0)?,
        id: text(1)?,
        at_micros: row.int(2)?,
        act: text(3)?,
        actor: text(4)?,
        actor_id: opt_text(5)?,
        address: opt_text(6)?,
        request_id: opt_text(7)?,
        subject: text(8)?,
        subject_id: opt_text(9)?,
        outcome: text(10)?,
        details: text(11)?,
    };
    let seal = match row.opt_int(12)? {
        Some(seq) => Some(Seal {
            seq,
            link: opt_text(13)?.unwrap_or_default(),
            mac: opt_text(14)?.unwrap_or_default(),
        }),
        None => None,
    };
    Ok(Stored { entry, seal })
}
