//! Teams.

use db::{Db, DbError, Statement};
use domain::{Timestamp, id::TeamId};

/// A team as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
}

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

/// A team by its id.
pub async fn of_id(db: &Db, id: TeamId) -> Result<Option<Team>, DbError> {
    let mut rows = db
        .read(
            "select team_id, name from team where team_id = $1",
            vec![id.key().into()],
        )
        .await?;
    rows.first_mut()
        .map(|row| {
            let name = row.take_text(1)?;
            Ok(Team { id, name })
        })
        .transpose()
}

/// Every team, oldest first. For the people who run the service.
pub async fn all(db: &Db) -> Result<Vec<Team>, DbError> {
    let mut rows = db
        .read(
            "select team_id, name from team order by created_at, team_id",
            Vec::new(),
        )
        .await?;
    rows.iter_mut()
        .map(|row| {
            let id = TeamId::parse(row.text(0)?)
                .ok_or_else(|| DbError::Corrupt("team: its key".to_owned()))?;
            Ok(Team {
                id,
                name: row.take_text(1)?,
            })
        })
        .collect()
}
