//! Attachments of disputes, and what becomes of evidence when its customer is deleted.

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Upload, cards, until};

use super::{
    super::in_status, PDF, TIFF, accept, disputed, draft, id_of, pdf, read, server, submit, text,
};

#[test]
fn a_file_is_kept_with_a_dispute_handed_out_and_deleted() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    assert!(shop.attachments_of_dispute(&id).is_empty());
    let file = shop.attach_to_dispute(&id, &pdf("Brief №1.pdf"));
    let listed = shop.attachments_of_dispute(&id);
    assert_eq!(listed[0]["fileName"], "Brief №1.pdf");
    let found = shop.download(listed[0]["accessUrl"].as_str().unwrap());
    assert_eq!((found.status, found.body.as_slice()), (200, PDF));
    assert_eq!(read(&shop, &id)["attachments"][0]["id"], json!(file));
    // It is the dispute's, not the payment's.
    let payment = dispute["paymentId"].as_str().unwrap();
    assert!(shop.attachments(payment).is_empty());
    let nested = shop.gql(
        "query($id: ID!) { getPayment(id: $id) { disputes { attachments { id } } } }",
        json!({ "id": payment }),
    );
    assert_eq!(
        nested.root()["disputes"][0]["attachments"][0]["id"],
        json!(file)
    );
    let delete = "mutation($id: ID!) { deleteAttachment(id: $id) }";
    shop.gql(delete, json!({ "id": file })).root();
    assert!(shop.attachments_of_dispute(&id).is_empty());
    let again = shop.gql(delete, json!({ "id": file }));
    again.assert_error("error.attachment.not-found");
}

#[test]
fn one_thing_is_named_and_the_content_decides() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let (id, payment) = (id_of(&dispute), dispute["paymentId"].as_str().unwrap());
    let both = "query($id: ID, $payment: ID) { listAttachments(disputeId: $id, paymentId: $payment) { id } }";
    shop.gql(both, json!({ "id": id, "payment": payment }))
        .assert_invalid("disputeId");
    shop.gql(both, json!({})).assert_invalid("paymentId");
    let asked = shop.ask_to_attach_to_dispute(&id, "a.pdf", "application/pdf");
    let url = asked.root()["url"].as_str().unwrap();
    assert_eq!(shop.upload(url, b"<html></html>").status, 415);
    assert!(shop.attachments_of_dispute(&id).is_empty());
}

#[test]
fn a_file_that_is_being_sent_stays() {
    let shop = server().other_team();
    shop.connection("held-up", json!({}));
    let steps = json!([{"authorise": {"connection": "held-up"}}, {"capture": "now"}]);
    shop.publish("held-up", steps);
    let order = Order::card(cards::DISPUTED).amount(1000).flow("held-up");
    let payment = shop.order(&order).id();
    let dispute = in_status(&shop, &payment, None, "NEEDS_RESPONSE");
    let id = id_of(&dispute);
    let file = shop.attach_to_dispute(&id, &pdf("letter.pdf"));
    shop.connection("held-up", json!({"fault": "down"}));
    super::submit(&shop, &id, &json!({"attachments": [file]})).root();
    let delete = "mutation($id: ID!) { deleteAttachment(id: $id) }";
    let refused = shop.gql(delete, json!({ "id": file }));
    refused.assert_error("error.payment.operation-in-progress");
    shop.connection("held-up", json!({}));
    until(PATIENCE, "the response to be taken", || {
        let found = read(&shop, &id);
        (found["response"]["state"] == "TAKEN").then_some(())
    });
    shop.gql(delete, json!({ "id": file })).root();
}

#[test]
fn a_deleted_customers_evidence_is_erased() {
    let shop = server().other_team();
    let customer = shop.create_customer("Ada Lovelace");
    let token = shop.tokenise_for(&customer, cards::DISPUTED);
    let order = Order::token(&token).amount(1000);
    let order = order.with("customer", json!({ "id": customer }));
    let payment = shop.order(&order).id();
    let dispute = in_status(&shop, &payment, None, "NEEDS_RESPONSE");
    let id = id_of(&dispute);
    draft(
        &shop,
        &id,
        &json!({"texts": [text("CUSTOMER", "Ada Lovelace, of London.")]}),
    )
    .root();
    let delete = "mutation($id: ID!) { deleteCustomer(id: $id) }";
    shop.gql(delete, json!({ "id": customer })).root();
    let kept = "query($id: ID!) { disputeEvidence(id: $id) { proposed { text } evidence { texts { text } } } }";
    until(PATIENCE, "the erasure", || {
        let kept: Value = shop.gql(kept, json!({ "id": id })).root().clone();
        (!kept.to_string().contains("Lovelace")).then_some(())
    });
    // The dispute can still be responded to.
    assert_eq!(accept(&shop, &id, None).root()["status"], "LOST");
}

#[test]
fn files_that_the_processor_does_not_take_are_named_with_the_reason() {
    let shop = server().shop();
    let id = id_of(&disputed(&shop, cards::DISPUTED));
    shop.attach_to_dispute(&id, &pdf("good.pdf"));
    let scan = Upload {
        name: "scan.tiff",
        kind: "image/tiff",
        content: TIFF,
    };
    shop.attach_to_dispute(&id, &scan);
    let content = [PDF, &vec![b' '; 2 * 1024 * 1024]].concat();
    let large = Upload {
        name: "large.pdf",
        kind: "application/pdf",
        content: &content,
    };
    shop.attach_to_dispute(&id, &large);
    let query = "query($id: ID!) { disputeEvidence(id: $id) { attachments { fileName } \
        unsuitableAttachments { attachment { fileName } reason } } }";
    let answer = shop.gql(query, json!({ "id": id }));
    let evidence = answer.root();
    assert_eq!(evidence["attachments"], json!([{"fileName": "good.pdf"}]));
    let bytes = content.len();
    let reasons = [
        ("scan.tiff", "The file is image/tiff, and the processor takes application/pdf, image/png, image/jpeg.".to_owned()),
        ("large.pdf", format!("The file has {bytes} bytes, and the processor takes files of at most 2097152.")),
    ];
    let expected: Vec<Value> = reasons
        .iter()
        .map(|(name, reason)| json!({"attachment": {"fileName": name}, "reason": reason}))
        .collect();
    assert_eq!(evidence["unsuitableAttachments"], json!(expected));
}

#[test]
fn the_document_of_a_deleted_customers_evidence_goes_when_the_response_has_an_outcome() {
    let shop = server().other_team();
    shop.connection("erased-late", json!({}));
    let steps = json!([{"authorise": {"connection": "erased-late"}}, {"capture": "now"}]);
    shop.publish("erased-late", steps);
    let customer = shop.create_customer("Ada Lovelace");
    let token = shop.tokenise_for(&customer, cards::DISPUTED);
    let order = Order::token(&token).amount(1000).flow("erased-late");
    let order = order.with("customer", json!({ "id": customer }));
    let payment = shop.order(&order).id();
    let id = id_of(&in_status(&shop, &payment, None, "NEEDS_RESPONSE"));
    shop.connection("erased-late", json!({"fault": "down"}));
    let sent = submit(&shop, &id, &json!({"document": true}));
    assert_eq!(sent.root()["response"]["state"], "SENDING");
    let delete = "mutation($id: ID!) { deleteCustomer(id: $id) }";
    shop.gql(delete, json!({ "id": customer })).root();
    until(PATIENCE, "the erasure", || {
        let titles = super::titles(&super::read(&shop, &id));
        titles
            .contains(&"Personal data are to be erased".to_owned())
            .then_some(())
    });
    let files = "query($id: ID!) { disputeEvidence(id: $id) { attachments { fileName } } }";
    let listed = |what: &str| {
        let found = shop.gql(files, json!({ "id": id })).root().clone();
        found["attachments"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["fileName"] == what)
    };
    assert!(listed("evidence.pdf"), "it is needed until it is sent");
    shop.connection("erased-late", json!({}));
    until(PATIENCE, "the response to be taken", || {
        (super::read(&shop, &id)["response"]["state"] == "TAKEN").then_some(())
    });
    assert!(!listed("evidence.pdf"));
}
