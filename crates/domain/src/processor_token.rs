//! Processors' own tokens for stored cards, and the requests that bring them.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    decline::DeclineCode,
    id::{ConnectionId, TeamId, TokenRequestId, VaultToken},
    money::Currency,
    redirect::RedirectUrl,
};

/// A processor's own token for a stored card, as it is kept. Can't be printed: with a processor's credentials it is money.
#[derive(Clone, PartialEq, Eq)]
pub struct ProcessorToken {
    /// Whose it is.
    pub team: TeamId,
    /// The stored card.
    pub token: VaultToken,
    /// The connection at whose processor it stands for the card.
    pub connection: ConnectionId,
    /// The token itself.
    pub value: String,
    /// Whether it can be used more than once.
    pub reusable: bool,
    /// When the processor first gave one.
    pub created_at: Timestamp,
    /// When it last gave one.
    pub updated_at: Timestamp,
}

/// A request for a processor's token: what is needed to ask again under the same reference, and how it stands. Can't be
/// printed, since it holds the secret of the customer's way back.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRequest {
    /// Its id, and the reference under which the processor is asked.
    pub id: TokenRequestId,
    /// Whose it is.
    pub team: TeamId,
    /// Counts its commits.
    pub version: u64,
    /// The stored card.
    pub token: VaultToken,
    /// The connection that is asked.
    pub connection: ConnectionId,
    /// In which currency the card will be charged.
    pub currency: Currency,
    /// Where the merchant wants the customer back.
    pub redirect: Option<RedirectUrl>,
    /// The secret part of the address to which the processor sends the customer back: hexadecimal, 128 bits.
    pub return_key: String,
    /// How it stands.
    pub state: TokenState,
    /// When it was made.
    pub created_at: Timestamp,
}

/// How a request for a processor's token stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenState {
    /// The processor is asked, and has not answered yet. It is asked again under the same reference.
    Asked,
    /// The customer must be authenticated at this page of the processor's.
    Waiting {
        /// The page, an absolute address.
        url: String,
    },
    /// It brought the token.
    Obtained,
    /// The card was declined.
    Declined {
        /// Why.
        code: DeclineCode,
    },
    /// The processor gives no token.
    Refused {
        /// Why, a clause in words of ours.
        reason: String,
    },
    /// The customer did not come back in time.
    Ended,
}

impl TokenState {
    /// Whether it can still bring a token. A card has one such request at a connection.
    pub const fn is_open(&self) -> bool {
        match self {
            Self::Asked | Self::Waiting { .. } => true,
            Self::Obtained | Self::Declined { .. } | Self::Refused { .. } | Self::Ended => false,
        }
    }
}
