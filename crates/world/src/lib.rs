//! The seams to the outside: time, chance and tasks.
//!
//! Everything below the server takes a [`World`] instead of asking the machine, so that the whole engine can run in a
//! seeded simulation on one thread, in virtual time, and replay to the same step. This crate is the one place that
//! touches the clock, the operating system's randomness and the runtime.

mod real;
mod simulated;

use std::{fmt, future::Future, pin::pin, sync::Arc, time::Duration};

use domain::Timestamp;
use futures_util::future::{BoxFuture, Either, select};
use uuid::Uuid;

pub use real::Stopwatch;
pub use simulated::{Node, Sim, Stuck};

/// Time, chance and tasks, as one implementation gives them.
trait Seams: Send + Sync + 'static {
    fn now(&self) -> Timestamp;
    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()>;
    fn fill(&self, bytes: &mut [u8]);
    fn spawn(&self, task: BoxFuture<'static, ()>);
    fn block(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()>;
}

/// Time, chance and tasks. Cheap to clone.
#[derive(Clone)]
pub struct World(Arc<dyn Seams>);

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}

/// The time ran out first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

impl World {
    /// The machine's own clock and randomness, tasks on the current tokio runtime.
    pub fn real() -> Self {
        Self(Arc::new(real::Real::new()))
    }

    /// A world that is played on one thread in virtual time, as its first process sees it. The same seed gives the same run;
    /// [`Sim::node`] adds processes.
    pub fn simulated(seed: u64) -> (Self, Sim) {
        Sim::new(seed)
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        self.0.now()
    }

    /// Waits for `span`.
    pub fn sleep(&self, span: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(span)
    }

    /// The result of `work`, or [`Elapsed`] when `span` is over first; `work` is dropped then.
    pub async fn timeout<T>(
        &self,
        span: Duration,
        work: impl Future<Output = T>,
    ) -> Result<T, Elapsed> {
        // `select` polls its first argument first: work that is ready at the deadline still counts.
        match select(pin!(work), self.sleep(span)).await {
            Either::Left((done, _)) => Ok(done),
            Either::Right(((), _)) => Err(Elapsed),
        }
    }

    /// Starts a task that lives until it ends by itself.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(Box::pin(task));
    }

    /// Runs work that blocks, off the threads that serve; inline in the simulation. `None` when the work panicked.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let slot = Arc::new(parking_lot::Mutex::new(None));
        let filled = Arc::clone(&slot);
        self.0
            .block(Box::new(move || *filled.lock() = Some(work())))
            .await;
        slot.lock().take()
    }

    /// Fills `bytes` from a secure source (from the seed in the simulation).
    pub fn fill(&self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }

    /// A random 64-bit number.
    pub fn random(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// A new id whose order is that of time (RFC 9562, version 7).
    pub fn uuid_v7(&self) -> Uuid {
        self.uuid_at(self.now())
    }

    /// The id of something with this date.
    pub fn uuid_at(&self, at: Timestamp) -> Uuid {
        let mut random = [0; 10];
        self.fill(&mut random);
        domain::dated::id_at(at, random)
    }

    /// A random text of `length` letters and digits (just under six bits each).
    pub fn token(&self, length: usize) -> String {
        const LETTERS: &[u8; 62] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let mut token = String::with_capacity(length);
        let mut bytes = [0; 32];
        while token.len() < length {
            self.fill(&mut bytes);
            // Bytes of 248 and more are thrown away, so that each letter is equally likely.
            let letters = bytes.iter().filter(|byte| **byte < 248);
            token.extend(
                letters
                    .filter_map(|byte| LETTERS.get(usize::from(*byte) % 62))
                    .take(length - token.len())
                    .map(|b| char::from(*b)),
            );
        }
        token
    }
}
