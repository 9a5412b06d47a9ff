//! Names of methods, and what does not fit together.

use serde_json::json;
use testkit::{Order, Shop, cards};

use crate::shared;
use crate::three_d_secure::BACK;

#[test]
fn the_public_names_are_understood_too() {
    let shop = shared::shop();
    for (given, shown) in [("PAYPAL", "WALLETC"), ("KLARNA", "BNPLA")] {
        let detour = shop.sent_to_method(&Order::method(given, BACK));
        assert_eq!(
            shop.payment(&detour.id).text("/paymentCore/paymentMethod"),
            shown
        );
        shop.decide_and_return(&detour, "complete");
        shop.payment(&detour.id).assert_status("SUCCEEDED");
    }
}

#[test]
fn what_does_not_fit_the_method_is_refused() {
    let shop = shared::shop();
    let token = shop.tokenise(cards::VISA);
    let order =
        |method: serde_json::Value| Order::method("WALLETC", BACK).with("paymentMethod", method);
    let with_card = order(json!({"type": "WALLETC", "card": Shop::card(cards::VISA)}));
    shop.try_authorise(&with_card, None).assert_invalid("card");
    shop.try_authorise(&order(json!({"type": "BNPLA", "token": token})), None)
        .assert_invalid("token");
    shop.try_authorise(&order(json!({"type": "WALLETA_PAY"})), None)
        .assert_error("error.validation");
    shop.try_authorise(&order(json!({"type": "CARD"})), None)
        .assert_error("error.validation");
    shop.try_authorise(&order(json!({"type": "CASH"})), None)
        .assert_badly_asked();
    shop.try_authorise(&order(json!({"type": "NO_SUCH_METHOD"})), None)
        .assert_badly_asked();
}

#[test]
fn nobody_who_is_not_there_is_sent_to_a_page() {
    let shop = shared::shop();
    let payment = shop.order(&Order::method("WALLETC", BACK).with("initiator", json!("MERCHANT")));
    payment.assert_status("DECLINED");
    assert_eq!(payment.decline_code(), "AUTHORIZATION_REQUIRED");
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn headless_a_method_waits_for_the_capture() {
    let shop = shared::shop();
    let detour = shop.sent_to_method(
        &Order::method("IDEAL", BACK).with("paymentProcessorConnectionId", json!("simulator-b")),
    );
    shop.decide_and_return(&detour, "complete");
    shop.payment(&detour.id).assert_status("AUTHORISED");
    shop.capture(&detour.id).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&detour.id);
}
