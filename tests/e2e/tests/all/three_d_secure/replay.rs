//! An idempotency key whose first request sent the customer away.

use testkit::{Answer, Detour, Order, Setup, Shop, cards};

use super::BACK;

const CODE: &str = "error.authorize.requires3DSecure";

#[track_caller]
fn assert_same(first: &Answer, again: &Answer) {
    assert!(again.replayed(), "{}", again.json());
    assert_eq!(first.reply.body, again.reply.body, "{}", again.json());
}

fn ask(shop: &Shop, key: &str) -> Answer {
    shop.try_authorise(&Order::card(cards::CHALLENGE).three_ds(BACK), Some(key))
}

#[test]
fn the_same_request_sends_the_customer_to_the_same_page_before_and_after() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let key = Shop::fresh_key();
    let first = ask(&shop, &key);
    assert!(!first.replayed());
    let detour = Detour::of(&first, CODE);
    assert_same(&first, &ask(&shop, &key));
    shop.decide_and_return(&detour, "complete");
    shop.payment(&detour.id).assert_status("SUCCEEDED");
    assert_same(&first, &ask(&shop, &key));
    server.kill();
    server.restart();
    let shop = server.shop();
    assert_same(&first, &ask(&shop, &key));
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn another_request_under_the_key_learns_of_the_first_one() {
    let server = Setup::new().start();
    let shop = server.shop();
    let key = Shop::fresh_key();
    let detour = Detour::of(&ask(&shop, &key), CODE);
    let other = || shop.try_authorise(&Order::card(cards::VISA).amount(2000), Some(&key));
    let refused = other();
    refused.assert_error("error.idempotency.key-reused");
    assert_eq!(refused.extension("first"), CODE);
    assert_eq!(refused.extension("id"), detour.id.as_str());
    shop.decide_and_return(&detour, "fail");
    let refused = other();
    refused.assert_error("error.idempotency.key-reused");
    assert_eq!(refused.extension("id"), detour.id.as_str());
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}

#[test]
fn a_key_is_asked_by_many_at_once_and_opens_one_page() {
    let server = Setup::new().start();
    let shop = server.shop();
    let key = Shop::fresh_key();
    let answers = testkit::at_once(8, |_| ask(&shop, &key));
    let first = Detour::of(&answers[0], CODE);
    for answer in &answers {
        let detour = Detour::of(answer, CODE);
        assert_eq!((&detour.id, &detour.url), (&first.id, &first.url));
    }
    assert_eq!(shop.every_payment().len(), 1);
    shop.assert_books_equal_payments();
}
