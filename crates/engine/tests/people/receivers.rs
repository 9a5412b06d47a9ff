//! Merchants' servers that are down for days, slow, or wrong about what they have taken: everything reaches them, in its sequence.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use domain::{Timestamp, id::CustomerId};
use engine::{Engine, SaveEndpoint};
use futures_util::future::BoxFuture;
use http_client::{Body, Http, HttpError, Reason, Recipient, Reply, Request};
use parking_lot::Mutex;
use serde_json::Value;
use world::World;

use crate::{cards, shop::Shop};

const HOUR: Duration = Duration::from_hours(1);
const URL: &str = "http://shop.example/hooks";

/// What has reached a server: the event's id and body.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Taken {
    id: String,
    body: String,
}

/// How a server behaves until a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manners {
    /// Nobody listens, a proxy says 502, or nothing comes back; in turns.
    Down,
    /// Every message is taken or not, and half of the answers say otherwise; some come late, or too late.
    Lying,
}

/// A merchant's server. From the end of its last manners on it does as it should.
struct Server {
    world: World,
    manners: Vec<(Timestamp, Manners)>,
    calls: Mutex<usize>,
    taken: Mutex<Vec<Taken>>,
}

impl Server {
    fn new(world: &World, spans: &[(Duration, Manners)]) -> Arc<Self> {
        let now = world.now();
        let manners = spans.iter().map(|(span, how)| (now.after(*span), *how));
        Arc::new(Self {
            world: world.clone(),
            manners: manners.collect(),
            calls: Mutex::default(),
            taken: Mutex::default(),
        })
    }

    fn manners(&self) -> Option<Manners> {
        let now = self.world.now();
        let found = self.manners.iter().find(|(until, _)| now < *until);
        found.map(|(_, how)| *how)
    }

    fn take(&self, message: Taken) {
        self.taken.lock().push(message);
    }

    async fn post(&self, message: Taken) -> Result<Reply, HttpError> {
        let turn = {
            let mut calls = self.calls.lock();
            *calls += 1;
            *calls
        };
        let broken = || HttpError::maybe_sent(Reason::Broken("reset".to_owned()));
        match (self.manners(), turn % 7) {
            (None, _) => {
                self.take(message);
                Ok(Reply::new(200, "taken"))
            }
            (Some(Manners::Down), 0..=2) => {
                let why = "refused".to_owned();
                Err(HttpError::not_sent(Reason::Refused(why)))
            }
            (Some(Manners::Down), 3..=4) => Ok(Reply::new(502, "bad gateway")),
            (Some(Manners::Down), _) => {
                self.world.sleep(HOUR).await;
                Err(broken())
            }
            // After its effect: an error, a cut connection, and an answer that nobody waits for any more.
            (Some(Manners::Lying), 0) => {
                self.take(message);
                Ok(Reply::new(500, "an error after it was taken"))
            }
            (Some(Manners::Lying), 1) => {
                self.take(message);
                Err(broken())
            }
            (Some(Manners::Lying), 2) => {
                self.take(message);
                self.world.sleep(HOUR).await;
                Ok(Reply::new(200, "late"))
            }
            (Some(Manners::Lying), 3) => Ok(Reply::new(307, "elsewhere")),
            (Some(Manners::Lying), 4) => Err(broken()),
            (Some(Manners::Lying), _) => {
                self.world.sleep(Duration::from_secs(14)).await;
                self.take(message);
                Ok(Reply::new(204, ""))
            }
        }
    }
}

/// The network that leads to the server.
struct Network(Arc<Server>);

impl Http for Network {
    fn send<'a>(
        &'a self,
        recipient: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        Box::pin(async move {
            let (Recipient::Subscriber, Body::Json(body)) = (recipient, &request.body) else {
                return http_client::Nowhere.send(recipient, request).await;
            };
            let id = request
                .headers
                .iter()
                .find(|(name, _)| *name == "webhook-id");
            let message = Taken {
                id: id.map(|(_, id)| id.clone()).unwrap_or_default(),
                body: String::from_utf8_lossy(body).into_owned(),
            };
            let answered = self.0.post(message);
            let timed = self.0.world.timeout(request.timeout, answered).await;
            timed.unwrap_or(Err(HttpError::maybe_sent(Reason::Elapsed)))
        })
    }
}

fn subscribe(shop: &Shop, engine: &Engine) {
    let command = SaveEndpoint {
        id: None,
        url: URL.to_owned(),
        kinds: None,
        enabled: None,
        resume: None,
    };
    shop.run(engine.save_endpoint(&shop.server, command))
        .unwrap();
}

/// A payment every hour.
fn pay_for(shop: &Shop, customer: CustomerId, hours: u32) {
    for _ in 0..hours {
        shop.pay(customer, None).result.unwrap();
        shop.pass(HOUR);
    }
}

fn json(body: &str) -> Value {
    serde_json::from_str(body).unwrap()
}

/// Each payment's events came for the first time in their sequence, from the first to the last, and each copy with one body. Returns how many
/// there are.
fn all_came_in_sequence(taken: &[Taken], payments: usize) -> usize {
    let mut bodies: BTreeMap<&str, &str> = BTreeMap::new();
    let mut sequences: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for one in taken {
        if let Some(before) = bodies.insert(&one.id, &one.body) {
            assert_eq!(before, one.body, "{} has two bodies", one.id);
            continue;
        }
        let payment = json(&one.body)["data"]["paymentId"].to_string();
        let sequence = json(&one.body)["sequence"].as_u64().unwrap();
        sequences.entry(payment).or_default().push(sequence);
    }
    assert_eq!(sequences.len(), payments, "payments with events");
    for (payment, found) in sequences {
        // Created, authorised, captured.
        assert_eq!(found, [1, 2, 3], "{payment}");
    }
    bodies.len()
}

fn is_enabled(shop: &Shop) -> bool {
    let listed = shop.run(shop.engine.endpoints(&shop.server)).unwrap();
    listed.iter().all(|endpoint| endpoint.is_enabled)
}

/// A shop with a customer who pays, and a node that sends to this server.
fn open(seed: u64, spans: &[(Duration, Manners)]) -> (Shop, Arc<Server>, CustomerId) {
    let shop = Shop::open(seed);
    let customer = shop.create_customer("Ada");
    shop.add(customer, cards::VISA);
    let server = Server::new(&shop.world, spans);
    let node = shop.another_node_to(Arc::new(Network(Arc::clone(&server))));
    subscribe(&shop, &node);
    node.start();
    (shop, server, customer)
}

#[test]
fn after_forty_hours_of_being_down_everything_is_delivered_in_order() {
    let (shop, server, customer) = open(51, &[(40 * HOUR, Manners::Down)]);
    pay_for(&shop, customer, 40);
    assert_eq!(server.taken.lock().len(), 0, "it was down");
    // What happens from now on comes at once.
    let last = shop.pay(customer, None).result.unwrap().id().to_string();
    shop.pass(Duration::from_mins(6));
    let is_there = |one: &Taken| json(&one.body)["data"]["paymentId"] == last.as_str();
    assert_eq!(
        server
            .taken
            .lock()
            .iter()
            .filter(|one| is_there(one))
            .count(),
        3
    );
    // What had failed comes at the end of its pause at the latest: half a day, and a fifth of it more.
    shop.pass(15 * HOUR);
    let taken = server.taken.lock().clone();
    assert_eq!(all_came_in_sequence(&taken, 41), 41 * 3);
    let ids: BTreeSet<&str> = taken.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids.len(), taken.len(), "what was taken is not sent again");
    assert!(is_enabled(&shop));
}

#[test]
fn a_server_that_lies_about_what_it_has_taken_gets_everything_in_order() {
    for seed in 52..54 {
        let spans = [
            (10 * HOUR, Manners::Lying),
            (13 * HOUR, Manners::Down),
            (20 * HOUR, Manners::Lying),
        ];
        let (shop, server, customer) = open(seed, &spans);
        pay_for(&shop, customer, 20);
        shop.pass(15 * HOUR);
        let taken = server.taken.lock().clone();
        assert_eq!(all_came_in_sequence(&taken, 20), 60);
        assert!(taken.len() > 60, "copies came, under the same ids");
        assert!(is_enabled(&shop));
    }
}
