//! News about an operation, and what it means.

use uuid::Uuid;

use super::{Operation, OperationKind, OperationState, Payment, Policy};
use crate::{
    Timestamp,
    answer::{Action, Answer, Known, LaterAnswer},
    processor_text::{OwnCard, clean},
};

/// News about an operation.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives for a moment, and most news is the large one"
)]
pub enum News {
    /// The processor's answer to an authorisation.
    Answer(Answer),
    /// The processor's answer to a capture, cancellation, refund or reversal.
    Later(LaterAnswer),
    /// The call ended without an answer: it may have happened. With what is known of it all the same.
    NoAnswer(Known),
    /// Nothing was sent, or the processor refused the request itself: nothing happened. With the reason.
    Nothing(String),
    /// The processor knows nothing under our reference.
    NotFound {
        /// When it was asked: what it said then proves nothing of later, however late it arrives.
        asked: Timestamp,
    },
    /// The look-up itself brought nothing.
    LookUpFailed,
}

impl News {
    /// The call ended without an answer, and nothing is known of it.
    #[must_use]
    pub fn no_answer() -> Self {
        Self::NoAnswer(Known::default())
    }

    /// The news with the processor's texts as they are kept.
    #[must_use]
    pub(super) fn cleaned(mut self, card: OwnCard<'_>) -> Self {
        match &mut self {
            Self::Answer(answer) => answer.clean(card),
            Self::Later(answer) => answer.clean(card),
            Self::NoAnswer(known) => card.clean_id(&mut known.processor_id),
            Self::Nothing(reason) => clean(reason),
            Self::NotFound { .. } | Self::LookUpFailed => {}
        }
        self
    }
}

/// Who brings the news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The answer to the call itself.
    Call,
    /// A look-up before the call, which was not sent: the database was restored, and the processor may know it already.
    Restored,
    /// A look-up.
    LookUp,
    /// The processor's notification with this id.
    Notification(Uuid),
}

impl Source {
    /// News from this source that arrives at this time.
    #[must_use]
    pub const fn at(self, at: Timestamp) -> Arrival {
        Arrival { source: self, at }
    }
}

/// Where news comes from, and when it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Who brings it.
    pub source: Source,
    /// When it arrives.
    pub at: Timestamp,
}

/// What a person found out about a payment whose outcome, or about a refund whose outcome, stays unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// It is authorised.
    Authorised,
    /// It is captured.
    Captured,
    /// Nothing was charged.
    NotCharged,
    /// The refund took effect.
    Refunded,
    /// The refund did not take effect.
    NotRefunded,
}

/// What the news means for an operation, whatever its kind.
pub(super) enum Meaning {
    /// It took effect; `captured` for a charge that includes the capture.
    Effect { captured: bool },
    /// The processor will decide later.
    Waits,
    /// The customer must do something first.
    Asks(Action),
    /// Refused; nothing happened.
    Refusal(String),
    /// It is proven that nothing happened.
    Nothing(String),
    /// It took effect, and was undone later.
    Undone(String),
    /// It may have happened.
    Unclear,
    /// Nothing new.
    Same,
}

impl Payment {
    /// What the news means for operation `n` as it stands.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(PendingIsDone = super::bugs::take_pending_for_done)
    )]
    pub(super) fn meaning(&self, n: u32, news: &News, policy: &Policy) -> Meaning {
        let Some(operation) = self.operation(n) else {
            return Meaning::Same;
        };
        let asks_for_money = matches!(operation.kind, OperationKind::Authorise { .. });
        match news {
            News::Answer(answer) if asks_for_money => match answer {
                Answer::Approved { captured, .. } => Meaning::Effect {
                    captured: *captured,
                },
                Answer::Declined { decline, .. } => {
                    Meaning::Refusal(decline.code.code().to_owned())
                }
                Answer::Held { .. } => Meaning::Waits,
                Answer::ActionRequired { action, .. } => Meaning::Asks(action.clone()),
                Answer::Failed { reason } => Meaning::Nothing(reason.to_string()),
            },
            News::Later(answer) if !asks_for_money => match answer {
                LaterAnswer::Done { .. } => Meaning::Effect { captured: false },
                LaterAnswer::Pending { .. } => Meaning::Waits,
                LaterAnswer::Refused { reason, .. } => Meaning::Refusal(reason.to_string()),
                LaterAnswer::Reversed { reason, .. } => Meaning::Undone(reason.to_string()),
            },
            News::NoAnswer(_) => match operation.state {
                OperationState::Sent => Meaning::Unclear,
                OperationState::Unknown { .. }
                | OperationState::Pending { .. }
                | OperationState::Waiting { .. }
                | OperationState::Done { .. }
                | OperationState::Refused { .. }
                | OperationState::Failed { .. } => Meaning::Same,
            },
            News::Nothing(reason) => match operation.state {
                // What was to be completed is still at the processor: it waits again.
                OperationState::Sent if operation.action.is_some() => operation
                    .action
                    .clone()
                    .map_or(Meaning::Same, Meaning::Asks),
                OperationState::Sent => Meaning::Nothing(reason.clone()),
                // Once it may have been sent, a later word that it was not is no evidence.
                OperationState::Unknown { .. }
                | OperationState::Pending { .. }
                | OperationState::Waiting { .. }
                | OperationState::Done { .. }
                | OperationState::Refused { .. }
                | OperationState::Failed { .. } => Meaning::Same,
            },
            News::NotFound { asked } => self.not_found(n, *asked, policy),
            // A look-up that failed, or an answer of the wrong sort, tells nothing; a call that has ended stays unknown.
            News::Answer(_) | News::Later(_) | News::LookUpFailed => match operation.state {
                OperationState::Sent => Meaning::Unclear,
                OperationState::Unknown { .. }
                | OperationState::Pending { .. }
                | OperationState::Waiting { .. }
                | OperationState::Done { .. }
                | OperationState::Refused { .. }
                | OperationState::Failed { .. } => Meaning::Same,
            },
        }
    }

    /// "Not found" proves that nothing happened only when the processor was asked after the call could still reach it.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(NotFoundTooEarly = super::bugs::nothing_found_is_final)
    )]
    fn not_found(&self, n: u32, asked: Timestamp, policy: &Policy) -> Meaning {
        let Some(operation) = self.operation(n) else {
            return Meaning::Same;
        };
        let over = match &operation.state {
            // The processor has said that it has it: that it can't find it now proves nothing.
            _ if operation.action.is_some() => {
                return if matches!(operation.state, OperationState::Sent) {
                    Meaning::Unclear
                } else {
                    Meaning::Same
                };
            }
            OperationState::Unknown { since } => *since,
            OperationState::Sent => operation.send_by.after(policy.call_timeout),
            OperationState::Waiting { .. }
            | OperationState::Pending { .. }
            | OperationState::Done { .. }
            | OperationState::Refused { .. }
            | OperationState::Failed { .. } => {
                return Meaning::Same;
            }
        };
        match policy.not_found_final_after {
            Some(span) if asked >= over.after(span) => {
                Meaning::Nothing("the processor knows nothing of it: nothing happened".to_owned())
            }
            Some(_) | None => match operation.state {
                OperationState::Sent => Meaning::Unclear,
                OperationState::Unknown { .. }
                | OperationState::Pending { .. }
                | OperationState::Waiting { .. }
                | OperationState::Done { .. }
                | OperationState::Refused { .. }
                | OperationState::Failed { .. } => Meaning::Same,
            },
        }
    }
}

/// Keeps what the news says besides its meaning: the answer, and the processor's own id.
pub(super) fn note_answer(operation: &mut Operation, news: News) {
    let asks_for_money = matches!(operation.kind, OperationKind::Authorise { .. });
    // An answer of the wrong sort tells nothing.
    if asks_for_money != matches!(news, News::Answer(_))
        && matches!(news, News::Answer(_) | News::Later(_))
    {
        return;
    }
    if let Some(id) = processor_id(&news) {
        operation.processor_id = Some(id.to_owned());
    }
    if let News::NoAnswer(known) = &news {
        operation.phase.clone_from(&known.phase);
    }
    if let News::Answer(mut answer) = news {
        if let Some(approval) = answer.approval_mut() {
            approval.booked = None;
        }
        operation.answer = Some(answer);
    }
}

/// The processor's own id, when the news has it.
pub(super) fn processor_id(news: &News) -> Option<&str> {
    match news {
        News::Answer(
            Answer::Approved { approval, .. }
            | Answer::Held { approval }
            | Answer::ActionRequired { approval, .. }
            | Answer::Declined { approval, .. },
        ) => approval.processor_id.as_deref(),
        News::Later(
            LaterAnswer::Done { processor_id, .. } | LaterAnswer::Pending { processor_id, .. },
        ) => processor_id.as_deref(),
        News::NoAnswer(known) => known.processor_id.as_deref(),
        News::Answer(Answer::Failed { .. })
        | News::Later(LaterAnswer::Refused { .. } | LaterAnswer::Reversed { .. })
        | News::Nothing(_)
        | News::NotFound { .. }
        | News::LookUpFailed => None,
    }
}
