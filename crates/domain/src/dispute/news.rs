//! What is learnt of a response to a dispute, and what is made of it.

use std::time::Duration;

use super::{
    Dispute, DisputeEvent, DisputeOccurrence, DisputeReport, DisputeResponse, DisputeStatus,
    ResponseKind, ResponseState, response::capitalised,
};
use crate::{
    Timestamp,
    processor_text::{OwnCard, TEXT_MAX, processor_text},
};

/// What is learnt of a response that is being sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseNews {
    /// The processor has it; the dispute stands so.
    Taken(DisputeReport),
    /// It was not sent, and is still wanted. Why, as a clause.
    NotSent(String),
    /// It may have been sent, and nothing came back.
    NoAnswer,
    /// The processor refused it: a clause.
    Refused(String),
    /// The processor does not have it, as far as it says.
    Absent(Absence),
    /// What was sent again was refused: a clause. Whether something that was sent before may still come to light is not known.
    RefusedAgain(String),
    /// The processor could not be asked.
    LookUpFailed,
}

/// That a processor does not have a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    /// How the dispute stands, where it says that.
    pub report: Option<DisputeReport>,
    /// When it was asked.
    pub asked: Timestamp,
    /// So long after the response can have been sent at the latest, this proves that it never arrived. `None`: it never does.
    pub final_after: Option<Duration>,
}

impl ResponseNews {
    /// The news with the processor's texts as they are kept, about a payment that is paid with this. A report that can't be kept counts
    /// for none.
    #[must_use]
    pub fn cleaned(self, card: OwnCard<'_>) -> Self {
        match self {
            Self::Taken(report) if report.check().is_err() => Self::NoAnswer,
            Self::Taken(report) => Self::Taken(report.cleaned(card)),
            Self::Absent(absence) => {
                let kept = absence.report.filter(|report| report.check().is_ok());
                let report = kept.map(|report| report.cleaned(card));
                Self::Absent(Absence { report, ..absence })
            }
            Self::NotSent(reason) => Self::NotSent(processor_text(&reason, TEXT_MAX)),
            Self::Refused(reason) => Self::Refused(processor_text(&reason, TEXT_MAX)),
            Self::RefusedAgain(reason) => Self::RefusedAgain(processor_text(&reason, TEXT_MAX)),
            Self::NoAnswer => Self::NoAnswer,
            Self::LookUpFailed => Self::LookUpFailed,
        }
    }
}

impl Dispute {
    /// Takes what is learnt of a response. An empty list: nothing of it is news, or it is to be sent again
    /// ([`Dispute::send_response_again`]).
    pub fn settle_response(
        &mut self,
        n: u32,
        news: ResponseNews,
        at: Timestamp,
    ) -> Vec<DisputeOccurrence> {
        if !self.response(n).is_some_and(DisputeResponse::is_open) {
            return Vec::new();
        }
        match news {
            ResponseNews::Taken(report) => {
                // What was taken before the processor asked again answers nothing of what it asks now.
                self.answered |= self.response(n).is_some_and(|one| !one.overtaken);
                self.set_state(n, ResponseState::Taken);
                let taken = DisputeOccurrence::new(at, "The response was taken")
                    .saying("The processor has it.")
                    .event(self.response_event(n));
                let mut occurred = vec![taken];
                occurred.extend(self.take(report, at));
                occurred
            }
            ResponseNews::NotSent(why) => {
                let shown = format!("{}. It is tried again.", capitalised(&why));
                self.ask_later(n, false, at);
                vec![self.shown(n, at, "The response could not be sent", shown)]
            }
            ResponseNews::NoAnswer => {
                self.ask_later(n, true, at);
                let shown = "Whether the processor has it is not known: it is asked.".to_owned();
                vec![self.shown(n, at, "The response got no answer", shown)]
            }
            ResponseNews::LookUpFailed if !self.is_due(n, at) => Vec::new(),
            ResponseNews::LookUpFailed => {
                self.ask_later(n, false, at);
                let shown = "The processor could not be asked whether it has the response. It is asked again.".to_owned();
                vec![self.shown(n, at, "The response is not confirmed", shown)]
            }
            ResponseNews::Refused(reason) => self.refuse(n, reason, at),
            ResponseNews::Absent(absence) => self.take_absence(n, absence, at),
            ResponseNews::RefusedAgain(reason) => {
                self.ask_later(n, false, at);
                let shown = format!(
                    "It was refused when it was sent again: {reason}. What was sent first may still arrive; the processor is asked again."
                );
                vec![self.shown(n, at, "The response is not confirmed", shown)]
            }
        }
    }

    /// Whether a response that the processor does not have is still wanted there.
    pub fn is_still_wanted(&self, n: u32) -> bool {
        self.status == DisputeStatus::NeedsResponse
            && self
                .response(n)
                .is_some_and(|one| one.is_open() && one.stage == self.stage)
    }

    /// What a processor's notification says that it has a response, without a name for it: which one that is, and how the dispute stands
    /// then. `None`: no evidence is being sent, or an earlier one was taken, of which the notification may be.
    pub fn confirmed(&self) -> Option<(u32, ResponseNews)> {
        let evidence = |one: &&DisputeResponse| one.kind == ResponseKind::Evidence;
        let mut responses = self.responses.iter().filter(evidence);
        if responses
            .clone()
            .any(|one| one.state == ResponseState::Taken)
        {
            return None;
        }
        let open = responses.find(|one| one.is_open())?;
        let mut report = self.as_reported();
        report.as_of = None;
        if open.stage == self.stage && self.status == DisputeStatus::NeedsResponse {
            report.status = DisputeStatus::SentForReview;
        }
        Some((open.n, ResponseNews::Taken(report)))
    }

    /// Whether a look-up proves that nothing of a response that was sent arrives any more. The processor may have been asked before
    /// the request reached it, or may look into books that are behind.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(AbsentResponseTooEarly = super::bugs::absence_is_final)
    )]
    pub fn is_proven_absent(&self, n: u32, absence: &Absence) -> bool {
        let sent = self.looked_for(n);
        sent.zip(absence.final_after)
            .is_some_and(|(sent, span)| absence.asked >= sent.send_by.after(span))
    }

    fn take_absence(&mut self, n: u32, absence: Absence, at: Timestamp) -> Vec<DisputeOccurrence> {
        let is_proven = self.is_proven_absent(n, &absence);
        let mut occurred = match absence.report {
            Some(report) => self.take(report, at),
            None => Vec::new(),
        };
        if self.is_still_wanted(n) {
            return occurred;
        }
        if is_proven {
            let reason = "it did not reach the processor, and the dispute went on without it";
            occurred.extend(self.refuse(n, reason.to_owned(), at));
        } else if let Some(ended) = self.ended_without_proof(n, absence.final_after) {
            occurred.extend(match ended {
                Ok(()) => self.taken_by_outcome(n, at),
                Err(reason) => self.refuse(n, reason.to_owned(), at),
            });
        } else if self.is_due(n, at) {
            self.ask_later(n, false, at);
            let shown = "The processor does not have it yet, which proves nothing so soon. It is asked again.".to_owned();
            occurred.push(self.shown(n, at, "The response is not confirmed", shown));
        }
        occurred
    }

    /// What becomes of a response once its dispute went on without it, at a processor that never proves that it has none: an acceptance has
    /// what it wanted where the dispute is lost, and what the processor has not confirmed for a day counts for nothing. `None`: it is asked on.
    fn ended_without_proof(
        &self,
        n: u32,
        final_after: Option<Duration>,
    ) -> Option<Result<(), &'static str>> {
        let one = self.response(n)?;
        if final_after.is_some() || self.status.is_open() && !one.overtaken {
            return None;
        }
        if one.kind == ResponseKind::Acceptance && self.status == DisputeStatus::Lost {
            return Some(Ok(()));
        }
        one.was_asked_for_a_day().then_some(Err(
            "the dispute went on, and the processor has not said that it has the response",
        ))
    }

    fn taken_by_outcome(&mut self, n: u32, at: Timestamp) -> Vec<DisputeOccurrence> {
        self.set_state(n, ResponseState::Taken);
        let message = "The dispute is lost, which the acceptance wanted.".to_owned();
        vec![self.shown(n, at, "The response was taken", message)]
    }

    /// Whether the processor is to be asked about a response at `at`. Otherwise somebody else has asked meanwhile, which counts once.
    fn is_due(&self, n: u32, at: Timestamp) -> bool {
        self.response_due()
            .is_some_and(|(due, next_at)| due == n && next_at <= at)
    }

    fn refuse(&mut self, n: u32, reason: String, at: Timestamp) -> Vec<DisputeOccurrence> {
        let shown = format!("{}.", capitalised(&reason));
        self.set_state(n, ResponseState::Refused { reason });
        let refused = self.shown(n, at, "The response was not taken", shown);
        vec![refused.event(DisputeEvent::Updated(self.facts()))]
    }
}
