//! A database without threads, for seeded runs: the same queue and the same judge, worked by the task that commits.
//!
//! A committer first lets the others run, so that changes gather in the queue as they do before a writer's thread; then
//! it works the queue off, its own change and theirs. A caller that is dropped before that takes its change with it,
//! as a process that dies does.

use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
};

use domain::Timestamp;
use parking_lot::Mutex;
use rusqlite::Connection;
use world::World;

use super::{SqliteOptions, checkpoint::Checkpointer, connect, session::Session, settle::settle};
use crate::{
    DbError, Migration, Row, Statement,
    group::{Answer, Queue, QueueTicket, Work},
    migrate,
};

/// One connection for everything.
pub(crate) struct Inline {
    parts: Mutex<Parts>,
    queue: Queue,
    world: World,
    database: Arc<str>,
}

struct Parts {
    session: Session,
    checkpointer: Checkpointer,
}

impl Inline {
    pub(crate) fn open_in_memory(migrations: &[Migration], world: &World) -> Result<Self, DbError> {
        Self::new(
            connect::open_in_memory()?,
            &SqliteOptions::new(""),
            migrations,
            world,
        )
    }

    pub(crate) fn open(
        options: &SqliteOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        Self::new(
            connect::open(options, connect::Role::Writer)?,
            options,
            migrations,
            world,
        )
    }

    /// Opens what is there, to be looked at alone: the database refuses everything else.
    pub(crate) fn look(
        options: &SqliteOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        if !options.path.exists() {
            return Err(DbError::Unfounded);
        }
        let connection = connect::open(options, connect::Role::Reader)?;
        migrate::look(&connection, migrations)?;
        Ok(Self::on(connection, options, world))
    }

    fn new(
        connection: Connection,
        options: &SqliteOptions,
        migrations: &[Migration],
        world: &World,
    ) -> Result<Self, DbError> {
        migrate::apply(&connection, migrations, world.now())?;
        Ok(Self::on(connection, options, world))
    }

    fn on(connection: Connection, options: &SqliteOptions, world: &World) -> Self {
        let parts = Parts {
            session: Session::new(connection),
            checkpointer: Checkpointer::inline(options),
        };
        Self {
            parts: Mutex::new(parts),
            queue: Queue::new(options.queue, options.batch),
            world: world.clone(),
            database: options.label().into(),
        }
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn database(&self) -> &Arc<str> {
        &self.database
    }

    pub(crate) async fn submit(
        &self,
        work: Work,
        aggregate: Option<u64>,
        give_up_at: Option<Timestamp>,
    ) -> Result<Option<Answer>, DbError> {
        let mut waiting = Waiting {
            queue: &self.queue,
            place: self.queue.push(work, aggregate, give_up_at)?,
        };
        let_others_run().await;
        self.work_off();
        waiting
            .place
            .answered
            .try_recv()
            .map_or(Ok(None), |answer| answer.map(Some))
    }

    fn work_off(&self) {
        let mut parts = self.parts.lock();
        let Parts {
            session,
            checkpointer,
        } = &mut *parts;
        while let Some(batch) = self.queue.take_waiting(&self.world) {
            settle(
                session,
                batch,
                &self.queue,
                self.world.now(),
                &self.database,
            );
            if session.is_broken() {
                self.queue.close();
                return;
            }
            checkpointer.after_commit(session.connection());
        }
    }

    /// Whether what is committed gets onto the disk.
    pub(crate) fn check_storage(&self) -> Result<(), DbError> {
        self.queue.failing.check(self.world.now())
    }

    /// Whether nothing is written any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.queue.failing.is_broken()
    }

    pub(crate) fn read(&self, statement: &Statement) -> Result<Vec<Row>, DbError> {
        if !self.queue.failing.is_broken() {
            self.queue.check_open()?;
        }
        self.parts
            .lock()
            .session
            .rows(statement)
            .map_err(DbError::from)
    }

    pub(crate) fn close(&self) {
        self.queue.close();
        self.work_off();
        let mut parts = self.parts.lock();
        let Parts {
            session,
            checkpointer,
        } = &mut *parts;
        checkpointer.finish(session.connection());
    }
}

/// A change that leaves the queue with its caller.
struct Waiting<'a> {
    queue: &'a Queue,
    place: QueueTicket,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.queue.withdraw(&self.place);
    }
}

/// Ends at its second poll, with whatever executor.
async fn let_others_run() {
    let mut polled = Poll::Pending;
    poll_fn(|context: &mut Context<'_>| {
        context.waker().wake_by_ref();
        std::mem::replace(&mut polled, Poll::Ready(()))
    })
    .await;
}
