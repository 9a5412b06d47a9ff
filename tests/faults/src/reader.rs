//! A reader that follows the list of payments by date, the oldest first, while nodes write, die and sleep.

use std::{
    collections::BTreeSet,
    io,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use testkit::{Answer, Shop};

use crate::{Chance, Fleet};

const PAGE: &str = "query($after: String, $data: PaymentFilterInput) { listPayments(first: 50, after: $after, data: $data) { \
    pageInfo { endCursor } edges { node { id } } } }";
/// How long a node has for a page.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the last payments may take to be settled. A transaction of a node that was killed may hold the list back.
const SETTLED_WITHIN: Duration = Duration::from_mins(2);

/// What a reader has seen.
#[derive(Default)]
pub(crate) struct Reader {
    seen: BTreeSet<String>,
    after: Value,
}

impl Reader {
    /// Follows until the street closes. It asks another node for each page.
    pub(crate) fn follow(
        mut self,
        fleet: &Fleet,
        shop: &Shop,
        closed: &AtomicBool,
        mut chance: Chance,
    ) -> Self {
        while !closed.load(Ordering::Relaxed) {
            if self.page(fleet, shop, chance.index(fleet.len())) == 0 {
                thread::sleep(Duration::from_millis(20));
            }
        }
        self
    }

    /// Reads on until it has seen every payment that there is. Panics when one is missed.
    pub(crate) fn finish(mut self, fleet: &Fleet, shop: &Shop) -> usize {
        let all: BTreeSet<String> = shop
            .every_payment()
            .iter()
            .map(testkit::Payment::id)
            .collect();
        let begun = Instant::now();
        while begun.elapsed() < SETTLED_WITHIN && self.seen.len() < all.len() {
            if self.page(fleet, shop, 0) == 0 {
                thread::sleep(Duration::from_millis(50));
            }
        }
        let missed: Vec<&String> = all.difference(&self.seen).collect();
        assert!(missed.is_empty(), "a followed list missed {missed:?}");
        self.seen.len()
    }

    /// Reads a page; how many payments are on it. None when the node has no answer.
    fn page(&mut self, fleet: &Fleet, shop: &Shop, node: usize) -> usize {
        let oldest_first = json!({"sort": [{"fieldName": "date", "order": "ASC"}]});
        let variables = json!({"after": self.after, "data": oldest_first});
        let request = shop.request(PAGE, variables, None);
        let Ok(reply) = request.try_send_within(fleet.address(node), PATIENCE) else {
            return 0;
        };
        let answer = Answer::of(reply);
        let list = answer.json().pointer("/data/listPayments");
        let Some(list) = list.filter(|list| list.is_object()) else {
            assert_eq!(
                answer.error_code(),
                Some("error.unavailable"),
                "{}",
                answer.json()
            );
            return 0;
        };
        let edges = list["edges"].as_array().map_or(&[][..], Vec::as_slice);
        for edge in edges {
            let id = edge["node"]["id"].as_str().unwrap_or_default().to_owned();
            assert!(self.seen.insert(id), "a followed list repeats {edge}");
        }
        self.after = list["pageInfo"]["endCursor"].clone();
        edges.len()
    }
}

/// Whether nobody listened, so that nothing was asked.
pub(crate) fn was_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionRefused
}
