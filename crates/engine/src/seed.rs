//! What a team begins with.

use crate::boxed;
use db::{Change, Statement};
use domain::{
    Timestamp,
    audit::{Act, Deed},
    id::{ConnectionId, FlowId, TeamId},
    payment::ImportMode,
};
use store::{
    connection::Connection,
    credential::{self, CredentialKind},
    flow::Flow,
    flow_version::FlowVersion,
    team::Team,
};

use crate::{
    AdminError, Engine, KeyKind, KeyMade, NewKey,
    admin::{Refused, made_key, malformed},
    flows::{Checked, Written},
    notifications::InboundToken,
};

/// What the key of a first start is called.
const FIRST_KEY: &str = "First key";

/// What a key given from outside is called.
const GIVEN_KEY: &str = "Given at start";

/// What a team begins with.
pub struct Seed {
    /// Its name.
    pub team_name: String,
    /// Its connections.
    pub connections: Vec<SeedConnection>,
    /// Its flows.
    pub flows: Vec<SeedFlow>,
    /// Its secret key; a new one is made when absent.
    pub secret_key: Option<String>,
}

/// A connection that a team begins with.
#[derive(Debug, Clone)]
pub struct SeedConnection {
    /// Its id.
    pub id: ConnectionId,
    /// The processor's identifier.
    pub processor: String,
    /// What people call it.
    pub name: String,
    /// Its settings.
    pub settings: serde_json::Value,
}

/// A flow that a team begins with.
#[derive(Debug, Clone)]
pub struct SeedFlow {
    /// Its id.
    pub id: FlowId,
    /// Its document in JSON or YAML, whose connections are among the team's.
    pub document: String,
    /// Whether payments without a flow run under it.
    pub is_default: bool,
}

impl Engine {
    /// Sets up the first team, in one commit, with a secret key. Where there are teams already, a given key which is not known yet becomes a key of the first team; one that was
    /// revoked stays so. Returns the key that was made.
    ///
    /// # Errors
    /// What is wrong with the key or with a flow's document; the database's.
    #[boxed]
    pub async fn seed(&self, seed: Seed) -> Result<Option<KeyMade>, AdminError> {
        let mut teams = store::team::all(&self.inner.store).await?;
        if teams.is_empty() {
            if let Some(made) = self.first_start(&seed).await? {
                return Ok(Some(made));
            }
            // Another node that starts was faster.
            teams = store::team::all(&self.inner.store).await?;
        }
        let Some(first) = teams.first() else {
            return Err(AdminError::refused(
                "a first team was made, and there is none",
            ));
        };
        let Some(given) = seed.secret_key else {
            return Ok(None);
        };
        if !self.is_credential(CredentialKind::Secret, &given) {
            return Err(malformed());
        }
        let hash = self.inner.vault.credential_hash(&given);
        if credential::by_hash(&self.inner.store, &hash)
            .await?
            .is_some()
        {
            return Ok(None);
        }
        match self
            .create_key(NewKey::of(first.id, KeyKind::Secret, GIVEN_KEY).given(given))
            .await
        {
            // Again another node was faster.
            Err(AdminError::Refused(_))
                if credential::by_hash(&self.inner.store, &hash)
                    .await?
                    .is_some() =>
            {
                Ok(None)
            }
            made => made.map(Some),
        }
    }

    /// Makes the first team; `None` when another node has done it at the same time.
    async fn first_start(&self, seed: &Seed) -> Result<Option<KeyMade>, AdminError> {
        let team = TeamId::new(self.inner.world.uuid_v7());
        let name = if seed.secret_key.is_some() {
            GIVEN_KEY
        } else {
            FIRST_KEY
        };
        let (made, row) = self.new_key(NewKey {
            given: seed.secret_key.clone(),
            ..NewKey::of(team, KeyKind::Secret, name)
        })?;
        let guard = store::installation::insert(store::installation::FIRST_TEAM, &team.key());
        let change = Change::new(self.change_id(), store::installation::FIRST_TEAM).with(guard);
        let beginning = Beginning {
            name: &seed.team_name,
            connections: &seed.connections,
            flows: &seed.flows,
        };
        let change = self.founding(change, team, beginning)?;
        let change = change
            .with(credential::insert(&row))
            .with(self.audit(&made_key(Act::KeyCreated, &row)));
        Ok(match self.committed_plain(change).await? {
            Refused::No => Some(made),
            Refused::Yes => None,
        })
    }

    /// Makes a team with what it begins with, in one commit.
    pub(crate) async fn found_team(
        &self,
        name: &str,
        connections: &[SeedConnection],
        flows: &[SeedFlow],
    ) -> Result<TeamId, AdminError> {
        let id = TeamId::new(self.inner.world.uuid_v7());
        let change = Change::new(self.change_id(), &id.key());
        let beginning = Beginning {
            name,
            connections,
            flows,
        };
        let change = self.founding(change, id, beginning)?;
        match self.committed_plain(change).await? {
            Refused::No => Ok(id),
            Refused::Yes => Err(AdminError::refused(
                "two of the team's connections or flows have the same id",
            )),
        }
    }

    /// Adds to a change what makes a team.
    fn founding(
        &self,
        mut change: Change,
        id: TeamId,
        beginning: Beginning<'_>,
    ) -> Result<Change, AdminError> {
        let Beginning {
            name,
            connections,
            flows,
        } = beginning;
        let now = self.inner.world.now();
        change.push(store::team::insert(
            &Team {
                id,
                name: domain::team::name(name, "name")
                    .map_err(|fault| AdminError::refused(fault.message))?,
                closed_at: None,
            },
            now,
        ));
        let known: Vec<ConnectionId> = connections
            .iter()
            .map(|connection| connection.id.clone())
            .collect();
        for connection in connections {
            change.push(store::connection::insert(
                &connection.of(id, InboundToken::draw(&self.inner.world, id)),
                now,
            ));
        }
        for flow in flows {
            flow.inserts(id, &known, now)?
                .into_iter()
                .for_each(|statement| change.push(statement));
        }
        let deed = Deed::on_team(id, Act::TeamCreated)
            .with("connections", connections.len())
            .with("flows", flows.len());
        change.push(self.audit(&deed));
        Ok(change)
    }
}

/// What a new team begins with.
#[derive(Clone, Copy)]
struct Beginning<'a> {
    name: &'a str,
    connections: &'a [SeedConnection],
    flows: &'a [SeedFlow],
}

impl SeedConnection {
    fn of(&self, team: TeamId, inbound_token: String) -> Connection {
        Connection {
            team,
            id: self.id.clone(),
            processor: self.processor.clone(),
            name: self.name.clone(),
            enabled: true,
            settings: self.settings.clone(),
            credentials: None,
            earlier: None,
            inbound_token: Some(inbound_token),
            imports: ImportMode::Off,
        }
    }
}

impl SeedFlow {
    /// The flow with its first version, published.
    fn inserts(
        &self,
        team: TeamId,
        connections: &[ConnectionId],
        now: Timestamp,
    ) -> Result<[Statement; 2], AdminError> {
        let checked = Checked::of(&Written::Text(&self.document), connections, "document");
        let checked = checked.map_err(|fault| {
            AdminError::refused(format!("the flow {}: {}", self.id, fault.message))
        })?;
        let version = FlowVersion {
            team,
            flow: self.id.clone(),
            version: 1,
            document: checked.document.to_value(),
            saved_at: now,
            published_at: Some(now),
        };
        let flow = Flow {
            team,
            id: self.id.clone(),
            name: checked.document.name,
            is_default: self.is_default,
            latest: 1,
            published: Some(1),
        };
        Ok([
            store::flow::insert(&flow, now),
            store::flow_version::insert(&version),
        ])
    }
}
