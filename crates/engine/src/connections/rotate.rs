//! Rotating the credentials of a connection without an interruption.
//!
//! A field that is named gets its new value, every other field stays. The new values count at once. When the secret of
//! notifications changes, the record with the credentials before is kept for [`KEPT_FOR`], and its secret proves deliveries as
//! well: the processor may still sign with it. The connection names at most one such record, so that at most two secrets count.

use crate::boxed;
use std::{sync::Arc, time::Duration};

use connector::{CredentialPurpose, Credentials};
use db::Change;
use domain::{
    Fault, Timestamp,
    audit::{Act, Deed},
    caller::Caller,
    id::{BlobId, ConnectionId, TeamId},
};
use store::connection::{Connection, EarlierCredentials};
use zeroize::Zeroizing;

use super::{ConnectionTest, ConnectionView, probe::Candidate, save};
use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
    payments::Connected,
};

/// For how long an earlier secret of notifications still proves deliveries.
const KEPT_FOR: Duration = Duration::from_hours(24);

/// A connection whose credentials are rotated. Bears credentials, so that nothing prints it.
pub struct RotateConnection {
    /// The connection.
    pub id: ConnectionId,
    /// The fields that get a new value, an object; may be empty to end an earlier secret.
    pub credentials: Zeroizing<String>,
    /// Whether no earlier secret of notifications proves anything from now on.
    pub ends_earlier: bool,
    /// Whether the processor is not asked about the account.
    pub skips_probe: bool,
}

/// The credentials of a connection before and after a rotation.
struct Rotation {
    before: Option<Credentials>,
    after: Credentials,
}

/// What a rotation has come to.
struct Rotated {
    connection: Connection,
    test: Option<ConnectionTest>,
    /// Records that nothing refers to any more.
    gone: Vec<BlobId>,
}

impl Engine {
    /// Gives fields of a connection's credentials new values. An earlier secret of notifications counts for 24 hours more.
    ///
    /// # Errors
    /// `error.connection.not-found`; `error.validation` for credentials that the processor's connector or the processor refuses.
    #[boxed]
    pub async fn rotate_connection(
        &self,
        caller: &Caller,
        command: RotateConnection,
    ) -> Result<ConnectionView, Fault> {
        let given = save::read_credentials(&command.credentials)?;
        if given.is_empty() && !command.ends_earlier {
            let reason = "must name the fields that get a new value";
            return Err(Fault::invalid("credentials", reason));
        }
        let round = || async {
            let line = self.stored_line(caller.team, &command.id).await?;
            self.rotate_credentials_once(&line, &command).await
        };
        let rotated = self.rounds(None, self.deadline(), round).await;
        Ok(self
            .show_rotated(caller.team, rotated.map_err(only_fault)?)
            .await)
    }

    /// The same, where the credentials are still those of this connection; else `None`, and nothing is changed.
    pub(super) async fn rotate_unchanged(
        &self,
        caller: &Caller,
        command: &RotateConnection,
        expected: &Connection,
    ) -> Result<Option<ConnectionView>, Fault> {
        let round = || async {
            let line = self.stored_line(caller.team, &command.id).await?;
            if line.connection.credentials != expected.credentials {
                return Ok(Round::Done(None));
            }
            let round = self.rotate_credentials_once(&line, command).await?;
            Ok(match round {
                Round::Done(rotated) => Round::Done(Some(rotated)),
                Round::Conflict => Round::Conflict,
            })
        };
        let rotated = self.rounds(None, self.deadline(), round).await;
        Ok(match rotated.map_err(only_fault)? {
            Some(rotated) => Some(self.show_rotated(caller.team, rotated).await),
            None => None,
        })
    }

    async fn show_rotated(&self, team: TeamId, rotated: Rotated) -> ConnectionView {
        self.inner.registry.forget(&team);
        for record in rotated.gone {
            self.erase_credentials(team, Some(record)).await;
        }
        let mut view = self.connection_view(rotated.connection);
        view.test = rotated.test;
        view
    }

    /// One round of a rotation.
    async fn rotate_credentials_once(
        &self,
        line: &Connected,
        command: &RotateConnection,
    ) -> Result<Round<Rotated>, EngineError> {
        let team = line.connection.team;
        let rotation = self.rotation(line, command).await?;
        let declared = line.connector.descriptor().credentials;
        let is_changed = rotation.before.as_ref() != Some(&rotation.after);
        let is_changed = is_changed && !(rotation.before.is_none() && rotation.after.is_empty());
        let before = &*line.connection;
        let mut after = before.clone();
        after.earlier = kept(before, &rotation, command, declared, self.inner.world.now());
        let document = rotation.after.document();
        let mut test = None;
        if is_changed {
            if !command.skips_probe {
                let candidate = Candidate {
                    connection: before.clone(),
                    connector: Arc::clone(&line.connector),
                    credentials: Some(rotation.after),
                };
                test = self.probe_candidate(candidate).await?;
            }
            let sealed = self.sealed_credentials(team, &command.id, &document);
            after.credentials = Some(sealed.await?);
        }
        let sealed = after.credentials.filter(|_| is_changed);
        let change = Change::new(self.change_id(), &save::aggregate(team, &command.id))
            .with(store::connection::rotate(&after, before))
            .with(self.audit(&deed(team, command)));
        if self.commit_plain(change).await?.is_some() {
            self.erase_credentials(team, sealed).await;
            return Ok(Round::Conflict);
        }
        Ok(Round::Done(Rotated {
            gone: save::gone(before, &after),
            connection: after,
            test,
        }))
    }

    /// The credentials as they are and as they are to be.
    async fn rotation(
        &self,
        line: &Connected,
        command: &RotateConnection,
    ) -> Result<Rotation, EngineError> {
        let opened = self.open_connection(line).await?;
        let before = opened
            .map_err(|why| {
                tracing::warn!(connection = %line.connection.id, why, "credentials can't be rotated");
                Fault::unavailable()
            })?
            .into_credentials();
        let document = before.as_ref().map(Credentials::document);
        let document = document.unwrap_or_else(|| "{}".to_owned().into());
        let mut after = save::read_credentials(&document)?;
        after.overlay(save::read_credentials(&command.credentials)?);
        save::bounded_credentials(&after.document())?;
        if !after.is_empty() {
            save::judge_credentials(&after, line.connector.as_ref(), self.inner.settings.mode)?;
        }
        Ok(Rotation { before, after })
    }
}

/// Which earlier credentials count after a rotation.
fn kept(
    connection: &Connection,
    rotation: &Rotation,
    command: &RotateConnection,
    declared: &[connector::CredentialField],
    now: Timestamp,
) -> Option<EarlierCredentials> {
    if command.ends_earlier {
        return None;
    }
    let purpose = CredentialPurpose::Notifications;
    let secret = |credentials: &Credentials| credentials.of_purpose(declared, purpose);
    let replaced = rotation
        .before
        .as_ref()
        .map(secret)
        .filter(|before| !before.is_empty() && *before != secret(&rotation.after));
    match (replaced, connection.credentials) {
        (Some(_), Some(record)) => Some(EarlierCredentials {
            record,
            until: now.after(KEPT_FOR),
        }),
        _ => connection.earlier.filter(|earlier| earlier.until > now),
    }
}

/// The entry of the audit trail: which fields, never a value.
fn deed(team: TeamId, command: &RotateConnection) -> Deed {
    let fields = save::read_credentials(&command.credentials).map(|given| given.names());
    Deed::on(team, Act::ConnectionRotated, "connection", &command.id)
        .with("fields", fields.unwrap_or_default().join(", ").as_str())
        .with("ends_earlier", command.ends_earlier)
}
