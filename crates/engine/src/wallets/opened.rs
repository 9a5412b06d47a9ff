//! What was in a wallet's token.

use db::Statement;
use domain::{
    Timestamp,
    card_number::CardNumber,
    customer::StoredMethod,
    expiry::Expiry,
    id::{PaymentId, TeamId},
    money::{Currency, Money},
};
use wallet::{Cryptogram, NetworkToken, TokenKind};

use super::Wallet;

/// What a wallet's token says of money. A request that says something else is refused.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TokenMoney {
    /// The amount that the customer approved, in minor units.
    pub(crate) amount: Option<i64>,
    /// In which currency.
    pub(crate) currency: Option<Currency>,
    /// What is meant when nobody gives an amount: in the sandbox alone.
    pub(crate) otherwise: Option<Money>,
}

impl From<Money> for TokenMoney {
    fn from(money: Money) -> Self {
        Self {
            amount: Some(money.minor()),
            currency: Some(money.currency()),
            otherwise: None,
        }
    }
}

/// A token's identity, for it is used once.
pub(crate) struct OneUse {
    /// A keyed hash of it.
    pub(crate) hash: String,
    /// After this time the token can't be opened any more, so that its use may be forgotten; `None`: never.
    pub(crate) forget_at: Option<Timestamp>,
    /// The stored method that ends with this use.
    pub(crate) ends: Option<Box<StoredMethod>>,
}

/// An open token. It has no `Debug`: it holds secrets.
pub(crate) struct Opened {
    pub(crate) wallet: Wallet,
    pub(crate) number: CardNumber,
    pub(crate) expiry: Expiry,
    pub(crate) cryptogram: Option<Cryptogram>,
    /// The electronic commerce indicator, two digits.
    pub(crate) eci: Option<String>,
    pub(crate) kind: TokenKind,
    pub(crate) money: TokenMoney,
    /// Absent for the sandbox's unsigned tokens, which may be used as often as one likes.
    pub(crate) once: Option<OneUse>,
}

impl Opened {
    /// What was in a verified token.
    pub(super) fn verified(wallet: Wallet, token: NetworkToken, once: OneUse) -> Self {
        Self {
            wallet,
            number: token.number,
            expiry: token.expiry,
            cryptogram: token.cryptogram,
            eci: token.eci,
            kind: token.kind,
            money: token.money.map(TokenMoney::from).unwrap_or_default(),
            once: Some(once),
        }
    }
}

impl OneUse {
    /// Notes in the payment's first commit that the token is used, and ends its record; refuses that commit when it was used before.
    pub(crate) fn guards(&self, team: TeamId, payment: PaymentId, at: Timestamp) -> Vec<Statement> {
        let mut guards = vec![store::wallet_token::insert(
            team,
            &self.hash,
            payment,
            self.forget_at,
        )];
        let ended = self.ends.as_deref();
        guards.extend(ended.map(|method| store::method::delete(method, at)));
        guards
    }
}
