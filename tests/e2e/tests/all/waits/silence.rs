//! A processor that falls silent while the customer is on the way.

use serde_json::{Value, json};
use testkit::{Detour, Order, PATIENCE, Setup, Shop, cards, until};

use crate::three_d_secure::BACK;

/// A connection whose processor does what it is asked and breaks off before it answers.
fn silent_connection(shop: &Shop) -> String {
    let answer = shop.gql(
        "mutation($settings: JSON!) { saveConnection(processor: \"simulator\", name: \"Silent\", settings: $settings) { id } }",
        json!({"settings": {"fault": "dies_after_charging"}}),
    );
    answer.root()["id"].as_str().expect("an id").to_owned()
}

#[test]
fn an_unheard_challenge_is_found_out_and_an_unheard_completion_charges_once() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"500ms\", \"1s\", \"2s\", \"4s\", \"8s\"]\n")
        .start();
    let shop = server.shop();
    let connection = silent_connection(&shop);
    let order = Order::card(cards::CHALLENGE)
        .with("paymentProcessorConnectionId", Value::from(connection))
        .with(
            "performHeadless3DSecure",
            json!({"redirectUrl": BACK, "perform3DSecure": true}),
        );
    let key = Shop::fresh_key();
    let first = shop.try_authorise(&order, Some(&key));
    assert_eq!(
        first.root()["status"],
        "NO_ANSWER_FROM_PSP",
        "{}",
        first.json()
    );
    let id = first.root()["id"].as_str().unwrap().to_owned();
    shop.wait_for_status(&id, "NEEDS_3D_SECURE");
    // The key tells what was found out.
    let detour = Detour::of(
        &shop.try_authorise(&order, Some(&key)),
        "error.authorize.requires3DSecure",
    );
    assert_eq!(detour.id, id);
    let back = shop.decide(&detour, "complete");
    let onward = until(PATIENCE, "the customer is sent on", || {
        let reply = shop.visit(&back);
        assert!(matches!(reply.status, 202 | 303), "{}", reply.text());
        (reply.status == 303).then(|| testkit::Onward::of(&reply))
    });
    onward.assert_parameters(&[("id", &id), ("3ds_status", "COMPLETED")]);
    shop.payment(&id).assert_status("AUTHORISED");
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn an_unheard_giving_up_is_found_out_too() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"500ms\", \"1s\", \"2s\", \"4s\", \"8s\"]\n")
        .start();
    let shop = server.shop();
    let connection = silent_connection(&shop);
    let order = Order::method("WALLETC", BACK)
        .with("paymentProcessorConnectionId", Value::from(connection));
    let id = shop.order(&order).id();
    shop.wait_for_status(&id, "NEEDS_APM_AUTHORIZATION");
    shop.try_abandon(&id);
    shop.wait_for_status(&id, "CANCELLED");
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}
