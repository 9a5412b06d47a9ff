use domain::{
    answer::Answer,
    decline::{Decline, DeclineCode},
    payment::OperationKind,
};

use super::{
    super::samples::{approval, customer, operation, with},
    *,
};
use crate::tokens::views::CardTokenObject;

#[test]
fn a_payment_shows_what_happened_to_it() {
    let object = payment_object();
    assert_eq!(
        json_of(&object, "id"),
        "payments:01929f6e-0000-7000-8000-000000000001"
    );
    assert_eq!(json_of(&object, "refundedAmount"), 99);
    assert_eq!(json_of(&object, "capturedAmount"), 5099);
    assert_eq!(json_of(&object, "date"), "2026-01-31T09:30:00.250Z");
    let Out::Object(amount) = field(&object, "amount") else {
        panic!("no amount")
    };
    assert_eq!(json_of(&*amount, "formattedAmount"), "€50.99");
    let Out::Object(details) = field(&object, "paymentMethodDetails") else {
        panic!("no details")
    };
    assert_eq!(
        (json_of(&*details, "expires"), json_of(&*details, "type")),
        (json!("11/2033"), json!("CREDIT"))
    );
}

#[test]
fn dates_take_zones_and_refuse_unknown_ones() {
    let object = payment_object();
    let date = |zone: &str| {
        let Value::Object(arguments) = json!({"tz": zone}) else {
            unreachable!()
        };
        match object.field("date", &arguments) {
            Ok(Out::Text(text)) => Ok(text.into_owned()),
            Ok(_) => panic!("no text"),
            Err(fault) => Err(fault.field.unwrap()),
        }
    };
    assert_eq!(date("Z").unwrap(), "2026-01-31T09:30:00.250Z");
    assert_eq!(date("+02:00").unwrap(), "2026-01-31T11:30:00.250+02:00");
    assert_eq!(
        date("America/New_York").unwrap(),
        "2026-01-31T04:30:00.250-05:00"
    );
    assert_eq!(date("Mars/Olympus"), Err("tz".to_owned()));
}

#[test]
fn a_decline_fills_the_outcome() {
    let decline = Decline {
        processor_code: Some("51".into()),
        ..Decline::of(DeclineCode::InsufficientFunds)
    };
    let answer = Answer::Declined {
        decline,
        approval: approval(),
    };
    let attempt = operation(
        1,
        OperationKind::Authorise { capture: true },
        5099,
        Some(answer),
    );
    let declined = with(&payment(), &json!({ "operations": [attempt] }));
    let object = PaymentObject {
        payment: declined,
        timeline: Ok(Vec::new()),
        attachments: Ok(Vec::new()),
        disputes: Ok(None),
        sight: Sight::Whole,
    };
    let Out::Object(core) = field(&object, "paymentCore") else {
        panic!("no core")
    };
    let Out::Object(outcome) = field(&*core, "outcome") else {
        panic!("no outcome")
    };
    for (name, value) in [
        ("declineCode", json!("INSUFFICIENT_FUNDS")),
        ("declineType", json!("SOFT")),
        ("processorDeclineCode", json!("51")),
        ("reason", json!("Insufficient funds")),
        ("type", json!("DECLINED")),
        ("riskScore", json!(12.5)),
    ] {
        assert_eq!(json_of(&*outcome, name), value, "{name}");
    }
}

#[test]
fn a_decline_by_the_flow_fills_the_outcome_too() {
    let mut declined = with(&payment(), &json!({ "operations": [] }));
    declined.decline_by_rule(Decline::of(DeclineCode::CustomRule), declined.created_at());
    let object = PaymentObject {
        payment: declined,
        timeline: Ok(Vec::new()),
        attachments: Ok(Vec::new()),
        disputes: Ok(None),
        sight: Sight::Whole,
    };
    let Out::Object(core) = field(&object, "paymentCore") else {
        panic!("no core")
    };
    let Out::Object(outcome) = field(&*core, "outcome") else {
        panic!("no outcome")
    };
    for (name, value) in [
        ("declineCode", json!("CUSTOM_RULE")),
        ("reason", json!("Custom rule")),
        ("type", json!("DECLINED")),
    ] {
        assert_eq!(json_of(&*outcome, name), value, "{name}");
    }
}

#[test]
fn a_browser_gets_no_stored_personal_data_back() {
    let schema = crate::schema().schema;
    let token = CardTokenObject {
        method: method(),
        customer: Some(customer()),
        sight: Sight::Browser,
    };
    let paid = PaymentObject {
        sight: Sight::Browser,
        ..payment_object()
    };
    let (Out::Object(holder), Out::Object(payer)) =
        (field(&token, "customer"), field(&paid, "paymentCustomer"))
    else {
        panic!("no customer")
    };
    for (shown, type_name) in [(holder, "VaultCustomerApi"), (payer, "PaymentCustomer")] {
        for name in schema.get_object(type_name).unwrap().fields.keys() {
            let empty = matches!(field(&*shown, name), Out::Null);
            assert_eq!(empty, name != "id", "{type_name}.{name}");
        }
    }
    let (Out::Object(card), Out::Object(details)) =
        (field(&token, "card"), field(&paid, "paymentMethodDetails"))
    else {
        panic!("no card")
    };
    assert!(
        matches!(field(&*card, "name"), Out::Null)
            && matches!(field(&*card, "billingAddress"), Out::Null)
    );
    assert_eq!(json_of(&*card, "number"), "************4242");
    assert_eq!(json_of(&*details, "name"), Value::Null);
}

#[test]
fn the_echoed_filter_shows_values_and_the_verbs_that_each_field_allows() {
    let page = page();
    let Out::Object(data) = field(&page, "data") else {
        panic!("no data")
    };
    let Out::Object(filter) = field(&*data, "filter") else {
        panic!("no filter")
    };
    let Out::Object(status) = field(&*filter, "status") else {
        panic!("no status")
    };
    assert_eq!(
        (
            json_of(&*status, "value"),
            json_of(&*status, "selectedVerb")
        ),
        (json!("SUCCEEDED"), json!("EQUALS"))
    );
    let Out::Object(unfiltered) = field(&*filter, "date") else {
        panic!("no date")
    };
    assert_eq!(
        (
            json_of(&*unfiltered, "value"),
            json_of(&*unfiltered, "selectedVerb")
        ),
        (Value::Null, json!("ALL"))
    );
    assert!(
        json_of(&*unfiltered, "verbs")
            .as_array()
            .unwrap()
            .contains(&json!("BETWEEN_INCLUSIVE"))
    );
}
