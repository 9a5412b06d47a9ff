//! Warnings and errors that come again and again are counted instead of written.
//!
//! Two lines are alike when they are of the same level and have the same message and fields; ids (`payment.id` and the
//! like) and what the request adds don't count. Of lines that are alike the first [`WRITTEN`] in a window are written. The
//! number of the others follows in one line when the window ends.

use std::{collections::BTreeMap, time::Duration};

use parking_lot::Mutex;
use tracing::Level;
use world::Stopwatch;

/// Alike lines that are written in a window.
const WRITTEN: u64 = 5;
/// How long a window is.
const WINDOW: Duration = Duration::from_secs(10);
/// Different lines that are watched at a time; further ones are all written.
const WATCHED: usize = 1_024;

/// What has been written recently.
#[derive(Default)]
pub(super) struct Flood(Mutex<BTreeMap<u64, Window>>);

struct Window {
    since: Stopwatch,
    seen: u64,
    level: Level,
    target: &'static str,
    message: String,
}

/// Lines that were counted and not written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repeated {
    pub(super) level: Level,
    pub(super) target: &'static str,
    pub(super) message: String,
    pub(super) times: u64,
}

impl Flood {
    /// Whether a line is to be written. `key` is equal for lines that are alike.
    pub(super) fn admits(
        &self,
        key: u64,
        level: Level,
        target: &'static str,
        message: &str,
    ) -> bool {
        let mut windows = self.0.lock();
        if let Some(window) = windows.get_mut(&key) {
            window.seen = window.seen.saturating_add(1);
            return window.seen <= WRITTEN;
        }
        if windows.len() < WATCHED {
            let window = Window {
                since: Stopwatch::start(),
                seen: 1,
                level,
                target,
                message: message.to_owned(),
            };
            windows.insert(key, window);
        }
        true
    }

    /// Ends the windows whose time is over, or all of them, and tells what was counted in them.
    pub(super) fn ended(&self, all: bool) -> Vec<Repeated> {
        let mut repeated = Vec::new();
        self.0.lock().retain(|_, window| {
            let goes_on = !all && window.since.elapsed() < WINDOW;
            if !goes_on && window.seen > WRITTEN {
                repeated.push(Repeated {
                    level: window.level,
                    target: window.target,
                    message: std::mem::take(&mut window.message),
                    times: window.seen.saturating_sub(WRITTEN),
                });
            }
            goes_on
        });
        repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_alike_the_first_are_written_and_the_others_counted() {
        let flood = Flood::default();
        let written = (0..250)
            .filter(|_| flood.admits(1, Level::WARN, "db", "away"))
            .count();
        assert_eq!(written, 5);
        assert!(flood.admits(2, Level::WARN, "db", "another"));
        assert_eq!(flood.ended(false), []);
        let [repeated] = &flood.ended(true)[..] else {
            panic!("one is reported");
        };
        assert_eq!((repeated.times, &*repeated.message), (245, "away"));
        assert!(flood.admits(1, Level::WARN, "db", "away"), "a new window");
    }
}
