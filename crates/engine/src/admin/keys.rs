//! Keys, as the people who run the service make, list, replace and revoke them.

use crate::boxed;
use std::time::Duration;

use db::Change;
use domain::{
    Timestamp,
    audit::{Act, Deed},
    id::{KeyId, TeamId},
    rights::Scopes,
};
use store::credential::{self, Credential, CredentialKind};

use super::{AdminError, Refused, checked_name, malformed};
use crate::Engine;

/// The longest time after which a key may expire. Unit: days.
const DAYS_MAX: u64 = 3650;

/// Kinds of key that people make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// For a merchant's server: what its scopes say.
    Secret,
    /// For browsers.
    Public,
}

impl KeyKind {
    const fn stored(self) -> CredentialKind {
        match self {
            Self::Secret => CredentialKind::Secret,
            Self::Public => CredentialKind::Public,
        }
    }

    const fn of(kind: CredentialKind) -> Option<Self> {
        match kind {
            CredentialKind::Secret => Some(Self::Secret),
            CredentialKind::Public => Some(Self::Public),
            CredentialKind::Client => None,
        }
    }
}

/// A key to be made.
#[derive(Clone)]
pub struct NewKey {
    /// Whose it is.
    pub team: TeamId,
    /// What it may do.
    pub kind: KeyKind,
    /// What people call it.
    pub name: String,
    /// The key itself, given from outside; a new one when absent.
    pub given: Option<String>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// What a secret key may do; a public key has all, which means nothing for it.
    pub scopes: Scopes,
}

impl NewKey {
    /// A key that lives until it is revoked.
    pub fn of(team: TeamId, kind: KeyKind, name: &str) -> Self {
        Self {
            team,
            kind,
            name: name.to_owned(),
            given: None,
            expires_at: None,
            scopes: Scopes::ALL,
        }
    }

    /// The same, with a key that is given from outside.
    #[must_use]
    pub fn given(self, key: String) -> Self {
        Self {
            given: Some(key),
            ..self
        }
    }
}

/// A key, shown once. Can't be printed.
pub struct KeyMade {
    /// Its id.
    pub id: KeyId,
    /// The key itself.
    pub token: String,
}

/// A key in the place of another.
pub struct KeyRotated {
    /// The new key.
    pub made: KeyMade,
    /// Whose both are.
    pub team: TeamId,
    /// What both may do.
    pub kind: KeyKind,
    /// When the old key ends.
    pub old_ends_at: Timestamp,
    /// When the new key ends.
    pub expires_at: Option<Timestamp>,
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
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to within some minutes.
    pub last_used_at: Option<Timestamp>,
    /// What a secret key may do.
    pub scopes: Scopes,
}

impl ListedKey {
    /// Whether requests with it are accepted at a time, its team being open.
    pub fn is_usable(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|ends| ends > now)
    }
}

impl Engine {
    /// Makes a key of an open team.
    ///
    /// # Errors
    /// An unknown or closed team, a malformed or known key, a bad name; the database's.
    #[boxed]
    pub async fn create_key(&self, new: NewKey) -> Result<KeyMade, AdminError> {
        self.is_open(new.team).await?;
        let (made, row) = self.new_key(new)?;
        let change = Change::new(self.change_id(), &row.id.key())
            .with(credential::insert(&row))
            .with(self.audit(&made_key(Act::KeyCreated, &row)));
        match self.committed_plain(change).await? {
            Refused::No => Ok(made),
            Refused::Yes => Err(AdminError::refused("this key is known already")),
        }
    }

    /// Makes a key like another one, and ends that one at `old_ends_at`, in one commit. The new key lives as long as the old
    /// one was made for, unless `expires_at` is another time.
    ///
    /// # Errors
    /// A key that is unknown, revoked or expired, a closed team; the database's.
    #[boxed]
    pub async fn rotate_key(
        &self,
        id: KeyId,
        old_ends_at: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> Result<KeyRotated, AdminError> {
        let now = self.inner.world.now();
        let old = self.listed_credential(id).await?;
        let kind = KeyKind::of(old.kind)
            .ok_or_else(|| AdminError::refused("it is a client token: make another one"))?;
        let is_over = old.revoked_at.is_some() || old.expires_at.is_some_and(|ends| ends <= now);
        if is_over {
            return Err(AdminError::refused(
                "the key is revoked or expired: make a new one with `pointsman key create`",
            ));
        }
        self.is_open(old.team).await?;
        let as_long = old
            .made_to_end_at
            .map(|ends| now.after(ends.since(old.created_at)));
        let (made, row) = self.new_key(NewKey {
            team: old.team,
            kind,
            name: old.name,
            given: None,
            expires_at: expires_at.or(as_long),
            scopes: old.scopes,
        })?;
        let mut change = Change::new(self.change_id(), &row.id.key());
        change.push(credential::insert(&row));
        let earlier = old.expires_at.filter(|ends| *ends <= old_ends_at);
        if earlier.is_none() {
            change.push(credential::end_at(old.team, id, old_ends_at));
        }
        let old_ends_at = earlier.unwrap_or(old_ends_at);
        let deed = made_key(Act::KeyRotated, &row)
            .with("replaces", id.to_string())
            .with("old_ends_at", old_ends_at.rfc3339_seconds());
        change.push(self.audit(&deed));
        if let Refused::Yes = self.committed_plain(change).await? {
            return Err(AdminError::refused(
                "the key was changed meanwhile: look at `pointsman key list`",
            ));
        }
        self.inner.access.clear();
        Ok(KeyRotated {
            made,
            team: old.team,
            kind,
            old_ends_at,
            expires_at: row.expires_at,
        })
    }

    /// The keys of a team, or of every team; oldest first within each. Client tokens are not among them.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn keys(&self, team: Option<TeamId>) -> Result<Vec<ListedKey>, AdminError> {
        let teams = match team {
            Some(team) => vec![team],
            None => self
                .teams()
                .await?
                .into_iter()
                .map(|team| team.id)
                .collect(),
        };
        let mut listed = Vec::new();
        for team in teams {
            let keys = credential::keys_of_team(&self.inner.store, team).await?;
            listed.extend(keys.into_iter().filter_map(|key| self.listed_key(key)));
        }
        Ok(listed)
    }

    /// Ends a key. It is refused at once by this node, and within a second by every other. Doing it again is harmless.
    ///
    /// # Errors
    /// An unknown key; the database's.
    #[boxed]
    pub async fn revoke_key(&self, id: KeyId) -> Result<(), AdminError> {
        let key = self.listed_credential(id).await?;
        let deed = Deed::on(key.team, Act::KeyRevoked, "key", id);
        let change = Change::new(self.change_id(), &id.key())
            .with(credential::revoke(key.team, id, self.inner.world.now()))
            .with(self.audit(&deed));
        // When no row is touched, somebody else has revoked it in the meantime.
        self.committed_plain(change).await?;
        self.inner.access.clear();
        Ok(())
    }

    /// Reads when a key is to end: `now`, `90d`, `12h`, a day such as 2027-01-31 (to its end, in UTC), or a time of RFC 3339.
    ///
    /// # Errors
    /// Another text, and a time in the past.
    pub fn key_expiry(&self, text: &str) -> Result<Timestamp, AdminError> {
        expiry(text, self.inner.world.now()).map_err(AdminError::refused)
    }

    async fn listed_credential(&self, id: KeyId) -> Result<Credential, AdminError> {
        let found = credential::by_id(&self.inner.store, id).await?;
        found.ok_or_else(|| AdminError::refused("there is no such key"))
    }

    /// A team that gets keys. Errors: one that is unknown or closed.
    async fn is_open(&self, team: TeamId) -> Result<(), AdminError> {
        let team = store::team::of_id(&self.inner.store, team).await?;
        let team = team.ok_or_else(|| AdminError::refused("there is no such team"))?;
        if team.closed_at.is_some() {
            return Err(AdminError::refused(
                "the team is closed: open it with `pointsman team reopen` first",
            ));
        }
        Ok(())
    }

    pub(crate) fn new_key(&self, new: NewKey) -> Result<(KeyMade, Credential), AdminError> {
        let kind = new.kind.stored();
        let token = new.given.unwrap_or_else(|| self.new_credential_text(kind));
        if !self.is_credential(kind, &token) {
            return Err(malformed());
        }
        if kind != CredentialKind::Secret && new.scopes != Scopes::ALL {
            return Err(AdminError::refused(
                "only secret keys have scopes: what a public key may do is fixed",
            ));
        }
        let mut row = self.credential_row(new.team, kind, &token);
        row.name = checked_name(&new.name)?;
        row.expires_at = new.expires_at;
        row.made_to_end_at = new.expires_at;
        row.scopes = new.scopes;
        Ok((KeyMade { id: row.id, token }, row))
    }

    fn listed_key(&self, key: Credential) -> Option<ListedKey> {
        Some(ListedKey {
            kind: KeyKind::of(key.kind)?,
            // This node may know more than it has written.
            last_used_at: key.last_used_at.max(self.inner.key_uses.last(key.id)),
            id: key.id,
            team: key.team,
            name: key.name,
            hint: key.hint,
            created_at: key.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            scopes: key.scopes,
        })
    }
}

/// What is recorded of a new key: never the key itself, nor its name, which people choose.
pub(crate) fn made_key(act: Act, row: &Credential) -> Deed {
    let deed = Deed::on(row.team, act, "key", row.id)
        .with("kind", row.kind.text())
        .with("hint", row.hint.as_str());
    let deed = match row.kind {
        CredentialKind::Secret => deed.with("scopes", row.scopes.text()),
        CredentialKind::Public | CredentialKind::Client => deed,
    };
    match row.expires_at {
        Some(ends) => deed.with("expires_at", ends.rfc3339_seconds()),
        None => deed,
    }
}

fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, &'static str> {
    const HOUR: Duration = Duration::from_hours(1);
    const DAY: Duration = Duration::from_hours(24);
    let count = |text: &str| text.parse::<u64>().ok();
    let spans = |unit: Duration, count: u64| {
        u32::try_from(count)
            .ok()
            .map(|count| unit.saturating_mul(count))
            .filter(|span| span.as_secs() <= DAYS_MAX * DAY.as_secs())
            .map(|span| now.after(span))
    };
    let ends_at = if text == "now" {
        Some(now)
    } else if let Some(days) = text.strip_suffix('d').and_then(count) {
        spans(DAY, days)
    } else if let Some(hours) = text.strip_suffix('h').and_then(count) {
        spans(HOUR, hours)
    } else if let Some(start) = Timestamp::day_start(text) {
        Some(start.after(DAY))
    } else {
        Timestamp::parse(text)
    };
    ends_at
        .ok_or(
            "the time must be such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00:00Z, at most 3650d",
        )
        .and_then(|ends_at| {
            if ends_at >= now {
                Ok(ends_at)
            } else {
                Err("the time must not be in the past")
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expiry_is_a_span_a_day_or_a_time() {
        let now = Timestamp::parse("2026-11-22T12:00:00Z").unwrap();
        let ends = |text: &str| expiry(text, now).map(Timestamp::rfc3339_seconds);
        assert_eq!(ends("90d").unwrap(), "2027-02-20T12:00:00Z");
        assert_eq!(ends("12h").unwrap(), "2026-11-23T00:00:00Z");
        assert_eq!(ends("2026-11-22").unwrap(), "2026-11-23T00:00:00Z");
        assert_eq!(
            ends("2027-01-31T18:00:00+01:00").unwrap(),
            "2027-01-31T17:00:00Z"
        );
        for wrong in [
            "",
            "d",
            "90",
            "-1d",
            "3651d",
            "99999999999d",
            "2026-13-01",
            "soon",
            "é",
        ] {
            assert!(
                ends(wrong)
                    .unwrap_err()
                    .starts_with("the time must be such as"),
                "{wrong}"
            );
        }
        assert_eq!(ends("now").unwrap(), now.rfc3339_seconds());
        for past in ["2026-11-21", "2026-11-22T11:59:59Z"] {
            assert_eq!(
                ends(past),
                Err("the time must not be in the past"),
                "{past}"
            );
        }
    }
}
