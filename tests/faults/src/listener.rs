//! A merchant's server that takes events, and a reader that follows them, while nodes write, die and sleep.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use testkit::{Answer, Answers, Arrived, Receiver, Shop};

use crate::{Chance, Fleet};

const PAGE: &str = "query($after: String) { listEvents(first: 50, after: $after) { \
    pageInfo { endCursor hasNextPage } edges { node { id sequence payload } } } }";
const SAVE: &str = "mutation($url: String!) { saveWebhookEndpoint(url: $url) { id secret } }";
const END: &str = r#"{ listEvents(after: "now") { pageInfo { endCursor } } }"#;
/// Where the server takes events.
const PATH: &str = "/hooks";
/// How long a node has for a page.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the last events may take to come. A transaction of a node that was killed may hold the feed back, and the lease of one
/// that was killed its endpoints.
pub(crate) const ALL_WITHIN: Duration = Duration::from_mins(3);

/// A follower of the events, and what a server has got of them.
pub(crate) struct Listener {
    receiver: Receiver,
    secret: String,
    begin: Value,
    after: Value,
    followed: Vec<Value>,
}

impl Listener {
    /// Makes an endpoint at a server that takes what it then refuses now and then, refuses some, and breaks off some.
    pub(crate) fn begin(shop: &Shop) -> Self {
        let receiver = Receiver::start();
        let count = AtomicUsize::new(0);
        receiver.judge(move |_| match count.fetch_add(1, Ordering::Relaxed) % 23 {
            7 => Answers::With(500),
            13 => Answers::Never,
            19 => Answers::ThenCloses,
            _ => Answers::With(200),
        });
        let end = shop.gql(END, json!({}));
        let begin = end.root()["pageInfo"]["endCursor"].clone();
        let saved = shop.gql(SAVE, json!({"url": receiver.url(PATH)}));
        let secret = saved.root()["secret"]
            .as_str()
            .expect("a secret")
            .to_owned();
        Self {
            receiver,
            secret,
            after: begin.clone(),
            begin,
            followed: Vec::new(),
        }
    }

    /// The cursor behind what was followed.
    pub(crate) const fn place(&self) -> &Value {
        &self.after
    }

    /// The cursor behind which the endpoint began.
    pub(crate) const fn begin_place(&self) -> &Value {
        &self.begin
    }

    /// What has come to the server, in order.
    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.receiver.arrived(PATH)
    }

    /// Follows until the street closes. It asks another node for each page.
    pub(crate) fn follow(
        mut self,
        fleet: &Fleet,
        shop: &Shop,
        closed: &AtomicBool,
        mut chance: Chance,
    ) -> Self {
        while !closed.load(Ordering::Relaxed) {
            match page(fleet, shop, chance.index(fleet.len()), &self.after) {
                Some((events, end)) if !events.is_empty() => {
                    self.followed.extend(events);
                    self.after = end;
                }
                Some(_) | None => thread::sleep(Duration::from_millis(20)),
            }
        }
        self
    }

    /// Waits until every event that there is has been followed and has come. Panics with what is missed, doubled, out of its sequence or
    /// not signed. Returns how many came.
    pub(crate) fn finish(mut self, fleet: &Fleet, shop: &Shop) -> usize {
        let begun = Instant::now();
        loop {
            while let Some((events, end)) = page(fleet, shop, 0, &self.after)
                && !events.is_empty()
            {
                self.followed.extend(events);
                self.after = end;
            }
            let missing = self.missing(fleet, shop);
            match missing {
                Some(missing) if missing.is_empty() => break,
                Some(missing) if begun.elapsed() > ALL_WITHIN => {
                    panic!("events that never came: {missing:?}")
                }
                Some(_) | None => thread::sleep(Duration::from_millis(100)),
            }
            assert!(
                begun.elapsed() < 2 * ALL_WITHIN,
                "the events can't be listed"
            );
        }
        in_sequence(&self.followed);
        self.came_as_they_are()
    }

    /// Events that are listed from the beginning and were not followed, or have not come. `None` when they can't be listed now.
    fn missing(&self, fleet: &Fleet, shop: &Shop) -> Option<Vec<String>> {
        let listed = listed(fleet, shop, &self.begin)?;
        let followed: BTreeSet<String> = self.followed.iter().map(id_of).collect();
        let arrived = self.receiver.arrived(PATH);
        let came: BTreeSet<&str> = arrived.iter().map(|one| one.header("webhook-id")).collect();
        let is_missing = |id: &String| !followed.contains(id) || !came.contains(id.as_str());
        Some(listed.iter().map(id_of).filter(is_missing).collect())
    }

    /// What came: each event for the first time after those before it, every copy with the same body, all signed.
    fn came_as_they_are(&self) -> usize {
        let payloads: BTreeMap<String, &str> = self
            .followed
            .iter()
            .map(|event| (id_of(event), event["payload"].as_str().unwrap_or_default()))
            .collect();
        let (mut first, mut seen) = (Vec::new(), BTreeSet::new());
        for one in self.receiver.arrived(PATH) {
            let id = one.header("webhook-id").to_owned();
            assert_eq!(Some(one.body.as_str()), payloads.get(&id).copied(), "{id}");
            assert_eq!(one.signatures_by(&self.secret), 1, "{id}");
            if seen.insert(id.clone()) {
                first.push(json!({"id": id, "sequence": one.json()["sequence"]}));
            }
        }
        in_sequence(&first);
        first.len()
    }
}

/// All events behind a cursor. `None` when they can't be listed now.
pub(crate) fn listed(fleet: &Fleet, shop: &Shop, after: &Value) -> Option<Vec<Value>> {
    let (mut after, mut listed) = (after.clone(), Vec::new());
    loop {
        let (events, end) = page(fleet, shop, 0, &after)?;
        if events.is_empty() {
            return Some(listed);
        }
        listed.extend(events);
        after = end;
    }
}

/// The events behind a cursor and the cursor behind them. `None` when the node has no answer.
fn page(fleet: &Fleet, shop: &Shop, node: usize, after: &Value) -> Option<(Vec<Value>, Value)> {
    let request = shop.request(PAGE, json!({"after": after}), None);
    let reply = request
        .try_send_within(fleet.address(node), PATIENCE)
        .ok()?;
    let answer = Answer::of(reply);
    let list = answer.json().pointer("/data/listEvents");
    let Some(list) = list.filter(|list| list.is_object()) else {
        let code = answer.error_code();
        assert_eq!(code, Some("error.unavailable"), "{}", answer.json());
        return None;
    };
    let edges = list["edges"].as_array().map_or(&[][..], Vec::as_slice);
    let events = edges.iter().map(|edge| edge["node"].clone()).collect();
    Some((events, list["pageInfo"]["endCursor"].clone()))
}

pub(crate) fn id_of(event: &Value) -> String {
    event["id"].as_str().unwrap_or_default().to_owned()
}

/// Those of a stream come in their sequence, each once and none left out after the first one.
pub(crate) fn in_sequence(events: &[Value]) {
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    for event in events {
        let id = id_of(event);
        let stream = id.split(':').next().unwrap_or_default().to_owned();
        let sequence = event["sequence"].as_i64().unwrap_or_default();
        let before = last.insert(stream, sequence);
        let wanted = before.map_or(sequence, |before| before + 1);
        assert_eq!(sequence, wanted, "{id} out of its sequence");
    }
}
