//! Payments under way while flows and connections change, and flows that can't be used.

use serde_json::json;
use testkit::{Order, cards};

use super::{asked, server, shop};

#[test]
fn what_is_under_way_keeps_the_version_under_which_it_began() {
    let shop = shop();
    shop.connection("version-1", json!({}));
    shop.connection("version-2", json!({}));
    shop.publish(
        "changing",
        json!([{"delay": "6s"}, {"authorise": {"connection": "version-1"}}]),
    );
    let order = Order::card(cards::VISA).flow("changing");
    let old = shop.order(&order);
    shop.publish(
        "changing",
        json!([{"authorise": {"connection": "version-2"}}]),
    );
    let new = shop.order(&order);
    new.assert_status("SUCCEEDED").assert_says("version 2");
    assert_eq!(asked(&shop, &new), ["version-2"]);
    let old = shop.wait_for_status(&old.id(), "SUCCEEDED");
    old.assert_says("version 1");
    assert_eq!(asked(&shop, &old), ["version-1"]);
    assert_ne!(old.text("/flowInstanceId"), new.text("/flowInstanceId"));
}

#[test]
fn a_connection_that_is_switched_off_meanwhile_gets_nothing_more() {
    let shop = shop();
    shop.connection("gone", json!({}));
    shop.publish(
        "gone",
        json!([{"delay": "6s"}, {"authorise": {"connection": "gone"}}]),
    );
    let payment = shop.order(&Order::card(cards::VISA).flow("gone"));
    shop.disable_connection("gone");
    let declined = shop.wait_for_status(&payment.id(), "DECLINED");
    declined.assert_says("No connection");
    assert_eq!(
        declined.text("/paymentCore/outcome/declineCode"),
        "PROCESSING_ERROR"
    );
    assert_eq!(shop.books().of(&payment), []);
    shop.try_authorise(&Order::card(cards::VISA).flow("gone"), None);
}

#[test]
fn a_flow_without_a_usable_connection_makes_no_payment() {
    let shop = shop();
    shop.connection("closed-1", json!({}));
    shop.connection("closed-2", json!({}));
    let authorise = json!({"connection": "closed-1", "fallback": {"to": ["closed-2"]}});
    shop.publish("closed", json!([{"authorise": authorise}]));
    shop.disable_connection("closed-1");
    shop.disable_connection("closed-2");
    let order = Order::card(cards::VISA)
        .flow("closed")
        .with("orderId", json!("never"));
    shop.try_authorise(&order, None)
        .assert_error("error.connection.not-found");
    let none = shop
        .every_payment()
        .into_iter()
        .any(|payment| payment.0["orderId"] == "never");
    assert!(!none, "no payment was made");
}

#[test]
fn another_team_s_flow_and_connection_are_not_there() {
    let (shop, other) = (shop(), server().other_team());
    other.connection("theirs", json!({}));
    other.publish("theirs", json!([{"authorise": {"connection": "theirs"}}]));
    let answer = shop.try_authorise(&Order::card(cards::VISA).flow("theirs"), None);
    answer.assert_error("error.flow.not-found");
    assert!(!answer.message().contains("theirs"), "{}", answer.message());
    shop.try_authorise(&Order::card(cards::VISA).at("theirs"), None)
        .assert_error("error.connection.not-found");
    other
        .order(&Order::card(cards::VISA).flow("theirs"))
        .assert_status("SUCCEEDED");
}

#[test]
fn a_flow_that_there_is_not_is_reported_with_those_that_there_are() {
    let answer = shop().try_authorise(&Order::card(cards::VISA).flow("no-such-flow"), None);
    answer.assert_error("error.flow.not-found");
    for flow in ["capture-by-api", "fallback", "route-by-currency"] {
        assert!(answer.message().contains(flow), "{}", answer.message());
    }
}
