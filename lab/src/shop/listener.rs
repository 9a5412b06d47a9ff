//! A client that takes the events of the feed as they happen, by `listEvents` at any node.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::{Shop, words};
use crate::{chance::Chance, house::Ask};

/// How often it looks at the end until nothing new comes.
const LAST_LOOKS: usize = 60;

/// So many looks without anything new are the end.
const QUIET: usize = 3;

/// The most that a page has.
const LARGEST_PAGE: usize = 9;

/// A client that follows the events, with what it has taken, in order.
pub(crate) struct Listener {
    shop: Shop,
    chance: Chance,
    after: Value,
    taken: Vec<Value>,
}

impl Listener {
    pub(crate) fn new(shop: &Shop, chance: Chance) -> Self {
        Self {
            shop: shop.clone(),
            chance,
            after: Value::Null,
            taken: Vec::new(),
        }
    }

    /// Follows until the shop has closed.
    pub(crate) async fn follow(mut self, closed: Arc<AtomicBool>) -> Self {
        while !closed.load(Ordering::SeqCst) {
            self.look().await;
            let pause = self.chance.millis(20, 4_000);
            self.shop.house.world.sleep(pause).await;
        }
        self
    }

    /// Follows to the end of the feed. Call it when nothing happens any more. Returns every event that it has taken.
    pub(crate) async fn follow_to_the_end(mut self) -> Vec<Value> {
        let mut quiet = 0;
        for _ in 0..LAST_LOOKS.max(self.taken.len()) {
            quiet = match self.look().await {
                Some(0) => quiet + 1,
                Some(_) | None => 0,
            };
            if quiet >= QUIET {
                break;
            }
            self.shop
                .house
                .world
                .sleep(Duration::from_millis(500))
                .await;
        }
        self.taken
    }

    /// Looks until a page is the last one. How many events came; `None` when nobody answered.
    async fn look(&mut self) -> Option<usize> {
        let mut new = 0;
        loop {
            let node = self.chance.index(self.shop.house.nodes());
            let first = 1 + self.chance.index(LARGEST_PAGE);
            let asked = json!({"after": self.after, "first": first});
            let variables: Map<String, Value> = asked.as_object().cloned().unwrap_or_default();
            let ask = Ask {
                query: words::EVENTS,
                variables,
                key: None,
                bearer: None,
            };
            let got = self.shop.house.send(node, ask, None).await?;
            let page = got.body.pointer("/data/listEvents")?;
            let edges = page.get("edges")?.as_array()?;
            new += edges.len();
            self.taken
                .extend(edges.iter().filter_map(|edge| edge.get("node")).cloned());
            // A feed without rows has no end yet.
            self.after = page.pointer("/pageInfo/endCursor")?.clone();
            if page.pointer("/pageInfo/hasNextPage")? != &json!(true) {
                return Some(new);
            }
        }
    }
}
