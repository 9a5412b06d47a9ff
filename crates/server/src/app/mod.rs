//! The service put together: databases, vault, engine, interface.

mod backend;
mod databases;
mod keys;
pub mod moving;
mod operator;
mod seed;
mod serve;

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Context, bail};
use connector::Connector;
use connectors::simulator::{Books, Simulator};
use db::Db;
use domain::caller::Mode;
use engine::{Connectors, Engine, Parts};
use vault::Vault;
use world::World;

use crate::{
    admin::Operator,
    config::{self, Settings},
    data_dir::Held,
    geo::Places,
    sandbox::DbBooks,
    telemetry::Metrics,
};

pub use databases::{Databases, Founding};
pub use keys::problem as key_file_problem;

/// The simulated processor's identifier.
const SIMULATOR: &str = "simulator";
/// The request's own time less this is the engine's, so that its answer still reaches the client.
const ANSWERING: std::time::Duration = std::time::Duration::from_secs(1);

/// The service, on open databases and a data directory that is held for it.
pub struct App {
    world: World,
    engine: Engine,
    databases: Databases,
    sandbox: Option<Arc<Sandbox>>,
    metrics: Metrics,
    places: Arc<Places>,
    held: Held,
    exposure: Option<String>,
}

/// What only test mode has.
struct Sandbox {
    db: Db,
    books: Arc<dyn Books>,
    simulator: Arc<Simulator>,
}

impl App {
    /// Puts everything together on open databases. No job runs and no request is taken yet.
    pub async fn open(
        held: Held,
        databases: Databases,
        settings: &Settings,
        world: &World,
        metrics: Metrics,
    ) -> anyhow::Result<Self> {
        let place = if databases.store.is_shared() { "the database" } else { "the data directory" };
        databases.store.refuse_when_found(moving::NOT_TO_BE_SERVED);
        moving::refuse_moved(&databases.store, place).await?;
        if databases.store.is_shared() {
            databases.claim(settings.mode, world).await?;
        } else {
            held.claim(settings.mode)?;
        }
        let places = settings.geo.table.as_deref().map(Places::load).transpose()?.unwrap_or_default();
        let vault = open_vault(&databases, settings, world).await?;
        let exposure = databases.exposure(settings).await?;
        if let (Mode::Live, Some(exposure)) = (settings.mode, &exposure) {
            tracing::warn!("{exposure}");
        }
        let sandbox = match settings.mode {
            Mode::Test => Some(Arc::new(open_sandbox(&held, settings, world).await?)),
            Mode::Live => None,
        };
        refuse_simulator_when_live(settings, &databases.store).await?;
        let engine = Engine::new(Parts {
            world: world.clone(),
            store: databases.store.clone(),
            vault,
            connectors: connectors(sandbox.as_deref()),
            outbound: Arc::new(settings.outbound.client(world.clone()).map_err(anyhow::Error::msg)?),
            wallets: settings.wallets.keys(settings.mode).map_err(|(name, why)| anyhow::anyhow!("{name}: {why}"))?,
            settings: engine_settings(settings),
        });
        let places = Arc::new(places);
        Ok(Self { world: world.clone(), engine, databases, sandbox, metrics, places, held, exposure })
    }

    /// Makes what the first start of a sandbox needs. Returns the secret key when one was made that nobody knows yet.
    pub async fn prepare(&self, settings: &Settings) -> anyhow::Result<Option<String>> {
        match settings.sandbox {
            config::Sandbox::Open => seed::seed(&self.engine, settings).await,
            config::Sandbox::Absent => Ok(None),
        }
    }

    /// Whoever performs commands on this service.
    pub fn operator(&self) -> Arc<dyn Operator> {
        Arc::new(operator::Local {
            engine: self.engine.clone(),
            mode: self.engine.settings().mode,
            exposure: self.exposure.clone(),
        })
    }

    /// Closes the databases.
    pub async fn close(self) {
        self.databases.close().await;
        if let Some(sandbox) = &self.sandbox {
            sandbox.db.close().await;
        }
    }
}

/// Opens the vault with the keys that it has had, or with fresh ones when it has never had any.
async fn open_vault(databases: &Databases, settings: &Settings, world: &World) -> anyhow::Result<Vault> {
    let had_keys = databases.vault_was_there || vault::has_had_keys(&databases.vault).await?;
    let keys = keys::source(settings, had_keys)?;
    let vault = Vault::open(databases.vault.clone(), keys, world.clone(), settings.vault.cvc_lifetime)?;
    vault.take_up().await.with_context(|| keys::place(settings))?;
    Ok(vault)
}

async fn open_sandbox(held: &Held, settings: &Settings, world: &World) -> anyhow::Result<Sandbox> {
    let db = databases::open_books(held.dir(), settings, world).await?;
    let books: Arc<dyn Books> = Arc::new(DbBooks::new(db.clone()));
    let simulator = Arc::new(Simulator::new(world.clone(), Arc::clone(&books)));
    Ok(Sandbox { db, books, simulator })
}

fn connectors(sandbox: Option<&Sandbox>) -> Connectors {
    let mut connectors: BTreeMap<&'static str, Arc<dyn Connector>> = BTreeMap::new();
    if let Some(sandbox) = sandbox {
        connectors.insert(SIMULATOR, Arc::clone(&sandbox.simulator) as Arc<dyn Connector>);
    }
    connectors
}

async fn refuse_simulator_when_live(settings: &Settings, store: &Db) -> anyhow::Result<()> {
    if settings.mode == Mode::Live && store::connection::processors(store).await?.iter().any(|one| one == SIMULATOR) {
        bail!(
            "live mode refuses connections of the simulator, and this database has some; choose another data directory or database"
        );
    }
    Ok(())
}

fn engine_settings(settings: &Settings) -> engine::Settings {
    engine::Settings {
        mode: settings.mode,
        idempotency_retention: settings.limits.idempotency_retention,
        authorisation_lifetime: settings.limits.authorisation_lifetime,
        intent_inactivity: settings.limits.intent_inactivity,
        customer_lifetime: settings.limits.three_d_secure_lifetime,
        recovery_schedule: settings.recovery.schedule.clone(),
        poll_interval: settings.jobs.poll_interval,
        rest_after: settings.routing.rest_after,
        rest_for: settings.routing.rest_for,
        request_deadline: settings.server.request_timeout.saturating_sub(ANSWERING),
        ..engine::Settings::default()
    }
}
