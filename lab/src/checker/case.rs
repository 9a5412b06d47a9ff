//! All that is known of one payment.

use serde_json::Value;

use super::{Exchange, number, text};

/// A payment's file.
pub(super) struct Case<'a> {
    /// Its id without prefix.
    pub(super) id: &'a str,
    /// How it is listed at the end.
    pub(super) payment: &'a Value,
    /// Its entries in the books at the end.
    pub(super) entries: Vec<&'a Value>,
    /// Its entries after each of their changes.
    pub(super) notes: Vec<&'a Value>,
    /// Its events.
    pub(super) events: Vec<&'a Value>,
    /// The answers that clients got about it.
    pub(super) said: Vec<&'a Exchange>,
    /// What was asked about it, whether or not an answer came.
    pub(super) asked: Vec<&'a Exchange>,
}

impl<'a> Case<'a> {
    pub(super) fn of(id: &'a str, payment: &'a Value) -> Self {
        let (entries, notes, events) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            id,
            payment,
            entries,
            notes,
            events,
            said: Vec::new(),
            asked: Vec::new(),
        }
    }

    pub(super) fn status(&self) -> &'a str {
        text(self.payment, "status")
    }

    /// The titles and messages of its timeline, as it is shown.
    pub(super) fn timeline(&self) -> Vec<(&'a str, &'a str)> {
        timeline(self.payment)
    }

    /// Whether a refund of it failed after it had taken effect: then what was reported as refunded is less afterwards.
    pub(super) fn went_back(&self) -> bool {
        self.events.iter().any(|row| goes_back(row))
    }

    /// What happened to it, in order.
    pub(super) fn happened(&self) -> impl Iterator<Item = &'a Value> {
        self.events.iter().flat_map(|row| happened_in(row))
    }

    /// Whether something of this kind happened to it.
    pub(super) fn has(&self, kind: &str) -> bool {
        self.happened().any(|event| text(event, "kind") == kind)
    }

    /// Whether an operation of this kind was begun.
    pub(super) fn began(&self, what: &str) -> bool {
        self.happened().any(|event| begins(event, what))
    }

    /// Whether it runs, or has started, a flow.
    pub(super) fn runs(&self, flow: &str) -> bool {
        self.happened().any(|event| {
            matches!(
                text(event, "kind"),
                "payment.created" | "payment.flow_started"
            ) && text(event, "flow") == flow
        })
    }
}

/// What happened in one commit, by the row of its event.
pub(super) fn happened_in(row: &Value) -> &[Value] {
    row.get("data")
        .map_or(&[], |data| super::list(data, "events"))
}

/// The entries of the timeline in the row of an event.
pub(super) fn entries_in(row: &Value) -> &[Value] {
    row.get("data")
        .map_or(&[], |data| super::list(data, "entries"))
}

/// Whether a refund fails that had taken effect, by the row of the event.
pub(super) fn goes_back(row: &Value) -> bool {
    let title = "The refund failed after it had taken effect";
    entries_in(row)
        .iter()
        .any(|entry| text(entry, "title") == title)
}

/// Whether an event says that an operation of this kind is about to be sent.
pub(super) fn begins(event: &Value, what: &str) -> bool {
    text(event, "kind") == "payment.operation_started" && text(event, "what") == what
}

/// The titles and messages of the timeline in a payment as it is shown.
pub(super) fn timeline(payment: &Value) -> Vec<(&str, &str)> {
    let lines = payment
        .pointer("/paymentTimeline/overview")
        .and_then(Value::as_array);
    lines
        .into_iter()
        .flatten()
        .map(|line| (text(line, "title"), text(line, "message")))
        .collect()
}

/// How an entry of the books stands, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stands {
    pub(super) authorised: i64,
    pub(super) captured: i64,
    pub(super) refunded: i64,
    /// Refunds that are accepted and have not settled.
    pub(super) pending: i64,
    pub(super) cancelled: bool,
    /// Nothing more can be captured: a capture was final, or what was left was released.
    pub(super) closed: bool,
}

impl Stands {
    pub(super) fn of(entry: &Value) -> Self {
        let pending = super::list(entry, "refunds")
            .iter()
            .filter(|refund| text(refund, "status") == "pending");
        let captures = super::list(entry, "captures").iter();
        let done: Vec<bool> = captures
            .filter(|capture| text(capture, "status") == "done")
            .map(|capture| capture.get("final") == Some(&Value::Bool(false)))
            .collect();
        let leaves_open = done.iter().all(|leaves_open| *leaves_open) && !done.is_empty();
        Self {
            authorised: number(entry, "authorised"),
            captured: number(entry, "captured"),
            refunded: number(entry, "refunded"),
            pending: pending.fold(0, |sum, refund| {
                sum.saturating_add(number(refund, "amount"))
            }),
            cancelled: entry.get("cancelled") == Some(&Value::Bool(true)),
            closed: number(entry, "released") > 0 || number(entry, "captured") > 0 && !leaves_open,
        }
    }

    /// Whether it holds money that can be captured.
    pub(super) fn is_held(self) -> bool {
        self.is_live() && !self.closed && self.captured < self.authorised
    }

    /// Whether it holds or has taken money that was not given back whole.
    pub(super) fn is_live(self) -> bool {
        self.authorised > 0
            && !self.cancelled
            && (self.captured == 0 || self.captured != self.refunded)
    }
}
