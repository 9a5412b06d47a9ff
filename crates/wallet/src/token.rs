//! What a wallet's token turns out to hold.

use domain::{card_number::CardNumber, expiry::Expiry, money::Money};

use crate::{Cryptogram, WalletError, secret::SecretText};

/// A card's number as the wallet gave it, with what proves it. It has no `Debug` or `Serialize`: it holds secrets.
pub struct NetworkToken {
    /// The card's own number, or the number that stands for it in this wallet.
    pub number: CardNumber,
    /// When that number expires.
    pub expiry: Expiry,
    /// The proof that the wallet made this token for this payment; always there for [`TokenKind::Cryptogram`].
    pub cryptogram: Option<Cryptogram>,
    /// The electronic commerce indicator, two digits, where the wallet gave one.
    pub eci: Option<String>,
    /// Which of the two it is.
    pub kind: TokenKind,
    /// Amount and currency that the shopper approved, where the wallet tells (wallet B). Never negative.
    pub money: Option<Money>,
    /// The token's identity for the replay guard: wallet B's transaction id, lower-case hexadecimal.
    pub transaction_id: Option<String>,
    /// The token's identity at wallet A.
    pub message_id: Option<String>,
    /// The merchant that wallet A made the token for, where it tells.
    pub gateway_merchant_id: Option<String>,
}

/// How a number was authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A plain card number on file at the wallet, without a proof: 3DS may be asked for.
    PanOnly,
    /// A number of the device, with a cryptogram: the shopper was authenticated by the wallet.
    Cryptogram,
}

/// Errors: `Content` when the text is no card number.
pub(crate) fn number(text: SecretText) -> Result<CardNumber, WalletError> {
    CardNumber::parse(text.into_text()).map_err(|_| WalletError::Content("card number"))
}

/// Errors: `Method` when there is none, `Content` when it can't be one.
pub(crate) fn cryptogram(text: Option<SecretText>) -> Result<Cryptogram, WalletError> {
    let text = text.ok_or(WalletError::Method)?.into_text();
    Cryptogram::parse(text).ok_or(WalletError::Content("cryptogram"))
}

/// One or two digits as two; an empty text is none. Errors: `Content`.
pub(crate) fn eci(text: Option<String>) -> Result<Option<String>, WalletError> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    if text.len() > 2 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(WalletError::Content("ECI"));
    }
    Ok(Some(format!("{text:0>2}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_eci_has_two_digits() {
        let read = |text: &str| eci(Some(text.to_owned()));
        assert_eq!(read("5"), Ok(Some("05".to_owned())));
        assert_eq!(read("07"), Ok(Some("07".to_owned())));
        assert_eq!(read(""), Ok(None));
        assert_eq!(eci(None), Ok(None));
        for wrong in ["007", "x", "-1", "٥"] {
            assert_eq!(read(wrong), Err(WalletError::Content("ECI")));
        }
    }
}
