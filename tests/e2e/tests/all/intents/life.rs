//! Starting, reading and changing an intent.

use serde_json::{Value, json};

use super::{id, step};
use crate::shared;

#[test]
fn a_new_intent_is_active_and_its_start_alone_is_under_way() {
    let shop = shared::shop();
    let intent = shop.start_intent(json!({"trackingId": "checkout-7"}));
    assert_eq!(intent["id"].as_str().unwrap().len(), 36);
    assert_eq!(
        (&intent["trackingId"], &intent["paymentFlowId"]),
        (&json!("checkout-7"), &json!("default"))
    );
    assert_eq!(
        (&intent["status"], &intent["currency"]),
        (&json!("ACTIVE"), &json!("EUR"))
    );
    assert_eq!(
        intent["amount"],
        json!({"rawAmount": 1000, "currency": "EUR", "formattedAmount": "€10.00"})
    );
    assert_eq!(intent["date"], intent["statusDate"]);
    assert_eq!(step(&intent, "intentStarted"), ("IN_PROGRESS", true));
    for other in [
        "shipping",
        "delivery",
        "billing",
        "completeIntent",
        "completeCheckout",
    ] {
        assert_eq!(step(&intent, other), ("NOT_STARTED", false), "{other}");
    }
    assert_eq!(
        (
            &intent["timeline"]["paymentAttempts"],
            &intent["linkedPayments"]
        ),
        (&json!([]), &json!([]))
    );
    for absent in ["location", "customer", "cart"] {
        assert_eq!(intent[absent], Value::Null, "{absent}");
    }
    assert_eq!(shop.intent(&id(&intent)), intent);
}

#[test]
fn a_currency_is_needed_and_the_amount_may_be_zero_or_come_later() {
    let shop = shared::shop();
    shop.try_start_intent(json!({"amount": {"amount": 5}}))
        .assert_invalid("amount.currency");
    shop.try_start_intent(json!({"amount": {}}))
        .assert_invalid("amount.currency");
    shop.try_start_intent(json!({"amount": {"currency": "XYZ"}}))
        .assert_invalid("amount.currency");
    shop.try_start_intent(json!({"amount": {"amount": -1, "currency": "EUR"}}))
        .assert_invalid("amount.amount");
    shop.try_start_intent(json!({"trackingId": ""}))
        .assert_invalid("trackingId");
    let free = shop.start_intent(json!({"amount": {"amount": 0, "currency": "JPY"}}));
    assert_eq!(
        free["amount"],
        json!({"rawAmount": 0, "currency": "JPY", "formattedAmount": "¥0"})
    );
    let open = shop.start_intent(json!({"amount": {"currency": "EUR"}}));
    assert_eq!(
        (&open["amount"], &open["currency"]),
        (&Value::Null, &json!("EUR"))
    );
    let known = shop.update_intent(&id(&open), json!({"amount": {"amount": "2000.0"}}));
    assert_eq!(
        known["amount"],
        json!({"rawAmount": 2000, "currency": "EUR", "formattedAmount": "€20.00"})
    );
}

#[test]
fn an_unknown_flow_is_not_found_and_the_message_names_those_there_are() {
    let shop = shared::shop();
    for flow in ["no-such-flow", "", "a b"] {
        let answer = shop.try_start_intent(json!({"paymentFlowId": flow}));
        answer.assert_error("error.flow.not-found");
        assert!(
            answer.message().contains("capture-by-api"),
            "{}",
            answer.message()
        );
    }
}

#[test]
fn an_update_sets_what_is_given_and_leaves_the_rest() {
    let shop = shared::shop();
    let first = shop.start_intent(json!({
        "customer": {"id": "c-1", "email": "ada@example.com"}, "location": {"country": "IE"},
        "cart": {"id": "cart-1", "items": [{"id": "1", "title": "Tea", "price": 250, "quantity": 2}]},
    }));
    assert_eq!(first["location"]["country"], "IRL");
    let same = shop.update_intent(&id(&first), json!({}));
    assert_eq!(same, first);
    let second = shop.update_intent(
        &id(&first),
        json!({"trackingId": "order-2", "customer": {"name": "Ada", "isGuest": true}, "cart": {"itemCount": 2}}),
    );
    assert_eq!(second["trackingId"], "order-2");
    assert_eq!(
        second["customer"],
        json!({"id": "c-1", "isGuest": true, "email": "ada@example.com", "name": "Ada"})
    );
    assert_eq!(
        (&second["cart"]["id"], &second["cart"]["itemCount"]),
        (&json!("cart-1"), &json!(2))
    );
    assert_eq!(second["cart"]["items"], first["cart"]["items"]);
    assert_eq!(
        (&second["amount"], &second["location"]),
        (&first["amount"], &first["location"])
    );
    let third = shop.update_intent(
        &id(&first),
        json!({"trackingId": "", "customer": {"name": ""}, "amount": null}),
    );
    assert_eq!(third, second, "an empty text and null are absent");
}

#[test]
fn steps_are_reported_and_dated_when_their_status_changes() {
    let shop = shared::shop();
    let intent = id(&shop.start_intent(json!({})));
    let reported = |changes: Value| shop.update_intent(&intent, changes)["timeline"].clone();
    let first =
        reported(json!({"billing": {"status": "IN_PROGRESS"}, "shipping": {"status": "COMPLETE"}}));
    assert_eq!(first["billing"]["status"], "IN_PROGRESS");
    assert_eq!(first["shipping"]["status"], "COMPLETE");
    assert_eq!(
        first["delivery"],
        json!({"status": "NOT_STARTED", "date": null})
    );
    let second =
        reported(json!({"billing": {"status": "IN_PROGRESS"}, "delivery": {"status": "FAILED"}}));
    assert_eq!(
        (&second["billing"], &second["shipping"]),
        (&first["billing"], &first["shipping"])
    );
    assert_eq!(second["delivery"]["status"], "FAILED");
    let third =
        reported(json!({"billing": {"status": "COMPLETE"}, "shipping": {"status": "NOT_STARTED"}}));
    assert_eq!(third["billing"]["status"], "COMPLETE");
    assert!(third["billing"]["date"].as_str() >= first["billing"]["date"].as_str());
    assert_eq!(
        third["shipping"],
        json!({"status": "NOT_STARTED", "date": null})
    );
}

#[test]
fn a_cart_has_a_value_wherever_a_client_needs_one() {
    let shop = shared::shop();
    let intent = shop.start_intent(json!({"cart": {"items": [{}]}}));
    assert_eq!(
        intent["cart"],
        json!({"id": "", "weight": 0, "itemCount": 0, "items": [{
            "id": null, "quantity": 0, "title": "", "variantTitle": null, "weight": 0, "taxable": false,
            "requiresShipping": false, "price": 0, "sku": "", "lineTotal": 0, "image": "", "discountedPrice": 0,
            "totalDiscount": 0,
        }]})
    );
    let many: Vec<Value> = (0..501).map(|_| json!({"title": "Tea"})).collect();
    shop.try_start_intent(json!({"cart": {"items": many}}))
        .assert_invalid("cart.items");
    shop.try_start_intent(json!({"cart": {"items": [{"quantity": -1}]}}))
        .assert_invalid("cart.items.0.quantity");
}

#[test]
fn numbers_of_cards_and_bad_texts_are_refused_by_name() {
    let shop = shared::shop();
    for (changes, field) in [
        (
            json!({"customer": {"name": "4242 4242 4242 4242"}}),
            "customer.name",
        ),
        (
            json!({"customer": {"email": "x".repeat(321)}}),
            "customer.email",
        ),
        (json!({"customer": {"email": "nope"}}), "customer.email"),
        (
            json!({"location": {"country": "Ireland"}}),
            "location.country",
        ),
        (
            json!({"cart": {"items": [{"title": "a\u{0}b"}]}}),
            "cart.items.0.title",
        ),
    ] {
        shop.try_start_intent(changes).assert_invalid(field);
    }
    // A shop's own number may look like a card's.
    shop.try_start_intent(json!({"trackingId": "4242424242424242"}))
        .data();
}

#[test]
fn an_unknown_intent_another_teams_and_nonsense_are_not_found() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let intent = id(&shop.start_intent(json!({})));
    for (who, id) in [
        (&other, intent.as_str()),
        (&shop, "0192a000-0000-7000-8000-000000000000"),
        (&shop, "7"),
        (&shop, ""),
    ] {
        for answer in [
            who.try_intent(id),
            who.try_update_intent(id, json!({})),
            who.try_complete_intent(id, Value::Null),
            who.try_optimise(id),
        ] {
            answer.assert_error("error.intent.not-found");
        }
    }
    assert_eq!(shop.intent(&intent)["status"], "ACTIVE");
}

#[test]
fn deleting_a_customer_leaves_of_it_the_id_alone() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let reported = json!({"customer": {"id": customer, "email": "ada@example.com", "name": "Ada", "isGuest": false}});
    let intent = id(&shop.start_intent(reported));
    shop.try_delete_customer(&customer).data();
    testkit::until(testkit::PATIENCE, "the intent forgets the person", || {
        let held = shop.intent(&intent)["customer"].clone();
        (held == json!({"id": customer, "isGuest": null, "email": null, "name": null}))
            .then_some(())
    });
}
