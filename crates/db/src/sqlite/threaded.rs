//! A database file with its writer's thread and its readers.

use std::sync::Arc;

use domain::Timestamp;
use tokio::sync::watch;
use world::World;

use super::{
    SqliteOptions,
    checkpoint::Checkpointer,
    connect,
    readers::{Readers, Scanners},
    session::Session,
    writer::Writer,
};
use crate::{
    DbError, Migration, Row, Statement,
    group::{Answer, Queue, Work},
    migrate,
};

/// The running parts of an open database file.
pub(crate) struct Threaded {
    queue: Arc<Queue>,
    readers: Readers,
    scanners: Scanners,
    world: World,
    ended: watch::Receiver<()>,
    database: Arc<str>,
}

impl Threaded {
    pub(crate) fn open(
        options: &SqliteOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        let connection = connect::open(options, connect::Role::Writer)?;
        migrate::apply(&connection, migrations, world.now())?;
        let readers = Readers::open(options, options.readers)?;
        let scanners = Scanners::open(options, options.readers / 2)?;
        let queue = Arc::new(Queue::new(options.queue, options.batch));
        let database: Arc<str> = options.label().into();
        let writer = Writer {
            session: Session::new(connection),
            queue: Arc::clone(&queue),
            checkpointer: Checkpointer::start(options, &database)?,
            world: world.clone(),
            database: Arc::clone(&database),
        };
        let ended = writer.start()?;
        Ok(Self {
            queue,
            readers,
            scanners,
            world: world.clone(),
            ended,
            database,
        })
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn database(&self) -> &Arc<str> {
        &self.database
    }

    /// Gives the work to the writer and waits. `Ok(None)` when the writer ended without an answer.
    pub(crate) async fn submit(
        &self,
        work: Work,
        aggregate: Option<u64>,
        give_up_at: Option<Timestamp>,
    ) -> Result<Option<Answer>, DbError> {
        let place = self.queue.push(work, aggregate, give_up_at)?;
        place
            .answered
            .await
            .map_or(Ok(None), |answer| answer.map(Some))
    }

    /// Whether what is committed gets onto the disk.
    pub(crate) fn check_storage(&self) -> Result<(), DbError> {
        self.queue.failing.check(self.world.now())
    }

    /// Whether nothing is written any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.queue.failing.is_broken()
    }

    /// What is there can be read also when nothing is written any more.
    fn check_readable(&self) -> Result<(), DbError> {
        if self.queue.failing.is_broken() {
            return Ok(());
        }
        self.queue.check_open()
    }

    pub(crate) fn read(&self, statement: &Statement) -> Result<Vec<Row>, DbError> {
        self.check_readable()?;
        self.readers.rows(statement)
    }

    pub(crate) async fn scan(&self, statement: Statement) -> Result<Vec<Row>, DbError> {
        self.check_readable()?;
        self.scanners.rows(&self.world, statement).await
    }

    /// Lets nothing in any more, and waits until what waits is committed and the log is in the database.
    pub(crate) async fn close(&self) {
        self.queue.close();
        // An error says that the sender is gone: the thread has ended.
        let _ = self.ended.clone().changed().await;
    }
}

impl Drop for Threaded {
    /// The writer finishes what waits and ends by itself.
    fn drop(&mut self) {
        self.queue.close();
    }
}
