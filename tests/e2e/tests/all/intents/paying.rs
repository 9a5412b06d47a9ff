//! Payments of an intent.

use serde_json::{Value, json};
use testkit::{KeyKind, Order, Setup, Shop, at_once, cards};

use super::id;
use crate::shared;

fn started(shop: &Shop) -> String {
    id(&shop.start_intent(json!({})))
}

/// An order for the intent that names neither amount nor currency.
fn order(intent: &str, card: &str) -> Order {
    Order::card(card)
        .without("amount")
        .without("currencyCode")
        .with("intentId", json!(intent))
}

#[test]
fn amount_currency_and_flow_come_from_the_intent() {
    let shop = shared::shop();
    let changes =
        json!({"paymentFlowId": "capture-by-api", "amount": {"amount": 4200, "currency": "USD"}});
    let intent = id(&shop.start_intent(changes));
    let payment = shop.order(&order(&intent, cards::VISA));
    payment.assert_status("AUTHORISED");
    assert_eq!(
        (
            payment.number("/amount/rawAmount"),
            payment.text("/currency")
        ),
        (4200, "USD")
    );
    assert_eq!(payment.text("/flowId"), "capture-by-api");
    shop.assert_books_agree_on(&payment.id());
    let linked = shop.intent(&intent)["linkedPayments"].clone();
    assert_eq!(linked[0]["paymentId"], json!(payment.id()));
    assert_eq!(
        (&linked[0]["status"], &linked[0]["title"]),
        (&json!("AUTHORISED"), &json!("Payment of $42.00"))
    );
}

#[test]
fn what_the_request_says_must_agree_with_the_intent() {
    let shop = shared::shop();
    let intent = started(&shop);
    let orders = [
        (order(&intent, cards::VISA).amount(999), "amount"),
        (order(&intent, cards::VISA).currency("USD"), "currencyCode"),
        (order(&intent, cards::VISA).flow("capture-by-api"), "flowId"),
    ];
    for (order, field) in orders {
        shop.try_authorise(&order, None).assert_invalid(field);
    }
    assert_eq!(shop.intent(&intent)["linkedPayments"], json!([]));
    let open = id(&shop.start_intent(json!({"amount": {"currency": "USD"}})));
    shop.try_authorise(&order(&open, cards::VISA).amount(5).currency("EUR"), None)
        .assert_invalid("currencyCode");
    assert_eq!(
        shop.order(&order(&open, cards::VISA).amount(5))
            .text("/currency"),
        "USD",
        "its amount comes later"
    );
    let same = order(&intent, cards::VISA)
        .amount(1000)
        .currency("EUR")
        .flow("default");
    shop.order(&same).assert_status("SUCCEEDED");
}

#[test]
fn an_amount_that_a_browser_set_is_never_charged() {
    let server = shared::server();
    let (shop, browser) = (
        server.shop(),
        server.shop_with(&server.create_key(KeyKind::Public)),
    );
    let intent = id(&browser.start_intent(json!({"amount": {"amount": 1, "currency": "EUR"}})));
    shop.try_authorise(&order(&intent, cards::VISA), None)
        .assert_invalid("amount");
    let payment = shop.order(&order(&intent, cards::VISA).amount(5000).currency("EUR"));
    assert_eq!(
        payment.number("/amount/rawAmount"),
        5000,
        "the server's own word counts"
    );
    // What a server had set counts no more when a browser has changed it.
    let second = started(&shop);
    let token = shop.client(json!({"intentId": second}));
    token.update_intent(&second, json!({"amount": {"amount": 1}}));
    shop.try_authorise(&order(&second, cards::VISA), None)
        .assert_invalid("amount");
    shop.update_intent(
        &second,
        json!({"amount": {"amount": 700, "currency": "EUR"}}),
    );
    assert_eq!(
        shop.order(&order(&second, cards::VISA))
            .number("/amount/rawAmount"),
        700
    );
}

#[test]
fn declined_attempts_are_linked_and_another_may_follow() {
    let shop = shared::shop();
    let intent = started(&shop);
    let declined = shop.order(&order(&intent, cards::GENERAL_DECLINE));
    declined.assert_status("DECLINED");
    let failed = shop.order(&order(&intent, cards::FAILED));
    failed.assert_status("FAILED");
    let paid = shop.order(&order(&intent, cards::VISA));
    paid.assert_status("SUCCEEDED");
    let reported = shop.intent(&intent);
    let linked: Vec<Value> = reported["linkedPayments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|linked| linked["paymentId"].clone())
        .collect();
    assert_eq!(
        linked,
        [json!(declined.id()), json!(failed.id()), json!(paid.id())],
        "newest last"
    );
    let attempts: Vec<&str> = reported["timeline"]["paymentAttempts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| {
            assert!(attempt["date"].is_string());
            attempt["status"].as_str().unwrap()
        })
        .collect();
    assert_eq!(attempts, ["FAILED", "FAILED", "COMPLETE"]);
    let again = shop.try_authorise(&order(&intent, cards::VISA), None);
    again.assert_error("error.authorize.payment-already-authorized");
    assert_eq!(again.extension("id"), &json!(paid.id()));
    shop.assert_books_agree_on(&paid.id());
}

#[test]
fn a_cancelled_payment_frees_its_intent() {
    let shop = shared::shop();
    let intent = id(&shop.start_intent(json!({"paymentFlowId": "capture-by-api"})));
    let first = shop.order(&order(&intent, cards::VISA));
    first.assert_status("AUTHORISED");
    shop.try_authorise(&order(&intent, cards::VISA), None)
        .assert_error("error.authorize.payment-already-authorized");
    shop.cancel(&first.id()).assert_status("CANCELLED");
    shop.order(&order(&intent, cards::VISA))
        .assert_status("AUTHORISED");
}

#[test]
fn of_many_tabs_one_pays() {
    let server = Setup::new().start();
    let shop = server.shop();
    let intent = started(&shop);
    let answers = at_once(12, |_| {
        shop.try_authorise(&order(&intent, cards::VISA), None)
    });
    let paid: Vec<_> = answers
        .iter()
        .filter(|answer| answer.errors().is_empty())
        .collect();
    assert_eq!(paid.len(), 1);
    for answer in answers.iter().filter(|answer| !answer.errors().is_empty()) {
        answer.assert_error("error.authorize.payment-already-authorized");
    }
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
    assert_eq!(
        shop.intent(&intent)["linkedPayments"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn completing_and_paying_at_once_leave_no_payment_on_a_complete_intent_that_it_does_not_know() {
    let server = Setup::new().start();
    let shop = server.shop();
    for _ in 0..10 {
        let intent = started(&shop);
        let answers = at_once(2, |n| {
            if n == 0 {
                shop.try_complete_intent(&intent, Value::Null)
            } else {
                shop.try_authorise(&order(&intent, cards::VISA), None)
            }
        });
        // The second one meets the other: the payment finds the intent complete, or completing finds it held.
        let second = answers.iter().filter(|answer| !answer.errors().is_empty());
        assert!(second.clone().count() <= 1);
        for answer in second {
            answer.assert_error("error.authorize.payment-already-authorized");
        }
        if !answers[1].errors().is_empty() {
            assert_eq!(shop.intent(&intent)["linkedPayments"], json!([]));
        }
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_complete_intent_takes_no_payment() {
    let shop = shared::shop();
    let intent = started(&shop);
    shop.try_complete_intent(&intent, Value::Null).data();
    let refused = shop.try_authorise(&order(&intent, cards::VISA), None);
    refused.assert_error("error.authorize.payment-already-authorized");
    assert_eq!(shop.intent(&intent)["linkedPayments"], json!([]));
}

#[test]
fn the_intents_own_payment_completes_it_and_no_other_does() {
    let shop = shared::shop();
    let (intent, other) = (started(&shop), started(&shop));
    let payment = shop.order(&order(&intent, cards::VISA)).id();
    shop.try_complete_intent(&other, json!(payment))
        .assert_invalid("paymentReference");
    let apart = shop.authorise(cards::VISA).id();
    let refused = shop.try_complete_intent(&intent, json!(apart));
    refused.assert_error("error.authorize.payment-already-authorized");
    assert_eq!(refused.extension("id"), &json!(payment));
    let complete = shop
        .try_complete_intent(&intent, json!(payment))
        .root()
        .clone();
    assert_eq!(complete["status"], "COMPLETE");
    // The same way, whether its payment is named or not.
    assert_eq!(
        shop.try_complete_intent(&intent, Value::Null).root(),
        &complete
    );
    let refused = shop.try_authorise(&order(&intent, cards::VISA), None);
    assert_eq!(
        refused
            .assert_error("error.authorize.payment-already-authorized")
            .extension("id"),
        &json!(payment)
    );
}

#[test]
fn a_browser_completes_what_its_payment_has_paid() {
    let shop = shared::shop();
    let intent = started(&shop);
    let browser = shop.client(json!({"intentId": intent, "amount": 1000, "currency": "EUR"}));
    let declined = browser.order(&order(&intent, cards::GENERAL_DECLINE)).id();
    browser
        .try_complete_intent(&intent, json!(declined))
        .assert_invalid("paymentReference");
    browser
        .try_complete_intent(&intent, Value::Null)
        .assert_invalid("paymentReference");
    let paid = browser.order(&order(&intent, cards::VISA)).id();
    let complete = browser
        .try_complete_intent(&intent, Value::Null)
        .root()
        .clone();
    assert_eq!(complete["status"], "COMPLETE");
    assert_eq!(
        browser.try_complete_intent(&intent, json!(paid)).root(),
        &complete
    );
}

#[test]
fn unknown_and_foreign_intents_are_paid_by_nobody() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let foreign = started(&other);
    for intent in [
        foreign.as_str(),
        "0192a000-0000-7000-8000-000000000000",
        "7",
    ] {
        let refused = shop.try_authorise(
            &order(intent, cards::VISA).amount(1000).currency("EUR"),
            None,
        );
        refused.assert_error("error.intent.not-found");
    }
    assert_eq!(other.intent(&foreign)["linkedPayments"], json!([]));
}

#[test]
fn a_payment_makes_an_inactive_intent_active() {
    let server = Setup::new()
        .setting("limits.intent_inactivity", "500ms")
        .start();
    let shop = server.shop();
    let intent = started(&shop);
    let inactive = shop.wait_for_intent(&intent, "INACTIVE");
    shop.order(&order(&intent, cards::GENERAL_DECLINE))
        .assert_status("DECLINED");
    testkit::until(
        testkit::PATIENCE,
        "it was active again and is not any more",
        || {
            let now = shop.intent(&intent);
            (now["statusDate"].as_str() > inactive["statusDate"].as_str()).then_some(())
        },
    );
}

#[test]
fn payments_are_found_by_the_status_of_their_intent() {
    let server = Setup::new().start();
    let shop = server.shop();
    let (open, complete) = (started(&shop), started(&shop));
    let apart = shop.authorise(cards::VISA).id();
    let first = shop.order(&order(&open, cards::VISA)).id();
    let second = shop.order(&order(&complete, cards::VISA)).id();
    shop.try_complete_intent(&complete, json!(second)).data();
    let found = |filter: Value| {
        let query = "query($data: PaymentFilterInput) { listPayments(data: $data) { edges { node { id } } } }";
        let answer = shop.gql(query, json!({"data": {"filter": {"intentStatus": filter}}}));
        let edges = answer.root()["edges"].as_array().unwrap().clone();
        edges
            .iter()
            .map(|edge| edge["node"]["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(json!({"value": "COMPLETE"})),
        std::slice::from_ref(&second)
    );
    assert_eq!(
        found(json!({"value": "ACTIVE"})),
        std::slice::from_ref(&first)
    );
    assert_eq!(
        found(json!({"value": ["ACTIVE", "COMPLETE"]})),
        [second.clone(), first.clone()]
    );
    assert_eq!(
        found(json!({"selectedVerb": "IS_EMPTY"})),
        std::slice::from_ref(&apart)
    );
    assert_eq!(
        found(json!({"value": "COMPLETE", "selectedVerb": "NOT_EQUALS"})),
        [first, apart]
    );
}
