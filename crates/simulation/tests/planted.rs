//! The simulation finds bugs that were planted on purpose: a few of different kinds here, all of them by
//! `pointsman simulate --planted all` (docs/reliability.md).

use planted::Bug;
use simulation::{Crashes, Plan, hunt};

/// What goes wrong in each: an order of sending, a commit, a lease, what is told, a checkout, money, a job that is overtaken,
/// an answer without its payment, a step of a flow, a list that is followed.
const BUGS: [Bug; 10] = [
    Bug::SendBeforeCommit,
    Bug::UnknownCommitIsDone,
    Bug::LeaseIgnored,
    Bug::LateRequestToldFailed,
    Bug::ReturnUnchecked,
    Bug::TimerDecides,
    Bug::HandBackUnguarded,
    Bug::UnstoredOutcomeNotNamed,
    Bug::FlowStepNotRetried,
    Bug::ListsUnsettled,
];

#[test]
fn a_few_bugs_of_different_kinds_are_found() {
    const { assert!(planted::BUILT_IN) };
    let plan = Plan {
        seed: 1,
        payments: 300,
        threads: 2,
        crashes: Crashes::All,
        world: None,
    };
    let hunted = hunt(&BUGS, &plan, &mut |_| {});
    assert_eq!(hunted.len(), BUGS.len());
    for one in &hunted {
        assert!(
            one.is_found(),
            "{} was not found among {} payments",
            one.bug.name(),
            one.payments
        );
    }
}
