//! Approval, refusal, and customers who never decide.

use serde_json::Value;
use testkit::{Onward, Order, Setup};

use crate::shared;
use crate::three_d_secure::BACK;

#[test]
fn an_approved_payment_succeeds() {
    let shop = shared::shop();
    for method in ["WALLETC", "BNPLA", "IDEAL"] {
        let detour = shop.sent_to_method(&Order::method(method, BACK));
        let waiting = shop.payment(&detour.id);
        waiting.assert_status("NEEDS_APM_AUTHORIZATION");
        assert!(
            waiting
                .titles()
                .iter()
                .any(|title| title == "The customer's approval is required")
        );
        assert_eq!(shop.visit(&detour.url).status, 200);
        let back = shop.decide(&detour, "complete");
        assert!(
            back.starts_with(&format!("http://{}/return/", shop.address())),
            "{back}"
        );
        let onward = Onward::of(&shop.visit(&back));
        assert_eq!(onward.base, BACK);
        onward.assert_parameters(&[("id", &detour.id), ("apm_status", "COMPLETED")]);
        assert_eq!(Onward::of(&shop.visit(&back)), onward);
        let payment = shop.payment(&detour.id);
        payment.assert_status("SUCCEEDED");
        assert_eq!(payment.text("/paymentCore/paymentMethod"), method);
        assert_eq!(
            payment.0["paymentMethodDetails"]["number"],
            Value::Null,
            "{}",
            payment.0
        );
        assert_eq!(
            payment.0["paymentMethodDetails"]["expires"],
            Value::Null,
            "{}",
            payment.0
        );
        shop.assert_books_agree_on(&detour.id);
    }
}

#[test]
fn a_refused_payment_is_declined() {
    let shop = shared::shop();
    let detour = shop.sent_to_method(&Order::method("WALLETC", BACK));
    let onward = shop.decide_and_return(&detour, "fail");
    onward.assert_parameters(&[
        ("id", &detour.id),
        ("apm_status", "FAILED"),
        ("decline_code", "PAYMENT_REJECTED"),
    ]);
    let payment = shop.payment(&detour.id);
    payment.assert_status("DECLINED");
    assert_eq!(payment.decline_code(), "PAYMENT_REJECTED");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn a_payment_that_nobody_approves_is_cancelled() {
    let server = Setup::new()
        .setting("limits.three_d_secure_lifetime", "4s")
        .start();
    let shop = server.shop();
    let detour = shop.sent_to_method(&Order::method("BNPLA", BACK));
    shop.wait_for_status(&detour.id, "CANCELLED");
    assert!(shop.visit(&detour.url).text().contains("This is over"));
    let onward = shop.decide_and_return(&detour, "complete");
    onward.assert_parameters(&[
        ("id", &detour.id),
        ("apm_status", "FAILED"),
        ("decline_code", "PAYMENT_CANCELLED"),
    ]);
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}

#[test]
fn approved_without_coming_back_it_is_found_when_it_is_read() {
    let shop = shared::shop();
    let detour = shop.sent_to_method(&Order::method("WALLETC", BACK));
    shop.decide(&detour, "complete");
    shop.payment(&detour.id).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn without_an_address_a_plain_page_says_how_it_went() {
    let shop = shared::shop();
    for (outcome, thanks) in [("complete", true), ("fail", false)] {
        let detour = shop.sent_to_method(&Order::method("IDEAL", BACK).without("apmRedirectUrl"));
        let back = shop.decide(&detour, outcome);
        let page = shop.visit(&back);
        assert_eq!(page.status, 200);
        assert_eq!(page.text().contains("Thank you"), thanks, "{}", page.text());
    }
}

#[test]
fn both_pages_of_one_shop_keep_to_their_own_address() {
    let shop = shared::shop();
    let order = Order::method("WALLETC", "https://shop.example/apm?x=1")
        .three_ds("https://shop.example/3ds");
    let detour = shop.sent_to_method(&order);
    let onward = shop.decide_and_return(&detour, "complete");
    assert!(
        onward.url.starts_with("https://shop.example/apm?x=1&id="),
        "{}",
        onward.url
    );
    assert_eq!(onward.parameter("3ds_status"), None);
}
