//! Captures, cancellations, refunds and reversals, and what comes of them later.

use serde_json::{Value, json};

use super::{Account, Capture, Client, altered, card};

fn several() -> Client {
    Client::with(Account {
        capture: Capture::Manual,
        several_captures: true,
        ..Account::default()
    })
}

#[test]
fn a_change_is_received_and_its_outcome_notified() {
    let mut client = Client::new();
    let psp = client.pay("J. Smith").psp();
    let asked = client.modify(&psp, "captures", Some(1000));
    assert_eq!((asked.status, asked.text("/status")), (201, "received"));
    assert_eq!(asked.text("/paymentPspReference"), psp);
    assert_ne!(asked.psp(), psp);
    assert_eq!(client.balance(), 0);
    client.wait(1);
    let item = client.last();
    assert_eq!(item["eventCode"], "CAPTURE");
    assert_eq!(item["success"], "true");
    assert_eq!(item["pspReference"], json!(asked.psp()));
    assert_eq!(item["originalReference"], json!(psp));
    assert_eq!(item["merchantReference"], "captures-1", "its own reference");
    assert_eq!(client.balance(), 1000);
    let unknown = client.modify("ABCDEFGHIJKLMNOP", "captures", Some(1000));
    assert_eq!((unknown.status, unknown.text("/errorCode")), (422, "167"));
}

#[test]
fn a_partial_capture_releases_the_rest_unless_several_are_on() {
    for (mut client, second) in [
        (Client::new(), "CAPTURE false"),
        (several(), "CAPTURE true"),
    ] {
        let psp = client.pay("J. Smith").psp();
        client.modify(&psp, "captures", Some(400));
        client.wait(1);
        client.modify(&psp, "captures", Some(500));
        client.wait(1);
        assert_eq!(client.events().pop().unwrap(), second);
        client.modify(&psp, "captures", Some(101));
        client.wait(1);
        assert_eq!(client.events().pop().unwrap(), "CAPTURE false");
        assert_eq!(client.last()["reason"], "Insufficient balance on payment");
    }
    let mut client = several();
    let psp = client.pay("J. Smith").psp();
    client.modify(&psp, "captures", Some(400));
    client.wait(1);
    client.modify(&psp, "cancels", None);
    client.wait(1);
    assert_eq!(client.events().pop().unwrap(), "CANCELLATION true");
    client.modify(&psp, "captures", Some(100));
    client.wait(1);
    assert_eq!(client.events().pop().unwrap(), "CAPTURE false");
    assert_eq!(client.balance(), 400);
}

#[test]
fn captures_at_once_take_the_money_once() {
    let mut client = Client::new();
    let psp = client.pay("J. Smith").psp();
    client.modify(&psp, "captures", Some(1000));
    client.modify(&psp, "captures", Some(1000));
    client.wait(1);
    assert_eq!(client.events()[1..], ["CAPTURE true", "CAPTURE false"]);
    assert_eq!(client.balance(), 1000);
}

#[test]
fn a_refund_needs_what_was_captured() {
    let mut client = Client::new();
    let psp = client.pay("J. Smith").psp();
    client.modify(&psp, "refunds", Some(100));
    client.wait(1);
    assert_eq!(
        client.last()["reason"],
        "Transaction hasn't been captured, refund not possible"
    );
    client.modify(&psp, "captures", Some(1000));
    client.wait(1);
    for (value, event) in [
        (600, "REFUND true"),
        (401, "REFUND false"),
        (400, "REFUND true"),
    ] {
        let asked = client.modify(&psp, "refunds", Some(value));
        assert_eq!(asked.view["amount"]["value"], json!(value));
        client.wait(1);
        assert_eq!(client.events().pop().unwrap(), event);
    }
    assert_eq!(client.balance(), 0);
    let body = json!({"merchantAccount": "ShopECOM", "amount": {"currency": "EUR", "value": 1}, "merchantRefundReason": "WHIM"});
    assert_eq!(
        client
            .post(&format!("/v72/payments/{psp}/refunds"), &body)
            .status,
        422
    );
}

#[test]
fn a_cancellation_needs_what_is_not_captured() {
    let mut client = Client::new();
    let psp = client.captured("J. Smith");
    client.modify(&psp, "cancels", None);
    client.wait(1);
    assert_eq!(client.events().pop().unwrap(), "CANCELLATION false");
    assert_eq!(client.balance(), 1000, "it never becomes a refund");
    let psp = client.pay("J. Smith").psp();
    client.modify(&psp, "cancels", None);
    client.wait(1);
    assert_eq!(client.events().pop().unwrap(), "CANCELLATION true");
    client.modify(&psp, "captures", Some(1000));
    client.wait(1);
    assert_eq!(client.events().pop().unwrap(), "CAPTURE false");
}

#[test]
fn a_reversal_cancels_or_refunds_the_whole() {
    let mut client = Client::new();
    let psp = client.pay("J. Smith").psp();
    client.modify(&psp, "reversals", None);
    client.wait(1);
    assert_eq!(
        client.last()["additionalData"]["modification.action"],
        "cancel"
    );
    let psp = client.captured("J. Smith");
    client.modify(&psp, "reversals", None);
    client.wait(1);
    let item = client.last();
    assert_eq!(item["eventCode"], "CANCEL_OR_REFUND");
    assert_eq!(item["additionalData"]["modification.action"], "refund");
    assert_eq!(client.balance(), 0);
    let mut client = several();
    let psp = client.pay("J. Smith").psp();
    for value in [100, 200] {
        client.modify(&psp, "captures", Some(value));
        client.wait(1);
    }
    client.modify(&psp, "reversals", None);
    client.wait(1);
    assert_eq!(client.events().pop().unwrap(), "CANCEL_OR_REFUND false");
    assert_eq!(client.balance(), 300);
}

#[test]
fn a_payment_is_cancelled_by_the_merchants_reference() {
    let mut client = Client::new();
    let cancel = |client: &mut Client, reference: &str| {
        let body = json!({"merchantAccount": "ShopECOM", "paymentReference": reference, "reference": "c-1"});
        let got = client.post("/v72/cancels", &body);
        assert_eq!((got.status, got.text("/status")), (201, "received"));
        client.wait(1);
        client.last()
    };
    let psp = client.pay("J. Smith").psp();
    let done = cancel(&mut client, "order-1");
    assert_eq!(done["eventCode"], "TECHNICAL_CANCEL");
    assert_eq!(
        (&done["success"], &done["originalReference"]),
        (&json!("true"), &json!(psp))
    );
    assert_eq!(
        done["merchantReference"], "order-1",
        "the payment's, not the request's"
    );
    let body = json!({"merchantAccount": "ShopECOM", "paymentReference": "order-1"});
    client.post("/v72/cancels", &body);
    let late = client.pay("J. Smith").psp();
    client.wait(1);
    assert_eq!(client.last()["originalReference"], json!(psp));
    client.modify(&late, "captures", Some(500));
    client.wait(1);
    assert_eq!(
        client.events().pop().unwrap(),
        "CAPTURE true",
        "what came after the request stands"
    );
    let nothing = cancel(&mut client, "order-2");
    assert_eq!(nothing["success"], "false");
    assert_eq!(nothing.get("originalReference"), None);
    client.post(
        "/v72/payments",
        &altered(
            &card("J. Smith"),
            &[
                ("/reference", json!("order-3")),
                ("/captureDelayHours", json!(0)),
            ],
        ),
    );
    assert_eq!(
        cancel(&mut client, "order-3")["success"],
        "false",
        "it is captured"
    );
    assert_eq!(client.balance(), 1500);
}

#[test]
fn schemes_reject_what_was_done() {
    for (holder, events, balance) in [
        (
            "capture failed",
            vec!["AUTHORISATION true", "CAPTURE true", "CAPTURE_FAILED true"],
            0,
        ),
        (
            "capture refused",
            vec!["AUTHORISATION true", "CAPTURE false"],
            0,
        ),
    ] {
        let mut client = Client::new();
        let psp = client.captured(holder);
        client.wait(5);
        assert_eq!(client.events(), events);
        assert_eq!(client.balance(), balance);
        assert_eq!(client.last()["originalReference"], json!(psp));
    }
    for (holder, events, balance) in [
        (
            "refund failed",
            vec!["REFUND true", "REFUND_FAILED true"],
            1000,
        ),
        (
            "refunded reversed",
            vec!["REFUND true", "REFUNDED_REVERSED true"],
            1000,
        ),
        ("refund refused", vec!["REFUND false"], 1000),
        ("J. Smith", vec!["REFUND true"], 0),
    ] {
        let mut client = Client::new();
        let psp = client.captured(holder);
        let asked = client.modify(&psp, "refunds", Some(1000));
        client.wait(10);
        assert_eq!(client.events()[2..], events);
        assert_eq!(client.balance(), balance);
        let item = client.last();
        assert_eq!(item["pspReference"], json!(asked.psp()));
        assert_eq!(item["merchantReference"], "refunds-1");
    }
    let mut client = Client::new();
    let psp = client.captured("refund slow");
    client.modify(&psp, "refunds", Some(1000));
    client.wait(29);
    assert_eq!(client.events().len(), 2);
    client.wait(2);
    assert_eq!(client.events().pop().unwrap(), "REFUND true");
}

#[test]
fn an_automatic_capture_is_silent_and_can_fail() {
    let mut client = Client::with(Account::default());
    let psp = client.pay("capture failed").psp();
    assert_eq!(client.balance(), 1000);
    client.wait(5);
    assert_eq!(
        client.events(),
        ["AUTHORISATION true", "CAPTURE_FAILED true"]
    );
    let item = client.last();
    assert_eq!(item["originalReference"], json!(psp));
    assert_ne!(item["pspReference"], json!(psp));
    assert_eq!(client.balance(), 0);

    let mut client = Client::new();
    let body = altered(&card("J. Smith"), &[("/captureDelayHours", json!(2))]);
    client.post("/v72/payments", &body);
    client.wait(7199);
    assert_eq!(client.balance(), 0);
    client.wait(1);
    assert_eq!(client.balance(), 1000);
    let manual = [("/additionalData", json!({"manualCapture": "true"}))];
    let mut client = Client::with(Account::default());
    client.post("/v72/payments", &altered(&card("J. Smith"), &manual));
    assert_eq!(client.balance(), 0);
}

#[test]
fn what_is_not_captured_expires() {
    let mut client = Client::new();
    let psp = client.pay("J. Smith").psp();
    client.wait(7 * 24 * 3600);
    let item = client.last();
    assert_eq!(item["eventCode"], "EXPIRE");
    assert_eq!(item["pspReference"], json!(psp));
    assert_eq!(item.get("originalReference"), None::<&Value>);
    client.modify(&psp, "captures", Some(1000));
    client.wait(1);
    assert_eq!(client.events().pop().unwrap(), "CAPTURE false");
}
