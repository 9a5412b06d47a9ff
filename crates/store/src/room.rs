//! Room in the lists of a team that have a bound.
//!
//! What makes one more reads the room first, counts then, and takes the room in its commit. Of two that have counted at the same time
//! the second one is refused, and counts again.

use db::{Db, DbError, Statement};
use domain::id::TeamId;

/// A list of a team that has a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundedList {
    /// Connections to processors.
    Connections,
    /// Flows.
    Flows,
    /// Guarded pages.
    GuardedPages,
    /// Merchants of wallet A.
    WalletMerchants,
    /// Webhook endpoints.
    WebhookEndpoints,
}

impl BoundedList {
    const fn code(self) -> &'static str {
        match self {
            Self::Connections => "connections",
            Self::Flows => "flows",
            Self::GuardedPages => "guarded_pages",
            Self::WalletMerchants => "wallet_merchants",
            Self::WebhookEndpoints => "webhook_endpoints",
        }
    }
}

/// The room in a list as it was when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    team: TeamId,
    list: BoundedList,
    version: i64,
}

/// The room in a list. To be read before what is in the list is counted.
pub async fn find(db: &Db, team: TeamId, list: BoundedList) -> Result<Room, DbError> {
    let sql = "select version from team_room where team_id = $1 and list = $2";
    let params = vec![team.key().into(), list.code().into()];
    let rows = db.read(sql, params).await?;
    let version = rows.first().map(|row| row.int(0)).transpose()?;
    Ok(Room {
        team,
        list,
        version: version.unwrap_or_default(),
    })
}

/// Takes room for one more. Refused where somebody else has taken some since it was read.
pub fn take(room: Room) -> Statement {
    Statement::one(
        "insert into team_room (team_id, list, version) values ($1, $2, 1) \
         on conflict (team_id, list) do update set version = team_room.version + 1 where team_room.version = $3",
        vec![
            room.team.key().into(),
            room.list.code().into(),
            room.version.into(),
        ],
    )
}
