//! `capturePayment`.

use domain::{Fault, Faults};
use engine::Capture;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// Errors: `error.validation`, `error.payment.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Capture, Fault> {
    let id = ids::payment(ids::argument(&arguments, "id"))?;
    let mut reader = Reader::new(arguments, Blank::Refused);
    let mut faults = Faults::default();
    let amount = faults.or_default(reader.amount("amount"));
    let is_final = faults
        .or_default(reader.flag_if_given("final"))
        .unwrap_or(true);
    let metadata = faults.or_default(reader.json("metadata"));
    faults.end(Capture {
        id,
        amount,
        is_final,
        metadata,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    const ID: &str = "payments:01929f6e-0000-7000-8000-000000000001";

    #[test]
    fn the_amount_may_be_absent_but_not_empty_or_zero() {
        let parse = |amount: Value| parse(arguments(json!({"id": ID, "amount": amount})));
        assert_eq!(parse(json!(null)).unwrap().amount, None);
        assert_eq!(parse(json!(7)).unwrap().amount, Some(7));
        for amount in [json!(""), json!(0), json!(-7)] {
            assert_eq!(refusal(parse(amount).map(|_| ()).unwrap_err()).0, "amount");
        }
    }

    #[test]
    fn metadata_is_bounded() {
        let big = json!({"id": ID, "metadata": {"a": "x".repeat(17_000)}});
        assert_eq!(
            refusal(parse(arguments(big)).map(|_| ()).unwrap_err()).0,
            "metadata"
        );
    }

    #[test]
    fn an_id_that_is_none_is_not_found() {
        let fault = parse(arguments(json!({"id": "7", "amount": ""})))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(fault.code, domain::Code::PaymentNotFound);
    }
}
