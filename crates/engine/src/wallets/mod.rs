//! The wallets: whose tokens can be opened, what is in them, and that each is used once.
//!
//! What comes out of a token is a card for one payment: its number goes into the vault like a raw card's, its cryptogram
//! is kept in memory like a security code. The token itself is never kept.

mod keys;
mod open;
mod opened;
mod save;
mod setup;
mod team;
mod unsigned;

use domain::{Code, Fault, method::Method};
use serde_json::Value;

pub use keys::{
    GATEWAY_ID, KeyPair, KeyProblem, SIGNATURE_MAX_AGE, SecretText, VALIDATION_HOSTS, WalletA,
    WalletAText, WalletB, WalletBText, WalletKeys,
};
pub(crate) use open::used_before;
pub(crate) use opened::{OneUse, Opened, TokenMoney};
pub use setup::{SetupWallet, Validation};
pub(crate) use team::{Cache, cache};

/// The merchant of a team that has set no wallet up, in test mode: its unsigned tokens are taken.
pub(crate) const SANDBOX_MERCHANT: &str = "pointsman-sandbox";

/// Where a wallet's token stands in the command, for a fault's `field`.
const FIELD: &str = "paymentMethod.walletToken";

/// A wallet whose tokens are opened here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wallet {
    /// Google Pay.
    A,
    /// Apple Pay.
    B,
}

impl Wallet {
    /// The wallet by the name of its method, the specification's or the public one.
    pub fn parse(name: &str) -> Option<Self> {
        Method::parse(name).and_then(Self::of_method)
    }

    /// The wallet whose method it is.
    pub fn of_method(method: Method) -> Option<Self> {
        let canonical = method.canonical();
        [Self::A, Self::B]
            .into_iter()
            .find(|wallet| wallet.method() == canonical)
    }

    /// Its method.
    pub const fn method(self) -> Method {
        match self {
            Self::A => Method::WalletaPay,
            Self::B => Method::WalletbPay,
        }
    }
}

/// A wallet's token, as sent. It has no `Debug`: in the sandbox it may hold a number.
pub struct WalletInput {
    /// Whose token it is said to be.
    pub wallet: Wallet,
    /// The token: an object, or a text.
    pub token: Value,
}

/// The token can't be used. `reason` completes "the token …".
pub(crate) fn bad_token(reason: impl Into<String>) -> Fault {
    let mut fault = Fault::new(
        Code::WalletToken,
        "The wallet's token can't be used. Have the customer approve the payment again and send the new token; the \
         reason says what is wrong with this one.",
    );
    fault.field = Some(FIELD.to_owned());
    fault.because(reason)
}
