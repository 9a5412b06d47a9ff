//! Idempotency keys whose responses are not those of the request.

use super::*;

#[test]
fn a_key_that_tells_something_else() {
    let mut same = sale();
    same.said = vec![
        keyed(ordered(1, &same.payments[0]), "k"),
        keyed(ordered(2, &same.payments[0]), "k"),
    ];
    assert_eq!(broken_rules(&same), BTreeSet::new());
    let mut other = sale();
    let authorised = payment(&[("ACTIVE", &[STARTED]), ("AUTHORISED", &[UNSAID])], 0, 0);
    other.events = events(&[
        ("ACTIVE", &[STARTED]),
        ("AUTHORISED", &[UNSAID]),
        ("SUCCEEDED", &[SOLD]),
    ]);
    let settled = with(
        authorised.clone(),
        "paymentTimeline",
        json!({ "overview": [] }),
    );
    other.said = vec![
        keyed(ordered(1, &settled), "k"),
        keyed(ordered(2, &other.payments[0]), "k"),
    ];
    breaks("same-key-same-answer", &other);
}

#[test]
fn a_key_that_forgets_or_carries_out_another_request() {
    let mut forgets = sale();
    let under_way = error("error.idempotency.in-progress", "");
    forgets.said = vec![
        keyed(ordered(1, &forgets.payments[0]), "k"),
        keyed(ordered(2, &forgets.payments[0]), "k"),
    ];
    forgets.said[1].answer = Some(under_way);
    breaks("same-key-same-answer", &forgets);
    let mut another = sale();
    another.said = vec![
        keyed(ordered(1, &another.payments[0]), "k"),
        keyed(ordered(2, &another.payments[0]), "k"),
    ];
    another.said[1].asked = json!({ "order": { "orderId": "order-9", "amount": 1 } });
    breaks("same-key-same-answer", &another);
    another.said[1].answer = Some(error("error.idempotency.key-reused", ID));
    assert_eq!(broken_rules(&another), BTreeSet::new());
}
