//! What runs with simulated wire formats have in common: shoppers, notifications, and the comparison of all books.

use std::{collections::BTreeMap, time::Duration};

use connector::Reference;
use domain::{
    caller::Caller,
    id::{FlowId, PaymentId},
    payment::{Payment, Status},
    returned::Parameter,
};
use engine::{
    Cancel, Capture, Engine, Inbound, Instrument, Refund, Returned, SaveFlow, WrittenFlow,
};
use futures_util::future::join_all;
use processors::{Armed, Machine, Played};
use world::World;

use crate::{
    adyen,
    house::{ADYEN, House, STRIPE, card},
    story::request,
    stripe,
};

/// What goes wrong: each once in so many requests, or webhooks.
pub(crate) const FAULTS: [&str; 12] = [
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

/// What a processor has of a payment, in minor units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) captured: i64,
    pub(crate) refunded: i64,
    /// Whether an authorisation stands of which nothing is captured.
    pub(crate) holds: bool,
}

impl Sums {
    pub(crate) fn add(&mut self, other: Self) {
        self.captured += other.captured;
        self.refunded += other.refunded;
        self.holds |= other.holds;
    }
}

/// Publishes flows: their ids, how they authorise and when they capture.
pub(crate) async fn publish(engine: &Engine, caller: &Caller, flows: &[(&str, &str, &str)]) {
    for (id, authorise, capture) in flows {
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
}

/// Begins to bring both machines' webhooks to the engine, and lets these things go wrong at both.
pub(crate) fn begin(house: &House, faults: &[&str]) {
    let (engine, world) = (&house.engine, &house.world);
    world.spawn(deliver(engine.clone(), world.clone(), house.stripe.clone()));
    world.spawn(deliver(engine.clone(), world.clone(), house.adyen.clone()));
    for fault in faults {
        let armed = Armed::parse(fault).unwrap();
        house.stripe.machine().arm(armed.clone());
        house.adyen.machine().arm(armed);
    }
}

/// Days, so that authorisations end and what failed late is known; what goes wrong goes on meanwhile.
pub(crate) fn wait(house: &House) {
    house.run(house.world.sleep(Duration::from_hours(30)));
}

/// Brings a machine's webhooks to the engine, for as long as the run goes on.
async fn deliver<M: Machine + 'static>(engine: Engine, world: World, played: Played<M>) {
    loop {
        let now = played.now();
        let posts = played.machine().due(now);
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
            let now = played.now();
            played.machine().delivered(post.id, status, now);
        }
        world.sleep(Duration::from_millis(200)).await;
    }
}

/// Shoppers with cards of these numbers, through these flows.
pub(crate) fn shoppers(
    house: &House,
    caller: &Caller,
    count: usize,
    numbers: &'static [&'static str],
    flows: &'static [(&'static str, &'static str, &'static str)],
) -> impl Future<Output = Vec<()>> + use<> {
    let one = |_| {
        let shopper = Shopper {
            engine: house.engine.clone(),
            world: house.world.clone(),
            caller: caller.clone(),
            stripe: house.stripe.clone(),
            adyen: house.adyen.clone(),
        };
        shopper.visit(numbers, flows)
    };
    join_all((0..count).map(one).collect::<Vec<_>>())
}

/// One shopper, and the shop behind.
struct Shopper {
    engine: Engine,
    world: World,
    caller: Caller,
    stripe: Played<processors::stripe::Stripe>,
    adyen: Played<processors::adyen::Adyen>,
}

impl Shopper {
    fn pick(&self, most: usize) -> usize {
        usize::try_from(self.world.random() % u64::try_from(most).unwrap()).unwrap()
    }

    async fn wait_up_to(&self, millis: u64) {
        let span = Duration::from_millis(self.world.random() % millis);
        self.world.sleep(span).await;
    }

    async fn visit(
        self,
        numbers: &'static [&'static str],
        flows: &'static [(&'static str, &'static str, &'static str)],
    ) {
        self.wait_up_to(60_000).await;
        let instrument = Instrument::Card(Box::new(card(numbers[self.pick(numbers.len())])));
        let flow = flows[self.pick(flows.len())].0;
        let amount = i64::try_from(100 + self.pick(5000)).unwrap();
        let wanted = request(Some(flow), instrument, amount);
        let asked = self.engine.authorise(&self.caller, None, Ok(wanted)).await;
        let id = match asked.result {
            Ok(view) => view.payment.id(),
            Err(fault) => {
                let Some(url) = fault.url else {
                    return;
                };
                self.act(&url).await;
                let Some(id) = fault.id.as_deref().and_then(PaymentId::parse) else {
                    return;
                };
                id
            }
        };
        for _ in 0..self.pick(4) {
            self.wait_up_to(20_000).await;
            self.change(id).await;
        }
    }

    /// What the shop does with its payment.
    async fn change(&self, id: PaymentId) {
        let (engine, caller) = (&self.engine, &self.caller);
        let amount = Some(i64::try_from(1 + self.pick(3000)).unwrap());
        match self.pick(4) {
            0 => {
                let capture = Capture {
                    id,
                    amount,
                    is_final: self.pick(2) == 0,
                    metadata: None,
                };
                drop(engine.capture(caller, None, Ok(capture)).await);
            }
            1 => {
                let cancel = Cancel { id, reason: None };
                drop(engine.cancel(caller, None, Ok(cancel)).await);
            }
            _ => {
                let refund = Refund {
                    id,
                    amount,
                    reason: None,
                };
                let twice =
                    [refund.clone(), refund].map(|refund| engine.refund(caller, None, Ok(refund)));
                drop(join_all(twice).await);
            }
        }
    }

    /// The customer at the bank's page, and back twice. One in eight never comes back.
    async fn act(&self, url: &str) {
        let passes = self.pick(4) > 0;
        let form = format!("result={}", if passes { "complete" } else { "fail" });
        let back = match (url.strip_prefix(STRIPE), url.strip_prefix(ADYEN)) {
            (Some(page), _) => stripe::ask(&self.stripe, page, &form),
            (None, Some(page)) => adyen::ask(&self.adyen, page, &form),
            (None, None) => return,
        };
        if self.pick(8) == 0 {
            return;
        }
        let back = back["location"].as_str().unwrap();
        let (address, query) = back.split_once('?').unwrap_or((back, ""));
        let token = address.rsplit('/').next().unwrap();
        let parameters = query.split('&').filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let value = value.replace("%21", "!");
            let name = name.to_owned();
            Some(Parameter { name, value })
        });
        let parameters: Vec<Parameter> = parameters.collect();
        let (one, two) = futures_util::join!(
            self.engine.returned(token, parameters.clone(), None),
            self.engine.returned(token, parameters.clone(), None)
        );
        for returned in [one, two] {
            assert_ne!(returned, Returned::Unknown);
        }
    }
}

/// What the processors and the sandbox's simulator have is what the payments say.
pub(crate) fn assert_books_equal_payments(house: &House, mut moved: BTreeMap<String, Sums>) {
    let now = house.world.now();
    for entry in house.entries() {
        let (payment, _) = Reference::parse(entry.reference.as_str()).unwrap();
        moved.entry(payment.key()).or_default().add(Sums {
            captured: entry.captured(now),
            refunded: entry.refunded(now),
            holds: false,
        });
    }
    for payment in house.payments() {
        let sum = moved.remove(&payment.id().key()).unwrap_or_default();
        let ours = (payment.captured(), payment.refunded());
        // What was charged too late is given back, and is none of the payment's.
        let given_back = sum.captured == sum.refunded && ours == (0, 0);
        assert!(
            (sum.captured, sum.refunded) == ours || given_back,
            "{} in {}: the processors say {sum:?}, we say {ours:?}: {:?}",
            payment.id(),
            payment.status(),
            payment.operations()
        );
        assert!(
            !sum.holds || payment.status() == Status::Authorised,
            "{} in {}: an authorisation stands: {:?}",
            payment.id(),
            payment.status(),
            payment.operations()
        );
        assert!(has_ended(&payment), "{:?}", payment.operations());
    }
    assert_eq!(moved, BTreeMap::new(), "charged without a payment");
}

/// Nothing is unknown or under way any more.
fn has_ended(payment: &Payment) -> bool {
    payment
        .operations()
        .iter()
        .all(|operation| !operation.state.is_open())
}
