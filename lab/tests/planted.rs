//! The simulation finds bugs that were planted on purpose: a few of different kinds here, all of them by
//! `pointsman-lab simulate --planted all` (docs/reliability.md).

use lab::{Crashes, Plan, hunt};
use planted::Bug;

/// Found at a crash point or in a story, whatever the seed. What goes wrong in each: an order of sending, a lease, what
/// is answered, a checkout, money, several captures, a job that is overtaken, responses to disputes.
const BY_STORIES: [Bug; 11] = [
    Bug::SendBeforeCommit,
    Bug::LeaseIgnored,
    Bug::LateRequestAnsweredFailed,
    Bug::ReturnUnchecked,
    Bug::TimerDecides,
    Bug::PartEndsAuthorisation,
    Bug::RefundsUndivided,
    Bug::HandBackUnguarded,
    Bug::AcceptedDuringEvidence,
    Bug::EvidenceSentTwice,
    Bug::ResponseUnderNewReference,
];

/// Found by chance alone, one in some 250 to 2,000 payments: a step of a flow, a commit whose outcome is unknown, an answer
/// without its payment, a list that is followed, what another system sold.
const BY_CHANCE: [Bug; 5] = [
    Bug::FlowStepNotRetried,
    Bug::UnknownCommitIsDone,
    Bug::UnstoredOutcomeNotNamed,
    Bug::ListsUnsettled,
    Bug::ImportSendsEvents,
];

#[test]
fn a_few_bugs_of_different_kinds_are_found() {
    const { assert!(lab::HAS_BUGS) };
    assert_found(&BY_STORIES, 300, Crashes::All);
    assert_found(&BY_CHANCE, 8_000, Crashes::None);
}

fn assert_found(bugs: &[Bug], payments: u64, crashes: Crashes) {
    let plan = Plan {
        seed: 1,
        payments,
        threads: 2,
        crashes,
        every: 1,
        world: None,
        wire: false,
    };
    let hunted = hunt(bugs, &plan, &mut |_| {});
    assert_eq!(hunted.len(), bugs.len());
    for one in &hunted {
        assert!(
            one.is_found(),
            "{} was not found among {} payments",
            one.bug.name(),
            one.payments
        );
    }
}
