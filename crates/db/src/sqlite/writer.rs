//! The thread that commits.

use std::{
    sync::Arc,
    thread::{self, Builder},
};

use tokio::sync::watch;
use world::World;

use super::{checkpoint::Checkpointer, session::Session, settle::settle};
use crate::{DbError, group::Queue};

/// What the writer's thread owns.
pub(crate) struct Writer {
    pub(crate) session: Session,
    pub(crate) queue: Arc<Queue>,
    pub(crate) checkpointer: Checkpointer,
    pub(crate) world: World,
    pub(crate) database: Arc<str>,
}

impl Writer {
    /// Starts the thread. The receiver's sender is dropped when it has ended.
    pub(crate) fn start(self) -> Result<watch::Receiver<()>, DbError> {
        let (running, ended) = watch::channel(());
        Builder::new()
            .name(format!("{}-writer", self.database))
            .spawn(move || {
                let _running = running;
                self.work();
            })
            .map_err(|error| DbError::Storage(error.to_string()))?;
        Ok(ended)
    }

    /// What waits is refused, nothing of it was written; nor is the log moved, which is writing too.
    fn stop_writing(&self) {
        self.queue.close();
        for job in self.queue.drain() {
            job.answer(Err(DbError::Closed));
        }
    }

    /// Commits until the queue is closed and empty. While one batch is flushed to the disk the next one gathers; a job
    /// that comes alone goes at once.
    fn work(mut self) {
        let _guard = EndProcessOnPanic;
        while let Some(batch) = self.queue.take(&self.world) {
            let now = self.world.now();
            settle(&mut self.session, batch, &self.queue, now, &self.database);
            if self.session.is_broken() {
                self.stop_writing();
                return;
            }
            self.checkpointer.after_commit(self.session.connection());
        }
        self.checkpointer.finish(self.session.connection());
    }
}

/// A writer that dies between a commit and its answers would leave the callers waiting or guessing.
struct EndProcessOnPanic;

impl Drop for EndProcessOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            tracing::error!("the database's writer panicked: the process ends");
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{
        Committed, Migration, SqliteOptions, Statement,
        group::{Answer, Work},
        migrate, params,
        sqlite::connect,
    };

    const NOTES: Migration = Migration {
        number: 1,
        name: "notes",
        sql: "create table note (id bigint not null, primary key (id))",
    };

    #[tokio::test(flavor = "multi_thread")]
    async fn sixty_four_changes_that_wait_share_one_commit() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(directory.path().join("t.db"));
        let connection = connect::open(&options, connect::Role::Writer).unwrap();
        let world = World::real();
        migrate::apply(&connection, &[NOTES], world.now()).unwrap();
        let commits = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&commits);
        connection.commit_hook(Some(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            false
        }));

        let queue = Arc::new(Queue::new(100, 64));
        let insert = |id: i64| Statement::one("insert into note (id) values ($1)", params![id]);
        let places: Vec<_> = (0..64)
            .map(|id| {
                queue
                    .push(
                        Work::Commit(Arc::new(vec![insert(id)])),
                        Some(id.unsigned_abs()),
                        None,
                    )
                    .unwrap()
            })
            .collect();
        let writer = Writer {
            session: Session::new(connection),
            queue: Arc::clone(&queue),
            checkpointer: Checkpointer::inline(&options),
            world,
            database: "t".into(),
        };
        let mut ended = writer.start().unwrap();
        for place in places {
            let answer = place.answered.await.unwrap().unwrap();
            assert!(matches!(answer, Answer::Committed(Committed::Done)));
        }
        assert_eq!(commits.load(Ordering::SeqCst), 1);
        queue.close();
        ended.changed().await.unwrap_err();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn after_a_commit_that_nobody_knows_of_nothing_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(directory.path().join("t.db"));
        let connection = connect::open(&options, connect::Role::Writer).unwrap();
        let world = World::real();
        migrate::apply(&connection, &[NOTES], world.now()).unwrap();
        // The second COMMIT fails with a code that says nothing of whether it was made.
        let commits = AtomicUsize::new(0);
        connection.commit_hook(Some(move || commits.fetch_add(1, Ordering::SeqCst) == 1));
        let queue = Arc::new(Queue::new(100, 64));
        let commit = |id: i64| {
            let insert = Statement::one("insert into note (id) values ($1)", params![id]);
            queue.push(Work::Commit(Arc::new(vec![insert])), Some(1), None)
        };
        let writer = Writer {
            session: Session::new(connection),
            queue: Arc::clone(&queue),
            checkpointer: Checkpointer::inline(&options),
            world: world.clone(),
            database: "t".into(),
        };
        let mut ended = writer.start().unwrap();
        let answer = async |id| commit(id).unwrap().answered.await.unwrap().unwrap();
        assert!(matches!(
            answer(1).await,
            Answer::Committed(Committed::Done)
        ));
        assert!(matches!(
            answer(2).await,
            Answer::Committed(Committed::Unknown)
        ));
        ended.changed().await.unwrap_err();
        assert!(queue.failing.is_broken() && queue.failing.check(world.now()).is_err());
        assert!(matches!(commit(3), Err(DbError::Closed)));
        let reader = connect::open(&options, connect::Role::Reader).unwrap();
        let kept: i64 = reader
            .query_row("select count(*) from note", (), |row| row.get(0))
            .unwrap();
        assert_eq!(kept, 1);
    }
}
