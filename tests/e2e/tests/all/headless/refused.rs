//! Headless payments that are not made.

use serde_json::json;
use testkit::{KeyKind, Order, Shop, cards};

use super::payments::{BOTH, at_b, shop};
use crate::routing;

#[test]
fn a_connection_and_a_flow_exclude_each_other() {
    let shop = shop();
    shop.try_authorise(&at_b().flow("default"), None)
        .assert_invalid("authorisePayment.flowId");
    shop.try_headless(&at_b().flow("default"), None)
        .assert_badly_asked();
}

#[test]
fn a_connection_that_can_t_be_used_is_reported_with_those_that_can() {
    let (shop, other) = (shop(), routing::server().other_team());
    shop.connection("headless-off", json!({}));
    shop.disable_connection("headless-off");
    other.connection("headless-theirs", json!({}));
    for operation in BOTH {
        for unknown in [
            "no-such-connection",
            "not a name!",
            "headless-off",
            "headless-theirs",
        ] {
            let answer = operation(&shop, &Order::card(cards::VISA).at(unknown), None);
            answer.assert_error("error.connection.not-found");
            assert!(
                answer.message().contains("simulator-b"),
                "{unknown}: {}",
                answer.message()
            );
            assert!(!answer.message().contains(unknown), "{}", answer.message());
        }
    }
}

#[test]
fn without_a_connection_it_is_no_payment_by_the_default_flow() {
    let shop = shop();
    shop.try_headless(&at_b().at(""), None)
        .assert_invalid("headlessAuthorisePayment.paymentProcessorConnectionId");
    shop.try_headless(&at_b().without("paymentProcessorConnectionId"), None)
        .assert_badly_asked();
}

#[test]
fn faults_name_their_fields_as_the_operation_does() {
    let shop = shop();
    let names = ["authorisePayment", "headlessAuthorisePayment"];
    for (operation, argument) in BOTH.into_iter().zip(names) {
        let refused = |order: Order, field: &str| {
            let answer = operation(&shop, &order, None);
            answer.assert_error("error.validation");
            assert_eq!(
                answer.field(),
                Some(format!("{argument}.{field}").as_str()),
                "{}",
                answer.json()
            );
            if argument == "headlessAuthorisePayment" {
                assert!(
                    !answer.message().contains("authorisePayment."),
                    "{}",
                    answer.message()
                );
            }
        };
        refused(at_b().amount(0), "amount");
        refused(at_b().without("amount"), "amount");
        refused(at_b().currency("EURO"), "currencyCode");
        refused(
            at_b().with("paymentMethod/card/number", json!("4242424242424241")),
            "paymentMethod.card.number",
        );
        refused(
            at_b().with("paymentMethod/type", json!("CASH")),
            "paymentMethod.type",
        );
        refused(
            at_b().with("metadata", json!("x".repeat(17_000))),
            "metadata",
        );
        refused(
            at_b().with(
                "performHeadless3DSecure",
                json!({"perform3DSecure": true, "redirectUrl": "javascript:x"}),
            ),
            "performHeadless3DSecure.redirectUrl",
        );
    }
}

#[test]
fn browsers_may_not() {
    let shop = shop();
    let public = routing::server().shop_with(&routing::server().create_key(KeyKind::Public));
    let token = shop.client(json!({"amount": 1000, "currency": "EUR"}));
    for browser in [public, token] {
        for operation in BOTH {
            operation(&browser, &at_b(), None).assert_error("api.key.forbidden");
            operation(&browser, &at_b(), Some(&Shop::fresh_key()))
                .assert_error("api.key.forbidden");
        }
    }
}
