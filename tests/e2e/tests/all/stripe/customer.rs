//! Customers who must act: 3D Secure and methods with pages of their own.

use serde_json::json;
use testkit::{Detour, Onward, http::Request};

use super::{Desk, sale};

const CHALLENGED: &str = "4000002760003184";

impl Desk {
    /// The customer does what the page asks, and comes back to the service.
    pub(super) fn comes_back(&self, page: &str, word: &str) -> Onward {
        let back = self.stripe.press(page, &format!("result={word}"));
        Onward::of(&self.open(&back))
    }

    fn open(&self, address: &str) -> testkit::http::Reply {
        let path = address.split_once("//").unwrap().1;
        let path = &path[path.find('/').unwrap()..];
        Request::new("GET", path).send(self.server.address())
    }
}

fn challenged() -> testkit::Order {
    sale(CHALLENGED).with(
        "perform3DSecure",
        json!({"redirectUrl": "https://shop.example/back"}),
    )
}

#[test]
fn a_challenge_that_is_passed_is_charged_once_however_often_the_return_is_opened() {
    let desk = Desk::quiet();
    let asked = desk.shop.try_authorise(&challenged(), None);
    let away = Detour::of(&asked, "error.authorize.requires3DSecure");
    let back = desk.stripe.press(&away.url, "result=complete");
    // Stripe charges nothing before the service has checked the checkout again.
    assert_eq!(desk.taken_and_given_back(), (0, 0));
    for _ in 0..5 {
        let onward = Onward::of(&desk.open(&back));
        assert_eq!(onward.base, "https://shop.example/back");
        assert!(
            onward
                .parameters
                .contains(&("3ds_status".to_owned(), "COMPLETED".to_owned()))
        );
    }
    let paid = desk.shop.payment(&away.id);
    paid.assert_status("SUCCEEDED");
    assert_eq!(paid.text("/eci"), "05");
    assert_eq!(paid.text("/threeDSecureVersion"), "2.2.0");
    assert_eq!(desk.taken_and_given_back(), (1000, 0));
}

#[test]
fn a_challenge_that_is_failed_charges_nothing() {
    let desk = Desk::quiet();
    let asked = desk.shop.try_authorise(&challenged(), None);
    let away = Detour::of(&asked, "error.authorize.requires3DSecure");
    let onward = desk.comes_back(&away.url, "fail");
    assert!(
        onward
            .parameters
            .contains(&("3ds_status".to_owned(), "FAILED".to_owned()))
    );
    let declined = desk.shop.payment(&away.id);
    declined.assert_status("DECLINED");
    assert_eq!(
        declined.text("/paymentCore/outcome/declineCode"),
        "THREE_D_SECURE"
    );
    assert_eq!(desk.taken_and_given_back(), (0, 0));
}

#[test]
fn a_return_with_made_up_parameters_changes_nothing() {
    let desk = Desk::quiet();
    let asked = desk.shop.try_authorise(&challenged(), None);
    let away = Detour::of(&asked, "error.authorize.requires3DSecure");
    let intent = desk.at_stripe("payment_intents")[0].clone();
    let back = intent["next_action"]["redirect_to_url"]["return_url"]
        .as_str()
        .unwrap()
        .to_owned();
    let made_up = format!("{back}?payment_intent=pi_other&redirect_status=succeeded");
    assert_eq!(desk.open(&made_up).status, 200);
    assert_eq!(desk.shop.payment(&away.id).status(), "NEEDS_3D_SECURE");
    assert_eq!(desk.taken_and_given_back(), (0, 0));
}

#[test]
fn a_payment_without_the_customer_is_never_sent_to_a_page() {
    let desk = Desk::quiet();
    let order = sale(CHALLENGED).with("initiator", json!("MERCHANT"));
    let declined = desk.shop.order(&order);
    declined.assert_status("DECLINED");
    let outcome = declined.at("/paymentCore/outcome");
    assert_eq!(outcome["declineCode"], "AUTHORIZATION_REQUIRED");
    assert_eq!(outcome["declineType"], "SOFT");
}

#[test]
fn methods_with_pages_of_their_own_are_paid_there() {
    let desk = Desk::quiet();
    for (method, currency) in [("IDEAL", "EUR"), ("BNPLA", "EUR"), ("BAN_CONTACT", "EUR")] {
        let order = testkit::Order::card("4242424242424242")
            .flow("stripe-now")
            .currency(currency)
            .with("paymentMethod", json!({"type": method}))
            .with("customer", json!({"email": "ada@example.com", "name": "Ada Byron", "billingAddress": {"country": "BE"}}))
            .with("apmRedirectUrl", json!("https://shop.example/back"));
        let asked = desk.shop.try_authorise(&order, None);
        let away = Detour::of(&asked, "error.authorize.requiresApmAuthorization");
        let onward = desk.comes_back(&away.url, "complete");
        assert!(
            onward
                .parameters
                .contains(&("apm_status".to_owned(), "COMPLETED".to_owned())),
            "{method}"
        );
        desk.shop.payment(&away.id).assert_status("SUCCEEDED");
    }
    assert_eq!(desk.taken_and_given_back(), (3000, 0));
}
