//! Disputes: all events of one have its `pspReference`, and the payment's as `originalReference`.
//!
//! Source: docs/processors/adyen.md, "Later changes and disputes" and "The course of a dispute".

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use super::{
    amount::Amount, books::Books, calendar, later::Change, notices::Event, plans::Course,
    refusal::Refusal,
};

/// When the money of a dispute is taken after it was notified.
const CHARGED_AFTER: Duration = Duration::from_secs(1);
/// When the issuer has judged a defence, and when it comes back to it.
pub(super) const JUDGED_AFTER: Duration = Duration::from_secs(5);
/// How long the merchant has to defend. It depends on the scheme; this is the simulator's.
const DEFENDED_WITHIN: Duration = Duration::from_hours(14 * 24);

/// Where a dispute stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Inquiry,
    Notified,
    ChargedBack,
    /// The issuer judges the defence.
    Defended,
    /// Won, for the time being.
    Reversed,
    Won,
    Lost,
}

/// A document of a defence.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) class: String,
    pub(super) text: Vec<u8>,
}

/// A dispute.
#[derive(Debug, Clone)]
pub(super) struct Dispute {
    pub(super) psp: String,
    pub(super) number: u64,
    pub(super) payment: String,
    pub(super) account: String,
    amount: Amount,
    reason_code: String,
    pub(super) stage: Stage,
    /// Whether it was an inquiry when it was defended.
    pub(super) is_inquiry: bool,
    pub(super) defended_until: Duration,
    /// By their type codes.
    pub(super) documents: BTreeMap<String, Document>,
    course: Course,
    /// Whether the merchant has accepted it.
    pub(super) accepted: bool,
    /// What was notified of it, the oldest first.
    notified: Vec<&'static str>,
}

impl Dispute {
    /// As `/_sim/books` shows it.
    pub(super) fn shown(&self) -> Value {
        json!({
            "pspReference": self.psp,
            "payment": self.payment,
            "amount": self.amount.view(),
            "reasonCode": self.reason_code,
            "stage": format!("{:?}", self.stage),
            "accepted": self.accepted,
            "history": self.notified,
            "documents": self.documents.iter().map(|(code, document)| json!({"type": code, "contentType": document.class})).collect::<Vec<_>>(),
        })
    }
}

impl Books {
    /// Opens the dispute that the payment's plan has.
    pub(super) fn dispute_by_plan(&mut self, payment: &str) {
        let plan = self
            .payments
            .get(payment)
            .and_then(|payment| payment.plan.dispute.clone());
        if let Some((course, code)) = plan {
            // What was given back already can't be disputed.
            let _needless = self.open_dispute(payment, course, &code);
        }
    }

    /// Opens a dispute about what was captured and not given back.
    pub(super) fn open_dispute(
        &mut self,
        payment: &str,
        course: Course,
        reason_code: &str,
    ) -> Result<String, Refusal> {
        let payment = self.payments.get(payment).ok_or_else(Refusal::no_payment)?;
        let left = payment.captured.saturating_sub(payment.refunded);
        if left <= 0 {
            return Err(Refusal::ours(
                "Nothing of this payment was captured and not refunded",
            ));
        }
        let (of, account, amount) = (
            payment.psp.clone(),
            payment.account.clone(),
            payment.amount.of_value(left),
        );
        let psp = self.psp();
        let is_inquiry = course == Course::Inquiry;
        let dispute = Dispute {
            psp: psp.clone(),
            number: self.number(),
            payment: of,
            account,
            amount,
            reason_code: reason_code.to_owned(),
            stage: if is_inquiry {
                Stage::Inquiry
            } else {
                Stage::Notified
            },
            is_inquiry,
            defended_until: self.now.saturating_add(DEFENDED_WITHIN),
            documents: BTreeMap::new(),
            course,
            accepted: false,
            notified: Vec::new(),
        };
        self.disputes.insert(psp.clone(), dispute);
        self.do_later(DEFENDED_WITHIN, Change::Forfeit(psp.clone()));
        if is_inquiry {
            self.notify_stage(&psp, "REQUEST_FOR_INFORMATION", "Undefended");
        } else {
            self.notify_stage(&psp, "NOTIFICATION_OF_CHARGEBACK", "Undefended");
            self.do_later(CHARGED_AFTER, Change::Charge(psp.clone()));
        }
        Ok(psp)
    }

    /// `CHARGEBACK`: the money is gone.
    pub(super) fn charge_back(&mut self, psp: &str) {
        let Some(dispute) = self.stage(psp, &[Stage::Notified], Stage::ChargedBack) else {
            return;
        };
        let goes_on = matches!(dispute.course, Course::Reversed | Course::Second);
        self.move_disputed(&dispute, "CHARGEBACK", false);
        self.notify_stage(psp, "CHARGEBACK", "Undefended");
        if goes_on {
            self.do_later(JUDGED_AFTER, Change::Reverse(psp.to_owned()));
        }
    }

    /// `CHARGEBACK_REVERSED`: not final.
    pub(super) fn reverse_chargeback(&mut self, psp: &str) {
        let before = [Stage::ChargedBack, Stage::Defended];
        let Some(dispute) = self.stage(psp, &before, Stage::Reversed) else {
            return;
        };
        self.move_disputed(&dispute, "CHARGEBACK_REVERSED", true);
        self.notify_stage(psp, "CHARGEBACK_REVERSED", "Pending");
        if dispute.course == Course::Second {
            self.do_later(JUDGED_AFTER, Change::ChargeAgain(psp.to_owned()));
        }
    }

    /// `SECOND_CHARGEBACK`: lost after it looked won.
    pub(super) fn charge_back_again(&mut self, psp: &str) {
        let Some(dispute) = self.stage(psp, &[Stage::Reversed], Stage::Lost) else {
            return;
        };
        self.move_disputed(&dispute, "SECOND_CHARGEBACK", false);
        self.notify_stage(psp, "SECOND_CHARGEBACK", "Lost");
    }

    /// `PREARBITRATION_WON` or `PREARBITRATION_LOST`: the issuer insisted, and the scheme decided.
    pub(super) fn arbitrate(&mut self, psp: &str, wins: bool) {
        let (to, code, status) = if wins {
            (Stage::Won, "PREARBITRATION_WON", "Won")
        } else {
            (Stage::Lost, "PREARBITRATION_LOST", "Lost")
        };
        let Some(dispute) = self.stage(psp, &[Stage::Reversed], to) else {
            return;
        };
        if !wins {
            self.move_disputed(&dispute, code, false);
        }
        self.notify_stage(psp, code, status);
    }

    /// `ISSUER_RESPONSE_TIMEFRAME_EXPIRED`: won for good.
    pub(super) fn win(&mut self, psp: &str) {
        if self
            .stage(psp, &[Stage::Reversed, Stage::Defended], Stage::Won)
            .is_some()
        {
            self.notify_stage(psp, "ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "Won");
        }
    }

    /// `DISPUTE_DEFENSE_PERIOD_ENDED`: not defended, or accepted. An inquiry without an answer becomes a chargeback.
    pub(super) fn forfeit(&mut self, psp: &str) {
        if self
            .stage(psp, &[Stage::Inquiry], Stage::Notified)
            .is_some()
        {
            self.become_chargeback(psp);
        } else if self
            .stage(psp, &[Stage::Notified, Stage::ChargedBack], Stage::Lost)
            .is_some()
        {
            self.notify_stage(psp, "DISPUTE_DEFENSE_PERIOD_ENDED", "Lost");
        }
    }

    /// An inquiry that wasn't answered well.
    pub(super) fn become_chargeback(&mut self, psp: &str) {
        let until = self.now.saturating_add(DEFENDED_WITHIN);
        if let Some(dispute) = self.disputes.get_mut(psp) {
            dispute.stage = Stage::Notified;
            dispute.is_inquiry = false;
            dispute.defended_until = until;
            dispute.documents.clear();
        }
        self.notify_stage(psp, "NOTIFICATION_OF_CHARGEBACK", "Undefended");
        self.do_later(CHARGED_AFTER, Change::Charge(psp.to_owned()));
        self.do_later(DEFENDED_WITHIN, Change::Forfeit(psp.to_owned()));
    }

    /// Moves a dispute on from one of some stages; it as it was before. `None` when it stands elsewhere.
    pub(super) fn stage(&mut self, psp: &str, from: &[Stage], to: Stage) -> Option<Dispute> {
        let dispute = self.disputes.get_mut(psp)?;
        if !from.contains(&dispute.stage) {
            return None;
        }
        let before = dispute.clone();
        dispute.stage = to;
        Some(before)
    }

    fn move_disputed(&mut self, dispute: &Dispute, event: &'static str, is_back: bool) {
        let value = dispute.amount.value;
        let value = if is_back {
            value
        } else {
            value.saturating_neg()
        };
        self.moved(&dispute.payment, event, dispute.amount.of_value(value));
    }

    /// Notifies a stage of a dispute.
    pub(super) fn notify_stage(&mut self, psp: &str, code: &'static str, status: &str) {
        let Some(dispute) = self.disputes.get_mut(psp) else {
            return;
        };
        dispute.notified.push(code);
        let Some(payment) = self.payments.get(&dispute.payment) else {
            return;
        };
        let can_defend = matches!(
            dispute.stage,
            Stage::Inquiry | Stage::Notified | Stage::ChargedBack
        );
        let prefix = if dispute.is_inquiry {
            "rfi"
        } else {
            "chargeback"
        };
        let mut event = payment.event(code, Some(psp));
        event.amount = dispute.amount.clone();
        event.reason = format!("{}:Dispute", dispute.reason_code);
        let notes = [
            (format!("{prefix}ReasonCode"), dispute.reason_code.clone()),
            (
                format!("{prefix}SchemeCode"),
                payment.instrument.brand.clone(),
            ),
            ("defendable".to_owned(), can_defend.to_string()),
            (
                "defensePeriodEndsAt".to_owned(),
                calendar::written(dispute.defended_until),
            ),
            ("disputeStatus".to_owned(), status.to_owned()),
            ("modificationMerchantReferences".to_owned(), String::new()),
        ];
        event.additional.extend(notes);
        self.notify(event);
    }

    /// `NOTIFICATION_OF_FRAUD`: the issuer reports fraud; no money moves.
    pub(super) fn report_fraud(&mut self, payment: &str) -> Result<String, Refusal> {
        let psp = self.psp();
        let payment = self.payments.get(payment).ok_or_else(Refusal::no_payment)?;
        let event: Event = payment.event("NOTIFICATION_OF_FRAUD", Some(&psp));
        self.notify(event);
        Ok(psp)
    }
}
