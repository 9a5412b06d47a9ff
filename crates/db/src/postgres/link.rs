//! One connection to the server.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::future::{Either, select};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio_postgres::{
    AsyncMessage, Client, Connection, Error, SimpleQueryMessage, Statement as Prepared,
    error::Severity, tls::TlsStream,
};
use world::World;

use super::{
    PostgresOptions,
    address::{Address, NOT_IN_TIME},
    failure::{Failure, failure, of_tables, reason},
    gather::Gathering,
    play::Bundled,
    prepared::Cache,
    wire::{Begin, Endpoint, Ready, Wire},
};
use crate::{DbError, Row, Statement, Survives};

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Commits.
    Writer,
    /// Claims: writes with one statement at a time.
    Claimer,
    /// What sweeps write: it commits and claims.
    Sweeper,
    /// Reads by a key or an index; the server refuses anything else.
    Reader,
    /// Reads what may take long; the same.
    Scanner,
    /// Changes the tables, which may take its time.
    Migrator,
}

impl Role {
    /// The role in one word, for metrics.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Writer => "writer",
            Self::Claimer => "claimer",
            Self::Sweeper => "sweeper",
            Self::Reader => "reader",
            Self::Scanner => "scanner",
            Self::Migrator => "migrator",
        }
    }

    /// Whether the server is to refuse writes.
    pub(crate) const fn only_reads(self) -> bool {
        matches!(self, Self::Reader | Self::Scanner)
    }
}

/// Where to connect, and with which settings.
pub(crate) struct Target {
    pub(crate) address: Address,
    pub(crate) options: PostgresOptions,
    pub(crate) world: World,
    /// A new connection on which this finds a row is not used.
    pub(crate) barrier: OnceLock<&'static str>,
}

/// An open connection. It ends when this is dropped.
pub(crate) struct Link {
    pub(super) client: Client,
    pub(super) role: Role,
    /// How many warnings came.
    warnings: Arc<AtomicU64>,
    /// Taken when it is cut.
    cut: Mutex<Option<oneshot::Sender<()>>>,
    pub(super) cache: Mutex<Cache>,
    pub(super) gathering: Arc<Gathering>,
    /// Whether statements of a kind are sent as one.
    pub(super) bundles: bool,
    patience: Duration,
    world: World,
}

/// How a COMMIT ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Sealed {
    /// It is on stable storage.
    Yes,
    /// Rolled back: transactions met, the same may succeed the next time.
    Met,
    /// The connection had gone before it was sent: nothing was written.
    NotSent,
    /// It was sent, and nobody knows.
    Unknown,
}

/// Plans are judged by the rows that they touch. A plan is kept for long, so that one that reads the whole of a table because it
/// is small would go on doing so when it has grown.
const BY_KEYS: &str = "set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; \
    set enable_material = off; set random_page_cost = 0; set seq_page_cost = 0; set cpu_tuple_cost = 1; ";

/// What is acknowledged is on stable storage, whatever the server's own setting.
const ON_DISK: &str = "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'";

impl Target {
    /// Opens a connection. Errors are for the operator.
    async fn open(&self, role: Role) -> Result<Link, String> {
        // Boxed: it is large and rare, and every task that may have to open a connection would carry it along.
        let opening = Box::pin(async {
            let (client, connection) = self.address.connect(&self.world).await?;
            let warnings = Arc::new(AtomicU64::new(0));
            let (cut, cutting) = oneshot::channel();
            let open = Open::count(&self.options.schema, role);
            let driven = drive(connection, Arc::clone(&warnings), cutting);
            self.world.spawn(async move {
                driven.await;
                drop(open);
            });
            client
                .batch_execute(&self.settings(role))
                .await
                .map_err(|error| reason(&error))?;
            if let Some(look) = self.barrier.get() {
                let found = client
                    .simple_query(look)
                    .await
                    .map_err(|error| reason(&error))?;
                if found
                    .iter()
                    .any(|message| matches!(message, SimpleQueryMessage::Row(_)))
                {
                    return Err("its data are not to be worked on any more".to_owned());
                }
            }
            Ok(Link {
                client,
                role,
                warnings,
                cut: Mutex::new(Some(cut)),
                cache: Mutex::default(),
                bundles: self.options.bundles,
                gathering: Arc::default(),
                patience: match role {
                    Role::Migrator => Duration::from_hours(24),
                    _ => self.options.statement_timeout * 2,
                },
                world: self.world.clone(),
            })
        });
        let opened = self
            .world
            .timeout(self.options.connect_timeout, opening)
            .await;
        opened.unwrap_or_else(|_| Err(NOT_IN_TIME.to_owned()))
    }

    fn settings(&self, role: Role) -> String {
        let schema = &self.options.schema;
        let (timeout, lock) = match role {
            // A session that waits for a lock keeps all behind it from working, so it waits briefly and asks again.
            Role::Migrator => (0, 2_000),
            // Shorter than the statement's own, so that a batch that waits for another gives way and is done again.
            _ => (
                self.options.statement_timeout.as_millis(),
                self.options.statement_timeout.as_millis() / 3,
            ),
        };
        // A writer says that it writes when it begins; where that fails, what was sent behind it must not be done by itself.
        let only = if role.only_reads() || matches!(role, Role::Writer | Role::Sweeper) {
            "on"
        } else {
            "off"
        };
        // Everything there is found by a key, also where the server knows little of a young table yet, or takes it for small.
        let by_keys = match role {
            Role::Writer | Role::Sweeper | Role::Reader => BY_KEYS,
            Role::Claimer | Role::Scanner | Role::Migrator => "",
        };
        let committed = match self.options.survives {
            Survives::TheMachine => ON_DISK,
            Survives::TheProcess => "set synchronous_commit = off",
        };
        // A transaction whose client has vanished must not hold its locks for long. Warnings must come, since one of them
        // says that a commit is not on the standby; and what is acknowledged must be on stable storage.
        format!(
            "set search_path to \"{schema}\"; set statement_timeout = {timeout}; set lock_timeout = {lock}; \
             set idle_in_transaction_session_timeout = 15000; set client_min_messages = warning; set jit = off; {by_keys}\
             set default_transaction_isolation = 'read committed'; set default_transaction_read_only = {only}; \
             {committed}"
        )
    }
}

/// Counts a connection as open until it is dropped.
struct Open(metrics::Gauge);

impl Open {
    fn count(schema: &str, role: Role) -> Self {
        let gauge = metrics::gauge!(
            "pointsman_db_connections_open", "database" => schema.to_owned(), "role" => role.word()
        );
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// Moves bytes until the connection ends or is cut.
async fn drive<S, T>(
    mut connection: Connection<S, T>,
    warnings: Arc<AtomicU64>,
    cutting: oneshot::Receiver<()>,
) where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    T: TlsStream + Unpin,
{
    let working = async {
        // A warning is seen here before the answer behind it is given to its waiter.
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                Ok(AsyncMessage::Notice(notice)) => {
                    if notice.parsed_severity() == Some(Severity::Warning) {
                        warnings.fetch_add(1, Ordering::SeqCst);
                        tracing::warn!(notice = notice.message(), "the database warns");
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    metrics::counter!("pointsman_db_connection_losses_total").increment(1);
                    tracing::warn!(
                        error = reason(&error),
                        "a connection to the database was lost"
                    );
                    break;
                }
            }
        }
    };
    let cutting = async {
        // Dropped without a word, the client ends the connection in order.
        if cutting.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    match select(pin!(working), pin!(cutting)).await {
        Either::Left(_) | Either::Right(_) => {}
    }
}

const BEGIN: &str = "begin isolation level read committed read write";
/// The same, after what was begun before is undone.
const BEGIN_AGAIN: &str = "rollback; begin isolation level read committed read write";

impl Endpoint for Target {
    type Wire = Link;

    fn world(&self) -> &World {
        &self.world
    }

    fn options(&self) -> &PostgresOptions {
        &self.options
    }

    fn connect(&self, role: Role) -> impl Future<Output = Result<Link, String>> + Send {
        self.open(role)
    }

    fn refuse_when_found(&self, look: &'static str) {
        let _ = self.barrier.set(look);
    }
}

impl Wire for Link {
    type Prepared = Prepared;

    fn is_closed(&self) -> bool {
        self.client.is_closed() || self.cut.lock().is_none()
    }

    fn cut(&self) {
        if let Some(cut) = self.cut.lock().take() {
            let _ = cut.send(());
        }
    }

    async fn prepare(&self, statement: &Statement) -> Result<Prepared, Failure> {
        match self.role {
            Role::Claimer => self.prepare_claim(statement).await,
            _ => self.prepare_text(statement, &statement.sql).await,
        }
    }

    async fn rows(&self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        match self.role {
            Role::Sweeper => self.claim(statement).await,
            _ => self.gathered(statement).await,
        }
    }

    async fn play(
        &self,
        begin: Begin,
        changes: &[Ready<'_, Prepared>],
    ) -> Result<Vec<Result<u64, Failure>>, Failure> {
        let begin = match self.play_bundled(begin, changes).await? {
            Bundled::Ran => {
                let statements = changes.iter().flat_map(|change| change.statements);
                return Ok(statements
                    .map(|statement| Ok(statement.expect.wanted()))
                    .collect());
            }
            Bundled::Not(begin) => begin,
        };
        let statements = changes.iter().flat_map(Ready::pairs);
        let mut sending: Vec<Sent<'_>> = vec![self.control(text(begin))];
        sending.extend(
            statements
                .clone()
                .map(|(prepared, one)| self.statement(prepared, one)),
        );
        let mut answers = self.all(sending).await?.into_iter();
        if let Some(Err(error)) = answers.next() {
            return Err(failure(
                &error,
                &Statement::any(BEGIN, Vec::new()),
                Role::Writer,
            ));
        }
        let reported = |(answer, (_, statement)): (Result<u64, Error>, (&Prepared, &Statement))| {
            answer.map_err(|error| failure(&error, statement, Role::Writer))
        };
        Ok(answers.zip(statements).map(reported).collect())
    }

    async fn seal(&self) -> Sealed {
        if self.is_closed() {
            return Sealed::NotSent;
        }
        let warned = self.warnings.load(Ordering::SeqCst);
        match self.bounded(self.client.batch_execute("commit")).await {
            // "canceling wait for synchronous replication": it is here, but perhaps not there.
            Ok(Ok(())) if self.warnings.load(Ordering::SeqCst) != warned => Sealed::Unknown,
            Ok(Ok(())) => Sealed::Yes,
            Ok(Err(error)) if error.code().is_some_and(|code| is_undone(code.code())) => {
                Sealed::Met
            }
            Ok(Err(_)) | Err(_) => Sealed::Unknown,
        }
    }

    async fn undo(&self) -> Result<(), String> {
        self.run("rollback")
            .await
            .map_err(|error| error.to_string())
    }

    async fn pause(&self, tries: u32) {
        let most = 1 << tries.min(7);
        self.world
            .sleep(Duration::from_millis(self.world.random() % most))
            .await;
    }
}

/// Whether a COMMIT that was refused with this code is certain to be undone, and may be done again: a serialisation failure or
/// a deadlock.
fn is_undone(code: &str) -> bool {
    matches!(code, "40001" | "40P01")
}

/// The text that begins a transaction.
pub(super) const fn text(begin: Begin) -> &'static str {
    match begin {
        Begin::First => BEGIN,
        Begin::Again => BEGIN_AGAIN,
    }
}

/// Work that was sent, whose answer is awaited.
pub(super) type Sent<'a> = Pin<Box<dyn Future<Output = Result<u64, Error>> + Send + 'a>>;

impl Link {
    /// Waits for the server no longer than one may. A connection without a sign of life is cut.
    pub(super) async fn bounded<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        self.world.timeout(self.patience, work).await.map_err(|_| {
            self.cut();
            Failure::Lost("the server gives no answer".to_owned())
        })
    }

    /// A statement to send, for [`Link::all`].
    pub(super) fn statement<'a>(
        &'a self,
        prepared: &'a Prepared,
        statement: &'a Statement,
    ) -> Sent<'a> {
        Box::pin(self.client.execute_raw(prepared, &statement.params))
    }

    /// A text without parameters to send, for [`Link::all`].
    pub(super) fn control<'a>(&'a self, text: &'a str) -> Sent<'a> {
        Box::pin(async move { self.client.batch_execute(text).await.map(|()| 0) })
    }

    /// Sends all of it at once, in order, and waits for every answer.
    pub(super) async fn all(
        &self,
        mut sending: Vec<Sent<'_>>,
    ) -> Result<Vec<Result<u64, Error>>, Failure> {
        let working = async {
            // The first poll is what sends. Answers come in the order of the questions, so one is awaited at a time.
            let mut early = Vec::with_capacity(sending.len());
            poll_fn(|context| {
                early.extend(sending.iter_mut().map(|sent| sent.as_mut().poll(context)));
                std::task::Poll::Ready(())
            })
            .await;
            let mut answers = Vec::with_capacity(sending.len());
            for (sent, early) in sending.into_iter().zip(early) {
                answers.push(match early {
                    std::task::Poll::Ready(answer) => answer,
                    std::task::Poll::Pending => sent.await,
                });
            }
            answers
        };
        self.bounded(working).await
    }

    /// Runs texts without parameters.
    pub(crate) async fn run(&self, text: &str) -> Result<(), DbError> {
        self.bounded(self.client.batch_execute(text))
            .await?
            .map_err(|error| of_tables(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::is_undone;

    #[test]
    fn a_commit_is_undone_only_where_the_server_is_certain() {
        assert!(is_undone("40001") && is_undone("40P01"));
        // "statement completion unknown", and whatever else.
        for unknown in ["40003", "40000", "57014", "08006"] {
            assert!(!is_undone(unknown), "{unknown}");
        }
    }
}
