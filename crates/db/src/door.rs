//! The door itself.

use std::{borrow::Cow, fmt, path::PathBuf, sync::Arc};

// A future that is boxed is compiled here, once, and not in every crate that waits for it: decision 0140.
use async_recursion::async_recursion as boxed;
use domain::Timestamp;
use world::{Stopwatch, World};

use crate::{
    Change, ChangeId, Committed, DbError, Lane, Migration, PostgresOptions, Row, Select,
    SqliteOptions, Statement, Step, Value,
    dates::{self, Date, Dates, SAMPLE},
    group::{self, Answer, Work},
    postgres::{OnServer, Server},
    server::Endpoint,
    sqlite::{self, Inline, Threaded},
    stamp,
};

/// An open database. Cheap to clone; the clones share it.
///
/// Changes that wait are still committed when the last clone is dropped, but only [`Db::close`] waits for that.
#[derive(Clone)]
pub struct Db(Engine, Meter, Dates);

/// How long commits take. Found once, since finding it costs more than noting a time.
#[derive(Clone)]
struct Meter(metrics::Histogram);

#[derive(Clone)]
enum Engine {
    Threaded(Arc<Threaded>),
    Inline(Arc<Inline>),
    Server(Arc<dyn OnServer>),
}

const CHECK: &str = "select count(*) from schema_migration";

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Db({})", self.database())
    }
}

impl Db {
    fn of(engine: Engine) -> Self {
        let database = Arc::clone(engine.database());
        group::failing(&database, false);
        group::begin_counting(&database);
        Self(
            engine,
            Meter(
                metrics::histogram!("pointsman_db_commit_duration_seconds", "database" => Arc::clone(&database)),
            ),
            Dates::of(database),
        )
    }

    /// Opens a SQLite file, brings its tables up to date and starts its writer.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the settings belong to the database from here on"
    )]
    pub fn sqlite(
        options: SqliteOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        Ok(Self::of(Engine::Threaded(Arc::new(Threaded::open(
            &options, migrations, world,
        )?)))
        .note_version(migrations))
    }

    /// A SQLite database in memory, without threads: for seeded runs. The task that commits works the queue off, with the same
    /// batching as the writer's thread.
    pub fn sqlite_inline(migrations: &[Migration], world: &World) -> Result<Self, DbError> {
        Ok(Self::of(Engine::Inline(Arc::new(Inline::open_in_memory(
            migrations, world,
        )?))))
    }

    /// Like [`Db::sqlite_inline`], in a file.
    pub fn sqlite_inline_file(
        path: impl Into<PathBuf>,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        let options = SqliteOptions::new(path);
        Ok(Self::of(Engine::Inline(Arc::new(Inline::open(
            &options, migrations, world,
        )?))))
    }

    /// A SQLite file that is there, to be looked at, also while another process has it; nothing is written.
    ///
    /// # Errors
    /// As [`crate::Tables::LookedAt`] has it.
    pub fn sqlite_looked_at(
        path: impl Into<PathBuf>,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        let options = SqliteOptions::new(path);
        Ok(Self::of(Engine::Inline(Arc::new(Inline::look(
            &options, migrations, world,
        )?))))
    }

    /// Connects to a PostgreSQL server, 15 or later, does to the tables of the schema what the options say and starts the writers.
    /// Many nodes may do so at the same time. It needs the machine's own world: connections are of the current runtime.
    #[boxed]
    pub async fn postgres(
        options: PostgresOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        Ok(Self::of(Engine::Server(Arc::new(
            Server::open(options, migrations, world).await?,
        )))
        .note_version(migrations))
    }

    /// The migrations that a schema of a PostgreSQL server lacks. Changes nothing.
    ///
    /// # Errors
    /// It can't be reached, may not be looked at, or is of a newer release.
    #[boxed]
    pub async fn postgres_lacks(
        options: PostgresOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Vec<Step>, DbError> {
        Server::lacking(options, migrations, world).await
    }

    /// Makes a schema of a PostgreSQL server where there is none, and brings it up to date, while nodes serve.
    ///
    /// # Errors
    /// As [`Db::postgres`].
    #[boxed]
    pub async fn postgres_upgrade(
        options: PostgresOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<(), DbError> {
        Server::upgrade(options, migrations, world).await
    }

    /// The migrations that a SQLite file lacks: all of them where it is not there. Changes nothing.
    ///
    /// # Errors
    /// It can't be read, or is of a newer release.
    pub fn sqlite_lacks(
        path: impl Into<PathBuf>,
        migrations: &[Migration],
    ) -> Result<Vec<Step>, DbError> {
        sqlite::lacking(&SqliteOptions::new(path), migrations)
    }

    /// A node's door to a server whose tables are there; `database` is its name in metrics. It connects when there is something
    /// to do.
    pub fn on_server<E: Endpoint>(endpoint: &Arc<E>, database: &str) -> Self {
        let server = Server::ready(endpoint, database.into());
        Self::of(Engine::Server(Arc::new(server)))
    }

    /// Applies a change, all or nothing.
    ///
    /// Concurrency: changes of one aggregate are applied in the order in which this was called. Dropping the future does
    /// not take the change back.
    #[boxed]
    pub async fn commit(&self, change: Change) -> Result<Committed, DbError> {
        let watch = Stopwatch::start();
        let statements = Arc::clone(&change.statements);
        let work = match change.open {
            Some(open) => Work::Dated(change.statements, open),
            None => Work::Commit(change.statements),
        };
        let answer = self
            .submit(change.lane, work, Some(change.aggregate), change.give_up_at)
            .await?;
        self.1.0.record(watch.elapsed());
        match answer {
            Some(Answer::Committed(Committed::Conflict { statement }))
                if statements
                    .get(statement)
                    .is_some_and(|refused| refused.sql == dates::GUARD) =>
            {
                self.2.mistrust();
                Err(DbError::Outdated)
            }
            Some(Answer::Committed(committed)) => Ok(committed),
            Some(Answer::Claimed(_)) | None => Ok(Committed::Unknown),
        }
    }

    /// Draws the date of something new, as late as possible before the change that makes it: [`Change::dated`].
    ///
    /// Concurrency: until the date is dropped and its change has ended, [`Db::settled_until`] is not later than the date (embedded), or
    /// the change is refused when it comes too late (on a server).
    #[boxed]
    pub async fn draw_date(&self) -> Result<Date, DbError> {
        let world = self.0.world();
        if !self.is_shared() {
            return Ok(self.2.draw_embedded(world));
        }
        if self.2.must_measure(world) {
            self.2.take(world, || self.read(SAMPLE, Vec::new())).await?;
        }
        Ok(self.2.draw_shared(world))
    }

    /// Holds the server's clock against the node's, where that was not done recently: for the gauge of their difference and a warning. Dates
    /// that are drawn do it as well. An embedded database has no clock of its own.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn measure_clock(&self) -> Result<(), DbError> {
        let world = self.0.world();
        if self.is_shared() && self.2.must_measure(world) {
            self.2.take(world, || self.read(SAMPLE, Vec::new())).await?;
        }
        Ok(())
    }

    /// The date before which nothing is added any more that bears a date of [`Db::draw_date`]. What is read after this is
    /// asked for has everything that is dated before it. `None` when a server's transactions don't let it be known yet.
    #[boxed]
    pub async fn settled_until(&self) -> Result<Option<Timestamp>, DbError> {
        let world = self.0.world();
        if self.is_shared() {
            self.2.ask(world, || self.read(SAMPLE, Vec::new())).await
        } else {
            Ok(Some(self.2.settled_embedded(world)))
        }
    }

    /// A number that no stamp of a commit so far is above: [`crate::Insert::stamped`].
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn latest_stamp(&self) -> Result<i64, DbError> {
        let rows = self.read(stamp::LATEST, Vec::new()).await?;
        rows.first().map_or(Ok(0), |row| row.int(0))
    }

    /// Makes all later stamps higher than `above`, and not lower than the clock. For a database that rows have been brought to, or
    /// that was brought back to an earlier time, while nobody writes.
    ///
    /// # Errors
    /// The database's. When the outcome is unknown it must be called again.
    #[boxed]
    pub async fn raise_stamps(&self, id: ChangeId, above: i64) -> Result<(), DbError> {
        let raise = Statement::one(stamp::RAISE, vec![above.into()]);
        match self.commit(Change::new(id, "stamps").with(raise)).await? {
            Committed::Done => Ok(()),
            Committed::Conflict { .. } => {
                Err(DbError::Corrupt("the base of stamps is missing".to_owned()))
            }
            Committed::Unknown => Err(DbError::Unreachable(
                "it did not say whether stamps were raised".to_owned(),
            )),
        }
    }

    /// Runs one statement that writes and returns rows (`update … returning`), such as the claim of a job that payments wait for.
    #[boxed]
    pub async fn claim(&self, sql: &'static str, params: Vec<Value>) -> Result<Vec<Row>, DbError> {
        self.claim_in(Lane::Prompt, Statement::any(sql, params))
            .await
    }

    /// The same for a sweep: on a server it delays nothing but other sweeps ([`Lane::Sweep`]).
    #[boxed]
    pub async fn claim_for_sweep(
        &self,
        sql: &'static str,
        params: Vec<Value>,
    ) -> Result<Vec<Row>, DbError> {
        self.claim_in(Lane::Sweep, Statement::any(sql, params))
            .await
    }

    async fn claim_in(&self, lane: Lane, claim: Statement) -> Result<Vec<Row>, DbError> {
        match self.submit(lane, Work::Claim(claim), None, None).await? {
            Some(Answer::Claimed(rows)) => Ok(rows),
            Some(Answer::Committed(_)) | None => Err(DbError::Closed),
        }
    }

    /// Reads a few rows by a key or an index. On SQLite it runs at once, on the calling thread.
    pub async fn read(
        &self,
        sql: impl Into<Cow<'static, str>>,
        params: Vec<Value>,
    ) -> Result<Vec<Row>, DbError> {
        self.look(Statement::any(sql, params)).await
    }

    /// Reads a few rows by their key, together with others who read the same kind at this moment.
    #[boxed]
    pub async fn find(
        &self,
        select: &'static Select,
        params: Vec<Value>,
    ) -> Result<Vec<Row>, DbError> {
        self.look(select.with(params)).await
    }

    #[boxed]
    async fn look(&self, statement: Statement) -> Result<Vec<Row>, DbError> {
        let found = match &self.0 {
            Engine::Threaded(threaded) => threaded.read(&statement),
            Engine::Inline(inline) => inline.read(&statement),
            Engine::Server(server) => server.read(&statement).await,
        };
        found.inspect_err(|error| self.note_failure(error))
    }

    /// Reads what may take long, on a thread that may block. Bound it by a `limit` all the same.
    pub async fn scan(
        &self,
        sql: impl Into<Cow<'static, str>>,
        params: Vec<Value>,
    ) -> Result<Vec<Row>, DbError> {
        self.look_through(Statement::any(sql, params)).await
    }

    #[boxed]
    async fn look_through(&self, statement: Statement) -> Result<Vec<Row>, DbError> {
        let found = match &self.0 {
            Engine::Threaded(threaded) => threaded.scan(statement).await,
            Engine::Inline(inline) => inline.read(&statement),
            Engine::Server(server) => server.scan(&statement).await,
        };
        found.inspect_err(|error| self.note_failure(error))
    }

    /// Whether the database answers, and its disk takes what is committed, for the readiness of the service.
    #[boxed]
    pub async fn check(&self) -> Result<(), DbError> {
        self.check_storage()?;
        match &self.0 {
            Engine::Server(server) => server.check(&Statement::any(CHECK, Vec::new())).await,
            Engine::Threaded(_) | Engine::Inline(_) => self.read(CHECK, Vec::new()).await.map(drop),
        }
    }

    /// Whether the database's own structure is whole: tables against indexes, every page. It reads all of an embedded database; a
    /// server looks after its own.
    ///
    /// # Errors
    /// What is wrong first.
    #[boxed]
    pub async fn check_structure(&self) -> Result<(), DbError> {
        if let Engine::Server(_) = &self.0 {
            return Ok(());
        }
        let rows = self.scan("pragma integrity_check(1)", Vec::new()).await?;
        match rows.first().map(|row| row.text(0)).transpose()? {
            Some("ok") => Ok(()),
            Some(wrong) => Err(DbError::Malformed(wrong.replace('\n', " "))),
            None => Err(DbError::Malformed("it says nothing".to_owned())),
        }
    }

    /// Whether a commit has failed so that nobody knows whether it was made. Nothing is written any more, what is there can be
    /// read; the server should end before long. Of embedded databases alone.
    pub fn is_broken(&self) -> bool {
        match &self.0 {
            Engine::Threaded(threaded) => threaded.is_broken(),
            Engine::Inline(inline) => inline.is_broken(),
            Engine::Server(_) => false,
        }
    }

    /// Whether the disk takes what is committed, as far as the last commits showed.
    fn check_storage(&self) -> Result<(), DbError> {
        let checked = match &self.0 {
            Engine::Threaded(threaded) => threaded.check_storage(),
            Engine::Inline(inline) => inline.check_storage(),
            Engine::Server(server) => server.check_storage(),
        };
        group::failing(self.database(), checked.is_err());
        checked
    }

    /// Commits what waits, moves the log into the database and stops. Everything after that is [`DbError::Closed`].
    #[boxed]
    pub async fn close(&self) {
        match &self.0 {
            Engine::Threaded(threaded) => threaded.close().await,
            Engine::Inline(inline) => inline.close(),
            Engine::Server(server) => server.close().await,
        }
    }

    async fn submit(
        &self,
        lane: Lane,
        work: Work,
        aggregate: Option<u64>,
        give_up_at: Option<Timestamp>,
    ) -> Result<Option<Answer>, DbError> {
        let submitted = match &self.0 {
            Engine::Threaded(threaded) => threaded.submit(work, aggregate, give_up_at).await,
            Engine::Inline(inline) => inline.submit(work, aggregate, give_up_at).await,
            Engine::Server(server) => server.submit(lane, work, aggregate, give_up_at).await,
        };
        submitted.inspect_err(|error| self.note_failure(error))
    }

    fn note_failure(&self, error: &DbError) {
        let database = Arc::clone(self.database());
        metrics::counter!("pointsman_db_failures_total", "database" => database, "kind" => error.kind()).increment(1);
    }

    /// Notes how far the tables of this database go.
    fn note_version(self, migrations: &[Migration]) -> Self {
        let version = migrations.last().map_or(0, |last| last.number);
        metrics::gauge!("pointsman_db_schema_version", "database" => Arc::clone(self.database()))
            .set(version);
        self
    }

    /// Whether other nodes may work on the same database.
    pub fn is_shared(&self) -> bool {
        match &self.0 {
            Engine::Server(_) => true,
            Engine::Threaded(_) | Engine::Inline(_) => false,
        }
    }

    /// From now on a new connection to a server is used only when `look` finds no row on it: nobody goes on working on data
    /// that were taken away while the connection was lost. Counts once. An embedded database has a lock for that.
    pub fn refuse_when_found(&self, look: &'static str) {
        if let Engine::Server(server) = &self.0 {
            server.refuse_when_found(look);
        }
    }

    fn database(&self) -> &Arc<str> {
        self.0.database()
    }
}

impl Engine {
    fn world(&self) -> &World {
        match self {
            Self::Threaded(threaded) => threaded.world(),
            Self::Inline(inline) => inline.world(),
            Self::Server(server) => server.world(),
        }
    }

    fn database(&self) -> &Arc<str> {
        match self {
            Self::Threaded(threaded) => threaded.database(),
            Self::Inline(inline) => inline.database(),
            Self::Server(server) => server.database(),
        }
    }
}
