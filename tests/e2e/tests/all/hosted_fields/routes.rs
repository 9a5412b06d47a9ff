//! Where a payment may go, and where not: numbers of the vault and tokens of fields never meet the wrong processor.

use serde_json::{Value, json};
use testkit::{Order, Setup, Shop, cards};

use super::{OWN, order, stage, token};

const METHOD: &str = "authorisePayment.paymentMethod";

#[test]
fn a_number_is_never_sent_to_a_connection_with_fields_of_its_own() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let stored = shop.tokenise(cards::VISA);
    for order in [Order::card(cards::VISA), Order::token(&stored)] {
        let refused = shop.try_authorise(&order.clone().flow("there"), None);
        refused.assert_invalid(METHOD);
        assert!(
            refused.message().contains("own fields"),
            "{}",
            refused.message()
        );
        shop.try_headless(&order.clone().at(OWN), None)
            .assert_invalid("headlessAuthorisePayment.paymentMethod");
        shop.order(&order.flow("elsewhere"))
            .assert_status("SUCCEEDED");
    }
    assert!(
        shop.books()
            .entries
            .iter()
            .all(|entry| entry.connection != OWN)
    );
    shop.assert_books_equal_payments();
}

#[test]
fn a_token_is_never_sent_to_a_connection_that_takes_numbers() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let given = token(&server, cards::VISA);
    let refused = shop.try_authorise(&order(OWN, &given).flow("elsewhere"), None);
    refused.assert_invalid(METHOD);
    assert!(
        refused.message().contains("simulator-a"),
        "{}",
        refused.message()
    );
    shop.try_headless(&order(OWN, &given).at("simulator-a"), None)
        .assert_invalid("headlessAuthorisePayment.paymentMethod");
    assert_eq!(shop.books().charges(), 0);
    // Nothing was made of it, so the token is as good as before.
    shop.order(&order(OWN, &given).flow("there"))
        .assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn fallback_leaves_out_what_does_not_know_the_card_and_says_so() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    // The first connection takes numbers, and does not know the token.
    let paid = shop.order(&order(OWN, &token(&server, cards::VISA)).flow("to-own"));
    paid.assert_status("SUCCEEDED");
    assert_eq!(paid.text("/connectionId"), OWN);
    paid.assert_says("simulator-a: the card was taken by another processor's own fields");
    // A soft decline is not tried where nobody knows the card.
    let declined =
        shop.order(&order(OWN, &token(&server, cards::INSUFFICIENT_FUNDS)).flow("to-number"));
    declined.assert_status("DECLINED");
    assert_eq!(shop.books().of(&declined).len(), 1);
    declined.assert_says("simulator-a: the card was taken by another processor's own fields");
    // A number passes the connection with fields of its own by.
    let number = shop.order(&Order::card(cards::VISA).flow("to-number"));
    number.assert_status("SUCCEEDED");
    assert_eq!(number.text("/connectionId"), "simulator-a");
    number.assert_says("own-fields: it takes cards by its own fields alone");
    shop.assert_books_equal_payments();
}

fn needed(shop: &Shop, flow: Option<&str>) -> Value {
    let query = "query($flow: String) { sdkConfiguration(flowId: $flow) { hostedFields { connectionId processor frame parameters asksForName \
                 authentication } } }";
    let answer = shop.gql(query, json!({ "flow": flow }));
    answer.root()["hostedFields"].clone()
}

#[test]
fn a_browser_learns_which_fields_a_flow_needs() {
    let server = Setup::new().start();
    let shop = server.shop();
    let browser = shop.client(json!({"amount": 1000, "currency": "EUR"}));
    assert_eq!(needed(&browser, None), Value::Null);
    stage(&shop);
    let fields = json!({
        "connectionId": OWN, "processor": "simulator", "frame": "/sdk/v1/frame/fields?processor=simulator",
        "parameters": {"account": super::ACCOUNT}, "asksForName": false, "authentication": "redirect",
    });
    assert_eq!(needed(&browser, Some("there")), fields);
    // Where one of the connections takes numbers, the service's own fields serve.
    for flow in ["elsewhere", "to-own", "to-number", "unknown"] {
        assert_eq!(needed(&browser, Some(flow)), Value::Null, "{flow}");
    }
    assert_eq!(needed(&browser, None), Value::Null);
    assert_eq!(
        needed(&server.other_team().client(json!({})), Some("there")),
        Value::Null
    );
    shop.disable_connection(OWN);
    assert_eq!(needed(&browser, Some("there")), Value::Null);
}
