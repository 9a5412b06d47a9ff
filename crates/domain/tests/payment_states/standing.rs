//! What the properties find in every payment, however it came to stand so.

use domain::payment::{Operation, OperationKind, OperationState, Payment, Status};

/// What is captured is what the captures say, and no capture is refunded more than it took, unless the processor has contradicted
/// itself.
pub(crate) fn check_captures(one: &Payment, contradicted: bool) {
    let stands = |capture: &&Operation| {
        capture.kind == OperationKind::Capture && capture.state.is_done() && capture.owed.is_none()
    };
    let captures: Vec<&Operation> = one.operations().iter().filter(stands).collect();
    let sum: i64 = captures.iter().map(|capture| capture.amount).sum();
    if sum > 0 && !matches!(one.status(), Status::Cancelled | Status::Failed) {
        assert_eq!(one.captured(), sum.min(one.money().minor()));
    }
    if one.status() == Status::Authorised {
        let left = one.money().minor() - one.captured();
        assert!(left > 0 && one.capturable() == left, "nothing is left");
        let stand = |refund: &&Operation| refund.state.is_open() || refund.state.is_done();
        assert_eq!(
            one.refunds().filter(stand).count(),
            0,
            "refunds open only then"
        );
    }
    let under_way = one.operations().iter().filter(|one| {
        one.state.is_open()
            && matches!(
                one.kind,
                OperationKind::Capture | OperationKind::Cancel { .. }
            )
    });
    assert!(under_way.count() <= 1, "a capture excludes a cancellation");
    for capture in captures {
        let counts = |refund: &&Operation| {
            let is_of_it = one
                .capture_behind(refund.n)
                .is_some_and(|of| of.n == capture.n);
            is_of_it && (refund.state.is_open() || refund.state.is_done())
        };
        let taken: i64 = one.refunds().filter(counts).map(|one| one.amount).sum();
        assert!(
            contradicted || taken <= capture.amount,
            "{taken} refunded of a capture of {}",
            capture.amount
        );
    }
}

/// The status says how the operations stand.
pub(crate) fn check_status(one: &Payment, attempt: &Operation) {
    use Status::{
        Active, Authorised, Cancelled, Declined, Failed, GatewayHold, Needs3dSecure,
        NeedsApmAuthorization, NoAnswerFromPsp, PartialRefunded, RefundFailed, RefundPending,
        Refunded, Succeeded,
    };
    let allowed: &[Status] = match &attempt.state {
        OperationState::Sent if attempt.action.is_none() => &[Active],
        OperationState::Sent | OperationState::Waiting { .. } => {
            match attempt.action.as_ref().unwrap().kind {
                domain::answer::ActionKind::ThreeDSecure => &[Needs3dSecure],
                domain::answer::ActionKind::Apm => &[NeedsApmAuthorization],
            }
        }
        OperationState::Unknown { .. } => &[NoAnswerFromPsp],
        OperationState::Pending { .. } => &[GatewayHold],
        OperationState::Refused { .. } => &[Declined, Cancelled],
        OperationState::Failed { .. } => &[Failed],
        OperationState::Done { .. } if attempt.owed.is_some() => &[Declined, Failed, Cancelled],
        // FAILED: all that was captured was undone, and nothing more can be captured.
        OperationState::Done { .. } if one.captured() == 0 => &[Authorised, Cancelled, Failed],
        OperationState::Done { .. } => &[
            Authorised,
            Succeeded,
            PartialRefunded,
            Refunded,
            RefundPending,
            RefundFailed,
        ],
    };
    assert!(
        allowed.contains(&one.status()),
        "{} with an attempt {:?}",
        one.status(),
        attempt.state
    );
    if attempt.state.is_open() {
        assert_eq!(one.captured(), 0, "money before an approval");
    }
}
