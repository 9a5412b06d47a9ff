//! How much a payment is: stated by the request, its wallet's token, its intent or its client token, which must agree.

use domain::{Fault, intent::Intent, money::Money};

use super::Authorise;
use crate::wallets::TokenMoney;

/// Amount and currency of a payment. An intent's count only when a secret key set them last.
pub(super) fn wanted_money(
    command: &Authorise,
    token: &TokenMoney,
    intent: Option<&Intent>,
) -> Result<Money, Fault> {
    let (amount, currency) = (command.amount, command.currency);
    let differs =
        |name: &str, whose: &str| Fault::invalid(name, format!("must be what the {whose} says"));
    if token
        .amount
        .is_some_and(|reported| amount.is_some_and(|given| given != reported))
    {
        return Err(differs("amount", "wallet's token"));
    }
    if token
        .currency
        .is_some_and(|reported| currency.is_some_and(|given| given != reported))
    {
        return Err(differs("currencyCode", "wallet's token"));
    }
    let (amount, currency) = (amount.or(token.amount), currency.or(token.currency));
    let trusted = intent
        .filter(|intent| intent.money_is_trusted)
        .and_then(|intent| intent.money);
    if trusted.is_some_and(|money| amount.is_some_and(|given| given != money.minor())) {
        return Err(differs("amount", "intent"));
    }
    // An intent may have its currency before its amount.
    let agreed = intent
        .filter(|intent| intent.currency_is_trusted)
        .map(|intent| intent.currency);
    if agreed.is_some_and(|agreed| currency.is_some_and(|given| given != agreed)) {
        return Err(differs("currencyCode", "intent"));
    }
    let (amount, currency) = (amount.or(trusted.map(Money::minor)), currency.or(agreed));
    if let (None, Some(otherwise)) = (amount, token.otherwise) {
        return if currency.is_none_or(|given| given == otherwise.currency()) {
            Ok(otherwise)
        } else {
            Err(differs("currencyCode", "wallet's token"))
        };
    }
    let absent = |name: &str| {
        let reason = match intent {
            Some(_) if trusted.is_none() => {
                "must be given: the intent's amount was not set by a secret key"
            }
            Some(_) | None => "must be given",
        };
        Fault::invalid(name, reason)
    };
    let amount = amount.ok_or_else(|| absent("amount"))?;
    let currency = currency.ok_or_else(|| absent("currencyCode"))?;
    Money::positive(amount, currency).map_err(|error| Fault::invalid("amount", error.to_string()))
}
