//! The thread that commits.

use std::{
    sync::Arc,
    thread::{self, Builder},
};

use tokio::sync::watch;
use world::World;

use super::{checkpoint::Checkpointer, queue::Queue, session::Session, settle::settle};
use crate::DbError;

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

    /// Commits until the queue is closed and empty. While one batch is flushed to the disk the next one gathers; a job
    /// that comes alone goes at once.
    fn work(mut self) {
        let _guard = EndProcessOnPanic;
        while let Some(batch) = self.queue.take(&self.world) {
            settle(&mut self.session, batch, &self.queue, &self.database);
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
