//! Another team's things can neither be read nor changed, and nothing tells that they exist.

use serde_json::{Value, json};
use testkit::{Order, Setup, Shop, cards};

use crate::shared;

#[test]
fn its_payments_are_not_found() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let payment = shop.authorise_later(cards::VISA).id();
    for answer in [
        other.try_payment(&payment),
        other.try_capture(&payment, Value::Null),
        other.try_cancel(&payment),
        other.try_refund(&payment, Value::Null),
        other.gql(
            "mutation($id: ID!) { resolvePayment(id: $id, outcome: NOT_CHARGED, evidence: \"a letter\") { id } }",
            json!({"id": payment}),
        ),
    ] {
        answer.assert_error("error.payment.not-found");
    }
    shop.payment(&payment).assert_status("AUTHORISED");
    shop.assert_books_agree_on(&payment);
}

#[test]
fn an_unknown_payment_and_a_foreign_one_look_the_same() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let foreign = other.try_payment(&shop.authorise(cards::VISA).id());
    let unknown = other.try_payment("payments:0192a000-0000-7000-8000-000000000000");
    assert_eq!(foreign.json(), unknown.json());
}

#[test]
fn its_customers_and_methods_are_not_found() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let customer = shop.create_customer("Ada");
    let token = shop.tokenise_for(&customer, cards::VISA);
    for answer in [
        other.try_customer(&customer),
        other.try_update_customer(&customer, json!({"name": "Eve"})),
        other.try_delete_customer(&customer),
        other.try_methods(&customer),
        other.try_tokenise(
            json!({"paymentMethod": {"card": Shop::card(cards::VISA)}, "customer": {"id": customer}}),
            None,
        ),
        other.try_authorise(&Order::customer(&customer), None),
    ] {
        answer.assert_error("error.customer.not-found");
    }
    for answer in [
        other.try_method(&token),
        other.try_delete_method(&token),
        other.try_make_default(&token),
        other.try_authorise(&Order::token(&token), None),
        other.try_attach(&token, &other.create_customer("Eve")),
    ] {
        answer.assert_error("error.payment-method.not-found");
    }
    assert_eq!(shop.customer(&customer)["name"], "Ada");
    assert_eq!(shop.method(&token)["vaultCustomerId"], json!(customer));
}

#[test]
fn lists_show_a_teams_own_rows_alone() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    shop.authorise(cards::VISA);
    shop.create_customer("Ada");
    let mine = other.authorise(cards::VISA).id();
    let payments = other.every_payment();
    assert_eq!(payments.len(), 1);
    assert_eq!(payments[0].id(), mine);
    let query = "{ listCustomers { edges { node { name } } pageInfo { totalSize } } }";
    assert_eq!(
        other.gql(query, json!({})).root(),
        &json!({"edges": [], "pageInfo": {"totalSize": 0}})
    );
    shop.assert_books_equal_payments_of(&[&other]);
}

#[test]
fn a_foreign_team_in_the_filter_matches_nothing() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    let team = shop.authorise(cards::VISA).text("/teamId").to_owned();
    other.authorise(cards::VISA);
    let query = "query($team: ID) { listPayments(data: {teamId: $team}) { edges { cursor } } }";
    assert_eq!(
        other.gql(query, json!({"team": team})).root()["edges"],
        json!([])
    );
    assert_eq!(
        shop.gql(query, json!({"team": team})).root()["edges"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn the_same_card_has_another_fingerprint_in_another_team() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let ours = shop.method(&shop.tokenise(cards::VISA))["fingerprint"].clone();
    let theirs = other.method(&other.tokenise(cards::VISA))["fingerprint"].clone();
    assert!(ours.is_string() && theirs.is_string());
    assert_ne!(ours, theirs);
}

#[test]
fn the_same_idempotency_key_is_another_key_in_another_team() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    let first = shop.try_authorise(&Order::card(cards::VISA), Some("shared-key"));
    let second = other.try_authorise(&Order::card(cards::VISA).amount(2000), Some("shared-key"));
    assert!(!second.replayed());
    assert_ne!(first.root()["id"], second.root()["id"]);
    shop.assert_books_equal_payments_of(&[&other]);
}
