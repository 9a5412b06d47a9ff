//! Which keys are good, and where they count.

use serde_json::json;
use testkit::{Answer, Order, Setup, Shop, cards};

use crate::shared;

#[test]
fn keys_have_1_to_255_characters() {
    let server = Setup::new().start();
    let shop = server.shop();
    for bad in [String::new(), "k".repeat(256), "k".repeat(5000)] {
        shop.try_authorise(&Order::card(cards::VISA), Some(&bad))
            .assert_error("error.idempotency.key-invalid");
        shop.try_tokenise(
            json!({"paymentMethod": {"card": Shop::card(cards::VISA)}}),
            Some(&bad),
        )
        .assert_error("error.idempotency.key-invalid");
    }
    assert!(shop.books().entries.is_empty(), "nothing was done");
    assert!(shop.every_payment().is_empty());
    for good in ["k".to_owned(), "k".repeat(255), "5f8c-…".replace('…', "x")] {
        assert_eq!(
            shop.try_authorise(&Order::card(cards::VISA), Some(&good))
                .root()["status"],
            "SUCCEEDED"
        );
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_key_counts_under_either_name_of_its_header() {
    let server = Setup::new().start();
    let shop = server.shop();
    let key = Shop::fresh_key();
    let send = |headers: &[(&str, &str)]| {
        let request = shop.authorise_request(&Order::card(cards::VISA), None);
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(name, *value)
        });
        Answer::of(request.send(shop.address()))
    };
    let first = send(&[("Idempotency-Key", &key)]);
    for again in [
        &[("idempotency-key", key.as_str())][..],
        &[("X-Idempotency-Key", &key)],
        &[("X-Idempotency-Key", &key), ("Idempotency-Key", &key)],
    ] {
        assert_eq!(send(again).root()["id"], first.root()["id"], "{again:?}");
    }
    let other = [
        ("X-Idempotency-Key", key.as_str()),
        ("Idempotency-Key", "another"),
    ];
    send(&other).assert_error("error.idempotency.key-invalid");
    assert_eq!(shop.every_payment().len(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn keys_that_differ_in_case_are_different() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let lower = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
    let upper = shop.try_authorise(&Order::card(cards::VISA), Some(&key.to_uppercase()));
    assert_ne!(lower.root()["id"], upper.root()["id"]);
}

#[test]
fn a_document_with_two_such_fields_and_a_key_is_refused_and_nothing_is_done() {
    let server = Setup::new().start();
    let shop = server.shop();
    let both = "mutation($o: AuthorisedPaymentInput!) { \
        a: authorizePayment(authorisePayment: $o) { id } b: authorizePayment(authorisePayment: $o) { id } }";
    let variables = json!({"o": Order::card(cards::VISA).json()});
    let answer = shop.gql_once(both, variables.clone(), Some("two"));
    assert!(
        answer
            .errors()
            .iter()
            .all(|error| error["extensions"]["code"] == "error.idempotency.key-invalid"),
        "{}",
        answer.json()
    );
    assert!(!answer.errors().is_empty());
    assert!(shop.books().entries.is_empty());
    let without = shop.gql(both, variables);
    assert_ne!(
        without.data()["a"]["id"],
        without.data()["b"]["id"],
        "without a key they are two payments"
    );
    shop.assert_books_equal_payments();
}

#[test]
fn elsewhere_a_key_is_ignored() {
    let shop = shared::shop();
    for key in [Shop::fresh_key(), "k".repeat(300), String::new()] {
        for _ in 0..2 {
            let answer: Answer = shop.gql_once("{ initializeSDK }", json!({}), Some(&key));
            assert_eq!(answer.root(), &json!(true));
            assert!(!answer.replayed());
        }
    }
    let key = Shop::fresh_key();
    let id = shop.create_customer("Ada");
    for name in ["Bea", "Cid"] {
        shop.gql_once(
            "mutation($id: ID!, $c: VaultCustomerInput!) { updateCustomer(id: $id, customer: $c) }",
            json!({"id": id, "c": {"name": name}}),
            Some(&key),
        )
        .data();
        assert_eq!(shop.customer(&id)["name"], name);
    }
}
