//! The facet of disputes.

use domain::{
    attachment::FileType,
    dispute::{
        DisputeReport,
        evidence::{EvidenceLimits, EvidenceText},
    },
};

use crate::{CallError, Called, Link, Reference};

/// What a processor offers for disputes.
///
/// [`Disputes::submit`] and [`Disputes::accept`] bear a reference that the engine committed before. Called again with the same
/// reference and content they have no second effect and get the same answer; with other content they are
/// [`CallError::Rejected`] for [`crate::Cause::KeyReused`]. A processor that takes files and texts by several requests is sent each under a
/// reference made of that one, and the last of them submits.
pub trait Disputes: Send + Sync {
    /// What the processor takes as a response; `None` where it takes none by its API.
    fn limits(&self) -> Option<&EvidenceLimits> {
        None
    }

    /// Whether a dispute can be accepted by the processor's API.
    fn accepts(&self) -> bool {
        false
    }

    /// Reads a dispute by the processor's id of it. `None`: the processor knows no such dispute.
    fn read<'a>(&'a self, link: &'a Link<'a>, id: &'a str) -> Called<'a, Option<DisputeReport>>;

    /// Submits evidence, once and for good. Returns how the dispute stands then.
    fn submit<'a>(
        &'a self,
        _link: &'a Link<'a>,
        _call: &'a SubmitEvidence<'a>,
    ) -> Called<'a, DisputeReport> {
        unsupported()
    }

    /// Accepts the dispute: the customer keeps the money. Returns how it stands then.
    fn accept<'a>(
        &'a self,
        _link: &'a Link<'a>,
        _call: &'a Respond<'a>,
    ) -> Called<'a, DisputeReport> {
        unsupported()
    }

    /// Finds out whether the processor has a response that may have been sent before. Reads only.
    fn find_response<'a>(
        &'a self,
        _link: &'a Link<'a>,
        _call: &'a Respond<'a>,
    ) -> Called<'a, FoundResponse> {
        unsupported()
    }
}

/// A response to a dispute.
#[derive(Debug, Clone, Copy)]
pub struct Respond<'a> {
    /// Its reference: the processor's idempotency key.
    pub reference: &'a Reference,
    /// The processor's id of the dispute.
    pub dispute: &'a str,
    /// How the dispute stands here, for processors whose answers do not say.
    pub stands: &'a DisputeReport,
}

/// Evidence to be submitted, within [`Disputes::limits`].
#[derive(Debug, Clone, Copy)]
pub struct SubmitEvidence<'a> {
    /// Under which reference, and for which dispute.
    pub respond: Respond<'a>,
    /// The texts, one for each kind at most.
    pub texts: &'a [EvidenceText],
    /// The files.
    pub files: &'a [EvidenceFile],
}

/// A file of evidence.
#[derive(Clone, PartialEq, Eq)]
pub struct EvidenceFile {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: FileType,
    /// Its content.
    pub content: bytes::Bytes,
}

/// Without the content, which may be large and is the merchant's.
impl std::fmt::Debug for EvidenceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvidenceFile")
            .field("kind", &self.kind)
            .field("bytes", &self.content.len())
            .finish_non_exhaustive()
    }
}

/// What a processor knows of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundResponse {
    /// It has it; the dispute stands so.
    Taken(DisputeReport),
    /// It does not have it, as far as it knows now: proof only after [`crate::Descriptor::not_found_final_after`]. How the dispute
    /// stands, where that is known.
    Absent(Option<DisputeReport>),
}

fn unsupported<'a, T: Send + 'a>() -> Called<'a, T> {
    Box::pin(std::future::ready(Err(CallError::Unsupported)))
}
