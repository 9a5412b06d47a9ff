//! Customers who must act: 3D Secure and methods with pages of their own.

use serde_json::json;
use testkit::{Detour, Onward, Order, http::Request};

use super::{Desk, sale};

const CHALLENGED: &str = "4917610000000000";

impl Desk {
    fn open_address(&self, address: &str) -> testkit::http::Reply {
        let path = address.split_once("//").unwrap().1;
        let path = &path[path.find('/').unwrap()..];
        Request::new("GET", path).send(self.server.address())
    }

    /// The customer does what the page asks, and comes back to the service.
    fn comes_back(&self, page: &str, word: &str) -> Onward {
        let back = self.adyen.press(page, &format!("result={word}"));
        Onward::of(&self.open_address(&back))
    }

    fn asked(&self, order: &Order) -> Detour {
        let asked = self.shop.try_authorise(order, None);
        Detour::of(&asked, "error.authorize.requires3DSecure")
    }
}

fn challenged() -> Order {
    sale(CHALLENGED).with(
        "perform3DSecure",
        json!({"redirectUrl": "https://shop.example/back"}),
    )
}

#[test]
fn a_challenge_that_is_passed_is_charged_once_however_often_the_return_is_opened() {
    let desk = Desk::open();
    let away = desk.asked(&challenged());
    let back = desk.adyen.press(&away.url, "result=complete");
    // Adyen authorises nothing before it is given what the customer came back with.
    assert_eq!(desk.taken_and_given_back(), (0, 0));
    for _ in 0..5 {
        let onward = Onward::of(&desk.open_address(&back));
        assert_eq!(onward.base, "https://shop.example/back");
        let completed = ("3ds_status".to_owned(), "COMPLETED".to_owned());
        assert!(onward.parameters.contains(&completed));
    }
    let paid = desk.shop.payment(&away.id);
    paid.assert_status("SUCCEEDED");
    assert_eq!(paid.text("/eci"), "05");
    assert_eq!(paid.text("/threeDSecureVersion"), "2.2.0");
    assert_eq!(desk.taken_and_given_back(), (1000, 0));
}

#[test]
fn a_challenge_that_is_failed_charges_nothing() {
    let desk = Desk::open();
    let away = desk.asked(&challenged());
    let onward = desk.comes_back(&away.url, "fail");
    let failed = ("3ds_status".to_owned(), "FAILED".to_owned());
    assert!(onward.parameters.contains(&failed));
    let declined = desk.shop.payment(&away.id);
    declined.assert_status("DECLINED");
    assert_eq!(
        declined.text("/paymentCore/outcome/declineCode"),
        "THREE_D_SECURE"
    );
    assert_eq!(desk.taken_and_given_back(), (0, 0));
}

#[test]
fn a_return_with_made_up_or_stolen_parameters_changes_nothing() {
    let desk = Desk::open();
    let cheap = desk.asked(&challenged().amount(100));
    let dear = desk.asked(&challenged().amount(900_000));
    let stolen = desk.adyen.press(&cheap.url, "result=complete");
    let (_, result) = stolen.split_once("redirectResult=").unwrap();
    let own = desk.adyen.press(&dear.url, "result=fail");
    let (address, _) = own.split_once("redirectResult=").unwrap();
    for made_up in [
        format!("{address}redirectResult={result}"),
        format!("{address}redirectResult=made-up"),
        format!("{address}redirectResult="),
        address.to_owned(),
    ] {
        desk.open_address(&made_up);
        let status = desk.shop.payment(&dear.id).status().to_owned();
        assert_eq!(status, "NEEDS_3D_SECURE", "{made_up}");
    }
}

#[test]
fn a_payment_without_the_customer_is_never_sent_to_a_page() {
    let desk = Desk::open();
    let order = sale(CHALLENGED).with("initiator", json!("MERCHANT"));
    // Adyen asks nobody for a payment that the merchant makes.
    desk.shop.order(&order).assert_status("SUCCEEDED");
}

#[test]
fn methods_with_pages_of_their_own_are_paid_there_even_if_the_customer_does_not_come_back() {
    let desk = Desk::open();
    for method in ["IDEAL", "BNPLA"] {
        for comes_back in [true, false] {
            let order = Order::card("4242424242424242")
                .flow("adyen-now")
                .with("paymentMethod", json!({"type": method}))
                .with("apmRedirectUrl", json!("https://shop.example/back"));
            let asked = desk.shop.try_authorise(&order, None);
            let away = Detour::of(&asked, "error.authorize.requiresApmAuthorization");
            if comes_back {
                let onward = desk.comes_back(&away.url, "complete");
                let completed = ("apm_status".to_owned(), "COMPLETED".to_owned());
                assert!(onward.parameters.contains(&completed), "{method}");
            } else {
                desk.adyen.press(&away.url, "result=complete");
                desk.advance(1);
            }
            desk.shop.wait_for_status(&away.id, "SUCCEEDED");
        }
    }
    assert_eq!(desk.taken_and_given_back(), (4000, 0));
}
