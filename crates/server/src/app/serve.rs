//! Serving, until ordered to stop.

use std::{future::Future, io, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use db::DbError;
use domain::caller::Mode;
use graphql::{Api, Introspection, Limits, MethodNames};
use tokio::net::TcpListener;
use world::Elapsed;

use super::{
    App,
    admin_listener::AdminListener,
    copies::horizon::{self, Course},
};
use crate::{
    admin::AdminSocket,
    config::{Sandbox, Settings, WalletNames},
    geo::Places,
    http::{
        Bounds, Connections, Origins, Rate, Rules, Service, Tls, TlsError, Web, admin_router,
        router,
    },
    open_files,
    pages::Frames,
    sandbox::{local_base, send_notifications},
};

/// Connections whose requests have ended may take this long to close.
const CLOSING: Duration = Duration::from_secs(1);
/// Counts of the audit trail may take this long to be written at the end.
const WRITING_AUDIT: Duration = Duration::from_secs(3);
/// So long payments can be read when nothing can be written any more.
const READING: Duration = Duration::from_mins(1);
/// How often it is looked whether the data directory is still there.
const LOOK: Duration = Duration::from_millis(500);
/// How often what waits in the database is counted, for the gauges.
const OBSERVE_EVERY: Duration = Duration::from_secs(15);
/// How often the time is noted in the store and in the data directory, by which a restored database is recognised.
const NOTE_EVERY: Duration = Duration::from_secs(10);
/// Connections of the admin listener.
const ADMIN_CONNECTIONS: u32 = 64;

/// Where a server listens.
pub struct Listeners {
    /// For everybody.
    pub public: TcpListener,
    /// For the people who run it: health and metrics.
    pub admin: Option<TcpListener>,
    /// The certificate of the public one.
    pub tls: Option<Arc<Tls>>,
}

/// Reads the certificate that the settings name.
///
/// # Errors
/// What is wrong with it.
pub fn certificate(settings: &Settings) -> Result<Option<Arc<Tls>>, TlsError> {
    let files = settings.server.tls.as_ref();
    let read = files.map(|files| Tls::read(&files.certificate, &files.key));
    Ok(read.transpose()?.map(Arc::new))
}

/// How serving ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// A signal or a command.
    Asked,
    /// A database writes nothing any more.
    Broken,
    /// The store was brought back to an earlier time.
    WentBack,
}

impl End {
    fn result(self) -> anyhow::Result<()> {
        match self {
            Self::Asked => Ok(()),
            Self::Broken => bail!(
                "a commit failed so that nobody knows whether it was made (the disk did not take it): the next start finds out what is there"
            ),
            Self::WentBack => bail!(
                "the database was brought back to an earlier time while it was served: nothing more is sent, and the next start needs \
                 --after-restore (docs/backup.md)"
            ),
        }
    }
}

/// Says what the limit on open files allows, and whether it is too low for what is configured.
fn log_open_files(max_connections: u32) {
    let allowed = open_files::allowed();
    let deliveries = open_files::kept_for_deliveries(allowed);
    tracing::info!(open_files = allowed, deliveries, "the limit on open files");
    let wanted = open_files::wanted(max_connections, deliveries);
    if allowed < wanted {
        tracing::warn!(
            open_files = allowed,
            wanted,
            "the limit on open files is lower than what server.max_connections may need: raise it (LimitNOFILE, docs/deploying.md)"
        );
    }
}

impl App {
    /// Serves until `stop`, then ends gracefully: no new work, what is under way ends in its time, databases are closed.
    pub async fn serve(
        self,
        settings: &Settings,
        listeners: Listeners,
        stop: impl Future<Output = ()>,
    ) -> anyhow::Result<()> {
        let base = base_url(settings, &listeners)?;
        let local = local_base(scheme(&listeners), listeners.public.local_addr()?);
        if let Some(sandbox) = &self.sandbox {
            sandbox.simulator.reachable_at(base.clone());
        }
        self.engine.reachable_at(base);
        let web = Arc::new(self.web(settings)?);
        if let Some(tls) = &listeners.tls {
            tls.keep_up(&self.world);
        }
        let connections = Connections::over(
            listeners.tls,
            self.world.clone(),
            router(&web),
            bounds(settings),
        );
        let admin = listeners
            .admin
            .map(|listener| start_admin(listener, &web, settings))
            .transpose()
            .context("the admin listener can't be served")?;
        // Before anything is acknowledged that a restore could lose.
        if self.note_time().await == Course::WentBack {
            self.close().await;
            return End::WentBack.result();
        }
        self.engine.start();
        log_open_files(settings.server.max_connections);
        self.observe();
        let mut end = End::Asked;
        tokio::select! {
            biased;
            () = self.broken() => end = End::Broken,
            () = self.went_back() => {
                web.drain();
                self.engine.drain(Duration::ZERO).await;
                end = End::WentBack;
            }
            () = self.wind_down(settings, &web, stop) => {}
            () = self.guard(&web) => {}
            () = self.send_notifications(local) => {}
            () = connections.accept(listeners.public) => {}
        }
        let closed = async { futures_util::join!(connections.close(), close_admin(admin)) };
        if self.world.timeout(CLOSING, closed).await == Err(Elapsed) {
            tracing::debug!("some connections were still open");
        }
        if end == End::Asked {
            // In a time of its own: work that took all of its time must not cost the counts.
            let written = self.engine.write_audit();
            if self.world.timeout(WRITING_AUDIT, written).await == Err(Elapsed) {
                tracing::warn!("counts of the audit trail were not written in time");
            }
            // A restore to any moment before this one is recognised then.
            if self.world.timeout(CLOSING, self.note_time()).await == Err(Elapsed) {
                tracing::debug!("the time of the end was not noted");
            }
        }
        self.close().await;
        end.result()?;
        tracing::info!("stopped");
        Ok(())
    }

    /// Notes the time in the store and in the data directory, as far as that can be done now.
    async fn note_time(&self) -> Course {
        match horizon::note(&self.databases.store, &self.held, &self.world).await {
            Ok(course) => course,
            Err(error) => {
                tracing::warn!(error = format!("{error:#}"), "the time can't be noted");
                Course::Onward
            }
        }
    }

    /// Waits until the store is at an earlier time than it was. Then nothing more may be sent: captures and refunds that it has
    /// lost would be made once more.
    async fn went_back(&self) {
        loop {
            self.world.sleep(NOTE_EVERY).await;
            if self.note_time().await == Course::WentBack {
                return;
            }
        }
    }

    /// Has the simulator send its notifications, without end.
    async fn send_notifications(&self, local: String) {
        match &self.sandbox {
            Some(sandbox) => {
                let simulator = Arc::clone(&sandbox.simulator);
                send_notifications(simulator, local, self.world.clone()).await;
            }
            None => std::future::pending().await,
        }
    }

    /// Keeps the gauges of what waits in the database up to date, as long as the databases are open.
    fn observe(&self) {
        let (engine, world) = (self.engine.clone(), self.world.clone());
        self.world.spawn(async move {
            loop {
                match engine.observe().await {
                    Ok(()) => {}
                    Err(DbError::Closed) => return,
                    Err(error) => {
                        tracing::warn!(%error, "unknown and overdue payments can't be counted");
                    }
                }
                world.sleep(OBSERVE_EVERY).await;
            }
        });
    }

    /// Waits until a database writes nothing any more, and then for as long as what is there may still be read.
    async fn broken(&self) {
        while !self.engine.is_broken() {
            self.world.sleep(LOOK).await;
        }
        tracing::error!(
            seconds = READING.as_secs(),
            "nothing is written any more: what is there can be read for a while, then this process ends"
        );
        self.world.sleep(READING).await;
    }

    /// Waits for the signal, and then for the work that is under way.
    async fn wind_down(&self, settings: &Settings, web: &Web, stop: impl Future<Output = ()>) {
        stop.await;
        web.leave();
        let delay = settings.server.drain_delay;
        if !delay.is_zero() {
            tracing::info!("not ready any more; what comes is served for a while");
            self.world.sleep(delay).await;
        }
        web.drain();
        tracing::info!("stopping: no new work is taken");
        let limit = settings.server.shutdown_timeout;
        let work = async {
            web.idle().await;
            self.engine.drain(limit).await
        };
        if self.world.timeout(limit, work).await != Ok(true) {
            tracing::warn!("stopping with work under way; the next start takes it up");
        }
    }

    /// Answers commands until the embedded databases are not where they were, and takes no more work then: any answer would be
    /// lost with this process, and keys that it drops may be those of what lies there now. It lives on, so that its open files can be saved.
    async fn guard(&self, web: &Web) {
        tokio::select! {
            biased;
            () = self.lost() => {}
            () = self.commands() => return,
        }
        web.drain();
        self.engine.drain(Duration::ZERO).await;
        tracing::error!(
            "the data directory, or a database in it, was removed, moved or replaced: nothing is taken any more. Its files are open \
             in this process alone; copy what you need, as root, from /proc/{}/fd before you stop it",
            std::process::id()
        );
        std::future::pending::<()>().await;
    }

    /// Waits until embedded databases are not where they were.
    async fn lost(&self) {
        let Some(standing) = &self.standing else {
            return std::future::pending().await;
        };
        while !standing.is_lost() {
            self.world.sleep(LOOK).await;
        }
    }

    /// Answers commands; without a socket, waits without end.
    async fn commands(&self) {
        match AdminSocket::bind(self.held.dir().socket()) {
            Ok(socket) => socket.serve(&self.world, &self.operator()).await,
            Err(error) => {
                tracing::warn!(%error, "commands can't reach this server: its socket can't be made");
                std::future::pending::<()>().await;
            }
        }
    }

    fn web(&self, settings: &Settings) -> anyhow::Result<Web> {
        let introspection = if settings.server.introspection {
            Introspection::On
        } else {
            Introspection::Off
        };
        let names = match settings.wallet_names {
            WalletNames::Specified => MethodNames::Specified,
            WalletNames::Public => MethodNames::Public,
        };
        let service = Service {
            engine: self.engine.clone(),
            api: Api::new(self.engine.clone(), limits(settings), introspection, names)?,
            sandbox: self.sandbox.clone(),
            metrics: self.metrics.clone(),
        };
        Ok(Web::new(
            service,
            self.world.clone(),
            rules(settings, Arc::clone(&self.places)),
        ))
    }
}

fn start_admin(
    listener: TcpListener,
    web: &Arc<Web>,
    settings: &Settings,
) -> io::Result<AdminListener> {
    let bounds = Bounds {
        most: ADMIN_CONNECTIONS,
        // Probes and scrapers often share an address, and one of them that leaks must not hide the node's health from the others.
        most_per_address: u32::MAX,
        ..bounds(settings)
    };
    AdminListener::start(listener, admin_router(web), bounds)
}

async fn close_admin(admin: Option<AdminListener>) {
    if let Some(admin) = admin {
        admin.close().await;
    }
}

fn bounds(settings: &Settings) -> Bounds {
    let server = &settings.server;
    Bounds {
        most: server.max_connections,
        most_per_address: server.max_connections_per_address,
        trusted_proxies: server.trusted_proxies.clone(),
        header_timeout: server.header_timeout,
        write_timeout: server.write_timeout,
        max_age: server.max_connection_age,
        request_timeout: server.request_timeout,
    }
}

const fn scheme(listeners: &Listeners) -> &'static str {
    if listeners.tls.is_some() {
        "https"
    } else {
        "http"
    }
}

/// The base of every address that is handed out: what is configured, else where we listen.
fn base_url(settings: &Settings, listeners: &Listeners) -> anyhow::Result<String> {
    let scheme = scheme(listeners);
    match &settings.server.public_url {
        Some(url) => Ok(url.clone()),
        None => Ok(format!("{scheme}://{}", listeners.public.local_addr()?)),
    }
}

fn limits(settings: &Settings) -> Limits {
    let limits = &settings.limits;
    Limits {
        depth: limits.depth,
        aliases: limits.aliases,
        root_fields: limits.root_fields,
        complexity: limits.complexity,
        ..Limits::default()
    }
}

fn rules(settings: &Settings, places: Arc<Places>) -> Rules {
    let origins = match (&settings.server.allowed_origins, settings.mode) {
        (Some(listed), _) => Origins::Listed(listed.clone()),
        (None, Mode::Test) => Origins::Any,
        (None, Mode::Live) => Origins::Listed(Vec::new()),
    };
    let frames = match (&settings.server.allowed_origins, settings.mode) {
        (None, Mode::Test) => Frames::Any,
        (listed, _) => {
            let listed = listed.iter().flatten();
            Frames::Listed(listed.map(|origin| origin.text().to_owned()).collect())
        }
    };
    Rules {
        origins,
        frames,
        body: settings.limits.body.in_memory(),
        request_timeout: settings.server.request_timeout,
        ready_patience: settings.server.ready_patience,
        slow_request: settings.log.slow_request,
        rate: settings.limits.requests_per_second.map(Rate::new),
        public_metrics: settings.mode == Mode::Test,
        mode: settings.mode,
        // It could be read when the settings were.
        domain_association: settings.wallets.domain_association().ok().flatten(),
        sandbox: settings.sandbox == Sandbox::Open,
        https: settings.server.tls.is_some()
            || settings
                .server
                .public_url
                .as_deref()
                .is_some_and(|url| url.starts_with("https://")),
        trusted_proxies: settings.server.trusted_proxies.clone(),
        places,
    }
}
