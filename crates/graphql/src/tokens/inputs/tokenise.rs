//! `tokenisePaymentMethod` and its older name.

use domain::{Fault, Faults, caller::Mode, customer::NewMethod};
use engine::{Owner, Tokenise};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, card, person};

/// Card and bank account together: the card counts. Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>, mode: Mode) -> Result<Tokenise, Fault> {
    let mut data = Reader::new(arguments, Blank::Absent).needed_object("data")?;
    let mut method = data.needed_object("paymentMethod")?;
    let mut faults = Faults::default();
    let (card, account) = (method.object("card"), method.object("bankAccount"));
    let method = match (card, account, method.object("processorToken")) {
        (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => Err(method.invalid(
            "processorToken",
            "must be absent where a card or a bank account is given",
        )),
        (None, None, Some(fields)) => card::of_fields(fields).map(NewMethod::OfFields),
        (Some(fields), _, None) => card::card(fields, mode).map(NewMethod::Card),
        (None, Some(fields), None) => card::account(fields).map(NewMethod::Account),
        (None, None, None) => Err(data.invalid("paymentMethod", "needs a card or a bank account")),
    };
    let method = faults.good(method);
    let external_id = faults.or_default(data.reference("externalId"));
    let metadata = faults.or_default(data.json("metadata"));
    let owner = faults.good(owner(data.object("customer")));
    faults.end(method.zip(owner).map(|(method, owner)| Tokenise {
        method,
        external_id,
        metadata,
        owner,
    }))
}

/// With an id all other customer data is ignored; an object that says nothing is no customer.
fn owner(fields: Option<Reader>) -> Result<Owner, Fault> {
    let Some(mut fields) = fields.filter(|fields| !fields.says_nothing()) else {
        return Ok(Owner::Nobody);
    };
    match fields.raw("id") {
        Some(id) => Ok(Owner::Existing(id)),
        None => Ok(Owner::New(person::draft(fields)?)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, card, refusal};

    const ID: &str = "01929f6e-0000-7000-8000-000000000001";

    fn tokenise(mut data: Value, method: Value) -> Result<Tokenise, Fault> {
        data["paymentMethod"] = method;
        parse(arguments(json!({"data": data})), Mode::Test)
    }

    #[test]
    fn the_card_counts_before_the_bank_account_and_one_is_needed() {
        let account = json!({"number": "DE89370400440532013000", "accountHolderName": "Ada"});
        let both = tokenise(
            json!({}),
            json!({"card": card(json!({})), "bankAccount": {}}),
        )
        .unwrap();
        assert!(matches!(both.method, NewMethod::Card(_)));
        let account = tokenise(json!({}), json!({"bankAccount": account})).unwrap();
        assert!(matches!(account.method, NewMethod::Account(_)));
        assert_eq!(
            refusal(tokenise(json!({}), json!({})).map(|_| ()).unwrap_err()).0,
            "data.paymentMethod"
        );
    }

    #[test]
    fn the_owner_is_nobody_an_existing_customer_or_a_new_one() {
        let owner = |customer: Value| {
            tokenise(
                json!({"customer": customer}),
                json!({"card": card(json!({}))}),
            )
            .map(|t| t.owner)
        };
        assert!(matches!(owner(json!(null)), Ok(Owner::Nobody)));
        assert!(matches!(owner(json!({})), Ok(Owner::Nobody)));
        assert!(matches!(
            owner(json!({"name": "", "id": null})),
            Ok(Owner::Nobody)
        ));
        assert!(matches!(
            owner(json!({"id": ID, "email": "x".repeat(999)})),
            Ok(Owner::Existing(_))
        ));
        assert!(matches!(owner(json!({"name": "Ada"})), Ok(Owner::New(_))));
        assert_eq!(
            refusal(
                owner(json!({"email": "a@b.example"}))
                    .map(|_| ())
                    .unwrap_err()
            )
            .0,
            "data.customer.name"
        );
    }

    #[test]
    fn bad_input_is_refused_by_path() {
        let number = tokenise(
            json!({}),
            json!({"card": card(json!({"number": "4242424242424241"}))}),
        );
        assert_eq!(
            refusal(number.map(|_| ()).unwrap_err()).0,
            "data.paymentMethod.card.number"
        );
        let external = tokenise(
            json!({"externalId": "x".repeat(501)}),
            json!({"card": card(json!({}))}),
        );
        assert_eq!(
            refusal(external.map(|_| ()).unwrap_err()).0,
            "data.externalId"
        );
        let holder = tokenise(json!({}), json!({"bankAccount": {"number": "12345678"}}));
        assert_eq!(
            refusal(holder.map(|_| ()).unwrap_err()).0,
            "data.paymentMethod.bankAccount.accountHolderName"
        );
    }
}
