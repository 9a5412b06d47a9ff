//! `generateClientToken`.

use domain::{
    Fault, Faults,
    caller::{ClientGrant, DISTINCT_NUMBERS_MAX},
    money::Currency,
};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, currency, ids};

/// Amount and currency are given together or not at all.
///
/// Errors: `error.validation`, `error.customer.not-found`, `error.flow.not-found`, `error.intent.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<ClientGrant, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let (amount, currency) = faults.or_default(money(&mut reader));
    let max_cards = faults.or_default(reader.int("maxCards")).map(i64::from);
    if max_cards.is_some_and(|most| !(1..=DISTINCT_NUMBERS_MAX).contains(&most)) {
        faults.add(reader.invalid("maxCards", "must be 1 to 100"));
    }
    let customer = reader.raw("customerId").map(|id| ids::customer(&id));
    let flow = reader.raw("flowId").map(|id| ids::flow(&id));
    let intent = reader.raw("intentId").map(|id| ids::intent(&id));
    let grant = ClientGrant {
        amount,
        currency: currency.map(|currency| currency.code().to_owned()),
        customer: faults.or_default(customer.transpose()),
        flow: faults.or_default(flow.transpose()),
        intent: faults.or_default(intent.transpose()),
        max_cards,
        link: None,
    };
    faults.end(grant)
}

/// Amount and currency.
fn money(reader: &mut Reader) -> Result<(Option<i64>, Option<Currency>), Fault> {
    let mut faults = Faults::default();
    let amount = faults.good(reader.amount("amount"));
    let currency = faults.good(currency(reader, "currency"));
    match (amount, currency) {
        (Some(Some(_)), Some(None)) => {
            faults.add(reader.invalid("currency", "is required with an amount"));
        }
        (Some(None), Some(Some(_))) => {
            faults.add(reader.invalid("amount", "is required with a currency"));
        }
        _ => {}
    }
    faults.end(amount.zip(currency))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    fn grant(arguments_of: Value) -> Result<ClientGrant, Fault> {
        parse(arguments(arguments_of))
    }

    #[test]
    fn everything_may_be_absent() {
        let empty = json!({"amount": "", "currency": "", "customerId": "", "flowId": null});
        assert_eq!(grant(empty), Ok(ClientGrant::default()));
    }

    #[test]
    fn amount_and_currency_come_together() {
        assert_eq!(
            refusal(grant(json!({"amount": 5})).unwrap_err()).0,
            "currency"
        );
        assert_eq!(
            refusal(grant(json!({"currency": "EUR"})).unwrap_err()).0,
            "amount"
        );
        assert_eq!(
            refusal(grant(json!({"amount": 0, "currency": "EUR"})).unwrap_err()).0,
            "amount"
        );
        assert_eq!(
            refusal(grant(json!({"amount": 5, "currency": "ABC"})).unwrap_err()).0,
            "currency"
        );
        let good = grant(json!({"amount": 5, "currency": "EUR", "flowId": "default"})).unwrap();
        assert_eq!(
            (good.amount, good.currency.as_deref()),
            (Some(5), Some("EUR"))
        );
    }

    #[test]
    fn a_token_for_many_cards_has_a_bound() {
        let most = |arguments: Value| grant(arguments).map(|grant| grant.distinct_numbers());
        assert_eq!(most(json!({})), Ok(10));
        assert_eq!(most(json!({"maxCards": 100})), Ok(100));
        for other in [0, -1, 101] {
            let fault = grant(json!({"maxCards": other})).unwrap_err();
            assert_eq!(refusal(fault).0, "maxCards");
        }
    }

    #[test]
    fn ids_that_are_none_are_not_found() {
        assert_eq!(
            grant(json!({"customerId": "7"})).unwrap_err().code,
            domain::Code::CustomerNotFound
        );
        assert_eq!(
            grant(json!({"flowId": "a b"})).unwrap_err().code,
            domain::Code::FlowNotFound
        );
        assert_eq!(
            grant(json!({"intentId": "7"})).unwrap_err().code,
            domain::Code::IntentNotFound
        );
    }
}
