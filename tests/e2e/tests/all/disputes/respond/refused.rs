//! What is refused before anything is sent.

use serde_json::json;
use testkit::{Order, Upload, cards};

use super::{
    super::{in_status, move_on, open},
    PDF, TIFF, accept, disputed, draft, id_of, pdf, read, server, submit, taken_of, text,
};

#[test]
fn what_is_beyond_the_processors_limits_is_refused_by_name_and_nothing_is_sent() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    let refused = |evidence: serde_json::Value, field: &str| {
        submit(&shop, &id, &evidence).assert_invalid(field);
        draft(&shop, &id, &evidence).assert_invalid(field);
    };
    let long = "x".repeat(2_001);
    refused(
        json!({"texts": [text("OTHER", &long)]}),
        "evidence.texts.0.text",
    );
    let full = "é".repeat(2_000);
    let kinds = ["OTHER", "DELIVERY", "CUSTOMER", "TIMELINE"];
    let texts: Vec<_> = kinds.iter().map(|kind| text(kind, &full)).collect();
    refused(json!({ "texts": texts }), "evidence.texts");
    let twice = [text("OTHER", "a"), text("OTHER", "b")];
    refused(json!({ "texts": twice }), "evidence.texts.1.kind");
    let card = format!("It was {}.", cards::VISA);
    refused(
        json!({"texts": [text("OTHER", &card)]}),
        "evidence.texts.0.text",
    );
    submit(&shop, &id, &json!({})).assert_invalid("evidence");
    let scan = Upload {
        name: "scan.tiff",
        kind: "image/tiff",
        content: TIFF,
    };
    let scan = shop.attach_to_dispute(&id, &scan);
    refused(json!({"attachments": [scan]}), "evidence.attachments.0");
    let content = [PDF, &vec![b' '; 2 * 1024 * 1024]].concat();
    let large = Upload {
        name: "large.pdf",
        kind: "application/pdf",
        content: &content,
    };
    let large = shop.attach_to_dispute(&id, &large);
    refused(json!({"attachments": [large]}), "evidence.attachments.0");
    let six: Vec<String> = (0..6)
        .map(|n| shop.attach_to_dispute(&id, &pdf(&format!("{n}.pdf"))))
        .collect();
    refused(json!({ "attachments": six }), "evidence.attachments");
    let content = [PDF, &vec![b' '; 1_600_000]].concat();
    let heavy: Vec<String> = (0..3)
        .map(|n| {
            let name = format!("heavy{n}.pdf");
            shop.attach_to_dispute(
                &id,
                &Upload {
                    name: &name,
                    kind: "application/pdf",
                    content: &content,
                },
            )
        })
        .collect();
    refused(json!({ "attachments": heavy }), "evidence.attachments");
    assert!(taken_of(&shop, &dispute).is_empty());
    assert!(read(&shop, &id)["response"].is_null());
}

#[test]
fn only_a_dispute_that_waits_in_time_is_responded_to() {
    let shop = server().shop();
    let evidence = json!({"texts": [text("OTHER", "A word.")]});
    let status = "error.dispute.invalid-status";
    let payment = shop.order(&Order::card(cards::ALERTED).amount(1000)).id();
    let alert = in_status(&shop, &payment, None, "NOTIFICATION");
    let refused = submit(&shop, &id_of(&alert), &evidence);
    refused.assert_error(status);
    assert_eq!(refused.extension("status"), "NOTIFICATION");
    accept(&shop, &id_of(&alert), None).assert_error(status);
    let payment = shop.order(&Order::card(cards::VISA).amount(1000)).id();
    let past = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(1);
    let late = open(&shop, &payment, json!({"responseDate": past.to_string()}));
    let late = in_status(&shop, &payment, Some(&late), "NEEDS_RESPONSE");
    let refused = submit(&shop, &id_of(&late), &evidence);
    refused.assert_error(status);
    assert!(
        refused.message().contains("took evidence until"),
        "{}",
        refused.message()
    );
    draft(&shop, &id_of(&late), &evidence).assert_error(status);
    // It can still be accepted.
    assert_eq!(accept(&shop, &id_of(&late), None).root()["status"], "LOST");
    assert!(taken_of(&shop, &alert).is_empty());
}

#[test]
fn a_later_stage_asks_for_a_response_again() {
    let shop = server().shop();
    let payment = shop.order(&Order::card(cards::VISA).amount(1000)).id();
    let source = open(&shop, &payment, json!({}));
    let dispute = in_status(&shop, &payment, Some(&source), "NEEDS_RESPONSE");
    let id = id_of(&dispute);
    let evidence = json!({"texts": [text("OTHER", "A word.")]});
    submit(&shop, &id, &evidence).root();
    in_status(&shop, &payment, Some(&source), "UNDER_REVIEW");
    let next = json!({"status": "NEEDS_RESPONSE", "lifecycleStage": "PRE_ARBITRATION"});
    move_on(&shop, &source, next);
    in_status(&shop, &payment, Some(&source), "NEEDS_RESPONSE");
    let again = submit(&shop, &id, &evidence);
    assert_eq!(again.root()["response"]["state"], "TAKEN");
    let taken = taken_of(&shop, &dispute);
    assert_eq!(taken.len(), 2);
    assert_ne!(taken[0]["reference"], taken[1]["reference"]);
}

#[test]
fn nobody_elses_dispute_or_file_can_be_used() {
    let (shop, other) = (server().shop(), server().other_team());
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    let theirs = disputed(&other, cards::DISPUTED);
    let foreign = other.attach_to_dispute(&id_of(&theirs), &pdf("theirs.pdf"));
    let evidence = json!({"texts": [text("OTHER", "A word.")]});
    let unknown = "error.dispute.not-found";
    submit(&other, &id, &evidence).assert_error(unknown);
    draft(&other, &id, &evidence).assert_error(unknown);
    accept(&other, &id, None).assert_error(unknown);
    other
        .ask_to_attach_to_dispute(&id, "a.pdf", "application/pdf")
        .assert_error(unknown);
    let stolen = submit(&shop, &id, &json!({"attachments": [foreign]}));
    stolen.assert_error("error.attachment.not-found");
    assert_eq!(stolen.field(), Some("evidence.attachments.0"));
    // Nor one of another dispute of the same team.
    let second = disputed(&shop, cards::DISPUTED);
    let elsewhere = shop.attach_to_dispute(&id_of(&second), &pdf("elsewhere.pdf"));
    submit(&shop, &id, &json!({"attachments": [elsewhere]}))
        .assert_error("error.attachment.not-found");
    let browser = shop.client(json!({}));
    submit(&browser, &id, &evidence).assert_error("api.key.forbidden");
    accept(&browser, &id, None).assert_error("api.key.forbidden");
    assert!(taken_of(&shop, &dispute).is_empty());
    assert!(read(&shop, &id)["response"].is_null());
}
