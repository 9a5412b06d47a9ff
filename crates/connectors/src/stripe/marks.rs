//! The marks of captures. Stripe has no object for a capture, so each leaves its mark in the metadata of its intent.

use super::{answers::captures_at_once, wire::Intent};

/// What the members of an intent's metadata begin with that are the marks of captures; behind it the operation's number. A mark is written by
/// the request that captures, and so is there exactly when the capture is. Its value is the amount on the wire.
pub(super) const CAPTURE_MARK: &str = "pointsman-capture-";

/// A capture's mark in an intent's metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of the operation.
    pub(super) n: u32,
    /// As it was asked for. Unit: that of the wire.
    pub(super) amount: i64,
}

/// What the marks say, held against what Stripe has received. Metadata can be changed by everybody who has access to the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Marks {
    /// They add up to what was received, or to less: then somebody else captured too.
    Backed {
        marks: Vec<Mark>,
        /// What nobody here asked for. Unit: that of the wire.
        others: i64,
    },
    /// They say more than was received.
    Unbacked,
}

/// The captures of an intent that is captured by calls, by their marks.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeMarksUnbacked = super::bugs::believe_marks)
)]
pub(super) fn marks(intent: &Intent) -> Marks {
    if captures_at_once(intent) {
        return Marks::Backed {
            marks: Vec::new(),
            others: 0,
        };
    }
    let marks = written(intent);
    let sum = marks
        .iter()
        .try_fold(0_i64, |sum, mark| sum.checked_add(mark.amount.max(0)));
    match sum.and_then(|sum| intent.amount_received.checked_sub(sum)) {
        Some(others @ 0..) => Marks::Backed { marks, others },
        _ => Marks::Unbacked,
    }
}

/// The marks as they stand in the metadata.
pub(super) fn written(intent: &Intent) -> Vec<Mark> {
    let read = intent.metadata.iter().filter_map(|(name, amount)| {
        Some(Mark {
            n: name.strip_prefix(CAPTURE_MARK)?.parse().ok()?,
            amount: amount.parse().ok()?,
        })
    });
    read.collect()
}

/// Whether everything was captured, and nothing of it by a call of ours.
pub(super) fn is_captured_by_others(intent: &Intent) -> bool {
    intent.amount_received == intent.amount
        && matches!(marks(intent), Marks::Backed { marks, .. } if marks.is_empty())
}

/// Whether nothing more can be captured, and what was not is released.
pub(super) fn is_released(intent: &Intent) -> bool {
    let in_part = (1..intent.amount).contains(&intent.amount_received);
    let all_ours = matches!(marks(intent), Marks::Backed { others: 0, .. });
    intent.status == "canceled" || (intent.status == "succeeded" && in_part && all_ours)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn held(status: &str, received: i64, metadata: &serde_json::Value) -> Intent {
        let intent = json!({"id": "pi_1", "status": status, "amount": 1000, "amount_received": received, "currency": "eur",
            "capture_method": "manual", "metadata": metadata});
        serde_json::from_value(intent).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn marks_count_as_far_as_money_stands_behind_them() {
        let two = json!({"pointsman-capture-2": "300", "pointsman-capture-3": "200", "pointsman-capture-x": "9"});
        for (received, others) in [(500, Some(0)), (700, Some(200)), (499, None), (0, None)] {
            let found = match marks(&held("requires_capture", received, &two)) {
                Marks::Backed { marks, others } => {
                    assert_eq!(marks.len(), 2);
                    Some(others)
                }
                Marks::Unbacked => None,
            };
            assert_eq!(found, others, "{received}");
        }
    }

    #[test]
    fn a_rest_is_released_only_where_the_captures_are_ours() {
        let one = json!({"pointsman-capture-2": "300"});
        assert!(is_released(&held("canceled", 0, &json!({}))));
        assert!(is_released(&held("succeeded", 300, &one)));
        assert!(
            !is_released(&held("succeeded", 400, &one)),
            "somebody else captured"
        );
        assert!(!is_released(&held("requires_capture", 300, &one)));
    }
}
