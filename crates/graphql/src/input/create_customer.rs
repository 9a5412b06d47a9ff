//! `createCustomer`.

use domain::{Fault, caller::Mode};
use engine::CreateCustomer;
use serde_json::{Map, Value};

use super::{Blank, Reader, card, person};

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>, mode: Mode) -> Result<CreateCustomer, Fault> {
    let mut data = Reader::new(arguments, Blank::Absent).needed_object("data")?;
    let mut customer = data.needed_object("customer")?;
    if customer.raw("id").is_some() {
        return Err(customer.invalid("id", "must be absent: the service gives the id"));
    }
    let draft = person::draft(customer)?;
    let card = data
        .object("card")
        .map(|fields| card::card(fields, mode))
        .transpose()?;
    Ok(CreateCustomer { draft, card })
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are used"
)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::input::sample::{arguments, card, told};

    fn create(data: Value) -> Result<CreateCustomer, Fault> {
        parse(arguments(json!({"data": data})), Mode::Test)
    }

    #[test]
    fn a_name_is_needed_and_an_id_refused() {
        let refused = |customer: Value| {
            told(
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
            told(create(data).map(|_| ()).unwrap_err()).0,
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
