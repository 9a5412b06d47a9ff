//! Money: the books and the payments agree, at the end and at every instant.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Findings,
    case::{Case, Stands},
    is_unsettled, list, number, text,
};

/// The connection to a processor that never proves that nothing happened.
const MUTE: &str = "mute-a";

/// What a payment shows of its money.
struct Shown<'a> {
    status: &'a str,
    captured: i64,
    refunded: i64,
}

/// The books and the payment agree, and nothing is open any more.
pub(super) fn at_the_end(case: &Case<'_>, findings: &mut Findings) {
    let shown = Shown {
        status: case.status(),
        captured: number(case.payment, "capturedAmount"),
        refunded: number(case.payment, "refundedAmount"),
    };
    if is_unsettled(case.payment) {
        // A refund that was never sent, where nothing can prove that: its amount stays reserved.
        let is_unprovable =
            super::has_pending_refund(case.payment) && text(case.payment, "connectionId") == MUTE;
        if !is_unprovable {
            let detail = format!("it is still {}", shown.status);
            findings.add("settled-at-the-end", case.id, detail);
        }
        return;
    }
    let stands: Vec<Stands> = case.entries.iter().map(|entry| Stands::of(entry)).collect();
    check_books(case, &shown, &stands, findings);
    check_status(case, &shown, findings);
    if case.has("payment.other_operation_found") {
        let detail = "the processors book what they are asked, yet something else was found";
        findings.add("asked-for-what-was-ordered", case.id, detail.to_owned());
    }
    for (entry, stands) in case.entries.iter().zip(&stands) {
        check_order(case, entry, stands, findings);
        check_late_charge(case, &shown, entry, findings);
    }
}

/// What is kept, held, captured and refunded is the same in the books and in the payment.
fn check_books(case: &Case<'_>, shown: &Shown<'_>, stands: &[Stands], findings: &mut Findings) {
    let Shown {
        status,
        captured,
        refunded,
    } = shown;
    let books = stands.iter().fold(0, |sum: i64, one| {
        sum.saturating_add(one.captured)
            .saturating_sub(one.refunded)
    });
    let ours = captured.saturating_sub(*refunded);
    if books != ours {
        findings.add(
            "books-equal-payments",
            case.id,
            format!("{ours} is kept, {books} in the books; {status}"),
        );
    }
    let held = stands.iter().filter(|one| one.is_held()).count();
    if held != usize::from(*status == "AUTHORISED") {
        findings.add(
            "books-equal-payments",
            case.id,
            format!("{held} authorisations are held, it is {status}"),
        );
    }
    if *captured > 0 && !stands.iter().any(|one| shown.is_of(one)) {
        findings.add(
            "books-equal-payments",
            case.id,
            format!("no entry has {captured} captured, {refunded} refunded"),
        );
    }
}

/// The status is one that these amounts can have.
fn check_status(case: &Case<'_>, shown: &Shown<'_>, findings: &mut Findings) {
    let Shown {
        status,
        captured,
        refunded,
    } = *shown;
    let fits = match status {
        // A part may be captured; what is refunded is captured for good.
        "AUTHORISED" => captured < amount_of(case) && refunded == 0,
        "DECLINED" | "FAILED" | "CANCELLED" => captured == 0 && refunded == 0,
        "SUCCEEDED" => captured > 0 && refunded == 0,
        "PARTIAL_REFUNDED" => 0 < refunded && refunded < captured,
        "REFUNDED" => captured > 0 && refunded == captured,
        "REFUND_FAILED" => captured > 0 && refunded < captured,
        "DISPUTED" => captured > 0,
        _ => false,
    };
    if !fits {
        findings.add(
            "status-fits-amounts",
            case.id,
            format!("{status} with {captured} captured, {refunded} refunded"),
        );
    }
}

/// What was ordered, in minor units.
fn amount_of(case: &Case<'_>) -> i64 {
    let amount = case.payment.pointer("/amount/rawAmount");
    amount.and_then(Value::as_i64).unwrap_or(0)
}

/// The processor was asked for the amount and the currency of the payment.
fn check_order(case: &Case<'_>, entry: &Value, stands: &Stands, findings: &mut Findings) {
    let amount = amount_of(case);
    let currency = text(case.payment, "currency");
    let is_other = stands.authorised != amount || text(entry, "currency") != currency;
    if stands.authorised > 0 && is_other {
        let detail = format!("{amount} {currency} was wanted, the processor was asked: {entry}");
        findings.add("asked-for-what-was-ordered", case.id, detail);
    }
}

/// A charge that was given back and that is not the payment's own is reported.
fn check_late_charge(case: &Case<'_>, shown: &Shown<'_>, entry: &Value, findings: &mut Findings) {
    let stands = Stands::of(entry);
    let counts = shown.captured > 0 && shown.is_of(&stands);
    let given_back = stands.authorised > 0 && !stands.is_live() && !counts;
    // What was in review when it was given up was released then, and is shown as given up.
    let is_reported =
        shown.status == "CANCELLED" || case.has("payment.late_charge") || case.began("abandon");
    if given_back && !is_reported {
        findings.add(
            "late-charges-are-reported",
            case.id,
            format!("a charge was given back in silence: {entry}"),
        );
    }
}

impl Shown<'_> {
    /// Whether this entry of the books has the amounts that the payment shows.
    fn is_of(&self, stands: &Stands) -> bool {
        (stands.captured, stands.refunded) == (self.captured, self.refunded)
    }
}

/// Refunds ≤ captures ≤ authorisations in each entry, and one live authorisation, after every change of the books.
pub(super) fn at_every_instant(case: &Case<'_>, findings: &mut Findings) {
    let mut live: BTreeMap<&str, bool> = BTreeMap::new();
    for note in &case.notes {
        let stands = Stands::of(note);
        let Stands {
            authorised,
            captured,
            refunded,
            pending,
            ..
        } = stands;
        if refunded.saturating_add(pending) > captured || captured > authorised {
            findings.add(
                "refunds-captures-authorisations",
                case.id,
                format!("in the books: {note}"),
            );
        }
        live.insert(text(note, "reference"), stands.is_live());
        if live.values().filter(|live| **live).count() > 1 {
            findings.add(
                "one-live-authorisation",
                case.id,
                format!("another is live when this came: {note}"),
            );
            return;
        }
    }
}

/// Nothing was refunded more often than somebody asked for it, and no other amount was captured.
pub(super) fn what_was_asked(case: &Case<'_>, findings: &mut Findings) {
    let refunds = list(case.payment, "refunds");
    let by_flow = usize::from(case.runs("half-back"));
    let again = |event: &&Value| text(event, "kind") == "payment.step_retried";
    let mut keys = BTreeSet::new();
    let others = super::imports::refunds_of_others(case);
    let mut asked = by_flow + others + case.happened().filter(again).count();
    // What was asked under one key counts once.
    for said in case
        .asked
        .iter()
        .filter(|said| said.verb == "refundPayment")
    {
        asked += usize::from(match &said.key {
            Some(key) => keys.insert(key.as_str()),
            None => !super::is_reported_undone(said),
        });
    }
    // A refund that several captures carry is one of each.
    let is_capture = |event: &&Value| {
        text(event, "kind") == "payment.captured" && text(event, "what") == "capture"
    };
    let parts = case.happened().filter(is_capture).count();
    if refunds.len() > asked * parts.max(1) {
        findings.add(
            "done-once-for-each-request",
            case.id,
            format!("{} refunds, {asked} asked for", refunds.len()),
        );
    }
    let captured = number(case.payment, "capturedAmount");
    let amount = amount_of(case);
    if captured != 0 && captured != amount && !is_sum_of(captured, &captures_asked(case)) {
        findings.add(
            "done-once-for-each-request",
            case.id,
            format!("nobody wanted {captured} to be captured"),
        );
    }
}

/// The amounts of captures that somebody asked for, the same under one key once. Without an amount all that was left was
/// wanted, which makes the whole order.
fn captures_asked(case: &Case<'_>) -> Vec<i64> {
    let mut keys = BTreeSet::new();
    let capturing = case
        .asked
        .iter()
        .filter(|said| said.verb == "capturePayment");
    let amounts = capturing.filter_map(|said| Some((said, said.asked.get("amount")?.as_i64()?)));
    // Of two requests under one key the second is refused, whichever that is.
    let once = amounts.filter(|(said, amount)| match said.key.as_deref() {
        Some(key) => keys.insert((key, *amount)),
        None => true,
    });
    once.map(|(_, amount)| amount).collect()
}

/// Whether some of the parts add up to the sum.
fn is_sum_of(sum: i64, parts: &[i64]) -> bool {
    let mut sums = BTreeSet::from([0]);
    for part in parts {
        let more: Vec<i64> = sums
            .iter()
            .map(|one: &i64| one.saturating_add(*part))
            .filter(|one| *one <= sum)
            .collect();
        sums.extend(more);
    }
    sums.contains(&sum)
}

/// No processor refuses a capture or a refund because it is of more than is left there: what is sent fits what was captured, in
/// all and of each capture. Others may refund an import at the same time.
pub(super) fn fits_at_the_processor(case: &Case<'_>, findings: &mut Findings) {
    let is_imported = text(case.payment, "paymentProcessingOrigin") == "IMPORT";
    let above = case
        .happened()
        .filter(|event| text(event, "reason").contains("is above what is left"));
    for event in above.filter(|_| !is_imported) {
        findings.add(
            "amounts-fit-at-the-processor",
            case.id,
            format!("the processor had less left: {event}"),
        );
    }
}
