//! `createPaymentLink` and `listPaymentLinks`.

use domain::{Fault, Faults, Timestamp, page::Page};
use engine::CreatePaymentLink;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, currency, page, redirect};

/// The largest amount: the largest number that the customer's browser has exactly. Unit: minor units.
const AMOUNT_MAX: i64 = (1 << 53) - 1;

/// Errors: `error.validation`.
pub(crate) fn create(arguments: Map<String, Value>) -> Result<CreatePaymentLink, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let amount = reader.amount("amount");
    let amount = amount.and_then(|amount| match amount {
        Some(amount) if amount > AMOUNT_MAX => {
            Err(reader.invalid("amount", format!("must be at most {AMOUNT_MAX}")))
        }
        amount => Ok(amount),
    });
    let amount = faults.good(reader.needed("amount", amount));
    let code = currency(&mut reader, "currencyCode");
    let code = faults.good(reader.needed("currencyCode", code));
    let (flow, intent) = (reader.raw("flowId"), reader.raw("intentId"));
    let order_id = faults.or_default(reader.reference("orderId"));
    let description = faults.or_default(reader.lines("description"));
    let expires_at = faults.or_default(time(&mut reader, "expiresAt"));
    let single_use = faults.or_default(reader.flag_if_given("singleUse"));
    let return_url = faults.or_default(redirect(&mut reader, "returnUrl"));
    let (amount, currency) = faults.end(amount.zip(code))?;
    Ok(CreatePaymentLink {
        amount,
        currency,
        flow,
        intent,
        order_id,
        description,
        expires_at,
        single_use: single_use.unwrap_or(true),
        return_url,
    })
}

/// Errors: `error.validation`.
pub(crate) fn list(arguments: Map<String, Value>) -> Result<Page, Fault> {
    page(&mut Reader::new(arguments, Blank::Absent))
}

fn time(reader: &mut Reader, name: &str) -> Result<Option<Timestamp>, Fault> {
    let Some(text) = reader.raw(name) else {
        return Ok(None);
    };
    let reason = "must be a time such as 2026-12-31T12:00:00Z";
    let time = Timestamp::parse(&text).ok_or_else(|| reader.invalid(name, reason))?;
    Ok(Some(time))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn a_link_is_for_one_payment_unless_it_says_otherwise() {
        let link = |more: Value| {
            let mut given = json!({"amount": 1000, "currencyCode": "EUR"});
            for (name, value) in arguments(more) {
                given[name] = value;
            }
            create(arguments(given))
        };
        let plain = link(json!({})).unwrap();
        assert!(plain.single_use && plain.intent.is_none() && plain.expires_at.is_none());
        let many = json!({"singleUse": false, "expiresAt": "2030-01-01T00:00:00Z", "returnUrl": "shop.example"});
        let many = link(many).unwrap();
        assert!(!many.single_use && many.expires_at.is_some());
        assert_eq!(many.return_url.unwrap().as_str(), "https://shop.example/");
        for (name, wrong) in [
            ("amount", json!(0)),
            ("amount", json!(9_007_199_254_740_992_i64)),
            ("currencyCode", json!("EURO")),
            ("returnUrl", json!("javascript:alert(1)")),
            ("description", json!("4111 1111 1111 1111")),
        ] {
            let fault = link(json!({ name: wrong })).unwrap_err();
            assert_eq!(refusal(fault).0, name);
        }
    }
}
