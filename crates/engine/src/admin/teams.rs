//! Teams, as the people who run the service make, list, close and open them.

use crate::boxed;
use db::{Change, Statement};
use domain::{
    Timestamp,
    audit::{Act, Deed},
    id::TeamId,
};

use super::{AdminError, Refused};
use crate::{Engine, Seed};

/// A team as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTeam {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// Since when no key of it is accepted.
    pub closed_at: Option<Timestamp>,
}

impl Engine {
    /// Makes a team that has nothing yet.
    ///
    /// # Errors
    /// A bad name; the database's.
    #[boxed]
    pub async fn create_team(&self, name: &str) -> Result<TeamId, AdminError> {
        self.found_team(name, &[], &[]).await
    }

    /// Makes a team with connections and flows, and without a key, whatever the seed says of one.
    ///
    /// # Errors
    /// A bad name or flow; the database's.
    #[boxed]
    pub async fn create_team_with(&self, seed: &Seed) -> Result<TeamId, AdminError> {
        self.found_team(&seed.team_name, &seed.connections, &seed.flows)
            .await
    }

    /// Every team, oldest first.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn teams(&self) -> Result<Vec<ListedTeam>, AdminError> {
        let teams = store::team::all(&self.inner.store).await?;
        let listed = teams.into_iter().map(|team| ListedTeam {
            id: team.id,
            name: team.name,
            closed_at: team.closed_at,
        });
        Ok(listed.collect())
    }

    /// Closes a team: no key and no client token of it is accepted, by this node at once and by every other within a second.
    /// Its data stay, and what is under way is carried on. Returns whether it was open.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn close_team(&self, team: TeamId) -> Result<bool, AdminError> {
        let now = self.inner.world.now();
        self.change_team(team, store::team::close(team, now), Act::TeamClosed)
            .await
    }

    /// Opens a closed team: its keys are accepted as before. Returns whether it was closed.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn reopen_team(&self, team: TeamId) -> Result<bool, AdminError> {
        self.change_team(team, store::team::reopen(team), Act::TeamReopened)
            .await
    }

    async fn change_team(
        &self,
        team: TeamId,
        statement: Statement,
        act: Act,
    ) -> Result<bool, AdminError> {
        let change = Change::new(self.change_id(), &team.key())
            .with(statement)
            .with(self.audit(&Deed::on_team(team, act)));
        let refused = self.committed_plain(change).await?;
        self.inner.access.clear();
        Ok(matches!(refused, Refused::No))
    }
}
