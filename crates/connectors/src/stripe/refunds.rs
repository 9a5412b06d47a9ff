//! Refunds that we did not ask for. Source: docs/processors/stripe.md, "States".

use super::wire::{Charge, Refund};

/// Those of a charge's refunds, the newest first, that somebody else made. What a capture or a cancellation releases is listed as a refund
/// too, though no captured money is given back.
pub(super) fn of_others<'a>(
    all: &'a [Refund],
    charge: &Charge,
) -> impl Iterator<Item = &'a Refund> {
    let rest = charge.amount.saturating_sub(charge.amount_captured);
    let is_other =
        |refund: &&Refund| refund.reference().is_none() && refund.balance_transaction.is_some();
    // The release comes with the last capture, and so before all refunds that follow it.
    let release = all
        .iter()
        .filter(is_other)
        .rfind(|refund| refund.amount == rest)
        .map(|refund| refund.id.as_str());
    let has_captured = charge.amount_captured > 0;
    all.iter()
        .filter(is_other)
        .filter(move |refund| has_captured && Some(refund.id.as_str()) != release)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_released_is_no_refund() {
        let charge = |captured: i64| -> Charge {
            serde_json::from_value(json!({"id": "ch_1", "status": "succeeded", "amount": 1000, "amount_captured": captured,
                "currency": "eur", "created": 1}))
            .unwrap()
        };
        let all: Vec<Refund> = serde_json::from_value(json!([
            {"id": "re_4", "amount": 300, "currency": "eur", "balance_transaction": "txn_4"},
            {"id": "re_3", "amount": 100, "currency": "eur", "balance_transaction": "txn_3",
                "metadata": {"pointsman": "019af000-0000-7000-8000-000000000000-2"}},
            {"id": "re_2", "amount": 300, "currency": "eur", "balance_transaction": null},
            {"id": "re_1", "amount": 300, "currency": "eur", "balance_transaction": "txn_1"},
        ]))
        .unwrap();
        let found = |captured| {
            let charge = charge(captured);
            let of_others = of_others(&all, &charge).map(|refund| refund.id.as_str());
            of_others.collect::<Vec<_>>()
        };
        assert_eq!(found(1000), ["re_4", "re_1"]);
        assert_eq!(found(700), ["re_4"], "the first is what was not captured");
        assert!(found(0).is_empty(), "nothing was captured");
    }
}
