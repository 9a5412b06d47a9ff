//! Read connections; the writer has its own.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use parking_lot::Mutex;
use tokio::sync::Semaphore;
use world::World;

use super::{SqliteOptions, connect, session::Session};
use crate::{DbError, Row, Statement};

/// A few connections for reading. Every read runs to its end and is reset before its connection is given back, so that
/// no connection ever holds a snapshot of the database open (the write-ahead log could not start again).
pub(crate) struct Readers {
    sessions: Vec<Mutex<Session>>,
    next: AtomicUsize,
}

impl Readers {
    pub(crate) fn open(options: &SqliteOptions, count: usize) -> Result<Self, DbError> {
        let open = |_| {
            Ok(Mutex::new(Session::new(connect::open(
                options,
                connect::Role::Reader,
            )?)))
        };
        let sessions = (0..count.max(1))
            .map(open)
            .collect::<Result<_, DbError>>()?;
        Ok(Self {
            sessions,
            next: AtomicUsize::new(0),
        })
    }

    /// Reads on a connection that is free, or waits for one.
    pub(crate) fn rows(&self, statement: &Statement) -> Result<Vec<Row>, DbError> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let first = turn.checked_rem(self.sessions.len()).unwrap_or(0);
        let (after, before) = self
            .sessions
            .split_at_checked(first)
            .map_or((&[][..], &[][..]), |(a, b)| (b, a));
        let free = after.iter().chain(before).find_map(Mutex::try_lock);
        let Some(mut session) = free.or_else(|| after.first().map(Mutex::lock)) else {
            return Err(DbError::Closed);
        };
        session.rows(statement).map_err(DbError::from)
    }
}

/// Readers for queries that may take long: on threads that may block, and never more at once than there are connections.
pub(crate) struct Scanners {
    readers: Arc<Readers>,
    free: Arc<Semaphore>,
}

impl Scanners {
    pub(crate) fn open(options: &SqliteOptions, count: usize) -> Result<Self, DbError> {
        let count = count.max(1);
        Ok(Self {
            readers: Arc::new(Readers::open(options, count)?),
            free: Arc::new(Semaphore::new(count)),
        })
    }

    pub(crate) async fn rows(
        &self,
        world: &World,
        statement: Statement,
    ) -> Result<Vec<Row>, DbError> {
        let free = Arc::clone(&self.free)
            .acquire_owned()
            .await
            .map_err(|_| DbError::Closed)?;
        let readers = Arc::clone(&self.readers);
        let scanned = world.blocking(move || {
            // Given back when the scan has ended, even if nobody waits for it any more.
            let _free = free;
            readers.rows(&statement)
        });
        scanned.await.unwrap_or_else(|| {
            Err(DbError::Storage(
                "a scan ended without an answer".to_owned(),
            ))
        })
    }
}
