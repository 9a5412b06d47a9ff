//! Playing one world: shoppers, then hours of quiet, then the checker.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::{
    Broke, Broken,
    bank::Mood,
    chance::Chance,
    checker::{self, Deliveries, Evidence, Rows},
    counts::join,
    digest::Digest,
    house::House,
    shop::{Follower, Listener, Shop, Subscriber, Wish, card_tokens, shopper, words},
    stage::Weather,
};

/// One call in so many goes wrong while the shop is open.
const ONE_IN: u64 = 7;

/// How often, and at what interval, it is looked whether everything is settled, once the shop has closed.
const ROUNDS: u32 = 24;
const ROUND: Duration = Duration::from_mins(10);

/// How often a process is asked for the payments until one answers.
const TRIES: usize = 60;

/// The longest that a process is stopped or dead, and more.
const WHOLE_WITHIN: Duration = Duration::from_mins(30);

/// How long a look-up is not yet final, whatever the processor.
const CERTAIN: Duration = Duration::from_mins(5);

/// So many minutes without a delivery are the end: longer than the longest pause before one is tried again.
const QUIET: u32 = 30;
const A_MINUTE: Duration = Duration::from_mins(1);

/// What was played.
pub(crate) struct Played {
    pub(crate) payments: u64,
    pub(crate) steps: u64,
    pub(crate) virtual_time: Duration,
    pub(crate) requests: BTreeMap<&'static str, u64>,
    pub(crate) faults: BTreeMap<&'static str, u64>,
    pub(crate) digest: u64,
    pub(crate) broken: Vec<Case>,
    /// The statuses of the payments at the end, in the order of their beginning.
    pub(crate) ends: Vec<String>,
}

/// A broken invariant with all that there is to understand it by.
pub(crate) struct Case {
    pub(crate) broken: Broken,
    pub(crate) payment: Value,
    pub(crate) entries: Vec<Value>,
    pub(crate) said: Vec<String>,
}

/// Plays a world of so many shoppers.
///
/// # Errors
/// The world can't be built, or the run is stuck.
pub(crate) fn play(seed: u64, shoppers: u32) -> Result<Played, Broke> {
    let mut chance = Chance::of(seed, 2);
    let nodes = 2 + chance.index(2);
    let house = House::build(seed, nodes)?;
    let shop = prepare(&house)?;
    let subscribers = [(10, false), (11, true)];
    let subscribers = subscribers.map(|(stream, is_neighbour)| {
        Subscriber::new(&shop, Chance::of(seed, stream), is_neighbour).begin()
    });
    let subscribers = house.run(join_all(subscribers))?;
    house.bank.set_mood(Mood::Ill(ONE_IN));
    house.servers.set_calm(false);
    house.stage.set_weather(Weather::Foul);
    let closed = Arc::new(AtomicBool::new(false));
    house.world.spawn(storms(
        Arc::clone(&house),
        Arc::clone(&closed),
        Chance::of(seed, 5),
    ));
    let visits = (0..shoppers).map(|index| {
        let chance = Chance::of(seed, 1000 + u64::from(index));
        let (done, wait) = oneshot::channel::<()>();
        let visit = shopper(shop.clone(), chance, format!("order-{index}"));
        house.world.spawn(async move {
            Box::pin(visit).await;
            let _ = done.send(());
        });
        wait
    });
    let visits: Vec<_> = visits.collect();
    let followers = [
        Follower::by_cursor(&shop, Chance::of(seed, 6)),
        Follower::by_windows(&shop, Chance::of(seed, 7)),
    ];
    let following = followers.map(|follower| {
        let (done, wait) = oneshot::channel();
        let following = follower.follow(Arc::clone(&closed));
        house.world.spawn(async move {
            let _ = done.send(following.await);
        });
        wait
    });
    let (done, listening) = oneshot::channel();
    let listener = Listener::new(&shop, Chance::of(seed, 8)).follow(Arc::clone(&closed));
    house.world.spawn(async move {
        let _ = done.send(listener.await);
    });
    let subscribing = subscribers.into_iter().map(|subscriber| {
        let (done, wait) = oneshot::channel();
        let going_on = subscriber.go_on(Arc::clone(&closed));
        house.world.spawn(async move {
            let _ = done.send(Box::pin(going_on).await);
        });
        wait
    });
    let subscribing: Vec<_> = subscribing.collect();
    house.run(join_all(visits))?;
    closed.store(true, Ordering::SeqCst);
    let followers = house.run(join_all(following))?;
    let subscribers = house.run(join_all(subscribing))?;
    let clients = Clients {
        followers: followers.into_iter().flatten().collect(),
        listener: house.run(listening)?.ok(),
        subscribers: subscribers.into_iter().flatten().collect(),
    };
    conclude(&house, &shop, clients)
}

/// Those who copy what they are shown while the shop is open.
#[derive(Default)]
pub(crate) struct Clients {
    followers: Vec<Follower>,
    listener: Option<Listener>,
    subscribers: Vec<Subscriber>,
}

impl Clients {
    /// One more who has events sent.
    pub(crate) fn add(&mut self, subscriber: Subscriber) {
        self.subscribers.push(subscriber);
    }

    /// What the subscribers wanted, and what has come.
    fn deliveries(&self, house: &House) -> Deliveries {
        Deliveries {
            subscriptions: self
                .subscribers
                .iter()
                .flat_map(Subscriber::chronicle)
                .collect(),
            receipts: house.servers.receipts(),
        }
    }
}

/// A shop in a new house, with the test cards stored.
///
/// # Errors
/// The run is stuck.
pub(crate) fn prepare(house: &Arc<House>) -> Result<Shop, Broke> {
    let mut shop = Shop::new(house);
    let tokens = house.run(card_tokens(&shop))?;
    shop.tokens = Arc::new(tokens);
    Ok(shop)
}

/// Hours pass in which nothing goes wrong any more but what was counted; then everything is judged.
///
/// # Errors
/// The run is stuck.
pub(crate) fn conclude(
    house: &Arc<House>,
    shop: &Shop,
    mut clients: Clients,
) -> Result<Played, Broke> {
    house.bank.set_mood(Mood::Well);
    house.servers.set_calm(true);
    house.stage.calm();
    house.run(until_whole(house))??;
    house.run(join_all(
        clients.subscribers.iter_mut().map(Subscriber::restore),
    ))?;
    // Before the payments are listed, which are then compared with what their events are at once.
    let last_looks = std::mem::take(&mut clients.followers)
        .into_iter()
        .map(Follower::follow_to_the_end);
    let followed = house.run(join_all(last_looks))?;
    house.run(certain(shop))?;
    house.run(settled(shop))??;
    house.run(delivered(house, &clients))??;
    let payments = house.run(settled(shop))??;
    let listener = clients.listener.take().map(Listener::follow_to_the_end);
    let taken = house.run(join_all(listener))?;
    let (events, neighbours) = house.all_events()?;
    let evidence = Evidence {
        said: shop.take_said(),
        payments,
        entries: house.bank.ledger().entries(),
        notes: house.bank.ledger().take_notes(),
        events,
        neighbours,
        deliveries: clients.deliveries(house),
        followed,
        taken,
    };
    let mut broken = checker::check(&evidence);
    if house.misfits() > 0 {
        let detail = format!("{} late commits did not fit", house.misfits());
        broken.push(Broken {
            invariant: "the-model-is-right",
            subject: String::new(),
            detail,
        });
    }
    for reference in house.bank.looked_up_twice() {
        let detail = "two nodes that look after it asked at the same time".to_owned();
        broken.push(Broken {
            invariant: "one-look-up-at-a-time",
            subject: reference,
            detail,
        });
    }
    let mut faults = house.bank.take_faults();
    join(&mut faults, &house.servers.faults.take());
    join(&mut faults, &house.stage.mishaps.take());
    Ok(Played {
        payments: u64::try_from(evidence.payments.len()).unwrap_or(u64::MAX),
        steps: house.sim.steps(),
        virtual_time: house.world.now().since(house.begun),
        requests: house.counts.take(),
        faults,
        digest: digest(&evidence),
        // Ids are made from the date.
        ends: ends(&evidence.payments),
        broken: broken
            .into_iter()
            .map(|broken| case(broken, &evidence))
            .collect(),
    })
}

/// Strikes processes and databases, at times of its own, until the shop has closed.
async fn storms(house: Arc<House>, closed: Arc<AtomicBool>, mut chance: Chance) {
    while !closed.load(Ordering::SeqCst) {
        house.world.sleep(chance.millis(1_000, 25_000)).await;
        house.strike(&mut chance);
    }
}

/// Waits until every process runs again.
async fn until_whole(house: &House) -> Result<(), Broke> {
    let begun = house.world.now();
    while !house.is_whole() {
        if house.world.now().since(begun) > WHOLE_WITHIN {
            return Err(Broke("a process does not start again".to_owned()));
        }
        house.world.sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// Waits until look-ups are final. Then every customer opens the page of the return once more.
async fn certain(shop: &Shop) {
    shop.house.world.sleep(CERTAIN).await;
    for url in shop.returns() {
        shop.house.come_back(0, &url).await;
    }
    shop.house.bank.only_recovery_looks();
}

/// Waits until every server of a merchant's is back and has what is owed to it. What never comes the checker finds.
///
/// # Errors
/// The events can't be read.
async fn delivered(house: &House, clients: &Clients) -> Result<(), Broke> {
    if clients.subscribers.is_empty() {
        return Ok(());
    }
    if let Some(back_at) = house.servers.all_back_at() {
        house.world.sleep(back_at.since(house.world.now())).await;
    }
    let (mut quiet, mut count) = (0, 0);
    while quiet < QUIET {
        let (own, neighbours) = house.all_events()?;
        let rows = Rows {
            own: &own,
            neighbours: &neighbours,
        };
        if checker::lacking(&clients.deliveries(house), rows).is_empty() {
            return Ok(());
        }
        house.world.sleep(A_MINUTE).await;
        let now = house.servers.count();
        quiet = if now == count { quiet + 1 } else { 0 };
        count = now;
    }
    Ok(())
}

/// Waits until nothing is open any more; people settle what only people can. Returns every payment.
///
/// # Errors
/// The payments, or their events, can't be read.
async fn settled(shop: &Shop) -> Result<Vec<Value>, Broke> {
    let world = &shop.house.world;
    for round in 0..ROUNDS {
        let payments = listed(shop).await?;
        let rows = shop.house.events()?;
        let open = payments
            .iter()
            .filter(|payment| {
                checker::is_unsettled(payment) || checker::waits_for_its_flow(payment, &rows)
            })
            .count();
        if open == 0 || round + 1 == ROUNDS {
            return Ok(payments);
        }
        for payment in &payments {
            resolve(shop, payment).await;
        }
        world.sleep(ROUND).await;
    }
    listed(shop).await
}

async fn listed(shop: &Shop) -> Result<Vec<Value>, Broke> {
    for attempt in 0..TRIES {
        if let Some(payments) = shop.payments(attempt % shop.house.nodes().max(1)).await {
            return Ok(payments);
        }
        shop.house.world.sleep(Duration::from_secs(5)).await;
    }
    Err(Broke("the payments can't be listed".to_owned()))
}

/// A person reads the statements of a processor that can't prove anything, and settles what is unknown.
async fn resolve(shop: &Shop, payment: &Value) {
    let text = |name: &str| {
        payment
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    if text("connectionId") != "mute-a" || !checker::is_unsettled(payment) {
        return;
    }
    let uuid = text("id").trim_start_matches("payments:");
    let entries = shop.house.bank.ledger().entries();
    let own = entries.iter().find(|entry| {
        let reference = entry
            .get("reference")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let at = entry.get("connection").and_then(Value::as_str);
        reference.starts_with(uuid) && at == Some("mute-a")
    });
    let amount = |name: &str| own.and_then(|entry| entry.get(name)?.as_i64()).unwrap_or(0);
    let answer = payment
        .get("refundedAmount")
        .and_then(Value::as_i64)
        .unwrap_or(0);
    let outcome = match (text("status"), amount("authorised"), amount("captured")) {
        ("REFUND_PENDING", ..) if amount("refunded") > answer => "REFUNDED",
        ("REFUND_PENDING", ..) => "NOT_REFUNDED",
        (_, 0, _) => "NOT_CHARGED",
        (_, _, 0) => "AUTHORISED",
        _ => "CAPTURED",
    };
    let asked =
        json!({ "id": text("id"), "outcome": outcome, "evidence": "the processor's statement" });
    shop.ask(0, &Wish::new("resolvePayment", words::RESOLVE, asked), None)
        .await;
}

fn ends(payments: &[Value]) -> Vec<String> {
    let text = |payment: &Value, name: &str| {
        payment
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut ends: Vec<(String, String)> = payments
        .iter()
        .map(|payment| (text(payment, "id"), text(payment, "status")))
        .collect();
    ends.sort_unstable();
    ends.into_iter().map(|(_, status)| status).collect()
}

fn digest(evidence: &Evidence) -> u64 {
    let mut digest = Digest::default();
    for event in &evidence.events {
        digest.add(&event.to_string());
    }
    for said in &evidence.said {
        digest.add(
            &said
                .answer
                .as_ref()
                .map(Value::to_string)
                .unwrap_or_default(),
        );
    }
    digest.value()
}

/// All that there is about a broken invariant.
fn case(broken: Broken, evidence: &Evidence) -> Case {
    let id = broken.subject.trim_start_matches("payments:").to_owned();
    let is_it = |value: &Value, name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .is_some_and(|text| text.contains(&id))
    };
    let payment = evidence
        .payments
        .iter()
        .find(|payment| is_it(payment, "id"));
    let of_it = |said: &&checker::Exchange| {
        let answer = said
            .answer
            .as_ref()
            .map(Value::to_string)
            .unwrap_or_default();
        answer.contains(&id)
            || said.asked.to_string().contains(&id)
            || said.key.as_ref() == Some(&broken.subject)
    };
    let shown = |said: &checker::Exchange| {
        let answer = said
            .answer
            .as_ref()
            .map_or("no answer".to_owned(), Value::to_string);
        format!(
            "{}..{} {} {:?} {} -> {answer}",
            said.began, said.ended, said.verb, said.key, said.asked
        )
    };
    Case {
        payment: payment.cloned().unwrap_or(Value::Null),
        entries: evidence
            .entries
            .iter()
            .filter(|entry| is_it(entry, "reference"))
            .cloned()
            .collect(),
        said: evidence.said.iter().filter(of_it).map(shown).collect(),
        broken,
    }
}
