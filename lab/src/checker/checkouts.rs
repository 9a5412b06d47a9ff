//! Checkouts: an intent, or a client token, has one live or paid payment.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Evidence, Findings,
    case::{Case, Stands},
    payment_behind, text,
};

/// At no time are two payments of one checkout charged.
pub(super) fn one_charge_for_each(
    evidence: &Evidence,
    cases: &BTreeMap<&str, Case<'_>>,
    findings: &mut Findings,
) {
    let mut of_order: BTreeMap<&str, &str> = BTreeMap::new();
    for said in &evidence.said {
        let order = said.asked.pointer("/order/orderId").and_then(Value::as_str);
        if let (Some(order), Some(checkout)) = (order, &said.checkout) {
            of_order.insert(order, checkout);
        }
    }
    let checkout_of = |reference: &str| {
        let case = cases.get(payment_behind(reference))?;
        of_order.get(text(case.payment, "orderId")).copied()
    };
    let mut live: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for note in &evidence.notes {
        let reference = text(note, "reference");
        let Some(checkout) = checkout_of(reference) else {
            continue;
        };
        let charged = live.entry(checkout).or_default();
        if Stands::of(note).is_live() {
            charged.insert(reference);
        } else {
            charged.remove(reference);
        }
        if charged.len() > 1 {
            findings.add(
                "one-payment-for-each-checkout",
                checkout,
                format!("charged at once: {charged:?}"),
            );
        }
    }
}

/// A payment that has ended without money does not stand in the way of the next one.
pub(super) fn freed_without_money(evidence: &Evidence, findings: &mut Findings) {
    let mut ended: BTreeMap<&str, u64> = BTreeMap::new();
    let mut said: Vec<&super::Exchange> = evidence.said.iter().collect();
    said.sort_by_key(|said| said.ended);
    for said in &said {
        let Some(payment) = said.answer.as_ref().and_then(super::payment_of) else {
            continue;
        };
        if matches!(text(payment, "status"), "DECLINED" | "FAILED" | "CANCELLED") {
            ended.entry(text(payment, "id")).or_insert(said.ended);
        }
    }
    for said in &said {
        let Some(answer) = &said.answer else { continue };
        let Some(id) = super::id_in(answer) else {
            continue;
        };
        let in_the_way =
            super::code_in(answer) == Some("error.authorize.payment-already-authorized");
        if in_the_way && !said.replayed && ended.get(id).is_some_and(|ended| *ended < said.began) {
            findings.add(
                "a-checkout-is-freed",
                id,
                "it had ended without money, and stood in the way of another payment",
            );
        }
    }
}
