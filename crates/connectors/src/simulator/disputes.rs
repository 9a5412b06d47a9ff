//! Disputes at the simulator: those of its test numbers, and those that the sandbox's desk opens.

use std::time::Duration;

use connector::{
    CallError, Called, Disputes, FoundResponse, Link, Reference, Respond, SubmitEvidence,
};
use domain::{
    Timestamp,
    attachment::FileType,
    dispute::{
        DisputeReason, DisputeReport, DisputeStage, DisputeStatus, DisputedFunds,
        evidence::EvidenceLimits,
    },
    money::Money,
};
use serde::{Deserialize, Serialize};

use super::{
    Simulator, answers,
    cards::Behaviour,
    entry::{DECIDES_AFTER, Entry},
    of_a_read,
    responses::SimulatedResponse,
    verbs,
};

/// How long a merchant has to respond.
pub(super) const RESPOND_WITHIN: Duration = Duration::from_hours(7 * 24);

/// What the simulator's ids of disputes begin with.
const ID_PREFIX: &str = "simdp_";

/// A dispute in the books: its history, each state with the time from which it holds. What comes with time is written ahead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedDispute {
    /// The simulator's id of it.
    pub id: String,
    /// When the customer disputed.
    pub disputed_at: Timestamp,
    /// Its states, the oldest first.
    pub states: Vec<DisputeState>,
    /// What the merchant responded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<SimulatedResponse>,
}

/// How a dispute stands from a time on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisputeState {
    /// From when on.
    pub from: Timestamp,
    /// Its status.
    pub status: DisputeStatus,
    /// Its stage.
    pub stage: DisputeStage,
    /// Why.
    pub reason: DisputeReason,
    /// How much.
    pub money: Money,
    /// Until when the merchant can respond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respond_by: Option<Timestamp>,
}

impl SimulatedDispute {
    /// The dispute number `n` (from 1) of an authorisation, in its first state.
    pub fn open(reference: &Reference, n: usize, first: DisputeState) -> Self {
        Self {
            id: format!("{ID_PREFIX}{}_{n}", reference.as_str()),
            disputed_at: first.from,
            states: vec![first],
            responses: Vec::new(),
        }
    }

    /// How it stands at a time; `None` before it is opened.
    pub fn at(&self, at: Timestamp) -> Option<&DisputeState> {
        self.states.iter().rev().find(|state| state.from <= at)
    }

    /// How it will stand in the end, as far as is written.
    pub fn last(&self) -> Option<&DisputeState> {
        self.states.last()
    }

    /// What is reported of a state.
    pub(super) fn report(&self, state: &DisputeState, reference: &Reference) -> DisputeReport {
        DisputeReport {
            source_id: self.id.clone(),
            source_payment: Some(answers::processor_id(reference)),
            status: state.status,
            stage: state.stage,
            reason: Some(state.reason),
            money: state.money,
            disputed_at: self.disputed_at,
            respond_by: state.respond_by,
            processor_status: Some(state.status.code().to_ascii_lowercase().into()),
            processor_reason: Some(word(state.reason).into()),
            funds: funds(state),
            as_of: Some(state.from),
        }
    }
}

/// Where the money is.
fn funds(state: &DisputeState) -> Option<DisputedFunds> {
    if state.stage == DisputeStage::Inquiry {
        return None;
    }
    match state.status {
        DisputeStatus::Won | DisputeStatus::Closed => Some(DisputedFunds::Reinstated),
        DisputeStatus::NeedsResponse
        | DisputeStatus::SentForReview
        | DisputeStatus::UnderReview
        | DisputeStatus::Lost
        | DisputeStatus::Refunded => Some(DisputedFunds::Withdrawn),
        DisputeStatus::Notification => None,
    }
}

/// The simulator's word for a reason.
const fn word(reason: DisputeReason) -> &'static str {
    match reason {
        DisputeReason::Fraud => "fraudulent",
        DisputeReason::Authorization => "no_authorisation",
        DisputeReason::ProcessingErrors => "duplicate",
        DisputeReason::CustomerDisputes => "product_not_received",
        DisputeReason::Uncategorised => "general",
    }
}

/// The reference of the authorisation that a dispute is about, by the simulator's id of it.
pub fn reference_of_dispute(id: &str) -> Option<&str> {
    let (reference, _) = id.strip_prefix(ID_PREFIX)?.rsplit_once('_')?;
    Some(reference)
}

impl Behaviour {
    /// The dispute that a captured payment with this card or account brings at `now`.
    pub(super) fn dispute(self, money: Money, now: Timestamp) -> Option<DisputeState> {
        let from = now.after(DECIDES_AFTER);
        let state = |status, stage, reason| DisputeState {
            from,
            status,
            stage,
            reason,
            money,
            respond_by: (status == DisputeStatus::NeedsResponse)
                .then(|| from.after(RESPOND_WITHIN)),
        };
        let chargeback = |status, reason| state(status, DisputeStage::Chargeback, reason);
        match self {
            Self::Disputed(reason) => Some(chargeback(DisputeStatus::NeedsResponse, reason)),
            Self::Alerted => Some(state(
                DisputeStatus::Notification,
                DisputeStage::Inquiry,
                DisputeReason::Fraud,
            )),
            // A debit that was paid is returned: nobody can respond to that.
            Self::HeldThenReturned => Some(chargeback(
                DisputeStatus::Lost,
                DisputeReason::Authorization,
            )),
            _ => None,
        }
    }
}

impl Entry {
    /// Notes the dispute that the test number brings, when its money is captured at `now` for the first time.
    pub(super) fn dispute_captured(&mut self, money: Money, now: Timestamp) {
        if !self.disputes.is_empty() {
            return;
        }
        if let Some(first) = self.behaviour.dispute(money, now) {
            self.open_dispute(first);
        }
    }

    /// Opens a dispute, and has it notified. Returns its id.
    pub fn open_dispute(&mut self, first: DisputeState) -> String {
        let n = self.disputes.len().saturating_add(1);
        let dispute = SimulatedDispute::open(&self.reference, n, first);
        let id = dispute.id.clone();
        self.disputes.push(dispute);
        self.notify_dispute(&id);
        id
    }

    /// Moves a dispute on, and has that notified. False when there is no such dispute.
    pub fn move_dispute(&mut self, id: &str, mut next: DisputeState) -> bool {
        let Some(dispute) = self.disputes.iter_mut().find(|one| one.id == id) else {
            return false;
        };
        // Later than what is written, so that each state has a time of its own.
        let after = dispute
            .last()
            .map(|last| last.from.after(Duration::from_micros(1)));
        next.from = after.map_or(next.from, |after| after.max(next.from));
        dispute.states.push(next);
        self.notify_dispute(id);
        true
    }
}

/// What the simulator takes as a response: less than any real processor does, so that what fits here fits there.
const LIMITS: EvidenceLimits = EvidenceLimits {
    text_chars: 2_000,
    all_chars: 6_000,
    files: 5,
    file_bytes: 2 * 1024 * 1024,
    all_bytes: 4 * 1024 * 1024,
    types: &[FileType::Pdf, FileType::Png, FileType::Jpeg],
};

impl Disputes for Simulator {
    fn limits(&self) -> Option<&EvidenceLimits> {
        Some(&LIMITS)
    }

    fn accepts(&self) -> bool {
        true
    }

    fn read<'a>(&'a self, link: &'a Link<'a>, id: &'a str) -> Called<'a, Option<DisputeReport>> {
        Box::pin(async move {
            let entry = self.entry_of_dispute(id).await?;
            let entry = entry.filter(|entry| entry.connection == *link.connection);
            Ok(entry.and_then(|entry| {
                let dispute = entry.disputes.iter().find(|one| one.id == id)?;
                let state = dispute.at(self.world.now())?;
                Some(dispute.report(state, &entry.reference))
            }))
        })
    }

    fn submit<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a SubmitEvidence<'a>,
    ) -> Called<'a, DisputeReport> {
        Box::pin(self.under(link, None, self.play_submit(link, call, &LIMITS)))
    }

    fn accept<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a Respond<'a>,
    ) -> Called<'a, DisputeReport> {
        Box::pin(self.under(link, None, self.play_accept(link, call)))
    }

    fn find_response<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a Respond<'a>,
    ) -> Called<'a, FoundResponse> {
        Box::pin(async move {
            verbs::admit_look_up(link)?;
            self.play_find_response(link, call).await
        })
    }
}

impl Simulator {
    /// The entry with this dispute.
    pub(super) async fn entry_of_dispute(&self, id: &str) -> Result<Option<Entry>, CallError> {
        match reference_of_dispute(id) {
            Some(reference) => self.books.load(reference).await.map_err(of_a_read),
            None => Ok(None),
        }
    }
}
