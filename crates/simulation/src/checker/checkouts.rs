//! Checkouts: an intent, or a client token, has one live or paid payment.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Evidence, Findings,
    case::{Case, Stands},
    payment_behind, text,
};

/// At no time are two payments of one checkout charged.
pub(super) fn one_charge_for_each(evidence: &Evidence, cases: &BTreeMap<&str, Case<'_>>, findings: &mut Findings) {
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
        let Some(checkout) = checkout_of(reference) else { continue };
        let charged = live.entry(checkout).or_default();
        if Stands::of(note).is_live() {
            charged.insert(reference);
        } else {
            charged.remove(reference);
        }
        if charged.len() > 1 {
            findings.add("one-payment-for-each-checkout", checkout, format!("charged at once: {charged:?}"));
        }
    }
}
