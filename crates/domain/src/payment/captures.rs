//! Several captures of one authorisation: what each leaves, when the last one was, and the release of the rest.
//!
//! While a payment is AUTHORISED, what is captured and what is left add up to what was authorised. It leaves AUTHORISED by a
//! final capture, by one that leaves nothing, or by a cancellation, which releases the rest.
//!
//! Source: behaviour contract, section 7, `capturePayment` and "Money can go backwards".

use super::{
    Begin, Cancelled, Cause, Occurrence, Operation, OperationKind, OperationState, Payment,
    PaymentEvent, Policy, Status, sum,
};
use crate::{
    Timestamp,
    answer::Answer,
    fault::{Code, Fault},
    id::ConnectionId,
    money::Money,
};

impl Payment {
    /// Adds the final capture, of `amount` minor units, of all that is left when absent. What it leaves is released.
    ///
    /// # Errors
    /// `error.capture.invalid-status`, `error.payment.operation-in-progress`,
    /// `error.capture.amount-exceeds-authorised`.
    pub fn begin_capture(
        &mut self,
        amount: Option<i64>,
        begin: Begin,
    ) -> Result<(u32, Occurrence), Fault> {
        let connection = self.capturable_at()?;
        let amount = self.amount_to_capture(amount)?;
        let occurrence = Occurrence::new(begin.at, "Capture started").saying(self.words(amount));
        let n = self.push(OperationKind::Capture, connection, amount, begin);
        Ok((n, occurrence.events(self.started(n))))
    }

    /// Adds a capture that leaves the authorisation open for another, as [`Self::begin_capture`]. `several_captures`: whether
    /// the connector takes several, where the processor has not said so of this authorisation.
    ///
    /// # Errors
    /// Those of [`Self::begin_capture`], and `error.validation` where the authorisation takes one capture alone.
    pub fn begin_part_capture(
        &mut self,
        amount: Option<i64>,
        several_captures: bool,
        begin: Begin,
    ) -> Result<(u32, Occurrence), Fault> {
        let connection = self.capturable_at()?;
        if !self.takes_several_captures(several_captures) {
            let rule = "must be true for this payment: its processor takes one capture of an authorisation, which is the final one";
            return Err(Fault::invalid("final", rule)
                .about(self.id)
                .in_status(self.status));
        }
        let amount = self.amount_to_capture(amount)?;
        let words = format!("{} More may follow.", self.words(amount));
        let occurrence = Occurrence::new(begin.at, "Capture started").saying(words);
        let n = self.push(OperationKind::Capture, connection, amount, begin);
        if let Some(operation) = self.operation_mut(n) {
            operation.keeps_open = true;
        }
        Ok((n, occurrence.events(self.started(n))))
    }

    /// Where the payment can be captured now.
    fn capturable_at(&self) -> Result<ConnectionId, Fault> {
        let status = |payment: &Self| {
            payment.wrong_status(
                Code::CaptureStatus,
                "Only a payment with status AUTHORISED can be captured.",
            )
        };
        let connection = self.authorised_connection().ok_or_else(|| status(self))?;
        if self.status != Status::Authorised {
            return Err(status(self));
        }
        self.exclude_later_operations()?;
        Ok(connection)
    }

    /// What a capture takes: the amount that was asked for, or all that is left.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(CapturedPartForgotten = super::bugs::capture_up_to_all)
    )]
    fn amount_to_capture(&self, asked: Option<i64>) -> Result<i64, Fault> {
        let left = self.capturable();
        let amount = asked.unwrap_or(left);
        if amount <= left {
            return Ok(amount);
        }
        let what = if self.captured == 0 {
            "was authorised"
        } else {
            "is left of what was authorised"
        };
        let message = format!(
            "The amount is more than {what}: at most {} can be captured.",
            self.limit(left)
        );
        Err(Fault::new(Code::CaptureAmount, message)
            .about(self.id)
            .in_status(self.status)
            .at_most(left))
    }

    /// What can still be captured, in minor units.
    pub fn capturable(&self) -> i64 {
        if self.status == Status::Authorised {
            self.uncaptured()
        } else {
            0
        }
    }

    /// What was authorised and is not captured, in minor units.
    pub(super) fn uncaptured(&self) -> i64 {
        self.money.minor().saturating_sub(self.captured).max(0)
    }

    /// Whether the authorisation can be captured several times: as the processor said of it, else as its connector says of all.
    pub fn takes_several_captures(&self, by_default: bool) -> bool {
        let answer = self.authorisation().and_then(|own| own.answer.as_ref());
        match answer {
            Some(Answer::Approved { approval, .. }) => {
                approval.several_captures.unwrap_or(by_default)
            }
            Some(
                Answer::Declined { .. }
                | Answer::Held { .. }
                | Answer::ActionRequired { .. }
                | Answer::Failed { .. },
            )
            | None => by_default,
        }
    }

    /// The captures that stand, in order.
    pub(super) fn captures(&self) -> impl Iterator<Item = &Operation> {
        self.operations
            .iter()
            .filter(|one| one.kind == OperationKind::Capture)
            .filter(|one| one.state.is_done() && one.owed.is_none())
    }

    /// What the charges that stand add up to. What others captured of an import at first is its authorisation's.
    fn charged(&self) -> i64 {
        let first = self.imported.as_ref().and(self.authorisation());
        let first = first.map_or(0, |sale| sale.amount);
        first.saturating_add(sum(self.captures()))
    }

    /// Counts the captures that stand. More than was authorised is never counted: then the processor contradicts itself, and
    /// people must look at it.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(LatestCaptureAlone = super::bugs::count_latest_capture)
    )]
    pub(super) fn count_captures(&mut self) {
        self.captured = self.charged().min(self.money.minor());
    }

    /// Whether all captures together are within what was authorised.
    pub(super) fn captures_fit(&self) -> bool {
        self.charged() <= self.money.minor()
    }

    /// Whether nothing can be captured after capture `n`.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(PartEndsAuthorisation = super::bugs::end_with_any_capture)
    )]
    fn is_last_capture(&self, n: u32) -> bool {
        let stays_open = self.operation(n).is_some_and(|one| one.keeps_open);
        !stays_open || self.uncaptured() == 0
    }

    /// Capture `n` of an AUTHORISED payment has taken effect. The events of that.
    pub(super) fn enter_capture(&mut self, n: u32, at: Timestamp) -> Vec<PaymentEvent> {
        self.count_captures();
        let mut events: Vec<PaymentEvent> = self
            .event_of(n, PaymentEvent::Captured)
            .into_iter()
            .collect();
        if self.is_last_capture(n) {
            events.extend(self.enter_paid());
            self.flow_goes_on(at);
        }
        events
    }

    /// A capture of a payment that has left AUTHORISED took effect after all. The event of that; `None` where the processor
    /// would have taken more than it had authorised.
    pub(super) fn add_capture(&mut self, n: u32) -> Option<PaymentEvent> {
        if !self.is_paid() || !self.captures_fit() {
            return None;
        }
        self.count_captures();
        self.status = self.paid_status();
        self.event_of(n, PaymentEvent::Captured)
    }

    /// What is said of a capture: its amount, and what it leaves.
    pub(super) fn capture_words(&self, amount: i64) -> String {
        let sum = self.words(amount);
        if self.status != Status::Authorised {
            return sum;
        }
        let left = Money::new(self.uncaptured(), self.money.currency()).formatted();
        format!("{sum} {left} is left to be captured.")
    }

    /// The processor has released what was not captured, by operation `n`: the payment leaves AUTHORISED. The events of that.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(ReleaseCancelsAll = super::bugs::cancel_with_captures)
    )]
    pub(super) fn enter_released(&mut self, n: u32, cause: Cause) -> Vec<PaymentEvent> {
        if self.captured == 0 {
            self.enter_captured(Status::Cancelled);
            return self.cancelled(n, cause).into_iter().collect();
        }
        let disputed = self.enter_paid();
        let released = self.event_of(n, |operation| {
            PaymentEvent::Released(Cancelled { operation, cause })
        });
        released.into_iter().chain(disputed).collect()
    }

    /// The title of a cancellation that took effect.
    pub(super) fn release_title(&self) -> &'static str {
        if self.captured == 0 {
            "Cancelled"
        } else {
            "The rest was released"
        }
    }

    /// What is said of what was released.
    pub(super) fn release_words(&self) -> String {
        if self.captured == 0 {
            return "The processor has released the authorised amount.".to_owned();
        }
        let money = |minor| Money::new(minor, self.money.currency()).formatted();
        format!(
            "The processor has released {}; {} stays captured.",
            money(self.uncaptured()),
            money(self.captured)
        )
    }

    /// Capture `n`, which has failed, was counted: what is left, and whether more can be captured again. The authorisation is
    /// open while no capture that ended it stands, and nothing released it.
    pub(super) fn recount_captures(&mut self, at: Timestamp, policy: &Policy) {
        self.count_captures();
        if self.status == Status::Authorised {
            return;
        }
        let is_closed = self.uncaptured() == 0
            || self.captures().any(|capture| !capture.keeps_open)
            || self.is_released();
        let open_until = self
            .authorised_until(policy)
            .filter(|ends| *ends > at && !is_closed && !self.has_refunds());
        match open_until {
            Some(ends) => {
                self.status = Status::Authorised;
                self.expires_at = Some(ends);
            }
            None if self.captured > 0 => self.status = self.paid_status(),
            // What was refunded of a capture that is gone can't be known here, and stays FAILED too.
            None => self.status = Status::Failed,
        }
    }

    /// When the life time of the authorisation that holds ends.
    fn authorised_until(&self, policy: &Policy) -> Option<Timestamp> {
        let authorisation = self.authorisation()?;
        match authorisation.state {
            OperationState::Done { at } => Some(self.lives_until(authorisation.n, at, policy)),
            OperationState::Sent
            | OperationState::Unknown { .. }
            | OperationState::Waiting { .. }
            | OperationState::Pending { .. }
            | OperationState::Refused { .. }
            | OperationState::Failed { .. } => None,
        }
    }

    fn is_released(&self) -> bool {
        self.operations.iter().any(|one| {
            matches!(
                one.kind,
                OperationKind::Cancel { .. } | OperationKind::Abandon { .. }
            ) && one.state.is_done()
        })
    }

    fn has_refunds(&self) -> bool {
        self.refunds()
            .any(|refund| refund.state.is_open() || refund.state.is_done())
    }
}
