//! The decrypted payment data: the device's number with its cryptogram, amount and currency.

use domain::{
    expiry::Expiry,
    long::parse_long,
    money::{Currency, Money},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    NetworkToken, TokenKind, WalletError,
    secret::SecretText,
    token::{cryptogram, eci, number},
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    application_primary_account_number: SecretText,
    application_expiration_date: String,
    currency_code: Option<Value>,
    transaction_amount: Option<Value>,
    payment_data_type: String,
    payment_data: Proof,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Proof {
    online_payment_cryptogram: Option<SecretText>,
    eci_indicator: Option<String>,
}

/// Reads decrypted payment data. Errors: `Content`, `Method`.
pub(super) fn read(plain: &[u8], transaction_id: String) -> Result<NetworkToken, WalletError> {
    let payload: Payload =
        serde_json::from_slice(plain).map_err(|_| WalletError::Content("payment data"))?;
    // The other type, EMV, is for terminals in China and brings no cryptogram of this kind.
    if payload.payment_data_type != "3DSecure" {
        return Err(WalletError::Method);
    }
    Ok(NetworkToken {
        number: number(payload.application_primary_account_number)?,
        expiry: expiry(&payload.application_expiration_date)
            .ok_or(WalletError::Content("expiry"))?,
        cryptogram: Some(cryptogram(payload.payment_data.online_payment_cryptogram)?),
        eci: eci(payload.payment_data.eci_indicator)?,
        kind: TokenKind::Cryptogram,
        money: money(
            payload.transaction_amount.as_ref(),
            payload.currency_code.as_ref(),
        )?,
        transaction_id: Some(transaction_id),
        message_id: None,
        gateway_merchant_id: None,
    })
}

/// The month of a date written `YYMMDD`.
fn expiry(date: &str) -> Option<Expiry> {
    if date.len() != 6 || !date.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let year: i32 = date.get(..2)?.parse().ok()?;
    let month: i32 = date.get(2..4)?.parse().ok()?;
    Expiry::parse(month, year.checked_add(2000)?).ok()
}

/// Minor units, and the numeric code of ISO 4217 (as a text, or as a number without leading zeros). Both or neither.
fn money(amount: Option<&Value>, currency: Option<&Value>) -> Result<Option<Money>, WalletError> {
    if amount.is_none() && currency.is_none() {
        return Ok(None);
    }
    let code = currency
        .and_then(parse_long)
        .and_then(|code| u16::try_from(code).ok());
    let alphabetic = code.and_then(iso_currency::Currency::from_numeric);
    let currency = alphabetic
        .and_then(|found| Currency::parse(found.code()))
        .ok_or(WalletError::Content("currency"))?;
    let minor = amount
        .and_then(parse_long)
        .filter(|minor| *minor >= 0)
        .ok_or(WalletError::Content("amount"))?;
    Ok(Some(Money::new(minor, currency)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_minor_units_of_a_currency_by_number() {
        let read = |amount: Value, currency: Value| {
            money(Some(&amount), Some(&currency)).map(|money| {
                money
                    .map(|one| (one.minor(), one.currency().code()))
                    .unwrap()
            })
        };
        assert_eq!(read(json!(5099), json!("978")), Ok((5099, "EUR")));
        assert_eq!(read(json!(100.0), json!("840")), Ok((100, "USD")));
        assert_eq!(read(json!(0), json!("036")), Ok((0, "AUD")));
        assert_eq!(read(json!(1), json!(8)), Ok((1, "ALL")));
        assert_eq!(
            read(json!(1.5), json!("978")),
            Err(WalletError::Content("amount"))
        );
        assert_eq!(
            read(json!(-1), json!("978")),
            Err(WalletError::Content("amount"))
        );
        assert_eq!(
            read(json!(1), json!("EUR")),
            Err(WalletError::Content("currency"))
        );
        assert_eq!(
            read(json!(1), json!("999")),
            Err(WalletError::Content("currency"))
        );
        assert_eq!(money(None, None), Ok(None));
        assert_eq!(
            money(Some(&json!(1)), None),
            Err(WalletError::Content("currency"))
        );
        assert_eq!(
            money(None, Some(&json!("978"))),
            Err(WalletError::Content("amount"))
        );
    }

    #[test]
    fn an_expiry_is_the_month_of_a_date() {
        assert_eq!(expiry("331130"), Expiry::parse(11, 2033).ok());
        for wrong in ["3311", "331330", "33113", "3311300", "33é130", "+31130"] {
            assert_eq!(expiry(wrong), None);
        }
    }
}
