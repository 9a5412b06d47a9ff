//! What can be done with a payment once it is approved.

use serde_json::json;
use testkit::{Order, Setup};

use crate::three_d_secure::BACK;

#[test]
fn it_is_captured_cancelled_and_refunded_like_any_other() {
    let server = Setup::new().start();
    let shop = server.shop();
    let approved = |order: Order| {
        let detour = shop.sent_to_method(&order);
        shop.decide_and_return(&detour, "complete")
            .assert_parameters(&[("id", &detour.id), ("apm_status", "COMPLETED")]);
        detour.id
    };
    let later = approved(Order::method("WALLETC", BACK).later());
    shop.payment(&later).assert_status("AUTHORISED");
    assert_eq!(
        shop.try_capture(&later, json!(600)).root()["capturedAmount"],
        json!(600)
    );
    shop.refund(&later, 200).assert_status("PARTIAL_REFUNDED");
    shop.refund(&later, 400).assert_status("REFUNDED");
    let cancelled = approved(Order::method("BNPLA", BACK).later());
    shop.cancel(&cancelled).assert_status("CANCELLED");
    let sold = approved(Order::method("IDEAL", BACK));
    shop.refund(&sold, 1000).assert_status("REFUNDED");
    let delayed = approved(Order::method("IDEAL", BACK).flow("capture-after-delay"));
    shop.wait_for_status(&delayed, "SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn while_it_waits_nothing_else_can_be_done_with_it() {
    let server = Setup::new().start();
    let shop = server.shop();
    let detour = shop.sent_to_method(&Order::method("WALLETC", BACK));
    shop.try_capture(&detour.id, json!(null))
        .assert_error("error.capture.invalid-status");
    shop.try_cancel(&detour.id)
        .assert_error("error.cancel.invalid-status");
    shop.try_refund(&detour.id, json!(1))
        .assert_error("error.refund.invalid-status");
    shop.payment(&detour.id)
        .assert_status("NEEDS_APM_AUTHORIZATION");
    shop.assert_books_equal_payments();
}
