//! A shop on an engine in a simulated world, with a processor that approves everything.

use std::{collections::BTreeMap, future::Future, sync::Arc, time::Duration};

use db::Db;
use domain::{
    Fault, Timestamp,
    caller::{Caller, ClientGrant, Mode},
    customer::CustomerDraft,
    id::{ConnectionId, CustomerId, FlowId, TeamId, VaultToken},
    money::Currency,
    payment::{Initiator, Payment},
};
use engine::{
    Authorise, CreateCustomer, Engine, Instrument, Once, Owner, Parts, Payer, Response, Scope,
    Seed, SeedConnection, SeedFlow, Settings, TokenView, Tokenise,
};
use futures_util::future::BoxFuture;
use http_client::Http;
use parking_lot::Mutex;
use vault::{KeySource, Vault};
use world::{Sim, World};

use crate::{
    cards,
    desk::Desk,
    files::Files,
    processor::{Approves, Challenge, Silence},
};

pub(crate) const KEY: &str = "sk_test_shopkey0";

/// What outlives a process: the databases, the key file and the world around.
pub(crate) struct Shop {
    pub(crate) world: World,
    pub(crate) sim: Sim,
    pub(crate) store: Db,
    pub(crate) vault: Vault,
    pub(crate) engine: Engine,
    pub(crate) team: TeamId,
    pub(crate) server: Caller,
    /// Where the processor gives its tokens.
    pub(crate) desk: Desk,
    /// What the processor asks of the customer.
    pub(crate) challenge: Challenge,
    /// Where the content of attachments lies.
    pub(crate) files: Files,
    _directory: tempfile::TempDir,
}

impl Shop {
    pub(crate) fn open(seed: u64) -> Self {
        Self::open_in(seed, Mode::Test)
    }

    pub(crate) fn open_in(seed: u64, mode: Mode) -> Self {
        Self::without_team(seed, mode).opened()
    }

    fn opened(self) -> Self {
        let mode = self.server.mode;
        let shop = self;
        let key = if mode == Mode::Test {
            KEY
        } else {
            "sk_live_shopkey0"
        };
        let first = shop.run(shop.engine.seed(beginnings(Some(key)))).unwrap();
        assert!(first.is_some());
        let server = shop.run(shop.engine.authenticate(key)).unwrap();
        Self {
            team: server.team,
            server,
            ..shop
        }
    }

    /// With the vault in a database of its own kind.
    pub(crate) fn open_over(seed: u64, sealed: impl FnOnce(&World) -> Db) -> Self {
        Self::over(seed, Mode::Test, sealed).opened()
    }

    /// Databases without anything in them.
    pub(crate) fn without_team(chance: u64, mode: Mode) -> Self {
        Self::over(chance, mode, |world| {
            Db::sqlite_inline(vault::MIGRATIONS, world).unwrap()
        })
    }

    fn over(chance: u64, mode: Mode, sealed: impl FnOnce(&World) -> Db) -> Self {
        let (world, sim) = World::simulated(chance);
        let directory = tempfile::tempdir().unwrap();
        let store = Db::sqlite_inline(store::MIGRATIONS, &world).unwrap();
        let sealed = sealed(&world);
        let keys = KeySource::File(directory.path().join("keys"));
        let vault = Vault::open(sealed, keys, world.clone(), Duration::from_hours(1)).unwrap();
        let desk = Desk::new(&world);
        let challenge = Challenge::default();
        let files = Files::default();
        let engine = engine_over(
            &Outside {
                world: &world,
                desk: &desk,
                challenge: &challenge,
                files: &files,
            },
            &store,
            &vault,
            mode,
        );
        let nobody = uuid::Uuid::nil();
        let server = Caller {
            team: TeamId::new(nobody),
            key: domain::id::KeyId::new(nobody),
            credential: domain::caller::Credential::Secret,
            scopes: domain::rights::Scopes::ALL,
            mode,
            seen_in: None,
            hides_fingerprints: false,
            source: domain::audit::Source::default(),
            network: None,
        };
        Self {
            world,
            sim,
            store,
            vault,
            engine,
            team: server.team,
            server,
            desk,
            challenge,
            files,
            _directory: directory,
        }
    }

    fn outside(&self) -> Outside<'_> {
        Outside {
            world: &self.world,
            desk: &self.desk,
            challenge: &self.challenge,
            files: &self.files,
        }
    }

    /// Another process over the same databases.
    pub(crate) fn another_node(&self) -> Engine {
        engine_over(&self.outside(), &self.store, &self.vault, self.server.mode)
    }

    /// The same with settings of its own.
    pub(crate) fn another_node_with(&self, settings: Settings) -> Engine {
        let nobody = Arc::new(Silence(self.world.clone()));
        engine_with(&self.outside(), self.at_rest(), nobody, settings)
    }

    /// The same, in a world with these servers. It looks for work once a minute: days pass.
    pub(crate) fn another_node_to(&self, servers: Arc<dyn Http>) -> Engine {
        let settings = Settings {
            poll_interval: Duration::from_mins(1),
            ..settings_in(self.server.mode)
        };
        engine_with(&self.outside(), self.at_rest(), servers, settings)
    }

    fn at_rest(&self) -> AtRest<'_> {
        AtRest {
            store: &self.store,
            vault: &self.vault,
        }
    }

    pub(crate) fn run<T>(&self, story: impl Future<Output = T>) -> T {
        self.sim
            .run_until(story)
            .expect("the story does not get stuck")
    }

    /// Plays stories as tasks of their own, in an order that the seed decides. What they reported, in their order.
    pub(crate) fn at_once<T: Send + 'static>(&self, stories: Vec<BoxFuture<'static, T>>) -> Vec<T> {
        let (details, count) = (Arc::new(Mutex::new(BTreeMap::new())), stories.len());
        for (n, story) in stories.into_iter().enumerate() {
            let details = Arc::clone(&details);
            self.world.spawn(async move {
                let result = story.await;
                details.lock().insert(n, result);
            });
        }
        self.run(async {
            while details.lock().len() < count {
                self.world.sleep(Duration::from_millis(1)).await;
            }
        });
        let details = std::mem::take(&mut *details.lock());
        details.into_values().collect()
    }

    pub(crate) fn pass(&self, span: Duration) {
        let world = self.world.clone();
        self.run(async move { world.sleep(span).await });
    }

    pub(crate) fn public(&self) -> Caller {
        let made = self
            .run(self.engine.create_key(engine::NewKey::of(
                self.team,
                engine::KeyKind::Public,
                "site",
            )))
            .unwrap();
        self.run(self.engine.authenticate(&made.token)).unwrap()
    }

    pub(crate) fn client(&self, grant: ClientGrant) -> Caller {
        let Ok(made) = self.run(self.engine.client_token(&self.server, grant)) else {
            panic!("no client token")
        };
        self.run(self.engine.authenticate(&made.token)).unwrap()
    }

    pub(crate) fn create_customer(&self, name: &str) -> CustomerId {
        self.create_customer_by(&self.server, cards::person(name))
            .unwrap()
    }

    pub(crate) fn create_customer_by(
        &self,
        caller: &Caller,
        draft: CustomerDraft,
    ) -> Result<CustomerId, Fault> {
        self.run(self.engine.create_customer(
            caller,
            None,
            Ok(CreateCustomer { draft, card: None }),
        ))
        .result
    }

    pub(crate) fn tokenise(
        &self,
        caller: &Caller,
        once: Option<Once>,
        command: Tokenise,
    ) -> Response<TokenView> {
        self.run(self.engine.tokenise(caller, once, Ok(command)))
    }

    /// Stores a card for a customer.
    pub(crate) fn add(&self, customer: CustomerId, number: &str) -> VaultToken {
        let command = cards::token(cards::card(number), Owner::Existing(customer.to_string()));
        self.tokenise(&self.server, None, command)
            .result
            .unwrap()
            .method
            .token
    }

    pub(crate) fn tokens(&self, customer: CustomerId) -> Vec<VaultToken> {
        let methods = self
            .run(self.engine.methods(&self.server, customer))
            .unwrap();
        methods.into_iter().map(|method| method.token).collect()
    }

    pub(crate) fn default_of(&self, customer: CustomerId) -> Option<VaultToken> {
        let details = self
            .run(self.engine.customer(&self.server, customer))
            .unwrap()
            .default_method;
        let methods = self
            .run(self.engine.methods(&self.server, customer))
            .unwrap();
        let flagged: Vec<_> = methods
            .into_iter()
            .filter(|method| method.is_default)
            .map(|method| method.token)
            .collect();
        assert_eq!(
            flagged,
            Vec::from_iter(details.clone()),
            "both views agree, and the default is one of the methods"
        );
        details
    }

    /// How many numbers the vault holds.
    pub(crate) fn sealed(&self) -> usize {
        let end = Timestamp::from_micros(i64::MAX);
        self.run(self.vault.older_than(end, None, 10_000))
            .unwrap()
            .len()
    }

    pub(crate) fn pay(&self, customer: CustomerId, once: Option<Once>) -> Response<Payment> {
        let details = self.run(
            self.engine
                .authorise(&self.server, once, Ok(order(customer))),
        );
        Response {
            result: details.result.map(|view| view.payment),
            replayed: details.replayed,
        }
    }

    pub(crate) fn count(&self, table: &str) -> i64 {
        let rows = self
            .run(
                self.store
                    .read(format!("select count(*) from {table}"), Vec::new()),
            )
            .unwrap();
        rows[0].int(0).unwrap()
    }
}

/// The databases of an engine.
#[derive(Clone, Copy)]
struct AtRest<'a> {
    store: &'a Db,
    vault: &'a Vault,
}

/// What an engine finds outside its own process.
struct Outside<'a> {
    world: &'a World,
    desk: &'a Desk,
    challenge: &'a Challenge,
    files: &'a Files,
}

fn engine_over(outside: &Outside<'_>, store: &Db, vault: &Vault, mode: Mode) -> Engine {
    let nobody = Arc::new(Silence(outside.world.clone()));
    let at_rest = AtRest { store, vault };
    engine_with(outside, at_rest, nobody, settings_in(mode))
}

fn settings_in(mode: Mode) -> Settings {
    Settings {
        mode,
        poll_interval: Duration::from_secs(10),
        ..Settings::default()
    }
}

fn engine_with(
    outside: &Outside<'_>,
    at_rest: AtRest<'_>,
    http: Arc<dyn Http>,
    settings: Settings,
) -> Engine {
    let Outside {
        world,
        desk,
        challenge,
        files,
    } = *outside;
    Engine::new(Parts {
        world: world.clone(),
        store: at_rest.store.clone(),
        vault: at_rest.vault.clone(),
        connectors: [
            ("approves", Approves::connector(world, desk, challenge)),
            ("returns", Approves::by_return(world, desk, challenge)),
        ]
        .into_iter()
        .collect(),
        http,
        objects: Some(Arc::new(files.clone())),
        wallets: engine::WalletKeys::default(),
        settings,
    })
}

pub(crate) fn beginnings(key: Option<&str>) -> Seed {
    let connection = ConnectionId::parse("approves-a").unwrap();
    Seed {
        team_name: "The shop".to_owned(),
        connections: vec![SeedConnection {
            id: connection.clone(),
            processor: "approves".to_owned(),
            name: "Approves".to_owned(),
            settings: serde_json::json!({}),
        }],
        flows: vec![SeedFlow {
            id: FlowId::parse("default").unwrap(),
            document: format!(
                "name: Default\ntrigger: payment\nsteps:\n  - authorise:\n      connection: {connection}\n  - capture: now\n"
            ),
            is_default: true,
        }],
        secret_key: key.map(str::to_owned),
    }
}

/// An order of a customer, paid with the default method.
pub(crate) fn order(customer: CustomerId) -> Authorise {
    Authorise {
        amount: Some(1000),
        currency: Currency::parse("EUR"),
        target: engine::Target::Flow(None),
        intent: None,
        three_ds: domain::payment::ThreeDsWish::AsIssuer,
        three_ds_redirect: None,
        browser: None,
        apm_redirect: None,
        instrument: None::<Instrument>,
        payer: Some(Payer {
            id: Some(customer.to_string()),
            details: domain::payment::Payer::default(),
        }),
        order_id: None,
        transaction_id: None,
        description: None,
        statement_descriptor: None,
        metadata: None,
        fraud: Some(serde_json::json!({"ip": "192.0.2.7"})),
        initiator: Initiator::Customer,
        recurring: None,
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is given where a key may be absent"
)]
pub(crate) fn once(scope: Scope, key: &str, arguments: &serde_json::Value) -> Option<Once> {
    Some(Once {
        key: key.to_owned(),
        scope,
        arguments: arguments.clone(),
        number: None,
    })
}
