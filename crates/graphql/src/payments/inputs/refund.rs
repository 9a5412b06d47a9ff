//! `refundPayment`.

use domain::{Fault, Faults};
use engine::Refund;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// Errors: `error.validation`, `error.payment.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Refund, Fault> {
    let id = ids::payment(ids::argument(&arguments, "id"))?;
    let mut reader = Reader::new(arguments, Blank::Refused);
    let mut faults = Faults::default();
    let amount = faults.or_default(reader.amount("amount"));
    let reason = faults.or_default(reader.lines("reason"));
    faults.end(Refund { id, amount, reason })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn the_amount_may_be_absent_but_not_empty_or_zero() {
        let id = "01929f6e-0000-7000-8000-000000000001";
        let parse = |amount: Value| {
            parse(arguments(
                json!({"id": id, "amount": amount, "reason": "late"}),
            ))
        };
        assert_eq!(parse(json!(null)).unwrap().amount, None);
        assert_eq!(parse(json!(i64::MAX)).unwrap().amount, Some(i64::MAX));
        for amount in [json!(""), json!(0), json!(i64::MIN)] {
            assert_eq!(refusal(parse(amount).map(|_| ()).unwrap_err()).0, "amount");
        }
    }
}
