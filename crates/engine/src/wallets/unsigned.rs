//! The sandbox's unsigned tokens. In live mode nothing here is reached.
//!
//! `{"sandbox": {number, expMonth, expYear, amount, currencyCode}}` says what it holds; anything else that has not the
//! outward form of a real token stands for a card that succeeds. Source: behaviour contract, section 12.

use domain::{
    card_number::CardNumber,
    expiry::Expiry,
    long::parse_long,
    money::{Currency, Money},
};
use serde_json::{Map, Value};
use wallet::{TokenKind, WalletError};

use super::{Wallet, opened::Opened, opened::TokenMoney};

/// The card that any other token stands for.
const NUMBER: &str = "4242424242424242";
/// Its expiry.
const EXPIRY: (i32, i32) = (12, 2040);
/// What is paid with it when nobody says: 10.00 EUR. Unit: minor units.
const AMOUNT: i64 = 1_000;

/// Reads a token that is not of a real one's form. Errors: `NotAToken` for nothing at all, `Content` for a field that a
/// test token has wrong.
pub(super) fn read(wallet: Wallet, token: &Value) -> Result<Opened, WalletError> {
    match token {
        Value::String(text) if !text.is_empty() => match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(fields)) if fields.contains_key("sandbox") => {
                from_fields(wallet, &fields)
            }
            _ => any(wallet),
        },
        Value::Object(fields) if fields.contains_key("sandbox") => from_fields(wallet, fields),
        Value::Object(fields) if !fields.is_empty() => any(wallet),
        _ => Err(WalletError::NotAToken),
    }
}

fn from_fields(wallet: Wallet, token: &Map<String, Value>) -> Result<Opened, WalletError> {
    let fields = token
        .get("sandbox")
        .and_then(Value::as_object)
        .ok_or(WalletError::Field("sandbox"))?;
    let number = match fields.get("number") {
        Some(Value::String(number)) => number.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => return Err(WalletError::Content("card number")),
    };
    let whole = |name: &str| {
        fields
            .get(name)
            .and_then(parse_long)
            .and_then(|value| i32::try_from(value).ok())
    };
    let expiry = whole("expMonth")
        .zip(whole("expYear"))
        .and_then(|(month, year)| Expiry::parse(month, year).ok());
    let given = |name: &str| fields.get(name).filter(|value| !value.is_null());
    let amount = given("amount").map(|value| parse_long(value).filter(|amount| *amount > 0));
    let currency = given("currencyCode").map(|value| value.as_str().and_then(Currency::parse));
    let money = TokenMoney {
        amount: amount
            .map(|amount| amount.ok_or(WalletError::Content("amount")))
            .transpose()?,
        currency: currency
            .map(|currency| currency.ok_or(WalletError::Content("currency")))
            .transpose()?,
        otherwise: None,
    };
    opened(wallet, number, expiry, money)
}

fn any(wallet: Wallet) -> Result<Opened, WalletError> {
    let otherwise = Currency::parse("EUR").map(|euro| Money::new(AMOUNT, euro));
    let (month, year) = EXPIRY;
    let money = TokenMoney {
        otherwise,
        ..TokenMoney::default()
    };
    opened(
        wallet,
        NUMBER.to_owned(),
        Expiry::parse(month, year).ok(),
        money,
    )
}

fn opened(
    wallet: Wallet,
    number: String,
    expiry: Option<Expiry>,
    money: TokenMoney,
) -> Result<Opened, WalletError> {
    Ok(Opened {
        wallet,
        number: CardNumber::parse(number).map_err(|_| WalletError::Content("card number"))?,
        expiry: expiry.ok_or(WalletError::Content("expiry"))?,
        cryptogram: None,
        eci: None,
        kind: TokenKind::PanOnly,
        money,
        once: None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(token: &Value) -> Option<WalletError> {
        read(Wallet::A, token).err()
    }

    #[test]
    fn a_test_token_says_what_it_holds() {
        let fields = json!({"number": "5555555555554444", "expMonth": 3, "expYear": 2031, "amount": 700, "currencyCode": "GBP"});
        for token in [
            json!({"sandbox": fields}),
            json!(json!({"sandbox": fields}).to_string()),
        ] {
            let opened = read(Wallet::B, &token).ok().unwrap();
            assert_eq!(opened.number.masked(), "************4444");
            assert_eq!(opened.expiry.display(), "03/2031");
            assert_eq!(
                (opened.money.amount, opened.money.currency),
                (Some(700), Currency::parse("GBP"))
            );
            assert!(opened.money.otherwise.is_none() && opened.once.is_none());
        }
        let bare = json!({"sandbox": {"number": 4_242_424_242_424_242_i64, "expMonth": "3", "expYear": "2031", "amount": null}});
        let opened = read(Wallet::A, &bare).ok().unwrap();
        assert_eq!((opened.money.amount, opened.money.currency), (None, None));
    }

    #[test]
    fn a_test_token_with_a_wrong_field_is_refused() {
        let with = |name: &str, value: Value| {
            let mut fields = json!({"number": "4242424242424242", "expMonth": 3, "expYear": 2031});
            fields[name] = value;
            refused(&json!({"sandbox": fields}))
        };
        assert_eq!(
            with("number", json!("4242424242424241")),
            Some(WalletError::Content("card number"))
        );
        assert_eq!(
            with("number", json!(null)),
            Some(WalletError::Content("card number"))
        );
        assert_eq!(
            with("expMonth", json!(13)),
            Some(WalletError::Content("expiry"))
        );
        assert_eq!(
            with("expYear", json!(31)),
            Some(WalletError::Content("expiry"))
        );
        assert_eq!(
            with("amount", json!(0)),
            Some(WalletError::Content("amount"))
        );
        assert_eq!(
            with("currencyCode", json!("XXX")),
            Some(WalletError::Content("currency"))
        );
        assert_eq!(with("currencyCode", json!("GBP")), None);
        assert_eq!(
            refused(&json!({"sandbox": "x"})),
            Some(WalletError::Field("sandbox"))
        );
    }

    #[test]
    fn anything_else_stands_for_a_card_that_succeeds() {
        for token in [json!("x"), json!("{}"), json!("[1]"), json!({"a": 1})] {
            let opened = read(Wallet::A, &token).ok().unwrap();
            assert_eq!(opened.number.masked(), "************4242");
            assert_eq!(opened.money.otherwise.map(Money::minor), Some(1_000));
        }
        for token in [
            json!(""),
            json!({}),
            json!([]),
            json!(1),
            json!(true),
            json!(null),
        ] {
            assert_eq!(refused(&token), Some(WalletError::NotAToken));
        }
    }
}
