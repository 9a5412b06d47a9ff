//! The life of a security code: seen from outside it is nowhere.

use std::time::Duration;

use serde_json::json;
use testkit::{Order, Setup, Shop, cards, find_leaks, needles_of_code};

const CODE: &str = "0917";

#[test]
fn a_stored_card_with_a_code_pays_before_and_after_the_codes_life_has_ended() {
    let server = Setup::new().setting("vault.cvc_lifetime", "1s").start();
    let shop = server.shop();
    let mut card = Shop::card(cards::AMEX);
    card["cvc"] = json!(CODE);
    let answer = shop.try_tokenise(json!({"paymentMethod": {"card": card}}), None);
    let token = answer.root()["token"].as_str().unwrap();
    shop.order(&Order::token(token)).assert_status("SUCCEEDED");
    // Its life ends by time alone, and nothing outside shows it.
    std::thread::sleep(Duration::from_millis(1200));
    shop.order(&Order::token(token)).assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_code_is_in_no_file_and_in_no_output_not_even_while_it_lives() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let mut card = Shop::card(cards::AMEX);
    card["cvc"] = json!(CODE);
    let answer = shop.try_tokenise(json!({"paymentMethod": {"card": card}}), Some("code"));
    shop.order(&Order::card(cards::AMEX).with("paymentMethod/card/cvc", json!(CODE)))
        .assert_status("SUCCEEDED");
    let needles = needles_of_code(CODE);
    let shown = answer.reply.text();
    assert!(
        !needles.iter().any(|needle| needle.is_in(shown.as_bytes())),
        "{shown}"
    );
    assert_eq!(find_leaks(&server.root(), &needles), [""; 0]);
    server.kill();
    assert_eq!(find_leaks(&server.root(), &needles), [""; 0]);
    assert!(!needles.iter().any(|needle| needle.is_in(&server.output())));
}
