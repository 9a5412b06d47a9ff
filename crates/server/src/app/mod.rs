//! The service put together: databases, vault, engine, interface.

mod admin_listener;
mod attachments;
pub mod copies;
mod databases;
mod findings;
mod keys;
mod mode;
pub mod moving;
mod operator;
mod seed;
mod serve;
pub mod upgrade;

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Context, bail};
use connector::Connector;
use connectors::{
    adyen::Adyen,
    simulator::{Books, Simulator},
    stripe::Stripe,
};
use db::{Db, DbError};
use domain::{caller::Mode, card_ranges::CardRanges};
use engine::{Connectors, Engine, Parts, WalletKeys};
use vault::{KeySource, Vault};
use world::World;

use crate::{
    admin::Operator,
    card_ranges,
    config::{self, Settings},
    data_dir::{DataDir, Held, Standing},
    geo::Places,
    http::ANSWERING,
    open_files,
    sandbox::{DbBooks, Sandbox},
    telemetry::Metrics,
};

pub use databases::{Databases, Founding};
pub use findings::{Findings, Subject};
pub use keys::{directory_problem, problem as key_file_problem};
pub use operator::{Keyed, verdict};
pub use serve::{Listeners, certificate};

/// Where findings about the databases as a whole are.
const DATABASES: Subject = Subject::new("database", "all");
/// The simulated processor's identifier.
const SIMULATOR: &str = "simulator";

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
    /// The files of embedded databases.
    standing: Option<Arc<Standing>>,
}

impl App {
    /// Puts everything together on open databases. No job runs and no request is taken yet.
    pub async fn open(
        held: Held,
        databases: Databases,
        configured: Configured<'_>,
        world: &World,
        metrics: Metrics,
    ) -> anyhow::Result<Self> {
        let settings = configured.settings;
        if let Some(problem) = directory_problem(held.dir())? {
            // Live mode has refused it by now, unless the risk is allowed.
            tracing::warn!("{problem}");
        }
        databases.store.refuse_when_found(moving::NOT_TO_BE_SERVED);
        let whole = Whole::of(StartPlace::Held(&held), &databases, configured, world).await?;
        if let (Mode::Live, Some(exposure)) = (settings.mode, &whole.exposure) {
            tracing::warn!("{exposure}");
        }
        let standing = if databases.is_shared() {
            None
        } else {
            Some(Arc::new(held.standing()?))
        };
        let Whole {
            engine,
            sandbox,
            places,
            exposure,
        } = whole;
        Ok(Self {
            world: world.clone(),
            engine,
            databases,
            sandbox,
            metrics,
            places,
            held,
            exposure,
            standing,
        })
    }

    /// Lets the data directory know that its data are on a PostgreSQL server, where they are.
    ///
    /// # Errors
    /// The operating system's.
    pub fn note_server(&self) -> anyhow::Result<()> {
        if self.databases.is_shared() {
            self.held.note_server()?;
        }
        Ok(())
    }

    /// Looks at everything that a start would refuse, of the very place that the configuration names, and notes what is
    /// there. Writes nothing, and needs nobody's leave: nodes may be at work on it.
    pub async fn look(settings: &Settings, files: Files, world: &World, findings: &mut Findings) {
        let dir = DataDir::at(&settings.database.data_dir);
        if !databases::look_at_each(&dir, settings, world, findings).await {
            return;
        }
        if let Err(error) = Self::look_at_all(&dir, settings, files, world, findings).await {
            if is_not_yet(&error) {
                findings.note(DATABASES, format!("{error:#}"));
            } else {
                findings.problem(DATABASES, format!("{error:#}"));
            }
        }
    }

    async fn look_at_all(
        dir: &DataDir,
        settings: &Settings,
        files: Files,
        world: &World,
        findings: &mut Findings,
    ) -> anyhow::Result<()> {
        let databases = Databases::open(dir, settings, world, Founding::Looked).await?;
        let whole = Whole::of(
            StartPlace::LookedAt(dir),
            &databases,
            Configured { settings, files },
            world,
        )
        .await?;
        let (mode, exposure) = (settings.mode, whole.exposure.clone());
        let local = operator::Local {
            engine: whole.engine,
            mode,
            exposure,
            standing: None,
        };
        let looked = local.look(findings).await;
        databases.close().await;
        looked
    }

    /// Makes what the first start of a sandbox needs. Returns the secret key when one was made that nobody knows yet.
    pub async fn prepare(&self, settings: &Settings) -> anyhow::Result<Option<String>> {
        match settings.sandbox {
            config::Sandbox::Open => seed::seed(&self.engine, settings).await,
            config::Sandbox::Absent => Ok(None),
        }
    }

    /// Addresses that a command prints while no server runs are those of the server that is configured.
    pub fn reachable_as_configured(&self, settings: &Settings) {
        let server = &settings.server;
        let scheme = if server.tls.is_some() {
            "https"
        } else {
            "http"
        };
        let base = server.public_url.clone();
        let base = base.unwrap_or_else(|| format!("{scheme}://{}", server.listen));
        self.engine.reachable_at(base);
    }

    /// What performs commands on this service.
    pub fn operator(&self) -> Arc<dyn Operator> {
        Arc::new(operator::Local {
            engine: self.engine.for_operator(),
            mode: self.engine.settings().mode,
            exposure: self.exposure.clone(),
            standing: self.standing.clone(),
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

/// What a start finds ready, or makes.
#[derive(Clone, Copy)]
enum StartPlace<'a> {
    /// To be served: what is not there yet is made.
    Held(&'a Held),
    /// To be looked at: nothing is written.
    LookedAt(&'a DataDir),
}

impl StartPlace<'_> {
    fn dir(&self) -> &DataDir {
        match self {
            Self::Held(held) => held.dir(),
            Self::LookedAt(dir) => dir,
        }
    }

    fn founding(&self) -> Founding {
        match self {
            Self::Held(_) => Founding::Allowed,
            Self::LookedAt(_) => Founding::Looked,
        }
    }
}

/// Something that the first start makes.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NotYet(String);

/// Whether an error of a look only says that a start has something to make.
fn is_not_yet(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(DbError::Unfounded | DbError::Pending(_))
    ) || error.is::<NotYet>()
}

/// The configuration, and what was read from the files that it names.
pub struct Configured<'a> {
    /// The settings.
    pub settings: &'a Settings,
    /// The files.
    pub files: Files,
}

/// What the configuration names besides the databases. Read before anything is made.
pub struct Files {
    cards: CardRanges,
    places: Places,
    http: http_client::Client,
    wallets: WalletKeys,
}

impl Files {
    /// Reads them.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn read(settings: &Settings, world: &World) -> anyhow::Result<Self> {
        Ok(Self {
            cards: settings
                .cards
                .ranges
                .as_deref()
                .map(card_ranges::load)
                .transpose()?
                .unwrap_or_default(),
            places: settings
                .geo
                .table
                .as_deref()
                .map(Places::load)
                .transpose()?
                .unwrap_or_default(),
            http: settings
                .outbound
                .client(world.clone())
                .map_err(anyhow::Error::msg)?,
            wallets: settings
                .wallets
                .keys(settings.mode)
                .map_err(|(name, why)| anyhow::anyhow!("{name}: {why}"))?,
        })
    }
}

/// Everything on open databases, once nothing speaks against serving them.
struct Whole {
    engine: Engine,
    sandbox: Option<Arc<Sandbox>>,
    places: Arc<Places>,
    exposure: Option<String>,
}

impl Whole {
    async fn of(
        place: StartPlace<'_>,
        databases: &Databases,
        configured: Configured<'_>,
        world: &World,
    ) -> anyhow::Result<Self> {
        let Configured { settings, files } = configured;
        let shown = if databases.store.is_shared() {
            "the database"
        } else {
            "the data directory"
        };
        moving::refuse_moved(&databases.store, shown).await?;
        databases.refuse_nothing_restored(settings).await?;
        databases.refuse_second(place.dir()).await?;
        match (place, databases.store.is_shared()) {
            (StartPlace::Held(_), true) => databases.claim(settings.mode, world).await?,
            (StartPlace::Held(held), false) => held.claim(settings.mode)?,
            (StartPlace::LookedAt(_), true) => databases.refuse_other_mode(settings.mode).await?,
            (StartPlace::LookedAt(dir), false) => drop(dir.refuse_other_mode(settings.mode)?),
        }
        let held = match place {
            StartPlace::Held(held) => Some(held),
            StartPlace::LookedAt(_) => None,
        };
        copies::recognise(None, place.dir(), databases, settings, world).await?;
        let vault = open_vault(place, databases, settings, world).await?;
        let exposure = databases.exposure(settings).await?;
        let sandbox = match settings.mode {
            Mode::Test => Some(Arc::new(open_sandbox(place, settings, world).await?)),
            Mode::Live => None,
        };
        refuse_simulator_when_live(settings, &databases.store).await?;
        // Noted last: a start that is refused must leave a copy to be recognised by the next one.
        let restored_at = copies::recognise(held, place.dir(), databases, settings, world).await?;
        let engine = Engine::new(Parts {
            world: world.clone(),
            store: databases.store.clone(),
            vault,
            connectors: connectors(sandbox.as_deref()),
            objects: attachments::objects(place.dir(), databases, settings, world)?,
            http: Arc::new(files.http),
            wallets: files.wallets,
            settings: engine::Settings {
                restored_at,
                card_ranges: Arc::new(files.cards),
                ..engine_settings(settings)
            },
        });
        Ok(Self {
            engine,
            sandbox,
            places: Arc::new(files.places),
            exposure,
        })
    }
}

/// Opens the vault with the keys that it has had, or with fresh ones when it has never had any.
async fn open_vault(
    place: StartPlace<'_>,
    databases: &Databases,
    settings: &Settings,
    world: &World,
) -> anyhow::Result<Vault> {
    // A team is made only once the vault has its keys: looked at first, so that another node's first start can't come in between.
    let has_team = databases.is_shared() && !store::team::all(&databases.store).await?.is_empty();
    let has_had_keys = vault::has_had_keys(&databases.vault).await?;
    if has_team && !has_had_keys {
        bail!(
            "there is an installation in the database, and nothing in its vault yet: look at the vault's address (vault.database_url, \
             database.schema)"
        );
    }
    let had_keys = databases.vault_was_there || has_had_keys;
    let keys = keys::source(settings, had_keys)?;
    if let (StartPlace::LookedAt(_), KeySource::File(path)) = (place, &keys)
        && !path.exists()
    {
        return Err(NotYet(format!(
            "the key file {} is not there; the next start makes it",
            path.display()
        ))
        .into());
    }
    let vault = Vault::open(
        databases.vault.clone(),
        keys,
        world.clone(),
        settings.vault.cvc_lifetime,
    )?;
    vault.refuse_when_found(databases.store.clone(), moving::NOT_TO_BE_SERVED);
    let taken = match place {
        StartPlace::Held(_) => vault.take_up().await,
        StartPlace::LookedAt(_) => vault.fits().await,
    };
    taken.with_context(|| keys::place(settings))?;
    Ok(vault)
}

async fn open_sandbox(
    place: StartPlace<'_>,
    settings: &Settings,
    world: &World,
) -> anyhow::Result<Sandbox> {
    let db = databases::open_books(place.dir(), settings, world, place.founding()).await?;
    let books: Arc<dyn Books> = Arc::new(DbBooks::new(db.clone()));
    let simulator = Arc::new(Simulator::new(world.clone(), Arc::clone(&books)));
    Ok(Sandbox {
        db,
        books,
        simulator,
    })
}

fn connectors(sandbox: Option<&Sandbox>) -> Connectors {
    let mut connectors: BTreeMap<&'static str, Arc<dyn Connector>> = BTreeMap::new();
    connectors.insert("adyen", Arc::new(Adyen));
    connectors.insert("stripe", Arc::new(Stripe));
    if let Some(sandbox) = sandbox {
        connectors.insert(
            SIMULATOR,
            Arc::clone(&sandbox.simulator) as Arc<dyn Connector>,
        );
    }
    connectors
}

async fn refuse_simulator_when_live(settings: &Settings, store: &Db) -> anyhow::Result<()> {
    if settings.mode == Mode::Live
        && store::connection::processors(store)
            .await?
            .iter()
            .any(|one| one == SIMULATOR)
    {
        bail!(
            "live mode refuses connections of the simulator, and this database has some; choose another data directory or database"
        );
    }
    Ok(())
}

fn engine_settings(settings: &Settings) -> engine::Settings {
    use engine::TestNumbers;
    engine::Settings {
        mode: settings.mode,
        allowed_origins: settings.server.allowed_origins.as_ref().map(|listed| {
            let texts = listed.iter().map(|origin| origin.text().to_owned());
            texts.collect()
        }),
        idempotency_retention: settings.limits.idempotency_retention,
        authorisation_lifetime: settings.limits.authorisation_lifetime,
        intent_inactivity: settings.limits.intent_inactivity,
        customer_lifetime: settings.limits.three_d_secure_lifetime,
        recovery_schedule: settings.recovery.schedule.clone(),
        abandon_after: settings.recovery.abandon_after,
        poll_interval: settings.jobs.poll_interval,
        rest_after: settings.routing.rest_after,
        rest_for: settings.routing.rest_for,
        quotas: settings.quotas,
        test_numbers: if settings.vault.real_numbers_in_test {
            TestNumbers::All
        } else {
            TestNumbers::Published(settings.vault.test_ranges.clone())
        },
        audit_retention: settings.audit.retention(),
        attachments: settings.attachments.limits,
        streams: settings.limits.streams,
        streams_of_team: settings.limits.streams_of_team,
        webhooks: settings.webhooks.settings(
            settings.outbound.private_addresses(),
            open_files::for_deliveries(open_files::allowed()),
        ),
        order_ids: settings.vault.order_ids,
        request_deadline: settings.server.request_timeout.saturating_sub(ANSWERING),
        ..engine::Settings::default()
    }
}
