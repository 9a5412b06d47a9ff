//! The vault is away while the store is there.

use serde_json::json;
use testkit::{Backend, Order, Postgres, Setup, cards};

use super::hold;

#[test]
fn a_card_that_cannot_be_kept_makes_no_payment() {
    let server = Setup::new()
        .on(Backend::Embedded)
        .setting("server.request_timeout", "5s")
        .start();
    let shop = server.shop();
    let vault = hold(&server.data_dir(), "vault.db");
    let answer = shop.try_authorise(&Order::card(cards::VISA), None);
    answer.assert_error("error.unavailable");
    let stored = shop.try_tokenise(
        json!({"paymentMethod": {"card": testkit::Shop::card(cards::VISA)}}),
        None,
    );
    stored.assert_error("error.unavailable");
    assert_eq!(shop.every_payment().len(), 0);
    assert_eq!(shop.books().charges(), 0);
    vault.execute_batch("rollback").unwrap();
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_payment_whose_number_cannot_be_opened_says_why_and_nothing_is_sent() {
    let vault: &'static Postgres = Box::leak(Box::new(Postgres::start(&[])));
    let server = Setup::new()
        .on(Backend::Postgres)
        .setting("vault.database_url", &vault.url())
        .setting("database.patience", "1s")
        .start();
    let shop = server.shop();
    let token = shop.tokenise(cards::VISA);
    shop.order(&Order::token(&token)).assert_status("SUCCEEDED");
    vault.control("kill");
    let key = testkit::Shop::fresh_key();
    let answer = shop.try_authorise(&Order::token(&token), Some(&key));
    if answer.error_code().is_some() {
        answer.assert_error("error.unavailable");
    } else {
        let payment = testkit::Payment(answer.root().clone());
        payment.assert_status("FAILED");
        payment.assert_says("the vault could not be reached, so nothing was sent");
        assert!(
            !payment.says("not stored any more"),
            "{:#?}",
            payment.lines()
        );
        let reason = payment.at("/paymentCore/outcome/reason").to_string();
        assert!(
            reason.contains("The vault could not be reached"),
            "{reason}"
        );
    }
    assert_eq!(shop.books().charges(), 1);
    shop.try_authorise(&Order::card(cards::VISA), None)
        .assert_error("error.unavailable");
    vault.control("start");
    testkit::until(testkit::PATIENCE, "the vault is back", || {
        let paid = shop.try_authorise(&Order::token(&token), None);
        let paid = paid.json()["data"]["authorizePayment"]["status"] == "SUCCEEDED";
        paid.then_some(())
    });
    shop.assert_books_equal_payments();
}
