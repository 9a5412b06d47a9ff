//! Who asks: the credential of a request, resolved to a team and its rights.

use serde::{Deserialize, Serialize};

use crate::{
    audit::Source,
    country::Country,
    fault::{Code, Fault},
    id::{CustomerId, FlowId, IntentId, KeyId, LinkId, TeamId},
    network::Network,
    rights::Scopes,
};

/// Whether money is real.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Test credentials, test processors.
    Test,
    /// Real money.
    Live,
}

impl Mode {
    /// The mode in one word, for logs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Live => "live",
        }
    }
}

/// What kind of credential a request carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// A merchant's server (`sk_…`): may do what its scopes say.
    Secret,
    /// A browser (`pk_…`).
    Public,
    /// A browser with a token made for one checkout (`ct_…`).
    Client(ClientGrant),
}

impl Credential {
    /// The kind in one word, for logs and metrics.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Public => "public",
            Self::Client(_) => "client",
        }
    }
}

/// What a client token was made for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClientGrant {
    /// The only amount that may be authorised, in minor units, with the currency.
    pub amount: Option<i64>,
    /// The only currency, ISO 4217.
    pub currency: Option<String>,
    /// The customer it was made for.
    pub customer: Option<CustomerId>,
    /// The only flow.
    pub flow: Option<FlowId>,
    /// The intent it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<IntentId>,
    /// How many distinct card and account numbers it may bring; [`DISTINCT_NUMBERS`] when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cards: Option<i64>,
    /// The payment link that it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkId>,
}

/// How many distinct card and account numbers a client token may bring, unless it was made for more. Source: behaviour
/// contract, section 6.
pub const DISTINCT_NUMBERS: i64 = 10;

/// The most that a client token can be made for.
pub const DISTINCT_NUMBERS_MAX: i64 = 100;

impl ClientGrant {
    /// How many distinct card and account numbers the token may bring.
    pub fn distinct_numbers(&self) -> i64 {
        self.max_cards.unwrap_or(DISTINCT_NUMBERS)
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The team whose rows may be touched.
    pub team: TeamId,
    /// The credential's own id; what a client token made is found under it.
    pub key: KeyId,
    /// Its kind, and what it was made for.
    pub credential: Credential,
    /// What a secret key may do; of no meaning for a browser's credential.
    pub scopes: Scopes,
    /// Test or live.
    pub mode: Mode,
    /// Where a browser's address is, when that is known.
    pub seen_in: Option<Country>,
    /// The network that a browser asks from, when that is known.
    pub network: Option<Network>,
    /// Whether the team has switched the fingerprints of numbers off.
    pub hides_fingerprints: bool,
    /// Where the request came from, for the audit trail.
    pub source: Source,
}

impl Caller {
    /// The operator, acting for a team. May do what the team's server may.
    pub const fn operator(team: TeamId, mode: Mode) -> Self {
        Self {
            team,
            key: KeyId::new(uuid::Uuid::nil()),
            credential: Credential::Secret,
            scopes: Scopes::ALL,
            mode,
            seen_in: None,
            network: None,
            hides_fingerprints: false,
            source: Source {
                address: None,
                request: None,
            },
        }
    }

    /// Whether it is a merchant's server.
    pub fn is_server(&self) -> bool {
        matches!(self.credential, Credential::Secret)
    }
}

/// The credential has not the right.
pub fn forbidden() -> Fault {
    Fault::new(
        Code::Forbidden,
        "This credential may not do that. Use a secret key, on your server.",
    )
}
