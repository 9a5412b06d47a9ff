//! What the objects of the schema show.

mod every_field;
mod intents;
mod payments;

use domain::{
    Timestamp,
    bank_account::{AccountKind, Mandate},
    customer::Instrument,
    filter::{self, FieldName, Sort},
    payment::TimelineEntry,
};
use serde_json::{Map, Value, json};

use super::samples::{at, attachment, dispute, intent, method, payment, text};
use crate::{
    executor::{Object, Out},
    intents::views::IntentObject,
    payments::views::{FilterFacts, PaymentObject, PaymentsPageObject},
    shared::{Connection, PageFacts, Sight},
    tokens::views::MethodObject,
};

fn payment_object() -> PaymentObject {
    PaymentObject {
        payment: payment(),
        timeline: Ok(vec![TimelineEntry::new(at(), "Authorised").saying("Well.")]),
        attachments: Ok(vec![attachment()]),
        disputes: Ok(Some(vec![dispute()])),
        sight: Sight::Whole,
    }
}

fn intent_object(sight: Sight) -> IntentObject {
    IntentObject {
        intent: intent(),
        payments: vec![payment()],
        sight,
    }
}

fn page() -> PaymentsPageObject {
    let condition = filter::parse(FieldName::Status, Some(&json!("SUCCEEDED")), None)
        .unwrap()
        .unwrap();
    PaymentsPageObject {
        page: Connection {
            facts: PageFacts {
                has_next: true,
                total: Some(7),
                ..facts()
            },
            rows: vec![("c1".to_owned(), payment_object())],
        },
        filter: FilterFacts {
            id: None,
            team: None,
            customer: None,
            user: None,
            name: text("mine"),
            conditions: vec![condition],
            sort: Sort::default(),
        },
    }
}

fn field<'a>(object: &'a dyn Object, name: &str) -> Out<'a> {
    object.field(name, &Map::new()).unwrap()
}

fn json_of(object: &dyn Object, name: &str) -> Value {
    match field(object, name) {
        Out::Null => Value::Null,
        Out::Text(text) => Value::from(text.as_ref()),
        Out::Scalar(value) => value,
        Out::Object(_) | Out::List(_) => panic!("{name} is no scalar"),
    }
}

fn account_object() -> MethodObject {
    let mut account = method();
    account.instrument = Instrument::BankAccount {
        bank_name: text("Bank"),
        kind: AccountKind::Bacs {
            sort_code: "108800".to_owned(),
        },
        mandate: Some(Mandate {
            accepted_at: Timestamp::from_micros(0),
            text_version: "v1".to_owned(),
            ip_address: "192.0.2.1".parse().ok(),
        }),
    };
    MethodObject {
        method: account,
        linked: Vec::new(),
        sight: Sight::Whole,
    }
}

/// A page that is all there is.
fn facts() -> PageFacts {
    PageFacts {
        has_next: false,
        has_previous: false,
        total: None,
        settled_until: None,
        after: None,
    }
}
