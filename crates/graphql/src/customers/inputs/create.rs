//! `createCustomer`.

use domain::{Fault, Faults, caller::Mode};
use engine::CreateCustomer;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, card, person};

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>, mode: Mode) -> Result<CreateCustomer, Fault> {
    let mut data = Reader::new(arguments, Blank::Absent).needed_object("data")?;
    let mut customer = data.needed_object("customer")?;
    let mut faults = Faults::default();
    if customer.raw("id").is_some() {
        faults.add(customer.invalid("id", "must be absent: the service gives the id"));
    }
    let draft = faults.good(person::draft(customer));
    let card = data
        .object("card")
        .map(|fields| card::card(fields, mode))
        .transpose();
    let card = faults.or_default(card);
    faults.end(draft.map(|draft| CreateCustomer { draft, card }))
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are used"
)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, card, refusal};

    fn create(data: Value) -> Result<CreateCustomer, Fault> {
        parse(arguments(json!({"data": data})), Mode::Test)
    }

    #[test]
    fn all_mistakes_are_reported_in_one_round() {
        let customer = json!({"email": "x".repeat(400), "billingAddress": {"country": "Eire", "city": "x".repeat(501)}});
        let data = json!({"customer": customer, "card": card(json!({"number": "4242", "expMonth": 13, "expYear": 33, "cvc": "1"}))});
        let fault = create(data).map(|_| ()).unwrap_err();
        let listed: Vec<&str> = fault.faults.iter().map(|one| one.field.as_str()).collect();
        assert_eq!(
            listed,
            [
                "data.customer.name",
                "data.customer.email",
                "data.customer.billingAddress.city",
                "data.customer.billingAddress.country",
                "data.card.number",
                "data.card.expMonth",
                "data.card.expYear",
                "data.card.cvc",
            ]
        );
        assert_eq!(refusal(fault).0, "data.customer.name");
        let single = create(json!({"customer": {"name": ""}})).map(|_| ());
        assert!(single.unwrap_err().faults.is_empty());
    }

    #[test]
    fn a_name_is_needed_and_an_id_refused() {
        let refused = |customer: Value| {
            refusal(
                create(json!({"customer": customer}))
                    .map(|_| ())
                    .unwrap_err(),
            )
            .0
        };
        assert_eq!(refused(json!({})), "data.customer.name");
        assert_eq!(
            refused(json!({"name": "Ada", "id": "x"})),
            "data.customer.id"
        );
        assert!(
            create(json!({"customer": {"name": "Ada", "id": ""}}))
                .unwrap()
                .card
                .is_none()
        );
    }

    #[test]
    fn a_bad_card_is_refused_by_path() {
        let data = json!({"customer": {"name": "Ada"}, "card": card(json!({"expMonth": 0}))});
        assert_eq!(
            refusal(create(data).map(|_| ()).unwrap_err()).0,
            "data.card.expMonth"
        );
        assert!(
            create(json!({"customer": {"name": "Ada"}, "card": card(json!({}))}))
                .unwrap()
                .card
                .is_some()
        );
    }
}
