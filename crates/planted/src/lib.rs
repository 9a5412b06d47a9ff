//! Bugs planted on purpose, to measure what the simulation can find.
//!
//! Each stands as one `if planted::is(Bug::…)` at the very place where the rule stands that it breaks. Without the feature
//! `planted` [`is`] is a constant `false`, so that nothing of it is in the binary; with it each thread chooses one bug, or
//! none, by [`plant`]. A binary that was built with it refuses to serve.

mod bug;

pub use bug::Bug;

/// Whether the bugs are built in.
pub const BUILT_IN: bool = cfg!(feature = "planted");

#[cfg(feature = "planted")]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Bug>> = const { std::cell::Cell::new(None) };
}

/// Whether this thread runs with this bug.
#[cfg(feature = "planted")]
#[must_use]
pub fn is(bug: Bug) -> bool {
    PLANTED.get() == Some(bug)
}

/// Whether this thread runs with this bug: never, in this build.
#[cfg(not(feature = "planted"))]
#[inline]
#[must_use]
pub const fn is(_: Bug) -> bool {
    false
}

/// Chooses the bug of this thread. Does nothing in a build without them.
#[cfg(feature = "planted")]
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
}

/// Chooses the bug of this thread: does nothing in this build.
#[cfg(not(feature = "planted"))]
pub const fn plant(_: Option<Bug>) {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_bug_is_there_only_where_it_was_planted() {
        plant(Some(Bug::SendBeforeCommit));
        assert_eq!(is(Bug::SendBeforeCommit), BUILT_IN);
        assert!(!is(Bug::TimeoutIsFailure));
        let elsewhere = std::thread::spawn(|| is(Bug::SendBeforeCommit)).join();
        assert_eq!(elsewhere.ok(), Some(false));
        plant(None);
        assert!(!is(Bug::SendBeforeCommit));
    }

    #[test]
    fn names_lead_back_to_their_bugs() {
        let names: BTreeSet<String> = Bug::ALL.iter().map(|bug| bug.name()).collect();
        assert_eq!(names.len(), Bug::ALL.len());
        assert_eq!(Bug::SendBeforeCommit.name(), "send-before-commit");
        assert!(
            Bug::ALL
                .iter()
                .all(|bug| Bug::parse(&bug.name()) == Some(*bug))
        );
        assert_eq!(Bug::parse("none"), None);
    }
}
