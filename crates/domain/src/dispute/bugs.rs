//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.
#![allow(
    clippy::needless_pass_by_value,
    reason = "each has the shape of what it stands in for"
)]

use super::{Dispute, DisputeOccurrence, DisputeReport};
use crate::Timestamp;

/// For `Dispute::take`: what is known counts as older than any report.
pub(super) fn take_stale(
    dispute: &mut Dispute,
    report: DisputeReport,
    at: Timestamp,
) -> Vec<DisputeOccurrence> {
    dispute.as_of = dispute.as_of.map(|_| Timestamp::from_micros(0));
    dispute.unplanted_take(report, at)
}
