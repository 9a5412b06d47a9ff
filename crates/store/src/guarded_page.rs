//! Guarded pages: pages of merchants on which customers pay.

use db::{Db, DbError, Row, Statement, Value};
use domain::{
    Timestamp,
    id::{PageId, TeamId},
    page_guard::GuardedPage,
};

/// A page as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPage {
    /// Whose it is.
    pub team: TeamId,
    /// Its id.
    pub id: PageId,
    /// The version of `page`, from 1.
    pub version: i64,
    /// What stands in the address to which browsers send reports.
    pub token: String,
    /// The page with its inventory.
    pub page: GuardedPage,
    /// When it was made.
    pub created_at: Timestamp,
    /// How often a kind of violation was added.
    pub seen: i64,
    /// How many events it has had. Each of its commits with events has its number in the stream; all of its events are public.
    pub events: u64,
}

const COLUMNS: &str = "page_id, version, token, body, created_at, seen, events";

/// A new page.
pub fn insert(page: &StoredPage) -> Statement {
    Statement::one(
        "insert into guarded_page (team_id, page_id, version, token, body, created_at, seen, events) \
         values ($1, $2, 1, $3, $4, $5, 0, 0)",
        vec![
            page.team.key().into(),
            page.id.key().into(),
            page.token.as_str().into(),
            crate::text(&page.page).into(),
            page.created_at.micros().into(),
        ],
    )
}

/// The page as a person changed it. Refused when it has another version by now.
pub fn update(page: &StoredPage) -> Statement {
    Statement::one(
        "update guarded_page set version = version + 1, body = $3 where team_id = $1 and page_id = $2 and version = $4",
        vec![
            page.team.key().into(),
            page.id.key().into(),
            crate::text(&page.page).into(),
            page.version.into(),
        ],
    )
}

/// Notes that kinds of violations were added, and so many events. Refused when others were added since the page was read, or when its
/// inventory changed: what is new is judged by it.
pub fn note_seen(page: &StoredPage, events: u64) -> Statement {
    Statement::one(
        "update guarded_page set seen = seen + 1, events = events + $3 \
         where team_id = $1 and page_id = $2 and seen = $4 and version = $5",
        vec![
            page.team.key().into(),
            page.id.key().into(),
            Value::Int(i64::try_from(events).unwrap_or(i64::MAX)),
            page.seen.into(),
            page.version.into(),
        ],
    )
}

/// Removes a page.
pub fn delete(team: TeamId, id: PageId) -> Statement {
    Statement::one(
        "delete from guarded_page where team_id = $1 and page_id = $2",
        vec![team.key().into(), id.key().into()],
    )
}

/// A team's pages, the oldest first.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<StoredPage>, DbError> {
    let sql = format!(
        "select {COLUMNS} from guarded_page where team_id = $1 order by created_at, page_id"
    );
    let rows = db.read(sql, vec![team.key().into()]).await?;
    rows.iter().map(|row| read(team, row)).collect()
}

/// A team's page by its id.
pub async fn find(db: &Db, team: TeamId, id: PageId) -> Result<Option<StoredPage>, DbError> {
    let sql = format!("select {COLUMNS} from guarded_page where team_id = $1 and page_id = $2");
    let params = vec![team.key().into(), id.key().into()];
    let rows = db.read(sql, params).await?;
    rows.first().map(|row| read(team, row)).transpose()
}

fn read(team: TeamId, row: &Row) -> Result<StoredPage, DbError> {
    let id = row.text(0)?;
    Ok(StoredPage {
        team,
        id: PageId::parse(id)
            .ok_or_else(|| DbError::Corrupt("guarded_page: its keys".to_owned()))?,
        version: row.int(1)?,
        token: row.text(2)?.to_owned(),
        page: crate::document(row.text(3)?, "guarded_page", id)?,
        created_at: row.time(4)?,
        seen: row.int(5)?,
        events: u64::try_from(row.int(6)?).unwrap_or_default(),
    })
}
