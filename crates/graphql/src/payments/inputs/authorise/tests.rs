use serde_json::json;

use super::*;
use crate::shared::sample::{arguments, card, refusal};

/// A good request with some fields replaced.
fn authorise(changes: Value) -> Result<Authorise, Fault> {
    let mut input = json!({
        "amount": 5099, "currencyCode": "EUR", "paymentMethod": {"type": "CARD", "token": "abcdefgh12345678"},
    });
    for (name, value) in arguments(changes) {
        input[name] = value;
    }
    parse(arguments(json!({"authorisePayment": input})), Mode::Test)
}

fn refused(changes: Value) -> String {
    refusal(authorise(changes).map(|_| ()).unwrap_err()).0
}

#[test]
fn a_token_counts_before_a_card_however_bad() {
    let method = json!({"type": "CARD", "token": "abcdefgh12345678", "card": {"number": "bad", "expMonth": 99}});
    let command = authorise(json!({"paymentMethod": method})).unwrap();
    assert!(
        matches!(command.instrument, Some(Instrument::Token(token)) if token == "abcdefgh12345678")
    );
}

#[test]
fn a_misspelt_method_is_answered_with_the_nearest() {
    for (given, near) in [("card", "CARD"), ("Card", "CARD"), ("IDEALL", "IDEAL")] {
        let fault = authorise(json!({"paymentMethod": {"type": given}}));
        let (field, reason) = refusal(fault.map(|_| ()).unwrap_err());
        assert_eq!(field, "authorisePayment.paymentMethod.type");
        assert_eq!(
            reason,
            format!("is no method of payment (did you mean {near}?)")
        );
    }
    let fault = authorise(json!({"paymentMethod": {"type": "something else"}}));
    let (_, reason) = refusal(fault.map(|_| ()).unwrap_err());
    assert!(reason.starts_with("must be CARD"), "{reason}");
}

#[test]
fn all_mistakes_are_reported_by_the_name_of_the_argument() {
    let input = json!({
        "amount": 0, "currencyCode": "EURO", "paymentMethod": {"type": "VISA"},
        "customer": {"billingAddress": {"country": "Eire"}},
    });
    let fault = parse_headless(
        arguments(json!({"headlessAuthorisePayment": input})),
        Mode::Test,
    );
    let fault = of_plain(of_command(fault.map(|_| ()).unwrap_err()));
    let listed: Vec<&str> = fault.faults.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(
        listed,
        [
            "authorisePayment.customer.billingAddress.country",
            "authorisePayment.paymentMethod.type",
            "authorisePayment.amount",
            "authorisePayment.currencyCode",
        ]
    );
    assert_eq!(fault.field.as_deref(), Some(listed[0]));
}

#[test]
fn a_fault_names_a_place_in_the_command_between_the_api_and_the_engine() {
    for argument in [ARGUMENT, HEADLESS] {
        for place in ["", ".amount", ".paymentMethod.card.cvc"] {
            let fault = Fault::invalid(format!("{argument}{place}"), "must be there");
            let within = of_command(fault);
            assert_eq!(
                within.field.as_deref(),
                place.strip_prefix('.').or(Some(""))
            );
            let plain = of_plain(within.clone());
            assert_eq!(plain.message, format!("{ARGUMENT}{place}: must be there."));
            let headless = of_headless(within);
            assert_eq!(headless.field, Some(format!("{HEADLESS}{place}")));
            assert_eq!(
                headless.message,
                format!("{HEADLESS}{place}: must be there.")
            );
        }
    }
    let without = Fault::unavailable();
    assert_eq!(of_plain(of_command(without.clone())), without);
}

#[test]
fn an_empty_token_is_absent_and_the_card_is_read() {
    let method = json!({"type": "CARD", "token": "", "card": card(json!({}))});
    assert!(matches!(
        authorise(json!({"paymentMethod": method}))
            .unwrap()
            .instrument,
        Some(Instrument::Card(_))
    ));
    let bad = json!({"type": "CARD", "card": card(json!({"cvc": "1"}))});
    assert_eq!(
        refused(json!({"paymentMethod": bad})),
        "authorisePayment.paymentMethod.card.cvc"
    );
}

#[test]
fn a_customer_with_an_id_needs_no_method() {
    for method in [
        json!(null),
        json!({"type": "CARD"}),
        json!({"type": "CARD", "card": {"number": ""}}),
    ] {
        let command = authorise(
            json!({"paymentMethod": method, "customer": {"id": "c", "email": "ignored"}}),
        )
        .unwrap();
        let named = Stored {
            method: Method::Card,
            token: None,
        };
        match command.instrument {
            None => assert!(method.is_null()),
            Some(Instrument::Stored(stored)) => assert_eq!(stored, named),
            Some(_) => panic!("{method}"),
        }
        assert_eq!(command.payer.unwrap().id.as_deref(), Some("c"));
        assert_eq!(
            refused(json!({"paymentMethod": method})),
            "authorisePayment.paymentMethod"
        );
        let named = json!({"paymentMethod": method, "customer": {"name": "Ada"}});
        assert_eq!(refused(named), "authorisePayment.paymentMethod");
    }
}

#[test]
fn types_that_nothing_can_charge_are_refused() {
    for kind in ["", "VISA", "card", "CASH", "4242424242424242"] {
        assert_eq!(
            refused(json!({"paymentMethod": {"type": kind, "token": "x"}})),
            "authorisePayment.paymentMethod.type"
        );
    }
}

#[test]
fn amounts_and_currencies_are_checked_and_may_be_absent() {
    for amount in [json!(0), json!(-1)] {
        assert_eq!(
            refused(json!({"amount": amount})),
            "authorisePayment.amount"
        );
    }
    for code in ["eur", "XXX", "EURO", "4242424242424242"] {
        assert_eq!(
            refused(json!({"currencyCode": code})),
            "authorisePayment.currencyCode"
        );
    }
    let command = authorise(json!({"amount": "", "currencyCode": ""})).unwrap();
    assert_eq!((command.amount, command.currency), (None, None));
}

#[test]
fn empty_texts_are_absent_everywhere() {
    let empty = json!({
        "orderId": "", "flowId": "", "transactionId": "", "description": "", "statementDescriptor": "", "metadata": "",
        "fraud": "", "initiator": "", "customer": {"id": "", "name": "", "billingAddress": null},
    });
    let command = authorise(empty).unwrap();
    assert!(
        command.order_id.is_none()
            && command.target == Target::Flow(None)
            && command.metadata.is_none()
    );
    assert!(command.fraud.is_none() && command.payer.is_none());
    assert_eq!(command.initiator, Initiator::Customer);
}

#[test]
fn texts_and_json_are_bounded_by_path() {
    for name in [
        "orderId",
        "transactionId",
        "description",
        "statementDescriptor",
    ] {
        assert_eq!(
            refused(json!({(name): "x".repeat(501)})),
            format!("authorisePayment.{name}")
        );
    }
    assert_eq!(
        refused(json!({"metadata": "x".repeat(17_000)})),
        "authorisePayment.metadata"
    );
    assert_eq!(
        refused(json!({"fraud": {"a": "x".repeat(17_000)}})),
        "authorisePayment.fraud"
    );
    let customer = json!({"customer": {"billingAddress": {"country": "Nowhere"}}});
    assert_eq!(
        refused(customer),
        "authorisePayment.customer.billingAddress.country"
    );
}

#[test]
fn the_details_of_a_payer_are_kept() {
    let command = authorise(
        json!({"customer": {"email": "a@b.example", "company": {"vatId": "IE1"}}, "initiator": "MERCHANT"}),
    );
    let command = command.unwrap();
    let details = command.payer.unwrap().details;
    assert_eq!(details.email.as_deref(), Some("a@b.example"));
    assert_eq!(details.company.unwrap().vat_id.as_deref(), Some("IE1"));
    assert_eq!(command.initiator, Initiator::Merchant);
}

#[test]
fn what_is_said_of_an_agreement_is_read_and_needs_its_reason() {
    let read = |recurring: Value| authorise(json!({ "recurring": recurring }));
    let said = |recurring: Value| read(recurring).unwrap().recurring;
    let agreed = Recurring {
        reason: RecurringReason::Instalments,
        first: true,
    };
    assert_eq!(
        said(json!({"reason": "INSTALMENTS", "first": true})),
        Some(agreed)
    );
    let later = Recurring {
        first: false,
        ..agreed
    };
    assert_eq!(said(json!({"reason": "INSTALMENTS"})), Some(later));
    assert_eq!(said(Value::Null), None);
    let refused = read(json!({"first": true})).err().unwrap();
    assert_eq!(
        refused.field.as_deref(),
        Some("authorisePayment.recurring.reason")
    );
}
