//! A connection that fails again and again is rested, then tried, then used again.

use serde_json::json;
use testkit::{Order, PATIENCE, Server, Setup, cards, until};

use super::asked;

fn resting(server: &Server) -> String {
    let text = server.shop().get("/metrics").text();
    let line = text
        .lines()
        .find(|line| line.starts_with("pointsman_connections_resting "));
    line.and_then(|line| line.rsplit(' ').next())
        .unwrap_or("absent")
        .to_owned()
}

#[test]
fn after_failures_in_a_row_it_is_left_out_then_tried_by_one_then_used_again() {
    let server = Setup::new()
        .setting("routing.rest_after", "3")
        .setting("routing.rest_for", "12s")
        .start();
    let shop = server.shop();
    shop.connection("ill", json!({"fault": "fails"}));
    shop.connection("well", json!({}));
    shop.publish(
        "rested",
        json!([{"authorise": {"connection": "ill", "fallback": {"to": ["well"]}}}]),
    );
    let pay = || {
        let payment = shop.order(&Order::card(cards::VISA).flow("rested"));
        payment.assert_status("SUCCEEDED");
        (asked(&shop, &payment), payment)
    };
    assert_eq!(resting(&server), "0");
    for _ in 0..3 {
        assert_eq!(pay().0, ["ill", "well"]);
    }
    assert_eq!(resting(&server), "1");
    let (asked, payment) = pay();
    assert_eq!(asked, ["well"], "it is rested: {:#?}", payment.lines());
    payment.assert_says("ill: it rests after repeated failures");

    shop.connection("ill", json!({}));
    let probe = until(PATIENCE, "its rest is over", || {
        let (asked, payment) = pay();
        (asked == ["ill"]).then_some(payment)
    });
    probe.assert_says("to see whether it is well again");
    assert_eq!(resting(&server), "0");
    let (asked, payment) = pay();
    assert_eq!(asked, ["ill"]);
    assert!(
        !payment.says("well again"),
        "one payment is enough: {:#?}",
        payment.lines()
    );
    shop.assert_books_equal_payments();
}

#[test]
fn where_there_is_no_other_it_is_asked_although_it_rests() {
    let server = Setup::new()
        .setting("routing.rest_after", "1")
        .setting("routing.rest_for", "1h")
        .start();
    let shop = server.shop();
    shop.connection("only", json!({"fault": "down"}));
    shop.publish("only", json!([{"authorise": {"connection": "only"}}]));
    shop.order(&Order::card(cards::VISA).flow("only"))
        .assert_status("FAILED");
    shop.connection("only", json!({}));
    let payment = shop.order(&Order::card(cards::VISA).flow("only"));
    payment.assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn declines_are_no_failures_of_a_connection() {
    let server = Setup::new()
        .setting("routing.rest_after", "2")
        .setting("routing.rest_for", "1h")
        .start();
    let shop = server.shop();
    for _ in 0..4 {
        shop.authorise(cards::GENERAL_DECLINE)
            .assert_status("DECLINED");
        shop.authorise(cards::INSUFFICIENT_FUNDS)
            .assert_status("DECLINED");
    }
    assert_eq!(resting(&server), "0");
}

#[test]
fn a_rest_that_makes_no_sense_stops_the_start() {
    for (name, value) in [
        ("routing.rest_after", "0"),
        ("routing.rest_for", "0s"),
        ("routing.rest_for", "soon"),
    ] {
        let said = Setup::new().setting(name, value).start_refused();
        assert!(said.contains(name), "{said}");
    }
}
