//! Waiting for a condition, always with a bound.

use std::thread;
use std::time::{Duration, Instant};

/// How long a story waits for something that must come by itself. It is generous on purpose: a story that succeeds never
/// waits so long, and a busy machine must not fail it.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Asks `look` again and again until it gives a value; fails after `bound` with `what` was awaited.
#[track_caller]
pub fn until<T>(bound: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < bound, "waited {bound:?} in vain: {what}");
        thread::sleep(Duration::from_millis(25));
    }
}
