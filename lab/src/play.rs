//! Playing one world: shoppers, then hours of quiet, then the checker.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::{
    Broke, Broken,
    bank::{Account, Desk, Mood, OtherSystem},
    chance::Chance,
    checker::{self, Deliveries, Evidence},
    counts::join,
    digest::Digest,
    house::House,
    quiet::{at_rest, certain, delivered, reported, settled, until_whole},
    shop::{
        Follower, Listener, NUMBERS, Responder, Shop, Subscriber, card_tokens, keep_books,
        share_accounts, shopper,
    },
    stage::Weather,
};

/// One call in so many goes wrong while the shop is open.
const ONE_IN: u64 = 7;

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

/// Plays a world of so many shoppers, with Stripe and Adyen among the processors where that is wanted.
///
/// # Errors
/// The world can't be built, or the run is stuck.
pub(crate) fn play(seed: u64, shoppers: u32, by_wire: bool) -> Result<Played, Broke> {
    let mut chance = Chance::of(seed, 2);
    let nodes = 2 + chance.index(2);
    let house = House::build(seed, nodes)?;
    let mut shop = prepare(&house, &NUMBERS)?;
    if by_wire {
        house.run(house.connect())??;
        house.trouble_processors()?;
        shop.by_wire = true;
    }
    let subscribers = [(10, false), (11, true)];
    let subscribers = subscribers.map(|(stream, is_neighbour)| {
        Subscriber::new(&shop, Chance::of(seed, stream), is_neighbour).begin()
    });
    let subscribers = house.run(join_all(subscribers))?;
    let accounts = house.run(share_accounts(&shop))?;
    house.bank.set_mood(Mood::Ill(ONE_IN));
    set_calm(&house, false);
    house.stage.set_weather(Weather::Foul);
    let closed = Arc::new(AtomicBool::new(false));
    house.world.spawn(storms(
        Arc::clone(&house),
        Arc::clone(&closed),
        Chance::of(seed, 5),
    ));
    let visits = (0..shoppers).map(|index| {
        let chance = Chance::of(seed, 1000 + u64::from(index));
        apart(
            &house,
            shopper(shop.clone(), chance, format!("order-{index}")),
        )
    });
    let visits: Vec<_> = visits.collect();
    let followers = [
        Follower::by_cursor(&shop, Chance::of(seed, 6)),
        Follower::by_windows(&shop, Chance::of(seed, 7)),
    ];
    let following = followers.map(|one| apart(&house, one.follow(Arc::clone(&closed))));
    let listener = Listener::new(&shop, Chance::of(seed, 8)).follow(Arc::clone(&closed));
    let listening = apart(&house, listener);
    let subscribing: Vec<_> = subscribers
        .into_iter()
        .map(|one| apart(&house, one.go_on(Arc::clone(&closed))))
        .collect();
    let around = around(&shop, seed, accounts, &closed);
    house.run(join_all(visits))?;
    closed.store(true, Ordering::SeqCst);
    house.run(join_all(around.until_closed))?;
    let followers = house.run(join_all(following))?;
    let subscribers = house.run(join_all(subscribing))?;
    let clients = Clients {
        followers: followers.into_iter().flatten().collect(),
        listener: house.run(listening)?.ok(),
        subscribers: subscribers.into_iter().flatten().collect(),
        desk: Some(around.desk),
    };
    conclude(&house, &shop, clients)
}

/// Those who work around the shop.
struct Around {
    /// They end when it has closed.
    until_closed: [oneshot::Receiver<()>; 3],
    /// Ends with its last move.
    desk: oneshot::Receiver<()>,
}

/// Customers dispute, the merchant responds, another system sells, and somebody looks after that.
fn around(shop: &Shop, seed: u64, accounts: Vec<Account>, closed: &Arc<AtomicBool>) -> Around {
    let house = &*shop.house;
    let (chance, closed) = (|stream| Chance::of(seed, stream), || Arc::clone(closed));
    let desk = Desk::new(&house.bank, chance(13)).work(closed());
    let responder = Responder::new(shop, chance(14)).work(closed());
    let other = OtherSystem::new(&house.bank, chance(15), accounts).work(closed());
    let books = keep_books(shop.clone(), chance(16), closed());
    Around {
        until_closed: [
            apart(house, responder),
            apart(house, other),
            apart(house, books),
        ],
        desk: apart(house, desk),
    }
}

/// Does work in a task of its own; what comes of it.
fn apart<T: Send + 'static>(
    house: &House,
    work: impl Future<Output = T> + Send + 'static,
) -> oneshot::Receiver<T> {
    let (done, wait) = oneshot::channel();
    let work = Box::pin(work);
    house.world.spawn(async move {
        // Nobody may wait any more.
        let _ = done.send(work.await);
    });
    wait
}

/// Those who copy what they are shown while the shop is open.
#[derive(Default)]
pub(crate) struct Clients {
    followers: Vec<Follower>,
    listener: Option<Listener>,
    subscribers: Vec<Subscriber>,
    /// Ends with the last move of the dispute desk.
    desk: Option<oneshot::Receiver<()>>,
}

impl Clients {
    /// One more who has events sent.
    pub(crate) fn add(&mut self, subscriber: Subscriber) {
        self.subscribers.push(subscriber);
    }

    /// Whether nobody has events sent.
    pub(crate) fn wants_nothing(&self) -> bool {
        self.subscribers.is_empty()
    }

    /// What the subscribers wanted, and what has come.
    pub(crate) fn deliveries(&self, house: &House) -> Deliveries {
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

/// A shop in a new house, with these cards stored.
///
/// # Errors
/// The run is stuck.
pub(crate) fn prepare(house: &Arc<House>, numbers: &[&str]) -> Result<Shop, Broke> {
    let mut shop = Shop::new(house);
    let tokens = house.run(card_tokens(&shop, numbers))?;
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
    house.calm_processors();
    set_calm(house, true);
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
    house.run(join_all(clients.desk.take()))?;
    house.run(certain(shop))?;
    house.run(settled(shop))??;
    house.run(reported(shop))??;
    house.run(delivered(house, &clients))??;
    let rest = house.run(at_rest(shop, &clients))??;
    let listener = clients.listener.take().map(Listener::follow_to_the_end);
    let mut taken = house.run(join_all(listener))?;
    forget_later(&mut taken, &rest.events, &house.events()?);
    let evidence = Evidence {
        said: shop.take_said(),
        payments: rest.payments,
        entries: rest.entries,
        notes: house.bank.ledger().take_notes(),
        events: rest.events,
        neighbours: rest.neighbours,
        deliveries: rest.deliveries,
        disputes: rest.disputes,
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

/// Leaves out what is from rows that are not among those that were known when everything was listed.
fn forget_later(taken: &mut [Vec<Value>], known: &[Value], all: &[Value]) {
    let known: BTreeSet<String> = known.iter().map(row_id).collect();
    let later = all.iter().map(row_id).filter(|row| !known.contains(row));
    let later: BTreeSet<String> = later.collect();
    for taken in taken {
        taken.retain(|event| !later.contains(&row_of(event)));
    }
}

/// What names a row of events: its stream and number.
fn row_id(row: &Value) -> String {
    let stream = row.get("stream").and_then(Value::as_str);
    let seq = row.get("seq").and_then(Value::as_i64);
    format!("{}:{}", stream.unwrap_or_default(), seq.unwrap_or_default())
}

/// The same of the row that an event is from.
fn row_of(event: &Value) -> String {
    let id = event.get("id").and_then(Value::as_str).unwrap_or_default();
    id.rsplit_once(':').map_or("", |parts| parts.0).to_owned()
}

/// Whether merchants' servers and the post of processors do as they should from now on.
fn set_calm(house: &House, calm: bool) {
    house.servers.set_calm(calm);
    if let Some(post) = house.post() {
        post.set_calm(calm);
    }
}

/// Strikes processes and databases, at times of its own, until the shop has closed.
async fn storms(house: Arc<House>, closed: Arc<AtomicBool>, mut chance: Chance) {
    while !closed.load(Ordering::SeqCst) {
        house.world.sleep(chance.millis(1_000, 25_000)).await;
        house.strike(&mut chance);
    }
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
