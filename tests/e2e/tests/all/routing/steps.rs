//! What else a flow does with a payment.

use serde_json::{Value, json};
use testkit::{Order, Payment, Shop, at_once, cards};

use super::shop;

/// A flow of an authorisation at a connection of its own and these steps.
fn authorise_then(shop: &Shop, name: &str, steps: &[Value]) -> Payment {
    shop.connection(name, json!({}));
    let all: Vec<Value> = std::iter::once(json!({"authorise": {"connection": name}}))
        .chain(steps.iter().cloned())
        .collect();
    shop.publish(name, json!(all));
    shop.order(&Order::card(cards::VISA).flow(name))
}

#[test]
fn a_decline_by_the_flow_asks_no_processor() {
    let shop = shop();
    shop.connection("ruled", json!({}));
    let decline =
        json!({"decline": {"code": "CUSTOM_RULE", "message": "Too much for a first order"}});
    let authorise = json!({"authorise": {"connection": "ruled"}});
    shop.publish(
        "ruled",
        json!([{"if": "payment.amount > 500", "then": [decline], "else": [authorise]}]),
    );
    let order = Order::card(cards::VISA).flow("ruled");
    let payment = shop.order(&order);
    payment
        .assert_status("DECLINED")
        .assert_says("Too much for a first order");
    assert_eq!(
        payment.text("/paymentCore/outcome/declineCode"),
        "CUSTOM_RULE"
    );
    assert_eq!(shop.books().of(&payment), []);
    let first = shop.try_authorise(&order, Some("ruled-out"));
    let again = shop.try_authorise(&order, Some("ruled-out"));
    assert!(again.replayed() && again.root() == first.root());
    shop.order(&order.amount(500)).assert_status("SUCCEEDED");
}

#[test]
fn three_d_secure_by_the_flow_is_asked_for() {
    let shop = shop();
    shop.connection("asks", json!({}));
    let steps = json!([
        {"if": "payment.amount > 500", "then": [{"three_d_secure": "request"}]},
        {"authorise": {"connection": "asks"}},
    ]);
    shop.publish("asks", steps);
    let asked = shop.order(&Order::card(cards::VISA).flow("asks"));
    asked.assert_status("SUCCEEDED");
    assert_eq!(asked.text("/threeDSecureVersion"), "2.2.0");
    assert_eq!(asked.text("/eci"), "05");
    let plain = shop.order(&Order::card(cards::VISA).flow("asks").amount(500));
    assert_eq!(plain.at("/threeDSecureVersion"), &Value::Null);
}

#[test]
fn what_the_flow_says_of_three_d_secure_counts_for_more_than_the_request() {
    let shop = shop();
    shop.connection("spares", json!({}));
    for wish in ["avoid", "as_issuer"] {
        let steps = json!([
            {"three_d_secure": wish},
            {"authorise": {"connection": "spares"}},
        ]);
        shop.publish(wish, steps);
        let order = Order::card(cards::VISA).flow(wish);
        let asks = json!({"redirectUrl": "https://shop.example/back"});
        let payment = shop.order(&order.with("perform3DSecure", asks));
        payment.assert_status("SUCCEEDED");
        assert_eq!(payment.at("/threeDSecureVersion"), &Value::Null, "{wish}");
    }
}

#[test]
fn notes_are_on_the_timeline_in_order() {
    let notes = [
        json!({"note": "first word"}),
        json!({"note": "second word"}),
    ];
    let payment = authorise_then(&shop(), "noted", &notes);
    let payment = shop().wait_for_status(&payment.id(), "SUCCEEDED");
    let lines = payment.lines();
    let place = |words: &str| lines.iter().position(|line| line.contains(words));
    assert!(
        place("first word").is_some() && place("first word") < place("second word"),
        "{lines:#?}"
    );
}

#[test]
fn a_capture_now_may_come_after_other_steps() {
    let shop = shop();
    let payment = authorise_then(
        &shop,
        "captured-now",
        &[json!({"note": "between"}), json!({"capture": "now"})],
    );
    // A job may be quicker than the request to go on with the flow, so the answer may be given in the middle of it.
    let payment = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    payment.assert_says("between");
    assert_eq!(payment.number("/capturedAmount"), 1000);
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_capture_may_come_after_a_delay_in_either_form() {
    let shop = shop();
    let forms = [
        (
            "after",
            vec![json!({"note": "x"}), json!({"capture": {"after": "6s"}})],
        ),
        (
            "delayed",
            vec![json!({"delay": "6s"}), json!({"capture": "now"})],
        ),
        ("silently", vec![json!({"delay": "6s"})]),
    ];
    at_once(forms.len(), |form| {
        let (name, steps) = &forms[form];
        let payment = authorise_then(&shop, name, steps);
        payment.assert_status("AUTHORISED");
        assert_eq!(shop.books().charge(&payment).captured, 0, "{name}");
        let captured = shop.wait_for_status(&payment.id(), "SUCCEEDED");
        assert_eq!(captured.number("/capturedAmount"), 1000, "{name}");
        shop.assert_books_agree_on(&payment.id());
    });
}

#[test]
fn a_capture_by_api_after_other_steps_waits_for_the_shop() {
    let shop = shop();
    let payment = authorise_then(
        &shop,
        "by-shop",
        &[json!({"note": "x"}), json!({"capture": "api"})],
    );
    payment.assert_status("AUTHORISED");
    shop.capture(&payment.id()).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_payment_may_wait_before_it_is_authorised() {
    let shop = shop();
    shop.connection("waits", json!({}));
    shop.publish(
        "waits",
        json!([{"delay": "6s"}, {"authorise": {"connection": "waits"}}]),
    );
    let payment = shop.order(&Order::card(cards::VISA).flow("waits"));
    payment.assert_status("ACTIVE");
    assert_eq!(shop.books().of(&payment), []);
    let paid = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    paid.assert_says("Waiting");
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_flow_gives_back_what_it_says() {
    let shop = shop();
    let capture = json!({"capture": "now"});
    for (name, refund, status, left) in [
        ("all", json!("all"), "REFUNDED", 1000),
        ("part", json!({"percent": 25}), "PARTIAL_REFUNDED", 250),
        ("minor", json!(40), "PARTIAL_REFUNDED", 40),
    ] {
        let refund = json!({"refund": {"amount": refund, "reason": "Late"}});
        let payment = authorise_then(&shop, &format!("refund-{name}"), &[capture.clone(), refund]);
        let refunded = shop.wait_for_status(&payment.id(), status);
        assert_eq!(refunded.number("/refundedAmount"), left, "{name}");
        shop.assert_books_agree_on(&payment.id());
    }
}

#[test]
fn a_flow_gives_up_what_it_does_not_want() {
    let shop = shop();
    let payment = authorise_then(
        &shop,
        "given-up",
        &[json!({"cancel": {"reason": "Not shipped"}})],
    );
    shop.wait_for_status(&payment.id(), "CANCELLED");
    shop.assert_books_agree_on(&payment.id());

    let steps = [
        json!({"capture": "api"}),
        json!({"delay": "6s"}),
        json!({"cancel": {"reason": "Nobody came"}}),
    ];
    let payment = authorise_then(&shop, "given-up-later", &steps);
    payment.assert_status("AUTHORISED");
    shop.wait_for_status(&payment.id(), "CANCELLED");
    shop.assert_books_agree_on(&payment.id());

    let payment = shop.order(&Order::card(cards::VISA).flow("given-up-later"));
    shop.capture(&payment.id()).assert_status("SUCCEEDED");
    testkit::until(
        testkit::PATIENCE,
        "the flow comes to its cancellation",
        || {
            shop.payment(&payment.id())
                .says("A step of the flow was left out")
                .then_some(())
        },
    );
    shop.payment(&payment.id()).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn after_a_decline_nothing_is_captured_or_refunded() {
    let shop = shop();
    let steps = [
        json!({"note": "after"}),
        json!({"capture": "now"}),
        json!({"refund": {"amount": "all"}}),
    ];
    authorise_then(&shop, "hopeless", &steps);
    let payment = shop.order(&Order::card(cards::GENERAL_DECLINE).flow("hopeless"));
    payment.assert_status("DECLINED");
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_refund_waits_for_the_capture_that_comes_later() {
    let shop = shop();
    let steps = [
        json!({"capture": {"after": "6s"}}),
        json!({"refund": {"amount": {"percent": 50}}}),
    ];
    let payment = authorise_then(&shop, "refund-later", &steps);
    payment.assert_status("AUTHORISED");
    let refunded = shop.wait_for_status(&payment.id(), "PARTIAL_REFUNDED");
    assert_eq!(refunded.number("/refundedAmount"), 500);
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_flow_that_waited_falls_back_too_and_asks_nobody_who_has_gone() {
    let shop = shop();
    shop.connection("waited-down", json!({"fault": "down"}));
    shop.connection("waited-well", json!({}));
    let authorise =
        json!({"authorise": {"connection": "waited-down", "fallback": {"to": ["waited-well"]}}});
    shop.publish("waited", json!([{"delay": "6s"}, authorise]));
    let payment = shop.order(&Order::card(cards::VISA).flow("waited"));
    payment.assert_status("ACTIVE");
    let paid = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert_eq!(paid.text("/connectionId"), "waited-well");
    let challenged = shop.order(&Order::card(cards::CHALLENGE).flow("waited"));
    let declined = shop.wait_for_status(&challenged.id(), "DECLINED");
    assert_eq!(declined.decline_code(), "AUTHORIZATION_REQUIRED");
    shop.assert_books_agree_on(&payment.id());
}
