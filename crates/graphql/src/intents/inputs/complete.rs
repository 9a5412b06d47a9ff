//! `completeIntent`.

use domain::{
    Fault,
    id::{IntentId, PaymentId},
};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// The intent and the payment.
///
/// Errors: `error.intent.not-found`, `error.payment.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<(IntentId, Option<PaymentId>), Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let id = ids::intent(&reader.raw("id").unwrap_or_default())?;
    let reference = reader
        .raw("paymentReference")
        .map(|id| ids::payment(&id))
        .transpose()?;
    Ok((id, reference))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::arguments;

    const ID: &str = "01929f6e-0000-7000-8000-000000000001";

    #[test]
    fn a_payment_is_named_with_or_without_its_prefix_or_not_at_all() {
        let reference = |given: Value| {
            parse(arguments(json!({"id": ID, "paymentReference": given})))
                .unwrap()
                .1
        };
        assert_eq!(reference(json!("")), None);
        assert_eq!(reference(Value::Null), None);
        assert_eq!(reference(json!(ID)), PaymentId::parse(ID));
        assert_eq!(
            reference(json!(format!("payments:{ID}"))),
            PaymentId::parse(ID)
        );
    }

    #[test]
    fn what_cant_be_an_id_is_not_found() {
        let refused = |given: Value| parse(arguments(given)).unwrap_err().code;
        assert_eq!(refused(json!({"id": "7"})), domain::Code::IntentNotFound);
        assert_eq!(
            refused(json!({"id": ID, "paymentReference": "7"})),
            domain::Code::PaymentNotFound
        );
    }
}
