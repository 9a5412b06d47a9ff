//! Secret and public keys.

use std::time::Duration;

use serde_json::json;
use testkit::http::Request;
use testkit::{ACCESS_TOKEN, Answer, KeyKind, Order, Setup, cards, until};

use crate::shared;

#[test]
fn without_a_credential_it_is_401_with_errors_alone() {
    let answer = shared::server().stranger().gql("{ __typename }", json!({}));
    answer.assert_refused(401);
    assert_eq!(answer.error_code(), Some("api.key.unauthorized"));
}

#[test]
fn a_bad_credential_is_401_and_is_never_repeated() {
    for bad in [
        "",
        "x",
        "sk_test_",
        "sk_test_thisKeyWasNeverMadeByAnyone000000",
        "pk_test_thisKeyWasNeverMadeByAnyone000000",
        "ct_test_thisKeyWasNeverMadeByAnyone000000",
        "payments:0192a000-0000-7000-8000-000000000000",
    ] {
        let answer = shared::server()
            .shop_with(bad)
            .gql("{ __typename }", json!({}));
        answer.assert_refused(401);
        assert_eq!(answer.error_code(), Some("api.key.unauthorized"), "{bad:?}");
        assert!(
            bad.len() < 9 || !answer.reply.text().contains(bad),
            "the key is repeated"
        );
    }
}

#[test]
fn a_key_that_differs_in_one_character_is_refused() {
    let mut almost = ACCESS_TOKEN.to_owned();
    almost.pop();
    almost.push('X');
    for other in [
        almost,
        ACCESS_TOKEN.to_uppercase(),
        format!("{ACCESS_TOKEN}m"),
        format!("{ACCESS_TOKEN} x"),
    ] {
        shared::server()
            .shop_with(&other)
            .gql("{ __typename }", json!({}))
            .assert_refused(401);
    }
}

#[test]
fn another_scheme_is_refused_and_the_scheme_has_no_case() {
    let shop = shared::shop();
    let status = |authorization: String| {
        Request::new("POST", "/api/graphql")
            .header("Authorization", authorization)
            .header("Content-Type", "application/json")
            .body(json!({"query": "{ __typename }"}).to_string())
            .send(shop.address())
            .status
    };
    assert_eq!(status(format!("Basic {ACCESS_TOKEN}")), 401);
    assert_eq!(status(ACCESS_TOKEN.to_owned()), 401);
    assert_eq!(status(format!("bearer {ACCESS_TOKEN}")), 200);
}

#[test]
fn a_key_of_the_other_mode_is_refused() {
    for live in [
        "sk_live_blackbox0secret0key0of0the0default0team",
        "pk_live_blackbox0secret0key0of0the0default0team",
    ] {
        shared::server()
            .shop_with(live)
            .gql("{ __typename }", json!({}))
            .assert_refused(401);
    }
}

#[test]
fn a_refused_credential_changes_nothing() {
    let server = Setup::new().start();
    let refused = server
        .shop_with("sk_test_wrong0000000000000000000000")
        .try_authorise(&Order::card(cards::VISA), None);
    refused.assert_refused(401);
    assert!(server.shop().books().entries.is_empty());
    assert!(server.shop().every_payment().is_empty());
}

#[test]
fn a_public_key_may_start_an_sdk_and_nothing_of_the_shop() {
    let server = shared::server();
    let payment = server.shop().authorise(cards::VISA).id();
    let token = server.shop().tokenise(cards::VISA);
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    assert_eq!(
        browser.gql("{ initializeSDK }", json!({})).root(),
        &json!(true)
    );
    let refused = [
        browser.try_payment(&payment),
        browser.try_authorise(&Order::card(cards::VISA), None),
        browser.try_refund(&payment, json!(1)),
        browser.try_capture(&payment, json!(null)),
        browser.try_cancel(&payment),
        browser.try_method(&token),
        browser.try_delete_method(&token),
        browser.try_tokenise(
            json!({"paymentMethod": {"card": {"number": cards::VISA, "expMonth": 1, "expYear": 2033}}}),
            None,
        ),
        browser.try_create_customer(json!({"customer": {"name": "Ada"}}), None),
        browser.gql("{ listPayments { edges { cursor } } }", json!({})),
        browser.gql("{ listCustomers { edges { cursor } } }", json!({})),
        browser.gql("mutation { generateClientToken { token } }", json!({})),
    ];
    for answer in refused {
        answer.assert_error("api.key.forbidden");
    }
    server.shop().payment(&payment).assert_status("SUCCEEDED");
    server.shop().method(&token);
}

#[test]
fn the_books_are_for_secret_keys_alone() {
    let server = shared::server();
    assert_eq!(server.stranger().get("/sandbox/books").status, 401);
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    assert!(matches!(browser.get("/sandbox/books").status, 401 | 403));
}

#[test]
fn a_new_key_works_at_once_and_a_revoked_one_not_a_second_later() {
    let server = Setup::new().start();
    let key = server.create_key(KeyKind::Secret);
    let shop = server.shop_with(&key);
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    let listed = server.run(&["key", "list"]);
    assert!(!listed.contains(&key), "a list shows no whole key");
    // The id of the key is the word that is listed now and was not listed before it was made.
    let before = server.run(&["key", "list"]);
    let second = server.create_key(KeyKind::Secret);
    let after = server.run(&["key", "list"]);
    let id = new_word(&before, &after);
    server.run(&["key", "revoke", &id]);
    let revoked = server.shop_with(&second);
    // A second is what is promised; a busy machine gets more.
    until(
        Duration::from_secs(15),
        "the revoked key is refused",
        || (revoked.gql("{ __typename }", json!({})).status() == 401).then_some(()),
    );
    revoked
        .try_authorise(&Order::card(cards::VISA), None)
        .assert_refused(401);
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
}

#[test]
fn a_revoked_key_stays_revoked_and_others_stay_good_after_a_restart() {
    let mut server = Setup::new().start();
    let good = server.create_key(KeyKind::Secret);
    let before = server.run(&["key", "list"]);
    let bad = server.create_key(KeyKind::Secret);
    let id = new_word(&before, &server.run(&["key", "list"]));
    server.run(&["key", "revoke", &id]);
    server.restart();
    server
        .shop_with(&bad)
        .gql("{ __typename }", json!({}))
        .assert_refused(401);
    server
        .shop_with(&good)
        .gql("{ __typename }", json!({}))
        .data();
    server.shop().gql("{ __typename }", json!({})).data();
}

#[test]
fn a_key_of_the_other_mode_can_be_neither_given_nor_made() {
    let said = Setup::new()
        .environment(
            "POINTSMAN_ACCESS_TOKEN",
            "sk_live_blackbox0secret0key0of0the0team",
        )
        .start_refused();
    assert!(
        !said.contains("blackbox0secret"),
        "the key is repeated: {said}"
    );
}

#[test]
fn without_a_given_key_the_first_start_makes_one_and_prints_it_once() {
    let mut server = Setup::new()
        .without_environment("POINTSMAN_ACCESS_TOKEN")
        .start();
    let printed = String::from_utf8_lossy(&server.output()).into_owned();
    let key = printed
        .split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .find(|word| word.starts_with("sk_test_"))
        .expect("the key is printed")
        .to_owned();
    assert_eq!(printed.matches(&key).count(), 1);
    server
        .shop_with(&key)
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    server.restart();
    let printed = String::from_utf8_lossy(&server.output()).into_owned();
    assert_eq!(
        printed.matches(&key).count(),
        1,
        "printed at the first start alone"
    );
    let answer: Answer = server.shop_with(&key).gql("{ __typename }", json!({}));
    answer.data();
}

/// The first UUID in the second list that the first has not.
fn new_word(before: &str, after: &str) -> String {
    after
        .split(|character: char| !(character.is_ascii_hexdigit() || character == '-'))
        .find(|word| word.len() == 36 && !before.contains(*word))
        .unwrap_or_else(|| panic!("no new key is listed: {after}"))
        .to_owned()
}
