//! Reports of the processor: the one place where news about a dispute changes it.

use super::{
    Dispute, DisputeEvent, DisputeOccurrence, DisputeReason, DisputeStage, DisputeStatus,
    DisputedFunds, NewDispute, Standing, Step,
};
use crate::{
    Timestamp,
    money::Money,
    processor_text::{ID_MAX, OwnCard, ProcessorText, one_line},
};

/// What a processor says of a dispute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisputeReport {
    /// The processor's id of it.
    pub source_id: String,
    /// The processor's id of the payment.
    pub source_payment: Option<String>,
    /// Its status.
    pub status: DisputeStatus,
    /// Its stage. That of an alert is INQUIRY.
    pub stage: DisputeStage,
    /// Why; `None` when the report does not say.
    pub reason: Option<DisputeReason>,
    /// How much is disputed.
    pub money: Money,
    /// When the customer disputed.
    pub disputed_at: Timestamp,
    /// Until when the merchant can respond; `None` when the report does not say.
    pub respond_by: Option<Timestamp>,
    /// The processor's own status.
    pub processor_status: Option<ProcessorText>,
    /// The processor's own reason.
    pub processor_reason: Option<ProcessorText>,
    /// Where the money is; `None` when the report does not say.
    pub funds: Option<DisputedFunds>,
    /// Of when the report is, where the processor orders its reports.
    pub as_of: Option<Timestamp>,
}

impl DisputeReport {
    /// Whether it can be kept as it is.
    ///
    /// # Errors
    /// Why not: a clause without a value.
    pub fn check(&self) -> Result<(), &'static str> {
        let id = &self.source_id;
        if id.is_empty() || id.chars().nth(ID_MAX).is_some() || one_line(id) != *id {
            return Err(
                "the dispute's id must have 1 to 255 characters, none of them a control character",
            );
        }
        if self.money.minor() < 0 {
            return Err("the disputed amount must not be below zero");
        }
        let times = [Some(self.disputed_at), self.respond_by, self.as_of];
        if !times.iter().flatten().all(|time| time.is_printable()) {
            return Err("its times must be between the years 1970 and 9999");
        }
        Ok(())
    }

    /// The report with its ids as they are kept, about a payment that is paid with this. Its texts are by their type.
    #[must_use]
    pub fn cleaned(mut self, card: OwnCard<'_>) -> Self {
        card.clean_id(&mut self.source_payment);
        self
    }
}

impl Dispute {
    /// A dispute as it is first reported.
    pub fn open(
        new: NewDispute,
        report: DisputeReport,
        at: Timestamp,
    ) -> (Self, Vec<DisputeOccurrence>) {
        let dispute = Self {
            id: new.id,
            team: new.team,
            payment: new.payment,
            connection: new.connection,
            source_id: report.source_id,
            source_payment: report.source_payment,
            version: 0,
            public_events: 0,
            created_at: at,
            disputed_at: report.disputed_at,
            respond_by: report.respond_by,
            money: report.money,
            status: report.status,
            stage: report.stage,
            reason: report.reason.unwrap_or(DisputeReason::Uncategorised),
            processor_status: report.processor_status,
            processor_reason: report.processor_reason,
            funds: report.funds,
            as_of: report.as_of,
            undated: false,
            earliest: Some(report.stage),
            warned: None,
            responses: Vec::new(),
            answered: false,
        };
        let opened = if dispute.status == DisputeStatus::Notification {
            DisputeOccurrence::new(at, "An early alert came")
                .saying("The payment may be disputed. Nothing of it has changed.")
        } else {
            DisputeOccurrence::new(at, "The dispute was opened").saying(dispute.words())
        };
        let mut occurred = vec![opened.event(DisputeEvent::Opened(dispute.facts()))];
        if !dispute.status.is_open() {
            occurred.push(dispute.entered(at));
        }
        (dispute, occurred)
    }

    /// How it stands, as a report says it.
    pub fn as_reported(&self) -> DisputeReport {
        DisputeReport {
            source_id: self.source_id.clone(),
            source_payment: self.source_payment.clone(),
            status: self.status,
            stage: self.stage,
            reason: Some(self.reason),
            money: self.money,
            disputed_at: self.disputed_at,
            respond_by: self.respond_by,
            processor_status: self.processor_status.clone(),
            processor_reason: self.processor_reason.clone(),
            funds: self.funds,
            as_of: self.as_of,
        }
    }

    /// Takes a report. An empty list means that it says nothing new, or is older than what is known.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(StaleDisputeReportTaken = super::bugs::take_stale)
    )]
    pub fn take(&mut self, report: DisputeReport, at: Timestamp) -> Vec<DisputeOccurrence> {
        if let (Some(known), Some(new)) = (self.as_of, report.as_of)
            && new < known
        {
            return Vec::new();
        }
        let proven = match (self.as_of, report.as_of) {
            (Some(known), Some(new)) => new > known && !self.undated,
            _ => false,
        };
        let reported = Standing {
            stage: report.stage,
            status: report.status,
        };
        let step = self.standing().step_to(reported, proven);
        if reported.status != DisputeStatus::Notification {
            self.earliest = self.earliest.min(Some(reported.stage));
        }
        if step == Step::Stale {
            return self.take_overtaken(&report, at);
        }
        let was_open = self.status.is_open();
        let before = self.clone();
        if matches!(step, Step::NewStage | Step::Back) || reported.status.is_open() && !was_open {
            // What was said of the time to respond held for how it stood.
            self.respond_by = None;
            self.warned = None;
        }
        let moved_undated = self.as_of.is_some() && (self.undated || step != Step::Same);
        self.undated = report.as_of.is_none() && moved_undated;
        // Of reports that nothing orders, the one that does not know where the money is came before the one that does.
        let is_earlier = step == Step::Same
            && report.as_of.is_none()
            && report.funds.is_none()
            && self.funds.is_some();
        let known_word = self.processor_status.clone();
        self.take_details(report);
        if is_earlier {
            self.processor_status = known_word;
        }
        self.stage = reported.stage;
        self.status = reported.status;
        if matches!(step, Step::NewStage | Step::Back) {
            self.answered = false;
            let open = self.responses.iter_mut().filter(|one| one.is_open());
            open.for_each(|one| one.overtaken = true);
        }
        let asks_again = matches!(step, Step::NewStage | Step::Back);
        if asks_again || was_open && !self.status.is_open() {
            let open = self.responses.iter_mut().filter(|one| one.is_open());
            open.for_each(|one| one.passed_at = one.passed_at.or(Some(at)));
        }
        let mut occurred = Vec::new();
        if step != Step::Same {
            occurred.push(self.stepped(step, was_open, at));
        }
        if self.funds != before.funds {
            occurred.extend(self.funds_moved(at));
        }
        if occurred.is_empty() && self.differs_in_details(&before) {
            occurred.push(
                DisputeOccurrence::new(at, "The details have changed")
                    .saying(self.words())
                    .event(DisputeEvent::Updated(self.facts())),
            );
        }
        if occurred.is_empty() && self.as_of > before.as_of {
            // Without it an older report would be taken for a newer one later.
            occurred.push(
                DisputeOccurrence::new(at, "The processor has confirmed how it stands")
                    .event(DisputeEvent::Confirmed),
            );
        }
        occurred
    }

    /// What counts of a report that was overtaken, where nothing orders reports: that the money is where the decision has it.
    fn take_overtaken(&mut self, report: &DisputeReport, at: Timestamp) -> Vec<DisputeOccurrence> {
        let fits = matches!(
            (self.status, report.funds),
            (DisputeStatus::Won, Some(DisputedFunds::Reinstated))
                | (DisputeStatus::Lost, Some(DisputedFunds::Withdrawn))
        );
        if report.as_of.is_some() || !fits || self.funds == report.funds {
            return Vec::new();
        }
        self.funds = report.funds;
        self.funds_moved(at).into_iter().collect()
    }

    /// What is reported besides stage and status.
    fn take_details(&mut self, report: DisputeReport) {
        if report.respond_by.is_some() && report.respond_by != self.respond_by {
            self.respond_by = report.respond_by;
            self.warned = None;
        }
        self.money = report.money;
        self.reason = report.reason.unwrap_or(self.reason);
        self.source_payment = report.source_payment.or(self.source_payment.take());
        self.processor_status = report.processor_status.or(self.processor_status.take());
        self.processor_reason = report.processor_reason.or(self.processor_reason.take());
        self.funds = report.funds.or(self.funds);
        self.as_of = report.as_of.or(self.as_of);
    }

    fn differs_in_details(&self, before: &Self) -> bool {
        self.money != before.money
            || self.reason != before.reason
            || self.respond_by != before.respond_by
            || self.processor_status != before.processor_status
            || self.processor_reason != before.processor_reason
    }

    /// It has taken another stage or status.
    fn stepped(&self, step: Step, was_open: bool, at: Timestamp) -> DisputeOccurrence {
        let goes_on = self.status.is_open();
        if goes_on && !was_open {
            return DisputeOccurrence::new(at, "The dispute was reopened")
                .saying(self.words())
                .event(DisputeEvent::Updated(self.facts()));
        }
        if goes_on && step == Step::NewStage {
            return DisputeOccurrence::new(at, "The dispute entered another stage")
                .saying(self.words())
                .event(DisputeEvent::Updated(self.facts()));
        }
        self.entered(at)
    }

    /// It has taken its status.
    fn entered(&self, at: Timestamp) -> DisputeOccurrence {
        let title = match self.status {
            DisputeStatus::Notification => "An early alert came",
            DisputeStatus::NeedsResponse => "A response is needed",
            DisputeStatus::SentForReview => "The response was sent",
            DisputeStatus::UnderReview => "The response is under review",
            DisputeStatus::Won => "The dispute was won",
            DisputeStatus::Lost => "The dispute was lost",
            DisputeStatus::Closed => "The dispute was closed",
            DisputeStatus::Refunded => "The customer was refunded for the dispute",
        };
        DisputeOccurrence::new(at, title)
            .saying(self.words())
            .event(self.status_event())
    }

    fn funds_moved(&self, at: Timestamp) -> Option<DisputeOccurrence> {
        let title = match self.funds? {
            DisputedFunds::Withdrawn => "The disputed amount was withdrawn",
            DisputedFunds::Reinstated => "The disputed amount was reinstated",
        };
        let event = DisputeEvent::Updated(self.facts());
        Some(
            DisputeOccurrence::new(at, title)
                .saying(format!("{}.", self.money.formatted()))
                .event(event),
        )
    }

    /// Stage, amount, reason and deadline, for people.
    fn words(&self) -> String {
        let stage = match self.stage {
            DisputeStage::Inquiry => "inquiry",
            DisputeStage::Chargeback => "chargeback",
            DisputeStage::PreArbitration => "pre-arbitration",
            DisputeStage::Arbitration => "arbitration",
        };
        let mut words = format!("Stage: {stage}. Amount: {}.", self.money.formatted());
        if let Some(reason) = &self.processor_reason {
            words = format!("{words} Reason of the processor: {reason}.");
        }
        match self.respond_by {
            Some(by) if self.status == DisputeStatus::NeedsResponse => {
                format!("{words} Respond by {}.", by.rfc3339_seconds())
            }
            Some(_) | None => words,
        }
    }
}
