//! For the people who run the service: teams and keys.

use db::{Change, Committed, DbError};
use domain::{
    Timestamp,
    bounded::{NAME_MAX, bounded},
    id::{KeyId, TeamId},
};
use store::credential::{self, Credential, Kind};

use crate::{Engine, Seed};

/// Why the service refused what an operator asked for. The text is for the operator and repeats no input.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// It can't be done as asked.
    #[error("{0}")]
    Refused(String),
    /// The database failed.
    #[error("the database could not do it")]
    Database(#[from] DbError),
}

impl AdminError {
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }
}

/// Kinds of key that people make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// For a merchant's server: everything.
    Secret,
    /// For browsers.
    Public,
}

impl KeyKind {
    const fn stored(self) -> Kind {
        match self {
            Self::Secret => Kind::Secret,
            Self::Public => Kind::Public,
        }
    }
}

/// A key, told once. Can't be printed.
pub struct KeyMade {
    /// Its id.
    pub id: KeyId,
    /// The key itself.
    pub token: String,
}

/// A key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedKey {
    /// Its id.
    pub id: KeyId,
    /// Whose it is.
    pub team: TeamId,
    /// What it may do.
    pub kind: KeyKind,
    /// What people call it.
    pub name: String,
    /// Its prefix and its end.
    pub hint: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// A team as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTeam {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
}

impl Engine {
    /// Makes a team that has nothing yet.
    pub async fn create_team(&self, name: &str) -> Result<TeamId, AdminError> {
        self.found_team(name, &[], &[]).await
    }

    /// Makes a team with connections and flows, and without a key, whatever the seed says of one.
    pub async fn create_team_with(&self, seed: &Seed) -> Result<TeamId, AdminError> {
        self.found_team(&seed.team_name, &seed.connections, &seed.flows)
            .await
    }

    /// Makes a key of a team: the one given, or a new one.
    pub async fn create_key(
        &self,
        team: TeamId,
        kind: KeyKind,
        name: &str,
        given: Option<String>,
    ) -> Result<KeyMade, AdminError> {
        if !store::team::all(&self.inner.store)
            .await?
            .iter()
            .any(|known| known.id == team)
        {
            return Err(AdminError::refused("there is no such team"));
        }
        let (made, row) = self.new_key(team, kind, name, given)?;
        let change = Change::new(self.change_id(), &row.id.key()).with(credential::insert(&row));
        match self.committed_plain(change).await? {
            Refused::No => Ok(made),
            Refused::Yes => Err(AdminError::refused("this key is known already")),
        }
    }

    /// The keys of a team, or of every team; oldest first within each. Client tokens are not among them.
    pub async fn keys(&self, team: Option<TeamId>) -> Result<Vec<ListedKey>, AdminError> {
        let teams = match team {
            Some(team) => vec![team],
            None => store::team::all(&self.inner.store)
                .await?
                .into_iter()
                .map(|team| team.id)
                .collect(),
        };
        let mut listed = Vec::new();
        for team in teams {
            let keys = credential::keys_of_team(&self.inner.store, team).await?;
            listed.extend(keys.into_iter().filter_map(listed_key));
        }
        Ok(listed)
    }

    /// Ends a key. It is refused at once by this node, and within a second by every other. Doing it again is harmless.
    pub async fn revoke_key(&self, id: KeyId) -> Result<(), AdminError> {
        let found = credential::by_id(&self.inner.store, id).await?;
        let key = found.ok_or_else(|| AdminError::refused("there is no such key"))?;
        let change = Change::new(self.change_id(), &id.key());
        // When no row is touched, somebody else has revoked it in the meantime.
        self.committed_plain(change.with(credential::revoke(key.team, id, self.inner.world.now())))
            .await?;
        self.inner.access.clear();
        Ok(())
    }

    /// Every team, oldest first.
    pub async fn teams(&self) -> Result<Vec<ListedTeam>, AdminError> {
        let teams = store::team::all(&self.inner.store).await?;
        Ok(teams
            .into_iter()
            .map(|team| ListedTeam {
                id: team.id,
                name: team.name,
            })
            .collect())
    }

    /// The processors that connections of any team speak to.
    pub async fn processors_in_use(&self) -> Result<Vec<String>, AdminError> {
        Ok(store::connection::processors(&self.inner.store).await?)
    }

    pub(crate) fn new_key(
        &self,
        team: TeamId,
        kind: KeyKind,
        name: &str,
        given: Option<String>,
    ) -> Result<(KeyMade, Credential), AdminError> {
        let kind = kind.stored();
        let token = given.unwrap_or_else(|| self.new_credential_text(kind));
        if !self.is_credential(kind, &token) {
            return Err(malformed());
        }
        let mut row = self.credential_row(team, kind, &token);
        row.name = checked_name(name)?;
        Ok((KeyMade { id: row.id, token }, row))
    }

    /// Commits; whether it was refused because something of it was there already.
    pub(crate) async fn committed_plain(&self, change: Change) -> Result<Refused, AdminError> {
        match self.inner.store.commit(change).await? {
            Committed::Done => Ok(Refused::No),
            Committed::Conflict { .. } => Ok(Refused::Yes),
            Committed::Unknown => Err(AdminError::refused(
                "the database did not say whether it was done: list what there is, then try again",
            )),
        }
    }
}

/// Whether a commit was refused.
pub(crate) enum Refused {
    No,
    Yes,
}

fn listed_key(key: Credential) -> Option<ListedKey> {
    let kind = match key.kind {
        Kind::Secret => KeyKind::Secret,
        Kind::Public => KeyKind::Public,
        Kind::Client => return None,
    };
    let Credential {
        id,
        team,
        name,
        hint,
        created_at,
        revoked_at,
        ..
    } = key;
    Some(ListedKey {
        id,
        team,
        kind,
        name,
        hint,
        created_at,
        revoked_at,
    })
}

pub(crate) fn checked_name(name: &str) -> Result<String, AdminError> {
    if name.trim().is_empty() {
        return Err(AdminError::refused("a name must not be empty"));
    }
    bounded(name.to_owned(), "name", NAME_MAX).map_err(|fault| AdminError::Refused(fault.message))
}

pub(crate) fn malformed() -> AdminError {
    AdminError::refused(
        "the key is not of the right form: the prefix of its kind and mode (such as sk_test_), then at least 4 letters, \
         digits, `_` or `-`",
    )
}
