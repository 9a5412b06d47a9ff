//! From which time on a job looks for what is due.

use std::time::Duration;

use domain::Timestamp;
use parking_lot::Mutex;

/// What a commit under way, or another node's clock, may put behind the present. A row that comes in behind even that is found
/// by the next look at the oldest one.
const MARGIN: Duration = Duration::from_secs(30);

/// Before all rows.
pub(super) const EVER: Timestamp = Timestamp::from_micros(i64::MIN);

/// After so many full batches the oldest row that is left is looked for: one look more for so many that become shorter.
const FULL_BATCHES: u32 = 16;

/// Below it nothing was due when this node last looked. It only spares work: where a database keeps the entries of rows that
/// are done (PostgreSQL, while an old snapshot is open), no job walks over them again and again.
pub(crate) struct Floor(Mutex<FloorState>);

struct FloorState {
    floor: Timestamp,
    /// Counts how often it was lowered, so that who looked before doesn't raise it.
    lowered: u64,
    /// Full batches since the oldest row that is left was last looked for.
    full: u32,
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
        Self(Mutex::new(FloorState {
            floor: EVER,
            lowered: 0,
            full: 0,
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

    /// A batch was full. Tells whether the oldest row that is left is to be looked for now.
    pub(super) fn full(&self) -> bool {
        let mut state = self.0.lock();
        state.full = (state.full + 1) % FULL_BATCHES;
        state.full == 0
    }

    /// While there is more to be done than a batch takes, this row is the oldest one that is left.
    pub(super) fn left(&self, look: Look, oldest: Timestamp) {
        let mut state = self.0.lock();
        if state.lowered == look.lowered {
            state.floor = state.floor.max(oldest.before(Duration::from_micros(1)));
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
    fn in_a_backlog_it_rises_to_the_oldest_row_that_is_left() {
        let floor = Floor::default();
        let full = (0..2 * FULL_BATCHES).filter(|_| floor.full()).count();
        assert_eq!(full, 2, "one look for {FULL_BATCHES} batches");
        let look = floor.look(at(1000));
        floor.left(look, at(400));
        let after = floor.look(at(1000)).after;
        assert!(after < at(400) && after > at(399));
        floor.left(look, at(300));
        assert_eq!(floor.look(at(1000)).after, after, "it never falls so");
        floor.found(at(100));
        floor.left(look, at(500));
        assert!(
            floor.look(at(1000)).after < at(100),
            "what was found since stays above"
        );
    }

    #[test]
    fn a_clock_that_is_set_back_begins_again() {
        let floor = Floor::default();
        floor.exhausted(floor.look(at(1000)));
        assert_eq!(floor.look(at(980)).after, at(970), "within the margin");
        assert_eq!(floor.look(at(900)).after, EVER);
    }
}
