//! The HTTP layer in front of a whole service in memory.

mod pages;
mod sdk;
mod transport;

use std::{sync::Arc, time::Duration};

use ::graphql::{Api, Introspection, Limits, MethodNames};
use axum::{Router, body::Body, response::Response};
use connectors::simulator::{MemoryBooks, Simulator};
use db::Db;
use domain::id::{ConnectionId, FlowId};
use engine::{Engine, KeyKind, NewKey, Parts, Seed, SeedConnection, SeedFlow, WalletKeys};
use http::{Method as HttpMethod, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::Service as _;
use vault::{KeySource, Vault};
use world::{Sim, World};

use super::*;
use crate::{sandbox::Sandbox, telemetry::Metrics};

const SECRET: &str = "sk_test_goodkey0";
const PUBLIC: &str = "pk_test_goodkey0";

/// A service with one team, its two keys and the simulator.
fn service(sim: &Sim, world: &World, directory: &tempfile::TempDir) -> Service {
    let memory = |migrations| Db::sqlite_inline(migrations, world).unwrap();
    let keys = KeySource::File(directory.path().join("keys"));
    let sealed = memory(vault::MIGRATIONS);
    let vault = Vault::open(sealed, keys, world.clone(), Duration::from_hours(1)).unwrap();
    let books = Arc::new(MemoryBooks::default());
    let simulator = Arc::new(Simulator::new(world.clone(), books.clone()));
    let engine = Engine::new(Parts {
        world: world.clone(),
        store: memory(store::MIGRATIONS),
        vault,
        connectors: [("simulator", simulator.clone() as _)]
            .into_iter()
            .collect(),
        http: Arc::new(http_client::Nowhere),
        objects: None,
        wallets: WalletKeys::default(),
        settings: engine::Settings::default(),
    });
    sim.run_until(found(&engine)).unwrap();
    Service {
        api: Api::new(
            engine.clone(),
            Limits::default(),
            Introspection::On,
            MethodNames::default(),
        )
        .unwrap(),
        engine,
        sandbox: Some(Arc::new(Sandbox {
            db: memory(crate::sandbox::DbBooks::MIGRATIONS),
            books,
            simulator,
        })),
        metrics: Metrics::absent(),
    }
}

async fn found(engine: &Engine) {
    let connection = ConnectionId::parse("simulator-a").unwrap();
    let seed = Seed {
        team_name: "The shop".to_owned(),
        connections: vec![SeedConnection {
            id: connection.clone(),
            processor: "simulator".to_owned(),
            name: "Simulator".to_owned(),
            settings: json!({}),
        }],
        flows: vec![SeedFlow {
            id: FlowId::parse("default").unwrap(),
            document: format!(
                "name: Default\ntrigger: payment\nsteps:\n  - authorise:\n      connection: {connection}\n"
            ),
            is_default: true,
        }],
        secret_key: Some(SECRET.to_owned()),
    };
    engine.seed(seed).await.unwrap();
    let team = engine.authenticate(SECRET).await.unwrap().team;
    let public = NewKey::of(team, KeyKind::Public, "browsers").given(PUBLIC.to_owned());
    engine.create_key(public).await.unwrap();
}

struct Site {
    router: Router,
    web: Arc<Web>,
    sim: Sim,
    _directory: tempfile::TempDir,
}

impl Site {
    fn with(rate: Option<Rate>) -> Self {
        Self::ruled(|rules| rules.rate = rate)
    }

    /// Without what only a sandbox has.
    fn live() -> Self {
        Self::ruled(|rules| {
            rules.mode = domain::caller::Mode::Live;
            rules.sandbox = false;
        })
    }

    /// With other rules than the usual ones.
    fn ruled(change: impl FnOnce(&mut Rules)) -> Self {
        let (world, sim) = World::simulated(1);
        let directory = tempfile::tempdir().unwrap();
        let service = service(&sim, &world, &directory);
        let mut rules = Rules {
            origins: Origins::Any,
            frames: crate::pages::Frames::Any,
            body: 1024,
            request_timeout: Duration::from_secs(25),
            ready_patience: Duration::ZERO,
            slow_request: None,
            rate: None,
            public_metrics: true,
            mode: domain::caller::Mode::Test,
            domain_association: None,
            sandbox: true,
            https: false,
            trusted_proxies: Vec::new(),
            places: Arc::default(),
        };
        change(&mut rules);
        let web = Arc::new(Web::new(service, world, rules));
        Self {
            router: router(&web),
            web,
            sim,
            _directory: directory,
        }
    }

    fn new() -> Self {
        Self::with(None)
    }

    fn ask(&self, request: Request<Body>) -> Reply {
        let mut router = self.router.clone();
        self.sim
            .run_until(async move {
                let response: Response = router.call(request).await.unwrap();
                Reply::of(response).await
            })
            .unwrap()
    }

    fn post(&self, body: &str, headers: &[(&str, &str)]) -> Reply {
        self.ask(request(HttpMethod::POST, "/api/graphql", body, headers))
    }

    fn query(&self, query: &str, headers: &[(&str, &str)]) -> Reply {
        self.post(&json!({"query": query}).to_string(), headers)
    }
}

struct Reply {
    status: StatusCode,
    headers: http::HeaderMap,
    text: String,
}

impl Reply {
    async fn of(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Self {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    fn code(&self) -> String {
        let json: Value = serde_json::from_str(&self.text).unwrap();
        assert!(
            json["errors"][0]["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{json}"
        );
        assert!(json.get("data").is_none(), "{json}");
        json["errors"][0]["extensions"]["code"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

/// A request that is right but for what the headers replace. An empty value takes a header away.
fn request(method: HttpMethod, path: &str, body: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut all = vec![
        ("authorization", "Bearer sk_test_goodkey0"),
        ("content-type", "application/json"),
        ("host", "pay.example"),
    ];
    all.retain(|(name, _)| !headers.iter().any(|(other, _)| other == name));
    all.extend(headers.iter().filter(|(_, value)| !value.is_empty()));
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in all {
        request = request.header(name, value);
    }
    request.body(Body::from(body.to_owned())).unwrap()
}
