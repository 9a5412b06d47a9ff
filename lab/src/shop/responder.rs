//! Those who respond to disputes for the merchant: drafts, evidence and acceptance, some of it twice, at once and at several nodes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::future::join;
use serde_json::{Value, json};

use super::{Shop, Wish, visits::Visitor, words};
use crate::chance::Chance;

/// One who responds.
pub(crate) struct Responder {
    visitor: Visitor,
    /// How many texts were written: each is another one.
    written: u32,
}

impl Responder {
    pub(crate) fn new(shop: &Shop, chance: Chance) -> Self {
        let visitor = Visitor {
            shop: shop.clone(),
            chance,
        };
        Self {
            visitor,
            written: 0,
        }
    }

    /// Responds to what waits until the shop has closed.
    pub(crate) async fn work(mut self, closed: Arc<AtomicBool>) {
        while !closed.load(Ordering::SeqCst) {
            self.visitor.pause(500, 6_000).await;
            if let Some(dispute) = self.one_that_waits().await {
                self.responds(&dispute).await;
            }
        }
    }

    /// A dispute that needs a response, mostly; else any.
    async fn one_that_waits(&mut self) -> Option<String> {
        let node = self.visitor.node();
        let mut listed = self.visitor.shop.disputes(node).await?;
        let waits = |one: &Value| one.get("status") == Some(&json!("NEEDS_RESPONSE"));
        if !self.visitor.chance.one_in(8) {
            listed.retain(waits);
        }
        let index = self.visitor.chance.index(listed.len());
        let id = listed.get(index)?.get("id")?.as_str()?;
        Some(id.to_owned())
    }

    async fn responds(&mut self, dispute: &str) {
        match self.visitor.chance.below(8) {
            0 => {
                let draft = self.evidence(dispute, false);
                self.visitor.insist(&draft).await;
            }
            1 => self.drafts_and_submits(dispute).await,
            2 | 3 => {
                let wish = self.evidence(dispute, true);
                self.visitor.insist(&wish).await;
            }
            4 => {
                let wish = self.acceptance(dispute);
                self.visitor.insist(&wish).await;
            }
            5 => {
                // The same request at two nodes, and again until it is answered.
                let wish = self.evidence(dispute, true);
                self.both(&wish, &wish).await;
                self.visitor.insist(&wish).await;
            }
            6 => {
                let (evidence, acceptance) =
                    (self.evidence(dispute, true), self.acceptance(dispute));
                self.both(&evidence, &acceptance).await;
            }
            _ => {
                let (one, two) = (self.evidence(dispute, true), self.evidence(dispute, true));
                self.both(&one, &two).await;
            }
        }
    }

    /// Saves a draft, and submits it as it is.
    async fn drafts_and_submits(&mut self, dispute: &str) {
        let draft = self.evidence(dispute, false);
        self.visitor.insist(&draft).await;
        self.visitor.pause(10, 2_000).await;
        let asked = json!({ "id": dispute, "evidence": {}, "submit": true });
        let wish = self.keyed(Wish::new("submitDisputeEvidence", words::EVIDENCE, asked));
        self.visitor.insist(&wish).await;
    }

    /// Sends two requests at the same moment, one of which may be cut off.
    async fn both(&mut self, one: &Wish, two: &Wish) {
        let (first, second) = (self.visitor.node(), self.visitor.node());
        let (shop, cut) = (self.visitor.shop.clone(), self.visitor.cut());
        join(shop.ask(first, one, cut), shop.ask(second, two, None)).await;
    }

    fn evidence(&mut self, dispute: &str, submit: bool) -> Wish {
        self.written += 1;
        let text = format!("The parcel was signed for: proof {}.", self.written);
        let texts = json!([
            { "kind": "DELIVERY", "text": text },
            { "kind": "OTHER", "text": "The customer wrote that all is well." },
        ]);
        let asked = json!({ "id": dispute, "evidence": { "texts": texts }, "submit": submit });
        self.keyed(Wish::new("submitDisputeEvidence", words::EVIDENCE, asked))
    }

    fn acceptance(&mut self, dispute: &str) -> Wish {
        let asked = json!({ "id": dispute });
        self.keyed(Wish::new("acceptDispute", words::ACCEPT, asked))
    }

    /// Under a key of its own, so that it may be sent again.
    fn keyed(&mut self, wish: Wish) -> Wish {
        let key = format!("response-{:016x}", self.visitor.chance.next());
        wish.once(Some(key))
    }
}
