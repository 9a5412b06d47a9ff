//! Disputes at Stripe.

use serde_json::{Value, json};
use testkit::{PATIENCE, until};

use super::{Desk, sale};

impl Desk {
    /// The disputes of a payment, once there is one that stands so.
    pub(super) fn dispute(&self, payment: &str, status: &str) -> Value {
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
        self.stripe.post("/_sim/clock", "advance=5");
        (paid.id(), self.dispute(&paid.id(), "NEEDS_RESPONSE"))
    }
}

#[test]
fn a_chargeback_is_found_by_its_intent_and_won_by_evidence() {
    let desk = Desk::notified();
    let (payment, dispute) = desk.disputed();
    assert_eq!(desk.shop.payment(&payment).status(), "DISPUTED");
    assert_eq!(dispute["reason"], "FRAUD");
    assert_eq!(dispute["amount"]["rawAmount"], json!(1000));
    assert_eq!(dispute["processorStatus"], "needs_response");
    let submit = "mutation($id: ID!) { submitDisputeEvidence(id: $id, evidence: {texts: [{kind: OTHER, text: \"winning_evidence\"}]}, \
        submit: true) { id status } }";
    desk.shop.gql(submit, json!({"id": dispute["id"]})).root();
    desk.stripe.post("/_sim/clock", "advance=10");
    desk.dispute(&payment, "WON");
    desk.shop.wait_for_status(&payment, "SUCCEEDED");
}

#[test]
fn a_dispute_that_is_accepted_is_lost() {
    let desk = Desk::notified();
    let (payment, dispute) = desk.disputed();
    let accept = "mutation($id: ID!) { acceptDispute(id: $id) { id status } }";
    desk.shop.gql(accept, json!({"id": dispute["id"]})).root();
    desk.dispute(&payment, "LOST");
    assert_eq!(desk.shop.payment(&payment).status(), "DISPUTED");
    let at_stripe = desk.at_stripe("disputes");
    assert_eq!(at_stripe[0]["status"], "lost");
}

#[test]
fn an_inquiry_changes_nothing_of_the_payment() {
    let desk = Desk::notified();
    let paid = desk.shop.order(&sale("4000000000001976"));
    desk.stripe.post("/_sim/clock", "advance=5");
    let dispute = desk.dispute(&paid.id(), "NEEDS_RESPONSE");
    assert_eq!(dispute["lifecycleStage"], "INQUIRY");
    assert_eq!(desk.shop.payment(&paid.id()).status(), "SUCCEEDED");
}

#[test]
fn an_internal_error_before_a_response_holds_nothing_up() {
    let desk = Desk::notified();
    let accept = "mutation($id: ID!) { acceptDispute(id: $id) { id } }";
    let (payment, dispute) = desk.disputed();
    let id = dispute["id"].as_str().unwrap();
    // Stripe keeps the error under its key for a day. The first request marks the dispute, the second one closes it.
    let form = "fault=error-after&times=1&path=POST /v1/disputes/";
    desk.stripe.post("/_sim/faults", form);
    desk.shop.gql(accept, json!({ "id": id }));
    desk.dispute(&payment, "LOST");
}
