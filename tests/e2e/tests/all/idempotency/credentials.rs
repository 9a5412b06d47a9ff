//! One key sent by several credentials of a team: it belongs to all of them, and a browser learns nothing by it.

use serde_json::{Value, json};
use testkit::{Answer, Order, Setup, Shop, at_once, cards};

use crate::shared;

fn for_ten_euros() -> Value {
    json!({"amount": 1000, "currency": "EUR"})
}

/// The key was used, and nothing is said of by what: neither an id, nor how it ended, nor whether it was the same.
#[track_caller]
fn says_nothing(answer: &Answer) {
    answer.assert_error("error.idempotency.key-reused");
    assert_eq!(answer.extension("id"), &Value::Null, "{}", answer.json());
    assert_eq!(answer.extension("first"), &Value::Null, "{}", answer.json());
    assert!(!answer.replayed());
    assert!(
        answer.message().contains("used by another credential"),
        "{}",
        answer.message()
    );
}

#[test]
fn what_a_browser_paid_the_server_does_not_pay_again_under_its_key() {
    let server = Setup::new().start();
    let shop = server.shop();
    let browser = shop.client(for_ten_euros());
    let order = Order::card(cards::VISA);
    let key = Shop::fresh_key();
    let first = browser.try_authorise(&order, Some(&key));
    assert_eq!(first.root()["status"], "SUCCEEDED", "{}", first.json());
    let again = shop.try_authorise(&order, Some(&key));
    assert!(again.replayed());
    assert_eq!(again.root()["id"], first.root()["id"]);
    // The page may leave the amount out; then the server's request is another one, and gets the payment.
    let key = Shop::fresh_key();
    let browser = shop.client(for_ten_euros());
    let bare = order.clone().without("amount").without("currencyCode");
    let first = browser.try_authorise(&bare, Some(&key));
    let reused = shop.try_authorise(&order, Some(&key));
    reused.assert_error("error.idempotency.key-reused");
    assert_eq!(reused.extension("id"), &first.root()["id"]);
    assert_eq!(shop.books().charges(), 2);
    // Its own token is returned as before.
    assert_eq!(
        browser.try_authorise(&bare, Some(&key)).reply.body,
        first.reply.body
    );
    shop.assert_books_equal_payments();
}

#[test]
fn what_the_server_paid_a_browser_neither_pays_again_nor_learns_of() {
    let server = Setup::new().start();
    let shop = server.shop();
    let order = Order::card(cards::VISA);
    let key = Shop::fresh_key();
    let first = shop.try_authorise(&order, Some(&key));
    assert_eq!(first.root()["status"], "SUCCEEDED");
    let (one, other) = (shop.client(for_ten_euros()), shop.client(for_ten_euros()));
    says_nothing(&one.try_authorise(&order, Some(&key)));
    let amended = Order::card(cards::MASTERCARD);
    says_nothing(&one.try_authorise(&amended, Some(&key)));
    // Nor of another browser's, whatever came of it.
    for card in [cards::VISA, "4242424242424241"] {
        let key = Shop::fresh_key();
        drop(one.try_authorise(&Order::card(card), Some(&key)));
        says_nothing(&other.try_authorise(&Order::card(card), Some(&key)));
    }
    assert_eq!(shop.books().charges(), 2);
    // It took no key: a new one pays.
    let paid = other.try_authorise(&order, Some(&Shop::fresh_key()));
    assert_eq!(paid.root()["status"], "SUCCEEDED", "{}", paid.json());
    shop.assert_books_equal_payments();
}

#[test]
fn a_browser_learns_nothing_of_a_request_that_is_under_way() {
    let server = Setup::new().start();
    let shop = server.shop();
    let browser = shop.client(for_ten_euros());
    let key = Shop::fresh_key();
    let slow = Order::card(cards::UNKNOWN_CHARGED);
    let answers = at_once(2, |n| {
        let asks = if n == 0 { &shop } else { &browser };
        asks.try_authorise(&slow, Some(&key))
    });
    assert_eq!(shop.books().charges(), 1);
    let payments = shop.every_payment();
    assert_eq!(payments.len(), 1);
    // No matter which was second: the server gets the payment, the browser only its own.
    assert_eq!(answers[0].root()["id"], payments[0].id().as_str());
    if answers[1].error_code().is_some() {
        says_nothing(&answers[1]);
    } else {
        assert_eq!(answers[1].root()["id"], payments[0].id().as_str());
    }
    shop.wait_for_status(&payments[0].id(), "SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn of_requests_with_one_key_at_once_one_payment_is_made() {
    let server = Setup::new().start();
    let shop = server.shop();
    for _ in 0..5 {
        let before = shop.books().charges();
        let browsers: Vec<Shop> = (0..4).map(|_| shop.client(for_ten_euros())).collect();
        let key = Shop::fresh_key();
        let answers = at_once(8, |n| {
            let asks = if n % 2 == 0 { &shop } else { &browsers[n / 2] };
            asks.try_authorise(&Order::card(cards::VISA), Some(&key))
        });
        assert_eq!(shop.books().charges(), before + 1);
        let reported: Vec<&Value> = answers
            .iter()
            .filter(|answer| answer.errors().is_empty())
            .map(|answer| &answer.root()["id"])
            .collect();
        assert!(reported.iter().all(|id| *id == reported[0]));
        for (n, answer) in answers.iter().enumerate() {
            if !answer.errors().is_empty() {
                assert_eq!(n % 2, 1, "a server is answered: {}", answer.json());
                says_nothing(answer);
            }
        }
    }
    shop.assert_books_equal_payments();
}

#[test]
fn one_key_makes_one_token_no_matter_who_sends_it() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let own = shop.client(json!({"customerId": customer}));
    let stranger = shop.client(for_ten_euros());
    let data =
        json!({"paymentMethod": {"card": Shop::card(cards::VISA)}, "customer": {"id": customer}});
    for server_first in [true, false] {
        let key = Shop::fresh_key();
        let before = shop.methods(&customer).len();
        let (first, second) = if server_first {
            (&shop, &own)
        } else {
            (&own, &shop)
        };
        let first = first.try_tokenise(data.clone(), Some(&key));
        let second = second.try_tokenise(data.clone(), Some(&key));
        assert!(second.replayed(), "{}", second.json());
        assert_eq!(second.root()["token"], first.root()["token"]);
        assert_eq!(shop.methods(&customer).len(), before + 1);
        // A browser that may not see the customer learns nothing, and a method of nobody's is made by none.
        let alone = json!({"paymentMethod": {"card": Shop::card(cards::VISA)}});
        says_nothing(&stranger.try_tokenise(alone, Some(&key)));
    }
    let key = Shop::fresh_key();
    let alone = json!({"paymentMethod": {"card": Shop::card(cards::VISA)}});
    let first = shop.try_tokenise(alone.clone(), Some(&key));
    assert!(first.root()["id"].is_string());
    says_nothing(&stranger.try_tokenise(alone.clone(), Some(&key)));
    let key = Shop::fresh_key();
    let first = stranger.try_tokenise(alone.clone(), Some(&key));
    says_nothing(&own.try_tokenise(alone.clone(), Some(&key)));
    let again = shop.try_tokenise(alone, Some(&key));
    assert_eq!(again.root()["id"], first.root()["id"]);
}

#[test]
fn customers_of_two_browsers_are_two_under_one_key() {
    let shop = shared::shop();
    let (one, other) = (shop.client(for_ten_euros()), shop.client(for_ten_euros()));
    let key = Shop::fresh_key();
    let ask = |shop: &Shop| {
        let made = shop.try_create_customer(json!({"customer": {"name": "Ada"}}), Some(&key));
        made.root().as_str().expect("an id").to_owned()
    };
    let made = [ask(&shop), ask(&one), ask(&other)];
    assert!(made[0] != made[1] && made[1] != made[2] && made[0] != made[2]);
    assert_eq!(made, [ask(&shop), ask(&one), ask(&other)]);
}
