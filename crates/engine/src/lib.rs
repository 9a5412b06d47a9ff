//! The use cases: one operation, one file.
//!
//! # What is promised
//! - Before a processor is asked, the operation and the reference under which it is sent are committed.
//! - A change of state, its timeline, its event and its idempotency record are one commit; no call to the outside is
//!   made inside one.
//! - From its first commit on an operation is a task of the engine's own: a client that goes away doesn't end it.
//! - Only [`domain::payment::Payment::settle`] settles; only `payments::call` opens the vault for a call.
//!
//! Nothing here names a processor, asks the machine for the time, or starts a task but through [`world::World`].

mod access;
mod admin;
mod attachments;
mod audit;
#[cfg(feature = "planted")]
mod bugs;
mod card_facts;
mod change;
mod commit;
mod connections;
mod deadline;
mod disputes;
mod events;
pub mod faults;
mod flows;
mod idempotency;
mod intents;
mod jobs;
mod locks;
mod measure;
mod notifications;
mod numbers;
mod page_guard;
mod payment_links;
mod payments;
mod people;
mod processor_tokens;
mod progress;
mod quotas;
mod recent_reads;
mod references;
mod registry;
mod request;
mod sdk;
mod seed;
mod settings;
mod settled;
mod team;
mod wallets;
mod webhooks;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// What an operation at the engine's edge is marked with: it returns a boxed future, so that it is compiled here, once, and
/// not again in every crate that calls it (`docs/decisions/0140-futures-at-the-edge-are-boxed.md`).
pub(crate) use async_recursion::async_recursion as boxed;
use connector::Connector;
use db::Db;
use domain::{Timestamp, audit::Origin};
use futures_util::future::BoxFuture;
use tracing::Instrument as _;
use vault::Vault;
use world::World;

/// Whether planted bugs are built in: such a build simulates and never serves.
pub const HAS_PLANTED_BUGS: bool = cfg!(feature = "planted");

pub use access::{ClientTokenMade, ClientTokenPage, ClientTokenView, MAX_CLIENT_ATTEMPTS};
pub use admin::{AdminError, KeyKind, KeyMade, KeyRotated, ListedKey, ListedTeam, NewKey};
pub use attachments::{
    AttachmentView, CreateAttachment, Download, Stored as StoredAttachment, UploadAddress,
    UploadError,
};
pub use audit::{Broken, Listed, Mark, TrailFilter, Verified, Verifier, Written, operators_entry};
pub use connections::{
    ConnectionTest, ConnectionView, ProcessorView, RotateConnection, SaveConnection, TestOutcome,
};
pub use connector::{AccountFacts, CredentialField, CredentialPurpose, FieldsAuthentication};
pub use disputes::{
    AcceptDispute, DisputePage, DisputeView, EvidenceView, KeptEvidence, ListDisputes,
    SubmitEvidence, UnsuitableAttachment,
};
pub use events::{After, EventPage, Followed, FollowedEvents, FollowedPayment, ListEvents};
pub use flows::{FlowFormat, FlowTrial, FlowView, SaveFlow, TrialStep, WrittenFlow};
pub use http_client::Url;
pub use idempotency::{Once, Response, Scope};
pub use intents::{IntentPage, IntentView, ListIntents, StartIntent, UpdateIntent};
pub use notifications::{
    Inbound, ListNotifications, NotificationAddress, NotificationAnswer, NotificationPage,
    NotificationView,
};
pub use numbers::SentNumber;
pub use page_guard::{
    CheckPage, CheckedPage, GROUPS_MAX, GuardedPageView, PageViolationView, ReportAddress,
    SavePage, no_such_page,
};
pub use payment_links::{
    CreatePaymentLink, LinkPage, LinkShop, LinkVisit, PaidReceipt, PaymentLinkPage,
    PaymentLinkView, no_such_link,
};
pub use payments::{
    Abandon, Authorise, Cancel, Capture, Decide, HostedFieldsView, Instrument, ListPayments, Payer,
    PaymentPage, PaymentView, Purchase, Refund, Resolve, Returned, Stored, Target, Webhook,
    WebhookOutcome, team_of_return,
};
pub use people::{CreateCustomer, CustomerPage, ListCustomers, Owner, TokenView, Tokenise};
pub use processor_tokens::{LinkedGateway, ProcessorTokenWanted, TokenReturn};
pub use quotas::{Act, QuotaLimits};
pub use references::OrderIds;
pub use sdk::{SdkConfiguration, WalletAConfiguration};
pub use seed::{Seed, SeedConnection, SeedFlow};
pub use settings::{Settings, TestNumbers};
pub use team::{TeamView, UpdateTeam};
pub use wallets::{
    GATEWAY_ID, KeyPair, KeyProblem, SIGNATURE_MAX_AGE, SecretText, SetupWallet, VALIDATION_HOSTS,
    Validation, Wallet, WalletA, WalletAText, WalletB, WalletBText, WalletInput, WalletKeys,
};
pub use webhooks::{
    DeliveryPage, DeliveryView, EndpointView, IncomingAddress, ListDeliveries, Resend, Resume,
    SaveEndpoint, SignedWebhook, SigningSecret, WebhookSettings, no_such_endpoint,
};

/// The connectors by the identifiers of their processors.
pub type Connectors = BTreeMap<&'static str, Arc<dyn Connector>>;

/// What an engine is made of.
pub struct Parts {
    /// Time, chance and tasks.
    pub world: World,
    /// The store's database.
    pub store: Db,
    /// The vault.
    pub vault: Vault,
    /// The connectors.
    pub connectors: Connectors,
    /// Calls to others than processors.
    pub http: Arc<dyn http_client::Http>,
    /// Where the content of attachments lies; absent: nowhere, and none is taken.
    pub objects: Option<Arc<dyn objects::Objects>>,
    /// The first team's keys at the wallets.
    pub wallets: WalletKeys,
    /// The settings.
    pub settings: Settings,
}

/// The engine. Clones share it.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
    /// When the request that it works for must have its answer at the latest.
    answer_by: Option<Timestamp>,
    /// What the request's commit that is under way is about.
    named: progress::Named,
    /// On whose behalf it works, for the audit trail.
    origin: Arc<Origin>,
    /// For whom it writes.
    lane: db::Lane,
}

struct Inner {
    world: World,
    store: Db,
    vault: Vault,
    connectors: Connectors,
    http: Arc<dyn http_client::Http>,
    objects: Option<Arc<dyn objects::Objects>>,
    wallets: WalletKeys,
    wallet_keys: wallets::Cache,
    first_team: parking_lot::Mutex<Option<domain::id::TeamId>>,
    settings: Settings,
    public_url: OnceLock<String>,
    locks: locks::StreamLocks,
    /// Uploads to one payment; what moves its money never waits for a file.
    upload_turns: locks::StreamLocks,
    followers: events::Followers,
    watching: Arc<progress::Watching>,
    large: payments::Large,
    looking: payments::Looking,
    sending: payments::Sending,
    health: payments::Health,
    labels: measure::Labels,
    floors: jobs::Floors,
    registry: registry::Registry,
    programs: flows::Programs,
    access: access::Cache,
    key_uses: access::Uses,
    audit: audit::Counts,
    audit_logged: audit::Logged,
    teams: team::Cache,
    quotas: quotas::Quotas,
    numbers: numbers::Numbers,
    running: AtomicUsize,
    limits: jobs::Limits,
    calling: payments::Calling,
    draining: AtomicBool,
}

impl Engine {
    /// Puts an engine together. Nothing runs until [`Engine::start`].
    pub fn new(parts: Parts) -> Self {
        measure::begin_counting();
        Self {
            inner: Arc::new(Inner {
                world: parts.world,
                store: parts.store,
                vault: parts.vault,
                connectors: parts.connectors,
                http: parts.http,
                objects: parts.objects,
                wallets: parts.wallets,
                wallet_keys: wallets::cache(),
                first_team: parking_lot::Mutex::new(None),
                public_url: OnceLock::new(),
                locks: locks::StreamLocks::default(),
                upload_turns: locks::StreamLocks::default(),
                followers: events::Followers::default(),
                watching: Arc::default(),
                large: payments::Large::default(),
                looking: payments::Looking::default(),
                sending: payments::Sending::default(),
                health: payments::Health::default(),
                labels: measure::Labels::default(),
                floors: jobs::Floors::default(),
                registry: registry::registry(),
                programs: flows::Programs::default(),
                access: access::cache(),
                key_uses: access::Uses::default(),
                audit: audit::Counts::default(),
                audit_logged: audit::Logged::default(),
                teams: team::cache(),
                quotas: quotas::Quotas::new(&parts.settings.quotas),
                numbers: numbers::Numbers::default(),
                running: AtomicUsize::new(0),
                limits: jobs::Limits::of(&parts.settings),
                calling: payments::Calling::default(),
                draining: AtomicBool::new(false),
                settings: parts.settings,
            }),
            answer_by: None,
            named: progress::Named::default(),
            origin: Arc::new(Origin::system()),
            lane: db::Lane::Prompt,
        }
    }

    /// Tells under which address the service is reached: the base of every address that is handed out, without a slash at
    /// its end. Counts once.
    pub fn reachable_at(&self, base: String) {
        // A second telling is ignored: addresses that were handed out stay true.
        let _ = self.inner.public_url.set(base);
    }

    /// The base of every address that is handed out; empty until it is set.
    pub fn public_url(&self) -> &str {
        self.inner.public_url.get().map_or("", String::as_str)
    }

    /// Starts the background jobs.
    pub fn start(&self) {
        self.start_jobs();
    }

    /// Takes no new background work and waits, at most for `limit`, until the operations under way have ended. Returns
    /// whether all have.
    #[boxed]
    pub async fn drain(&self, limit: Duration) -> bool {
        self.inner.draining.store(true, Ordering::SeqCst);
        let world = &self.inner.world;
        let give_up_at = world.now().after(limit);
        while self.inner.running.load(Ordering::SeqCst) > 0 {
            if world.now() >= give_up_at {
                return false;
            }
            world.sleep(Duration::from_millis(10)).await;
        }
        true
    }

    /// The time by the engine's clock.
    pub fn now(&self) -> Timestamp {
        self.inner.world.now()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The engine as sweeps use it: what it writes delays nothing but other sweeps.
    pub(crate) fn for_sweeps(self) -> Self {
        let lane = db::Lane::Sweep;
        Self { lane, ..self }
    }

    /// The vault, whose changes are made as the engine's are.
    pub(crate) fn vault_in_lane(&self) -> Vault {
        self.inner.vault.in_lane(self.lane)
    }

    /// The vault, for key rotation.
    pub fn vault(&self) -> &Vault {
        &self.inner.vault
    }

    /// Whether the databases answer.
    ///
    /// # Errors
    /// What the database says.
    #[boxed]
    pub async fn check(&self) -> Result<(), db::DbError> {
        self.inner.store.check().await
    }

    /// Whether a database writes nothing any more, since a commit failed so that nobody knows whether it was made.
    pub fn is_broken(&self) -> bool {
        self.inner.store.is_broken() || self.inner.vault.is_broken()
    }

    fn is_draining(&self) -> bool {
        self.inner.draining.load(Ordering::SeqCst)
    }

    /// Runs `work` as a task of the engine's own and waits for it.
    fn own<T: Send + 'static>(&self, work: BoxFuture<'static, T>) -> BoxFuture<'static, Option<T>> {
        let (done, wait) = tokio::sync::oneshot::channel();
        self.inner.running.fetch_add(1, Ordering::SeqCst);
        let guard = Running(Arc::clone(&self.inner));
        let task = async move {
            let _guard = guard;
            // The caller may be gone; the work counts all the same.
            let _ = done.send(work.await);
        };
        // What it logs names the request that caused it.
        self.inner
            .world
            .spawn(task.instrument(tracing::Span::current()));
        Box::pin(async move { wait.await.ok() })
    }
}

/// Counts an operation as running until it is dropped, also when its task panics.
struct Running(Arc<Inner>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}
