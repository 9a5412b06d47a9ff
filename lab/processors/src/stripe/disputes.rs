//! Disputes: opened by a cardholder, answered once, decided by a bank.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use super::{
    books::{Books, Row},
    later::Change,
    movements::NewMovement,
    refusal::Refusal,
    rules::Rule,
};
use crate::form::Form;

/// How long the merchant may answer. A model: `due_by` tells.
const ANSWERED_WITHIN: Duration = Duration::from_hours(7 * 24);
/// When the bank decides by the words of the evidence.
const DECIDED_AFTER: Duration = Duration::from_secs(5);
/// What a dispute costs. A model: the price is an agreement's. Unit: the smallest of the currency.
const FEE: i64 = 1500;
/// The longest text. Source: docs/processors/stripe.md, "Disputes".
const LONGEST_TEXT: usize = 20_000;

/// Where a dispute stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    WarningNeedsResponse,
    WarningUnderReview,
    WarningClosed,
    NeedsResponse,
    UnderReview,
    Won,
    Lost,
}

impl Stage {
    const fn word(self) -> &'static str {
        match self {
            Self::WarningNeedsResponse => "warning_needs_response",
            Self::WarningUnderReview => "warning_under_review",
            Self::WarningClosed => "warning_closed",
            Self::NeedsResponse => "needs_response",
            Self::UnderReview => "under_review",
            Self::Won => "won",
            Self::Lost => "lost",
        }
    }

    const fn is_over(self) -> bool {
        matches!(self, Self::WarningClosed | Self::Won | Self::Lost)
    }

    const fn is_inquiry(self) -> bool {
        matches!(
            self,
            Self::WarningNeedsResponse | Self::WarningUnderReview | Self::WarningClosed
        )
    }
}

/// A dispute of a charge.
#[derive(Debug, Clone)]
pub(super) struct Dispute {
    pub(super) id: String,
    created: u64,
    pub(super) charge: String,
    pub(super) intent: String,
    amount: i64,
    currency: String,
    stage: Stage,
    /// How it stood before, the oldest first.
    before: Vec<Stage>,
    evidence: BTreeMap<String, String>,
    metadata: BTreeMap<String, String>,
    due_by: u64,
    submissions: u32,
    movements: Vec<String>,
}

impl Dispute {
    /// As `/_sim/books` shows it: with all that it was, the oldest first.
    pub(super) fn shown(&self, books: &Books) -> Value {
        let mut shown = self.view(books);
        let stages = self.before.iter().chain([&self.stage]);
        let words: Vec<&str> = stages.map(|stage| stage.word()).collect();
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("history".to_owned(), words.into());
        }
        shown
    }

    fn goes_to(&mut self, stage: Stage) {
        self.before.push(self.stage);
        self.stage = stage;
    }
}

/// The fields of evidence.
const EVIDENCE: &[&str] = &[
    "access_activity_log",
    "billing_address",
    "cancellation_policy",
    "cancellation_policy_disclosure",
    "cancellation_rebuttal",
    "customer_communication",
    "customer_email_address",
    "customer_name",
    "customer_purchase_ip",
    "customer_signature",
    "duplicate_charge_documentation",
    "duplicate_charge_explanation",
    "duplicate_charge_id",
    "product_description",
    "receipt",
    "refund_policy",
    "refund_policy_disclosure",
    "refund_refusal_explanation",
    "service_date",
    "service_documentation",
    "shipping_address",
    "shipping_carrier",
    "shipping_date",
    "shipping_documentation",
    "shipping_tracking_number",
    "uncategorized_file",
    "uncategorized_text",
];

/// Those of them that are ids of files.
const FILES: &[&str] = &[
    "cancellation_policy",
    "customer_communication",
    "customer_signature",
    "duplicate_charge_documentation",
    "receipt",
    "refund_policy",
    "service_documentation",
    "shipping_documentation",
    "uncategorized_file",
];

pub(super) const UPDATE: &[Rule] = &[
    Rule::clearable("evidence[*]"),
    Rule::flag("submit"),
    Rule::clearable("metadata[*]"),
];

impl Row for Dispute {
    const OBJECT: &'static str = "dispute";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, books: &Books) -> Value {
        let evidence: serde_json::Map<String, Value> = EVIDENCE
            .iter()
            .map(|name| ((*name).to_owned(), json!(self.evidence.get(*name))))
            .collect();
        let movements: Vec<Value> = self
            .movements
            .iter()
            .filter_map(|id| books.show(id))
            .collect();
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "amount": self.amount,
            "balance_transactions": movements,
            "charge": self.charge,
            "created": self.created,
            "currency": self.currency,
            "enhanced_eligibility_types": [],
            "evidence": evidence,
            "evidence_details": {
                "due_by": self.due_by,
                "enhanced_eligibility": {},
                "has_evidence": !self.evidence.is_empty(),
                "past_due": self.submissions == 0 && books.seconds() > self.due_by,
                "submission_count": self.submissions,
                "submission_method": if self.submissions > 0 { "manual" } else { "not_submitted" },
            },
            "is_charge_refundable": self.stage.is_inquiry(),
            "livemode": false,
            "metadata": self.metadata,
            "network_reason_code": "10.4",
            "payment_intent": self.intent,
            "payment_method_details": {"card": {"brand": "visa", "case_type": if self.stage.is_inquiry() { "inquiry" } else { "chargeback" },
                "network_reason_code": "10.4"}, "type": "card"},
            "reason": "fraudulent",
            "status": self.stage.word(),
        })
    }
}

impl Books {
    /// A cardholder disputes a charge, or asks about it first.
    pub(super) fn open_dispute(
        &mut self,
        charge_id: &str,
        is_inquiry: bool,
    ) -> Result<(), Refusal> {
        let charge = self.charges.get(charge_id, "charge")?;
        let amount = charge.refundable();
        if amount == 0 || charge.disputed {
            return Ok(());
        }
        let (currency, intent) = (charge.currency.clone(), charge.intent.clone());
        let id = self.id("du_");
        self.disputes.add(Dispute {
            id: id.clone(),
            created: self.seconds(),
            charge: charge_id.to_owned(),
            intent,
            amount,
            currency,
            stage: if is_inquiry {
                Stage::WarningNeedsResponse
            } else {
                Stage::NeedsResponse
            },
            before: Vec::new(),
            evidence: BTreeMap::new(),
            metadata: BTreeMap::new(),
            due_by: self.now.saturating_add(ANSWERED_WITHIN).as_secs(),
            submissions: 0,
            movements: Vec::new(),
        });
        if !is_inquiry {
            self.withdraw(&id)?;
        }
        self.emit("charge.dispute.created", &id);
        if !is_inquiry {
            self.emit("charge.dispute.funds_withdrawn", &id);
        }
        self.do_later(ANSWERED_WITHIN, Change::Deadline(id));
        Ok(())
    }

    pub(super) fn update_dispute(&mut self, id: &str, form: &Form) -> Result<Value, Refusal> {
        let evidence = form.map("evidence");
        for (name, text) in &evidence {
            let param = format!("evidence[{name}]");
            if !EVIDENCE.contains(&name.as_str()) {
                return Err(Refusal::parameter(
                    &param,
                    "parameter_unknown",
                    &format!("Received unknown parameter: {param}"),
                ));
            }
            if FILES.contains(&name.as_str()) && !text.is_empty() {
                self.uploads.get(text, &param)?;
            }
            if text.chars().count() > LONGEST_TEXT {
                let message = format!("{param} must be at most {LONGEST_TEXT} characters.");
                return Err(Refusal::malformed(&message).param(&param));
            }
        }
        let dispute = self.disputes.get_mut(id, "dispute")?;
        let submits =
            form.flag("submit").unwrap_or(true) && (form.has("evidence") || form.has("submit"));
        if (submits || form.has("evidence")) && (dispute.submissions > 0 || dispute.stage.is_over())
        {
            return Err(Refusal::invalid(
                "This dispute is already submitted or closed: its evidence can't be changed.",
            ));
        }
        for (name, text) in evidence {
            if text.is_empty() {
                dispute.evidence.remove(&name);
            } else {
                dispute.evidence.insert(name, text);
            }
        }
        dispute.metadata.extend(form.map("metadata"));
        if submits {
            dispute.submissions = dispute.submissions.saturating_add(1);
            dispute.goes_to(if dispute.stage.is_inquiry() {
                Stage::WarningUnderReview
            } else {
                Stage::UnderReview
            });
            self.do_later(DECIDED_AFTER, Change::Decide(id.to_owned()));
        }
        self.emit("charge.dispute.updated", id);
        Ok(self.disputes.get(id, "dispute")?.view(self))
    }

    pub(super) fn close_dispute(&mut self, id: &str) -> Result<Value, Refusal> {
        let dispute = self.disputes.get(id, "dispute")?;
        if dispute.stage.is_over() || dispute.submissions > 0 {
            return Err(Refusal::invalid(
                "This dispute is already submitted or closed.",
            ));
        }
        let stage = if dispute.stage.is_inquiry() {
            Stage::WarningClosed
        } else {
            Stage::Lost
        };
        self.end_dispute(id, stage)?;
        Ok(self.disputes.get(id, "dispute")?.view(self))
    }

    /// In test mode, the words of the evidence decide.
    pub(super) fn decide_by_evidence(&mut self, id: &str) -> Result<(), Refusal> {
        let dispute = self.disputes.get(id, "dispute")?;
        let words = dispute
            .evidence
            .get("uncategorized_text")
            .map(String::as_str);
        match (words, dispute.stage.is_inquiry()) {
            (Some("winning_evidence"), true) => self.end_dispute(id, Stage::WarningClosed),
            (Some("winning_evidence"), false) => self.end_dispute(id, Stage::Won),
            (Some("losing_evidence"), false) => self.end_dispute(id, Stage::Lost),
            (Some("escalate_inquiry_evidence"), true) => self.escalate(id),
            _ => Ok(()),
        }
    }

    pub(super) fn miss_deadline(&mut self, id: &str) -> Result<(), Refusal> {
        match self.disputes.get(id, "dispute")?.stage {
            Stage::NeedsResponse => self.end_dispute(id, Stage::Lost),
            Stage::WarningNeedsResponse => self.end_dispute(id, Stage::WarningClosed),
            _ => Ok(()),
        }
    }

    /// The bank decides as a test says.
    pub(super) fn decide(&mut self, id: &str, is_won: bool) -> Result<(), Refusal> {
        self.end_dispute(id, if is_won { Stage::Won } else { Stage::Lost })
    }

    fn escalate(&mut self, id: &str) -> Result<(), Refusal> {
        let dispute = self.disputes.get_mut(id, "dispute")?;
        dispute.goes_to(Stage::NeedsResponse);
        dispute.submissions = 0;
        self.withdraw(id)?;
        self.emit("charge.dispute.updated", id);
        self.emit("charge.dispute.funds_withdrawn", id);
        Ok(())
    }

    fn withdraw(&mut self, id: &str) -> Result<(), Refusal> {
        let dispute = self.disputes.get(id, "dispute")?;
        let (amount, charge) = (dispute.amount.saturating_neg(), dispute.charge.clone());
        self.charges.get_mut(&charge, "charge")?.disputed = true;
        self.move_for_dispute(id, amount, FEE)
    }

    fn end_dispute(&mut self, id: &str, stage: Stage) -> Result<(), Refusal> {
        let dispute = self.disputes.get_mut(id, "dispute")?;
        if dispute.stage.is_over() {
            return Ok(());
        }
        dispute.goes_to(stage);
        let amount = dispute.amount;
        if stage == Stage::Won {
            self.move_for_dispute(id, amount, 0)?;
            self.emit("charge.dispute.funds_reinstated", id);
        }
        self.emit("charge.dispute.closed", id);
        Ok(())
    }

    fn move_for_dispute(&mut self, id: &str, amount: i64, fee: i64) -> Result<(), Refusal> {
        let currency = self.disputes.get(id, "dispute")?.currency.clone();
        let new = NewMovement {
            class: "adjustment",
            amount,
            fee,
            currency: &currency,
            source: id,
        };
        let movement = self.move_money(&new);
        self.disputes
            .get_mut(id, "dispute")?
            .movements
            .push(movement);
        Ok(())
    }
}
