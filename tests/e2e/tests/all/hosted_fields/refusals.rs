//! Tokens that pay nothing.

use serde_json::{Value, json};
use testkit::{Setup, cards};

use super::{ACCOUNT, OWN, order, stage, store, token, token_of, try_fields, try_store};

#[test]
fn an_unknown_token_and_one_of_another_account_are_refused_by_the_processor_and_charge_nothing() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    stage(&shop);
    shop.connection("second-own", json!({"fields": "shop"}));
    shop.publish(
        "second",
        json!([{"authorise": {"connection": "second-own"}}]),
    );
    other.connection(OWN, json!({"fields": "theirs"}));
    other.publish("there", json!([{"authorise": {"connection": OWN}}]));
    let ours = token(&server, cards::VISA);
    let of_second = token_of(&server, "second-own.shop", cards::VISA);
    for (shop, connection, flow, given) in [
        (&shop, OWN, "there", "simfld_made_up"),
        (&shop, OWN, "there", of_second.as_str()),
        (&shop, "second-own", "second", ours.as_str()),
        (&other, OWN, "there", ours.as_str()),
    ] {
        let failed = shop.order(&order(connection, given).flow(flow));
        failed.assert_status("FAILED");
        assert_eq!(shop.books().of(&failed).len(), 0);
    }
    shop.order(&order(OWN, &ours).flow("there"))
        .assert_status("SUCCEEDED");
    shop.assert_books_equal_payments_of(&[&other]);
}

#[test]
fn another_team_has_no_use_for_a_stored_token() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    stage(&shop);
    stage(&other);
    let stored = store(&shop, OWN, &token(&server, cards::VISA));
    other
        .try_authorise(&testkit::Order::token(&stored).flow("there"), None)
        .assert_error("error.payment-method.not-found");
    other
        .try_method(&stored)
        .assert_error("error.payment-method.not-found");
    shop.order(&testkit::Order::token(&stored).flow("there"))
        .assert_status("SUCCEEDED");
}

#[test]
fn a_connection_that_is_switched_off_or_has_no_fields_takes_no_token() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let given = token(&server, cards::VISA);
    let stored = store(&shop, OWN, &given);
    let at = "paymentMethod.processorToken.connectionId";
    shop.try_authorise(&order("simulator-a", &given).flow("there"), None)
        .assert_invalid(&format!("authorisePayment.{at}"));
    try_store(&shop, "simulator-a", &given).assert_invalid(&format!("data.{at}"));
    shop.try_authorise(&order("nobodys", &given).flow("there"), None)
        .assert_error("error.connection.not-found");
    shop.disable_connection(OWN);
    for answer in [
        shop.try_authorise(&order(OWN, &given).flow("there"), None),
        shop.try_authorise(&testkit::Order::token(&stored).flow("there"), None),
        try_store(&shop, OWN, &given),
    ] {
        answer.assert_error("error.connection.not-found");
    }
    assert_eq!(shop.books().charges(), 0);
    stage(&shop);
    shop.order(&testkit::Order::token(&stored).flow("there"))
        .assert_status("SUCCEEDED");
}

#[test]
fn what_is_no_token_is_named() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let given = token(&server, cards::VISA);
    let field = "authorisePayment.paymentMethod.processorToken.token";
    for wrong in ["", cards::VISA, "4242-4242-4242-4242", "a b"] {
        shop.try_authorise(&order(OWN, wrong).flow("there"), None)
            .assert_invalid(field);
    }
    let with = |name: &str, value: Value| {
        order(OWN, &given)
            .flow("there")
            .with(&format!("paymentMethod/{name}"), value)
    };
    let stored = shop.tokenise(cards::VISA);
    shop.try_authorise(&with("token", json!(stored)), None)
        .assert_invalid("authorisePayment.paymentMethod.token");
    shop.try_authorise(&with("card", testkit::Shop::card(cards::VISA)), None)
        .assert_invalid("authorisePayment.paymentMethod.card");
    for card in [
        json!({"number": "4242424242424241", "expMonth": 12, "expYear": 2040}),
        json!({"number": "4929000000006", "expMonth": 12, "expYear": 2040}),
        json!({"number": cards::VISA, "expMonth": 13, "expYear": 2040}),
        json!([]),
    ] {
        assert_eq!(try_fields(&server, ACCOUNT, &card).status, 400, "{card}");
    }
    let card = json!({"number": cards::VISA, "expMonth": 12, "expYear": 2040});
    for account in ["nothing", "own-fields.", "own-fields.A", "own%2Ffields.a"] {
        assert_eq!(try_fields(&server, account, &card).status, 400, "{account}");
    }
    assert!(!server.log().contains(cards::VISA));
}
