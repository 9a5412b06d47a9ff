//! Approvals: a flow waits for a person, before and after the authorisation, and over a restart.

use serde_json::json;
use testkit::{Order, Setup, cards};

use super::{decide, publish, titles};
use crate::shared;

fn before() -> serde_json::Value {
    json!({"name": "Approve first", "trigger": "payment", "steps": [
        {"approval": {"title": "Large order"}}, {"authorise": {"connection": "simulator-a"}},
    ]})
}

#[test]
fn an_approved_payment_is_authorised_also_after_a_crash() {
    let mut server = Setup::new().start();
    publish(&server.shop(), "approve-first", &before());
    let waiting = server
        .shop()
        .order(&Order::card(cards::VISA).flow("approve-first"));
    waiting.assert_status("ACTIVE");
    let instance = waiting.text("/flowInstanceId").to_owned();
    server.restart();
    let shop = server.shop();
    shop.payment(&waiting.id()).assert_status("ACTIVE");
    assert_eq!(decide(&shop, &instance, true).root(), &json!(true));
    let paid = shop.wait_for_status(&waiting.id(), "SUCCEEDED");
    assert!(
        titles(&paid).contains(&"Approved".to_owned()),
        "{:?}",
        titles(&paid)
    );
    decide(&shop, &instance, false).assert_error("error.flow.invalid-status");
    shop.payment(&waiting.id()).assert_status("SUCCEEDED");
}

#[test]
fn a_refused_payment_is_declined_and_never_sent() {
    let shop = shared::shop();
    publish(&shop, "approve-or-not", &before());
    let waiting = shop.order(&Order::card(cards::VISA).flow("approve-or-not"));
    let instance = waiting.text("/flowInstanceId").to_owned();
    decide(&shared::other_shop(), &instance, true).assert_error("error.flow.not-found");
    shop.payment(&waiting.id()).assert_status("ACTIVE");
    assert_eq!(decide(&shop, &instance, false).root(), &json!(true));
    let declined = shop.payment(&waiting.id());
    declined.assert_status("DECLINED");
    assert!(titles(&declined).contains(&"Not approved".to_owned()));
    assert!(!titles(&declined).contains(&"Authorisation started".to_owned()));
    decide(&shop, &instance, true).assert_error("error.flow.invalid-status");
    decide(&shop, "01929f6e-0000-7000-8000-000000000001", true)
        .assert_error("error.flow.not-found");
}

#[test]
fn refused_after_the_authorisation_it_stays_authorised() {
    let shop = shared::shop();
    publish(
        &shop,
        "approve-capture",
        &json!({"name": "Approve the capture", "trigger": "payment", "steps": [
            {"authorise": {"connection": "simulator-a"}}, {"approval": {"title": "Ship?"}}, {"capture": "now"},
        ]}),
    );
    let order = Order::card(cards::VISA).flow("approve-capture");
    let (kept, taken) = (shop.order(&order), shop.order(&order));
    for (payment, approve) in [(&kept, false), (&taken, true)] {
        payment.assert_status("AUTHORISED");
        assert_eq!(
            decide(&shop, payment.text("/flowInstanceId"), approve).root(),
            &json!(true)
        );
    }
    shop.wait_for_status(&taken.id(), "SUCCEEDED");
    shop.payment(&kept.id()).assert_status("AUTHORISED");
    shop.cancel(&kept.id()).assert_status("CANCELLED");
}
