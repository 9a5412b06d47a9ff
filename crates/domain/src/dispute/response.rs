//! The merchant's response to a dispute: evidence, or that it is accepted.
//!
//! A response is committed before the processor is asked, under a number that makes its reference there. While nobody knows whether
//! the processor has it, it stays [`ResponseState::Sending`]: it is looked for, and sent again under the same reference only when
//! the processor says that it is not there. One response is under way at most, and one is taken for each time that the processor asks.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Dispute, DisputeEvent, DisputeOccurrence, DisputeStage, DisputeStatus, ResponseFacts};
use crate::{
    Code, Fault, Timestamp,
    id::AttachmentId,
    payment::{Begin, OnceRef},
    text_enum::text_enum,
};

/// Responses of one dispute at most, those that were refused included.
const MOST: usize = 50;

/// When the processor is asked again, by how often that was done; the last pause repeats.
const PAUSES: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_mins(2),
    Duration::from_mins(10),
    Duration::from_hours(1),
    Duration::from_hours(24),
];

text_enum!(
    /// What a response is.
    ResponseKind {
        /// Evidence that the payment was right.
        Evidence = "EVIDENCE",
        /// The dispute is accepted: the customer keeps the money.
        Acceptance = "ACCEPTANCE",
    }
);

/// How a response stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum ResponseState {
    /// Kept, to be changed or sent.
    Draft,
    /// To be sent, or sent: whether the processor has it is not known yet.
    Sending {
        /// It is not sent later than this, unless a later commit says so.
        send_by: Timestamp,
        /// When the processor is asked about it.
        next_at: Timestamp,
        /// How often that was done, but for look-ups that hurried before the time to respond ends.
        looks: u32,
    },
    /// The processor has it.
    Taken,
    /// The processor refused it, or it never arrived and is not wanted any more.
    Refused {
        /// Why, as a clause for people.
        reason: String,
    },
    /// Whether the processor has it was not found out, and is not asked any more: it lets another response begin.
    Unconfirmed {
        /// Why, as a clause for people.
        reason: String,
    },
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisputeResponse {
    /// Its number within the dispute, from 1.
    pub n: u32,
    /// What it is.
    pub kind: ResponseKind,
    /// The stage that it responds to.
    pub stage: DisputeStage,
    /// How it stands.
    pub state: ResponseState,
    /// Its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentId>,
    /// The one of them that was made here of what is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<AttachmentId>,
    /// When it was begun, or last changed as a draft.
    pub at: Timestamp,
    /// The idempotency record that waits for the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<OnceRef>,
    /// Its texts are to be erased when it has an outcome.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forget: bool,
    /// The processor asked again while it was being sent: it answers what was asked before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overtaken: bool,
    /// When the dispute went on without it: it was asked again, or decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_at: Option<Timestamp>,
    /// Whether anything of it can be at the processor.
    #[serde(default, skip_serializing_if = "Reach::is_open")]
    pub reach: Reach,
}

/// Whether anything of a response can be at the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// The first try, or the first one after those that reached nothing, is under way, or its process died.
    #[default]
    Open,
    /// No try has reached it.
    Nothing,
    /// One may have.
    Perhaps,
}

impl Reach {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives references")]
    const fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }
}

impl DisputeResponse {
    /// Whether nobody knows yet whether the processor has it.
    pub fn is_open(&self) -> bool {
        matches!(self.state, ResponseState::Sending { .. })
    }

    /// Whether it may be at the processor: a try got no answer, or its process died.
    pub fn may_be_there(&self) -> bool {
        self.reach != Reach::Nothing
    }

    /// The word for how it stands.
    pub fn state_word(&self) -> &'static str {
        match self.state {
            ResponseState::Draft => "DRAFT",
            ResponseState::Sending { .. } => "SENDING",
            ResponseState::Taken => "TAKEN",
            ResponseState::Refused { .. } => "REFUSED",
            ResponseState::Unconfirmed { .. } => "UNCONFIRMED",
        }
    }
}

/// A response that is being sent, as it stood when the processor was asked about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookedFor {
    n: u32,
    /// It was not sent later than this, as far as was known.
    pub(super) send_by: Timestamp,
}

/// A response that is begun.
#[derive(Debug, Clone)]
pub struct NewResponse {
    /// What it is.
    pub kind: ResponseKind,
    /// Its files.
    pub attachments: Vec<AttachmentId>,
    /// The one of them that was made here.
    pub document: Option<AttachmentId>,
}

impl Dispute {
    /// The responses, drafts and refused ones included, the oldest first.
    pub fn responses(&self) -> &[DisputeResponse] {
        &self.responses
    }

    /// The response with this number.
    pub fn response(&self, n: u32) -> Option<&DisputeResponse> {
        self.responses.iter().find(|one| one.n == n)
    }

    /// The draft, when there is one.
    pub fn draft(&self) -> Option<&DisputeResponse> {
        self.responses
            .last()
            .filter(|one| one.state == ResponseState::Draft)
    }

    /// A response that is being sent, as it stands when the processor is asked about it.
    pub fn looked_for(&self, n: u32) -> Option<LookedFor> {
        match self.response(n)?.state {
            ResponseState::Sending { send_by, .. } => Some(LookedFor { n, send_by }),
            _ => None,
        }
    }

    /// The response that is being sent, and when it is due to be asked for.
    pub fn response_due(&self) -> Option<(u32, Timestamp)> {
        self.responses.iter().find_map(|one| match one.state {
            ResponseState::Sending { next_at, .. } => Some((one.n, next_at)),
            _ => None,
        })
    }

    /// Whether a response of this kind can be begun, or drafted, at `at`.
    ///
    /// # Errors
    /// `error.payment.operation-in-progress`, `error.dispute.invalid-status`.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(AcceptedDuringEvidence = super::bugs::accept_any_time)
    )]
    pub fn may_respond(&self, kind: ResponseKind, at: Timestamp) -> Result<(), Fault> {
        let refused = |message: String| {
            Fault::new(Code::DisputeStatus, message)
                .about(self.id)
                .in_status(self.status)
        };
        if self.responses.iter().any(DisputeResponse::is_open) {
            let message = "A response is being sent, and the processor has not confirmed it yet. Read the dispute before you respond again.";
            let fault = Fault::new(Code::OperationInProgress, message);
            return Err(fault.about(self.id).in_status(self.status));
        }
        if self.status != DisputeStatus::NeedsResponse {
            return Err(refused(format!(
                "Only a dispute that is NEEDS_RESPONSE can be responded to; this one is {}.",
                self.status
            )));
        }
        if self.answered {
            return Err(refused(
                "The processor has a response to this dispute already, and takes one each time that it asks.".to_owned(),
            ));
        }
        if let (ResponseKind::Evidence, Some(by)) = (kind, self.respond_by)
            && by <= at
        {
            return Err(refused(format!(
                "The processor took evidence until {}.",
                by.rfc3339_seconds()
            )));
        }
        if self.responses.len() >= MOST && self.draft().is_none() {
            return Err(refused(format!(
                "The dispute has {MOST} responses already."
            )));
        }
        Ok(())
    }

    /// Keeps a draft of evidence, in place of the one that there is. Returns its number.
    ///
    /// # Errors
    /// As [`Dispute::may_respond`].
    pub fn save_draft(
        &mut self,
        attachments: Vec<AttachmentId>,
        at: Timestamp,
    ) -> Result<(u32, DisputeOccurrence), Fault> {
        self.may_respond(ResponseKind::Evidence, at)?;
        let new = NewResponse {
            kind: ResponseKind::Evidence,
            attachments,
            document: None,
        };
        let n = self.put_response(new, ResponseState::Draft, at);
        let occurred = DisputeOccurrence::new(at, "Evidence was saved as a draft")
            .saying("Nothing was sent.")
            .event(self.response_event(n));
        Ok((n, occurred))
    }

    /// Begins to send a response, in place of the draft that there is. Returns its number.
    ///
    /// # Errors
    /// As [`Dispute::may_respond`].
    pub fn begin_response(
        &mut self,
        new: NewResponse,
        begin: Begin,
    ) -> Result<(u32, DisputeOccurrence), Fault> {
        let Begin {
            at,
            send_within,
            answer_within,
            once,
            ..
        } = begin;
        self.may_respond(new.kind, at)?;
        let (kind, files) = (new.kind, new.attachments.len());
        let send_by = at.after(send_within);
        let state = ResponseState::Sending {
            send_by,
            next_at: send_by.after(answer_within),
            looks: 0,
        };
        let n = self.put_response(new, state, at);
        if let Some(one) = self.response_mut(n) {
            one.once = once;
        }
        let (title, message) = match kind {
            ResponseKind::Evidence => (
                "Evidence is submitted",
                match files {
                    0 => "Sent to the processor.".to_owned(),
                    1 => "Sent to the processor with one file.".to_owned(),
                    more => format!("Sent to the processor with {more} files."),
                },
            ),
            ResponseKind::Acceptance => (
                "The dispute is accepted",
                "Sent to the processor.".to_owned(),
            ),
        };
        let occurred = DisputeOccurrence::new(at, title)
            .saying(message)
            .event(self.response_event(n));
        Ok((n, occurred))
    }

    /// Sends a response again that the processor did not have when it was asked, under the same reference. `None`: it has an outcome, the
    /// dispute does not wait for it any more, or somebody else has begun to send it again since, of which that answer says nothing.
    #[expect(clippy::needless_pass_by_value, reason = "as every other begin_*")]
    pub fn send_response_again(
        &mut self,
        looked_for: LookedFor,
        begin: Begin,
    ) -> Option<DisputeOccurrence> {
        let n = looked_for.n;
        if self.looked_for(n) != Some(looked_for) || !self.is_still_wanted(n) {
            return None;
        }
        let one = self.response_mut(n)?;
        let ResponseState::Sending {
            send_by, next_at, ..
        } = &mut one.state
        else {
            return None;
        };
        *send_by = begin.at.after(begin.send_within);
        *next_at = send_by.after(begin.answer_within);
        one.reach = match one.reach {
            Reach::Nothing => Reach::Open,
            Reach::Open | Reach::Perhaps => Reach::Perhaps,
        };
        Some(
            DisputeOccurrence::new(begin.at, "The response is sent again")
                .saying("The processor has not said that it has it, and takes none twice.")
                .event(self.response_event(n)),
        )
    }

    /// Has the texts of what is being sent erased when it has an outcome. `None`: that is wanted already, or nothing is being sent.
    pub fn forget_responses(&mut self, at: Timestamp) -> Option<DisputeOccurrence> {
        let open = self
            .responses
            .iter_mut()
            .find(|one| one.is_open() && !one.forget)?;
        open.forget = true;
        let n = open.n;
        Some(
            DisputeOccurrence::new(at, "Personal data are to be erased")
                .saying("The texts of the response are erased once the processor has it.")
                .event(self.response_event(n)),
        )
    }

    pub(super) fn shown(
        &self,
        n: u32,
        at: Timestamp,
        title: &'static str,
        message: String,
    ) -> DisputeOccurrence {
        DisputeOccurrence::new(at, title)
            .saying(message)
            .event(self.response_event(n))
    }

    /// Puts a response in place of the draft, or behind the others. Returns its number.
    fn put_response(&mut self, new: NewResponse, state: ResponseState, at: Timestamp) -> u32 {
        // An acceptance takes the draft's place too: there is nothing to be proven any more.
        if self.draft().is_some() {
            self.responses.pop();
        }
        let last = self.responses.last().map_or(0, |last| last.n);
        let n = last.saturating_add(1);
        self.responses.push(DisputeResponse {
            n,
            kind: new.kind,
            stage: self.stage,
            state,
            attachments: new.attachments,
            document: new.document,
            at,
            once: None,
            forget: false,
            overtaken: false,
            passed_at: None,
            reach: Reach::Open,
        });
        n
    }

    pub(super) fn response_mut(&mut self, n: u32) -> Option<&mut DisputeResponse> {
        self.responses.iter_mut().find(|one| one.n == n)
    }

    pub(super) fn set_state(&mut self, n: u32, state: ResponseState) {
        if let Some(one) = self.response_mut(n) {
            one.state = state;
            one.once = None;
        }
    }

    /// Sets when the processor is asked next. `unanswered`: not before an answer can't come any more.
    pub(super) fn ask_later(&mut self, n: u32, unanswered: bool, at: Timestamp) {
        // What is still to be sent must not sleep through the time until which the processor takes it.
        let left = self.respond_by.map(|by| by.since(at));
        let most = left.filter(|left| !left.is_zero()).map(|left| left / 2);
        let Some(one) = self.response_mut(n) else {
            return;
        };
        if let ResponseState::Sending { next_at, looks, .. } = &mut one.state {
            let place = usize::try_from(*looks)
                .unwrap_or(usize::MAX)
                .min(PAUSES.len() - 1);
            let pause = PAUSES.get(place).copied().unwrap_or_default();
            let shortest = PAUSES.first().copied().unwrap_or_default();
            let shortened = most.map(|most| most.max(shortest));
            let shortened = shortened.filter(|shortened| *shortened < pause);
            let later = at.after(shortened.unwrap_or(pause));
            *next_at = if unanswered {
                later.max(*next_at)
            } else {
                later
            };
            // What is asked often while the time to respond ends must not sleep long after it.
            if shortened.is_none() {
                *looks = looks.saturating_add(1);
            }
        }
    }

    /// The event of a response as it stands.
    pub(super) fn response_event(&self, n: u32) -> DisputeEvent {
        let one = self.response(n);
        DisputeEvent::Response(ResponseFacts {
            n,
            response: one.map_or(ResponseKind::Evidence, |one| one.kind),
            state: one.map_or("DRAFT", DisputeResponse::state_word).to_owned(),
        })
    }
}

/// A clause as the beginning of a sentence.
pub(super) fn capitalised(clause: &str) -> String {
    let mut chars = clause.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
