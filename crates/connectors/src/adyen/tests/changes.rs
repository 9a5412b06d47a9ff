//! Captures, cancellations, refunds and look-ups.

use connector::{
    CallError, Cancel, Capture, Connector, Earlier, LaterAnswer, LookUp, Reference, Refund,
};
use serde_json::{Value, json};

use super::{Asked, OURS, Stage, euros, now, reference};
use crate::adyen::Adyen;

type Later = (Result<LaterAnswer, CallError>, Vec<Asked>);

fn earlier<'a>(reference: &'a Reference, processor_id: Option<&'a str>) -> Earlier<'a> {
    Earlier {
        reference,
        processor_id,
    }
}

fn captured(processor_id: Option<&str>, answers: &[(u16, Value)]) -> Later {
    let (stage, about, own) = (Stage::with(answers), reference(1), reference(2));
    let call = Capture {
        reference: &own,
        authorisation: earlier(&about, processor_id),
        money: euros(600),
        is_final: true,
        reason: None,
    };
    let answer = now(Adyen.capture(&stage.link(), &call));
    (answer, stage.asked())
}

fn refunded(reason: Option<&str>, answers: &[(u16, Value)]) -> Later {
    let (stage, about, own) = (Stage::with(answers), reference(1), reference(2));
    let call = Refund {
        reference: &own,
        authorisation: earlier(&about, Some("PAY1")),
        capture: None,
        money: euros(600),
        reason,
    };
    let answer = now(Adyen.refund(&stage.link(), &call));
    (answer, stage.asked())
}

fn cancelled(processor_id: Option<&str>, answers: &[(u16, Value)]) -> Later {
    let (stage, about, own) = (Stage::with(answers), reference(1), reference(2));
    let call = Cancel {
        reference: &own,
        authorisation: earlier(&about, processor_id),
        money: euros(1000),
        asked: None,
        reason: None,
    };
    let answer = now(Adyen.cancel(&stage.link(), &call));
    (answer, stage.asked())
}

const OWN: &str = "01890000-0000-7000-8000-000000000001-2";

fn received() -> Value {
    json!({"status": "received", "pspReference": "MOD1", "paymentPspReference": "PAY1", "reference": OWN, "merchantAccount": "ShopECOM"})
}

#[test]
fn changes_are_pending_under_an_id_of_their_own() {
    let mut with_amount = received();
    with_amount["amount"] = json!({"value": 600, "currency": "EUR"});
    let (answer, asked) = captured(Some("PAY1"), &[(201, with_amount.clone())]);
    assert!(
        matches!(&answer, Ok(LaterAnswer::Pending { processor_id, booked })
            if processor_id.as_deref() == Some("MOD1") && booked.is_some_and(|booked| booked.money == euros(600))),
        "{answer:?}"
    );
    assert_eq!(
        asked[0].url,
        "checkout-test.adyen.com/v72/payments/PAY1/captures"
    );
    assert_eq!(
        asked[0].body(),
        json!({
            "merchantAccount": "ShopECOM",
            "reference": OWN,
            "amount": {"value": 600, "currency": "EUR"},
            "lineItems": [{"id": "1", "description": "Capture", "quantity": 1, "amountIncludingTax": 600}],
        })
    );
    let (answer, asked) = refunded(Some("customer request"), &[(201, with_amount)]);
    assert!(
        matches!(answer, Ok(LaterAnswer::Pending { .. })),
        "{answer:?}"
    );
    assert_eq!(
        asked[0].url,
        "checkout-test.adyen.com/v72/payments/PAY1/refunds"
    );
    assert_eq!(asked[0].body()["merchantRefundReason"], "CUSTOMER REQUEST");
    let (_, asked) = refunded(Some("it was blue"), &[]);
    assert_eq!(asked[0].body().get("merchantRefundReason"), None);
}

#[test]
fn a_payment_without_an_id_is_cancelled_by_our_reference_alone() {
    let (answer, asked) = cancelled(Some("PAY1"), &[(201, received())]);
    assert!(
        matches!(answer, Ok(LaterAnswer::Pending { .. })),
        "{answer:?}"
    );
    assert_eq!(
        asked[0].url,
        "checkout-test.adyen.com/v72/payments/PAY1/cancels"
    );
    assert_eq!(
        asked[0].body(),
        json!({"merchantAccount": "ShopECOM", "reference": OWN})
    );
    let answered = json!({"status": "received", "pspReference": "MOD1", "paymentReference": OURS, "reference": OWN});
    let (answer, asked) = cancelled(None, &[(201, answered)]);
    assert!(
        matches!(answer, Ok(LaterAnswer::Pending { .. })),
        "{answer:?}"
    );
    assert_eq!(asked[0].url, "checkout-test.adyen.com/v72/cancels");
    assert_eq!(
        asked[0].body(),
        json!({"merchantAccount": "ShopECOM", "reference": OWN, "paymentReference": OURS})
    );
    let (answer, asked) = captured(None, &[]);
    assert!(
        matches!(answer, Ok(LaterAnswer::Refused { .. })),
        "{answer:?}"
    );
    assert!(asked.is_empty());
}

#[test]
fn a_change_is_taken_for_none_only_where_adyen_says_so() {
    let error = json!({"status": 422, "errorCode": "167", "errorType": "validation"});
    let (answer, _) = captured(Some("PAY1"), &[(422, error)]);
    assert!(
        matches!(&answer, Ok(LaterAnswer::Refused { reason, .. }) if &**reason == "167 (validation)"),
        "{answer:?}"
    );
    let with = |name: &str, value: &str| {
        let mut answer = received();
        answer[name] = json!(value);
        answer
    };
    for (status, body) in [
        (500, json!({})),
        (201, with("status", "done")),
        (201, with("paymentPspReference", "PAY2")),
        (201, with("reference", "another")),
        (201, json!({"status": "received"})),
    ] {
        let (answer, _) = captured(Some("PAY1"), &[(status, body.clone())]);
        assert!(
            matches!(answer, Err(CallError::Unknown { .. })),
            "{body}: {answer:?}"
        );
    }
    // What is no id of Adyen's gets into no path.
    let (answer, asked) = captured(Some("../PAY1"), &[]);
    assert!(
        matches!(answer, Err(CallError::Rejected { .. })),
        "{answer:?}"
    );
    assert!(asked.is_empty());
}

#[test]
fn a_look_up_asks_nobody_and_proves_nothing() {
    assert_eq!(Adyen.descriptor().not_found_final_after, None);
    let reference = reference(1);
    let about = Earlier {
        reference: &reference,
        processor_id: None,
    };
    let call = LookUp::new(about, about);
    let stage = Stage::with(&[]);
    let found = now(Adyen.look_up(&stage.link(), &call));
    assert!(found.unwrap().is_nothing());
    assert!(stage.asked().is_empty());
}
