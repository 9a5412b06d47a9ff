//! What conditions know: every group of variables, of a payment that is real.

use serde_json::{Value, json};
use testkit::{Order, Payment, Shop, cards};

use super::shop;

/// A step that writes the condition on the timeline when it holds.
fn noted(condition: &str) -> Value {
    json!({"if": condition, "then": [{"note": format!("holds <{condition}>")}]})
}

/// Publishes a flow that asks these conditions, some before the authorisation, some after it.
fn publish(shop: &Shop, name: &str, before: &[&str], after: &[&str]) {
    shop.connection("conditions", json!({}));
    let mut steps: Vec<Value> = before.iter().map(|condition| noted(condition)).collect();
    steps.push(json!({"authorise": {"connection": "conditions"}}));
    steps.extend(after.iter().map(|condition| noted(condition)));
    shop.publish(name, json!(steps));
}

fn assert_held(payment: &Payment, conditions: &[&str]) {
    for condition in conditions {
        payment.assert_says(&format!("holds <{condition}>"));
    }
}

#[test]
fn of_a_payment_its_card_its_customer_and_the_merchant_s_data() {
    let before = [
        "payment.id.startsWith(\"payments:\")",
        "payment.amount == 1000 && payment.amount / 10 < 101",
        "payment.currency in [\"EUR\", \"GBP\"]",
        "payment.method == \"CARD\"",
        "payment.country == \"IE\"",
        "payment.order_id == \"order-7\"",
        "payment.description.contains(\"tea\")",
        "payment.initiator == \"CUSTOMER\" && payment.origin == \"AUTOMATION\"",
        "payment.captured == 0 && payment.refunded == 0",
        "card.brand == \"VISA\"",
        "card.bin.startsWith(\"4242\") && card.last4 == \"4242\"",
        "card.exp_month == 11 && card.exp_year == 2033",
        "card.wallet == null",
        "customer.email.endsWith(\"@shop.example\") && customer.name == \"Ada Byron\"",
        "customer.country == \"IE\" && customer.id == null",
        "metadata.plan == \"gold\" && size(metadata.items) == 2",
        "has(metadata.plan) && !has(metadata.coupon)",
        "fraud.score > 0.5 && fraud.score < 90",
        "attempt.number == null || attempt.number == 0",
        "intent.id == null",
        "dispute.status == null && webhook.name == null",
    ];
    let after = [
        "attempt.number == 1 && attempt.connection == \"conditions\"",
        "attempt.outcome == \"authorised\" && attempt.decline_code == null",
        "payment.status == \"AUTHORISED\"",
    ];
    let shop = shop();
    publish(&shop, "conditions", &before, &after);
    let order = Order::card(cards::VISA)
        .flow("conditions")
        .with("orderId", json!("order-7"))
        .with("description", json!("green tea"))
        .with(
            "customer",
            json!({"email": "ada@shop.example", "name": "Ada Byron", "billingAddress": {"country": "IE"}}),
        )
        .with("metadata", json!({"plan": "gold", "items": [1, 2]}))
        .with("fraud", json!({"score": 12}));
    let payment = shop.wait_for_status(&shop.order(&order).id(), "SUCCEEDED");
    assert_held(&payment, &before);
    assert_held(&payment, &after);
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn of_the_intent_that_is_paid() {
    let conditions = [
        "intent.id != null && intent.tracking_id == \"visit-9\"",
        "intent.amount == 1000 && intent.currency == \"EUR\"",
        "intent.status == \"ACTIVE\"",
        "intent.country == \"DE\" && payment.country == \"DE\"",
    ];
    let shop = shop();
    publish(&shop, "checkout", &conditions, &conditions[..2]);
    let intent = shop.start_intent(json!({
        "trackingId": "visit-9", "paymentFlowId": "checkout", "location": {"country": "DE"},
    }));
    let payment = shop.order(&Order::card(cards::VISA).with("intentId", intent["id"].clone()));
    let payment = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert_eq!(payment.text("/flowId"), "checkout");
    assert_held(&payment, &conditions);
}

#[test]
fn what_does_not_hold_goes_the_other_way() {
    let shop = shop();
    shop.connection("way-a", json!({}));
    shop.connection("way-b", json!({}));
    let condition = "payment.amount > 5000 || card.brand == \"MASTERCARD\"";
    let at = |id: &str| json!([{"authorise": {"connection": id}}]);
    shop.publish(
        "ways",
        json!([{"if": condition, "then": at("way-a"), "else": at("way-b")}]),
    );
    for (order, connection) in [
        (Order::card(cards::VISA), "way-b"),
        (Order::card(cards::VISA).amount(5001), "way-a"),
        (Order::card(cards::VISA).amount(5000), "way-b"),
        (Order::card(cards::MASTERCARD), "way-a"),
    ] {
        let payment = shop.order(&order.flow("ways"));
        assert_eq!(payment.text("/connectionId"), connection);
        assert_eq!(super::asked(&shop, &payment), [connection]);
    }
}

#[test]
fn a_condition_that_can_t_be_answered_does_not_hold_and_the_timeline_says_so() {
    let shop = shop();
    publish(
        &shop,
        "unanswered",
        &["metadata.plan == \"gold\"", "fraud.score > 5"],
        &[],
    );
    let order = Order::card(cards::VISA)
        .flow("unanswered")
        .with("fraud", json!({"score": "a lot"}));
    let payment = shop.order(&order);
    payment.assert_status("SUCCEEDED");
    assert!(!payment.says("holds <"), "{:#?}", payment.lines());
    payment.assert_says("steps[0]: `metadata.plan == \"gold\"` counts as not holding");
    payment.assert_says("steps[1]: `fraud.score > 5` counts as not holding");
    assert!(
        !payment.says("a lot"),
        "the merchant's data is not repeated"
    );
}
