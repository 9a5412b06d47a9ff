//! What a flow wanted is in the end made, or said to be impossible.

use super::{Findings, case::Case, number};

/// The events that say that a step will not be made.
const NOT_MADE: [&str; 2] = ["payment.step_given_up", "payment.step_left_out"];

/// The refund of `half-back` and the cancellation of `cancelled`, through every outage.
pub(super) fn steps_are_made(case: &Case<'_>, findings: &mut Findings) {
    let created_under = |flow: &str| {
        case.happened()
            .next()
            .is_some_and(|created| super::text(created, "flow") == flow)
    };
    let is_reported = NOT_MADE.iter().any(|kind| case.has(kind));
    let captured = number(case.payment, "capturedAmount") > 0;
    let refund_is_due = created_under("half-back") && captured && case.status() != "REFUND_PENDING";
    let cancel_is_due = created_under("cancelled") && case.status() == "AUTHORISED";
    let is_left_behind = refund_is_due && !case.has("payment.refunded") && !is_reported
        || cancel_is_due && !is_reported;
    if is_left_behind {
        let detail = format!("it is {}, and its flow wanted more", case.status());
        findings.add("steps-of-flows-are-made", case.id, detail);
    }
}
