//! Making or changing a connection.

use crate::boxed;
use connector::{CredentialField, Credentials, NotCredentials};
use db::Change;
use domain::{
    Code, Fault, Faults,
    audit::{Act, Deed},
    bounded::{NAME_MAX, bounded},
    caller::Caller,
    id::{BlobId, ConnectionId, TeamId},
    payment::ImportMode,
};
use serde_json::Value;
use store::{
    connection::Connection,
    room::{self, BoundedList},
};
use vault::Holder;
use zeroize::Zeroizing;

use super::{ConnectionView, link::check_base};
use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
    notifications::InboundToken,
};

/// Connections that a team can have.
const CONNECTIONS_MAX: usize = 1_000;

/// Longest credentials, as JSON. Unit: bytes.
const CREDENTIALS_MAX: usize = 32 * 1024;

/// A connection to be made or changed. Bears credentials, so that nothing prints it.
pub struct SaveConnection {
    /// The connection, which is made when there is none of this id; a new one when absent.
    pub id: Option<ConnectionId>,
    /// The processor's identifier.
    pub processor: String,
    /// What people call it.
    pub name: String,
    /// Its settings, an object.
    pub settings: Value,
    /// What the processor knows the team by, an object; what is kept stays when absent.
    pub credentials: Option<Zeroizing<String>>,
    /// What becomes of payments that its processor reports and that were not made here; what was chosen before when absent.
    pub imports: Option<ImportMode>,
}

impl Engine {
    /// Makes a connection, or changes one and switches it on. Its processor can't change, since payments were made there.
    ///
    /// # Errors
    /// `error.validation` for a processor that is not built in, another one than before, and
    /// settings that the processor's connector refuses.
    #[boxed]
    pub async fn save_connection(
        &self,
        caller: &Caller,
        command: SaveConnection,
    ) -> Result<ConnectionView, Fault> {
        let mut command = self.checked_connection(command)?;
        let new = || ConnectionId::of_uuid(self.inner.world.uuid_v7());
        let id = command.id.get_or_insert_with(new).clone();
        let sealed = match &command.credentials {
            Some(credentials) => Some(
                self.sealed_credentials(caller.team, &id, credentials)
                    .await
                    .map_err(only_fault)?,
            ),
            None => None,
        };
        let saved = self.saved_connection(caller.team, command, sealed).await;
        match (&saved, sealed) {
            (Ok((_, replaced)), _) => self.erase_credentials(caller.team, *replaced).await,
            // Whether it was written is not known after some faults, and a connection must not lose its credentials.
            (Err(EngineError::Fault(fault)), Some(blob)) if fault.code == Code::Validation => {
                self.erase_credentials(caller.team, Some(blob)).await;
            }
            (Err(_), _) => {}
        }
        saved
            .map(|(connection, _)| self.connection_view(connection))
            .map_err(only_fault)
    }

    fn checked_connection(&self, mut command: SaveConnection) -> Result<SaveConnection, Fault> {
        let mut faults = Faults::default();
        command.name = faults.or_default(bounded(command.name, "name", NAME_MAX));
        if command.name.trim().is_empty() {
            faults.add(Fault::invalid("name", "must not be empty"));
        }
        if command
            .credentials
            .as_ref()
            .is_some_and(|credentials| credentials.len() > CREDENTIALS_MAX)
        {
            let reason = format!("must not be longer than {CREDENTIALS_MAX} bytes as JSON");
            faults.add(Fault::invalid("credentials", reason));
        }
        match self.inner.connectors.get(command.processor.as_str()) {
            Some(connector) => {
                let mode = self.inner.settings.mode;
                if let Err(reason) = check_base(&command.settings, mode) {
                    faults.add(Fault::invalid("settings", reason));
                }
                if let Err(reason) = connector.check_settings(&command.settings) {
                    faults.add(Fault::invalid("settings", reason));
                }
                let declared = connector.descriptor().credentials;
                if let Err(reason) = checked_credentials(&command, declared) {
                    faults.add(Fault::invalid("credentials", reason.to_string()));
                }
            }
            None => faults.add(self.no_such_processor()),
        }
        faults.end(command)
    }

    fn no_such_processor(&self) -> Fault {
        let known: Vec<&str> = self.inner.connectors.keys().copied().collect();
        let reason = match known.as_slice() {
            [] => "there are no processors in this deployment".to_owned(),
            [only] => format!("must be {only}: this deployment has no other processor"),
            known => format!("must be one of {}", known.join(", ")),
        };
        Fault::invalid("processor", reason)
    }

    async fn sealed_credentials(
        &self,
        team: TeamId,
        connection: &ConnectionId,
        credentials: &str,
    ) -> Result<BlobId, EngineError> {
        let holder = Holder::connection(connection);
        let vault = &self.inner.vault;
        Ok(vault
            .seal_secret(team, &holder, credentials.as_bytes())
            .await?)
    }

    /// Erases credentials that nothing refers to any more. What can't be erased now stays sealed.
    pub(super) async fn erase_credentials(&self, team: TeamId, blob: Option<BlobId>) {
        let Some(blob) = blob else { return };
        if let Err(error) = self.inner.vault.erase_secret(team, blob).await {
            tracing::warn!(error = %error, vault.record = %blob, "replaced credentials can't be erased");
        }
    }

    /// The connection as it is now, and the record of credentials that it no longer has.
    async fn saved_connection(
        &self,
        team: TeamId,
        command: SaveConnection,
        sealed: Option<BlobId>,
    ) -> Result<(Connection, Option<BlobId>), EngineError> {
        let id = command
            .id
            .unwrap_or_else(|| ConnectionId::of_uuid(self.inner.world.uuid_v7()));
        let imports = command.imports;
        let wanted = &Connection {
            team,
            id,
            processor: command.processor,
            name: command.name,
            enabled: true,
            settings: command.settings,
            credentials: sealed,
            inbound_token: Some(InboundToken::draw(&self.inner.world, team)),
            imports: imports.unwrap_or(ImportMode::Off),
        };
        let save = || self.save_connection_once(wanted, imports);
        let saved = self.rounds(None, self.deadline(), save).await?;
        self.inner.registry.forget(&team);
        Ok(saved)
    }

    /// One round of a save.
    async fn save_connection_once(
        &self,
        wanted: &Connection,
        imports: Option<ImportMode>,
    ) -> Result<Round<(Connection, Option<BlobId>)>, EngineError> {
        let (team, mut wanted) = (wanted.team, wanted.clone());
        let connector = self.inner.connectors.get(wanted.processor.as_str());
        let declared = connector.map_or(&[][..], |connector| connector.descriptor().credentials);
        let room = room::find(&self.inner.store, team, BoundedList::Connections).await?;
        let known = store::connection::of_team(&self.inner.store, team).await?;
        let before = known.iter().find(|connection| connection.id == wanted.id);
        let brings_credentials = wanted.credentials.is_some();
        let mut replaced = None;
        let statement = match before {
            None if known.len() >= CONNECTIONS_MAX => {
                let reason = format!("a team has at most {CONNECTIONS_MAX} connections");
                return Err(Fault::invalid("id", reason).into());
            }
            None if let Some(field) = declared.iter().find(|field| field.is_required)
                && wanted.credentials.is_none() =>
            {
                let missing = NotCredentials::Missing(field.name).to_string();
                return Err(Fault::invalid("credentials", missing).into());
            }
            None => store::connection::insert(&wanted, self.inner.world.now()),
            Some(before) if before.processor != wanted.processor => {
                let reason = "must be what it was: make another connection";
                return Err(Fault::invalid("processor", reason).into());
            }
            Some(before) => {
                wanted.credentials = wanted.credentials.or(before.credentials);
                wanted.imports = imports.unwrap_or(before.imports);
                wanted.inbound_token = before.inbound_token.clone().or(wanted.inbound_token);
                replaced = before
                    .credentials
                    .filter(|old| wanted.credentials != Some(*old));
                store::connection::update(&wanted, before.credentials)
            }
        };
        let deed = Deed::on(team, Act::ConnectionSaved, "connection", &wanted.id)
            .with("processor", wanted.processor.as_str())
            .with("new", before.is_none())
            .with("credentials", brings_credentials);
        let mut change = Change::new(self.change_id(), &aggregate(team, &wanted.id))
            .with(statement)
            .with(self.audit(&deed));
        if before.is_none() {
            change.push(room::take(room));
        }
        let refused = self.commit_plain(change).await?;
        Ok(Round::of(refused, (wanted, replaced)))
    }
}

/// Whether the credentials, where they are given, are those that the processor knows a team by.
fn checked_credentials(
    command: &SaveConnection,
    declared: &[CredentialField],
) -> Result<(), NotCredentials> {
    let Some(given) = &command.credentials else {
        return Ok(());
    };
    Credentials::read(given.as_bytes())?.check(declared)
}

/// Changes of one connection are applied in the order in which they are made.
pub(super) fn aggregate(team: TeamId, id: &ConnectionId) -> String {
    format!("{}/connection/{id}", team.key())
}
