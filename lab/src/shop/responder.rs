//! Those who respond to disputes for the merchant: drafts, evidence and acceptance, some of it twice, at once and at several nodes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::future::join;
use serde_json::{Value, json};

use super::{Shop, Wish, visits::Visitor, words};
use crate::{
    chance::Chance,
    house::{AT_ADYEN, AT_STRIPE},
};

/// One who responds.
pub(crate) struct Responder {
    visitor: Visitor,
    /// How many texts were written: each is another one.
    written: u32,
    /// Whether the processor of the dispute takes documents alone.
    takes_documents: bool,
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
            takes_documents: false,
        }
    }

    /// Responds to what waits until the shop has closed.
    pub(crate) async fn work(mut self, closed: Arc<AtomicBool>) {
        while !closed.load(Ordering::SeqCst) {
            self.visitor.pause(500, 6_000).await;
            if self.visitor.shop.by_wire && self.visitor.chance.one_in(3) {
                self.issuer_judges().await;
            } else if let Some((dispute, connection)) = self.one_that_waits().await {
                self.takes_documents = connection == AT_ADYEN;
                self.responds(&dispute).await;
            }
        }
    }

    /// A dispute that needs a response, mostly; else any. Its id, and its connection's.
    async fn one_that_waits(&mut self) -> Option<(String, String)> {
        let node = self.visitor.node();
        let mut listed = self.visitor.shop.disputes(node).await?;
        let waits = |one: &Value| one.get("status") == Some(&json!("NEEDS_RESPONSE"));
        if !self.visitor.chance.one_in(8) {
            listed.retain(waits);
        }
        let index = self.visitor.chance.index(listed.len());
        let one = listed.get(index)?;
        let text = |name: &str| one.get(name)?.as_str().map(str::to_owned);
        Some((text("id")?, text("connectionId")?))
    }

    /// The issuer judges what was responded at Stripe or Adyen, or comes back to it.
    async fn issuer_judges(&mut self) -> Option<()> {
        let node = self.visitor.node();
        let mut listed = self.visitor.shop.disputes(node).await?;
        listed.retain(|one| one.pointer("/response/state") == Some(&json!("TAKEN")));
        let one = listed.get(self.visitor.chance.index(listed.len()))?;
        let text = |name: &str| one.get(name).and_then(Value::as_str);
        let (connection, id) = (text("connectionId")?, text("sourceDisputeId")?);
        let word = self
            .visitor
            .chance
            .pick("reversed", &["won", "lost", "prearbitration_won"]);
        let house = &self.visitor.shop.house;
        match connection {
            AT_ADYEN => house.judged_at_adyen(id, word),
            AT_STRIPE => house.judged_at_stripe(id),
            _ => {}
        }
        Some(())
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
        let evidence = if self.takes_documents {
            json!({ "document": true })
        } else {
            json!({ "texts": texts })
        };
        let asked = json!({ "id": dispute, "evidence": evidence, "submit": submit });
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
