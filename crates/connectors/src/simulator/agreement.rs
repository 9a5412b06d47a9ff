//! What the simulated processor notes of agreements on stored cards, and the cards that it stores.

use connector::{
    Authorise, CallError, Cause, FundingSource, Link, OwnToken, Reference, StoredCardData,
};
use domain::{method::Method, payment::RecurringReason};
use serde::{Deserialize, Serialize};
use world::World;

use super::{
    Simulator,
    entry::{Entry, Standing},
    of_a_read,
};

/// How the simulator's names for owners of cards begin; behind it the reference of the request that stored the card.
const OWNER_PREFIX: &str = "simcus_";

/// What a request for an authorisation said of the agreement on a stored card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Why it is made.
    pub reason: RecurringReason,
    /// The customer agrees to later payments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first: bool,
    /// The scheme's transaction that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_id: Option<String>,
    /// Paid by a token of the simulator's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_own_token: bool,
    /// The token that stands for the card from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl Agreement {
    /// What a request says. A payment by which the customer agrees stores the card; one by a token of ours has stored it already.
    pub(super) fn of(call: &Authorise<'_>, world: &World) -> Option<Self> {
        let stored = call.stored?;
        let keeps_card = stored.first && matches!(call.funding_source, FundingSource::Card(_));
        Some(Self {
            reason: stored.reason,
            first: stored.first,
            network_id: stored.network_id.map(str::to_owned),
            by_own_token: matches!(call.funding_source, FundingSource::StoredCard(_)),
            token: keeps_card.then(|| new_token(world)),
        })
    }
}

/// A token of the simulator's own.
pub(super) fn new_token(world: &World) -> String {
    format!("simtok_{}", world.token(24))
}

/// A token of the simulator's with what it counts together with.
pub(super) fn own_token(reference: &Reference, value: &str) -> OwnToken {
    OwnToken {
        value: value.to_owned(),
        customer: Some(format!("{OWNER_PREFIX}{}", reference.as_str())),
        reusable: true,
    }
}

/// The token that an entry gave, in place of an authorisation or with one.
fn token_of(entry: &Entry) -> Option<&str> {
    let stored = entry.agreement.as_ref();
    let stored = stored.and_then(|agreement| agreement.token.as_deref());
    entry.token.as_deref().or(stored)
}

impl Simulator {
    /// The card behind a token of the simulator's own. It is known at the connection that gave it, by the owner's name and the token together.
    pub(super) async fn stored_card(
        &self,
        link: &Link<'_>,
        data: &StoredCardData,
    ) -> Result<Entry, CallError> {
        let owner = data.token.customer.as_deref().unwrap_or_default();
        let reference = owner.strip_prefix(OWNER_PREFIX).ok_or_else(gone)?;
        let known = self.books.load(reference).await.map_err(of_a_read)?;
        let is_it = |entry: &Entry| {
            entry.connection == *link.connection
                && token_of(entry) == Some(data.token.value.as_str())
                && entry.standing(self.world.now()) == Standing::Approved
        };
        known.filter(is_it).ok_or_else(gone)
    }
}

fn gone() -> CallError {
    CallError::Rejected {
        code: Some("unknown_token".into()),
        reason: "the account has no such stored card".into(),
        cause: Cause::StoredCardGone,
    }
}

/// The Electronic Commerce Indicator of an authentication with a card of this brand.
pub(super) const fn indicator(method: Option<Method>) -> &'static str {
    match method {
        Some(Method::Mastercard) => "02",
        _ => "05",
    }
}
