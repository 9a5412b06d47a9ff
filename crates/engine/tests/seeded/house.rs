//! An engine with everything that it needs, in a simulated world.

use std::{collections::BTreeMap, future::Future, sync::Arc, time::Duration};

use connectors::{
    adyen::Adyen,
    simulator::{Books, Entry, MemoryBooks, Simulator},
    stripe::Stripe,
};
use db::Db;
use domain::{
    caller::Caller,
    customer::{CardInput, NewMethod},
    expiry::Expiry,
    id::{ConnectionId, FlowId},
    payment::{OperationKind, Payment},
};
use engine::{
    Connectors, Engine, Owner, Parts, Seed, SeedConnection, SeedFlow, Settings, Tokenise,
};
use futures_util::future::BoxFuture;
use http_client::{Http, HttpError, Recipient, Reply, Request};
use processors::{Played, adyen, stripe as stripe_machine};
use vault::{KeySource, Vault};
use world::{Sim, World};

const KEY: &str = "sk_test_seeded_runs_0123456789";

/// Where shoppers reach the pages of the simulated Stripe.
pub(crate) const STRIPE: &str = "https://stripe.example";

/// Where shoppers reach the pages of the simulated Adyen.
pub(crate) const ADYEN: &str = "https://adyen.example";

/// The processors of the network, by the hosts of their APIs.
struct Network {
    stripe: Played<stripe_machine::Stripe>,
    adyen: Played<adyen::Adyen>,
}

impl Http for Network {
    fn send<'a>(
        &'a self,
        recipient: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        let host = request.url.host();
        if host.ends_with("adyen.com") {
            self.adyen.send(recipient, request)
        } else {
            self.stripe.send(recipient, request)
        }
    }
}

pub(crate) struct House {
    pub(crate) engine: Engine,
    /// Stripe, as far as anybody is connected to it.
    pub(crate) stripe: Played<stripe_machine::Stripe>,
    /// Adyen, likewise.
    pub(crate) adyen: Played<adyen::Adyen>,
    pub(crate) world: World,
    sim: Sim,
    store: Db,
    books: Arc<MemoryBooks>,
    _folder: tempfile::TempDir,
}

impl House {
    pub(crate) fn build(seed: u64) -> Self {
        let (world, sim) = World::simulated(seed);
        let store = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
        let vault_db = Db::sqlite_inline(vault::MIGRATIONS, &world).unwrap();
        let books = Arc::new(MemoryBooks::default());
        let folder = tempfile::tempdir().unwrap();
        // The key file's bytes come from the seed too.
        let stripe = Played::new(world.clone(), stripe_machine::Stripe::new(seed, STRIPE));
        let adyen = Played::new(world.clone(), adyen::Adyen::new(seed, ADYEN));
        let network = Network {
            stripe: stripe.clone(),
            adyen: adyen.clone(),
        };
        let databases = Databases {
            store: &store,
            vault: &vault_db,
        };
        let engine = assemble(&world, databases, &books, network, folder.path());
        let house = Self {
            engine,
            stripe,
            adyen,
            world,
            sim,
            store,
            books,
            _folder: folder,
        };
        house.run(house.engine.seed(seed_of_team())).unwrap();
        house
    }

    pub(crate) fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.sim
            .run_until(work)
            .unwrap_or_else(|_| panic!("the run is stuck"))
    }

    pub(crate) fn steps(&self) -> u64 {
        self.sim.steps()
    }

    pub(crate) fn sim(&self) -> &Sim {
        &self.sim
    }

    pub(crate) fn caller(&self) -> Caller {
        self.run(self.engine.authenticate(KEY)).unwrap()
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.run(self.books.all(None, 10_000)).unwrap()
    }

    pub(crate) fn payments(&self) -> Vec<Payment> {
        let rows = self
            .run(
                self.store
                    .scan("select body from payment order by payment_id", Vec::new()),
            )
            .unwrap();
        rows.iter()
            .map(|row| serde_json::from_str(row.text(0).unwrap()).unwrap())
            .collect()
    }

    pub(crate) fn events(&self) -> Vec<(String, i64, String)> {
        let sql = "select stream, seq, data from event order by stream, seq";
        let rows = self.run(self.store.scan(sql, Vec::new())).unwrap();
        let read = |row: &db::Row| {
            (
                row.text(0).unwrap().to_owned(),
                row.int(1).unwrap(),
                row.text(2).unwrap().to_owned(),
            )
        };
        rows.iter().map(read).collect()
    }

    /// Every charge in the books belongs to one payment, sums agree, and events have no gaps.
    pub(crate) fn assert_books_equal_payments(&self) {
        // Jobs go on while the database is read: what is compared must be of one moment.
        let (payments, all_events) = loop {
            let (payments, events) = (self.payments(), self.events());
            if self.payments() == payments {
                break (payments, events);
            }
        };
        let now = self.world.now();
        let payments: BTreeMap<String, Payment> = payments
            .into_iter()
            .map(|one| (one.id().key(), one))
            .collect();
        let mut charged: BTreeMap<String, u32> = BTreeMap::new();
        let mut moved: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        for entry in self.entries() {
            let reference = entry.reference.as_str().to_owned();
            let (id, n) = connector::Reference::parse(&reference).unwrap();
            let payment = payments
                .get(&id.key())
                .unwrap_or_else(|| panic!("{reference} is charged and has no payment"));
            let operation = payment.operation(n).unwrap();
            assert!(matches!(operation.kind, OperationKind::Authorise { .. }));
            let gone = entry.cancelled(now)
                || entry.refunded(now) == entry.captured(now) && entry.captured(now) > 0;
            if entry.authorised(now) > 0 && !gone {
                *charged.entry(id.key()).or_default() += 1;
            }
            assert_eq!(
                entry.connection, operation.connection,
                "{reference} went elsewhere"
            );
            let sums = moved.entry(id.key()).or_default();
            *sums = (sums.0 + entry.captured(now), sums.1 + entry.refunded(now));
        }
        assert!(
            charged.values().all(|count| *count == 1),
            "charged twice: {charged:?}"
        );
        for payment in payments.values() {
            let sums = moved.get(&payment.id().key()).copied().unwrap_or_default();
            assert_eq!(
                sums,
                (payment.captured(), payment.refunded()),
                "of {} in {}",
                payment.id(),
                payment.status()
            );
            let entries = self.entries();
            let own = entries
                .iter()
                .filter(|entry| entry.reference.as_str().starts_with(&payment.id().key()));
            let authorised = own.filter(|entry| entry.authorised(now) > 0).count();
            assert!(
                authorised <= 1,
                "{} is charged at {authorised} connections",
                payment.id()
            );
            let holds = authorised == 1;
            let attempts = payment
                .operations()
                .iter()
                .filter(|one| matches!(one.kind, OperationKind::Authorise { .. }));
            let says = attempts.filter(|one| one.state.is_done()).count() > 0;
            assert_eq!(holds, says, "{} says {}", payment.id(), payment.status());
            let own = all_events
                .iter()
                .filter(|event| event.0 == payment.id().key());
            let events: Vec<i64> = own.map(|event| event.1).collect();
            let wanted: Vec<i64> = (1..=i64::try_from(payment.version()).unwrap()).collect();
            assert_eq!(events, wanted, "one event for each version");
        }
    }

    pub(crate) fn token(
        &self,
        caller: &Caller,
        number: &str,
    ) -> impl Future<Output = String> + use<> {
        let method = NewMethod::Card(card(number));
        let (engine, caller) = (self.engine.clone(), caller.clone());
        async move {
            let wanted = Tokenise {
                method,
                external_id: None,
                metadata: None,
                owner: Owner::Nobody,
            };
            let reported = engine.tokenise(&caller, None, Ok(wanted)).await;
            reported.result.unwrap().method.token.as_str().to_owned()
        }
    }
}

pub(crate) fn card(number: &str) -> CardInput {
    CardInput {
        number: domain::card_number::CardNumber::parse(number.to_owned())
            .ok()
            .unwrap(),
        expiry: Expiry::parse(12, 2040).unwrap(),
        cvc: None,
        holder: None,
        address: None,
        preferred_brand: None,
        make_default: false,
    }
}

#[derive(Clone, Copy)]
struct Databases<'a> {
    store: &'a Db,
    vault: &'a Db,
}

fn assemble(
    world: &World,
    databases: Databases<'_>,
    books: &Arc<MemoryBooks>,
    network: Network,
    folder: &std::path::Path,
) -> Engine {
    let source = KeySource::File(folder.join("keys.json"));
    let vault = Vault::open(
        databases.vault.clone(),
        source,
        world.clone(),
        Duration::from_hours(1),
    )
    .unwrap();
    let simulator = Simulator::new(world.clone(), Arc::clone(books) as Arc<dyn Books>);
    let connectors: Connectors = BTreeMap::from([
        (
            "simulator",
            Arc::new(simulator) as Arc<dyn connector::Connector>,
        ),
        ("stripe", Arc::new(Stripe)),
        ("adyen", Arc::new(Adyen)),
    ]);
    let parts = Parts {
        world: world.clone(),
        store: databases.store.clone(),
        vault,
        connectors,
        http: Arc::new(network),
        objects: None,
        wallets: engine::WalletKeys::default(),
        settings: settings(),
    };
    Engine::new(parts)
}

/// As in production, but with fewer polls and a shorter life time, since virtual hours cost real seconds.
fn settings() -> Settings {
    Settings {
        poll_interval: Duration::from_secs(5),
        authorisation_lifetime: Some(Duration::from_hours(12)),
        customer_lifetime: Duration::from_mins(40),
        // Connections that are rested would be spared what is to be played.
        rest_after: u32::MAX,
        ..Settings::default()
    }
}

/// Two connections that are well, one at which everything fails, and one that breaks off after it did what it was asked.
fn seed_of_team() -> Seed {
    let connection = |(id, settings): (&str, serde_json::Value)| SeedConnection {
        id: ConnectionId::parse(id).unwrap(),
        processor: "simulator".to_owned(),
        name: id.to_owned(),
        settings,
    };
    let flow = |(id, authorise, capture): (&str, &str, &str)| SeedFlow {
        id: FlowId::parse(id).unwrap(),
        document: format!(
            "name: {id}\ntrigger: payment\nsteps:\n  - authorise: {authorise}\n  - capture: {capture}\n"
        ),
        is_default: id == "default",
    };
    Seed {
        team_name: "Seeded".to_owned(),
        connections: [
            ("simulator-a", serde_json::json!({})),
            ("simulator-b", serde_json::json!({})),
            ("ill", serde_json::json!({"fault": "fails"})),
            ("dying", serde_json::json!({"fault": "dies_after_charging"})),
        ]
        .map(connection)
        .into(),
        flows: [
            ("default", "{connection: simulator-a}", "now"),
            ("capture-by-api", "{connection: simulator-a}", "api"),
            (
                "two",
                "{connection: simulator-a, fallback: {to: [simulator-b]}}",
                "api",
            ),
            (
                "three",
                "{connection: ill, fallback: {to: [simulator-b, simulator-a]}}",
                "now",
            ),
            (
                "dying",
                "{connection: ill, fallback: {to: [dying, simulator-a]}}",
                "{after: 2s}",
            ),
            (
                "half-back",
                "{connection: simulator-a}",
                "now\n  - refund: {amount: {percent: 50}}",
            ),
        ]
        .map(flow)
        .into(),
        secret_key: Some(KEY.to_owned()),
    }
}
