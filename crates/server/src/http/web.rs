//! What all requests share.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::caller::Mode;
use engine::Engine;
use graphql::Api;
use tokio::sync::{Notify, watch};
use world::World;

use super::{health::Away, origins::Origins, places::Places, rate::Rate};
use crate::{config::IpRange, geo, pages::Frames, sandbox::Sandbox, telemetry::Metrics};

/// Files that may arrive at the same time: each lies in memory whole.
const UPLOADS: usize = 8;
/// Files that may be handed out at the same time, until the client has taken them.
const DOWNLOADS: usize = 16;

/// What answers requests.
pub struct Service {
    /// The use cases, for what is not asked in GraphQL.
    pub engine: Engine,
    /// The GraphQL interface.
    pub api: Api,
    /// The simulator with its books, in test mode.
    pub sandbox: Option<Arc<Sandbox>>,
    /// What is measured.
    pub metrics: Metrics,
}

/// The rules of the HTTP layer, from the configuration.
pub struct Rules {
    /// Which origins may call.
    pub origins: Origins,
    /// Who may show our pages in frames, where a team has not set it.
    pub(crate) frames: Frames,
    /// The largest body, in bytes.
    pub body: usize,
    /// A whole request ends within this time.
    pub request_timeout: Duration,
    /// Databases that are away for less than this do not make a node unready.
    pub ready_patience: Duration,
    /// Requests that take as long are warned of; `None`: none is.
    pub slow_request: Option<Duration>,
    /// How often a credential may ask.
    pub rate: Option<Rate>,
    /// Whether metrics are served on the public listener.
    pub public_metrics: bool,
    /// Whether money is real.
    pub mode: Mode,
    /// What wallet B reads at this domain.
    pub domain_association: Option<String>,
    /// Whether the simulator's books and pages are there.
    pub sandbox: bool,
    /// Whether browsers are asked to come back over TLS alone.
    pub https: bool,
    /// Proxies that are believed about the client's address.
    pub trusted_proxies: Vec<IpRange>,
    /// Where addresses are.
    pub places: Arc<geo::Places>,
}

/// What all requests share.
pub struct Web {
    pub(super) service: Service,
    pub(super) world: World,
    pub(super) rules: Rules,
    pub(super) away: Away,
    leaving: AtomicBool,
    draining: AtomicBool,
    closing: watch::Sender<bool>,
    working: AtomicUsize,
    idle: Notify,
    /// Files that may arrive at the same time.
    pub(super) uploads: Arc<Places>,
    /// Files that may be handed out at the same time.
    pub(super) downloads: Arc<Places>,
}

impl Web {
    /// Ready to serve.
    pub fn new(service: Service, world: World, rules: Rules) -> Self {
        let (draining, working, idle) =
            (AtomicBool::new(false), AtomicUsize::new(0), Notify::new());
        Self {
            service,
            away: Away::new(rules.ready_patience),
            world,
            rules,
            leaving: AtomicBool::new(false),
            closing: watch::Sender::new(false),
            draining,
            working,
            idle,
            uploads: Places::new(UPLOADS),
            downloads: Places::new(DOWNLOADS),
        }
    }

    /// From now on says that it is not ready, so that balancers send what is new elsewhere; what comes all the same is served.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::SeqCst);
    }

    /// Whether readiness is to say that it stops.
    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::SeqCst) || self.is_draining()
    }

    /// From now on takes no new work. Health is still answered.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
        self.closing.send_replace(true);
    }

    /// Becomes true when streams are to end.
    pub(super) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Whether new work is refused.
    pub(super) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }

    /// Begins work, unless no more is taken.
    pub(super) fn begin(self: &Arc<Self>) -> Option<Working> {
        // Counted first: the drain sees either the count or a refusal.
        self.working.fetch_add(1, Ordering::SeqCst);
        let working = Working(Arc::clone(self));
        (!self.is_draining()).then_some(working)
    }

    /// Waits until no work is under way.
    pub async fn idle(&self) {
        loop {
            let changed = self.idle.notified();
            if self.working.load(Ordering::SeqCst) == 0 {
                return;
            }
            changed.await;
        }
    }
}

/// A request at work; ends when dropped.
pub(super) struct Working(Arc<Web>);

impl Drop for Working {
    fn drop(&mut self) {
        if self.0.working.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}
