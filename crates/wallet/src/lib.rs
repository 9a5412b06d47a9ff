//! Opens the payment tokens of wallets: verifies who made them, for whom and when, and decrypts the card in them.
//!
//! Pure: no I/O, clock or randomness. Keys, certificates and the time come in as parameters. A token is bounded and
//! read whole before anything is computed with it, and nothing of it is decrypted before its signature holds.
//!
//! - [`google_pay`] (wallet A): tokenization type `PAYMENT_GATEWAY`, protocols `ECv2` and `ECv1`.
//! - [`apple_pay`] (wallet B): payment tokens `EC_v1` and `RSA_v1`.
//!
//! What is not promised: that a token is used once. Anyone who opens it keeps [`NetworkToken::transaction_id`] or
//! [`NetworkToken::message_id`] and refuses what it has seen.

pub mod apple_pay;
mod error;
mod field;
mod form;
pub mod google_pay;
mod pem;
mod secret;
mod token;

pub use error::{KeyError, WalletError};
pub use form::{Form, form};
pub use secret::Cryptogram;
pub use token::{NetworkToken, TokenKind};
