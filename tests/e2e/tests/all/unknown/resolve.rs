//! `resolvePayment`: a person settles what nobody else can.

use serde_json::json;
use testkit::{Answer, Payment, Server, Setup, Shop, cards};

/// A server that does not look up by itself; as long as nobody reads the payment it stays unknown.
fn server_without_look_ups() -> Server {
    Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start()
}

fn resolve(shop: &Shop, id: &str, outcome: &str, evidence: &str) -> Answer {
    let query = format!(
        "mutation($id: ID!, $outcome: ResolvedOutcome!, $evidence: String!) {{ \
         resolvePayment(id: $id, outcome: $outcome, evidence: $evidence) {{ {} }} }}",
        testkit::PAYMENT_FIELDS
    );
    shop.gql(
        &query,
        json!({"id": id, "outcome": outcome, "evidence": evidence}),
    )
}

#[test]
fn each_outcome_settles_an_unknown_payment_and_keeps_the_evidence() {
    let server = server_without_look_ups();
    let shop = server.shop();
    for (card, later, outcome, status) in [
        (cards::UNKNOWN_CHARGED, false, "CAPTURED", "SUCCEEDED"),
        (cards::UNKNOWN_CHARGED, true, "AUTHORISED", "AUTHORISED"),
        (cards::UNKNOWN_NOT_CHARGED, false, "NOT_CHARGED", "FAILED"),
    ] {
        let payment = if later {
            shop.authorise_later(card)
        } else {
            shop.authorise(card)
        };
        payment.assert_status("NO_ANSWER_FROM_PSP");
        let settled = Payment(
            resolve(&shop, &payment.id(), outcome, "statement of 3 May, line 7")
                .root()
                .clone(),
        );
        settled.assert_status(status);
        assert!(
            settled
                .at("/paymentTimeline")
                .to_string()
                .contains("statement of 3 May, line 7"),
            "{}",
            settled.0
        );
        shop.payment(&payment.id()).assert_status(status);
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_refund_without_an_answer_is_settled_too() {
    let server = server_without_look_ups();
    let shop = server.shop();
    let paid = shop.authorise(cards::SILENT_LATER);
    shop.refund(&paid.id(), 400);
    let id = paid.id();
    resolve(&shop, &id, "NOT_CHARGED", "a letter").assert_error("error.resolve.invalid-status");
    let settled = Payment(
        resolve(&shop, &id, "REFUNDED", "line 9 of the statement")
            .root()
            .clone(),
    );
    settled.assert_status("PARTIAL_REFUNDED");
    assert!(
        settled
            .at("/paymentTimeline")
            .to_string()
            .contains("line 9 of the statement"),
        "{}",
        settled.0
    );
    resolve(&shop, &id, "REFUNDED", "line 9 of the statement")
        .assert_error("error.resolve.invalid-status");
    shop.assert_books_equal_payments();
}

#[test]
fn a_payment_whose_outcome_is_known_cannot_be_resolved() {
    let server = server_without_look_ups();
    let shop = server.shop();
    for card in [cards::VISA, cards::GENERAL_DECLINE] {
        let payment = shop.authorise(card);
        let answer = resolve(&shop, &payment.id(), "NOT_CHARGED", "a letter");
        assert_eq!(
            answer.root_of_failure(),
            "resolvePayment",
            "{}",
            answer.json()
        );
        assert_eq!(shop.payment(&payment.id()).status(), payment.status());
    }
    shop.assert_books_equal_payments();
}

#[test]
fn evidence_is_needed_and_the_payment_must_exist() {
    let server = server_without_look_ups();
    let shop = server.shop();
    let id = shop.authorise(cards::UNKNOWN_CHARGED).id();
    resolve(&shop, &id, "CAPTURED", "").assert_invalid("evidence");
    resolve(&shop, &id, "CAPTURED", &"x".repeat(100_000)).assert_invalid("evidence");
    resolve(
        &shop,
        "payments:0192a000-0000-7000-8000-000000000000",
        "CAPTURED",
        "x",
    )
    .assert_error("error.payment.not-found");
    assert_eq!(
        resolve(&shop, &id, "MAYBE", "x").root_of_failure(),
        "resolvePayment"
    );
}

#[test]
fn a_resolution_stands_after_a_restart() {
    let mut server = server_without_look_ups();
    let id = server.shop().authorise(cards::UNKNOWN_CHARGED).id();
    resolve(&server.shop(), &id, "CAPTURED", "a letter").data();
    server.kill();
    server.restart();
    server.shop().payment(&id).assert_status("SUCCEEDED");
    server.shop().assert_books_equal_payments();
}
