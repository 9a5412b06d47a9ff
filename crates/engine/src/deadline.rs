//! The time by which a request must have its answer.

use std::time::Duration;

use domain::Timestamp;

use crate::Engine;

/// How long before the deadline the last call to a processor must have been sent.
const MARGIN: Duration = Duration::from_secs(1);

/// The time by which a request must have its answer, whatever happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Timestamp);

impl Deadline {
    /// The deadline itself.
    pub(crate) fn at(self) -> Timestamp {
        self.0
    }

    /// How much of it is left at `now`.
    pub(crate) fn left(self, now: Timestamp) -> Duration {
        self.0.since(now)
    }

    /// How long from `now` a call that takes `call` at most may wait before it is sent.
    pub(crate) fn send_within(self, now: Timestamp, call: Duration) -> Duration {
        self.left(now).saturating_sub(call).saturating_sub(MARGIN)
    }
}

impl Engine {
    /// The deadline of a request that begins now.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline(
            self.inner
                .world
                .now()
                .after(self.inner.settings.request_deadline),
        )
    }
}
