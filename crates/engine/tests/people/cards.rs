//! Cards and people as they come in.

use domain::{
    bank_account::AccountKind,
    card_number::{AccountNumber, CardNumber, SecurityCode},
    customer::{AccountInput, CardInput, CustomerDraft, NewMethod},
    expiry::Expiry,
    method::CardFunding,
    person::Address,
};
use engine::{Owner, Tokenise};

pub(crate) const VISA: &str = "4242424242424242";
pub(crate) const MASTERCARD: &str = "5555555555554444";
pub(crate) const AMEX: &str = "378282246310005";

pub(crate) fn card(number: &str) -> CardInput {
    CardInput {
        number: CardNumber::parse(number.to_owned()).unwrap(),
        expiry: Expiry::parse(11, 2033).unwrap(),
        cvc: None,
        holder: Some("Ada Byron".to_owned()),
        address: Some(Address {
            city: Some("London".to_owned()),
            ..Address::default()
        }),
        preferred_brand: None,
        make_default: false,
    }
}

pub(crate) fn card_with_code(number: &str, code: &str) -> CardInput {
    CardInput {
        cvc: Some(SecurityCode::parse(code.to_owned()).unwrap()),
        ..card(number)
    }
}

pub(crate) fn account(number: &str) -> AccountInput {
    AccountInput {
        number: AccountNumber::parse(number.to_owned()).unwrap(),
        holder: "Ada Byron".to_owned(),
        kind: AccountKind::Iban,
        mandate: None,
        bank_name: Some("Coutts".to_owned()),
        funding: CardFunding::Undefined,
        product: None,
    }
}

pub(crate) fn token(card: CardInput, owner: Owner) -> Tokenise {
    Tokenise {
        method: NewMethod::Card(card),
        external_id: None,
        metadata: None,
        owner,
    }
}

pub(crate) fn person(name: &str) -> CustomerDraft {
    CustomerDraft {
        name: name.to_owned(),
        email: Some(format!("{}@example.com", name.to_lowercase())),
        phone: None,
        description: None,
        billing: None,
        shipping: None,
        company: None,
    }
}
