//! Processors' own tokens for stored cards, and the requests that bring them.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{
    Timestamp,
    card_number::holds_card_number,
    decline::DeclineCode,
    id::{ConnectionId, TeamId, TokenRequestId, VaultToken},
    money::Currency,
    redirect::RedirectUrl,
};

/// A processor's own token for a card, as an answer brings it and a later call names it. Can't be printed: with the processor's
/// credentials it is money.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnToken {
    /// The token itself.
    pub value: String,
    /// The processor's name for the owner of the card, where the token counts only together with it.
    pub customer: Option<String>,
    /// Whether it can be used more than once.
    pub reusable: bool,
}

impl std::fmt::Debug for OwnToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OwnToken(…)")
    }
}

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
    pub own: OwnToken,
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

/// What is kept of a token that a processor's own card fields gave, beside the sealed token itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldsToken {
    /// The connection whose fields gave it. No other processor knows it.
    pub connection: ConnectionId,
    /// After this time the processor takes it no more.
    pub expires_at: Timestamp,
}

impl FieldsToken {
    /// Whether it can't be used any more at this time.
    pub fn expired_at(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }
}

/// Longest token of a processor's own fields. Unit: bytes.
const CARD_TOKEN_MAX: usize = 1_024;

/// What a processor's own fields in the browser gave for a card. It can't be printed or copied, and is wiped: until it is used, it is money.
pub struct CardToken(Zeroizing<String>);

impl CardToken {
    /// Reads a token; `None` for what is none, or holds a card's number: then the fields were no fields.
    pub fn parse(text: String) -> Option<Self> {
        let text = Zeroizing::new(text);
        let fits = (1..=CARD_TOKEN_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        (fits && !holds_card_number(&text)).then_some(Self(text))
    }

    /// A second one, for a call that goes on when its caller is gone.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0.clone())
    }

    /// The token, for the vault and for the processor alone.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_plain_word_without_a_number() {
        let is_one = |text: &str| CardToken::parse(text.to_owned()).is_some();
        assert!(is_one("cnon:card-nonce-ok") && is_one("tkn_UqAvArS3gw"));
        for wrong in [
            "",
            "a b",
            "é",
            "4242424242424242",
            "tok_4242-4242-4242-4242",
        ] {
            assert!(!is_one(wrong), "{wrong}");
        }
        assert!(is_one(&"x".repeat(1024)) && !is_one(&"x".repeat(1025)));
    }
}
