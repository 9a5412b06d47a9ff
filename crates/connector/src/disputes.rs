//! The facet of disputes.

use domain::dispute::{DisputeReport, evidence::EvidenceLimits};

use crate::{Called, Link};

/// What a processor offers for disputes.
pub trait Disputes: Send + Sync {
    /// What the processor takes as a response; `None` where it takes none by its API.
    fn limits(&self) -> Option<&EvidenceLimits> {
        None
    }

    /// Reads a dispute by the processor's id of it. `None`: the processor knows no such dispute.
    fn read<'a>(&'a self, link: &'a Link<'a>, id: &'a str) -> Called<'a, Option<DisputeReport>>;
}
