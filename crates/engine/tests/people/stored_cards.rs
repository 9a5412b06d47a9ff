//! What a processor tells of a stored card after its payment was settled.

use domain::{customer::StoredMethod, id::VaultToken};
use engine::{Authorise, Instrument, NotificationAnswer, Target};

use crate::{
    cards::VISA,
    rotating::{delivered_with, opened},
    shop::{Shop, order},
};

/// A payment with a card of a new customer at the connection that sends notifications; its id and the card's token.
fn paid(shop: &Shop) -> (String, VaultToken) {
    let customer = shop.create_customer("Ada");
    let token = shop.add(customer, VISA);
    let command = Authorise {
        target: Target::Connection("own".to_owned()),
        instrument: Some(Instrument::Token(token.as_str().to_owned())),
        ..order(customer)
    };
    let made = shop.run(shop.engine.authorise(&shop.server, None, Ok(command)));
    let payment = made.result.unwrap().payment;
    (payment.id().uuid().to_string(), token)
}

fn method(shop: &Shop, token: &VaultToken) -> StoredMethod {
    let found = store::method::of_team(&shop.store, shop.team, token);
    shop.run(found).unwrap().unwrap()
}

/// What the processor's token for the card is, as merchants see it.
fn linked(shop: &Shop, method: StoredMethod) -> Vec<String> {
    let linked = shop.run(shop.engine.linked_gateways(&shop.server, &[method]));
    let linked = linked.unwrap_or_default().into_values().flatten();
    linked.map(|gateway| gateway.token).collect()
}

/// A notification that the card of the payment is stored.
fn tell(shop: &Shop, payment: &str, n: u32) {
    let body = format!("stored {payment}-1 {n}");
    let answer = delivered_with(shop, &[("secret", "one")], body);
    assert_eq!(answer, NotificationAnswer::Accepted);
    shop.pass(std::time::Duration::from_secs(5));
}

#[test]
fn a_token_and_a_transaction_that_come_late_are_kept_once() {
    let shop = opened(3, r#"{"hook":"one"}"#);
    let (payment, token) = paid(&shop);
    assert_eq!(method(&shop, &token).network, None);
    tell(&shop, &payment, 1);
    let kept = method(&shop, &token);
    assert_eq!(kept.network.as_ref().unwrap().id, "LATE1");
    assert_eq!(linked(&shop, kept.clone()), ["late_token"]);
    tell(&shop, &payment, 2);
    assert_eq!(method(&shop, &token), kept);
    assert_eq!(shop.count("processor_token"), 1);
}

#[test]
fn of_a_card_that_is_deleted_nothing_is_kept() {
    let shop = opened(4, r#"{"hook":"one"}"#);
    let (payment, token) = paid(&shop);
    let deleted = shop.run(shop.engine.delete_method(&shop.server, token));
    deleted.unwrap();
    tell(&shop, &payment, 1);
    assert_eq!(shop.count("processor_token"), 0);
    assert_eq!(shop.count("method where network_reference is not null"), 0);
}
