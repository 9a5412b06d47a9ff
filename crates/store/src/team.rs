//! Teams.

use db::{Db, DbError, Row, Statement};
use domain::{Timestamp, id::TeamId};

/// A team as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// Since when no key of it is accepted.
    pub closed_at: Option<Timestamp>,
}

const COLUMNS: &str = "team_id, name, closed_at";

/// A new team.
pub fn insert(team: &Team, at: Timestamp) -> Statement {
    Statement::one(
        "insert into team (team_id, name, created_at) values ($1, $2, $3)",
        vec![
            team.id.key().into(),
            team.name.as_str().into(),
            at.micros().into(),
        ],
    )
}

/// Gives a team another name.
pub fn rename(id: TeamId, name: &str) -> Statement {
    Statement::one(
        "update team set name = $2 where team_id = $1",
        vec![id.key().into(), name.into()],
    )
}

/// Closes a team. Touches no row when it is closed already.
pub fn close(id: TeamId, at: Timestamp) -> Statement {
    Statement::one(
        "update team set closed_at = $2 where team_id = $1 and closed_at is null",
        vec![id.key().into(), at.micros().into()],
    )
}

/// Opens a closed team. Touches no row when it is open.
pub fn reopen(id: TeamId) -> Statement {
    Statement::one(
        "update team set closed_at = null where team_id = $1 and closed_at is not null",
        vec![id.key().into()],
    )
}

/// A team by its id.
pub async fn of_id(db: &Db, id: TeamId) -> Result<Option<Team>, DbError> {
    let sql = format!("select {COLUMNS} from team where team_id = $1");
    let mut rows = db.read(sql, vec![id.key().into()]).await?;
    rows.first_mut().map(read).transpose()
}

/// Every team, oldest first. For the people who run the service.
pub async fn all(db: &Db) -> Result<Vec<Team>, DbError> {
    let sql = format!("select {COLUMNS} from team order by created_at, team_id");
    let mut rows = db.read(sql, Vec::new()).await?;
    rows.iter_mut().map(read).collect()
}

fn read(row: &mut Row) -> Result<Team, DbError> {
    let id = TeamId::parse(row.text(0)?);
    Ok(Team {
        id: id.ok_or_else(|| DbError::Corrupt("team: its key".to_owned()))?,
        closed_at: row.opt_time(2)?,
        name: row.take_text(1)?,
    })
}
