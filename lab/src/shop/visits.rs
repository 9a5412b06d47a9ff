//! What can happen around a payment: lost answers, repeats, second tabs, customers who come back, and what the shop does
//! afterwards.

use std::time::Duration;

use futures_util::future::join;
use serde_json::json;

use super::{Shop, Wish, words};
use crate::{chance::Chance, house::Got};

/// How often a client sends a request again under its key.
const TRIES: u32 = 8;

/// One visitor of the shop, with the chance of its own.
pub(crate) struct Visitor {
    pub(crate) shop: Shop,
    pub(crate) chance: Chance,
}

impl Visitor {
    /// Waits from `low` to `high` milliseconds.
    pub(crate) async fn pause(&mut self, low: i64, high: i64) {
        let span = self.chance.millis(low, high);
        self.shop.house.world.sleep(span).await;
    }

    /// Any node.
    pub(crate) fn node(&mut self) -> usize {
        self.chance.index(self.shop.house.nodes())
    }

    /// Whether the client will go away, and after how many polls.
    pub(crate) fn cut(&mut self) -> Option<u32> {
        self.chance
            .one_in(6)
            .then(|| u32::try_from(self.chance.below(45)).unwrap_or(0))
    }

    /// Sends a request until it is answered: again under its key, at any node. Without a key only after an answer that says
    /// that nothing was done: our failure, which names nothing that could be read instead.
    pub(crate) async fn insist(&mut self, wish: &Wish) -> Option<Got> {
        for _ in 0..TRIES {
            let (node, cut) = (self.node(), self.cut());
            let got = self.shop.ask(node, wish, cut).await;
            let again = match got.as_ref().map(Got::code) {
                None | Some(Some("error.unavailable" | "error.idempotency.in-progress")) => true,
                Some(Some(_) | None) => false,
            };
            let names = got.as_ref().is_none_or(|got| got.id().is_some());
            if !again || wish.key.is_none() && names {
                return got;
            }
            self.pause(5, 4_000).await;
        }
        None
    }

    /// The order's payment, when its answer was lost.
    pub(crate) async fn find(&mut self, order: &str) -> Option<String> {
        self.pause(100, 3_000).await;
        let filter = json!({ "filter": { "filter": { "orderId": { "value": order } } } });
        let node = self.node();
        let got = self
            .shop
            .ask(node, &Wish::new("listPayments", words::FIND, filter), None)
            .await?;
        let id = got.body.pointer("/data/listPayments/edges/0/node/id")?;
        id.as_str().map(str::to_owned)
    }

    /// The customer goes to the processor's page and comes back: perhaps twice, elsewhere, late, or never.
    pub(crate) async fn detour(&mut self, url: &str) {
        if self.chance.one_in(8) {
            return;
        }
        self.pause(500, 60_000).await;
        let pass = !self.chance.one_in(5);
        let Some(return_url) = self.shop.house.decide(url, pass).await else {
            return;
        };
        self.shop.note_return(&return_url);
        if self.chance.one_in(6) {
            // The browser is closed; what was decided is found out otherwise.
            return;
        }
        if self.chance.one_in(12) {
            // After the time that customers have.
            self.pause(1_150_000, 1_300_000).await;
        }
        for _ in 0..self.chance.between(1, 3) {
            let (one, two) = (self.node(), self.node());
            self.shop.house.counts.add("(returns of customers)");
            if self.chance.one_in(4) {
                let house = &self.shop.house;
                join(
                    house.come_back(one, &return_url),
                    house.come_back(two, &return_url),
                )
                .await;
            } else {
                self.shop.house.come_back(one, &return_url).await;
            }
            self.pause(1, 5_000).await;
        }
    }

    /// The shop looks at the payment, captures, cancels and refunds it, some of it at once and at several nodes.
    pub(crate) async fn look_after(&mut self, id: &str, amount: i64) {
        for _ in 0..self.chance.between(0, 4) {
            self.pause(0, 8_000).await;
            match self.chance.below(9) {
                0 => self.get(id).await,
                1 | 2 => self.capture(id, amount).await,
                3 => self.cancel(id).await,
                4 | 5 => self.refund(id, amount).await,
                6 => {
                    let (one, two) = (self.node(), self.node());
                    let (cancel, capture) = (self.cancelling(id), self.capturing(id, amount));
                    join(
                        self.shop.ask(one, &cancel, None),
                        self.shop.ask(two, &capture, None),
                    )
                    .await;
                }
                7 => {
                    let (one, two) = (self.node(), self.node());
                    let (first, second) = (self.refunding(id, amount), self.refunding(id, amount));
                    join(
                        self.shop.ask(one, &first, None),
                        self.shop.ask(two, &second, None),
                    )
                    .await;
                }
                _ => {
                    let (one, two, three) = (self.node(), self.node(), self.node());
                    let capture = self.capturing(id, amount);
                    let (refund, get) = (
                        self.refunding(id, amount),
                        Wish::new("getPayment", words::GET, json!({ "id": id })),
                    );
                    let reads = join(
                        self.shop.ask(two, &get, None),
                        self.shop.ask(three, &refund, None),
                    );
                    join(self.shop.ask(one, &capture, None), reads).await;
                }
            }
        }
        if self.chance.one_in(12) {
            self.pause(0, 2_000).await;
            let node = self.node();
            let wish = Wish::new("abandonPayment", words::ABANDON, json!({ "id": id }));
            self.shop.ask(node, &wish, None).await;
        }
    }

    async fn get(&mut self, id: &str) {
        let (node, cut) = (self.node(), self.cut());
        self.shop
            .ask(
                node,
                &Wish::new("getPayment", words::GET, json!({ "id": id })),
                cut,
            )
            .await;
    }

    async fn capture(&mut self, id: &str, amount: i64) {
        let wish = self.capturing(id, amount);
        self.insist(&wish).await;
    }

    async fn cancel(&mut self, id: &str) {
        let wish = self.cancelling(id);
        self.insist(&wish).await;
    }

    async fn refund(&mut self, id: &str, amount: i64) {
        let wish = self.refunding(id, amount);
        self.insist(&wish).await;
    }

    fn capturing(&mut self, id: &str, amount: i64) -> Wish {
        let amount = self.part(amount);
        let is_final = self.chance.one_in(2);
        let key = self.key();
        Wish::new(
            "capturePayment",
            words::CAPTURE,
            json!({ "id": id, "amount": amount, "final": is_final }),
        )
        .once(key)
    }

    fn cancelling(&mut self, id: &str) -> Wish {
        let key = self.key();
        Wish::new("cancelPayment", words::CANCEL, json!({ "id": id })).once(key)
    }

    fn refunding(&mut self, id: &str, amount: i64) -> Wish {
        let amount = self.part(amount);
        let key = self.key();
        Wish::new(
            "refundPayment",
            words::REFUND,
            json!({ "id": id, "amount": amount }),
        )
        .once(key)
    }

    /// All, a part, now and then too much.
    fn part(&mut self, amount: i64) -> Option<i64> {
        match self.chance.below(5) {
            0 => None,
            1 => Some(amount),
            2 => Some(self.chance.between(1, amount.saturating_add(2))),
            _ => Some(self.chance.between(1, (amount / 2).max(1))),
        }
    }

    /// An idempotency key that nobody else has, or none.
    pub(crate) fn key(&mut self) -> Option<String> {
        if self.chance.one_in(2) {
            Some(format!("key-{:016x}", self.chance.next()))
        } else {
            None
        }
    }

    /// Approves or refuses what a flow waits for.
    pub(crate) async fn approve(&mut self, instance: &str) {
        self.pause(500, 20_000).await;
        let approve = !self.chance.one_in(5);
        let wish = Wish::new(
            "decideApproval",
            words::DECIDE,
            json!({ "id": instance, "approve": approve }),
        );
        for _ in 0..self.chance.between(1, 2) {
            let node = self.node();
            self.shop.ask(node, &wish, None).await;
        }
    }

    /// The warehouse tells that the parcel has left.
    pub(crate) async fn ship(&mut self, id: &str) {
        self.pause(500, 20_000).await;
        for _ in 0..self.chance.between(1, 2) {
            let node = self.node();
            self.shop.house.counts.add("(webhooks that came in)");
            let _ = self
                .shop
                .house
                .send_webhook(node, "shipped", json!({ "payment": id }))
                .await;
        }
    }
}

/// How long the shop's opening hours last: visitors come at any time of them.
pub(crate) const OPEN: Duration = Duration::from_mins(3);
