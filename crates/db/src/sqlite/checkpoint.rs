//! Keeps the write-ahead log short, off the writer's path.
//!
//! The writer notes after each commit how many pages the log holds. When they are too many, a thread with a connection of
//! its own moves them into the database (`passive`: it waits for nobody and nobody waits for it). The log starts again only
//! when *all* of it has been moved at the moment a commit begins, and a writer that never rests never gives that moment;
//! so when the log has grown to several times its limit and the thread rests (only one can move the log at a time), the
//! writer moves the small remainder itself, between two commits. A thread that can't keep up, on a busy machine or a slow disk,
//! is waited for: commits are slower then, and the log stays bounded.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{Builder, JoinHandle, sleep},
    time::Duration,
};

use rusqlite::Connection;

use super::{SqliteOptions, connect};
use crate::DbError;

/// SQLite's usual size of a page, in KiB.
const PAGE_KIB: u32 = 4;
/// At so many times the limit the writer moves the remainder itself.
const PATIENCE: u32 = 4;
/// At so many times the limit the writer waits for a thread that is still at work.
const BOUND: u32 = 5;
/// How often it looks whether the thread is done.
const LOOK: Duration = Duration::from_millis(1);

thread_local! {
    /// The pages that the log held after the last commit of this thread. SQLite's hook is a bare function.
    static LOG_PAGES: Cell<u32> = const { Cell::new(0) };
}

/// Makes a connection note the length of the log after each of its commits.
pub(crate) fn watch(connection: &Connection) {
    connection.wal_hook(Some(|_, pages| {
        LOG_PAGES.set(u32::try_from(pages).unwrap_or(0));
        Ok(())
    }));
}

/// How a checkpoint treats the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckpointKind {
    /// Moves what it can without waiting.
    Passive,
    /// Waits until all is moved, and empties the log's file.
    Truncate,
}

/// Moves the log into the database. A failure is logged and harmless: the log only stays longer.
pub(crate) fn run(connection: &Connection, kind: CheckpointKind) {
    let text = match kind {
        CheckpointKind::Passive => "pragma wal_checkpoint(passive)",
        CheckpointKind::Truncate => "pragma wal_checkpoint(truncate)",
    };
    if let Err(error) = connection.query_row(text, (), |_| Ok(())) {
        tracing::warn!(%error, "the write-ahead log could not be moved into the database");
    }
}

/// Decides after each commit what is to be done about the log.
pub(crate) struct Checkpointer {
    limit_pages: u32,
    /// The length of the log at which something is to be done next.
    next_at_pages: u32,
    thread: Option<Thread>,
}

struct Thread {
    ask: SyncSender<()>,
    rests: Arc<AtomicBool>,
    handle: JoinHandle<()>,
}

impl Thread {
    /// Waits until it rests, or has ended.
    fn wait(&self) {
        while !self.rests.load(Ordering::Acquire) && !self.handle.is_finished() {
            sleep(LOOK);
        }
    }
}

impl Checkpointer {
    /// One with a thread of its own.
    pub(crate) fn start(options: &SqliteOptions, label: &str) -> Result<Self, DbError> {
        let connection = connect::open(options, connect::Role::Checkpointer)?;
        let (ask, asked) = sync_channel(1);
        let rests = Arc::new(AtomicBool::new(true));
        let done = Arc::clone(&rests);
        let handle = Builder::new()
            .name(format!("{label}-ckpt"))
            .spawn(move || work(&connection, &asked, &done))
            .map_err(|error| DbError::Storage(error.to_string()))?;
        Ok(Self {
            thread: Some(Thread { ask, rests, handle }),
            ..Self::inline(options)
        })
    }

    /// One without a thread: the writer does all.
    pub(crate) fn inline(options: &SqliteOptions) -> Self {
        let limit_pages = (options.wal_kib / PAGE_KIB).max(1);
        Self {
            limit_pages,
            next_at_pages: limit_pages,
            thread: None,
        }
    }

    /// To be called by the writer after each commit, outside of any transaction.
    pub(crate) fn after_commit(&mut self, connection: &Connection) {
        // Taken, since a commit that wrote nothing calls no hook.
        let pages = LOG_PAGES.take();
        if pages < self.limit_pages {
            // The log has started again, or is still short.
            self.next_at_pages = self.limit_pages;
            return;
        }
        if pages < self.next_at_pages {
            return;
        }
        match &self.thread {
            Some(thread) if !thread.rests.load(Ordering::Acquire) => {
                if pages < self.limit_pages.saturating_mul(BOUND) {
                    return;
                }
                thread.wait();
                run(connection, CheckpointKind::Passive);
            }
            Some(thread) if pages < self.limit_pages.saturating_mul(PATIENCE) => {
                thread.rests.store(false, Ordering::Release);
                if thread.ask.try_send(()).is_err() {
                    tracing::error!("the thread that moves the write-ahead log has ended");
                    self.thread = None;
                }
            }
            Some(_) | None => run(connection, CheckpointKind::Passive),
        }
        // Not at every commit: a reader may hold the log for a while.
        self.next_at_pages = pages.saturating_add(self.limit_pages);
    }

    /// Stops the thread and empties the log.
    pub(crate) fn finish(&mut self, connection: &Connection) {
        if let Some(Thread { ask, handle, .. }) = self.thread.take() {
            drop(ask);
            let _ = handle.join();
        }
        run(connection, CheckpointKind::Truncate);
    }
}

fn work(connection: &Connection, asked: &Receiver<()>, rests: &AtomicBool) {
    while asked.recv().is_ok() {
        run(connection, CheckpointKind::Passive);
        rests.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn a_thread_that_falls_behind_is_waited_for_once_the_log_is_long() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteOptions {
            wal_kib: 4 * PAGE_KIB,
            ..SqliteOptions::new(directory.path().join("slow.db"))
        };
        let connection = connect::open(&options, connect::Role::Writer).unwrap();
        connection.execute_batch("create table t (a)").unwrap();
        let (rests, longest) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU32::new(0)),
        );
        let (done, seen) = (Arc::clone(&rests), Arc::clone(&longest));
        let (ask, asked) = sync_channel(1);
        // It is done some time after the log has become too long.
        let slow = Builder::new().spawn(move || {
            while seen.load(Ordering::Acquire) < 4 * BOUND {
                sleep(LOOK);
            }
            sleep(Duration::from_millis(200));
            done.store(true, Ordering::Release);
            drop(asked);
        });
        let thread = Thread {
            ask,
            rests: Arc::clone(&rests),
            handle: slow.unwrap(),
        };
        let mut one = Checkpointer {
            thread: Some(thread),
            ..Checkpointer::inline(&options)
        };
        while one.thread.is_some() && !rests.load(Ordering::Acquire) {
            connection
                .execute("insert into t values (zeroblob(4000))", ())
                .unwrap();
            longest.fetch_max(LOG_PAGES.get(), Ordering::AcqRel);
            one.after_commit(&connection);
        }
        let longest = longest.load(Ordering::Acquire);
        // One insert writes some three pages.
        assert!(
            longest < 4 * BOUND + 4,
            "the log had {longest} pages when the thread was done"
        );
    }
}
