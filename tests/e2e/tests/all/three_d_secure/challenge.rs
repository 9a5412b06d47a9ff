//! The challenge: passed, failed, declined afterwards; and the addresses to which customers come back.

use serde_json::json;
use testkit::{Order, cards};

use super::BACK;
use crate::shared;

#[test]
fn a_passed_challenge_completes_the_payment() {
    let shop = shared::shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let page = shop.visit(&detour.url);
    assert_eq!(page.status, 200, "{}", page.text());
    assert!(
        page.header("content-type")
            .is_some_and(|kind| kind.starts_with("text/html"))
    );
    assert!(
        page.text().contains("outcome") && !page.text().contains("<script"),
        "{}",
        page.text()
    );
    let back = shop.decide(&detour, "complete");
    assert!(
        back.starts_with(&format!("http://{}/3ds/", shop.address())),
        "{back}"
    );
    shop.assert_books_agree_on(&detour.id);
    let onward = shop.visit(&back);
    let onward = testkit::Onward::of(&onward);
    assert_eq!(onward.base, BACK);
    onward.assert_parameters(&[("id", &detour.id), ("3ds_status", "COMPLETED")]);
    let payment = shop.payment(&detour.id);
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.number("/capturedAmount"), 1000);
    assert_eq!(payment.text("/eci"), "05");
    assert!(payment.text("/threeDSecureVersion").starts_with("2."));
    assert!(!payment.text("/threeDSecureAuthenticationResult").is_empty());
    let titles = payment.titles();
    let place = |wanted: &str| {
        titles
            .iter()
            .position(|title| title == wanted)
            .unwrap_or_else(|| panic!("no {wanted}: {titles:?}"))
    };
    assert!(
        place("Payment created") < place("3D Secure is required"),
        "{titles:?}"
    );
    assert!(
        place("3D Secure is required") < place("The customer has finished"),
        "{titles:?}"
    );
    assert!(
        place("The customer has finished") < place("Authorised and captured"),
        "{titles:?}"
    );
    assert_eq!(
        payment.at("/paymentTimeline/flows/0/flowId"),
        &json!("default")
    );
    assert_eq!(
        payment.at("/paymentTimeline/flows/0/flowInstanceId"),
        payment.at("/flowInstanceId")
    );
    shop.refund(&detour.id, 400)
        .assert_status("PARTIAL_REFUNDED");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn the_payment_is_captured_as_its_flow_says() {
    let shop = shared::shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).later().three_ds(BACK));
    shop.decide_and_return(&detour, "complete")
        .assert_parameters(&[("id", &detour.id), ("3ds_status", "COMPLETED")]);
    shop.payment(&detour.id).assert_status("AUTHORISED");
    shop.capture(&detour.id).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&detour.id);
    let delayed = shop.challenged(
        &Order::card(cards::CHALLENGE)
            .flow("capture-after-delay")
            .three_ds(BACK),
    );
    shop.decide_and_return(&delayed, "complete");
    shop.wait_for_status(&delayed.id, "SUCCEEDED");
    shop.assert_books_agree_on(&delayed.id);
}

#[test]
fn a_failed_challenge_declines_the_payment() {
    let shop = shared::shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let onward = shop.decide_and_return(&detour, "fail");
    assert_eq!(onward.base, BACK);
    onward.assert_parameters(&[
        ("id", &detour.id),
        ("3ds_status", "FAILED"),
        ("decline_code", "THREE_D_SECURE"),
    ]);
    let payment = shop.payment(&detour.id);
    payment.assert_status("DECLINED");
    assert_eq!(payment.decline_code(), "THREE_D_SECURE");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn an_issuer_may_decline_what_passed_the_challenge() {
    let shop = shared::shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE_THEN_DECLINED).three_ds(BACK));
    let onward = shop.decide_and_return(&detour, "complete");
    onward.assert_parameters(&[
        ("id", &detour.id),
        ("3ds_status", "COMPLETED"),
        ("decline_code", "GENERAL_DECLINE"),
    ]);
    let payment = shop.payment(&detour.id);
    payment.assert_status("DECLINED");
    assert_eq!(payment.decline_code(), "GENERAL_DECLINE");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn customers_go_where_the_shop_wants_them() {
    let shop = shared::shop();
    for (given, beginning) in [
        ("shop.example", "https://shop.example/?id="),
        ("localhost:3000/x", "http://localhost:3000/x?id="),
        ("com.shop.app://back", "com.shop.app://back?id="),
        (
            "https://shop.example/back?cart=7&x=a%20b",
            "https://shop.example/back?cart=7&x=a%20b&id=",
        ),
        (
            "http://shop.example:8080/a/b?",
            "http://shop.example:8080/a/b?id=",
        ),
    ] {
        let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(given));
        let onward = shop.decide_and_return(&detour, "complete");
        assert!(
            onward.url.starts_with(beginning),
            "{given} became {}",
            onward.url
        );
        assert_eq!(onward.parameter("id"), Some(detour.id.as_str()));
        assert_eq!(onward.parameter("3ds_status"), Some("COMPLETED"));
        assert_eq!(onward.parameter("decline_code"), None);
    }
}

#[test]
fn a_fragment_stays_behind_the_parameters() {
    let shop = shared::shop();
    let detour =
        shop.challenged(&Order::card(cards::CHALLENGE).three_ds("https://shop.example/#/done"));
    let onward = shop.decide_and_return(&detour, "complete");
    assert!(
        onward.url.starts_with("https://shop.example/?id=") && onward.url.ends_with("#/done"),
        "{}",
        onward.url
    );
}

#[test]
fn without_an_address_a_plain_page_says_how_it_went() {
    let shop = shared::shop();
    for (number, outcome, status) in [
        (cards::CHALLENGE, "complete", "SUCCEEDED"),
        (cards::CHALLENGE, "fail", "DECLINED"),
        (cards::CHALLENGE_THEN_DECLINED, "complete", "DECLINED"),
    ] {
        let detour = shop.challenged(&Order::card(number));
        let back = shop.decide(&detour, outcome);
        let page = shop.visit(&back);
        assert_eq!(page.status, 200, "{}", page.text());
        assert!(page.header("location").is_none());
        assert_eq!(
            page.text().contains("Thank you"),
            status == "SUCCEEDED",
            "{}",
            page.text()
        );
        assert!(page.text().contains("close this page"), "{}", page.text());
        shop.payment(&detour.id).assert_status(status);
    }
}

#[test]
fn without_an_address_a_payment_that_was_cancelled_afterwards_is_not_reported_as_paid() {
    let shop = shared::shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).flow("capture-by-api"));
    let back = shop.decide(&detour, "complete");
    assert!(shop.visit(&back).text().contains("Thank you"));
    shop.cancel(&detour.id).assert_status("CANCELLED");
    assert!(!shop.visit(&back).text().contains("Thank you"));
}

#[test]
fn addresses_that_lead_to_no_shop_are_refused() {
    let shop = shared::shop();
    for address in [
        "javascript:alert(1)",
        "JavaScript://x/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "mailto:a@shop.example",
        "https://user:secret@shop.example/",
        "https://",
        "https://shop example/",
        "https://shop.example/\nSet-Cookie: a=b",
        "blob:https://shop.example/x",
    ] {
        let plain = shop.try_authorise(&Order::card(cards::VISA).three_ds(address), None);
        plain.assert_invalid("redirectUrl");
        assert_eq!(
            plain.field(),
            Some("authorisePayment.perform3DSecure.redirectUrl")
        );
        let apm = shop.try_authorise(&Order::method("WALLETC", address), None);
        apm.assert_invalid("apmRedirectUrl");
        assert!(
            !plain.reply.text().contains(address) && !apm.reply.text().contains(address),
            "it repeats the input"
        );
    }
}
