//! Disputes: their events, their money, and the defence.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{Client, Got};

/// A captured payment whose holder disputes it; the dispute's `pspReference`.
fn disputed(client: &mut Client, holder: &str) -> String {
    client.captured(holder);
    client.wait(3);
    client.last()["pspReference"].as_str().unwrap().to_owned()
}

fn call(client: &mut Client, name: &str, psp: &str, further: &Value) -> Got {
    let mut body = json!({"merchantAccountCode": "ShopECOM", "disputePspReference": psp});
    for (name, value) in further.as_object().unwrap() {
        body[name] = value.clone();
    }
    let got = client.post(&format!("/ca/services/DisputeService/v30/{name}"), &body);
    assert_eq!(got.status, 200);
    got
}

fn success(got: &Got) -> bool {
    got.view["disputeServiceResult"]["success"]
        .as_bool()
        .unwrap()
}

fn document(text: &str) -> Value {
    let content = STANDARD.encode(format!("%PDF-1.4 {text}"));
    json!({"defenseDocuments": [{"content": content, "contentType": "application/pdf", "defenseDocumentTypeCode": "DefenseMaterial"}]})
}

/// Defends with a document of these words.
fn defend(client: &mut Client, psp: &str, text: &str) {
    assert!(success(&call(
        client,
        "supplyDefenseDocument",
        psp,
        &document(text)
    )));
    let reason = json!({"defenseReasonCode": "SupplyDefenseMaterial"});
    assert!(success(&call(client, "defendDispute", psp, &reason)));
}

#[test]
fn names_ask_for_disputes_that_go_so_far() {
    for (holder, events, balance) in [
        (
            "Chargeback:4853",
            vec!["NOTIFICATION_OF_CHARGEBACK true", "CHARGEBACK true"],
            0,
        ),
        (
            "Chargeback Reversed",
            vec![
                "NOTIFICATION_OF_CHARGEBACK true",
                "CHARGEBACK true",
                "CHARGEBACK_REVERSED true",
            ],
            1000,
        ),
        (
            "Second Chargeback",
            vec![
                "NOTIFICATION_OF_CHARGEBACK true",
                "CHARGEBACK true",
                "CHARGEBACK_REVERSED true",
                "SECOND_CHARGEBACK true",
            ],
            0,
        ),
        (
            "Request for information",
            vec!["REQUEST_FOR_INFORMATION true"],
            1000,
        ),
    ] {
        let mut client = Client::new();
        let payment = client.captured(holder);
        client.wait(60);
        assert_eq!(client.events()[2..], events, "{holder}");
        assert_eq!(client.balance(), balance, "{holder}");
        let items = client.items();
        assert!(
            items[2..]
                .iter()
                .all(|item| item["pspReference"] == items[2]["pspReference"])
        );
        assert!(
            items[2..]
                .iter()
                .all(|item| item["originalReference"] == json!(payment))
        );
    }
    let mut client = Client::new();
    disputed(&mut client, "Chargeback:4853");
    let additional = &client.last()["additionalData"];
    assert_eq!(additional["chargebackReasonCode"], "4853");
    assert_eq!(additional["chargebackSchemeCode"], "visa");
    assert_eq!(additional["defendable"], "true");
    assert_eq!(additional["disputeStatus"], "Undefended");
    assert_eq!(
        additional["defensePeriodEndsAt"],
        "2026-12-02T12:06:43+01:00"
    );
}

#[test]
fn a_defence_is_judged_by_its_words() {
    for (words, events, balance) in [
        (
            "winning_evidence",
            vec![
                "INFORMATION_SUPPLIED true",
                "CHARGEBACK_REVERSED true",
                "ISSUER_RESPONSE_TIMEFRAME_EXPIRED true",
            ],
            1000,
        ),
        (
            "losing_evidence",
            vec![
                "INFORMATION_SUPPLIED true",
                "CHARGEBACK_REVERSED true",
                "SECOND_CHARGEBACK true",
            ],
            0,
        ),
        ("a receipt", vec!["INFORMATION_SUPPLIED true"], 0),
    ] {
        let mut client = Client::new();
        let psp = disputed(&mut client, "Chargeback");
        defend(&mut client, &psp, words);
        client.wait(15 * 24 * 3600);
        assert_eq!(client.events()[4..], events, "{words}");
        assert_eq!(client.balance(), balance, "{words}");
        let again = json!({"defenseReasonCode": "SupplyDefenseMaterial"});
        assert!(!success(&call(&mut client, "defendDispute", &psp, &again)));
    }
}

#[test]
fn an_inquiry_is_answered_or_becomes_a_chargeback() {
    for (words, last, balance) in [
        (
            "winning_evidence",
            "ISSUER_RESPONSE_TIMEFRAME_EXPIRED true",
            1000,
        ),
        ("losing_evidence", "CHARGEBACK true", 0),
    ] {
        let mut client = Client::new();
        let psp = disputed(&mut client, "Request for information");
        assert!(!success(&call(
            &mut client,
            "acceptDispute",
            &psp,
            &json!({})
        )));
        defend(&mut client, &psp, words);
        client.wait(10);
        assert_eq!(client.events().pop().unwrap(), last);
        assert_eq!(client.balance(), balance);
        assert_eq!(client.last()["pspReference"], json!(psp));
    }
    let mut client = Client::new();
    disputed(&mut client, "Request for information");
    client.wait(14 * 24 * 3600);
    assert_eq!(client.events().pop().unwrap(), "CHARGEBACK true");
}

#[test]
fn a_dispute_is_accepted_or_runs_out() {
    let mut client = Client::new();
    let psp = disputed(&mut client, "Chargeback");
    assert!(success(&call(
        &mut client,
        "acceptDispute",
        &psp,
        &json!({})
    )));
    client.wait(1);
    assert_eq!(
        client.events().pop().unwrap(),
        "DISPUTE_DEFENSE_PERIOD_ENDED true"
    );
    assert_eq!(client.last()["additionalData"]["disputeStatus"], "Lost");
    assert!(!success(&call(
        &mut client,
        "acceptDispute",
        &psp,
        &json!({})
    )));
    let mut client = Client::new();
    let psp = disputed(&mut client, "Chargeback");
    client.wait(14 * 24 * 3600);
    assert_eq!(
        client.events().pop().unwrap(),
        "DISPUTE_DEFENSE_PERIOD_ENDED true"
    );
    assert!(!success(&call(
        &mut client,
        "supplyDefenseDocument",
        &psp,
        &document("late")
    )));
    assert_eq!(client.balance(), 0);
}

#[test]
fn documents_are_named_checked_and_deleted() {
    let mut client = Client::new();
    let psp = disputed(&mut client, "Chargeback");
    let reasons = call(
        &mut client,
        "retrieveApplicableDefenseReasons",
        &psp,
        &json!({}),
    );
    assert_eq!(
        reasons.text("/defenseReasons/3/defenseReasonCode"),
        "SupplyDefenseMaterial"
    );
    assert_eq!(reasons.view["defenseReasons"][3]["satisfied"], json!(false));
    let reason = json!({"defenseReasonCode": "SupplyDefenseMaterial"});
    assert!(
        !success(&call(&mut client, "defendDispute", &psp, &reason)),
        "without its document"
    );
    assert!(success(&call(
        &mut client,
        "supplyDefenseDocument",
        &psp,
        &document("x")
    )));
    let reasons = call(
        &mut client,
        "retrieveApplicableDefenseReasons",
        &psp,
        &json!({}),
    );
    assert_eq!(reasons.view["defenseReasons"][3]["satisfied"], json!(true));
    let deletion = json!({"defenseDocumentType": "DefenseMaterial"});
    assert!(success(&call(
        &mut client,
        "deleteDisputeDefenseDocument",
        &psp,
        &deletion
    )));
    assert!(!success(&call(
        &mut client,
        "deleteDisputeDefenseDocument",
        &psp,
        &deletion
    )));
    assert!(!success(&call(
        &mut client,
        "acceptDispute",
        "NOTHING",
        &json!({})
    )));
}

#[test]
fn documents_that_no_issuer_takes_are_refused() {
    let mut client = Client::new();
    let psp = disputed(&mut client, "Chargeback");
    let wrong = |field: &str, value: &str| {
        let mut document = document("x");
        document["defenseDocuments"][0][field] = json!(value);
        document
    };
    let large = STANDARD.encode([b"%PDF".as_slice(), &vec![0; 2 * 1024 * 1024]].concat());
    for bad in [
        wrong("content", "no base64"),
        wrong("content", &large),
        wrong("contentType", "image/jpeg"),
        wrong("contentType", "text/html"),
        wrong("defenseDocumentTypeCode", "Nothing"),
        json!({"defenseDocuments": []}),
    ] {
        assert!(!success(&call(
            &mut client,
            "supplyDefenseDocument",
            &psp,
            &bad
        )));
    }
    let books = client.books();
    assert_eq!(books["disputes"][0]["documents"], json!([]));
}

#[test]
fn the_issuer_decides_when_it_is_asked_to() {
    let mut client = Client::new();
    let payment = client.captured("J. Smith");
    let opened = client.form(
        &format!("/_sim/payments/{payment}/dispute"),
        "kind=chargeback&code=13.1",
    );
    let psp = opened.psp();
    client.wait(1);
    assert_eq!(client.balance(), 0);
    defend(&mut client, &psp, "a receipt");
    client.form(&format!("/_sim/disputes/{psp}"), "outcome=reversed");
    assert_eq!(client.balance(), 1000);
    client.form(&format!("/_sim/disputes/{psp}"), "outcome=lost");
    assert_eq!(client.events().pop().unwrap(), "SECOND_CHARGEBACK true");
    assert_eq!(client.balance(), 0);
    client.form(&format!("/_sim/disputes/{psp}"), "outcome=won");
    assert_eq!(client.balance(), 0, "nothing follows");
    for (outcome, event, kept) in [
        ("prearbitration_won", "PREARBITRATION_WON true", 1000),
        ("prearbitration_lost", "PREARBITRATION_LOST true", 0),
    ] {
        let mut client = Client::new();
        client.captured("Chargeback Reversed");
        client.wait(60);
        let psp = client.last()["pspReference"].as_str().unwrap().to_owned();
        client.form(
            &format!("/_sim/disputes/{psp}"),
            &format!("outcome={outcome}"),
        );
        assert_eq!(client.events().pop().unwrap(), event);
        assert_eq!(client.balance(), kept);
    }
    let refunded = client.captured("J. Smith");
    client.modify(&refunded, "refunds", Some(1000));
    client.wait(1);
    assert_eq!(
        client
            .form(&format!("/_sim/payments/{refunded}/dispute"), "")
            .status,
        422
    );
    let reported = client.form(&format!("/_sim/payments/{refunded}/dispute"), "kind=fraud");
    assert_eq!(reported.status, 200);
    assert_eq!(client.events().pop().unwrap(), "NOTIFICATION_OF_FRAUD true");
}
