//! What the customer is asked to do at a page of the simulator's, and the address of that page.

use connector::{ActionKind, CardData, Reference};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use world::World;

/// Length of the secret part of a page's token: 22 letters and digits are 130 bits.
const SECRET: usize = 22;
/// Where the pages are, from the base address of the service on.
const PAGES: &str = "/sandbox/pages/";

/// What the customer is asked to do. Stored with the entry, so that the page outlives a restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// What it is.
    pub kind: ActionKind,
    /// How it stands.
    pub state: Progress,
    /// Where the customer goes from the page.
    pub return_url: String,
    /// The last four digits of the card that is confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last4: Option<String>,
    /// What stands on the customer's statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) statement: Option<String>,
    /// Proves that the page's address was given out.
    pub(super) secret: String,
}

/// How a challenge stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// The customer has not decided.
    Waiting,
    /// The customer has done it; nothing is charged before the authorisation is completed.
    Passed,
    /// Passed, and the authorisation was completed.
    Completed,
    /// The customer could or would not do it.
    Failed,
    /// The authorisation was given up before it was completed.
    Over,
}

impl Progress {
    /// The word for it in the books.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Passed | Self::Completed => "passed",
            Self::Failed => "failed",
            Self::Over => "over",
        }
    }
}

impl Challenge {
    /// A challenge that waits, with a secret of its own.
    pub(super) fn new(kind: ActionKind, return_url: &str, world: &World) -> Self {
        Self {
            kind,
            state: Progress::Waiting,
            return_url: return_url.to_owned(),
            last4: None,
            statement: None,
            secret: world.token(SECRET),
        }
    }

    /// The challenge with the card that its page names.
    pub(super) fn of_card(mut self, card: &CardData) -> Self {
        self.last4 = Some(card.number.last4());
        self
    }

    /// The challenge with the text that will stand on the customer's statement.
    pub(super) fn stated(mut self, statement: Option<&str>) -> Self {
        self.statement = statement.map(str::to_owned);
        self
    }

    /// The address of its page.
    pub(super) fn url(&self, base: &str, reference: &Reference) -> String {
        format!("{base}{PAGES}{}{}", self.secret, reference.as_str())
    }

    /// Whether a page's token holds this challenge's secret. Takes the same time wherever they differ.
    pub(super) fn was_given(&self, secret: &str) -> bool {
        self.secret.as_bytes().ct_eq(secret.as_bytes()).into()
    }
}

/// The secret and the reference in a page's token.
pub(super) fn parse(token: &str) -> Option<(&str, Reference)> {
    let (secret, reference) = token.split_at_checked(SECRET)?;
    Some((secret, Reference::other(reference)?))
}
