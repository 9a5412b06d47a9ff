//! Charges, refunds and checkouts that are not what was asked for.

use super::*;

#[test]
fn a_charge_of_nobody() {
    let mut lost = sale();
    lost.entries
        .push(with(entry(1, AMOUNT, 0), "reference", "0002-1"));
    breaks("charge-has-payment", &lost);
}

#[test]
fn books_that_say_something_else() {
    breaks("books-equal-payments", &world(&SALE, AMOUNT, 0, &[]));
    breaks(
        "books-equal-payments",
        &world(&FAILED, 0, 0, &[entry(1, 0, 0)]),
    );
    breaks(
        "books-equal-payments",
        &world(&FAILED, 0, 0, &[entry(1, AMOUNT, 0)]),
    );
    breaks(
        "books-equal-payments",
        &world(&PART, AMOUNT, 300, &[entry(1, AMOUNT, 200)]),
    );
    let held = [
        ("ACTIVE", [STARTED].as_slice()),
        ("AUTHORISED", &[AUTHORISED]),
    ];
    assert_eq!(
        broken_rules(&world(&held, 0, 0, &[entry(1, 0, 0)])),
        BTreeSet::new()
    );
    breaks("books-equal-payments", &world(&held, 0, 0, &[]));
}

#[test]
fn two_live_authorisations() {
    let sold = [
        ("ACTIVE", [STARTED].as_slice()),
        ("SUCCEEDED", &[SOLD, LATE]),
    ];
    let mut two = world(
        &sold,
        AMOUNT,
        0,
        &[entry(1, AMOUNT, AMOUNT), entry(2, AMOUNT, 0)],
    );
    assert_eq!(broken_rules(&two), BTreeSet::new());
    two.notes.insert(0, entry(1, AMOUNT, 0));
    // It was given back only after the other one.
    two.notes.swap(1, 2);
    breaks("one-live-authorisation", &two);
}

#[test]
fn more_refunded_than_captured() {
    let mut books = sale();
    books.notes.push(entry(1, AMOUNT, AMOUNT + 1));
    breaks("refunds-captures-authorisations", &books);
    let pending = json!([{ "status": "pending", "amount": 800 }]);
    let mut promised = world(&PART, AMOUNT, 300, &[entry(1, AMOUNT, 300)]);
    promised
        .notes
        .push(with(entry(1, AMOUNT, 300), "refunds", pending));
    breaks("refunds-captures-authorisations", &promised);
    let mut answers = sale();
    let refunds = json!([{ "id": "refunds:1", "amount": 600, "status": "PENDING" }, { "id": "refunds:2", "amount": 600, "status": "PENDING" }]);
    let payment = with(answers.payments[0].clone(), "refunds", refunds);
    answers.said.push(said(
        2,
        "getPayment",
        json!({ "id": ID }),
        answer("getPayment", &payment),
    ));
    breaks("refunds-captures-authorisations", &answers);
}

#[test]
fn two_charges_of_one_checkout() {
    let mut two = sale();
    alongside(&mut two, &sale());
    assert_eq!(broken_rules(&two), BTreeSet::new());
    for one in &mut two.said {
        one.checkout = Some("intents:1".to_owned());
    }
    breaks("one-payment-for-each-checkout", &two);
}

#[test]
fn an_order_that_became_another_amount_or_currency() {
    let dollars = with(entry(1, AMOUNT, 0), "currency", "USD");
    breaks(
        "asked-for-what-was-ordered",
        &world(&SALE, AMOUNT, 0, &[dollars]),
    );
    let more = with(entry(1, AMOUNT, 0), "authorised", AMOUNT + 1);
    breaks(
        "asked-for-what-was-ordered",
        &world(&SALE, AMOUNT, 0, &[more]),
    );
}

#[test]
fn what_was_done_more_often_than_asked() {
    let mut twice = sale();
    alongside(&mut twice, &sale());
    twice.payments[1] = with(twice.payments[1].clone(), "orderId", "order-1");
    twice.said.pop();
    breaks("done-once-for-each-request", &twice);
    let mut unasked = world(&PART, AMOUNT, 300, &[entry(1, AMOUNT, 300)]);
    unasked.said.retain(|said| said.verb != "refundPayment");
    breaks("done-once-for-each-request", &unasked);
    let part = [
        ("ACTIVE", [STARTED].as_slice()),
        ("AUTHORISED", &[AUTHORISED, CAPTURE]),
        ("SUCCEEDED", &[CAPTURED]),
    ];
    let mut part = world(&part, 400, 0, &[entry(1, 400, 0)]);
    breaks("done-once-for-each-request", &part);
    part.said.push(said(
        2,
        "capturePayment",
        json!({ "id": ID, "amount": 400 }),
        answer("capturePayment", &part.payments[0]),
    ));
    assert_eq!(broken_rules(&part), BTreeSet::new());
}

#[test]
fn a_payment_that_succeeded_while_more_can_be_captured_of_it() {
    let words = [
        ("ACTIVE", [STARTED].as_slice()),
        ("AUTHORISED", &[AUTHORISED, CAPTURE]),
        ("SUCCEEDED", &[CAPTURED]),
    ];
    let of_parts = |captures: Value| {
        let booked = with(entry(1, 400, 0), "captures", captures);
        let mut books = world(&words, 400, 0, &[booked]);
        for part in [300, 100] {
            let asked = json!({ "id": ID, "amount": part });
            let answered = answer("capturePayment", &books.payments[0]);
            books.said.push(said(2, "capturePayment", asked, answered));
        }
        books
    };
    let part = |amount: i64| json!({ "status": "done", "amount": amount, "final": false });
    let last = json!({ "status": "done", "amount": 100 });
    assert_eq!(
        broken_rules(&of_parts(json!([part(300), last]))),
        BTreeSet::new()
    );
    breaks(
        "books-equal-payments",
        &of_parts(json!([part(300), part(100)])),
    );
}

#[test]
fn a_charge_that_was_given_back_in_silence() {
    breaks(
        "late-charges-are-reported",
        &world(&FAILED, 0, 0, &[entry(1, AMOUNT, AMOUNT)]),
    );
    breaks(
        "late-charges-are-reported",
        &world(&FAILED, 0, 0, &[cancelled(1)]),
    );
}

#[test]
fn a_checkout_that_is_not_freed() {
    let mut kept = world(&FAILED, 0, 0, &[]);
    let refused = error("error.authorize.payment-already-authorized", ID);
    let asked = json!({ "order": { "orderId": "order-2", "amount": AMOUNT } });
    kept.said.push(said(2, "authorizePayment", asked, refused));
    breaks("a-checkout-is-freed", &kept);
    // What was asked before its end came was refused rightly.
    kept.said[1].began = 1;
    assert_eq!(broken_rules(&kept), BTreeSet::new());
}
