//! `kill -9` in every state in which a payment waits.

use testkit::{Onward, Order, Setup, cards};

use crate::three_d_secure::BACK;

#[test]
fn killed_while_customers_are_away_they_come_back_to_the_new_process() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let order = Order::card(cards::CHALLENGE).three_ds(BACK);
    let challenged = shop.challenged(&order);
    let stored = shop.challenged(
        &Order::token(&shop.tokenise(cards::CHALLENGE))
            .later()
            .three_ds(BACK),
    );
    let fails = shop.challenged(&order);
    let approved = shop.sent_to_method(&Order::method("WALLETC", BACK));
    let refused = shop.sent_to_method(&Order::method("BNPLA", BACK));
    let given_up = shop.challenged(&order);
    let passed = shop.challenged(&order);
    let back = shop.decide(&passed, "complete");
    server.kill();
    server.restart();
    let shop = server.shop();
    for detour in [&challenged, &stored, &fails, &given_up] {
        shop.payment(&detour.id).assert_status("NEEDS_3D_SECURE");
    }
    shop.payment(&approved.id)
        .assert_status("NEEDS_APM_AUTHORIZATION");
    let completed = |detour: &testkit::Detour| shop.decide_and_return(detour, "complete");
    completed(&challenged)
        .assert_parameters(&[("id", &challenged.id), ("3ds_status", "COMPLETED")]);
    completed(&stored).assert_parameters(&[("id", &stored.id), ("3ds_status", "COMPLETED")]);
    completed(&approved).assert_parameters(&[("id", &approved.id), ("apm_status", "COMPLETED")]);
    assert_eq!(
        shop.decide_and_return(&fails, "fail")
            .parameter("3ds_status"),
        Some("FAILED")
    );
    assert_eq!(
        shop.decide_and_return(&refused, "fail")
            .parameter("apm_status"),
        Some("FAILED")
    );
    shop.abandon(&given_up.id).assert_status("DECLINED");
    Onward::of(&shop.visit(&back))
        .assert_parameters(&[("id", &passed.id), ("3ds_status", "COMPLETED")]);
    for (id, status) in [
        (&challenged.id, "SUCCEEDED"),
        (&stored.id, "AUTHORISED"),
        (&approved.id, "SUCCEEDED"),
        (&passed.id, "SUCCEEDED"),
        (&fails.id, "DECLINED"),
        (&refused.id, "DECLINED"),
    ] {
        shop.payment(id).assert_status(status);
    }
    shop.capture(&stored.id).assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn killed_while_time_or_the_processor_is_waited_for_it_goes_on() {
    let mut server = Setup::new()
        .config("[recovery]\nschedule = [\"1s\", \"2s\", \"4s\", \"8s\"]\n")
        .start();
    let shop = server.shop();
    let held = shop.authorise(cards::HELD);
    held.assert_status("GATEWAY_HOLD");
    let charged = shop.authorise(cards::UNKNOWN_CHARGED);
    charged.assert_status("NO_ANSWER_FROM_PSP");
    let delayed = shop.order(&Order::card(cards::VISA).flow("capture-after-delay"));
    delayed.assert_status("AUTHORISED");
    let refunded = shop.authorise(cards::SLOW_REFUND).id();
    shop.refund(&refunded, 100).assert_status("REFUND_PENDING");
    server.kill();
    server.restart();
    let shop = server.shop();
    for (id, status) in [
        (held.id(), "SUCCEEDED"),
        (charged.id(), "SUCCEEDED"),
        (delayed.id(), "SUCCEEDED"),
        (refunded, "PARTIAL_REFUNDED"),
    ] {
        let settled = shop.wait_for_status(&id, status);
        assert_eq!(settled.number("/capturedAmount"), 1000, "{}", settled.0);
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_life_time_that_ends_while_the_service_is_down_is_noticed_after_the_start() {
    let mut server = Setup::new()
        .setting("limits.three_d_secure_lifetime", "4s")
        .start();
    let shop = server.shop();
    let challenged = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let approval = shop.sent_to_method(&Order::method("IDEAL", BACK));
    server.kill();
    server.restart();
    let shop = server.shop();
    shop.wait_for_status(&challenged.id, "DECLINED");
    shop.wait_for_status(&approval.id, "CANCELLED");
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}

#[test]
fn killed_again_and_again_while_customers_come_back_each_is_charged_once() {
    let mut server = Setup::new().start();
    for round in 0..10_u64 {
        let shop = server.shop();
        let detours: Vec<_> = (0..4)
            .map(|_| shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK)))
            .collect();
        let backs: Vec<_> = detours
            .iter()
            .map(|detour| shop.decide(detour, "complete"))
            .collect();
        std::thread::scope(|scope| {
            for back in &backs {
                let path = testkit::path_of(back);
                let address = shop.address();
                scope.spawn(move || {
                    drop(testkit::http::Request::new("GET", path).try_send(address));
                });
            }
            // The moments are what is tried.
            std::thread::sleep(std::time::Duration::from_millis(3 * round));
            server.kill();
        });
        server.restart();
        let shop = server.shop();
        for (detour, back) in detours.iter().zip(&backs) {
            testkit::until(testkit::PATIENCE, "the customer is sent on", || {
                (shop.visit(back).status == 303).then_some(())
            });
            shop.wait_for_status(&detour.id, "SUCCEEDED");
        }
    }
    server.shop().assert_books_equal_payments();
}
