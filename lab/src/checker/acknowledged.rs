//! What was answered stays true.

use serde_json::Value;

use super::{
    Exchange, Findings,
    case::{Case, timeline},
    list, number, payment_of, states, text,
};

/// A payment as an answer reported it.
struct Reported<'a> {
    said: &'a Exchange,
    payment: &'a Value,
}

impl<'a> Reported<'a> {
    /// What this answer reports; `None` when it names no payment.
    fn by(said: &'a Exchange) -> Option<Self> {
        let payment = payment_of(said.answer.as_ref()?)?;
        Some(Self { said, payment })
    }
}

/// The answers that clients got of a payment fits to what came later, and to its events.
pub(super) fn of_a_payment(case: &Case<'_>, findings: &mut Findings) {
    let answers: Vec<Reported<'_>> = case
        .said
        .iter()
        .filter_map(|said| Reported::by(said))
        .collect();
    let statuses: Vec<&str> = case
        .events
        .iter()
        .filter_map(|event| event.pointer("/data/status").and_then(Value::as_str))
        .collect();
    let end = case.timeline();
    for Reported { said, payment } in &answers {
        sums(case, said, payment, findings);
        let status = text(payment, "status");
        // While the processor is being asked, a request whose time is over gets the answer that the processor has not answered.
        let is_there = statuses.contains(&status)
            || status == "NO_ANSWER_FROM_PSP" && statuses.contains(&"ACTIVE")
            || status == "REFUND_PENDING" && case.began("refund");
        if !is_there {
            let detail = format!("{} reported {status}, which no event knows", said.verb);
            findings.add("every-change-has-an-event", case.id, detail);
        }
        if !may_become(case, status, case.status()) {
            let detail = format!(
                "{} reported {status}, and it ended as {}",
                said.verb,
                case.status()
            );
            findings.add("acknowledged-stays", case.id, detail);
        }
        if payment.get("paymentTimeline").is_some() && !end.starts_with(&timeline(payment)) {
            let detail = format!(
                "the timeline that {} reported is not the beginning of the one at the end",
                said.verb
            );
            findings.add("acknowledged-stays", case.id, detail);
        }
    }
    for (index, earlier) in answers.iter().enumerate() {
        for later in answers
            .iter()
            .skip(index + 1)
            .filter(|later| later.said.began > earlier.said.ended)
        {
            // What is answered again under a key is what was true then.
            if !later.said.replayed {
                compare(case, earlier, later, findings);
            }
        }
    }
}

fn may_become(case: &Case<'_>, from: &str, to: &str) -> bool {
    // Answered to a request whose time was over.
    let begins = if from == "NO_ANSWER_FROM_PSP" {
        "ACTIVE"
    } else {
        from
    };
    let went_back = || {
        let before = ["SUCCEEDED", "PARTIAL_REFUNDED"];
        let mut before = before.into_iter();
        case.went_back()
            && before.any(|one| states::may_go_back(from, one) && states::may_come_after(one, to))
    };
    states::may_come_after(begins, to) || went_back()
}

fn compare(case: &Case<'_>, earlier: &Reported<'_>, later: &Reported<'_>, findings: &mut Findings) {
    let (before, after) = (
        text(earlier.payment, "status"),
        text(later.payment, "status"),
    );
    if !may_become(case, before, after) {
        let detail = format!(
            "{} reported {before}, then {} reported {after}",
            earlier.said.verb, later.said.verb
        );
        findings.add("acknowledged-stays", case.id, detail);
    }
    for name in ["capturedAmount", "refundedAmount"] {
        let (before, after) = (number(earlier.payment, name), number(later.payment, name));
        // Only what can still be captured grows.
        let grows = text(earlier.payment, "status") == "AUTHORISED";
        let is_other = name == "capturedAmount" && before != 0 && after != before && !grows;
        let went_back = name == "refundedAmount" && case.went_back();
        if after < before && !went_back || is_other {
            let detail = format!("{name} was reported as {before}, then as {after}");
            findings.add("acknowledged-stays", case.id, detail);
        }
    }
}

/// Refunds ≤ captures ≤ what was ordered, in what is reported.
fn sums(case: &Case<'_>, said: &Exchange, payment: &Value, findings: &mut Findings) {
    let amount = payment
        .pointer("/amount/rawAmount")
        .and_then(Value::as_i64)
        .unwrap_or(0);
    let (captured, refunded) = (
        number(payment, "capturedAmount"),
        number(payment, "refundedAmount"),
    );
    let sum = |wanted: &[&str]| {
        let counted = list(payment, "refunds")
            .iter()
            .filter(|refund| wanted.contains(&text(refund, "status")));
        counted.fold(0, |sum: i64, refund| {
            sum.saturating_add(number(refund, "amount"))
        })
    };
    // Another system refunds without asking: one of ours that is under way may no longer fit then. The books say that only one of the two
    // took effect.
    let reserved = match super::imports::refunds_of_others(case) {
        0 => sum(&["SUCCEEDED", "PENDING"]),
        _ => sum(&["PENDING"]),
    };
    if captured > amount
        || refunded > captured
        || reserved > captured
        || sum(&["SUCCEEDED"]) != refunded
    {
        findings.add(
            "refunds-captures-authorisations",
            case.id,
            format!("{} reported {payment}", said.verb),
        );
    }
}
