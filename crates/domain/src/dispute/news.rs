//! What is learnt of a response to a dispute, and what is made of it.

use std::time::Duration;

use super::{
    Dispute, DisputeEvent, DisputeOccurrence, DisputeReport, DisputeResponse, DisputeStatus, Reach,
    ResponseKind, ResponseState, response::capitalised,
};
use crate::{
    Timestamp,
    processor_text::{OwnCard, TEXT_MAX, processor_text},
};

/// So long a processor that proves nothing is asked about a response after the dispute went on without it.
const ASKED_FOR: Duration = Duration::from_hours(24);

/// So long a response is sent again to a processor that refuses it each time, after a try that may have arrived.
const REFUSED_FOR: Duration = Duration::from_hours(1);

/// What is learnt of a response that is being sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseNews {
    /// The processor has it; the dispute stands so.
    Taken(DisputeReport),
    /// A notification says, without a name, that the processor has it.
    Confirmed,
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
            Self::Confirmed => Self::Confirmed,
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
        if news == ResponseNews::Confirmed {
            return self.confirm(n, at);
        }
        if !self.response(n).is_some_and(DisputeResponse::is_open) {
            return Vec::new();
        }
        self.note_try(n, &news);
        match news {
            ResponseNews::Taken(report) => self.settle_taken(n, report, at),
            ResponseNews::Confirmed => Vec::new(),
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
            ResponseNews::RefusedAgain(reason) if self.is_over_for(n, REFUSED_FOR, at) => {
                let reason = format!("it was refused when it was sent again: {reason}");
                self.unconfirmed(n, reason, at)
            }
            ResponseNews::RefusedAgain(reason) => {
                self.ask_later(n, false, at);
                let shown = format!(
                    "It was refused when it was sent again: {reason}. What was sent first may still arrive; the processor is asked again."
                );
                vec![self.shown(n, at, "The response is not confirmed", shown)]
            }
        }
    }

    fn settle_taken(
        &mut self,
        n: u32,
        report: DisputeReport,
        at: Timestamp,
    ) -> Vec<DisputeOccurrence> {
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

    /// Keeps what a try came to: whether anything of it can be at the processor.
    fn note_try(&mut self, n: u32, news: &ResponseNews) {
        let Some(one) = self.response_mut(n) else {
            return;
        };
        one.reach = match (news, one.reach) {
            (ResponseNews::NoAnswer, _) => Reach::Perhaps,
            (ResponseNews::NotSent(_), Reach::Open) => Reach::Nothing,
            (_, reach) => reach,
        };
    }

    /// Whether what is not known of a response is not to be asked any more, so long after its last turn. A quarter of the time that is left to
    /// respond is enough: another response must be possible.
    fn is_over_for(&self, n: u32, grace: Duration, at: Timestamp) -> bool {
        let Some(one) = self.response(n) else {
            return false;
        };
        let since = one.passed_at.unwrap_or(one.at);
        let left = self.respond_by.filter(|_| self.status.is_open());
        let left = left
            .map(|by| by.since(since))
            .filter(|left| !left.is_zero());
        let grace = left.map_or(grace, |left| grace.min(left / 4));
        at.since(since) >= grace
    }

    /// Whether a response that the processor does not have is still wanted there.
    pub fn is_still_wanted(&self, n: u32) -> bool {
        self.status == DisputeStatus::NeedsResponse
            && self
                .response(n)
                .is_some_and(|one| one.is_open() && one.stage == self.stage)
    }

    /// The evidence that a notification without a name confirms, which says that the processor has a response. `None`: none is being sent
    /// that can have reached it, or the notification may be of another stage or another response.
    pub fn confirmable(&self) -> Option<u32> {
        let mut evidence = self
            .responses
            .iter()
            .filter(|one| one.kind == ResponseKind::Evidence && one.may_be_there());
        let is_waiting = |one: &&DisputeResponse| {
            one.is_open() || matches!(one.state, ResponseState::Unconfirmed { .. })
        };
        if evidence
            .clone()
            .any(|one| one.state == ResponseState::Taken)
        {
            return None;
        }
        let one = evidence.find(is_waiting)?;
        (Some(one.stage) == self.earliest).then_some(one.n)
    }

    /// Takes it that the processor has a response, which its notification says without a name.
    fn confirm(&mut self, n: u32, at: Timestamp) -> Vec<DisputeOccurrence> {
        if self.confirmable() != Some(n) {
            return Vec::new();
        }
        let is_of_now = self.response(n).is_some_and(|one| one.stage == self.stage);
        let mut report = self.as_reported();
        report.as_of = None;
        if is_of_now && self.status == DisputeStatus::NeedsResponse {
            report.status = DisputeStatus::SentForReview;
        }
        self.settle_taken(n, report, at)
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
        } else if let Some(ended) = self.ended_without_proof(n, absence.final_after, at) {
            occurred.extend(match ended {
                ResponseState::Refused { reason } => self.refuse(n, reason, at),
                ResponseState::Unconfirmed { reason } => self.unconfirmed(n, reason, at),
                _ => self.taken_by_outcome(n, at),
            });
        } else if self.is_due(n, at) {
            self.ask_later(n, false, at);
            let shown = "The processor has not said that it has it. It is asked again.".to_owned();
            occurred.push(self.shown(n, at, "The response is not confirmed", shown));
        }
        occurred
    }

    /// What becomes of a response once its dispute went on without it, at a processor that never proves that it has none: an acceptance has
    /// what it wanted where the dispute is lost, and what the processor has not confirmed for a day stays unknown. `None`: it is asked on.
    fn ended_without_proof(
        &self,
        n: u32,
        final_after: Option<Duration>,
        at: Timestamp,
    ) -> Option<ResponseState> {
        let one = self.response(n)?;
        if final_after.is_some() || one.passed_at.is_none() {
            return None;
        }
        if !one.may_be_there() {
            let reason = "it was not sent before the dispute went on".to_owned();
            return Some(ResponseState::Refused { reason });
        }
        if one.kind == ResponseKind::Acceptance && self.status == DisputeStatus::Lost {
            return Some(ResponseState::Taken);
        }
        let reason = "the dispute went on, and the processor has not said that it has the response";
        let reason = reason.to_owned();
        let is_over = self.is_over_for(n, ASKED_FOR, at);
        is_over.then_some(ResponseState::Unconfirmed { reason })
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

    /// Ends a response of which nobody knows whether the processor has it.
    fn unconfirmed(&mut self, n: u32, reason: String, at: Timestamp) -> Vec<DisputeOccurrence> {
        let shown = format!(
            "{}. Look at the processor's own pages.",
            capitalised(&reason)
        );
        self.set_state(n, ResponseState::Unconfirmed { reason });
        let ended = self.shown(n, at, "Whether the response was taken is not known", shown);
        vec![ended.event(DisputeEvent::Updated(self.facts()))]
    }

    fn refuse(&mut self, n: u32, reason: String, at: Timestamp) -> Vec<DisputeOccurrence> {
        let shown = format!("{}.", capitalised(&reason));
        self.set_state(n, ResponseState::Refused { reason });
        let refused = self.shown(n, at, "The response was not taken", shown);
        vec![refused.event(DisputeEvent::Updated(self.facts()))]
    }
}
