//! What a flow wanted is in the end made, or said to be impossible.

use super::{Findings, case::Case, number};

/// How the timeline says that a step will not be made.
const SAID: [&str; 2] = [
    "A step of the flow was given up",
    "A step of the flow was left out",
];

/// How it says that a refund was made.
const REFUNDED: [&str; 2] = ["Refunded", "The refund took effect after all"];

/// The refund of `half-back` and the cancellation of `cancelled`, through every outage.
pub(super) fn steps_are_made(case: &Case<'_>, findings: &mut Findings) {
    let runs = |flow: &str| {
        let words = format!("Runs under the flow {flow},");
        case.timeline()
            .iter()
            .any(|line| line.1.starts_with(&words))
    };
    let said = |titles: &[&str]| titles.iter().any(|title| case.tells(title));
    let captured = number(case.payment, "capturedAmount") > 0;
    let refund_is_due = runs("half-back") && captured && case.status() != "REFUND_PENDING";
    let cancel_is_due = runs("cancelled") && case.status() == "AUTHORISED";
    let is_left_behind =
        refund_is_due && !said(&REFUNDED) && !said(&SAID) || cancel_is_due && !said(&SAID);
    if is_left_behind {
        let detail = format!("it is {}, and its flow wanted more", case.status());
        findings.add("steps-of-flows-are-made", case.id, detail);
    }
}
