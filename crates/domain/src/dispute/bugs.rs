//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.
#![allow(
    clippy::needless_pass_by_value,
    reason = "each has the shape of what it stands in for"
)]

use super::{Absence, Dispute, DisputeOccurrence, DisputeReport, DisputeStatus, ResponseKind};
use crate::{Fault, Timestamp};

/// For `Dispute::take`: what is known counts as older than any report.
pub(super) fn take_stale(
    dispute: &mut Dispute,
    report: DisputeReport,
    at: Timestamp,
) -> Vec<DisputeOccurrence> {
    dispute.as_of = dispute.as_of.map(|_| Timestamp::from_micros(0));
    dispute.unplanted_take(report, at)
}

/// For `Dispute::is_proven_absent`.
pub(super) const fn absence_is_final(_: &Dispute, _: u32, _: &Absence) -> bool {
    true
}

/// For `Dispute::may_respond`: a dispute can be accepted while evidence is under way.
pub(super) fn accept_any_time(
    dispute: &Dispute,
    kind: ResponseKind,
    at: Timestamp,
) -> Result<(), Fault> {
    if kind == ResponseKind::Acceptance && dispute.status == DisputeStatus::NeedsResponse {
        return Ok(());
    }
    dispute.unplanted_may_respond(kind, at)
}
