//! Attachments of disputes, and what becomes of evidence when its customer is deleted.

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, cards, until};

use super::{super::in_status, PDF, accept, disputed, draft, id_of, pdf, read, server, text};

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
