//! Stories on the wire: Stripe and Adyen in their own formats, and the process dies before and after each request to them.

use futures_util::FutureExt;

use serde_json::json;

use super::{
    Story,
    actor::Actor,
    stories::{DISPUTED, GOOD, card, id_of, with_return},
};

/// A card whose owner is asked.
const ASKED: &str = "4000002760003184";

/// The bank behind it fails.
const FAILING: &str = "4000000000000119";

/// What is bought with it is given back later.
const SLOW_REFUND: &str = "4000000000007726";

/// Its refunds fail after they were taken.
const FAILING_REFUND: &str = "4000000000005126";

/// The beginning of the path of a defence at Adyen, and of an acceptance.
const DEFEND: &str = "POST /ca/services/DisputeService/v30/defendDispute";
const ACCEPT: &str = "POST /ca/services/DisputeService/v30/acceptDispute";

macro_rules! on_the_wire {
    ($name:literal, $ends:expr, $actor:ident, $work:block) => {
        Story {
            by_wire: true,
            ..story!($name, $ends, $actor, $work)
        }
    };
}

/// All of them.
pub(super) static STORIES: &[Story] = &[
    on_the_wire!("Stripe: a sale", ["SUCCEEDED"], actor, {
        actor.order(&card("at-stripe", GOOD)).await;
    }),
    on_the_wire!("Adyen: a sale", ["SUCCEEDED"], actor, {
        actor.order(&card("at-adyen", GOOD)).await;
    }),
    on_the_wire!(
        "Stripe: captured and refunded in parts",
        ["REFUNDED"],
        actor,
        {
            captured_and_refunded(&mut actor, "held-at-stripe").await;
        }
    ),
    on_the_wire!(
        "Adyen: captured and refunded in parts",
        ["REFUNDED"],
        actor,
        {
            captured_and_refunded(&mut actor, "held-at-adyen").await;
        }
    ),
    on_the_wire!("Stripe: captured in parts", ["SUCCEEDED"], actor, {
        captured_in_parts(&mut actor, "held-at-stripe").await;
    }),
    on_the_wire!("Adyen: captured in parts", ["SUCCEEDED"], actor, {
        captured_in_parts(&mut actor, "held-at-adyen").await;
    }),
    on_the_wire!("Stripe: cancelled", ["CANCELLED"], actor, {
        let id = id_of(actor.order(&card("held-at-stripe", GOOD)).await.as_ref());
        actor.cancel(&id).await;
    }),
    on_the_wire!("Adyen: cancelled", ["CANCELLED"], actor, {
        let id = id_of(actor.order(&card("held-at-adyen", GOOD)).await.as_ref());
        actor.cancel(&id).await;
    }),
    on_the_wire!("Stripe: 3D Secure", ["SUCCEEDED"], actor, {
        asked(&mut actor, "at-stripe", true).await;
    }),
    on_the_wire!("Adyen: 3D Secure", ["SUCCEEDED"], actor, {
        asked(&mut actor, "at-adyen", true).await;
    }),
    on_the_wire!("Stripe: 3D Secure that fails", ["DECLINED"], actor, {
        asked(&mut actor, "at-stripe", false).await;
    }),
    on_the_wire!("Adyen: 3D Secure that fails", ["DECLINED"], actor, {
        asked(&mut actor, "at-adyen", false).await;
    }),
    on_the_wire!("Stripe: charged without an answer", ["SUCCEEDED"], actor, {
        actor.troubles_stripe("lost-after", "POST /v1/payment_intents/");
        actor.order(&card("at-stripe", GOOD)).await;
    }),
    on_the_wire!("Adyen: charged without an answer", ["SUCCEEDED"], actor, {
        actor.troubles_adyen("lost-after", "POST /v72/payments");
        actor.order(&card("at-adyen", GOOD)).await;
    }),
    on_the_wire!("Stripe: an error after the charge", ["SUCCEEDED"], actor, {
        actor.troubles_stripe("error-after", "POST /v1/payment_intents/");
        actor.order(&card("at-stripe", GOOD)).await;
    }),
    on_the_wire!("Adyen: an error after the charge", ["SUCCEEDED"], actor, {
        actor.troubles_adyen("error-after", "POST /v72/payments");
        actor.order(&card("at-adyen", GOOD)).await;
    }),
    on_the_wire!("Stripe: the request is lost", ["FAILED"], actor, {
        actor.troubles_stripe("lost-before", "POST /v1/payment_intents/");
        actor.order(&card("at-stripe", GOOD)).await;
    }),
    on_the_wire!("Adyen: the request is lost", ["FAILED"], actor, {
        actor.troubles_adyen("lost-before", "POST /v72/payments");
        actor.order(&card("at-adyen", GOOD)).await;
    }),
    on_the_wire!("Stripe is busy, and Adyen charges", ["SUCCEEDED"], actor, {
        for _ in 0..9 {
            actor.troubles_stripe("rate-limit", "POST /v1/payment_intents");
        }
        let id = id_of(actor.order(&card("stripe-then-adyen", GOOD)).await.as_ref());
        actor.capture(&id, None).await;
    }),
    // It does not say that it did nothing.
    on_the_wire!("Adyen is busy", ["FAILED"], actor, {
        actor.troubles_adyen("rate-limit", "POST /v72/payments");
        actor.order(&card("adyen-first", GOOD)).await;
    }),
    on_the_wire!("Adyen fails, and Stripe declines", ["DECLINED"], actor, {
        actor.order(&card("adyen-first", FAILING)).await;
    }),
    on_the_wire!(
        "Stripe: a refund without an answer",
        ["PARTIAL_REFUNDED"],
        actor,
        {
            let id = id_of(actor.order(&card("at-stripe", GOOD)).await.as_ref());
            actor.troubles_stripe("lost-after", "POST /v1/refunds");
            actor.refund_twice(&id, 100).await;
        }
    ),
    on_the_wire!(
        "Adyen: a refund without an answer",
        ["PARTIAL_REFUNDED"],
        actor,
        {
            let id = id_of(actor.order(&card("at-adyen", GOOD)).await.as_ref());
            actor.troubles_adyen("lost-after", "POST /v72/payments/");
            actor.refund_twice(&id, 100).await;
        }
    ),
    on_the_wire!("Stripe: a slow refund", ["PARTIAL_REFUNDED"], actor, {
        refunded(&mut actor, "at-stripe", SLOW_REFUND).await;
    }),
    on_the_wire!("Adyen: a slow refund", ["PARTIAL_REFUNDED"], actor, {
        refunded(&mut actor, "at-adyen", SLOW_REFUND).await;
    }),
    on_the_wire!("Stripe: a refund that fails later", ["SUCCEEDED"], actor, {
        refunded(&mut actor, "at-stripe", FAILING_REFUND).await;
    }),
    on_the_wire!("Adyen: a refund that fails later", ["SUCCEEDED"], actor, {
        refunded(&mut actor, "at-adyen", FAILING_REFUND).await;
    }),
    on_the_wire!("Stripe: evidence for a dispute", ["DISPUTED"], actor, {
        let dispute = disputed(&mut actor, "at-stripe").await;
        actor.evidence(&dispute, false).await;
        actor.evidence(&dispute, true).await;
    }),
    on_the_wire!("Stripe: evidence that wins", ["SUCCEEDED"], actor, {
        let dispute = disputed(&mut actor, "at-stripe").await;
        let texts = json!([{ "kind": "OTHER", "text": "winning_evidence" }]);
        let evidence = json!({ "texts": texts });
        actor.evidence_of(&dispute, &evidence, true).await;
    }),
    on_the_wire!("Stripe: evidence without an answer", ["DISPUTED"], actor, {
        let dispute = disputed(&mut actor, "at-stripe").await;
        actor.troubles_stripe("lost-after", "POST /v1/disputes/");
        actor.evidence(&dispute, true).await;
    }),
    on_the_wire!("Stripe: a dispute that is accepted", ["DISPUTED"], actor, {
        let dispute = disputed(&mut actor, "at-stripe").await;
        actor.troubles_stripe("lost-after", "POST /v1/disputes/");
        actor.accept(&dispute, "accepting").await;
    }),
    on_the_wire!("Adyen: a document for a dispute", ["DISPUTED"], actor, {
        let dispute = disputed(&mut actor, "at-adyen").await;
        let evidence = json!({ "document": true });
        actor.evidence_of(&dispute, &evidence, false).await;
        actor.evidence_of(&dispute, &evidence, true).await;
    }),
    on_the_wire!("Adyen: a defence without an answer", ["DISPUTED"], actor, {
        let dispute = disputed(&mut actor, "at-adyen").await;
        actor.troubles_adyen("lost-after", DEFEND);
        let evidence = json!({ "document": true });
        actor.evidence_of(&dispute, &evidence, true).await;
    }),
    on_the_wire!("Adyen: a defence that is lost", ["DISPUTED"], actor, {
        let dispute = disputed(&mut actor, "at-adyen").await;
        actor.troubles_adyen("lost-before", DEFEND);
        let evidence = json!({ "document": true });
        actor.evidence_of(&dispute, &evidence, true).await;
    }),
    on_the_wire!("Adyen: a dispute that is accepted", ["DISPUTED"], actor, {
        let dispute = disputed(&mut actor, "at-adyen").await;
        actor.accept(&dispute, "accepting").await;
    }),
    on_the_wire!(
        "Adyen: an acceptance without an answer",
        ["DISPUTED"],
        actor,
        {
            let dispute = disputed(&mut actor, "at-adyen").await;
            actor.troubles_adyen("lost-after", ACCEPT);
            actor.accept(&dispute, "accepting").await;
        }
    ),
];

/// A sale that is disputed; the dispute.
async fn disputed(actor: &mut Actor, flow: &str) -> String {
    actor.order(&card(flow, DISPUTED)).await;
    actor.dispute().await.unwrap_or_default()
}

async fn captured_and_refunded(actor: &mut Actor, flow: &str) {
    let id = id_of(actor.order(&card(flow, GOOD)).await.as_ref());
    actor.capture(&id, Some(1000)).await;
    actor.until_captured(&id).await;
    actor.refund(&id, Some(300)).await;
    actor.refund(&id, None).await;
}

async fn captured_in_parts(actor: &mut Actor, flow: &str) {
    let id = id_of(actor.order(&card(flow, GOOD)).await.as_ref());
    actor.capture_part(&id, 500).await;
    actor.capture_part(&id, 300).await;
    actor.capture(&id, None).await;
}

async fn asked(actor: &mut Actor, flow: &str, pass: bool) {
    let got = actor.order(&with_return(card(flow, ASKED))).await;
    actor.detour(got.as_ref(), pass).await;
}

async fn refunded(actor: &mut Actor, flow: &str, number: &str) {
    let id = id_of(actor.order(&card(flow, number)).await.as_ref());
    actor.until_captured(&id).await;
    actor.refund(&id, Some(500)).await;
}
