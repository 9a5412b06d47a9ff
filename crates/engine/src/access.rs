//! Who asks: credentials, and the tokens that a merchant's server makes for browsers.
//!
//! Only a keyed hash of a credential is stored, and it is what leads to the row. What was found is kept for less than a
//! second, so that a revocation holds within that time on every node.

use crate::boxed;
use db::Change;
use domain::{
    Code, Fault, Timestamp,
    audit::{Act, Deed},
    caller::{Caller, ClientGrant, Credential, Mode},
    id::{KeyId, TeamId},
    money::Currency,
    rights::Scopes,
};
use store::credential::{self, CredentialKind};
use subtle::ConstantTimeEq;

use crate::{
    Engine,
    audit::{Failure, Party, RefusedCredential},
    faults::{EngineError, customer_not_found, database, intent_not_found, only_fault},
    recent_reads::{Reading, RecentReads},
};

/// Attempts that a client token may make.
pub const MAX_CLIENT_ATTEMPTS: i64 = 10;

/// Credentials that are kept at the same time.
const KEPT: usize = 10_000;

/// Random characters of a credential, of just under six bits each.
const SECRET_LENGTH: usize = 43;

/// Length of what follows a credential's prefix. Unit: characters. The least is that of a key that a person chose.
const BODY: std::ops::RangeInclusive<usize> = 4..=200;

/// A client token, shown once.
pub struct ClientTokenMade {
    /// Its id, by which it is listed and revoked.
    pub id: KeyId,
    /// The token itself.
    pub token: String,
    /// How long it lives.
    pub ttl_seconds: i64,
}

/// Credentials as they were found recently, by their hashes.
pub(crate) type Cache = RecentReads<String, Known>;

/// The cache of a node that starts.
pub(crate) fn cache() -> Cache {
    RecentReads::at_most(KEPT)
}

/// Who a credential speaks for, and until when.
#[derive(Clone)]
pub(crate) struct Known {
    caller: Caller,
    expires_at: Option<Timestamp>,
}

/// What a credential says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    kind: CredentialKind,
    mode: Mode,
}

impl Form {
    fn of(text: &str) -> Option<Self> {
        let (prefix, rest) = text.split_at_checked(3)?;
        let kind = [
            CredentialKind::Secret,
            CredentialKind::Public,
            CredentialKind::Client,
        ]
        .into_iter()
        .find(|kind| letters(*kind) == prefix)?;
        let (mode, body) = match (rest.strip_prefix("test_"), rest.strip_prefix("live_")) {
            (Some(body), _) => (Mode::Test, body),
            (None, Some(body)) => (Mode::Live, body),
            (None, None) => return None,
        };
        let plain = body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        (plain && BODY.contains(&body.len())).then_some(Self { kind, mode })
    }

    fn prefix(self) -> String {
        let mode = match self.mode {
            Mode::Test => "test_",
            Mode::Live => "live_",
        };
        format!("{}{mode}", letters(self.kind))
    }
}

const fn letters(kind: CredentialKind) -> &'static str {
    match kind {
        CredentialKind::Secret => "sk_",
        CredentialKind::Public => "pk_",
        CredentialKind::Client => "ct_",
    }
}

/// Whose a credential of this kind is.
const fn party_of(kind: CredentialKind) -> Party {
    match kind {
        CredentialKind::Secret => Party::Server,
        CredentialKind::Public | CredentialKind::Client => Party::Browser,
    }
}

/// What is recorded of a text that is no credential here: even a malformed public key comes from a browser.
fn malformed(text: &str) -> RefusedCredential {
    let by_browser = [CredentialKind::Public, CredentialKind::Client]
        .into_iter()
        .find(|kind| text.starts_with(letters(*kind)));
    RefusedCredential {
        why: Failure::Malformed,
        party: party_of(by_browser.unwrap_or(CredentialKind::Secret)),
        credential: None,
    }
}

impl Engine {
    /// Whose credential `bearer` is, and what it may do.
    ///
    /// # Errors
    /// `api.key.unauthorized` for one that is malformed, unknown, revoked, expired or of the other mode.
    #[boxed]
    pub async fn authenticate(&self, bearer: &str) -> Result<Caller, Fault> {
        let form = Form::of(bearer)
            .filter(|form| form.mode == self.inner.settings.mode)
            .ok_or_else(|| self.refused(malformed(bearer)))?;
        let hash = self.inner.vault.credential_hash(bearer);
        let now = self.inner.world.now();
        let known = match self.inner.access.find(hash.as_str(), now) {
            Ok(known) => known,
            Err(reading) => self.look_for_credential(form, hash, reading).await?,
        };
        let mut caller = known.caller;
        if is_over(known.expires_at, now) {
            return Err(self.refused(RefusedCredential {
                why: Failure::Ended,
                party: party_of(form.kind),
                credential: Some((caller.team, caller.key)),
            }));
        }
        caller.source = self.origin.source.clone();
        Ok(caller)
    }

    /// Counts a credential that is refused.
    fn refused(&self, credential: RefusedCredential) -> Fault {
        self.note_refused_credential(credential);
        unauthorized()
    }

    async fn look_for_credential(
        &self,
        form: Form,
        hash: String,
        reading: Reading,
    ) -> Result<Known, Fault> {
        let found = credential::by_hash(&self.inner.store, &hash)
            .await
            .map_err(|error| database(&error))?;
        let is_same = |found: &credential::Presented| {
            bool::from(found.credential.hash.as_bytes().ct_eq(hash.as_bytes()))
        };
        let found = found.filter(is_same).ok_or_else(|| {
            self.refused(RefusedCredential {
                why: Failure::Unknown,
                party: party_of(form.kind),
                credential: None,
            })
        })?;
        let (row, now) = (found.credential, self.inner.world.now());
        let ended = || {
            self.refused(RefusedCredential {
                why: Failure::Ended,
                party: party_of(form.kind),
                credential: Some((row.team, row.id)),
            })
        };
        let is_another = row.kind != form.kind || row.mode != form.mode;
        if is_another || row.revoked_at.is_some() || found.team_closed_at.is_some() {
            return Err(ended());
        }
        let parent = self.parent(&row).await?;
        if parent.as_ref().is_some_and(|key| key.revoked_at.is_some()) {
            return Err(ended());
        }
        // A client token ends with the key that made it.
        let parent_ends = parent.and_then(|key| key.expires_at);
        let expires_at = row.expires_at.into_iter().chain(parent_ends).min();
        if row.kind != CredentialKind::Client && !is_over(expires_at, now) {
            self.inner.key_uses.note(row.team, row.id, now);
        }
        let credential = match row.kind {
            CredentialKind::Secret => Credential::Secret,
            CredentialKind::Public => Credential::Public,
            CredentialKind::Client => Credential::Client(row.grant.unwrap_or_default()),
        };
        let settings = self.team_settings(row.team).await?;
        let caller = Caller {
            team: row.team,
            key: row.id,
            credential,
            scopes: row.scopes,
            mode: row.mode,
            seen_in: None,
            network: None,
            hides_fingerprints: !settings.fingerprint,
            source: domain::audit::Source::default(),
        };
        let known = Known { caller, expires_at };
        self.inner.access.keep(hash, known.clone(), reading);
        Ok(known)
    }

    /// Makes a credential for one browser. Source: specification, generateClientToken.
    ///
    /// # Errors
    /// `error.validation`, `error.customer.not-found`, `error.intent.not-found`,
    /// `error.flow.not-found`.
    #[boxed]
    pub async fn client_token(
        &self,
        caller: &Caller,
        grant: ClientGrant,
    ) -> Result<ClientTokenMade, Fault> {
        check_money(&grant)?;
        self.client_token_made(caller, grant)
            .await
            .map_err(only_fault)
    }

    async fn client_token_made(
        &self,
        caller: &Caller,
        grant: ClientGrant,
    ) -> Result<ClientTokenMade, EngineError> {
        if let Some(flow) = &grant.flow {
            self.runnable(caller.team, Some(flow.as_str())).await?;
        }
        if let Some(customer) = grant.customer {
            let found = store::customer::of_team(&self.inner.store, caller.team, customer).await?;
            found.ok_or_else(customer_not_found)?;
        }
        if let Some(intent) = grant.intent {
            let found = store::intent::of_team(&self.inner.store, caller.team, intent).await?;
            found.ok_or_else(intent_not_found)?;
        }
        let lifetime = self.inner.settings.client_token_lifetime;
        let token = self.new_credential_text(CredentialKind::Client);
        let mut row = self.credential_row(caller.team, CredentialKind::Client, &token);
        row.parent = Some(caller.key);
        row.expires_at = Some(row.created_at.after(lifetime));
        row.grant = Some(grant);
        let deed = Deed::on(row.team, Act::ClientTokenCreated, "client token", row.id);
        let change = Change::new(self.change_id(), &row.id.key())
            .with(credential::insert(&row))
            .with(self.audit(&deed));
        match self.commit_plain(change).await? {
            None => Ok(ClientTokenMade {
                id: row.id,
                token,
                ttl_seconds: i64::try_from(lifetime.as_secs()).unwrap_or(i64::MAX),
            }),
            Some(_) => Err(Fault::unknown().into()),
        }
    }

    /// A new credential of this deployment's mode.
    pub(crate) fn new_credential_text(&self, kind: CredentialKind) -> String {
        let form = Form {
            kind,
            mode: self.inner.settings.mode,
        };
        format!("{}{}", form.prefix(), self.inner.world.token(SECRET_LENGTH))
    }

    /// Whether `text` could be a credential of this kind here.
    pub(crate) fn is_credential(&self, kind: CredentialKind, text: &str) -> bool {
        Form::of(text)
            == Some(Form {
                kind,
                mode: self.inner.settings.mode,
            })
    }

    /// The row of a new credential, to be completed.
    pub(crate) fn credential_row(
        &self,
        team: TeamId,
        kind: CredentialKind,
        text: &str,
    ) -> credential::Credential {
        let world = &self.inner.world;
        let mode = self.inner.settings.mode;
        credential::Credential {
            id: KeyId::new(world.uuid_v7()),
            team,
            kind,
            mode,
            hash: self.inner.vault.credential_hash(text),
            name: String::new(),
            hint: hint(Form { kind, mode }, text),
            grant: None,
            attempts: 0,
            live_payment: None,
            created_at: world.now(),
            expires_at: None,
            made_to_end_at: None,
            revoked_at: None,
            parent: None,
            last_used_at: None,
            scopes: Scopes::ALL,
        }
    }

    /// The secret key that made a client token. A token ends with its key, also one that is made at the very moment of the
    /// revocation, so the key is looked at and not the tokens changed.
    async fn parent(
        &self,
        row: &credential::Credential,
    ) -> Result<Option<credential::Credential>, Fault> {
        let (CredentialKind::Client, Some(parent)) = (row.kind, row.parent) else {
            return Ok(None);
        };
        let found = credential::of_team(&self.inner.store, row.team, parent).await;
        found.map_err(|error| database(&error))
    }
}

mod client_tokens;
mod uses;
pub use client_tokens::{ClientTokenPage, ClientTokenView};
pub(crate) use uses::Uses;

fn is_over(expires_at: Option<Timestamp>, now: Timestamp) -> bool {
    expires_at.is_some_and(|expires_at| expires_at <= now)
}

/// What people recognise a credential by: its prefix and its end, unless the end is much of it.
fn hint(form: Form, text: &str) -> String {
    let prefix = form.prefix();
    let body = text.strip_prefix(&prefix).unwrap_or_default();
    let end = body
        .len()
        .checked_sub(4)
        .filter(|_| body.len() >= 16)
        .and_then(|at| body.get(at..))
        .unwrap_or_default();
    format!("{prefix}…{end}")
}

fn check_money(grant: &ClientGrant) -> Result<(), Fault> {
    match (grant.amount, &grant.currency) {
        (Some(_), None) => Err(Fault::invalid(
            "currency",
            "must be given together with an amount",
        )),
        (None, Some(_)) => Err(Fault::invalid(
            "amount",
            "must be given together with a currency",
        )),
        (Some(amount), _) if amount <= 0 => Err(Fault::invalid("amount", "must be positive")),
        (Some(_), Some(code)) if Currency::parse(code).is_none() => Err(Fault::invalid(
            "currency",
            "must be a currency code of ISO 4217",
        )),
        (None, None) | (Some(_), Some(_)) => Ok(()),
    }
}

fn unauthorized() -> Fault {
    Fault::new(
        Code::Unauthorized,
        "The credential is missing or not valid. Check that the key is complete and was neither revoked nor expired, and that a test key (sk_test_, pk_test_) \
         goes to a server in test mode, a live key (sk_live_, pk_live_) to one in live mode.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credentials_form_tells_kind_and_mode() {
        let form = |text: &str| Form::of(text).map(|form| (form.kind, form.mode));
        assert_eq!(
            form("sk_test_abcdefgh"),
            Some((CredentialKind::Secret, Mode::Test))
        );
        assert_eq!(
            form("pk_live_abc_DEF9"),
            Some((CredentialKind::Public, Mode::Live))
        );
        assert_eq!(
            form("ct_test_abcdefgh"),
            Some((CredentialKind::Client, Mode::Test))
        );
        for other in [
            "",
            "sk",
            "sk_",
            "sk_test_",
            "sk_test_abc",
            "SK_TEST_abcdefgh",
            "sk_test_abcdefg+",
            "xk_test_abcdefgh",
            "sk_prod_abcdefgh",
            "sk_test_abcdefgh ",
            "sk_test_abcdéfgh",
            "é_test_abcdefgh",
        ] {
            assert_eq!(form(other), None, "{other}");
        }
        assert_eq!(form(&format!("sk_test_{}", "x".repeat(201))), None);
    }

    #[test]
    fn a_hint_shows_the_end_of_long_credentials_alone() {
        let form = Form {
            kind: CredentialKind::Secret,
            mode: Mode::Test,
        };
        assert_eq!(hint(form, "sk_test_0123456789abcdef"), "sk_test_…cdef");
        assert_eq!(hint(form, "sk_test_0123456789abcde"), "sk_test_…");
    }

    #[test]
    fn amount_and_currency_come_together_and_are_sound() {
        let field = |amount: Option<i64>, currency: Option<&str>| {
            let grant = ClientGrant {
                amount,
                currency: currency.map(str::to_owned),
                ..ClientGrant::default()
            };
            check_money(&grant).err().and_then(|fault| fault.field)
        };
        assert_eq!(field(None, None), None);
        assert_eq!(field(Some(1), Some("EUR")), None);
        assert_eq!(field(Some(1), None).as_deref(), Some("currency"));
        assert_eq!(field(None, Some("EUR")).as_deref(), Some("amount"));
        assert_eq!(field(Some(0), Some("EUR")).as_deref(), Some("amount"));
        assert_eq!(field(Some(-1), Some("EUR")).as_deref(), Some("amount"));
        assert_eq!(field(Some(1), Some("EURO")).as_deref(), Some("currency"));
    }
}
