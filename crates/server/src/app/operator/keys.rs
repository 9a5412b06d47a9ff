//! `pointsman key`.

use domain::{id::KeyId, rights::Scopes};
use engine::{KeyKind, ListedKey, ListedTeam, NewKey};

use super::{Local, in_words};
use crate::{
    admin::{self, KeyWanted, Say},
    data_dir::mode_name,
};

impl Local {
    pub(super) async fn create_key(&self, wanted: KeyWanted, say: Say<'_>) -> Result<(), String> {
        let team = self.team(wanted.team).await?;
        let kind = match wanted.kind {
            admin::KeyKind::Secret => KeyKind::Secret,
            admin::KeyKind::Public => KeyKind::Public,
        };
        let name = match wanted.name.as_str() {
            "" => word(kind),
            name => name,
        };
        let expires_at = wanted.expires.map(|when| self.engine.key_expiry(&when));
        let new = NewKey {
            expires_at: expires_at.transpose().map_err(in_words)?,
            // None named: everything.
            scopes: Scopes::of(&wanted.scopes).unwrap_or(Scopes::ALL),
            ..NewKey::of(team, kind, name)
        };
        let expires_at = new.expires_at;
        let made = self.engine.create_key(new).await.map_err(in_words)?;
        let until = expires_at.map_or_else(String::new, |at| {
            format!(", until {}", at.rfc3339_seconds())
        });
        say(format!(
            "Key {} of team {team}, {}, {} mode{until}. It is not shown again:",
            made.id,
            word(kind),
            mode_name(self.mode)
        ));
        say(made.token);
        Ok(())
    }

    pub(super) async fn rotate_key(
        &self,
        id: &str,
        old_ends: &str,
        expires: Option<String>,
        say: Say<'_>,
    ) -> Result<(), String> {
        let id = key_id(id)?;
        let old_ends_at = self.engine.key_expiry(old_ends).map_err(in_words)?;
        let expires_at = expires.map(|when| self.engine.key_expiry(&when));
        let expires_at = expires_at.transpose().map_err(in_words)?;
        let rotated = self.engine.rotate_key(id, old_ends_at, expires_at).await;
        let rotated = rotated.map_err(in_words)?;
        say(format!(
            "Key {id} ends {}.",
            rotated.old_ends_at.rfc3339_seconds()
        ));
        let until = rotated.expires_at.map_or_else(String::new, |at| {
            format!(", until {}", at.rfc3339_seconds())
        });
        say(format!(
            "Key {} of team {}, {}, {} mode{until}, takes its place. It is not shown again:",
            rotated.made.id,
            rotated.team,
            word(rotated.kind),
            mode_name(self.mode)
        ));
        say(rotated.made.token);
        Ok(())
    }

    pub(super) async fn list_keys(&self, team: Option<String>, say: Say<'_>) -> Result<(), String> {
        let team = match team {
            Some(_) => Some(self.team(team).await?),
            None => None,
        };
        let keys = self.engine.keys(team).await.map_err(in_words)?;
        if keys.is_empty() {
            say("There are no keys.".to_owned());
        }
        let teams = self.engine.teams().await.map_err(in_words)?;
        for key in keys {
            let team = teams.iter().find(|team| team.id == key.team);
            say(self.in_a_line(&key, team));
        }
        Ok(())
    }

    pub(super) async fn revoke_key(&self, id: &str, say: Say<'_>) -> Result<(), String> {
        let id = key_id(id)?;
        self.engine.revoke_key(id).await.map_err(in_words)?;
        say(format!("Key {id} is revoked."));
        Ok(())
    }

    fn in_a_line(&self, key: &ListedKey, team: Option<&ListedTeam>) -> String {
        let state = match (key.revoked_at, key.expires_at) {
            (Some(at), _) => format!("revoked {}", at.rfc3339_seconds()),
            (None, Some(at)) if key.is_usable(self.engine.now()) => {
                format!("valid, expires {}", at.rfc3339_seconds())
            }
            (None, Some(at)) => format!("expired {}", at.rfc3339_seconds()),
            (None, None) => "valid".to_owned(),
        };
        let used = key.last_used_at.map_or_else(
            || "never used".to_owned(),
            |at| format!("last used {}", at.rfc3339_seconds()),
        );
        let closed = team.is_some_and(|team| team.closed_at.is_some());
        format!(
            "{}  team {} ({}{})  {}  {}  made {}  {used}  {state}  {}",
            key.id,
            key.team,
            team.map_or("", |team| &team.name),
            if closed { ", closed" } else { "" },
            may_do(key),
            key.hint,
            key.created_at.rfc3339_seconds(),
            key.name
        )
    }
}

fn key_id(text: &str) -> Result<KeyId, String> {
    KeyId::parse(text)
        .ok_or_else(|| "a key's id is a UUID, as `pointsman key list` shows it".to_owned())
}

/// The kind of a key, with its scopes when it has not all.
fn may_do(key: &ListedKey) -> String {
    if key.scopes == Scopes::ALL {
        word(key.kind).to_owned()
    } else {
        format!("{}({})", word(key.kind), key.scopes.text())
    }
}

const fn word(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Secret => "secret",
        KeyKind::Public => "public",
    }
}
