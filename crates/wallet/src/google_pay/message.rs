//! The decrypted message: a card's number, or a network token.

use domain::{Timestamp, expiry::Expiry, long::parse_long};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    NetworkToken, TokenKind, WalletError, field,
    secret::SecretText,
    token::{cryptogram, eci, number},
};

/// Longest identifier. Unit: characters.
const ID_MAX: usize = 255;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    #[serde(rename = "messageExpiration")]
    expiration: Value,
    #[serde(rename = "messageId")]
    id: Option<String>,
    gateway_merchant_id: Option<String>,
    payment_method: String,
    payment_method_details: Details,
}

/// `ECv1` writes network tokens with other names.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    auth_method: Option<String>,
    #[serde(alias = "dpan")]
    pan: SecretText,
    expiration_month: Value,
    expiration_year: Value,
    #[serde(alias = "3dsCryptogram")]
    cryptogram: Option<SecretText>,
    #[serde(alias = "3dsEciIndicator")]
    eci_indicator: Option<String>,
}

/// Reads a decrypted message. Errors: `Content`, `Expired`, `Merchant`, `Method`.
pub(super) fn read(
    plain: &[u8],
    merchants: &[String],
    now: Timestamp,
) -> Result<NetworkToken, WalletError> {
    let message: Message =
        serde_json::from_slice(plain).map_err(|_| WalletError::Content("message"))?;
    let expires_at =
        field::time(&message.expiration).ok_or(WalletError::Content("message expiration"))?;
    if expires_at <= now {
        return Err(WalletError::Expired);
    }
    if let Some(merchant) = &message.gateway_merchant_id
        && !merchants.is_empty()
        && !merchants.contains(merchant)
    {
        return Err(WalletError::Merchant);
    }
    if message
        .id
        .as_ref()
        .is_some_and(|id| id.is_empty() || id.chars().count() > ID_MAX)
    {
        return Err(WalletError::Content("message id"));
    }
    let Details {
        auth_method,
        pan,
        expiration_month,
        expiration_year,
        cryptogram: proof,
        eci_indicator,
    } = message.payment_method_details;
    let kind = kind(&message.payment_method, auth_method.as_deref()).ok_or(WalletError::Method)?;
    let proof = match kind {
        TokenKind::PanOnly => None,
        TokenKind::Cryptogram => Some(cryptogram(proof)?),
    };
    Ok(NetworkToken {
        number: number(pan)?,
        expiry: expiry(&expiration_month, &expiration_year)
            .ok_or(WalletError::Content("expiry"))?,
        cryptogram: proof,
        eci: eci(eci_indicator)?,
        kind,
        money: None,
        transaction_id: None,
        message_id: message.id,
        gateway_merchant_id: message.gateway_merchant_id,
    })
}

fn expiry(month: &Value, year: &Value) -> Option<Expiry> {
    let [month, year] =
        [month, year].map(|value| parse_long(value).and_then(|number| i32::try_from(number).ok()));
    Expiry::parse(month?, year?).ok()
}

fn kind(method: &str, auth_method: Option<&str>) -> Option<TokenKind> {
    match (method, auth_method) {
        ("CARD", Some("PAN_ONLY") | None) => Some(TokenKind::PanOnly),
        ("CARD", Some("CRYPTOGRAM_3DS"))
        | ("TOKENIZED_CARD", Some("3DS" | "CRYPTOGRAM_3DS") | None) => Some(TokenKind::Cryptogram),
        _ => None,
    }
}
