//! Which database of a server an installation is in: a copy that was restored from a dump, or made in another database or another
//! cluster, is in another one.
//!
//! The cluster's own identifier, the database's and the table's stay when a standby takes over. What brings a cluster's files back
//! to an earlier time (a base backup, a snapshot, a recovery to a moment) keeps them as well: it is not seen here.

use db::{Change, ChangeId, Committed, Db, DbError};
use store::installation;
use world::World;

/// What is stored, and what is there now.
pub(super) struct Places {
    stored: Option<String>,
    now: Option<String>,
}

impl Places {
    /// Looks at a server's database. Where its role may not know the cluster's identifier, nothing is known.
    pub(super) async fn of(store: &Db) -> Result<Self, DbError> {
        if !store.is_shared() {
            return Ok(Self {
                stored: None,
                now: None,
            });
        }
        Ok(Self {
            stored: installation::get(store, installation::PLACE).await?,
            now: place(store).await?,
        })
    }

    /// Whether the installation was in another database before.
    pub(super) fn differ(&self) -> bool {
        matches!((&self.stored, &self.now), (Some(stored), Some(now)) if stored != now)
    }

    /// Notes where it is, unless that stands there.
    pub(super) async fn note(&self, store: &Db, world: &World) -> anyhow::Result<()> {
        let Some(now) = self
            .now
            .as_ref()
            .filter(|now| self.stored.as_ref() != Some(*now))
        else {
            return Ok(());
        };
        let id = ChangeId(world.uuid_v7().as_u128());
        let change = Change::new(id, installation::PLACE).with(installation::swap(
            installation::PLACE,
            self.stored.as_deref(),
            now,
        ));
        let noted = store.commit(change).await? == Committed::Done
            // Another node was first.
            || installation::get(store, installation::PLACE).await?.as_ref() == Some(now);
        anyhow::ensure!(noted, "another process marks the installation: start again");
        Ok(())
    }
}

async fn place(store: &Db) -> Result<Option<String>, DbError> {
    // Of the server's own catalogue, not of a team.
    let sql = "select (select system_identifier::text from pg_control_system()) || '/' || \
               (select oid::text from pg_catalog.pg_database where datname = current_database()) || '/' || \
               (to_regclass('installation')::oid)::text";
    match store.read(sql, Vec::new()).await {
        Ok(rows) => match rows.first() {
            Some(row) => Ok(row.opt_text(0)?.map(str::to_owned)),
            None => Ok(None),
        },
        // The server's administrator has taken the right to know it away, or it is no PostgreSQL of the usual kind.
        Err(DbError::Denied(_) | DbError::Sql { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
