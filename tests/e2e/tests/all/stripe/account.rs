//! What others do at the same account: other connections, other systems, and people at Stripe's dashboard.

use serde_json::json;
use testkit::{Shop, cards};

use super::{Desk, hold, sale};

impl Desk {
    /// Somebody pays with another system at the account. Its intent.
    fn made_elsewhere(&self, more: &str) -> String {
        let form = format!("confirm=true&payment_method_types[]=card&{more}");
        let intent = self.stripe.post("/v1/payment_intents", &form);
        intent["id"].as_str().unwrap().to_owned()
    }

    /// What became of the notifications of a connection, without those that are of no interest.
    fn kinds_of_end(shop: &Shop, connection: &str, kind: &str) -> Vec<String> {
        let mut ends: Vec<String> = Self::became(shop, connection, kind)
            .into_iter()
            .map(|(_, status)| status)
            .filter(|status| status != "IGNORED")
            .collect();
        ends.sort();
        ends.dedup();
        ends
    }
}

#[test]
fn connections_that_share_an_account_leave_each_other_s_payments_alone() {
    let desk = Desk::notified();
    let stranger = desk.server.other_team();
    for (shop, connection) in [(&desk.shop, "stripe-2"), (&stranger, "stripe")] {
        desk.notify(shop, connection, "");
        desk.import_at(shop, connection);
    }
    let held = desk.shop.order(&hold(cards::VISA));
    desk.shop.try_capture(&held.id(), json!(700));
    desk.shop.refund(&held.id(), 300);
    let disputed = desk.shop.order(&sale("4000000000000259"));
    desk.stripe.post("/_sim/clock", "advance=5");
    desk.dispute(&disputed.id(), "NEEDS_RESPONSE");
    for (shop, connection) in [(&desk.shop, "stripe-2"), (&stranger, "stripe")] {
        let ends = Desk::kinds_of_end(shop, connection, "charge.dispute.created");
        assert_eq!(ends, ["FOREIGN"]);
    }
    assert_eq!(desk.shop.every_payment().len(), 2);
    assert!(stranger.every_payment().is_empty());
    let own = Desk::kinds_of_end(&desk.shop, "stripe", "charge.dispute.created");
    assert!(!own.contains(&"FOREIGN".to_owned()), "{own:?}");
}

#[test]
fn a_refund_that_is_made_at_stripe_is_one_of_the_payment() {
    let desk = Desk::notified();
    let paid = desk.shop.order(&sale(cards::VISA));
    let form = format!("payment_intent={}&amount=400", paid.text("/sourceId"));
    desk.stripe.post("/v1/refunds", &form);
    desk.shop.wait_for_status(&paid.id(), "PARTIAL_REFUNDED");
    assert_eq!(desk.became_of("refund.created"), "APPLIED");
    assert_eq!(desk.shop.refund(&paid.id(), 600).status(), "REFUNDED");
    assert_eq!(desk.taken_and_given_back(), (1000, 1000));
}

#[test]
fn a_refund_that_is_made_at_stripe_and_fails_goes_back() {
    let desk = Desk::notified();
    let paid = desk.shop.order(&sale("4000000000005126"));
    let form = format!("payment_intent={}&amount=400", paid.text("/sourceId"));
    desk.stripe.post("/v1/refunds", &form);
    desk.shop.wait_for_status(&paid.id(), "PARTIAL_REFUNDED");
    desk.stripe.post("/_sim/clock", "advance=10");
    desk.shop.wait_for_status(&paid.id(), "SUCCEEDED");
}

#[test]
fn what_is_released_at_stripe_is_no_refund_of_the_payment() {
    let desk = Desk::notified();
    let held = desk.shop.order(&hold(cards::VISA));
    desk.shop.try_capture(&held.id(), json!(600));
    let cancelled = desk.shop.order(&hold(cards::VISA));
    desk.shop.cancel(&cancelled.id());
    let ended_there = desk.shop.order(&hold(cards::VISA));
    let path = format!(
        "/v1/payment_intents/{}/cancel",
        ended_there.text("/sourceId")
    );
    desk.stripe.post(&path, "");
    desk.shop.wait_for_status(&ended_there.id(), "CANCELLED");
    assert_eq!(desk.became_of("refund.created"), "IGNORED");
    let captured = desk.shop.payment(&held.id());
    assert_eq!(captured.status(), "SUCCEEDED");
    assert_eq!(captured.number("/capturedAmount"), 600);
    assert_eq!(desk.at_stripe("refunds").len(), 3);
}

#[test]
fn an_import_learns_what_was_given_back_at_stripe() {
    let desk = Desk::notified();
    desk.import_at(&desk.shop, "stripe");
    let intent = desk.made_elsewhere("amount=4200&currency=eur&payment_method=pm_card_visa");
    let imported = testkit::until(testkit::PATIENCE, "the payment is imported", || {
        desk.shop.every_payment().into_iter().next()
    });
    desk.shop.refund(&imported.id(), 1000);
    let form = format!("payment_intent={intent}&amount=1200");
    desk.stripe.post("/v1/refunds", &form);
    let query = "query($id: ID!) { getPayment(id: $id) { refunds { amount } } }";
    testkit::until(testkit::PATIENCE, "both refunds are known", || {
        let found = desk.shop.gql(query, json!({"id": imported.id()}));
        let mut amounts: Vec<i64> = found.root()["refunds"]
            .as_array()?
            .iter()
            .filter_map(|refund| refund["amount"].as_i64())
            .collect();
        amounts.sort_unstable();
        (amounts == [1000, 1200]).then_some(())
    });
}

#[test]
fn our_own_payment_is_not_imported_though_its_charge_lost_our_reference() {
    let desk = Desk::notified();
    desk.import_at(&desk.shop, "stripe");
    let held = desk.shop.order(&hold(cards::VISA));
    let charge = desk.at_stripe("charges")[0]["id"].clone();
    let path = format!("/v1/charges/{}", charge.as_str().unwrap());
    desk.stripe.post(
        &path,
        "metadata[pointsman]=&metadata[pointsman-connection]=",
    );
    let path = format!("/v1/payment_intents/{}/capture", held.text("/sourceId"));
    desk.stripe.post(&path, "");
    desk.became_of("charge.captured");
    assert_eq!(desk.shop.every_payment().len(), 1);
}

#[test]
fn an_endpoint_of_another_version_is_understood() {
    let desk = Desk::quiet();
    desk.notify(&desk.shop, "stripe", "&api_version=2022-08-01");
    desk.break_next("lost-after", 1, "/v1/payment_intents/pi_");
    let unknown = desk.shop.order(&sale("4000000000005126"));
    desk.shop.wait_for_status(&unknown.id(), "SUCCEEDED");
    assert_eq!(desk.shop.refund(&unknown.id(), 1000).status(), "REFUNDED");
    desk.stripe.post("/_sim/clock", "advance=10");
    desk.shop.wait_for_status(&unknown.id(), "SUCCEEDED");
    let ends = Desk::kinds_of_end(&desk.shop, "stripe", "refund.failed");
    assert!(!ends.contains(&"FAILED".to_owned()), "{ends:?}");
}

#[test]
fn a_dispute_that_can_not_be_understood_is_an_alarm() {
    let desk = Desk::notified();
    // Nobody knows the decimals of this currency.
    desk.made_elsewhere("amount=4200&currency=ugx&payment_method=pm_card_createDispute");
    desk.stripe.post("/_sim/clock", "advance=5");
    assert_eq!(desk.became_of("charge.dispute.created"), "FAILED");
    assert!(desk.server.log().contains("a person must look"));
}
