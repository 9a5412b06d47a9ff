//! Disputes at Adyen: notifications alone report them.

use serde_json::{Value, json};
use testkit::{ObjectStore, PATIENCE, Setup, until};

use super::{Desk, sale};

impl Desk {
    /// The dispute of a payment, once it stands so.
    fn dispute(&self, payment: &str, status: &str) -> Value {
        let query = "query($id: ID!) { getPayment(id: $id) { status disputes { id status lifecycleStage reason responseDate \
            processorStatus processorReason amount { rawAmount } } } }";
        until(PATIENCE, status, || {
            let found = self.shop.gql(query, json!({"id": payment}));
            let disputes = found.root()["disputes"].as_array()?.clone();
            disputes
                .into_iter()
                .find(|dispute| dispute["status"] == json!(status))
        })
    }

    fn disputed(&self) -> (String, Value) {
        let paid = self.shop.order(&sale("4000000000000259"));
        self.advance(5);
        (paid.id(), self.dispute(&paid.id(), "NEEDS_RESPONSE"))
    }
}

#[test]
fn a_chargeback_is_reported_and_defended_with_a_document() {
    // Evidence may have files: nodes that share a database keep them in an object store.
    let store = ObjectStore::start();
    let desk = Desk::on(Setup::new().with_bucket(&store));
    let (payment, dispute) = desk.disputed();
    desk.shop.wait_for_status(&payment, "DISPUTED");
    assert_eq!(dispute["reason"], "FRAUD");
    assert_eq!(dispute["amount"]["rawAmount"], json!(1000));
    let submit = "mutation($id: ID!) { submitDisputeEvidence(id: $id, evidence: {document: true}, submit: true) { id status } }";
    let submitted = desk.shop.gql(submit, json!({"id": dispute["id"]}));
    assert_eq!(submitted.root()["status"], "SENT_FOR_REVIEW");
    let disputes = desk.adyen.books()["disputes"].clone();
    assert_eq!(disputes.as_array().map(Vec::len), Some(1), "{disputes}");
    let psp = disputes[0]["pspReference"].as_str().unwrap().to_owned();
    desk.adyen
        .post(&format!("/_sim/disputes/{psp}"), "outcome=reversed");
    desk.dispute(&payment, "WON");
    desk.shop.wait_for_status(&payment, "SUCCEEDED");
    // What was won can still be lost.
    desk.adyen
        .post(&format!("/_sim/disputes/{psp}"), "outcome=lost");
    desk.dispute(&payment, "LOST");
    desk.shop.wait_for_status(&payment, "DISPUTED");
}

#[test]
fn a_dispute_that_is_accepted_is_lost() {
    let desk = Desk::open();
    let (payment, dispute) = desk.disputed();
    let accept = "mutation($id: ID!) { acceptDispute(id: $id) { id status } }";
    desk.shop.gql(accept, json!({"id": dispute["id"]})).root();
    desk.dispute(&payment, "LOST");
    desk.shop.wait_for_status(&payment, "DISPUTED");
}

#[test]
fn an_inquiry_changes_nothing_of_the_payment() {
    let desk = Desk::open();
    let paid = desk.shop.order(&sale("4000000000001976"));
    desk.advance(5);
    let dispute = desk.dispute(&paid.id(), "NEEDS_RESPONSE");
    assert_eq!(dispute["lifecycleStage"], "INQUIRY");
    assert_eq!(desk.shop.payment(&paid.id()).status(), "SUCCEEDED");
}

#[test]
fn a_response_whose_answer_got_lost_is_confirmed_by_adyens_notification() {
    let store = ObjectStore::start();
    let desk = Desk::on(Setup::new().with_bucket(&store));
    let cases = [
        (
            "defendDispute",
            "mutation($id: ID!) { submitDisputeEvidence(id: $id, evidence: {document: true}, submit: true) { id } }",
            "SENT_FOR_REVIEW",
        ),
        (
            "acceptDispute",
            "mutation($id: ID!) { acceptDispute(id: $id) { id } }",
            "LOST",
        ),
    ];
    for (call, mutation, status) in cases {
        let (payment, dispute) = desk.disputed();
        let path = format!("/ca/services/DisputeService/v30/{call}");
        desk.break_next("lost-after", 1, &path);
        desk.shop.gql(mutation, json!({"id": dispute["id"]}));
        desk.dispute(&payment, status);
        let query = "query($id: ID!) { getPayment(id: $id) { disputes { response { state } } } }";
        until(PATIENCE, call, || {
            let found = desk.shop.gql(query, json!({"id": payment}));
            let state = &found.root()["disputes"][0]["response"]["state"];
            (state == "TAKEN").then_some(())
        });
    }
}
