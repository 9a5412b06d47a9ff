//! Several captures of one authorisation, the release of the rest, and refunds that are divided among captures.

use serde_json::{Value, json};
use testkit::{Answer, Order, PATIENCE, Payment, Setup, Shop, at_once, cards, until};

use crate::{shared, three_d_secure::BACK};

/// Status, captured and refunded amounts.
fn stands(payment: &Payment) -> (&str, i64, i64) {
    let (captured, refunded) = ("/capturedAmount", "/refundedAmount");
    (
        payment.status(),
        payment.number(captured),
        payment.number(refunded),
    )
}

fn send(shop: &Shop, request: &testkit::http::Request) -> Answer {
    Answer::of(request.send(shop.address()))
}

#[test]
fn parts_are_captured_one_by_one_and_the_final_one_ends_it() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    let first = shop.capture_part(&id, 300);
    assert_eq!(stands(&first), ("AUTHORISED", 300, 0));
    shop.assert_books_agree_on(&id);
    assert_eq!(stands(&shop.capture_part(&id, 200)), ("AUTHORISED", 500, 0));
    let above = shop.try_capture_part(&id, 501);
    above.assert_error("error.capture.amount-exceeds-authorised");
    assert_eq!(above.extension("maxAmount"), &json!(500));
    assert_eq!(above.extension("id"), &json!(id));
    let refused = shop.try_refund(&id, json!(1));
    refused.assert_error("error.refund.invalid-status");
    assert_eq!(refused.extension("status"), "AUTHORISED");
    let last = Payment(shop.try_capture(&id, json!(400)).root().clone());
    assert_eq!(stands(&last), ("SUCCEEDED", 900, 0));
    for again in [
        shop.try_capture(&id, json!(1)),
        shop.try_capture_part(&id, 1),
    ] {
        again.assert_error("error.capture.invalid-status");
        assert_eq!(again.extension("status"), "SUCCEEDED");
    }
    shop.assert_books_agree_on(&id);
}

#[test]
fn a_capture_without_an_amount_takes_the_rest() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.capture_part(&id, 300);
    assert_eq!(stands(&shop.capture(&id)), ("SUCCEEDED", 1000, 0));
    shop.assert_books_agree_on(&id);
}

#[test]
fn parts_that_leave_nothing_end_it_too() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.capture_part(&id, 300);
    assert_eq!(stands(&shop.capture_part(&id, 700)), ("SUCCEEDED", 1000, 0));
    shop.try_cancel(&id)
        .assert_error("error.cancel.invalid-status");
    shop.assert_books_agree_on(&id);
}

#[test]
fn a_cancellation_releases_the_rest_and_leaves_the_captured() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.capture_part(&id, 300);
    assert_eq!(stands(&shop.cancel(&id)), ("SUCCEEDED", 300, 0));
    shop.try_capture(&id, Value::Null)
        .assert_error("error.capture.invalid-status");
    shop.try_cancel(&id)
        .assert_error("error.cancel.invalid-status");
    let above = shop.try_refund(&id, json!(301));
    above.assert_error("error.refund.amount-exceeds-captured");
    assert_eq!(above.extension("maxAmount"), &json!(300));
    assert_eq!(stands(&shop.refund(&id, 300)), ("REFUNDED", 300, 300));
    shop.assert_books_agree_on(&id);
}

#[test]
fn the_end_of_the_life_time_releases_the_rest() {
    let server = Setup::new()
        .setting("limits.authorisation_lifetime", "6s")
        .start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.capture_part(&id, 300).assert_status("AUTHORISED");
    let ended = shop.wait_for_status(&id, "SUCCEEDED");
    assert_eq!(stands(&ended), ("SUCCEEDED", 300, 0));
    shop.assert_books_equal_payments();
}

#[test]
fn a_refund_is_divided_among_the_captures_the_oldest_first() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.capture_part(&id, 300);
    shop.capture_part(&id, 200);
    shop.capture(&id);
    let part = shop.refund(&id, 400);
    assert_eq!(stands(&part), ("PARTIAL_REFUNDED", 1000, 400));
    let refunds = part.at("/refunds").as_array().unwrap();
    let amounts: Vec<&Value> = refunds.iter().map(|refund| &refund["amount"]).collect();
    assert_eq!(amounts, [&json!(300), &json!(100)]);
    assert_ne!(refunds[0]["id"], refunds[1]["id"]);
    for refund in refunds {
        assert_eq!(refund["status"], "SUCCEEDED");
        assert_eq!(refund["reason"], "goods came back");
    }
    let rest = Payment(shop.try_refund(&id, Value::Null).root().clone());
    assert_eq!(stands(&rest), ("REFUNDED", 1000, 1000));
    let charge = shop.books().charge(&rest);
    let of_each: Vec<i64> = charge.refunds.values().copied().collect();
    assert_eq!(of_each, [300, 200, 500], "{charge:?}");
    shop.assert_books_agree_on(&id);
}

#[test]
fn refunds_at_once_never_exceed_what_each_capture_has() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.capture_part(&id, 300);
    shop.capture_part(&id, 300);
    shop.capture(&id);
    let answers = at_once(20, |number| {
        let amount = 90 + i64::try_from(number).unwrap();
        shop.try_refund(&id, json!(amount))
    });
    for answer in &answers {
        let code = answer.error_code();
        let is_expected = matches!(
            code,
            None | Some("error.refund.amount-exceeds-captured" | "error.refund.invalid-status")
        );
        assert!(is_expected, "{}", answer.json());
    }
    let payment = shop.payment(&id);
    let charge = shop.books().charge(&payment);
    assert!(
        charge.refunded > 890 && charge.refunded <= 1000,
        "{charge:?}"
    );
    shop.assert_books_equal_payments();
}

#[test]
fn of_parts_and_a_cancellation_at_once_one_is_under_way_at_a_time() {
    let server = Setup::new().start();
    let shop = server.shop();
    for round in 0..10 {
        let id = shop.authorise_later(cards::VISA).id();
        let answers = at_once(9, |number| match (number + round) % 9 {
            0 => shop.try_cancel(&id),
            1 => shop.try_capture(&id, json!(150)),
            _ => shop.try_capture_part(&id, 150),
        });
        for answer in &answers {
            let is_expected = matches!(
                answer.error_code(),
                None | Some(
                    "error.payment.operation-in-progress"
                        | "error.capture.invalid-status"
                        | "error.cancel.invalid-status"
                        | "error.capture.amount-exceeds-authorised"
                )
            );
            assert!(is_expected, "{}", answer.json());
        }
        let captured = answers.iter().filter(|answer| {
            answer.errors().is_empty() && !answer.data()["capturePayment"].is_null()
        });
        let parts = i64::try_from(captured.count()).unwrap();
        let payment = shop.payment(&id);
        assert_eq!(
            payment.number("/capturedAmount"),
            150 * parts,
            "{payment:?}"
        );
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_second_capture_without_an_answer_leaves_the_first_and_is_found_out() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::SILENT_LATER).id();
    shop.capture_part(&id, 300).assert_status("AUTHORISED");
    // A read looks it up.
    let first = testkit::until(testkit::PATIENCE, "the first part is known", || {
        Some(shop.payment(&id)).filter(|payment| payment.number("/capturedAmount") == 300)
    });
    first.assert_status("AUTHORISED");
    let second = shop.capture_part(&id, 200);
    assert_eq!(stands(&second), ("AUTHORISED", 300, 0));
    let found = testkit::until(testkit::PATIENCE, "the second part is known", || {
        Some(shop.payment(&id)).filter(|payment| payment.number("/capturedAmount") == 500)
    });
    found.assert_status("AUTHORISED");
    shop.try_capture_part(&id, 501)
        .assert_error("error.capture.amount-exceeds-authorised");
    shop.cancel(&id);
    let ended = shop.wait_for_status(&id, "SUCCEEDED");
    assert_eq!(stands(&ended), ("SUCCEEDED", 500, 0));
    shop.assert_books_equal_payments();
}

#[test]
fn while_a_part_has_no_answer_nothing_else_begins() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::SILENT_LATER).id();
    shop.try_capture_part(&id, 300).data();
    for answer in [
        shop.try_capture_part(&id, 100),
        shop.try_capture(&id, Value::Null),
        shop.try_cancel(&id),
        shop.try_refund(&id, json!(1)),
    ] {
        answer.assert_error("error.payment.operation-in-progress");
        assert_eq!(answer.extension("id"), &json!(id));
    }
    testkit::until(testkit::PATIENCE, "the part is known", || {
        Some(shop.payment(&id)).filter(|payment| payment.number("/capturedAmount") == 300)
    });
    shop.assert_books_equal_payments();
}

#[test]
fn a_part_under_a_key_is_captured_once_and_whether_it_is_final_belongs_to_the_request() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    let key = Shop::fresh_key();
    let request = shop.capture_part_request(&id, 300, Some(&key));
    let (first, again) = (send(&shop, &request), send(&shop, &request));
    assert!(!first.replayed() && again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    let is_final = send(&shop, &shop.capture_request(&id, json!(300), Some(&key)));
    is_final.assert_error("error.idempotency.key-reused");
    assert_eq!(stands(&shop.payment(&id)), ("AUTHORISED", 300, 0));
    // What is left out is true.
    let other = Shop::fresh_key();
    let left_out = shop.capture_request(&id, json!(200), Some(&other));
    assert_eq!(send(&shop, &left_out).root()["status"], "SUCCEEDED");
    let said = "mutation($id: ID!, $amount: Long) { capturePayment(id: $id, amount: $amount, final: true) { status } }";
    let said = shop.gql_once(said, json!({"id": id, "amount": 200}), Some(&other));
    assert!(said.replayed(), "{}", said.json());
    shop.assert_books_agree_on(&id);
}

#[test]
fn a_divided_refund_under_a_key_is_made_once() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.capture_part(&id, 300);
    shop.capture(&id);
    let key = Shop::fresh_key();
    let request = shop.refund_request(&id, json!(500), Some(&key));
    let (first, again) = (send(&shop, &request), send(&shop, &request));
    assert!(!first.replayed() && again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    let refunded = Payment(first.root().clone());
    assert_eq!(stands(&refunded), ("PARTIAL_REFUNDED", 1000, 500));
    assert_eq!(stands(&shop.payment(&id)), ("PARTIAL_REFUNDED", 1000, 500));
    shop.assert_books_agree_on(&id);
}

#[test]
fn a_divided_refund_without_answers_is_found_out_whole() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::SILENT_LATER).id();
    shop.capture_part(&id, 300);
    testkit::until(testkit::PATIENCE, "the part is known", || {
        Some(shop.payment(&id)).filter(|payment| payment.number("/capturedAmount") == 300)
    });
    shop.capture(&id);
    shop.wait_for_status(&id, "SUCCEEDED");
    shop.refund(&id, 500).assert_status("REFUND_PENDING");
    let refunded = shop.wait_for_status(&id, "PARTIAL_REFUNDED");
    assert_eq!(stands(&refunded), ("PARTIAL_REFUNDED", 1000, 500));
    shop.assert_books_equal_payments();
}

#[test]
fn a_processor_that_takes_one_capture_is_not_asked_for_several() {
    let server = Setup::new().start();
    let shop = server.shop();
    let detour = shop.sent_to_method(&Order::method("WALLETC", BACK).later());
    shop.decide_and_return(&detour, "complete");
    let id = detour.id;
    let refused = shop.try_capture_part(&id, 300);
    refused.assert_error("error.validation");
    assert_eq!(refused.field(), Some("final"));
    let payment = shop.payment(&id);
    assert_eq!(stands(&payment), ("AUTHORISED", 0, 0));
    let titles = payment.at("/paymentTimeline/overview").to_string();
    assert!(!titles.contains("Capture started"), "{titles}");
    let captured = Payment(shop.try_capture(&id, json!(300)).root().clone());
    assert_eq!(stands(&captured), ("SUCCEEDED", 300, 0));
    shop.assert_books_equal_payments();
}

#[test]
fn another_team_can_not_capture_a_part() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    let id = shop.authorise_later(cards::VISA).id();
    other
        .try_capture_part(&id, 300)
        .assert_error("error.payment.not-found");
    assert_eq!(stands(&shop.payment(&id)), ("AUTHORISED", 0, 0));
}

#[test]
fn what_is_not_authorised_is_not_captured_in_parts() {
    let shop = shared::shop();
    let (sold, cancelled) = (
        shop.authorise(cards::VISA).id(),
        shop.authorise_later(cards::VISA).id(),
    );
    shop.cancel(&cancelled);
    let declined = shop.authorise(cards::GENERAL_DECLINE).id();
    for (id, status) in [
        (sold, "SUCCEEDED"),
        (cancelled, "CANCELLED"),
        (declined, "DECLINED"),
    ] {
        let refused = shop.try_capture_part(&id, 300);
        refused.assert_error("error.capture.invalid-status");
        assert_eq!(refused.extension("status"), status);
    }
}

#[test]
fn the_parts_and_the_release_are_events() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.capture_part(&id, 300);
    shop.cancel(&id);
    let kinds = json!(["payment.captured", "payment.released", "payment.cancelled"]);
    let query = "query($kinds: [String!]) { listEvents(first: 10, kinds: $kinds) { edges { node { kind data } } } }";
    // On a server an event is shown once no older commit can come any more.
    let events = until(PATIENCE, "both events are shown", || {
        let listed = shop.gql(query, json!({"kinds": kinds}));
        let events = listed.root()["edges"].as_array()?.clone();
        (events.len() >= 2).then_some(events)
    });
    let found: Vec<(&Value, &Value, &Value, &Value)> = events
        .iter()
        .map(|edge| &edge["node"])
        .map(|event| {
            let data = &event["data"];
            (
                &event["kind"],
                &data["amount"],
                &data["status"],
                &data["final"],
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                &json!("payment.captured"),
                &json!(300),
                &json!("AUTHORISED"),
                &json!(false)
            ),
            (
                &json!("payment.released"),
                &json!(700),
                &json!("SUCCEEDED"),
                &Value::Null
            ),
        ]
    );
}
