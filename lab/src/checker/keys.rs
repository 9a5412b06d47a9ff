//! Idempotency keys: one key, one answer, one effect.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Evidence, Exchange, Findings,
    case::{entries_in, happened_in, timeline},
    code_in, id_in, list, payment_of, text, uuid_of,
};

/// To whom a key belongs: what was asked for, and for captures and the like of which payment.
fn scope(said: &Exchange) -> (&'static str, &str) {
    (said.verb, text(&said.asked, "id"))
}

/// The same request under the same key gets the same answer; another one under it does nothing.
pub(super) fn same_key_same_answer(evidence: &Evidence, findings: &mut Findings) {
    let mut by_key: BTreeMap<_, Vec<&Exchange>> = BTreeMap::new();
    for said in &evidence.said {
        if let Some(key) = &said.key {
            by_key
                .entry((scope(said), key.as_str()))
                .or_default()
                .push(said);
        }
    }
    for ((_, key), all) in by_key {
        let counting: Vec<(&Exchange, &Value)> = all
            .iter()
            .filter_map(|said| Some((*said, counts(said)?)))
            .collect();
        let Some((first, answer)) = counting.first() else {
            continue;
        };
        forgotten(key, first, answer, &all, findings);
        for (said, other) in counting.iter().skip(1) {
            if said.asked == first.asked {
                same(evidence, key, answer, other, findings);
            } else {
                another(key, answer, other, findings);
            }
        }
    }
}

/// An answer that a key remembers.
fn counts(said: &Exchange) -> Option<&Value> {
    let answer = said.answer.as_ref()?;
    let code = code_in(answer).unwrap_or_default();
    let passing = [
        "error.unavailable",
        "error.unknown",
        "error.idempotency.in-progress",
        "error.idempotency.key-reused",
        "error.payment.operation-in-progress",
        "error.rate-limited",
    ];
    (!passing.contains(&code)).then_some(answer)
}

/// What was answered once is not under way any more.
fn forgotten(
    key: &str,
    first: &Exchange,
    answer: &Value,
    all: &[&Exchange],
    findings: &mut Findings,
) {
    // Without an answer it may be said from memory, while the database is away: nothing is stored then, and it goes on.
    let open = payment_of(answer).is_some_and(|payment| {
        matches!(
            text(payment, "status"),
            "ACTIVE" | "GATEWAY_HOLD" | "NO_ANSWER_FROM_PSP"
        )
    });
    let open = open || is_response_open(answer);
    let later = all
        .iter()
        .filter(|said| said.began > first.ended && said.asked == first.asked);
    let in_progress = |answer: &Value| code_in(answer) == Some("error.idempotency.in-progress");
    if !open
        && later
            .filter_map(|said| said.answer.as_ref())
            .any(in_progress)
    {
        findings.add(
            "same-key-same-answer",
            key,
            format!("reported {answer}, then that it is under way"),
        );
    }
}

fn same(evidence: &Evidence, key: &str, first: &Value, other: &Value, findings: &mut Findings) {
    if id_in(first) != id_in(other) {
        let detail = format!("reported {:?}, then {:?}", id_in(first), id_in(other));
        findings.add("same-key-same-answer", key, detail);
        return;
    }
    let (one, two) = (payment_of(first), payment_of(other));
    // What was open when it was answered is answered as it was settled later.
    let is_open = |payment| is_open(payment, &evidence.events);
    let open = one.is_some_and(is_open) || two.is_some_and(is_open);
    let open = open || is_response_open(first) || is_response_open(other);
    if !open && (code_in(first), first.get("data")) != (code_in(other), other.get("data")) {
        findings.add(
            "same-key-same-answer",
            key,
            format!("reported {first}, then {other}"),
        );
    }
}

/// Whether a response to a dispute that was answered was still under way.
fn is_response_open(answer: &Value) -> bool {
    let dispute = answer.get("data").and_then(Value::as_object);
    let dispute = dispute.and_then(|data| data.values().next());
    dispute.is_some_and(super::is_responding)
}

/// Whether the operation that was answered may still have been open.
fn is_open(payment: &Value, rows: &[Value]) -> bool {
    let refunds = list(payment, "refunds")
        .iter()
        .any(|refund| text(refund, "status") == "PENDING");
    let unanswered = last_event(payment, rows).is_some_and(super::is_unanswered);
    refunds || unanswered || text(payment, "status") == "NO_ANSWER_FROM_PSP"
}

/// What had happened last to a payment when it was reported with its timeline: what the rows have whose entries it had.
fn last_event<'a>(payment: &Value, rows: &'a [Value]) -> Option<&'a Value> {
    let stream = uuid_of(text(payment, "id"));
    let mut left = timeline(payment).len();
    let mut last = None;
    for row in rows.iter().filter(|row| text(row, "stream") == stream) {
        if left == 0 {
            break;
        }
        left = left.saturating_sub(entries_in(row).len());
        last = happened_in(row).last().or(last);
    }
    last
}

/// Another request under the key: the answer to the first one, or that the key is taken.
fn another(key: &str, first: &Value, other: &Value, findings: &mut Findings) {
    if payment_of(other).is_some()
        || id_in(first) != id_in(other) && code_in(first) == code_in(other)
    {
        findings.add(
            "same-key-same-answer",
            key,
            format!("another request was carried out under it: {other}"),
        );
    }
}

/// An order that was sent once, or any number of times under one key, is one payment.
pub(super) fn one_payment_for_each_order(evidence: &Evidence, findings: &mut Findings) {
    let mut made: BTreeMap<&str, usize> = BTreeMap::new();
    let own = |payment: &&Value| !super::imports::is_imported(payment);
    for payment in evidence.payments.iter().filter(own) {
        *made.entry(text(payment, "orderId")).or_default() += 1;
    }
    let mut sent: BTreeMap<&str, usize> = BTreeMap::new();
    let mut keys: BTreeSet<(&str, &str)> = BTreeSet::new();
    for said in evidence
        .said
        .iter()
        .filter(|said| said.verb == "authorizePayment")
    {
        let order = said
            .asked
            .pointer("/order/orderId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        // Who has no key and gets neither an id nor what happened may send it again: nothing was made.
        let counts = match &said.key {
            Some(key) => keys.insert((order, key)),
            None => !super::is_reported_undone(said),
        };
        *sent.entry(order).or_default() += usize::from(counts);
    }
    for (order, count) in made {
        let most = sent.get(order).copied().unwrap_or(0);
        if count > most {
            findings.add(
                "done-once-for-each-request",
                order,
                format!("{count} payments, {most} asked for"),
            );
        }
    }
}
