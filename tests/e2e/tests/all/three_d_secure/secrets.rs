//! Raw cards whose customer is sent away: the number lives on in the vault until the authorisation has ended.

use serde_json::json;
use testkit::{
    Needle, Order, PATIENCE, Server, Setup, cards, find_leaks, needles_of_code, needles_of_number,
    until,
};

use super::BACK;

const CODE: &str = "0917";

fn needles() -> Vec<Needle> {
    let numbers = [cards::CHALLENGE, cards::CHALLENGE_THEN_DECLINED]
        .into_iter()
        .flat_map(needles_of_number);
    numbers.chain(needles_of_code(CODE)).collect()
}

#[track_caller]
fn assert_no_leak(server: &Server) {
    let needles = needles();
    let found = find_leaks(&server.root(), &needles);
    assert!(found.is_empty(), "{}", found.join("\n"));
    let output = server.output();
    let reported: Vec<&str> = needles
        .iter()
        .filter(|needle| needle.is_in(&output))
        .map(|needle| needle.name.as_str())
        .collect();
    assert!(reported.is_empty(), "in the output: {reported:?}");
}

#[test]
fn a_raw_card_with_its_code_survives_the_wait_and_leaves_no_trace() {
    let server = Setup::new()
        .environment("POINTSMAN_LOG__LEVEL", "trace")
        .start();
    let shop = server.shop();
    for (number, outcome, status) in [
        (cards::CHALLENGE, "complete", "SUCCEEDED"),
        (cards::CHALLENGE, "fail", "DECLINED"),
        (cards::CHALLENGE_THEN_DECLINED, "complete", "DECLINED"),
    ] {
        let order = Order::card(number)
            .three_ds(BACK)
            .with("paymentMethod/card/cvc", json!(CODE));
        let detour = shop.challenged(&order);
        assert_no_leak(&server);
        shop.decide_and_return(&detour, outcome);
        shop.payment(&detour.id).assert_status(status);
        assert_no_leak(&server);
    }
    let waits =
        shop.challenged(&Order::card(cards::CHALLENGE).with("paymentMethod/card/cvc", json!(CODE)));
    shop.abandon(&waits.id).assert_status("DECLINED");
    shop.assert_books_equal_payments();
    assert_no_leak(&server);
}

#[test]
fn rotation_goes_on_while_a_raw_card_waits_and_after_it_is_erased() {
    let server = Setup::new().start();
    let shop = server.shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    server.run(&["vault", "rotate"]);
    shop.decide_and_return(&detour, "complete");
    shop.payment(&detour.id).assert_status("SUCCEEDED");
    let again = until(
        PATIENCE,
        "the payment's card is erased and shown masked",
        || {
            let payment = shop.payment(&detour.id);
            let number = payment.text("/paymentMethodDetails/number").to_owned();
            (number == cards::masked(cards::CHALLENGE)).then_some(payment)
        },
    );
    assert_eq!(again.text("/paymentMethodDetails/expires"), "11/2033");
    shop.assert_books_equal_payments();
}
