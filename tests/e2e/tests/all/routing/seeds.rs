//! The flows that a sandbox begins with.

use serde_json::json;
use testkit::{Order, cards};

use super::{asked, shop};

#[test]
fn fallback_goes_on_at_the_second_connection_when_the_first_is_down() {
    let shop = shop();
    let payment = shop.order(&Order::card(cards::VISA).flow("fallback"));
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.text("/connectionId"), "simulator-b");
    assert_eq!(payment.text("/flowId"), "fallback");
    assert_eq!(asked(&shop, &payment), ["simulator-b"]);
    assert!(
        payment.says("Falling back") || payment.says("Connection left out"),
        "{:?}",
        payment.lines()
    );
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn route_by_currency_sends_euros_one_way_and_everything_else_the_other() {
    let shop = shop();
    for (currency, connection) in [
        ("EUR", "simulator-a"),
        ("USD", "simulator-b"),
        ("JPY", "simulator-b"),
    ] {
        let payment = shop.order(
            &Order::card(cards::VISA)
                .currency(currency)
                .flow("route-by-currency"),
        );
        payment.assert_status("SUCCEEDED");
        assert_eq!(payment.text("/connectionId"), connection, "{currency}");
        assert_eq!(asked(&shop, &payment), [connection]);
        shop.assert_books_agree_on(&payment.id());
    }
}

#[test]
fn capture_after_delay_is_authorised_then_captured_by_itself() {
    let shop = shop();
    let payment = shop.order(&Order::card(cards::VISA).flow("capture-after-delay"));
    payment.assert_status("AUTHORISED");
    let captured = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert_eq!(captured.number("/capturedAmount"), 1000);
    assert_eq!(shop.books().charge(&payment).captured, 1000);
}

#[test]
fn before_its_delay_is_over_it_can_be_captured_or_cancelled_by_hand() {
    let shop = shop();
    // As the flow of the sandbox, with time enough for a busy machine.
    shop.publish(
        "capture-late",
        json!([{"authorise": {"connection": "simulator-a"}}, {"capture": {"after": "8s"}}]),
    );
    let order = Order::card(cards::VISA).flow("capture-late");
    let (one, two) = (shop.order(&order), shop.order(&order));
    shop.try_capture(&one.id(), 300.into()).data();
    shop.cancel(&two.id()).assert_status("CANCELLED");
    // Their captures would be due before that of a payment that is made now.
    let marker = shop.order(&order);
    shop.wait_for_status(&marker.id(), "SUCCEEDED");
    assert_eq!(
        shop.payment(&one.id()).number("/capturedAmount"),
        300,
        "it is captured once"
    );
    shop.payment(&two.id()).assert_status("CANCELLED");
    shop.assert_books_agree_on(&one.id());
    shop.assert_books_agree_on(&two.id());
}

#[test]
fn capture_by_api_waits_for_the_shop() {
    let shop = shop();
    let payment = shop.order(&Order::card(cards::VISA).flow("capture-by-api"));
    payment.assert_status("AUTHORISED");
    assert_eq!(shop.books().charge(&payment).captured, 0);
    shop.capture(&payment.id()).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn the_run_of_the_flow_is_reported() {
    let payment = shop().order(&Order::card(cards::VISA).flow("route-by-currency"));
    let flows = payment.at("/paymentTimeline/flows").as_array().unwrap();
    assert_eq!(flows.len(), 1);
    assert_eq!(flows[0]["flowId"], "route-by-currency");
    assert_eq!(flows[0]["flowInstanceId"], payment.0["flowInstanceId"]);
    assert!(
        flows[0]["name"].is_string() && flows[0]["date"].is_string(),
        "{flows:?}"
    );
    assert_eq!(payment.text("/paymentProcessingOrigin"), "AUTOMATION");
}
