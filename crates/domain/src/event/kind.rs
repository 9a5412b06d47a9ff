//! The kinds of events that merchants get, and filters by them.

use crate::{Fault, text_enum::text_enum};

text_enum!(
    /// A kind of event. Once released it keeps its meaning. Source: behaviour contract, section 11.
    EventKind {
        /// A payment was made.
        PaymentCreated = "payment.created",
        /// The customer must do something before the payment can go on.
        PaymentActionRequired = "payment.action_required",
        /// It is authorised.
        PaymentAuthorised = "payment.authorised",
        /// It is captured.
        PaymentCaptured = "payment.captured",
        /// It was declined, or given up.
        PaymentDeclined = "payment.declined",
        /// An authorisation failed; nothing was authorised.
        PaymentFailed = "payment.failed",
        /// It was cancelled before capture.
        PaymentCancelled = "payment.cancelled",
        /// The rest of what was authorised was released after a part of it had been captured.
        PaymentReleased = "payment.released",
        /// The outcome of an operation is unknown.
        PaymentUnknown = "payment.unknown",
        /// A refund was accepted and will take effect, or fail, later.
        PaymentRefundPending = "payment.refund_pending",
        /// A refund took effect.
        PaymentRefunded = "payment.refunded",
        /// A refund did not take effect.
        PaymentRefundFailed = "payment.refund_failed",
        /// A capture did not take effect.
        PaymentCaptureFailed = "payment.capture_failed",
        /// A dispute makes it DISPUTED.
        PaymentDisputed = "payment.disputed",
        /// A dispute became known.
        DisputeOpened = "dispute.opened",
        /// Status, stage or details of a dispute have changed.
        DisputeUpdated = "dispute.updated",
        /// The time to respond to a dispute ends soon, or has ended.
        DisputeResponseDue = "dispute.response_due",
        /// A dispute was decided for the merchant.
        DisputeWon = "dispute.won",
        /// A dispute was decided for the customer.
        DisputeLost = "dispute.lost",
        /// A dispute was closed or withdrawn, or the customer was refunded for it.
        DisputeClosed = "dispute.closed",
        /// Nothing happened to an intent for some time.
        IntentInactive = "intent.inactive",
        /// An intent was completed.
        IntentComplete = "intent.complete",
        /// A webhook endpoint was disabled, because it took no delivery for days.
        EndpointDisabled = "endpoint.disabled",
        /// A browser reports a script on a guarded page that is not in its inventory, for the first time.
        PageScriptFound = "page.script_found",
        /// A test, sent when somebody asks for it. It happens to nothing and is in no list.
        EndpointTest = "endpoint.test",
    }
);

/// More entries make no filter more precise.
const ENTRIES_MAX: usize = 100;

/// What ends an entry that stands for all kinds of a group, such as `payment.*`.
const ALL_OF: &str = ".*";

/// Which kinds are wanted. Without an entry: all, those of later versions too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KindFilter(Vec<String>);

impl KindFilter {
    /// Reads entries: kinds such as `payment.captured`, and groups such as `payment.*`. An empty list wants everything.
    ///
    /// # Errors
    /// `error.validation` for `field`: an entry that is neither, or too many.
    pub fn parse(entries: Vec<String>, field: &str) -> Result<Self, Fault> {
        if entries.len() > ENTRIES_MAX {
            let rule = format!("must have at most {ENTRIES_MAX} entries");
            return Err(Fault::invalid(field, rule));
        }
        for (n, entry) in entries.iter().enumerate() {
            if !is_known(entry) {
                let rule = "must be a kind of event such as payment.captured, or a group such as payment.*";
                return Err(Fault::invalid(format!("{field}.{n}"), rule));
            }
        }
        let mut entries = entries;
        entries.sort_unstable();
        entries.dedup();
        Ok(Self(entries))
    }

    /// Whether events of this kind are wanted.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(FilterIgnored = super::bugs::want_everything)
    )]
    pub fn wants(&self, kind: EventKind) -> bool {
        let is_meant = |entry: &String| match entry.strip_suffix(ALL_OF) {
            Some(group) => group_of(kind) == group,
            None => entry == kind.code(),
        };
        self.0.is_empty() || self.0.iter().any(is_meant)
    }

    /// The entries, sorted.
    pub fn entries(&self) -> &[String] {
        &self.0
    }

    /// The filter of entries that were checked when they were stored.
    pub const fn of_stored(entries: Vec<String>) -> Self {
        Self(entries)
    }
}

fn is_known(entry: &str) -> bool {
    match entry.strip_suffix(ALL_OF) {
        Some(group) => EventKind::ALL.iter().any(|kind| group_of(*kind) == group),
        None => EventKind::parse(entry).is_some(),
    }
}

/// The part of a kind before its dot.
fn group_of(kind: EventKind) -> &'static str {
    kind.code().split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(entries: &[&str]) -> Result<KindFilter, Fault> {
        let entries = entries.iter().map(|entry| (*entry).to_owned()).collect();
        KindFilter::parse(entries, "kinds")
    }

    #[test]
    fn a_filter_wants_its_kinds_and_groups_and_an_empty_one_everything() {
        let some = filter(&["payment.captured", "intent.*", "intent.*"]).unwrap();
        assert_eq!(some.entries(), ["intent.*", "payment.captured"]);
        for kind in EventKind::ALL.iter().copied() {
            let is_wanted =
                kind == EventKind::PaymentCaptured || kind.code().starts_with("intent.");
            assert_eq!(some.wants(kind), is_wanted, "{kind}");
            assert!(filter(&[]).unwrap().wants(kind), "{kind}");
        }
    }

    #[test]
    fn what_is_no_kind_is_refused_by_its_place() {
        for wrong in [
            "payment",
            "payment.",
            "*",
            "payment.nope",
            "pay.*",
            "payment.operation_started",
            "",
        ] {
            let fault = filter(&["payment.captured", wrong]).unwrap_err();
            assert_eq!(fault.field.as_deref(), Some("kinds.1"), "{wrong}");
        }
        let many = vec!["payment.captured".to_owned(); 101];
        let fault = KindFilter::parse(many, "kinds").unwrap_err();
        assert_eq!(fault.field.as_deref(), Some("kinds"));
    }
}
