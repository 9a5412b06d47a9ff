//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    reason = "each has the shape of what it stands in for"
)]

use super::{
    Begin, Cause, Evidence, News, Occurrence, Operation, OperationKind, OperationState, Payment,
    PaymentEvent, Policy, Source, Status, divided::RefundPart, news::Meaning,
};
use crate::{Fault, Timestamp, answer::LaterAnswer, dispute::Dispute};

impl Payment {
    /// A copy in which operation `n` stands a second time, as `again`: for an engine that sends it twice.
    #[must_use]
    pub fn with_copy_of(&self, n: u32, again: u32, send_by: Timestamp) -> Self {
        let mut other = self.clone();
        if let Some(operation) = self.operation(n) {
            other.operations.push(Operation {
                n: again,
                send_by,
                ..operation.clone()
            });
        }
        other
    }
}

/// For `has_ended`.
pub(super) const fn never_ended(_: &Operation) -> bool {
    false
}

/// For `evidence`.
pub(super) const fn no_evidence(
    _: Source,
    _: OperationKind,
    _: bool,
    _: bool,
) -> Option<(Evidence, String)> {
    None
}

/// For `mark_unanswered`.
pub(super) fn mark_failed(payment: &mut Payment, own: Option<u32>, at: Timestamp) {
    if payment.status == Status::Active {
        payment.status = Status::Failed;
    }
    payment.unplanted_mark_unanswered(own, at);
}

/// For `look_again`.
pub(super) fn forget_unknown(payment: &mut Payment, n: u32, at: Timestamp, policy: &Policy) {
    payment.unplanted_look_again(n, at, policy);
    if let Some(operation) = payment.operation_mut(n)
        && matches!(operation.state, OperationState::Unknown { .. })
    {
        operation.next_at = None;
    }
}

/// For `becomes_unknown`.
pub(super) fn mark_unknown_failed(
    payment: &mut Payment,
    n: u32,
    at: Timestamp,
    over: Timestamp,
    policy: &Policy,
) -> Vec<Occurrence> {
    let lines = payment.unplanted_becomes_unknown(n, at, over, policy);
    if payment.status == Status::NoAnswerFromPsp {
        payment.status = Status::Failed;
    }
    lines
}

/// For `took_effect`.
pub(super) fn take_sale_for_authorisation(
    payment: &mut Payment,
    n: u32,
    _: bool,
    at: Timestamp,
    policy: &Policy,
) -> Vec<Occurrence> {
    payment.unplanted_took_effect(n, false, at, policy)
}

/// For `took_effect`.
pub(super) fn capture_whole(
    payment: &mut Payment,
    n: u32,
    captured: bool,
    at: Timestamp,
    policy: &Policy,
) -> Vec<Occurrence> {
    let is_capture = payment.status == Status::Authorised
        && payment
            .operation(n)
            .is_some_and(|operation| operation.kind == OperationKind::Capture);
    let lines = payment.unplanted_took_effect(n, captured, at, policy);
    if is_capture {
        payment.captured = payment.money.minor();
    }
    lines
}

/// For `took_effect`.
pub(super) fn count_refund_twice(
    payment: &mut Payment,
    n: u32,
    captured: bool,
    at: Timestamp,
    policy: &Policy,
) -> Vec<Occurrence> {
    if let Some(operation) = payment.operation(n)
        && matches!(operation.kind, OperationKind::Refund { .. })
    {
        payment.captured = payment.captured.saturating_sub(operation.amount);
    }
    payment.unplanted_took_effect(n, captured, at, policy)
}

/// For `step_failed`.
pub(super) fn leave_failed_step(
    payment: &mut Payment,
    n: u32,
    at: Timestamp,
    policy: &Policy,
) -> Option<Occurrence> {
    let is_refused = matches!(payment.operation(n)?.state, OperationState::Refused { .. });
    is_refused
        .then(|| payment.unplanted_step_failed(n, at, policy))
        .flatten()
}

/// For `begin_reverse`.
pub(super) fn still_owe(
    payment: &mut Payment,
    target: u32,
    captured: bool,
    begin: Begin,
) -> Option<(u32, Occurrence)> {
    let due = payment.operation(target)?.owed.as_ref()?.due;
    let reversal = payment.unplanted_begin_reverse(target, captured, begin);
    if let Some(owed) = payment
        .operation_mut(target)
        .and_then(|charge| charge.owed.as_mut())
    {
        owed.due = due;
    }
    reversal
}

/// For `begin_reverse`.
pub(super) fn reverse_as_authorised(
    payment: &mut Payment,
    target: u32,
    _: bool,
    begin: Begin,
) -> Option<(u32, Occurrence)> {
    payment.unplanted_begin_reverse(target, false, begin)
}

/// For `exclude_later_operations`.
pub(super) const fn exclude_nothing(_: &Payment) -> Result<(), Fault> {
    Ok(())
}

/// For `may_fall_back`.
pub(super) fn fall_back_after_unknown(payment: &Payment, n: u32) -> Option<&'static str> {
    let is_unknown = payment.attempt().is_some_and(|attempt| {
        attempt.n == n
            && attempt.looks == 0
            && matches!(attempt.state, OperationState::Unknown { .. })
    });
    if is_unknown {
        return payment.route.as_ref()?.outage.then_some("silence");
    }
    payment.unplanted_may_fall_back(n)
}

/// For `refundable`.
pub(super) fn reserve_nothing(payment: &Payment) -> i64 {
    payment.captured.saturating_sub(payment.refunded()).max(0)
}

/// For `meaning`.
pub(super) fn take_pending_for_done(
    payment: &Payment,
    n: u32,
    news: &News,
    policy: &Policy,
) -> Meaning {
    let meaning = payment.unplanted_meaning(n, news, policy);
    match (news, meaning) {
        (News::Later(LaterAnswer::Pending { .. }), Meaning::Waits) => {
            Meaning::Effect { captured: false }
        }
        (_, meaning) => meaning,
    }
}

/// For `not_found`.
pub(super) fn nothing_found_is_final(
    payment: &Payment,
    n: u32,
    _: Timestamp,
    policy: &Policy,
) -> Meaning {
    payment.unplanted_not_found(n, Timestamp::from_micros(i64::MAX), policy)
}

/// For `owe`.
pub(super) fn absorb_late_approval(
    payment: &mut Payment,
    n: u32,
    captured: bool,
    at: Timestamp,
) -> Vec<Occurrence> {
    payment.captured = if captured { payment.money.minor() } else { 0 };
    payment.enter_captured(if captured {
        Status::Succeeded
    } else {
        Status::Authorised
    });
    let event = if captured {
        payment.event_of(n, PaymentEvent::Captured)
    } else {
        payment.event_of(n, PaymentEvent::Authorised)
    };
    vec![Occurrence::new(at, "Authorised after all").events(event)]
}

/// For `owe`.
pub(super) fn keep_late_charge(
    payment: &mut Payment,
    n: u32,
    _: bool,
    at: Timestamp,
) -> Vec<Occurrence> {
    let event = payment.event_of(n, PaymentEvent::LateCharge);
    vec![Occurrence::new(at, "Late charge").events(event)]
}

/// For `Payment::note_dispute`.
pub(super) fn forget_end_of_dispute(
    payment: &mut Payment,
    dispute: &Dispute,
    at: Timestamp,
) -> Option<Occurrence> {
    if dispute.standing().holds_payment() {
        payment.unplanted_note_dispute(dispute, at)
    } else {
        None
    }
}

/// For `is_last_capture`.
pub(super) const fn end_with_any_capture(_: &Payment, _: u32) -> bool {
    true
}

/// For `count_captures`.
pub(super) fn count_latest_capture(payment: &mut Payment) {
    let latest = payment.captures().last().map(|capture| capture.amount);
    payment.captured = latest.unwrap_or_default();
}

/// For `enter_released`.
pub(super) fn cancel_with_captures(
    payment: &mut Payment,
    n: u32,
    cause: Cause,
) -> Vec<PaymentEvent> {
    payment.enter_captured(Status::Cancelled);
    payment.cancelled(n, cause).into_iter().collect()
}

/// For `divide_refund`.
pub(super) fn refund_latest_capture(payment: &Payment, amount: i64) -> Vec<RefundPart> {
    let capture = payment.captures().last().map(|capture| capture.n);
    vec![RefundPart { capture, amount }]
}

/// For `amount_to_capture`.
pub(super) fn capture_up_to_all(payment: &Payment, asked: Option<i64>) -> Result<i64, Fault> {
    let all = payment.money.minor();
    Ok(asked.unwrap_or(all).min(all))
}
