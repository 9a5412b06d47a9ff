//! The audit trail: who did what, from where. What is written here is kept for a year and more, so that it holds ids and
//! counts alone: no card data, no secret, nothing that the erasure of a person must remove.

use std::{net::IpAddr, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    caller::{Caller, Credential},
    id::{KeyId, TeamId},
    text_enum::text_enum,
};

/// The team under whose id the acts of the whole installation stand: no team has it.
pub const INSTALLATION: TeamId = TeamId::new(uuid::Uuid::nil());

text_enum!(
    /// What was done. The texts are stored and exported: they never change their meaning.
    Act {
        /// An operation was refused to a credential that has not the right; counted per minute.
        AccessRefused = "access.refused",
        /// A file was deleted.
        AttachmentDeleted = "attachment.deleted",
        /// An address was handed out to upload a file to.
        AttachmentRequested = "attachment.requested",
        /// A file was uploaded.
        AttachmentStored = "attachment.stored",
        /// The trail was listed, exported or verified.
        AuditRead = "audit.read",
        /// Entries that are older than they must be kept were removed.
        AuditRemoved = "audit.removed",
        /// A credential was refused; counted per minute.
        AuthenticationFailed = "authentication.failed",
        /// The databases were copied.
        BackupTaken = "backup.taken",
        /// A client token was made.
        ClientTokenCreated = "client_token.created",
        /// A client token was revoked.
        ClientTokenRevoked = "client_token.revoked",
        /// A connection was removed.
        ConnectionDeleted = "connection.deleted",
        /// A connection was disabled.
        ConnectionDisabled = "connection.disabled",
        /// A connection was enabled.
        ConnectionEnabled = "connection.enabled",
        /// Credentials of a connection were rotated, or an earlier secret was ended.
        ConnectionRotated = "connection.rotated",
        /// A connection was made or changed.
        ConnectionSaved = "connection.saved",
        /// A customer was deleted, with the customer's payment methods.
        CustomerDeleted = "customer.deleted",
        /// A deleted customer's personal data were erased from everything that stays.
        CustomerErased = "customer.erased",
        /// An operation that reads, or that changes little, was asked for, whatever came of it; counted per minute.
        DataAccessed = "data.accessed",
        /// A dispute was accepted.
        DisputeAccepted = "dispute.accepted",
        /// Evidence was saved as a draft, or submitted.
        DisputeResponded = "dispute.responded",
        /// A flow became the default.
        FlowDefaultSet = "flow.default_set",
        /// A flow was removed.
        FlowDeleted = "flow.deleted",
        /// A version of a flow was published.
        FlowPublished = "flow.published",
        /// A version of a flow was saved.
        FlowSaved = "flow.saved",
        /// The installation was moved to another database.
        InstallationMoved = "installation.moved",
        /// A restored copy was taken into service.
        InstallationRestored = "installation.restored",
        /// A key was made.
        KeyCreated = "key.created",
        /// A key was revoked.
        KeyRevoked = "key.revoked",
        /// A key was replaced by another one.
        KeyRotated = "key.rotated",
        /// What was found on a guarded page was accepted.
        PageAccepted = "page.accepted",
        /// A guarded page was removed.
        PageDeleted = "page.deleted",
        /// A guarded page was made or changed.
        PageSaved = "page.saved",
        /// A script was authorised for a guarded page.
        PageScriptAuthorised = "page_script.authorised",
        /// A script was taken out of a guarded page's inventory.
        PageScriptWithdrawn = "page_script.withdrawn",
        /// A payment link was made.
        PaymentLinkCreated = "payment_link.created",
        /// A payment link was ended.
        PaymentLinkEnded = "payment_link.ended",
        /// A stored payment method was deleted.
        PaymentMethodDeleted = "payment_method.deleted",
        /// The number of a deleted payment method was erased.
        PaymentMethodErased = "payment_method.erased",
        /// A person settled what had no answer.
        PaymentResolved = "payment.resolved",
        /// What a team has set was changed.
        TeamChanged = "team.changed",
        /// A team was closed.
        TeamClosed = "team.closed",
        /// A team was made.
        TeamCreated = "team.created",
        /// A closed team was opened.
        TeamReopened = "team.reopened",
        /// Every record of the vault is sealed under a new key.
        VaultRotated = "vault.rotated",
        /// The vault began to seal its records under a new key.
        VaultRotationBegun = "vault.rotation_begun",
        /// A team's settings at a wallet were saved.
        WalletSaved = "wallet.saved",
        /// A webhook endpoint was removed.
        WebhookEndpointDeleted = "webhook_endpoint.deleted",
        /// A webhook endpoint was made, changed, enabled or disabled.
        WebhookEndpointSaved = "webhook_endpoint.saved",
        /// A webhook endpoint got a new signing secret.
        WebhookSecretRotated = "webhook_secret.rotated",
    }
);

text_enum!(
    /// What kind of party did it.
    ActorKind {
        /// A merchant's server.
        Secret = "secret",
        /// A browser, by a public key.
        Public = "public",
        /// A browser, by a client token.
        Client = "client",
        /// A customer, by an address that a processor sent them back to.
        Customer = "customer",
        /// A person who runs the service, by a command.
        Operator = "operator",
        /// The service itself: a job, or its first start.
        System = "system",
        /// Somebody whose credential was refused.
        Unknown = "unknown",
    }
);

/// Who did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Actor {
    /// What kind of party.
    pub kind: ActorKind,
    /// The credential's id.
    pub credential: Option<KeyId>,
}

impl Actor {
    /// A party without a credential.
    pub const fn of(kind: ActorKind) -> Self {
        Self {
            kind,
            credential: None,
        }
    }

    /// The credential of a request.
    pub const fn of_caller(caller: &Caller) -> Self {
        let kind = match caller.credential {
            Credential::Secret => ActorKind::Secret,
            Credential::Public => ActorKind::Public,
            Credential::Client(_) => ActorKind::Client,
        };
        Self {
            kind,
            credential: Some(caller.key),
        }
    }
}

/// Where a request came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// The address of the caller, behind trusted proxies.
    pub address: Option<IpAddr>,
    /// The request's id.
    pub request: Option<Arc<str>>,
}

/// Who does something, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Who.
    pub actor: Actor,
    /// From where.
    pub source: Source,
}

/// Who made a commit of a payment or an intent, as its event names it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct By {
    /// What kind of party.
    pub kind: ActorKind,
    /// The credential's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The address of a merchant's server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where there is no address, the request's id, by which the log leads to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

impl Origin {
    /// The address as it may be kept: a browser's is a person's, which the erasure of that person would have to remove.
    pub fn kept_address(&self) -> Option<String> {
        let is_persons = match self.actor.kind {
            ActorKind::Public | ActorKind::Client | ActorKind::Customer => true,
            ActorKind::Secret | ActorKind::Operator | ActorKind::System | ActorKind::Unknown => {
                false
            }
        };
        let address = self.source.address.filter(|_| !is_persons);
        address.map(|address| address.to_canonical().to_string())
    }

    /// How an event names it; `None` for the service itself.
    pub fn by(&self) -> Option<By> {
        if self.actor.kind == ActorKind::System {
            return None;
        }
        let from = self.kept_address();
        let request = self.source.request.as_deref().map(str::to_owned);
        Some(By {
            kind: self.actor.kind,
            id: self.actor.credential.map(KeyId::key),
            request: request.filter(|_| from.is_none()),
            from,
        })
    }

    /// The service itself.
    pub const fn system() -> Self {
        Self::of(ActorKind::System)
    }

    /// A person who runs the service.
    pub const fn operator() -> Self {
        Self::of(ActorKind::Operator)
    }

    const fn of(kind: ActorKind) -> Self {
        Self {
            actor: Actor::of(kind),
            source: Source {
                address: None,
                request: None,
            },
        }
    }
}

/// What was done, and to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The team, or [`INSTALLATION`].
    pub team: TeamId,
    /// What was done.
    pub act: Act,
    /// What kind of thing it was done to.
    pub subject: &'static str,
    /// Its id.
    pub subject_id: Option<String>,
    /// What else is to be known: ids, counts and names of settings.
    pub details: Map<String, Value>,
}

impl Deed {
    /// An act of a team on the thing with this id.
    pub fn on(team: TeamId, act: Act, subject: &'static str, id: impl std::fmt::Display) -> Self {
        Self {
            team,
            act,
            subject,
            subject_id: Some(id.to_string()),
            details: Map::new(),
        }
    }

    /// An act on something that has no id.
    pub fn on_whole(team: TeamId, act: Act, subject: &'static str) -> Self {
        Self {
            subject_id: None,
            ..Self::on(team, act, subject, "")
        }
    }

    /// An act on the team itself.
    pub fn on_team(team: TeamId, act: Act) -> Self {
        Self::on(team, act, "team", team)
    }

    /// The same with a detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

/// An entry of the trail as it is stored and exported. Plain texts: an entry of another release can be verified too.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The team's id.
    pub team: String,
    /// The entry's own id.
    pub id: String,
    /// When it was done. Unit: microseconds since 1970, UTC.
    pub at_micros: i64,
    /// The name of the act.
    pub act: String,
    /// What kind of party did it.
    pub actor: String,
    /// The credential's id.
    pub actor_id: Option<String>,
    /// The caller's address.
    pub address: Option<String>,
    /// The request's id.
    pub request_id: Option<String>,
    /// What kind of thing it was done to.
    pub subject: String,
    /// Its id.
    pub subject_id: Option<String>,
    /// `done` or `refused`.
    pub outcome: String,
    /// JSON.
    pub details: String,
}

impl Entry {
    /// The bytes that are sealed: the same for the same entry on every machine and in every release.
    pub fn bytes(&self) -> Vec<u8> {
        let parts = (
            (&self.team, &self.id, self.at_micros, &self.act),
            (&self.actor, &self.actor_id, &self.address, &self.request_id),
            (
                &self.subject,
                &self.subject_id,
                &self.outcome,
                &self.details,
            ),
        );
        // Texts and numbers can always be written.
        serde_json::to_vec(&parts).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_an_entry_is_among_the_bytes_that_are_sealed() {
        let entry = Entry {
            team: "team".to_owned(),
            id: "id".to_owned(),
            at_micros: 5,
            act: "key.created".to_owned(),
            actor: "operator".to_owned(),
            actor_id: None,
            address: None,
            request_id: None,
            subject: "key".to_owned(),
            subject_id: Some("k1".to_owned()),
            outcome: "done".to_owned(),
            details: "{}".to_owned(),
        };
        assert_eq!(
            String::from_utf8(entry.bytes()).unwrap(),
            r#"[["team","id",5,"key.created"],["operator",null,null,null],["key","k1","done","{}"]]"#
        );
        let Value::Object(fields) = serde_json::to_value(&entry).unwrap() else {
            panic!("not an object")
        };
        for name in fields.keys() {
            let mut changed = fields.clone();
            let other = if name == "at_micros" {
                Value::from(6)
            } else {
                Value::from("other")
            };
            changed.insert(name.clone(), other);
            let changed: Entry = serde_json::from_value(Value::Object(changed)).unwrap();
            assert_ne!(changed.bytes(), entry.bytes(), "{name}");
        }
    }

    #[test]
    fn a_browser_s_address_is_not_kept() {
        let origin = |kind| Origin {
            actor: Actor::of(kind),
            source: Source {
                address: "192.0.2.1".parse().ok(),
                request: Some("req-1".into()),
            },
        };
        for kind in ActorKind::ALL.iter().copied() {
            let by = origin(kind).by();
            let Some(by) = by else {
                assert_eq!(kind, ActorKind::System);
                continue;
            };
            let is_persons = ["public", "client", "customer"].contains(&kind.code());
            assert_eq!(by.from.is_none(), is_persons, "{kind}");
            assert_eq!(by.request.is_some(), is_persons, "{kind}");
        }
    }

    #[test]
    fn names_of_acts_say_what_was_done_to_what() {
        for act in Act::ALL {
            let (thing, done) = act.code().split_once('.').unwrap();
            assert!(!thing.is_empty() && !done.is_empty(), "{act}");
        }
    }
}
