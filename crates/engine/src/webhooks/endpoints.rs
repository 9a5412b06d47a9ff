//! Making, changing, listing and removing endpoints, and their secrets.

use crate::boxed;
use std::{net::IpAddr, time::Duration};

use db::{Change, Statement};
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    event::KindFilter,
    id::{BlobId, EndpointId, TeamId},
    webhook::Health,
};
use http_client::{Url, is_public};
use store::{
    feed::{self, FeedPosition},
    room::{self, BoundedList},
    webhook_endpoint::{self as table, Endpoint},
};
use vault::Holder;

use super::{EndpointView, Resume, Secrets, flow_call::id_of_called};
use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
};

/// Endpoints that a team can have.
const ENDPOINTS_MAX: usize = 100;

/// How long the secret before signs besides the new one. Source: behaviour contract, section 11.
const BOTH_SIGN_FOR: Duration = Duration::from_hours(24);

/// An endpoint to be made or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveEndpoint {
    /// The endpoint to be changed; a new one when absent.
    pub id: Option<EndpointId>,
    /// Its address.
    pub url: String,
    /// Which events it gets; all for a new one, those that it had for another, when absent.
    pub kinds: Option<KindFilter>,
    /// Whether events are sent to it; a new one: yes, another: as it was, when absent.
    pub enabled: Option<bool>,
    /// From where one that was disabled goes on.
    pub resume: Option<Resume>,
}

/// The fault of an id that is none of the team's endpoints.
pub fn no_such_endpoint(field: &str) -> Fault {
    Fault::invalid(field, "must be the id of a webhook endpoint that is listed")
}

/// What a save has made of an endpoint.
pub(super) struct Saved {
    pub(super) endpoint: Endpoint,
    /// The secrets, to be shown once.
    pub(super) secrets: Option<Secrets>,
    /// Secrets that nothing needs any more.
    pub(super) replaced: Option<BlobId>,
}

impl Engine {
    /// Makes an endpoint, or changes one. The secret of a new one is shown once.
    ///
    /// # Errors
    /// `error.validation` for an address that may not be called, or that another endpoint has, an id that is none, and one that is enabled
    /// again without saying from where; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn save_endpoint(
        &self,
        caller: &Caller,
        command: SaveEndpoint,
    ) -> Result<EndpointView, Fault> {
        self.check_endpoint_url(&command.url)?;
        let (team, deadline) = (caller.team, self.deadline());
        let saved = match command.id {
            None => {
                let save = || self.new_endpoint(team, &command);
                self.rounds(None, deadline, save).await
            }
            Some(id) => {
                let save = || self.change_endpoint(team, id, &command);
                self.rounds(None, deadline, save).await
            }
        };
        let saved = saved.map_err(only_fault)?;
        Ok(self.endpoint_view(saved.endpoint, saved.secrets.as_ref()))
    }

    /// The team's endpoints, the oldest first.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn endpoints(&self, caller: &Caller) -> Result<Vec<EndpointView>, Fault> {
        let found = table::of_team(&self.inner.store, caller.team).await;
        let found = found.map_err(|error| only_fault(error.into()))?;
        let views = found.into_iter().map(|one| self.endpoint_view(one, None));
        Ok(views.collect())
    }

    /// One of the team's endpoints; `None` where there is none of this id.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn webhook_endpoint(
        &self,
        caller: &Caller,
        id: EndpointId,
    ) -> Result<Option<EndpointView>, Fault> {
        let found = table::find(&self.inner.store, caller.team, id).await;
        let found = found.map_err(|error| only_fault(error.into()))?;
        Ok(found.map(|endpoint| self.endpoint_view(endpoint, None)))
    }

    /// Gives an endpoint a new secret, which is shown once. The one before signs as well for a day.
    ///
    /// # Errors
    /// `error.validation` for an id that is none of the team's endpoints; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn rotate_endpoint_secret(
        &self,
        caller: &Caller,
        id: EndpointId,
    ) -> Result<EndpointView, Fault> {
        let rotate = || self.rotate_once(caller.team, id);
        let saved = self.rounds(None, self.deadline(), rotate).await;
        let saved = saved.map_err(only_fault)?;
        self.erase_secrets(caller.team, saved.replaced).await;
        Ok(self.endpoint_view(saved.endpoint, saved.secrets.as_ref()))
    }

    /// Removes an endpoint, and erases its secrets.
    ///
    /// # Errors
    /// `error.validation` for an id that is none of the team's endpoints; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn delete_endpoint(&self, caller: &Caller, id: EndpointId) -> Result<(), Fault> {
        let team = caller.team;
        let endpoint = self.endpoint(team, id, "id").await.map_err(only_fault)?;
        let deed = Deed::on(team, Act::WebhookEndpointDeleted, "webhook endpoint", id);
        let change = Change::new(self.change_id(), &id.key())
            .with(table::delete(team, id))
            .with(self.audit(&deed));
        let refused = self.commit_plain(change).await.map_err(only_fault)?;
        if refused.is_some() {
            return Err(no_such_endpoint("id"));
        }
        self.erase_secrets(team, Some(endpoint.secret)).await;
        Ok(())
    }

    /// A team's endpoint.
    pub(super) async fn endpoint(
        &self,
        team: TeamId,
        id: EndpointId,
        field: &str,
    ) -> Result<Endpoint, EngineError> {
        let found = table::find(&self.inner.store, team, id).await?;
        found.ok_or_else(|| no_such_endpoint(field).into())
    }

    /// The secrets of an endpoint. `None`: they were replaced at this moment.
    pub(super) async fn secrets_of(
        &self,
        endpoint: &Endpoint,
    ) -> Result<Option<Secrets>, EngineError> {
        let holder = Holder::endpoint(endpoint.id);
        let vault = self.vault_in_lane();
        let opened = vault
            .open_secret(endpoint.team, &holder, endpoint.secret)
            .await?;
        Ok(opened.and_then(|document| serde_json::from_slice(&document).ok()))
    }

    fn check_endpoint_url(&self, text: &str) -> Result<(), Fault> {
        let url = self.endpoint_url(text);
        let url = url.map_err(|why| Fault::invalid("url", why.to_string()))?;
        if !self.inner.settings.webhooks.private_addresses && is_private(&url) {
            return Err(Fault::invalid("url", "must be on the public internet"));
        }
        Ok(())
    }

    async fn new_endpoint(
        &self,
        team: TeamId,
        command: &SaveEndpoint,
    ) -> Result<Round<Saved>, EngineError> {
        if command.resume.is_some() {
            let rule = "goes with an endpoint that is enabled again: a new one gets what happens from now on";
            return Err(Fault::invalid("resume", rule).into());
        }
        let room = room::find(&self.inner.store, team, BoundedList::WebhookEndpoints).await?;
        let known = table::of_team(&self.inner.store, team).await?;
        refuse_known(&known, &command.url, None)?;
        // Those that flows have made by calling an address don't count.
        let is_saved = |one: &&Endpoint| one.id != id_of_called(team, &one.url);
        if known.iter().filter(is_saved).count() >= ENDPOINTS_MAX {
            let reason = format!("is one too many: a team has at most {ENDPOINTS_MAX} endpoints");
            return Err(Fault::invalid("url", reason).into());
        }
        let id = EndpointId::new(self.inner.world.uuid_v7());
        let secrets = Secrets::new(&self.inner.world);
        let blob = self.sealed_secrets(team, id, &secrets).await?;
        let end = feed::end(&self.inner.store, team).await?;
        let endpoint = Endpoint {
            team,
            id,
            url: command.url.clone(),
            kinds: command.kinds.clone().unwrap_or_default(),
            enabled: command.enabled.unwrap_or(true),
            secret: blob,
            created_at: self.inner.world.now(),
            place: end.unwrap_or_else(FeedPosition::beginning),
            health: Health::default(),
            events: 0,
            turn: None,
        };
        let deed =
            Deed::on(team, Act::WebhookEndpointSaved, "webhook endpoint", id).with("new", true);
        let change = Change::new(self.change_id(), &id.key())
            .with(room::take(room))
            .with(table::insert(&endpoint))
            .with(self.audit(&deed));
        let refused = self.commit_naming(change, id).await?;
        if refused.is_some() {
            self.erase_secrets(team, Some(blob)).await;
        }
        Ok(Round::of(
            refused,
            Saved {
                endpoint,
                secrets: Some(secrets),
                replaced: None,
            },
        ))
    }

    async fn change_endpoint(
        &self,
        team: TeamId,
        id: EndpointId,
        command: &SaveEndpoint,
    ) -> Result<Round<Saved>, EngineError> {
        let room = room::find(&self.inner.store, team, BoundedList::WebhookEndpoints).await?;
        let mut endpoint = self.endpoint(team, id, "id").await?;
        let is_moved = endpoint.url != command.url;
        endpoint.url.clone_from(&command.url);
        if let Some(kinds) = &command.kinds {
            endpoint.kinds = kinds.clone();
        }
        let mut statements = vec![table::update(&endpoint, endpoint.secret)];
        if is_moved {
            let known = table::of_team(&self.inner.store, team).await?;
            refuse_known(&known, &command.url, Some(id))?;
            // What another address did not take says nothing about this one.
            endpoint.health = Health::default();
            // Nobody else takes the address at the same time.
            statements.push(room::take(room));
            statements.push(table::renew(team, id, self.inner.world.now()));
        }
        statements.extend(self.switched(&mut endpoint, command).await?);
        let deed = Deed::on(team, Act::WebhookEndpointSaved, "webhook endpoint", id);
        let deed = deed.with("new", false).with("enabled", endpoint.enabled);
        statements.push(self.audit(&deed));
        let refused = self.commit_all(id, statements).await?;
        Ok(Round::of(
            refused,
            Saved {
                endpoint,
                secrets: None,
                replaced: None,
            },
        ))
    }

    async fn rotate_once(&self, team: TeamId, id: EndpointId) -> Result<Round<Saved>, EngineError> {
        let mut endpoint = self.endpoint(team, id, "id").await?;
        let Some(secrets) = self.secrets_of(&endpoint).await? else {
            return Ok(Round::Conflict);
        };
        let before = endpoint.secret;
        let until = self.inner.world.now().after(BOTH_SIGN_FOR);
        let Some(secrets) = secrets.rotated(&self.inner.world, until) else {
            let rule = "names an endpoint whose secret was rotated several times within a day: all of them sign still, wait until one has ended";
            return Err(Fault::invalid("id", rule).into());
        };
        endpoint.secret = self.sealed_secrets(team, id, &secrets).await?;
        let deed = Deed::on(team, Act::WebhookSecretRotated, "webhook endpoint", id);
        let statements = vec![table::update(&endpoint, before), self.audit(&deed)];
        let unused = endpoint.secret;
        let refused = self.commit_all(id, statements).await?;
        if refused.is_some() {
            self.erase_secrets(team, Some(unused)).await;
        }
        Ok(Round::of(
            refused,
            Saved {
                endpoint,
                secrets: Some(secrets),
                replaced: Some(before),
            },
        ))
    }

    pub(super) async fn commit_all(
        &self,
        id: EndpointId,
        statements: Vec<Statement>,
    ) -> Result<Option<usize>, EngineError> {
        let mut change = Change::new(self.change_id(), &id.key());
        for statement in statements {
            change.push(statement);
        }
        self.commit_plain(change).await
    }

    pub(super) async fn sealed_secrets(
        &self,
        team: TeamId,
        id: EndpointId,
        secrets: &Secrets,
    ) -> Result<BlobId, EngineError> {
        let (holder, document) = (Holder::endpoint(id), secrets.document());
        let vault = &self.inner.vault;
        Ok(vault
            .seal_secret(team, &holder, document.as_bytes())
            .await?)
    }

    /// Erases secrets that nothing refers to any more. What can't be erased now stays sealed until a job finds it.
    pub(super) async fn erase_secrets(&self, team: TeamId, blob: Option<BlobId>) {
        let Some(blob) = blob else { return };
        if let Err(error) = self.inner.vault.erase_secret(team, blob).await {
            tracing::warn!(error = %error, vault.record = %blob, "replaced secrets can't be erased");
        }
    }
}

/// Refuses an address that another endpoint has: every event would come there twice.
fn refuse_known(known: &[Endpoint], url: &str, own: Option<EndpointId>) -> Result<(), Fault> {
    let has_it = |one: &Endpoint| one.url == url && Some(one.id) != own;
    if known.iter().any(has_it) {
        let rule = "is the address of another endpoint already: every event would come twice. Change that one, by its id (listWebhookEndpoints)";
        return Err(Fault::invalid("url", rule));
    }
    Ok(())
}

/// Whether an address names a private address as such. What a name leads to is judged when it is called.
fn is_private(url: &Url) -> bool {
    let named = url.host();
    let address: Option<IpAddr> = named.parse().ok();
    named == "localhost"
        || named.ends_with(".localhost")
        || address.is_some_and(|address| !is_public(address))
}
