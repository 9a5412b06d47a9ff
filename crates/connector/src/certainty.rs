//! The facet of processors that can't be read by our reference.

use std::time::Duration;

use crate::{Called, Cancel, LaterAnswer, Link};

/// Where reading is not enough: a processor that knows a request again by its key, and can be asked to let nothing stand.
///
/// Source: behaviour contract, section 7, "No payment lost, none charged twice".
pub trait Certainty: Send + Sync {
    /// So long after a capture, cancellation or refund was first sent, the same request under the same reference has no second effect and
    /// is answered as the first was. What the processor promises, less a margin.
    fn replays_within(&self) -> Duration;

    /// Has the processor let nothing stand under the reference of an authorisation whose answer is missing:
    /// [`Cancel::authorisation`] may have no processor's id. The same call repeated has no second effect. The answer is about this
    /// request; an approval that turns out later is reported by itself.
    fn abandon<'a>(&'a self, link: &'a Link<'a>, call: &'a Cancel<'a>) -> Called<'a, LaterAnswer>;
}
