//! The real world: the machine's clock and randomness, tasks on tokio.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use domain::Timestamp;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rand_chacha::{
    ChaCha12Rng,
    rand_core::{RngCore, SeedableRng},
};
use tokio::runtime::Handle;

use crate::Seams;

/// Fresh entropy is mixed in after this many calls.
const RESEED_EVERY: u32 = 16_384;

pub(crate) struct Real {
    runtime: Handle,
    /// A generator seeded by the operating system: an id costs no system call.
    chance: Mutex<(ChaCha12Rng, u32)>,
}

impl Real {
    pub(crate) fn new() -> Self {
        Self {
            runtime: Handle::current(),
            chance: Mutex::new((seeded(), 0)),
        }
    }
}

/// A generator seeded by the operating system. Without entropy nothing here is safe, so the process ends.
fn seeded() -> ChaCha12Rng {
    let mut seed = [0; 32];
    if getrandom::fill(&mut seed).is_err() {
        std::process::abort();
    }
    ChaCha12Rng::from_seed(seed)
}

impl Seams for Real {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the clock"
    )]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that waits"
    )]
    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()> {
        // Entered, since the future may be made on a thread outside the runtime.
        let _inside = self.runtime.enter();
        Box::pin(tokio::time::sleep(span))
    }

    fn fill(&self, bytes: &mut [u8]) {
        let mut chance = self.chance.lock();
        if chance.1 >= RESEED_EVERY {
            *chance = (seeded(), 0);
        }
        chance.1 += 1;
        chance.0.fill_bytes(bytes);
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.runtime.spawn(task);
    }

    fn block(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        let done = self.runtime.spawn_blocking(work);
        Box::pin(async move {
            let _ = done.await;
        })
    }
}

/// Measures how long something took, for metrics only: nothing may be decided by it.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts measuring.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that measures"
    )]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
