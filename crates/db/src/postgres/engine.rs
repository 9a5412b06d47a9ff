//! An open database on a server.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::Timestamp;
use futures_util::{
    FutureExt,
    future::{BoxFuture, join, try_join_all},
};
use tokio::sync::{Semaphore, watch};
use world::World;

use super::{
    PostgresOptions,
    address::Address,
    link::{Link, Role, Target},
    migrate,
    pool::{Pool, Tries},
    wire::Endpoint,
    writer::{Outage, Writer},
};
use crate::{
    DbError, Lane, Lanes, Migration, Row, Statement, Step, Tables, Value,
    group::{Answer, Queue, Work, shown},
};

/// The running parts of an open database.
pub(crate) struct Server<E: Endpoint> {
    /// One for each writer.
    queues: Vec<Arc<Queue>>,
    /// What sweeps write.
    sweeps: Arc<Queue>,
    ended: Vec<watch::Receiver<()>>,
    /// For each writer, whether it can't connect.
    away: Vec<Arc<AtomicBool>>,
    readers: Pool<E>,
    scanners: Pool<E>,
    claimers: Pool<E>,
    /// One scan at a time on each of the scanners' connections.
    scanning: Semaphore,
    lanes: Lanes,
    closed: AtomicBool,
    database: Arc<str>,
    world: World,
    target: Arc<E>,
}

/// How long the answer to whether the database is there may take.
const CHECK: Duration = Duration::from_secs(2);
/// How long a writer may take to say that it has a connection; one that is at work takes longer and has one.
const WRITERS: Duration = Duration::from_secs(1);

impl Server<Target> {
    pub(crate) async fn open(
        options: PostgresOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        let database: Arc<str> = options.checked_schema()?.into();
        let target = Arc::new(target(options, world)?);
        if target.options.tables == Tables::LookedAt {
            let link = patient(&target, Role::Reader).await?;
            migrate::look(&link, &target, migrations).await?;
            return Ok(Self::ready(&target, database));
        }
        let link = patient(&target, Role::Migrator).await?;
        migrate::apply(&link, &target, migrations).await?;
        drop(link);
        let mut server = Self::new(&target, database);
        let claimers = match server.lanes {
            Lanes::Both => Some(&server.claimers),
            Lanes::SweepsClaim => None,
        };
        for pool in [&server.readers, &server.scanners]
            .into_iter()
            .chain(claimers)
        {
            pool.open().await.map_err(DbError::Unreachable)?;
        }
        for (role, queue) in server.committing() {
            let link = target.connect(role).await.map_err(DbError::Unreachable)?;
            server.start(role, queue, Some(link));
        }
        Ok(server)
    }

    /// The migrations that a schema lacks. Changes nothing.
    pub(crate) async fn lacking(
        options: PostgresOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Vec<Step>, DbError> {
        let target = target(options, world)?;
        let link = patient(&target, Role::Reader).await?;
        migrate::lacking(&link, &target, migrations).await
    }

    /// Brings a schema up to date, and nothing else.
    pub(crate) async fn upgrade(
        options: PostgresOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<(), DbError> {
        let target = target(options, world)?;
        let link = patient(&target, Role::Migrator).await?;
        migrate::apply(&link, &target, migrations).await
    }
}

/// An open database on a server, whatever its connections are. What it does is boxed, so that those who use another engine don't
/// carry this one's state in their futures.
pub(crate) trait OnServer: Send + Sync {
    /// The node's world.
    fn world(&self) -> &World;

    /// The database's name in metrics.
    fn database(&self) -> &Arc<str>;

    /// Does the work and waits. `Ok(None)` when a writer ended without an answer.
    fn submit(
        &self,
        lane: Lane,
        work: Work,
        aggregate: Option<u64>,
        give_up_at: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<Option<Answer>, DbError>>;

    /// Reads by a key or an index.
    fn read<'a>(&'a self, statement: &'a Statement) -> BoxFuture<'a, Result<Vec<Row>, DbError>>;

    /// Reads what may take long.
    fn scan<'a>(&'a self, statement: &'a Statement) -> BoxFuture<'a, Result<Vec<Row>, DbError>>;

    /// Answers at once, whatever the patience: whether it can be read, and whether every writer has a connection.
    fn check<'a>(&'a self, statement: &'a Statement) -> BoxFuture<'a, Result<(), DbError>>;

    /// Whether what is committed gets onto the server's disk.
    fn check_storage(&self) -> Result<(), DbError>;

    /// Lets nothing in any more, and waits until what waits is committed.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// As [`Endpoint::refuse_when_found`] has it.
    fn refuse_when_found(&self, look: &'static str);
}

impl<E: Endpoint> OnServer for Server<E> {
    fn world(&self) -> &World {
        &self.world
    }

    fn database(&self) -> &Arc<str> {
        &self.database
    }

    fn submit(
        &self,
        lane: Lane,
        work: Work,
        aggregate: Option<u64>,
        give_up_at: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<Option<Answer>, DbError>> {
        self.work_off(lane, work, aggregate, give_up_at).boxed()
    }

    fn read<'a>(&'a self, statement: &'a Statement) -> BoxFuture<'a, Result<Vec<Row>, DbError>> {
        self.ask(&self.readers, statement, Tries::Patient).boxed()
    }

    fn scan<'a>(&'a self, statement: &'a Statement) -> BoxFuture<'a, Result<Vec<Row>, DbError>> {
        async move {
            let _turn = self.scanning.acquire().await.map_err(|_| DbError::Closed)?;
            self.ask(&self.scanners, statement, Tries::Patient).await
        }
        .boxed()
    }

    fn check<'a>(&'a self, statement: &'a Statement) -> BoxFuture<'a, Result<(), DbError>> {
        async move {
            let reading = self
                .world
                .timeout(CHECK, self.ask(&self.readers, statement, Tries::Once));
            let (asked, written) = join(reading, self.check_writers()).await;
            asked.unwrap_or_else(|_| Err(DbError::Unreachable("it gives no answer".to_owned())))?;
            written
        }
        .boxed()
    }

    fn check_storage(&self) -> Result<(), DbError> {
        let now = self.world.now();
        self.queues
            .iter()
            .try_for_each(|queue| queue.failing.check(now))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        async move {
            self.closed.store(true, Ordering::SeqCst);
            self.close_queues();
            for ended in &self.ended {
                // An error says that the sender is gone: the task has ended.
                let _ = ended.clone().changed().await;
            }
            for pool in [&self.readers, &self.scanners, &self.claimers] {
                pool.close();
            }
        }
        .boxed()
    }

    fn refuse_when_found(&self, look: &'static str) {
        self.target.refuse_when_found(look);
    }
}

impl<E: Endpoint> Server<E> {
    /// Without connections and writers.
    fn new(target: &Arc<E>, database: Arc<str>) -> Self {
        let options = target.options();
        let want = |role: Role, connections: usize| {
            metrics::gauge!(
                "pointsman_db_connections_wanted", "database" => Arc::clone(&database), "role" => role.word()
            )
            .set(u32::try_from(connections).unwrap_or(u32::MAX));
        };
        want(Role::Writer, options.writers.max(1));
        want(Role::Sweeper, 1);
        let pool = |role, connections: usize| {
            want(role, connections);
            Pool::new(Arc::clone(target), role, connections)
        };
        Self {
            queues: (0..options.writers.max(1))
                .map(|_| Arc::new(queue(options)))
                .collect(),
            sweeps: Arc::new(queue(options).with_claims_alone()),
            ended: Vec::new(),
            away: Vec::new(),
            readers: pool(Role::Reader, options.readers.max(1)),
            scanners: pool(Role::Scanner, options.scanners.max(1)),
            claimers: pool(
                Role::Claimer,
                match options.lanes {
                    Lanes::Both => 1,
                    Lanes::SweepsClaim => 0,
                },
            ),
            scanning: Semaphore::new(options.scanners.max(1)),
            lanes: options.lanes,
            closed: AtomicBool::new(false),
            database,
            world: target.world().clone(),
            target: Arc::clone(target),
        }
    }

    /// One whose tables are there already; it connects when there is something to do.
    pub(crate) fn ready(target: &Arc<E>, database: Arc<str>) -> Self {
        let mut server = Self::new(target, database);
        for (role, queue) in server.committing() {
            server.start(role, queue, None);
        }
        server
    }

    /// The queues, with what their connections are for.
    fn committing(&self) -> Vec<(Role, Arc<Queue>)> {
        let writers = self.queues.iter().map(|queue| (Role::Writer, queue));
        writers
            .chain([(Role::Sweeper, &self.sweeps)])
            .map(|(role, queue)| (role, Arc::clone(queue)))
            .collect()
    }

    /// Starts the writer of a queue.
    fn start(&mut self, role: Role, queue: Arc<Queue>, link: Option<E::Wire>) {
        let (running, ended) = watch::channel(());
        let (away, database) = (Arc::<AtomicBool>::default(), Arc::clone(&self.database));
        // Without the connection of its sweeps a node is ready all the same.
        if role == Role::Writer {
            self.away.push(Arc::clone(&away));
        }
        let writer = Writer {
            target: Arc::clone(&self.target),
            role,
            queue,
            link,
            database,
            away,
        };
        self.ended.push(ended);
        self.world.spawn(async move {
            let _running = running;
            writer.work().await;
        });
    }

    async fn work_off(
        &self,
        lane: Lane,
        work: Work,
        aggregate: Option<u64>,
        give_up_at: Option<Timestamp>,
    ) -> Result<Option<Answer>, DbError> {
        let work = match work {
            Work::Claim(claim) if (lane, self.lanes) == (Lane::Prompt, Lanes::Both) => {
                let rows = self.ask(&self.claimers, &claim, Tries::Patient).await?;
                return Ok(Some(Answer::Claimed(rows)));
            }
            Work::Claim(claim) => {
                refuse_nul(&claim)?;
                Work::Claim(claim)
            }
            Work::Commit(statements) | Work::Dated(statements, _) => {
                statements.iter().try_for_each(refuse_nul)?;
                Work::Commit(statements)
            }
        };
        self.check_open()?;
        let queue = match (lane, &work) {
            (Lane::Prompt, Work::Commit(_) | Work::Dated(..)) => self
                .queue_of(aggregate.unwrap_or_default())
                .ok_or(DbError::Closed)?,
            (Lane::Sweep, _) | (Lane::Prompt, Work::Claim(_)) => &self.sweeps,
        };
        let place = queue.push(work, aggregate, give_up_at)?;
        place
            .answered
            .await
            .map_or(Ok(None), |answer| answer.map(Some))
    }

    /// Gives each writer nothing to do, for which it opens its connection when it has lost it.
    async fn check_writers(&self) -> Result<(), DbError> {
        let until = self.world.now().after(WRITERS);
        let asked = self.queues.iter().map(|queue| async move {
            let place = queue.push(Work::Commit(Arc::new(Vec::new())), None, Some(until))?;
            place
                .answered
                .await
                .unwrap_or(Err(DbError::Closed))
                .map(drop)
        });
        // Else they are done, or behind much work.
        if let Ok(Err(gone @ (DbError::Closed | DbError::Unreachable(_)))) =
            self.world.timeout(WRITERS, try_join_all(asked)).await
        {
            return Err(gone);
        }
        if self.away.iter().any(|away| away.load(Ordering::Relaxed)) {
            return Err(DbError::Unreachable(
                "there is no connection for what is to be written".to_owned(),
            ));
        }
        Ok(())
    }

    async fn ask(
        &self,
        pool: &Pool<E>,
        statement: &Statement,
        tries: Tries,
    ) -> Result<Vec<Row>, DbError> {
        self.check_open()?;
        refuse_nul(statement)?;
        pool.rows(statement, tries).await
    }

    fn check_open(&self) -> Result<(), DbError> {
        if self.closed.load(Ordering::SeqCst) {
            Err(DbError::Closed)
        } else {
            Ok(())
        }
    }

    /// What waits is still done, and nothing more comes.
    fn close_queues(&self) {
        for (_, queue) in self.committing() {
            queue.close();
        }
    }

    /// The same one for all prompt changes of an aggregate, so that they keep their order.
    fn queue_of(&self, aggregate: u64) -> Option<&Arc<Queue>> {
        let place = aggregate.checked_rem(u64::try_from(self.queues.len()).ok()?)?;
        self.queues.get(usize::try_from(place).ok()?)
    }
}

impl<E: Endpoint> Drop for Server<E> {
    /// The writers finish what waits and end by themselves.
    fn drop(&mut self) {
        self.close_queues();
    }
}

fn target(options: PostgresOptions, world: &World) -> Result<Target, DbError> {
    Ok(Target {
        address: Address::parse(&options)?,
        options,
        world: world.clone(),
        barrier: OnceLock::new(),
    })
}

/// Each writer has its share of what may wait.
fn queue(options: &PostgresOptions) -> Queue {
    Queue::new(
        options.queue.div_ceil(options.writers.max(1)),
        options.batch,
    )
}

/// Connects as soon as the server is there.
async fn patient(target: &Target, role: Role) -> Result<Link, DbError> {
    let world = &target.world;
    let mut outage = Outage {
        since: world.now(),
        pause: Duration::from_millis(25),
    };
    loop {
        let why = match target.connect(role).await {
            Ok(link) => return Ok(link),
            Err(why) => why,
        };
        if outage.since.after(target.options.patience) <= world.now() {
            return Err(DbError::Unreachable(why));
        }
        tracing::warn!(why, "the database gives no connection yet");
        world.sleep(outage.next_pause(world.random())).await;
    }
}

/// A text with NUL, which PostgreSQL does not store, is refused before it is sent.
fn refuse_nul(statement: &Statement) -> Result<(), DbError> {
    let holds_nul =
        |value: &Value| matches!(value, Value::Text(text) if text.as_bytes().contains(&0));
    if statement.params.iter().any(holds_nul) {
        return Err(DbError::Sql {
            message: "a text holds NUL".to_owned(),
            sql: shown(statement),
        });
    }
    Ok(())
}
