//! Imports: what another system sold is a payment once, where that is wanted, is never charged, and makes no noise unless asked.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Evidence, Findings,
    case::{Case, happened_in},
    feed, list, number, payment_behind, text, uuid_of,
};

/// The connection where what others sell is kept, in silence.
pub(crate) const QUIET: &str = "shared-quiet";
/// The connection where what others sell is kept as if it had been sold here.
pub(crate) const ANNOUNCED: &str = "shared-announced";

/// What the references of another system's operations begin with.
const THEIRS: &str = "ext_";

/// Whether an entry of the books is of another system's.
pub(super) fn is_one(entry: &Value) -> bool {
    entry.get("elsewhere").is_some()
}

/// Whether a payment was made of another system's.
pub(super) fn is_imported(payment: &Value) -> bool {
    text(payment, "paymentProcessingOrigin") == "IMPORT"
}

/// The payment that an entry of the books is about; empty where there is none.
pub(super) fn payment_of<'a>(entry: &'a Value, evidence: &'a Evidence) -> &'a str {
    if !is_one(entry) {
        return payment_behind(text(entry, "reference"));
    }
    let found = evidence
        .payments
        .iter()
        .find(|payment| is_of(payment, entry));
    found.map_or("", |payment| uuid_of(text(payment, "id")))
}

/// Whether a payment was made of this entry of the books.
fn is_of(payment: &Value, entry: &Value) -> bool {
    is_imported(payment)
        && text(payment, "orderId") == text(entry, "elsewhere")
        && text(payment, "connectionId") == text(entry, "connection")
}

/// How many refunds others made of a payment.
pub(super) fn refunds_of_others(case: &Case<'_>) -> usize {
    let refunds = case.entries.iter().flat_map(|entry| list(entry, "refunds"));
    let theirs = refunds.filter(|refund| text(refund, "reference").starts_with(THEIRS));
    theirs.count()
}

/// What another system sold that is not kept yet as it is booked, where that is wanted: the references.
pub(crate) fn unimported<'a>(entries: &'a [Value], payments: &[Value]) -> Vec<&'a str> {
    let wanted = entries
        .iter()
        .filter(|entry| is_one(entry) && is_wanted(entry));
    let is_kept = |entry: &&Value| {
        payments.iter().any(|payment| {
            is_of(payment, entry) && number(payment, "refundedAmount") == number(entry, "refunded")
        })
    };
    let open = wanted.filter(|entry| !is_kept(entry));
    open.map(|entry| text(entry, "reference")).collect()
}

fn is_wanted(entry: &Value) -> bool {
    [QUIET, ANNOUNCED].contains(&text(entry, "connection"))
}

/// Judges what became of another system's payments.
pub(super) fn check(
    evidence: &Evidence,
    cases: &BTreeMap<&str, Case<'_>>,
    findings: &mut Findings,
) {
    for entry in evidence.entries.iter().filter(|entry| is_one(entry)) {
        let made = evidence.payments.iter().filter(|one| is_of(one, entry));
        let count = made.count();
        if count != usize::from(is_wanted(entry)) {
            let detail = format!("{count} payments were made of {entry}");
            let subject = text(entry, "reference");
            findings.add("imported-once-where-wanted", subject, detail);
        }
    }
    for case in cases.values().filter(|case| is_imported(case.payment)) {
        not_charged(case, findings);
        noise(case, findings);
    }
}

/// It has the other system's entry, and nothing was asked for but to refund it.
fn not_charged(case: &Case<'_>, findings: &mut Findings) {
    let is_theirs = |entry: &&&Value| is_one(entry);
    let (theirs, all) = (
        case.entries.iter().filter(is_theirs).count(),
        case.entries.len(),
    );
    let touched = case
        .entries
        .iter()
        .any(|entry| !list(entry, "captures").is_empty());
    let began = ["authorise", "capture", "cancel", "complete"];
    let began = began.into_iter().find(|what| case.began(what));
    if theirs != 1 || all != 1 || touched || began.is_some() {
        let detail = format!("{began:?} was begun of an import: {:?}", case.entries);
        findings.add("imports-are-not-charged", case.id, detail);
    }
}

/// What others did is announced where that is wanted, and nowhere else.
fn noise(case: &Case<'_>, findings: &mut Findings) {
    let is_announced = text(case.payment, "connectionId") == ANNOUNCED;
    for row in &case.events {
        let kinds: Vec<&str> = happened_in(row)
            .iter()
            .map(|event| text(event, "kind"))
            .collect();
        let is_import = kinds.contains(&"payment.imported");
        let theirs = ["payment.capture_imported", "payment.refund_imported"];
        let is_theirs = is_import || theirs.iter().any(|kind| kinds.contains(kind));
        let public = feed::public_in(row).count();
        let starts = kinds.contains(&"payment.flow_started");
        let is_right = match (is_theirs, is_announced) {
            (true, false) => public == 0 && !starts,
            (true, true) => is_import && public >= 3,
            (false, _) => true,
        };
        if !is_right {
            let detail = format!("announced: {is_announced}; {row}");
            findings.add("imports-are-announced-where-wanted", case.id, detail);
        }
    }
}
