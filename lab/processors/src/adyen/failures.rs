//! What schemes reject after it was done.

use super::{books::Books, modifications::Modification, notices::Event};

impl Books {
    /// `CAPTURE_FAILED`: the money is not there after all. `psp` is the capture's, or the payment's where it was captured by itself.
    pub(super) fn fail_capture(&mut self, psp: &str) {
        let asked = self.modifications.get(psp).cloned();
        let of = asked
            .as_ref()
            .map_or(psp, |asked| asked.payment.as_str())
            .to_owned();
        let Some(payment) = self.payments.get(&of).cloned() else {
            return;
        };
        let amount = match &asked {
            Some(Modification {
                amount: Some(amount),
                ..
            }) => amount.clone(),
            _ => payment.amount.of_value(payment.captured),
        };
        // An automatic capture has no reference of its own.
        let reference = if asked.is_some() {
            psp.to_owned()
        } else {
            self.psp()
        };
        self.change(&of, |payment| {
            payment.captured = payment.captured.saturating_sub(amount.value);
        });
        self.moved(
            &of,
            "CAPTURE_FAILED",
            amount.of_value(amount.value.saturating_neg()),
        );
        let mut event = payment.event("CAPTURE_FAILED", Some(&reference));
        event.amount = amount;
        "Capture Failed".clone_into(&mut event.reason);
        self.notify_with_reference(event, asked.as_ref());
    }

    /// `REFUND_FAILED` or `REFUNDED_REVERSED`: the money is back.
    pub(super) fn take_refund_back(&mut self, psp: &str, code: &'static str) {
        let Some(asked) = self.modifications.get(psp).cloned() else {
            return;
        };
        let Some(payment) = self.payments.get(&asked.payment).cloned() else {
            return;
        };
        let amount = asked
            .amount
            .clone()
            .unwrap_or_else(|| payment.amount.of_value(payment.refunded));
        self.change(&payment.psp, |payment| {
            payment.refunded = payment.refunded.saturating_sub(amount.value);
        });
        self.moved(&payment.psp, code, amount.clone());
        let mut event = payment.event(code, Some(psp));
        event.amount = amount;
        "Refund Failed".clone_into(&mut event.reason);
        self.notify_with_reference(event, Some(&asked));
    }

    /// With the merchant's own reference for the modification, where it gave one.
    fn notify_with_reference(&mut self, mut event: Event, asked: Option<&Modification>) {
        if let Some(reference) = asked.and_then(|asked| asked.reference.as_ref()) {
            event.reference.clone_from(reference);
        }
        self.notify(event);
    }
}
