//! From which time on a job looks for what is due.

use std::time::Duration;

use domain::Timestamp;
use parking_lot::Mutex;

/// What a commit under way, or another node's clock, may put behind the present. A row that comes in behind even that is found
/// by the next look at the oldest one.
const MARGIN: Duration = Duration::from_secs(30);

const EVER: Timestamp = Timestamp::from_micros(i64::MIN);

/// Below it nothing was due when this node last looked. It only spares work: where a database keeps the entries of rows that
/// are done (PostgreSQL, while an old snapshot is open), no job walks over them again and again.
pub(crate) struct Floor(Mutex<State>);

struct State {
    floor: Timestamp,
    /// Counts how often it was lowered, so that who looked before doesn't raise it.
    lowered: u64,
}

/// A look for what is due up to a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// What is later than this is looked at.
    pub(crate) after: Timestamp,
    /// And nothing that is later than this.
    pub(crate) until: Timestamp,
    lowered: u64,
}

impl Default for Floor {
    fn default() -> Self {
        Self(Mutex::new(State {
            floor: EVER,
            lowered: 0,
        }))
    }
}

impl Floor {
    /// Begins to look for what is due until a time.
    pub(crate) fn look(&self, until: Timestamp) -> Look {
        let mut state = self.0.lock();
        if state.floor > until {
            // The clock was set back: what is due now may be below.
            state.floor = EVER;
            state.lowered += 1;
        }
        Look {
            after: state.floor,
            until,
            lowered: state.lowered,
        }
    }

    /// All that was due in this look was taken.
    pub(crate) fn exhausted(&self, look: Look) {
        let mut state = self.0.lock();
        if state.lowered == look.lowered {
            state.floor = state.floor.max(look.until.before(MARGIN));
        }
    }

    /// There is something due at this time.
    pub(crate) fn found(&self, oldest: Timestamp) {
        let mut state = self.0.lock();
        if oldest <= state.floor {
            state.floor = oldest.before(Duration::from_micros(1));
            state.lowered += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn it_follows_the_time_and_goes_back_for_what_is_found_below() {
        let floor = Floor::default();
        assert_eq!(floor.look(at(100)).after, EVER);
        floor.exhausted(floor.look(at(100)));
        assert_eq!(floor.look(at(101)).after, at(70));
        let under_way = floor.look(at(200));
        floor.found(at(50));
        floor.exhausted(under_way);
        let after = floor.look(at(201)).after;
        assert!(after < at(50) && after > at(49));
        floor.found(at(60));
        assert_eq!(floor.look(at(201)).after, after, "that is above");
    }

    #[test]
    fn a_clock_that_is_set_back_begins_anew() {
        let floor = Floor::default();
        floor.exhausted(floor.look(at(1000)));
        assert_eq!(floor.look(at(980)).after, at(970), "within the margin");
        assert_eq!(floor.look(at(900)).after, EVER);
    }
}
