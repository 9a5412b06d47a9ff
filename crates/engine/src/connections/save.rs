//! Making or changing a connection.

use crate::boxed;
use std::sync::Arc;

use connector::{Connector, Credentials, NotCredentials};
use db::Change;
use domain::{
    Code, Fault, Faults,
    audit::{Act, Deed},
    bounded::{NAME_MAX, bounded},
    caller::{Caller, Mode},
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

use super::{ConnectionTest, ConnectionView, link::check_base, probe::Candidate};
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
    /// Whether the processor is not asked about the account.
    pub skips_probe: bool,
}

/// A saved connection, and records of the vault that nothing refers to any more.
struct Saved {
    connection: Connection,
    gone: Vec<BlobId>,
}

impl Engine {
    /// Makes a connection, or changes one and switches it on. Its processor can't change, since payments were made there.
    /// Credentials take the place of all that were kept, at once: no earlier secret counts any more.
    ///
    /// # Errors
    /// `error.validation` for a processor that is not built in, another one than before, settings that the processor's
    /// connector refuses, and credentials that it or the processor refuses.
    #[boxed]
    pub async fn save_connection(
        &self,
        caller: &Caller,
        command: SaveConnection,
    ) -> Result<ConnectionView, Fault> {
        let mut command = self.checked_connection(command)?;
        let new = || ConnectionId::of_uuid(self.inner.world.uuid_v7());
        let id = command.id.get_or_insert_with(new).clone();
        let test = self
            .probe_before_save(caller.team, &id, &command)
            .await
            .map_err(only_fault)?;
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
            (Ok(saved), _) => {
                for record in &saved.gone {
                    self.erase_credentials(caller.team, Some(*record)).await;
                }
            }
            // Whether it was written is not known after some faults, and a connection must not lose its credentials.
            (Err(EngineError::Fault(fault)), Some(blob)) if fault.code == Code::Validation => {
                self.erase_credentials(caller.team, Some(blob)).await;
            }
            (Err(_), _) => {}
        }
        let saved = saved.map_err(only_fault)?;
        let mut view = self.connection_view(saved.connection);
        view.test = test;
        Ok(view)
    }

    /// What the processor says of the account before it is kept; `None` where it is not asked.
    async fn probe_before_save(
        &self,
        team: TeamId,
        id: &ConnectionId,
        command: &SaveConnection,
    ) -> Result<Option<ConnectionTest>, EngineError> {
        let connector = self.inner.connectors.get(command.processor.as_str());
        let Some(connector) = connector.filter(|_| !command.skips_probe) else {
            return Ok(None);
        };
        let known = store::connection::of_team(&self.inner.store, team).await?;
        let known = known.into_iter().find(|connection| connection.id == *id);
        let is_of_another = |known: &Connection| known.processor != command.processor;
        if known.as_ref().is_some_and(is_of_another) {
            // The save is refused, and no credentials go to a processor that they are not of.
            return Ok(None);
        }
        let wanted = self.wanted_connection(team, id, command);
        let (credentials, inbound_token) = known.map_or((None, None), |known| {
            (known.credentials, known.inbound_token)
        });
        let given = command.credentials.as_deref();
        let mut declared = connector.descriptor().credentials.iter();
        if given.is_none() && credentials.is_none() && declared.any(|field| field.is_required) {
            // The save says what is missing.
            return Ok(None);
        }
        let candidate = Candidate {
            connection: Connection {
                credentials,
                inbound_token,
                ..wanted
            },
            connector: Arc::clone(connector),
            credentials: given.map(|given| read_credentials(given)).transpose()?,
        };
        self.probe_candidate(candidate).await
    }

    /// The connection as the command wants it, as if there were none yet.
    fn wanted_connection(
        &self,
        team: TeamId,
        id: &ConnectionId,
        command: &SaveConnection,
    ) -> Connection {
        Connection {
            team,
            id: id.clone(),
            processor: command.processor.clone(),
            name: command.name.clone(),
            enabled: true,
            settings: command.settings.clone(),
            credentials: None,
            earlier: None,
            inbound_token: Some(InboundToken::draw(&self.inner.world, team)),
            imports: command.imports.unwrap_or(ImportMode::Off),
        }
    }

    fn checked_connection(&self, mut command: SaveConnection) -> Result<SaveConnection, Fault> {
        let mut faults = Faults::default();
        command.name = faults.or_default(bounded(command.name, "name", NAME_MAX));
        if command.name.trim().is_empty() {
            faults.add(Fault::invalid("name", "must not be empty"));
        }
        let given = command.credentials.as_deref();
        if let Err(fault) = given.map_or(Ok(()), |given| bounded_credentials(given)) {
            faults.add(fault);
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
                let judged = match &command.credentials {
                    Some(given) => read_credentials(given)
                        .and_then(|given| judge_credentials(&given, connector.as_ref(), mode)),
                    None => Ok(()),
                };
                if let Err(fault) = judged {
                    faults.add(fault);
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

    pub(super) async fn sealed_credentials(
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
    pub(crate) async fn erase_credentials(&self, team: TeamId, blob: Option<BlobId>) {
        let Some(blob) = blob else { return };
        if let Err(error) = self.inner.vault.erase_secret(team, blob).await {
            tracing::warn!(error = %error, vault.record = %blob, "replaced credentials can't be erased");
        }
    }

    /// The connection as it is now.
    async fn saved_connection(
        &self,
        team: TeamId,
        command: SaveConnection,
        sealed: Option<BlobId>,
    ) -> Result<Saved, EngineError> {
        let new = || ConnectionId::of_uuid(self.inner.world.uuid_v7());
        let id = command.id.clone().unwrap_or_else(new);
        let imports = command.imports;
        let wanted = &Connection {
            credentials: sealed,
            ..self.wanted_connection(team, &id, &command)
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
    ) -> Result<Round<Saved>, EngineError> {
        let (team, mut wanted) = (wanted.team, wanted.clone());
        let connector = self.inner.connectors.get(wanted.processor.as_str());
        let declared = connector.map_or(&[][..], |connector| connector.descriptor().credentials);
        let room = room::find(&self.inner.store, team, BoundedList::Connections).await?;
        let known = store::connection::of_team(&self.inner.store, team).await?;
        let before = known.iter().find(|connection| connection.id == wanted.id);
        let brings_credentials = wanted.credentials.is_some();
        let mut gone = Vec::new();
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
                if !brings_credentials {
                    (wanted.credentials, wanted.earlier) = (before.credentials, before.earlier);
                }
                wanted.imports = imports.unwrap_or(before.imports);
                wanted.inbound_token = before.inbound_token.clone().or(wanted.inbound_token);
                gone = self::gone(before, &wanted);
                store::connection::update(&wanted, before)
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
        let connection = wanted;
        Ok(Round::of(refused, Saved { connection, gone }))
    }
}

/// Refuses credentials that are too long to be kept.
pub(super) fn bounded_credentials(document: &str) -> Result<(), Fault> {
    if document.len() <= CREDENTIALS_MAX {
        return Ok(());
    }
    let reason = format!("must not be longer than {CREDENTIALS_MAX} bytes as JSON");
    Err(Fault::invalid("credentials", reason))
}

/// Reads credentials as they were given.
pub(super) fn read_credentials(given: &str) -> Result<Credentials, Fault> {
    Credentials::read(given.as_bytes()).map_err(|why| not_credentials(&why))
}

/// Refuses credentials that are not those that the processor knows a team by, as far as their text tells.
pub(super) fn judge_credentials(
    credentials: &Credentials,
    connector: &dyn Connector,
    mode: Mode,
) -> Result<(), Fault> {
    let declared = connector.descriptor().credentials;
    credentials
        .check(declared)
        .map_err(|why| not_credentials(&why))?;
    let judged = connector.check_credentials(credentials, mode);
    judged.map_err(|reason| Fault::invalid("credentials", reason))
}

fn not_credentials(why: &NotCredentials) -> Fault {
    Fault::invalid("credentials", why.to_string())
}

/// Records with credentials to which a connection no longer refers.
pub(super) fn gone(before: &Connection, after: &Connection) -> Vec<BlobId> {
    let of = |connection: &Connection| {
        let earlier = connection.earlier.map(|earlier| earlier.record);
        [connection.credentials, earlier]
    };
    let stay = of(after);
    let all = of(before).into_iter();
    all.filter(|record| !stay.contains(record))
        .flatten()
        .collect()
}

/// Changes of one connection are applied in the order in which they are made.
pub(super) fn aggregate(team: TeamId, id: &ConnectionId) -> String {
    format!("{}/connection/{id}", team.key())
}
