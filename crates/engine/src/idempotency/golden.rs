//! Stored responses stay readable: the column `once.answer`. The documents in them have samples next to the store.

use domain::{
    Code, Fault,
    customer::{Customer, StoredMethod},
    dispute::Dispute,
    payment::Payment,
    payment_link::PaymentLink,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::Snapshot;
use crate::{
    payments::StoredPayment,
    people::{StoredId, StoredToken},
};

const PAYMENT: &str = include_str!("../../../store/tests/golden/payment.json");
const CUSTOMER: &str = include_str!("../../../store/tests/golden/customer.json");
const DISPUTE: &str = include_str!("../../../store/tests/golden/dispute.json");
const LINK: &str = include_str!("../../../store/tests/golden/payment_link.json");
const METHOD: &str = include_str!("../../../store/tests/golden/method.json");

/// A document of the store's samples, as its type writes it.
fn sample<T: DeserializeOwned + Serialize>(text: &str) -> Value {
    let read: T = serde_json::from_str(text).unwrap();
    serde_json::to_value(read).unwrap()
}

/// What was stored is read and written as it stands.
fn stays<T: DeserializeOwned + Serialize>(stored: &Value) {
    let read: Snapshot<T> = serde_json::from_value(stored.clone()).unwrap();
    let written: Value = serde_json::from_str(&read.text()).unwrap();
    assert_eq!(&written, stored);
}

#[test]
fn stored_responses_stay_as_they_are() {
    let payment = sample::<Payment>(PAYMENT);
    stays::<StoredPayment>(&json!({"ok": {"payment": payment}}));
    stays::<StoredId>(&json!({"ok": {"id": "019b76da-a800-7000-8000-000000000000"}}));
    stays::<Box<Dispute>>(&json!({"ok": sample::<Dispute>(DISPUTE)}));
    stays::<Box<PaymentLink>>(&json!({"ok": sample::<PaymentLink>(LINK)}));
    let (method, customer) = (sample::<StoredMethod>(METHOD), sample::<Customer>(CUSTOMER));
    stays::<StoredToken>(
        &json!({"ok": {"method": method, "is_default": true, "customer": customer}}),
    );
}

#[test]
fn a_stored_fault_stays_as_it_is() {
    let fault = json!({"fault": {
        "code": "error.refund.amount-exceeds-captured", "message": "m", "field": "f", "reason": "r",
        "id": "payments:1", "status": "SUCCEEDED", "max_amount": 600, "url": "https://bank.example/3ds",
        "retry_after": 5,
    }});
    stays::<StoredPayment>(&fault);
    // Every code is read again by the name under which it is stored.
    for code in Code::ALL {
        let stored = json!({"fault": {"code": code.text(), "message": "m"}});
        stays::<StoredId>(&stored);
        let fault: Fault = serde_json::from_value(stored["fault"].clone()).unwrap();
        assert_eq!(fault.code, *code);
    }
}
