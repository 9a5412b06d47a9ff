//! What Adyen reports by itself.

use serde_json::json;
use testkit::{cards, http::Request};

use super::{Desk, hold, sale};

#[test]
fn a_refund_that_fails_days_after_it_succeeded_goes_back() {
    let desk = Desk::open();
    let paid = desk.shop.order(&sale("4000000000005126"));
    desk.shop.refund(&paid.id(), 1000);
    desk.advance(2);
    desk.shop.wait_for_status(&paid.id(), "REFUNDED");
    desk.advance(10);
    let back = desk.shop.wait_for_status(&paid.id(), "SUCCEEDED");
    assert_eq!(back.number("/capturedAmount"), 1000);
    assert_eq!(desk.taken_and_given_back(), (1000, 0));
}

#[test]
fn a_lost_answer_is_settled_by_the_notification_as_what_was_asked_for() {
    for (order, status, taken) in [
        (sale(cards::VISA), "SUCCEEDED", 1000),
        (hold(cards::VISA), "AUTHORISED", 0),
    ] {
        let desk = Desk::open();
        desk.break_next("lost-after", 1, "/v72/payments");
        let unknown = desk.shop.order(&order);
        desk.shop.wait_for_status(&unknown.id(), status);
        assert_eq!(desk.payments().len(), 1);
        assert_eq!(desk.taken_and_given_back(), (taken, 0));
    }
}

#[test]
fn copies_of_a_notification_change_nothing() {
    let desk = Desk::open();
    desk.adyen
        .post("/_sim/faults", "fault=hook-twice&times=100");
    let held = desk.shop.order(&hold(cards::VISA));
    desk.shop.try_capture(&held.id(), json!(1000));
    desk.advance(2);
    let stood = desk.shop.wait_for_status(&held.id(), "SUCCEEDED");
    assert_eq!(stood.number("/capturedAmount"), 1000);
    desk.advance(10);
    let stood = desk.shop.payment(&held.id());
    assert_eq!(stood.number("/capturedAmount"), 1000);
}

#[test]
fn what_adyen_did_not_sign_has_no_effect() {
    let desk = Desk::open();
    desk.adyen
        .post("/_sim/faults", "fault=hook-forged&times=100");
    let paid = desk.shop.order(&sale(cards::VISA));
    let url = desk.save(&json!({}))["notificationUrl"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = &url[url.find("/notifications/").unwrap()..];
    let body = json!({"live": "false", "notificationItems": [{"NotificationRequestItem": {
        "pspReference": "QFQTPCQ8HXSKGK82",
        "merchantAccountCode": "ShopECOM",
        "merchantReference": format!("{}-1", paid.id()),
        "amount": {"value": 1000, "currency": "EUR"},
        "eventCode": "CANCELLATION",
        "success": "true",
        "additionalData": {"hmacSignature": "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0="},
    }}]});
    let forged = Request::new("POST", path)
        .header("Authorization", "Basic YWR5ZW46c2VjcmV0")
        .body(body.to_string().as_bytes())
        .send(desk.server.address());
    assert_eq!(forged.status, 401, "{}", forged.text());
    assert_eq!(desk.shop.payment(&paid.id()).status(), "SUCCEEDED");
}

#[test]
fn an_authorisation_that_expires_at_adyen_is_cancelled_here() {
    let desk = Desk::open();
    let held = desk.shop.order(&hold(cards::VISA));
    desk.advance(700_000);
    desk.shop.wait_for_status(&held.id(), "CANCELLED");
    let requests = desk.adyen.books()["modifications"].clone();
    assert_eq!(requests.as_array().map(Vec::len), Some(0), "{requests}");
}

#[test]
fn a_refund_that_nobody_here_asked_for_is_not_booked() {
    let desk = Desk::open();
    let paid = desk.shop.order(&sale(cards::VISA));
    let path = format!("/v72/payments/{}/refunds", paid.text("/sourceId"));
    let body = json!({"merchantAccount": "ShopECOM", "amount": {"value": 300, "currency": "EUR"}});
    let asked = Request::new("POST", &path)
        .header("x-api-key", "AQE_somebody_else")
        .header("Content-Type", "application/json")
        .body(body.to_string().as_bytes())
        .send(desk.adyen.address());
    assert_eq!(asked.status, 201, "{}", asked.text());
    desk.advance(2);
    let query = "{ listNotifications(connectionId: \"adyen\", first: 50) { edges { node { type status } } } }";
    testkit::until(testkit::PATIENCE, "the refund is reported", || {
        let listed = desk.shop.gql(query, json!({}));
        let edges = listed.root()["edges"].as_array()?.clone();
        let found = edges
            .iter()
            .find(|edge| edge["node"]["type"] == json!("REFUND"))?;
        (found["node"]["status"] == json!("UNKNOWN_PAYMENT")).then_some(())
    });
    assert_eq!(desk.shop.payment(&paid.id()).status(), "SUCCEEDED");
}
