//! A house of several nodes on one database, with processors and a team.

mod adyen;
mod disputed;
mod post;
mod rows;
mod stripe;
mod team;
mod wire;

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use connector::Connector;
use db::Db;
use db_model::ModelServer;
use domain::{Fault, Timestamp};
use engine::{Connectors, Engine, Parts, Webhook};
use graphql::{Api, Introspection, Limits, Method, MethodNames, Request};
use parking_lot::Mutex;
use processors::{Played, adyen::Adyen as AdyenMachine, stripe::Stripe as StripeMachine};
use serde_json::{Map, Value, json};
use tokio::sync::{
    mpsc::{self, UnboundedReceiver},
    oneshot,
};
use vault::{Given, KeySource, Vault};
use world::{Node, Sim, World};

use adyen::ADYEN;
pub(crate) use adyen::{CONNECTION as AT_ADYEN, FLOWS as FLOWS_OF_ADYEN};
use stripe::STRIPE;
pub(crate) use stripe::{CONNECTION as AT_STRIPE, FLOWS as FLOWS_OF_STRIPE};
pub(crate) use team::{DOWN, FLOWS};
use team::{found_teams, settings};

use crate::{
    Broke,
    bank::{Bank, Gate, KINDS, PostOffice},
    chance::Chance,
    counts::Counts,
    cut::CutAfter,
    receiver::{Road, Servers},
    shelf::Shelf,
    stage::{Doorway, Stage},
};

/// The team's secret key.
pub(crate) const KEY: &str = "sk_test_simulated_runs_0123456789";

/// The secret key of another team of the house.
pub(crate) const NEIGHBOURS_KEY: &str = "sk_test_neighbours_0123456789abcd";

/// The vault's keys. They guard nothing but test numbers.
const KEYS: &str = r#"{"current": 1, "keys": {"1": "a1IzdlQ5eFEybVo3cEw1d044Y0o0Ykg2Z0YxZFMwYVk="},
    "index": "dUU3aFcyeUI1bkQ4c0sxZk00dFA5cVY2elgzY0cwakE="}"#;

/// The base of the addresses that customers come back to.
const PUBLIC: &str = "https://pay.example";

/// When a request must have its answer, as the HTTP layer sees to.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(25);

/// How long before that what is executed must be over.
const ANSWERING: Duration = Duration::from_secs(1);

/// A GraphQL request as a client sends it.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) query: &'static str,
    pub(crate) variables: Map<String, Value>,
    pub(crate) key: Option<String>,
    /// The credential; the team's secret key when absent.
    pub(crate) bearer: Option<String>,
}

/// What a client got.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    pub(crate) body: Value,
    pub(crate) replayed: bool,
}

/// A process that serves.
struct Running {
    world: World,
    engine: Engine,
    api: Api,
}

/// What a process is given to start with.
struct Built {
    store: Db,
    vault_db: Db,
    road: Road,
    shelf: Arc<Shelf>,
}

/// Where a process runs: it may die and be started again.
struct Site {
    node: Node,
    running: Arc<Running>,
    /// How far its clock is off. Unit: microseconds.
    off: i64,
}

/// The house.
pub(crate) struct House {
    /// Time, chance and tasks of everybody else: clients, processors, those who look after processes.
    pub(crate) world: World,
    pub(crate) sim: Sim,
    pub(crate) bank: Arc<Bank>,
    /// Stripe, as far as anybody is connected to it.
    pub(crate) stripe: Played<StripeMachine>,
    /// Adyen, likewise.
    pub(crate) adyen: Played<AdyenMachine>,
    /// The files of all nodes.
    shelf: Arc<Shelf>,
    /// The merchants' servers, to which events are sent.
    pub(crate) servers: Arc<Servers>,
    pub(crate) counts: Arc<Counts>,
    pub(crate) stage: Arc<Stage>,
    post: OnceLock<Arc<PostOffice>>,
    /// The other team.
    neighbours: OnceLock<String>,
    places: Mutex<Vec<Site>>,
    dead: AtomicUsize,
    /// When it was built.
    pub(crate) begun: Timestamp,
    store: ModelServer,
    vault: ModelServer,
}

impl House {
    /// A house with so many nodes and its team.
    pub(crate) fn build(seed: u64, nodes: usize) -> Result<Arc<Self>, Broke> {
        let (world, sim) = World::simulated(seed);
        let bank = Bank::new(&world, Chance::of(seed, 1));
        let (tell, deaths) = mpsc::unbounded_channel();
        let counts = Arc::default();
        let house = Arc::new(Self {
            bank,
            stripe: Played::new(world.clone(), StripeMachine::new(seed, STRIPE)),
            adyen: Played::new(world.clone(), AdyenMachine::new(seed, ADYEN)),
            shelf: Arc::default(),
            servers: Servers::new(&world, Chance::of(seed, 9), &counts),
            counts,
            stage: Arc::new(Stage::new(Chance::of(seed, 3), tell)),
            post: OnceLock::new(),
            neighbours: OnceLock::new(),
            places: Mutex::default(),
            dead: AtomicUsize::new(0),
            begun: world.now(),
            store: ModelServer::new(store::MIGRATIONS, &world).map_err(broke)?,
            vault: ModelServer::new(vault::MIGRATIONS, &world).map_err(broke)?,
            world,
            sim,
        });
        for index in 0..nodes {
            let (_, node) = house.sim.node();
            let running = Arc::new(house.start(&node, index)?);
            house.places.lock().push(Site {
                node,
                running,
                off: 0,
            });
        }
        let first = house
            .running(0)
            .ok_or_else(|| Broke("a house needs a node".to_owned()))?;
        let (done, seeded) = oneshot::channel();
        let engine = first.engine.clone();
        first.world.spawn(async move {
            // Read below.
            let _ = done.send(found_teams(&engine).await);
        });
        let neighbours = house.run(seeded)?.map_err(broke)?.map_err(broke)?;
        // Set once.
        let _ = house.neighbours.set(neighbours.key());
        for place in house.places.lock().iter() {
            place.running.engine.start();
        }
        house.open_post(Chance::of(seed, 12));
        house.world.spawn(keep_alive(
            Arc::downgrade(&house),
            deaths,
            Chance::of(seed, 4),
        ));
        Ok(house)
    }

    /// Starts the process of a node.
    fn start(&self, node: &Node, index: usize) -> Result<Running, Broke> {
        let doorway = |database| Doorway {
            stage: Arc::clone(&self.stage),
            node: node.clone(),
            index,
            database,
        };
        let world = node.world();
        let store = self.store.connect(&world, Arc::new(doorway("")));
        let vault_db = self.vault.connect(&world, Arc::new(doorway("vault: ")));
        let road = Road {
            servers: Arc::clone(&self.servers),
            stripe: self.stripe.clone(),
            adyen: self.adyen.clone(),
            doorway: doorway(""),
        };
        let parts = Built {
            store,
            vault_db,
            road,
            shelf: Arc::clone(&self.shelf),
        };
        start(&world, parts, &self.bank, &doorway(""))
    }

    /// Starts a process that has died.
    fn restart(&self, index: usize) {
        let Some(node) = self
            .places
            .lock()
            .get(index)
            .map(|place| place.node.clone())
        else {
            return;
        };
        // One that died again while it was dead is started twice: what the first start began ends here.
        node.crash();
        // It was started in the same way before; one that does not start is found by who waits for it.
        let Ok(running) = self.start(&node, index) else {
            return;
        };
        running.engine.start();
        let running = Arc::new(running);
        if let Some(place) = self.places.lock().get_mut(index) {
            place.running = running;
        }
        self.dead.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether every process runs.
    pub(crate) fn is_whole(&self) -> bool {
        let stopped = self
            .places
            .lock()
            .iter()
            .any(|place| place.node.is_stopped());
        !stopped && self.dead.load(Ordering::SeqCst) == 0
    }

    /// Something happens to a process or to the database at a moment of its own.
    pub(crate) fn strike(&self, chance: &mut Chance) {
        let index = chance.index(self.nodes());
        let mut places = self.places.lock();
        let Some(place) = places.get_mut(index) else {
            return;
        };
        match chance.below(10) {
            9 => {
                // Longer than work waits for it, and some of it longer than a request may take.
                self.stage
                    .mishaps
                    .add("database away for longer than its patience");
                self.store.away_for(chance.millis(11_000, 45_000));
            }
            0 => {
                self.stage.mishaps.add("process killed at any time");
                let (stage, node) = (Arc::clone(&self.stage), place.node.clone());
                Doorway {
                    stage,
                    node,
                    index,
                    database: "",
                }
                .die();
            }
            1 => {
                self.stage.mishaps.add("process stopped at any time");
                place.node.stop_for(chance.millis(500, 90_000));
            }
            2 => {
                self.stage.mishaps.add("database away");
                self.store.away_for(chance.millis(100, 9_000));
            }
            3 => {
                self.stage.mishaps.add("vault's database away");
                self.vault.away_for(chance.millis(100, 9_000));
            }
            4 => {
                self.stage.mishaps.add("slow disk of the database");
                let (for_long, each) = (chance.millis(2_000, 15_000), chance.millis(500, 7_000));
                self.slow_disk(for_long, each);
            }
            _ => {
                // Two nodes differ by at most a second, which is what is promised to be harmless.
                self.stage.mishaps.add("clock jump");
                let off = chance.between(-500_000, 500_000);
                place.node.jump(off - place.off);
                place.off = off;
            }
        }
    }

    /// Plays until `work` ends.
    ///
    /// # Errors
    /// Nothing can go on any more.
    pub(crate) fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, Broke> {
        self.sim
            .run_until(work)
            .map_err(|_stuck| Broke("the run is stuck: nothing can go on".to_owned()))
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.places.lock().len()
    }

    fn running(&self, index: usize) -> Option<Arc<Running>> {
        self.places
            .lock()
            .get(index)
            .map(|place| Arc::clone(&place.running))
    }

    /// Sends a request to a node. `None` when the connection breaks, also because it is cut after `cut` polls.
    pub(crate) async fn send(&self, node: usize, ask: Ask, cut: Option<u32>) -> Option<Got> {
        let served = self.running(node)?;
        let work = async move {
            let Running { world, engine, api } = &*served;
            let end_by = world.now().after(REQUEST_TIMEOUT);
            world
                .timeout(REQUEST_TIMEOUT, answered(engine, api, ask, end_by))
                .await
                .ok()
        };
        self.at(node, work, cut).await?
    }

    /// A webhook of the merchant's comes in at a node.
    pub(crate) async fn send_webhook(
        &self,
        node: usize,
        name: &'static str,
        body: Value,
    ) -> Option<Result<usize, Fault>> {
        let served = self.running(node)?;
        let work = async move {
            let caller = served.engine.authenticate(KEY).await?;
            let outcome = served
                .engine
                .receive_webhook(&caller, Webhook::of(name.to_owned(), body)?)
                .await?;
            Ok(outcome.resumed)
        };
        self.at(node, work, None).await
    }

    /// The database's disk is slow for a while: every commit takes so long.
    pub(crate) fn slow_disk(&self, for_long: Duration, each: Duration) {
        self.stage
            .slow_commits(self.world.now().after(for_long), each);
    }

    /// Runs `work` as a task of the node's. `None` when the node dies, or after `cut` polls.
    async fn at<T: Send + 'static>(
        &self,
        node: usize,
        work: impl Future<Output = T> + Send + 'static,
        cut: Option<u32>,
    ) -> Option<T> {
        let world = self.running(node)?.world.clone();
        let (done, wait) = oneshot::channel();
        world.spawn(async move {
            let result = match cut {
                Some(polls) => CutAfter::new(work, polls).await,
                None => Some(work.await),
            };
            if let Some(result) = result {
                // The client may be gone.
                let _ = done.send(result);
            }
        });
        wait.await.ok()
    }

    /// Late commits that the model could not bring into effect: defects of the model.
    pub(crate) fn misfits(&self) -> u64 {
        self.store.misfits().saturating_add(self.vault.misfits())
    }
}

/// Starts processes that have died again, each after a while.
async fn keep_alive(house: Weak<House>, mut deaths: UnboundedReceiver<usize>, mut chance: Chance) {
    while let Some(index) = deaths.recv().await {
        let Some(held) = house.upgrade() else { return };
        held.dead.fetch_add(1, Ordering::SeqCst);
        let (house, world, pause) = (house.clone(), held.world.clone(), chance.millis(50, 20_000));
        held.world.spawn(async move {
            world.sleep(pause).await;
            if let Some(house) = house.upgrade() {
                house.restart(index);
            }
        });
    }
}

fn broke(error: impl std::fmt::Display) -> Broke {
    Broke(error.to_string())
}

/// Answers a request as the HTTP layer does.
async fn answered(engine: &Engine, api: &Api, ask: Ask, end_by: Timestamp) -> Got {
    let caller = match engine
        .authenticate(ask.bearer.as_deref().unwrap_or(KEY))
        .await
    {
        Ok(caller) => caller,
        Err(fault) => {
            let body = json!({"errors": [{"message": fault.message, "extensions": {"code": fault.code.text()}}]});
            return Got {
                body,
                replayed: false,
            };
        }
    };
    let request = Request {
        query: ask.query.to_owned(),
        operation_name: None,
        variables: ask.variables,
        answer_by: Some(end_by.before(ANSWERING)),
    };
    let response = api.execute(&caller, &request, ask.key, Method::Post).await;
    let body = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
    Got {
        body,
        replayed: response.replayed,
    }
}

fn start(
    world: &World,
    built: Built,
    bank: &Arc<Bank>,
    doorway: &Doorway,
) -> Result<Running, Broke> {
    let Built {
        store,
        vault_db,
        road,
        shelf,
    } = built;
    let source = KeySource::Given(Given::new(KEYS.to_owned()));
    let vault =
        Vault::open(vault_db, source, world.clone(), Duration::from_hours(1)).map_err(broke)?;
    let connector = |kind: crate::bank::BankKind| {
        let gate: Arc<dyn Connector> = Arc::new(Gate::new(kind, bank, doorway.clone()));
        (kind.name, gate)
    };
    let all = KINDS.into_iter().map(connector).chain(wire::connectors());
    let connectors: Connectors = all.collect::<BTreeMap<_, _>>();
    let parts = Parts {
        world: world.clone(),
        store,
        vault,
        connectors,
        http: Arc::new(road),
        objects: Some(shelf),
        wallets: engine::WalletKeys::default(),
        settings: settings(),
    };
    let engine = Engine::new(parts);
    engine.reachable_at(PUBLIC.to_owned());
    let api = Api::new(
        engine.clone(),
        Limits::default(),
        Introspection::Off,
        MethodNames::default(),
    )
    .map_err(broke)?;
    Ok(Running {
        world: world.clone(),
        engine,
        api,
    })
}
