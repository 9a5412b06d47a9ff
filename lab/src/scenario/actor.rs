//! A client of a story: it keeps trying, at one node after the other, until it is answered.

use std::{sync::Arc, time::Duration};

use futures_util::future::join;
use processors::Armed;
use serde_json::{Value, json};

use crate::{
    bank::Mood,
    house::Got,
    shop::{About, Shop, Wish, words},
};

/// How often a request is sent again.
const TRIES: usize = 12;

/// How often disputes are looked for.
const DISPUTED_WITHIN: usize = 60;

/// A client of a story.
pub(super) struct Actor {
    pub(super) shop: Shop,
    keys: u32,
}

impl Actor {
    pub(super) fn new(shop: Shop) -> Self {
        Self { shop, keys: 0 }
    }

    /// Waits.
    pub(super) async fn pause(&self, span: Duration) {
        self.shop.house.world.sleep(span).await;
    }

    fn key(&mut self) -> String {
        self.keys += 1;
        format!("story-{}", self.keys)
    }

    /// Sends a request under a key until it is answered.
    async fn insist(&self, wish: &Wish) -> Option<Got> {
        for attempt in 0..TRIES {
            let got = self
                .shop
                .ask(attempt % self.shop.house.nodes(), wish, None)
                .await;
            match got.as_ref().map(Got::code) {
                None | Some(Some("error.unavailable" | "error.idempotency.in-progress")) => {}
                Some(Some(_) | None) => return got,
            }
            self.pause(Duration::from_secs(3)).await;
        }
        None
    }

    /// Orders under a key.
    pub(super) async fn order(&mut self, input: &Value) -> Option<Got> {
        let wish = self.ordering(input, None);
        self.insist(&wish).await
    }

    /// An order under a key, for a checkout.
    pub(super) fn ordering(&mut self, input: &Value, checkout: Option<String>) -> Wish {
        let wish = Wish::new(
            "authorizePayment",
            words::AUTHORISE,
            json!({ "order": input }),
        )
        .once(Some(self.key()));
        Wish {
            about: About { checkout },
            ..wish
        }
    }

    /// Orders with a given wish.
    pub(super) async fn send(&self, wish: &Wish) -> Option<Got> {
        self.insist(wish).await
    }

    /// Captures, all when there is no amount.
    pub(super) async fn capture(&mut self, id: &str, amount: Option<i64>) -> Option<Got> {
        let asked = json!({ "id": id, "amount": amount });
        let wish = Wish::new("capturePayment", words::CAPTURE, asked).once(Some(self.key()));
        self.insist(&wish).await
    }

    /// Captures a part; more may be captured.
    pub(super) async fn capture_part(&mut self, id: &str, amount: i64) -> Option<Got> {
        let key = self.key();
        self.capture_part_as(id, amount, &key).await
    }

    /// Captures a part under a key of this name.
    pub(super) async fn capture_part_as(&self, id: &str, amount: i64, key: &str) -> Option<Got> {
        let asked = json!({ "id": id, "amount": amount, "final": false });
        let wish = Wish::new("capturePayment", words::CAPTURE, asked).once(Some(key.to_owned()));
        self.insist(&wish).await
    }

    pub(super) async fn cancel(&mut self, id: &str) -> Option<Got> {
        let wish =
            Wish::new("cancelPayment", words::CANCEL, json!({ "id": id })).once(Some(self.key()));
        self.insist(&wish).await
    }

    /// Cancels under a key of this name.
    pub(super) async fn cancel_as(&mut self, id: &str, key: &str) -> Option<Got> {
        let wish = Wish::new("cancelPayment", words::CANCEL, json!({ "id": id }))
            .once(Some(key.to_owned()));
        self.insist(&wish).await
    }

    /// Refunds, what is left when there is no amount.
    pub(super) async fn refund(&mut self, id: &str, amount: Option<i64>) -> Option<Got> {
        let asked = json!({ "id": id, "amount": amount });
        let wish = Wish::new("refundPayment", words::REFUND, asked).once(Some(self.key()));
        self.insist(&wish).await
    }

    /// Refunds under a key of this name.
    pub(super) async fn refund_as(&mut self, id: &str, amount: i64, key: &str) -> Option<Got> {
        let asked = json!({ "id": id, "amount": amount });
        let wish = Wish::new("refundPayment", words::REFUND, asked).once(Some(key.to_owned()));
        self.insist(&wish).await
    }

    /// Refunds once, by one request to each node at the same moment.
    pub(super) async fn refund_twice(&mut self, id: &str, amount: i64) {
        let asked = json!({ "id": id, "amount": amount });
        let wish = Wish::new("refundPayment", words::REFUND, asked).once(Some(self.key()));
        join(self.shop.ask(1, &wish, None), self.shop.ask(0, &wish, None)).await;
        self.insist(&wish).await;
    }

    /// Waits until a payment is captured: at some processors a notification says so.
    pub(super) async fn until_captured(&self, id: &str) {
        for _ in 0..DISPUTED_WITHIN {
            let got = self.get(id).await;
            let status = got.as_ref().and_then(|got| got.text("status"));
            if status == Some("SUCCEEDED") {
                return;
            }
            self.pause(Duration::from_secs(3)).await;
        }
    }

    /// Something goes wrong with the next request to Stripe whose path begins so.
    pub(super) fn troubles_stripe(&self, fault: &str, path: &str) {
        if let Ok(armed) = Armed::parse(fault) {
            self.shop
                .house
                .stripe
                .machine()
                .arm(armed.times(1).at(path));
        }
    }

    /// Something goes wrong with the next request to Adyen whose path begins so.
    pub(super) fn troubles_adyen(&self, fault: &str, path: &str) {
        if let Ok(armed) = Armed::parse(fault) {
            self.shop.house.adyen.machine().arm(armed.times(1).at(path));
        }
    }

    pub(super) async fn abandon(&self, id: &str) -> Option<Got> {
        self.insist(&Wish::new(
            "abandonPayment",
            words::ABANDON,
            json!({ "id": id }),
        ))
        .await
    }

    pub(super) async fn get(&self, id: &str) -> Option<Got> {
        self.insist(&Wish::new("getPayment", words::GET, json!({ "id": id })))
            .await
    }

    pub(super) async fn approve(&self, instance: &str, approve: bool) {
        let asked = json!({ "id": instance, "approve": approve });
        self.insist(&Wish::new("decideApproval", words::DECIDE, asked))
            .await;
    }

    /// Waits until there is a dispute. Its id.
    pub(super) async fn dispute(&self) -> Option<String> {
        for attempt in 0..DISPUTED_WITHIN {
            let node = attempt % self.shop.house.nodes();
            let listed = self.shop.disputes(node).await.unwrap_or_default();
            let id = listed.first().and_then(|one| one.get("id")?.as_str());
            if let Some(id) = id {
                return Some(id.to_owned());
            }
            self.pause(Duration::from_secs(3)).await;
        }
        None
    }

    /// Submits evidence for a dispute, or keeps it as a draft.
    pub(super) async fn evidence(&mut self, dispute: &str, submit: bool) -> Option<Got> {
        let texts = json!([{ "kind": "DELIVERY", "text": "The parcel was signed for." }]);
        self.evidence_of(dispute, &json!({ "texts": texts }), submit)
            .await
    }

    /// The same with this evidence.
    pub(super) async fn evidence_of(
        &mut self,
        dispute: &str,
        evidence: &Value,
        submit: bool,
    ) -> Option<Got> {
        let asked = json!({ "id": dispute, "evidence": evidence, "submit": submit });
        let wish =
            Wish::new("submitDisputeEvidence", words::EVIDENCE, asked).once(Some(self.key()));
        self.insist(&wish).await
    }

    /// Submits evidence while processors answer nothing, until it can't be answered any more.
    pub(super) async fn unanswered(&mut self, dispute: &str, effect: bool) {
        let bank = Arc::clone(&self.shop.house.bank);
        bank.set_mood(Mood::Silent { effect });
        let (world, well) = (self.shop.house.world.clone(), Arc::clone(&bank));
        let later = async move {
            world.sleep(Duration::from_secs(4)).await;
            well.set_mood(Mood::Well);
        };
        join(self.evidence(dispute, true), later).await;
    }

    /// Accepts a dispute under a key of this name.
    pub(super) async fn accept(&self, dispute: &str, key: &str) -> Option<Got> {
        let wish = Wish::new("acceptDispute", words::ACCEPT, json!({ "id": dispute }))
            .once(Some(key.to_owned()));
        self.insist(&wish).await
    }

    /// The warehouse reports that the parcel has left, until somebody takes it.
    pub(super) async fn ship(&self, id: &str) {
        for attempt in 0..TRIES {
            let node = attempt % self.shop.house.nodes();
            if let Some(Ok(_)) = self
                .shop
                .house
                .send_webhook(node, "shipped", json!({ "payment": id }))
                .await
            {
                return;
            }
            self.pause(Duration::from_secs(3)).await;
        }
    }

    /// Makes a client token that is good for one payment of this amount.
    pub(super) async fn token(&self, amount: i64) -> Option<String> {
        let asked = json!({ "amount": amount, "currency": "EUR" });
        let got = self
            .insist(&Wish::new(
                "generateClientToken",
                words::CLIENT_TOKEN,
                asked,
            ))
            .await?;
        got.body
            .pointer("/data/generateClientToken/token")?
            .as_str()
            .map(str::to_owned)
    }

    /// Starts a checkout.
    pub(super) async fn checkout(&self, amount: i64) -> Option<String> {
        let asked = json!({ "tracking": "visit", "flow": "default", "amount": { "amount": amount, "currency": "EUR" } });
        let got = self
            .insist(&Wish::new("startIntent", words::START_INTENT, asked))
            .await?;
        got.body
            .pointer("/data/startIntent/id")?
            .as_str()
            .map(str::to_owned)
    }

    pub(super) async fn complete_checkout(&self, intent: &str) {
        self.insist(&Wish::new(
            "completeIntent",
            words::COMPLETE_INTENT,
            json!({ "id": intent }),
        ))
        .await;
    }

    /// The customer decides at the processor's page. The address of the return.
    pub(super) async fn decide(&self, url: &str, pass: bool) -> Option<String> {
        let back = self.shop.house.decide(url, pass).await?;
        self.shop.note_return(&back);
        Some(back)
    }

    /// The customer opens the address of the return at both nodes, one after the other.
    pub(super) async fn come_back(&self, url: &str) {
        for node in 0..self.shop.house.nodes() {
            self.shop.house.come_back(node, url).await;
        }
    }

    /// Goes to the page of what was ordered, passes or fails there, and comes back.
    pub(super) async fn detour(&self, got: Option<&Got>, pass: bool) {
        let Some(url) = got.and_then(Got::url) else {
            return;
        };
        if let Some(back) = self.decide(url, pass).await {
            self.come_back(&back).await;
        }
    }
}
