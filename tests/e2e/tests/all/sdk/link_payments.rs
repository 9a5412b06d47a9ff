//! Payment links: made once, paid once, with the payments that were made by them.

use serde_json::{Value, json};
use testkit::{Server, Setup, Shop, at_once, cards};

use super::links::{browser, create, open, order, read};

/// What a client sends that makes a link.
const CREATE: &str = "mutation($amount: Long!) { createPaymentLink(amount: $amount, currencyCode: \"EUR\") { id url status intentId payments { paymentId } } }";

#[test]
fn the_same_request_under_one_key_makes_one_link() {
    let server = Setup::new().start();
    let shop = server.shop();
    let key = Shop::fresh_key();
    let made: Vec<Value> = at_once(8, |_| {
        let answer = shop.gql_once(CREATE, json!({"amount": 5099}), Some(&key));
        answer.root().clone()
    });
    assert!(made.iter().all(|link| *link == made[0]), "{made:?}");
    assert_eq!(made[0]["payments"], json!([]));
    let count = |list: &str| {
        let found = shop.gql(
            &format!("{{ {list} {{ edges {{ node {{ id }} }} }} }}"),
            json!({}),
        );
        found.root()["edges"].as_array().unwrap().len()
    };
    // Neither a second link nor an intent that nobody uses.
    assert_eq!((count("listPaymentLinks"), count("listIntents")), (1, 1));
    let other = shop.gql_once(CREATE, json!({"amount": 5100}), Some(&key));
    other.assert_error("error.idempotency.key-reused");
    // What is refused is refused again, and makes nothing.
    let key = Shop::fresh_key();
    for _ in 0..2 {
        let refused = shop.gql_once(CREATE, json!({"amount": 0}), Some(&key));
        refused.assert_invalid("amount");
    }
    assert_eq!(count("listPaymentLinks"), 1);
    // Another team's key of the same text is its own.
    let theirs = server.other_team();
    let theirs = theirs.gql_once(CREATE, json!({"amount": 5099}), Some(&key));
    assert_ne!(theirs.root()["id"], made[0]["id"]);
}

#[test]
fn a_link_lists_the_payments_that_were_made_by_it() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payments = |link: &Value| {
        let query =
            "query($id: ID!) { getPaymentLink(id: $id) { payments { paymentId status title } } }";
        let found = shop.gql(query, json!({"id": link["id"]})).root()["payments"].clone();
        let found = found.as_array().unwrap().iter();
        let found = found.map(|one| (one["paymentId"].clone(), one["status"].clone()));
        found.collect::<Vec<_>>()
    };
    for single_use in [true, false] {
        let link = create(&shop, json!({"singleUse": single_use}));
        let other = create(&shop, json!({"singleUse": single_use}));
        assert!(payments(&link).is_empty());
        let shown = |server: &Server| {
            let id = link["id"].as_str().unwrap();
            server.run(&["link", "show", id])
        };
        assert!(shown(&server).contains("Nobody has paid by it yet."));
        let visitor = browser(&server, &open(&server, &link));
        let declined = visitor.order(&order(cards::GENERAL_DECLINE, &link));
        let paid = visitor.order(&order(cards::VISA, &link));
        let expected = vec![
            (json!(declined.id()), json!("DECLINED")),
            (json!(paid.id()), json!("SUCCEEDED")),
        ];
        assert_eq!(payments(&link), expected);
        assert!(payments(&other).is_empty());
        let printed = shown(&server);
        for id in [declined.id(), paid.id()] {
            assert!(printed.contains(&id), "{printed}");
        }
        let listed = shop.gql(
            "{ listPaymentLinks { edges { node { payments { paymentId } } } } }",
            json!({}),
        );
        assert_eq!(listed.root()["edges"][0]["node"]["payments"], Value::Null);
    }
    // Another team has no such link.
    let link = create(&shop, json!({}));
    let query = "query($id: ID!) { getPaymentLink(id: $id) { payments { paymentId } } }";
    let theirs = server.other_team().gql(query, json!({"id": link["id"]}));
    theirs.assert_invalid("id");
    let none = server.command(&["link", "show", "x"]);
    assert!(!none.status.success());
}

#[test]
fn many_shoppers_in_many_windows_pay_a_link_once() {
    let server = Setup::new().start();
    let shop = server.shop();
    let link = create(&shop, json!({}));
    let windows: Vec<Shop> = (0..6)
        .map(|_| browser(&server, &open(&server, &link)))
        .collect();
    // Each window sends three requests at once: a click too many, and one repeated under its key.
    let answers = at_once(windows.len() * 3, |n| {
        let window = n % windows.len();
        let key = match n / windows.len() {
            0 | 1 => format!("window-{window}"),
            _ => Shop::fresh_key(),
        };
        let answer = windows[window].try_authorise(&order(cards::VISA, &link), Some(&key));
        answer.error_code().is_none()
    });
    // The window that pays gets its payment under each repetition of its key.
    let paid = answers.iter().filter(|paid| **paid).count();
    assert!((1..=2).contains(&paid), "{answers:?}");
    assert_eq!(shop.books().charges(), 1);
    assert_eq!(read(&shop, &link)["status"], "PAID");
    shop.assert_books_equal_payments();
}
