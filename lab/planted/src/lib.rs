//! Bugs planted on purpose, to measure what the simulation can find.
//!
//! A bug is a whole function that stands in for another one: `#[cfg_attr(feature = "planted", planted::alternatives(Bug = path))]` above a
//! function names those that can stand in for it, in a file `bugs.rs` next to it. Each thread chooses one bug, or none, by [`plant`]. Without the
//! feature `planted` of its crate neither the attribute nor its alternatives are compiled, and this crate is not linked.

// The attribute names this crate, also in its own tests.
#[cfg(test)]
extern crate self as planted;

mod bug;

use std::cell::Cell;

pub use bug::Bug;
pub use planted_macros::alternatives;

thread_local! {
    static PLANTED: Cell<Option<Bug>> = const { Cell::new(None) };
}

/// The bug that this thread runs with.
#[must_use]
pub fn planted() -> Option<Bug> {
    PLANTED.get()
}

/// Chooses the bug of this thread.
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    struct Till(u64);

    impl Till {
        #[alternatives(RefundCountedTwice = twice, RefundsUnreserved = nothing)]
        fn refund(&mut self, amount: u64) -> u64 {
            self.0 -= amount;
            self.0
        }

        #[alternatives(EventLost = lost)]
        async fn note<'a>(&self, mut text: String, prefix: &'a str) -> Result<String, &'a str> {
            text.insert_str(0, prefix);
            Ok(text)
        }
    }

    fn twice(till: &mut Till, amount: u64) -> u64 {
        till.unplanted_refund(amount);
        till.unplanted_refund(amount)
    }

    fn nothing(till: &mut Till, _: u64) -> u64 {
        till.0
    }

    async fn lost<'a>(till: &Till, text: String, prefix: &'a str) -> Result<String, &'a str> {
        till.unplanted_note(text, prefix).await.and(Err(prefix))
    }

    fn with<T>(bug: Option<Bug>, work: impl FnOnce() -> T) -> T {
        plant(bug);
        let done = work();
        plant(None);
        done
    }

    #[test]
    fn a_function_is_replaced_only_by_the_bug_that_was_chosen() {
        let refund = |bug| with(bug, || Till(10).refund(3));
        assert_eq!(refund(None), 7);
        assert_eq!(refund(Some(Bug::RefundCountedTwice)), 4);
        assert_eq!(refund(Some(Bug::RefundsUnreserved)), 10);
        assert_eq!(refund(Some(Bug::EventLost)), 7);
    }

    #[test]
    fn asynchronous_functions_are_replaced_too() {
        let note = |bug| {
            with(bug, || {
                let till = Till(0);
                let mut noted = std::pin::pin!(till.note("b".to_owned(), "a"));
                let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                noted.as_mut().poll(&mut context).map(Result::ok)
            })
        };
        let ab = Some("ab".to_owned());
        assert_eq!(note(None), std::task::Poll::Ready(ab));
        assert_eq!(note(Some(Bug::EventLost)), std::task::Poll::Ready(None));
    }

    #[test]
    fn a_bug_is_there_only_where_it_was_planted() {
        plant(Some(Bug::SendBeforeCommit));
        assert_eq!(planted::planted(), Some(Bug::SendBeforeCommit));
        let elsewhere = std::thread::spawn(planted::planted).join();
        assert_eq!(elsewhere.ok(), Some(None));
        plant(None);
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
