//! What a request says of the shopper. Source: docs/processors/adyen.md, "Methods" and "Stored credentials, wallets, 3D Secure".

use connector::{Authorise, FundingSource, Payer};
use domain::person::Address;
use serde_json::{Value, json};

/// The house number where the street has it.
const IN_THE_STREET: &str = "N/A";

/// The longest part of a name. Source: checkout, `ShopperName`.
const NAME_MAX: usize = 80;

/// The members of the body by their names: what Klarna asks for, what Visa wants for 3D Secure, and what helps against fraud.
pub(super) fn of(call: &Authorise<'_>) -> Vec<(&'static str, Value)> {
    let mut members = Vec::new();
    let payer = call.payer;
    let address =
        address_of(call.funding_source).or(payer.and_then(|payer| payer.billing.as_ref()));
    if let Some(address) = address.and_then(billing) {
        members.push(("billingAddress", address));
    }
    if let Some(country) = address.and_then(|address| text(address.country.as_deref())) {
        members.push(("countryCode", country.into()));
    }
    members.extend(payer.into_iter().flat_map(person));
    members
}

fn person(payer: &Payer) -> Vec<(&'static str, Value)> {
    let mut members = Vec::new();
    if let Some(email) = text(payer.email.as_deref()) {
        members.push(("shopperEmail", email.into()));
    }
    if let Some(phone) = text(payer.phone.as_deref()) {
        members.push(("telephoneNumber", phone.into()));
    }
    // Adyen takes the two parts of a name alone. A name of one word is left out.
    let name = payer.name.as_deref().unwrap_or_default().trim();
    if let Some((first, last)) = name.rsplit_once(' ') {
        let value = json!({"firstName": shortened(first), "lastName": shortened(last)});
        members.push(("shopperName", value));
    }
    members
}

/// A part of a name as Adyen takes it: at most 80 characters.
fn shortened(name: &str) -> String {
    name.trim().chars().take(NAME_MAX).collect()
}

fn text(value: Option<&str>) -> Option<String> {
    value
        .filter(|value| !value.trim().is_empty())
        .map(str::to_owned)
}

fn address_of(source: FundingSource<'_>) -> Option<&Address> {
    match source {
        FundingSource::StoredCard(card) => card.address.as_ref(),
        FundingSource::Card(_)
        | FundingSource::NetworkToken { .. }
        | FundingSource::Account(_)
        | FundingSource::Token(_)
        | FundingSource::Page => source.card()?.address.as_ref(),
    }
}

/// An address that has all that Adyen requires of one; `None`: it is left out.
fn billing(address: &Address) -> Option<Value> {
    let mut value = json!({
        "street": text(address.line1.as_deref())?,
        "houseNumberOrName": text(address.line2.as_deref()).unwrap_or_else(|| IN_THE_STREET.to_owned()),
        "city": text(address.city.as_deref())?,
        "postalCode": text(address.postal_code.as_deref())?,
        "country": text(address.country.as_deref())?,
    });
    // Two or three letters; a name is none.
    let state = text(address.state.as_deref()).filter(|state| state.chars().count() <= 3);
    if let (Some(members), Some(state)) = (value.as_object_mut(), state) {
        members.insert("stateOrProvince".to_owned(), state.into());
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use connector::{Reference, ThreeDsCall};
    use domain::{
        id::PaymentId,
        method::Method,
        money::{Currency, Money},
        payment::ThreeDsWish,
    };

    use super::*;

    fn said_of(payer: &Payer) -> BTreeMap<&'static str, Value> {
        let id = PaymentId::parse("01890000-0000-7000-8000-000000000001").unwrap();
        let reference = Reference::new(id, 1);
        let members = of(&Authorise {
            reference: &reference,
            money: Money::new(1000, Currency::parse("EUR").unwrap()),
            capture: true,
            method: Method::Bnpla,
            funding_source: FundingSource::Page,
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: None,
                browser: None,
            },
            merchant_initiated: false,
            stored: None,
            shopper: None,
            payer: Some(payer),
            statement_descriptor: None,
            fraud: None,
        });
        members.into_iter().collect()
    }

    fn address() -> Address {
        Address {
            line1: Some("Simon Carmiggeltstraat 6".to_owned()),
            city: Some("Amsterdam".to_owned()),
            postal_code: Some("1011DJ".to_owned()),
            country: Some("NL".to_owned()),
            ..Address::default()
        }
    }

    #[test]
    fn who_pays_is_said_where_it_is_known() {
        let said = said_of(&Payer {
            email: Some("jo@example.com".to_owned()),
            name: Some(format!("Jo de {}", "x".repeat(90))),
            phone: Some("+31201234567".to_owned()),
            billing: Some(address()),
            ..Payer::default()
        });
        assert_eq!(said["shopperEmail"], "jo@example.com");
        assert_eq!(said["telephoneNumber"], "+31201234567");
        let name = json!({"firstName": "Jo de", "lastName": "x".repeat(80)});
        assert_eq!(said["shopperName"], name);
        assert_eq!(said["countryCode"], "NL");
        assert_eq!(said["billingAddress"]["houseNumberOrName"], "N/A");
    }

    #[test]
    fn what_adyen_does_not_take_is_left_out() {
        let said = said_of(&Payer {
            email: Some(" ".to_owned()),
            name: Some("Jo".to_owned()),
            billing: Some(Address {
                city: None,
                ..address()
            }),
            ..Payer::default()
        });
        assert_eq!(said, [("countryCode", json!("NL"))].into());
        assert!(said_of(&Payer::default()).is_empty());
    }
}
