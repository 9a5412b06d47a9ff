//! `generateClientToken`.

use domain::{Fault, caller::ClientGrant};
use serde_json::{Map, Value};

use super::{Blank, Reader, authorise, ids};

/// Amount and currency are given together or not at all.
///
/// Errors: `error.validation`, `error.customer.not-found`, `error.flow.not-found`, `error.intent.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<ClientGrant, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let amount = reader.amount("amount")?;
    let currency = authorise::currency(&mut reader, "currency")?;
    match (amount, currency) {
        (Some(_), None) => return Err(reader.invalid("currency", "is required with an amount")),
        (None, Some(_)) => return Err(reader.invalid("amount", "is required with a currency")),
        (Some(_), Some(_)) | (None, None) => {}
    }
    Ok(ClientGrant {
        amount,
        currency: currency.map(|currency| currency.code().to_owned()),
        customer: reader
            .raw("customerId")
            .map(|id| ids::customer(&id))
            .transpose()?,
        flow: reader.raw("flowId").map(|id| ids::flow(&id)).transpose()?,
        intent: reader
            .raw("intentId")
            .map(|id| ids::intent(&id))
            .transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::input::sample::{arguments, told};

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
        assert_eq!(told(grant(json!({"amount": 5})).unwrap_err()).0, "currency");
        assert_eq!(
            told(grant(json!({"currency": "EUR"})).unwrap_err()).0,
            "amount"
        );
        assert_eq!(
            told(grant(json!({"amount": 0, "currency": "EUR"})).unwrap_err()).0,
            "amount"
        );
        assert_eq!(
            told(grant(json!({"amount": 5, "currency": "ABC"})).unwrap_err()).0,
            "currency"
        );
        let good = grant(json!({"amount": 5, "currency": "EUR", "flowId": "default"})).unwrap();
        assert_eq!(
            (good.amount, good.currency.as_deref()),
            (Some(5), Some("EUR"))
        );
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
