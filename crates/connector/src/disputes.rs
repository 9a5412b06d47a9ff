//! The facet of disputes.

use domain::dispute::DisputeReport;

use crate::{Called, Link};

/// What a processor offers for disputes.
pub trait Disputes: Send + Sync {
    /// Reads a dispute by the processor's id of it. `None`: the processor knows no such dispute.
    fn read<'a>(&'a self, link: &'a Link<'a>, id: &'a str) -> Called<'a, Option<DisputeReport>>;
}
