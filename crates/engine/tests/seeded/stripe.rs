//! The whole engine with a connection to the simulated Stripe, under faults of every kind: at the end both have the same books.

use std::{collections::BTreeMap, time::Duration};

use connector::Reference;
use domain::{
    caller::Caller,
    id::{ConnectionId, FlowId, PaymentId},
    payment::Payment,
};
use engine::{
    Cancel, Capture, Engine, Inbound, Instrument, Refund, Returned, SaveConnection, SaveFlow,
    WrittenFlow,
};
use futures_util::future::join_all;
use processors::{Armed, Machine as _, Played, Request, stripe::Stripe as Machine};
use serde_json::{Value, json};
use world::World;

use crate::{
    house::{House, STRIPE, card},
    story::request,
};

/// What the simulator's cards play: approvals, declines, challenges, refunds that come late or fail, disputes.
const NUMBERS: [&str; 12] = [
    "4242424242424242",
    "4242424242424242",
    "5555555555554444",
    "4000000000000002",
    "4000000000009995",
    "4000000000000119",
    "4000002760003184",
    "4000008400001629",
    "4000000000007726",
    "4000000000005126",
    "4000000000000259",
    "4000000000001976",
];

const FLOWS: [(&str, &str, &str); 3] = [
    ("at-stripe", "{connection: stripe}", "now"),
    ("held-at-stripe", "{connection: stripe}", "api"),
    (
        "stripe-first",
        "{connection: stripe, fallback: {to: [simulator-b], after: [soft_decline, fault, outage]}}",
        "now",
    ),
];

/// What goes wrong: each once in so many requests, or webhooks.
const FAULTS: [&str; 12] = [
    "lost-before@40",
    "lost-after@25",
    "error-before@40",
    "error-after@30",
    "html@40",
    "rate-limit@50",
    "slow=17000@30",
    "cut=30@30",
    "hook-twice@4",
    "hook-reordered@5",
    "hook-late=90@9",
    "hook-forged@9",
];

const EVENTS: &str = "&enabled_events[0]=charge.succeeded&enabled_events[1]=charge.failed&enabled_events[2]=payment_intent.succeeded\
    &enabled_events[3]=payment_intent.payment_failed&enabled_events[4]=payment_intent.canceled\
    &enabled_events[5]=payment_intent.amount_capturable_updated&enabled_events[6]=refund.created\
    &enabled_events[7]=refund.updated&enabled_events[8]=refund.failed&enabled_events[9]=charge.dispute.created\
    &enabled_events[10]=charge.dispute.updated&enabled_events[11]=charge.dispute.closed";

/// Makes the connection and its flows; the notification address.
async fn connect(engine: &Engine, caller: &Caller, stripe: &Played<Machine>) -> String {
    let id = ConnectionId::parse("stripe").unwrap();
    let save = |secret: Option<&str>| {
        let mut credentials = json!({"secretKey": "sk_test_1"});
        if let Some(secret) = secret {
            credentials["webhookSecret"] = json!(secret);
        }
        SaveConnection {
            id: Some(id.clone()),
            processor: "stripe".to_owned(),
            name: "Stripe".to_owned(),
            settings: json!({}),
            credentials: Some(credentials.to_string().into()),
            imports: None,
            skips_probe: false,
        }
    };
    let saved = engine.save_connection(caller, save(None)).await.unwrap();
    let address = saved.notification_url.unwrap();
    let made = ask(
        stripe,
        "/v1/webhook_endpoints",
        &format!("url=https://pay.example{address}{EVENTS}"),
    );
    let secret = made["secret"].as_str().unwrap();
    engine
        .save_connection(caller, save(Some(secret)))
        .await
        .unwrap();
    for (id, authorise, capture) in FLOWS {
        let document = format!(
            "name: {id}\ntrigger: payment\nsteps:\n  - authorise: {authorise}\n  - capture: {capture}\n"
        );
        let id = FlowId::parse(id).unwrap();
        let draft = SaveFlow {
            id: Some(id.clone()),
            document: WrittenFlow::Text(document),
        };
        let flow = engine.save_flow(caller, draft).await.unwrap();
        engine
            .publish_flow(caller, &id, flow.version)
            .await
            .unwrap();
    }
    address
}

/// Asks the machine for something, as the account's owner.
fn ask(stripe: &Played<Machine>, path: &str, body: &str) -> Value {
    let headers = [
        ("authorization", "Bearer sk_test_1"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let request = Request {
        method: "POST".to_owned(),
        path: path.to_owned(),
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        body: body.as_bytes().to_vec(),
        ..Request::default()
    };
    let reply = stripe.asked(&request);
    let said = String::from_utf8_lossy(&reply.body);
    assert!(reply.status < 400, "{path}: {said}");
    serde_json::from_slice(&reply.body)
        .unwrap_or_else(|_| json!({"location": reply.headers.get("location")}))
}

/// Brings the machine's webhooks to the engine, for as long as the run goes on.
async fn deliver(engine: Engine, world: World, stripe: Played<Machine>) {
    loop {
        let now = stripe.now();
        let posts = stripe.machine().due(now);
        for post in posts {
            let token = post.url.rsplit('/').next().unwrap().to_owned();
            let accepted = match engine.notification_address(&token).await {
                Ok(Some(address)) => {
                    let headers = post
                        .headers
                        .iter()
                        .map(|(name, value)| ((*name).to_owned(), value.clone()));
                    let inbound = Inbound {
                        headers: headers.collect(),
                        body: post.body.clone(),
                    };
                    let answer = engine.receive_notification(address, inbound).await;
                    matches!(answer, Ok(engine::NotificationAnswer::Accepted))
                }
                Ok(None) | Err(_) => false,
            };
            let status = Some(if accepted { 200 } else { 401 });
            let now = stripe.now();
            stripe.machine().delivered(post.id, status, now);
        }
        world.sleep(Duration::from_millis(200)).await;
    }
}

/// One shopper, and the shop behind.
async fn shopper(engine: Engine, world: World, caller: Caller, stripe: Played<Machine>) {
    let pick =
        |most: usize| usize::try_from(world.random() % u64::try_from(most).unwrap()).unwrap();
    world
        .sleep(Duration::from_millis(world.random() % 60_000))
        .await;
    let instrument = Instrument::Card(Box::new(card(NUMBERS[pick(NUMBERS.len())])));
    let flow = FLOWS[pick(FLOWS.len())].0;
    let amount = i64::try_from(100 + pick(5000)).unwrap();
    let asked = engine.authorise(&caller, None, Ok(request(Some(flow), instrument, amount)));
    let id = match asked.await.result {
        Ok(view) => view.payment.id(),
        Err(fault) => {
            let Some(url) = fault.url.filter(|url| url.starts_with(STRIPE)) else {
                return;
            };
            visit(&engine, &stripe, &url, pick(4) > 0).await;
            let Some(id) = fault.id.as_deref().and_then(PaymentId::parse) else {
                return;
            };
            id
        }
    };
    for _ in 0..pick(4) {
        world
            .sleep(Duration::from_millis(world.random() % 20_000))
            .await;
        let amount = Some(i64::try_from(1 + pick(3000)).unwrap());
        match pick(4) {
            0 => {
                let capture = Capture {
                    id,
                    amount,
                    is_final: pick(2) == 0,
                    metadata: None,
                };
                drop(engine.capture(&caller, None, Ok(capture)).await);
            }
            1 => {
                let cancel = Cancel { id, reason: None };
                drop(engine.cancel(&caller, None, Ok(cancel)).await);
            }
            _ => {
                let refund = Refund {
                    id,
                    amount,
                    reason: None,
                };
                let twice =
                    [refund.clone(), refund].map(|refund| engine.refund(&caller, None, Ok(refund)));
                drop(join_all(twice).await);
            }
        }
    }
}

/// The customer at the bank's page, and back twice.
async fn visit(engine: &Engine, stripe: &Played<Machine>, url: &str, passes: bool) {
    let word = if passes { "complete" } else { "fail" };
    let page = url.strip_prefix(STRIPE).unwrap();
    let back = ask(stripe, page, &format!("result={word}"));
    let back = back["location"].as_str().unwrap();
    let token = back.split('?').next().unwrap().rsplit('/').next().unwrap();
    let (one, two) =
        futures_util::join!(engine.returned(token, None), engine.returned(token, None));
    for returned in [one, two] {
        assert_ne!(returned, Returned::Unknown);
    }
}

/// What Stripe has taken of each payment and given back, and in how many charges.
fn at_stripe(stripe: &Played<Machine>) -> BTreeMap<String, (i64, i64)> {
    let request = Request {
        method: "GET".to_owned(),
        path: "/_sim/books".to_owned(),
        ..Request::default()
    };
    let books: Value = serde_json::from_slice(&stripe.asked(&request).body).unwrap();
    let mut sums: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let mut payment_of = BTreeMap::new();
    for intent in books["payment_intents"].as_array().unwrap() {
        let reference = intent["metadata"]["pointsman"].as_str().unwrap();
        let (payment, _) = Reference::parse(reference).unwrap();
        payment_of.insert(intent["id"].as_str().unwrap().to_owned(), payment.key());
        let sum = sums.entry(payment.key()).or_default();
        sum.0 += intent["amount_received"].as_i64().unwrap();
    }
    for refund in books["refunds"].as_array().unwrap() {
        // What is only released is listed as a refund too, and moves nothing.
        if refund["status"] != json!("failed") && !refund["balance_transaction"].is_null() {
            let payment = &payment_of[refund["payment_intent"].as_str().unwrap()];
            sums.entry(payment.clone()).or_default().1 += refund["amount"].as_i64().unwrap();
        }
    }
    sums
}

impl House {
    /// Stripe's books and the simulator's together are what the payments say.
    fn assert_all_books_equal_payments(&self) {
        let now = self.world.now();
        let mut moved = at_stripe(&self.stripe);
        for entry in self.entries() {
            let (payment, _) = Reference::parse(entry.reference.as_str()).unwrap();
            let sum = moved.entry(payment.key()).or_default();
            *sum = (sum.0 + entry.captured(now), sum.1 + entry.refunded(now));
        }
        for payment in self.payments() {
            let sum = moved.remove(&payment.id().key()).unwrap_or_default();
            let ours = (payment.captured(), payment.refunded());
            // What was charged too late is given back, and is none of the payment's.
            let given_back = sum.0 == sum.1 && ours == (0, 0);
            assert!(
                sum == ours || given_back,
                "{} in {}: the processors say {sum:?}, we say {ours:?}: {:?}",
                payment.id(),
                payment.status(),
                payment.operations()
            );
            assert!(has_ended(&payment), "{:?}", payment.operations());
        }
        assert_eq!(moved, BTreeMap::new(), "charged without a payment");
    }
}

/// Nothing is unknown or under way any more.
fn has_ended(payment: &Payment) -> bool {
    payment
        .operations()
        .iter()
        .all(|operation| !operation.state.is_open())
}

fn play(seed: u64, count: usize, faults: &[&str]) -> House {
    let house = House::build(seed);
    let caller = house.caller();
    house.run(connect(&house.engine, &caller, &house.stripe));
    house.engine.start();
    house.world.spawn(deliver(
        house.engine.clone(),
        house.world.clone(),
        house.stripe.clone(),
    ));
    for fault in faults {
        house.stripe.machine().arm(Armed::parse(fault).unwrap());
    }
    let shoppers = (0..count).map(|_| {
        shopper(
            house.engine.clone(),
            house.world.clone(),
            caller.clone(),
            house.stripe.clone(),
        )
    });
    house.run(join_all(shoppers));
    // Days, so that authorisations end and what failed late is known; what goes wrong goes on meanwhile.
    house.run(house.world.sleep(Duration::from_hours(30)));
    house
}

#[test]
fn without_faults_both_have_the_same_books() {
    let house = play(1, 40, &[]);
    house.assert_all_books_equal_payments();
    assert!(at_stripe(&house.stripe).values().any(|sum| sum.1 > 0));
}

#[test]
fn whatever_breaks_between_them_both_have_the_same_books() {
    for seed in 200..203 {
        play(seed, 40, &FAULTS).assert_all_books_equal_payments();
    }
}
