//! Clients that copy the payments: they follow a list by date, the oldest first, while payments are made.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::{Shop, words};
use crate::{chance::Chance, house::Ask};

/// How often it looks until it has seen what there is at the end.
const LAST_LOOKS: usize = 60;

/// After this time no request makes a payment any more.
const LAST_COMMITS: Duration = Duration::from_mins(1);

/// At most so many pages of one window.
const PAGES: usize = 50;

/// How it goes on.
enum FollowerFault {
    /// Behind the last row that it has seen.
    Cursor(Value),
    /// In windows that end now and begin where the last one was settled.
    Windows(String),
}

/// A client that follows the list, with what it has seen.
pub(crate) struct Follower {
    shop: Shop,
    chance: Chance,
    way: FollowerFault,
    seen: BTreeSet<String>,
}

/// What a follower has seen at the end.
pub(crate) struct Followed {
    /// How it went on.
    pub(crate) by: &'static str,
    pub(crate) seen: BTreeSet<String>,
}

/// A page as it was shown.
struct Page {
    rows: usize,
    has_next: bool,
    end: Value,
    settled: Option<String>,
}

impl Follower {
    /// One that goes on behind the cursor of the last row.
    pub(crate) fn by_cursor(shop: &Shop, chance: Chance) -> Self {
        Self::new(shop, chance, FollowerFault::Cursor(Value::Null))
    }

    /// One that asks for windows of dates which end now.
    pub(crate) fn by_windows(shop: &Shop, chance: Chance) -> Self {
        let begin = shop.house.begun.rfc3339_millis();
        Self::new(shop, chance, FollowerFault::Windows(begin))
    }

    fn new(shop: &Shop, chance: Chance, way: FollowerFault) -> Self {
        Self {
            shop: shop.clone(),
            chance,
            way,
            seen: BTreeSet::new(),
        }
    }

    /// Follows until the shop has closed.
    pub(crate) async fn follow(mut self, closed: Arc<AtomicBool>) -> Self {
        while !closed.load(Ordering::SeqCst) {
            self.look().await;
            let pause = self.chance.millis(50, 3_000);
            self.shop.house.world.sleep(pause).await;
        }
        self
    }

    /// Follows to the end of the list, to which nothing is added any more.
    pub(crate) async fn follow_to_the_end(mut self) -> Followed {
        let mut quiet = 0;
        self.shop.house.world.sleep(LAST_COMMITS).await;
        for _ in 0..LAST_LOOKS {
            let new = self.look().await;
            quiet = if new == Some(0) { quiet + 1 } else { 0 };
            if quiet > 2 {
                break;
            }
            self.shop.house.world.sleep(Duration::from_secs(4)).await;
        }
        Followed {
            by: match self.way {
                FollowerFault::Cursor(_) => "cursor",
                FollowerFault::Windows(_) => "windows",
            },
            seen: self.seen,
        }
    }

    /// Looks once. How many rows there were; `None` when nobody answered.
    async fn look(&mut self) -> Option<usize> {
        let node = self.chance.index(self.shop.house.nodes());
        match &self.way {
            FollowerFault::Cursor(after) => {
                let page = self.page(node, json!({ "after": after })).await?;
                self.way = FollowerFault::Cursor(page.end);
                Some(page.rows)
            }
            FollowerFault::Windows(begin) => {
                let (begin, end) = (begin.clone(), self.shop.house.world.now().rfc3339_millis());
                let (mut after, mut rows) = (Value::Null, 0);
                let mut settled: Option<String> = None;
                for _ in 0..PAGES {
                    let asked = json!({ "after": after, "start": begin, "end": end });
                    let page = self.page(node, asked).await?;
                    rows += page.rows;
                    after = page.end;
                    // Later pages may be settled further, but what the first ones left out is behind them.
                    settled = settled.or(page.settled);
                    if !page.has_next {
                        break;
                    }
                }
                // Times of one form sort as texts.
                if let Some(settled) = settled.map(|settled| settled.min(end))
                    && settled > begin
                {
                    self.way = FollowerFault::Windows(settled);
                }
                Some(rows)
            }
        }
    }

    async fn page(&mut self, node: usize, asked: Value) -> Option<Page> {
        let variables: Map<String, Value> = asked.as_object().cloned().unwrap_or_default();
        let ask = Ask {
            query: words::FOLLOW,
            variables,
            key: None,
            bearer: None,
        };
        let got = self.shop.house.send(node, ask, None).await?;
        let page = got.body.pointer("/data/listPayments")?;
        let edges = page.get("edges")?.as_array()?;
        let ids = edges.iter().filter_map(|edge| edge.pointer("/node/id"));
        self.seen
            .extend(ids.filter_map(Value::as_str).map(str::to_owned));
        let settled = page.pointer("/pageInfo/settledUntil")?;
        Some(Page {
            rows: edges.len(),
            has_next: page.pointer("/pageInfo/hasNextPage")? == &json!(true),
            end: page.pointer("/pageInfo/endCursor")?.clone(),
            settled: settled.as_str().map(str::to_owned),
        })
    }
}
