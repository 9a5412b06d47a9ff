//! Settling: the one place where news about an operation changes a payment.

use std::time::Duration;

use uuid::Uuid;

use super::{
    Arrival, Evidence, Initiator, News, Occurrence, Operation, OperationKind, OperationState,
    Payment, PaymentEvent, Policy, Resolution, Source, Status, ThreeDsWish,
    differs::{OtherNews, Taken},
    news::{Meaning, note_answer},
};
use crate::{
    Timestamp,
    answer::{ActionKind, Answer, Booked},
    fault::{Code, Fault},
};

/// A look-up is put off by at most so much because a processor asks for it.
const LOOK_UP_WAITS_AT_MOST: Duration = Duration::from_mins(15);

/// What settling must know of an operation as it was before the news.
struct Before {
    kind: OperationKind,
    is_unknown: bool,
    /// The customer was asked for something.
    was_asked: bool,
    /// A completion of what the customer was asked for is under way.
    is_completing: bool,
    /// When its call has ended at the latest.
    over_by: Timestamp,
}

impl Before {
    fn of(operation: &Operation, policy: &Policy) -> Self {
        let was_asked = operation.action.is_some();
        Self {
            kind: operation.kind,
            is_unknown: matches!(operation.state, OperationState::Unknown { .. }),
            was_asked,
            is_completing: was_asked && operation.state == OperationState::Sent,
            over_by: operation.send_by.after(policy.call_timeout),
        }
    }
}

/// A person's word on an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// It took effect; `captured` for a charge that includes the capture.
    TookEffect { captured: bool },
    /// Nothing happened, for this reason.
    Nothing(&'static str),
}

impl Payment {
    /// Takes news about operation `n`: the next state, and what the timeline says of it. An empty list means that
    /// nothing was worth a line; the payment may still have a new due time.
    pub fn settle(
        &mut self,
        n: u32,
        news: News,
        arrival: Arrival,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Arrival { source, at } = arrival;
        let news = news.cleaned(self.method.own_card());
        let Some(operation) = self.operation(n) else {
            return Vec::new();
        };
        let before = Before::of(operation, policy);
        let is_over = has_ended(operation);
        let is_reported = matches!(news, News::Answer(_) | News::Later(_));
        let not_before = asked_to_wait(&news, at);
        let meaning = self.meaning(n, &news, policy);
        let other = self.other_to_take(n, &news, &meaning);
        let (mut meaning, mut lines) = match other {
            None => (meaning, Vec::new()),
            Some(found) => {
                let other = OtherNews {
                    found,
                    meaning,
                    news: &news,
                };
                match self.take_other(n, other, arrival, policy) {
                    Taken::As(meaning, lines) => (meaning, lines),
                    Taken::Settled(lines) => {
                        self.wake_runs(at);
                        return lines;
                    }
                }
            }
        };
        if is_over {
            let mut late = match meaning {
                Meaning::Undone(reason) => self.undone(n, &reason, at, policy),
                meaning => self.settle_late(n, &meaning, &news, at),
            };
            if let (Source::Notification(id), Some(first)) = (source, late.first_mut()) {
                let found = PaymentEvent::found(n, Evidence::Notification);
                add_evidence(first, found, &notified(before.kind, id));
            }
            lines.extend(late);
            return lines;
        }
        // Once it can be under way no more. Its own answer ends it at once.
        let over = match source {
            Source::Call | Source::Restored => at,
            Source::LookUp | Source::Notification(_) => at.max(before.over_by),
        };
        // What the customer was asked is answered; that the processor still asks is older than the completion under way.
        if before.is_completing && at < over && matches!(meaning, Meaning::Asks(_)) {
            meaning = Meaning::Same;
        }
        self.count_look(n, source);
        // What takes a person tells nothing of this operation.
        if other.is_none() || !matches!(meaning, Meaning::Unclear | Meaning::Same) {
            self.note_news(n, news);
        }
        let mut changes = match meaning {
            Meaning::Same => {
                self.look_again(n, at, policy);
                return lines;
            }
            Meaning::Unclear => self.becomes_unknown(n, at, over, policy),
            meaning => self.apply_meaning(n, meaning, at, policy),
        };
        self.put_off(n, not_before);
        self.wake_runs(at);
        let found = evidence(source, before.kind, before.is_unknown, is_reported);
        if let (Some((by, found)), Some(first)) = (found, changes.first_mut()) {
            add_evidence(first, PaymentEvent::found(n, by), &found);
        }
        // The issuer let it pass before the processor said how it ended.
        lines.extend(self.passed_unasked(n, at).filter(|_| !before.was_asked));
        lines.extend(changes);
        lines
    }

    /// What the processor has in the place of operation `n`, where the news about it changes anything.
    fn other_to_take(&self, n: u32, news: &News, meaning: &Meaning) -> Option<Booked> {
        let state = &self.operation(n)?.state;
        let moves_money = matches!(meaning, Meaning::Effect { .. });
        self.booked_otherwise(n, news)
            .filter(|_| state.is_open() || (moves_money && !state.is_done()))
    }

    /// Counts a look-up of operation `n`.
    fn count_look(&mut self, n: u32, source: Source) {
        if let Some(operation) = self.operation_mut(n) {
            operation.looks = operation
                .looks
                .saturating_add(u32::from(source == Source::LookUp));
        }
    }

    /// Keeps what the news says of operation `n` next to its meaning.
    fn note_news(&mut self, n: u32, news: News) {
        if let Some(operation) = self.operation_mut(n) {
            note_answer(operation, news);
        }
    }

    /// The next step of operation `n` comes no earlier than this.
    fn put_off(&mut self, n: u32, not_before: Timestamp) {
        if let Some(operation) = self.operation_mut(n) {
            operation.next_at = operation.next_at.map(|next| next.max(not_before));
        }
    }

    /// Changes the payment as this meaning for operation `n` says.
    fn apply_meaning(
        &mut self,
        n: u32,
        meaning: Meaning,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        match meaning {
            // Neither changes the payment by itself.
            Meaning::Same | Meaning::Unclear => Vec::new(),
            Meaning::Waits => self.becomes_pending(n, at, policy),
            Meaning::Asks(action) => self.becomes_waiting(n, action, at, policy),
            Meaning::Effect { captured } => self.took_effect(n, captured, at, policy),
            Meaning::Refusal(reason) => {
                self.ended(n, OperationState::Refused { at, reason }, at, policy)
            }
            Meaning::Nothing(reason) => {
                self.ended(n, OperationState::Failed { at, reason }, at, policy)
            }
            Meaning::Undone(reason) => {
                if let Some(operation) = self.operation_mut(n) {
                    operation.undone = true;
                }
                self.ended(n, OperationState::Failed { at, reason }, at, policy)
            }
        }
    }

    /// What the timeline says of 3D Secure that took place without a page for the customer.
    fn passed_unasked(&self, n: u32, at: Timestamp) -> Option<Occurrence> {
        let operation = self.operation(n).filter(|one| one.state.is_done())?;
        let Some(Answer::Approved { approval, .. }) = &operation.answer else {
            return None;
        };
        let three_ds = approval.three_ds.as_ref()?;
        let facts = [
            three_ds.result.as_ref().map(ToString::to_string),
            three_ds
                .version
                .as_ref()
                .map(|version| format!("version {version}")),
            three_ds.eci.as_ref().map(|eci| format!("ECI {eci}")),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let asked = if self.three_ds == ThreeDsWish::Request {
            "It was asked for; the issuer let it pass"
        } else {
            "The issuer let it pass"
        };
        let words = format!("{asked}: {}.", facts.join(", "));
        Some(
            Occurrence::new(at, "3D Secure passed without a challenge")
                .saying(words)
                .events(self.event_of(n, PaymentEvent::Authenticated)),
        )
    }

    /// The operation that a person who knows this outcome can settle: the oldest unknown one about which it says anything.
    pub fn resolvable(&self, outcome: Resolution) -> Option<&Operation> {
        let unknown = |operation: &&Operation| {
            matches!(operation.state, OperationState::Unknown { .. })
                && self.word_on(operation.kind, outcome).is_some()
        };
        self.operations.iter().find(unknown)
    }

    /// What it says about an unknown operation of this kind that the payment has come to this outcome.
    fn word_on(&self, kind: OperationKind, outcome: Resolution) -> Option<Word> {
        let unknown = self.status == Status::NoAnswerFromPsp;
        match (kind, outcome) {
            (OperationKind::Authorise { .. }, Resolution::Authorised) if unknown => {
                Some(Word::TookEffect { captured: false })
            }
            (OperationKind::Authorise { .. }, Resolution::Captured) if unknown => {
                Some(Word::TookEffect { captured: true })
            }
            (OperationKind::Authorise { .. }, Resolution::NotCharged) if unknown => {
                Some(Word::Nothing("a person found that nothing was charged"))
            }
            (OperationKind::Capture, Resolution::Captured)
            | (
                OperationKind::Cancel { .. } | OperationKind::Abandon { .. },
                Resolution::NotCharged,
            )
            | (OperationKind::Refund { .. }, Resolution::Refunded) => {
                Some(Word::TookEffect { captured: false })
            }
            (OperationKind::Capture, Resolution::Authorised) => {
                Some(Word::Nothing("a person found that nothing was captured"))
            }
            (OperationKind::Cancel { .. }, Resolution::Authorised) => {
                Some(Word::Nothing("a person found that nothing was cancelled"))
            }
            (OperationKind::Refund { .. }, Resolution::NotRefunded) => {
                Some(Word::Nothing("a person found that nothing was refunded"))
            }
            _ => None,
        }
    }

    /// Settles an unknown operation on a person's word, with the evidence kept in the timeline.
    ///
    /// # Errors
    /// `error.resolve.invalid-status` unless its outcome is unknown.
    pub fn resolve(
        &mut self,
        outcome: Resolution,
        evidence: &str,
        at: Timestamp,
        policy: &Policy,
    ) -> Result<Vec<Occurrence>, Fault> {
        let found = self
            .resolvable(outcome)
            .map(|operation| (operation.n, operation.kind));
        let Some((n, word)) = found.and_then(|(n, kind)| Some((n, self.word_on(kind, outcome)?)))
        else {
            let message = "Only what got no answer can be settled by a person: an authorisation, capture, cancellation, giving up \
                           or refund whose outcome is unknown, by an outcome that says what became of it.";
            return Err(Fault::new(Code::ResolveStatus, message)
                .about(self.id)
                .in_status(self.status));
        };
        let mut lines = vec![
            Occurrence::new(at, "Settled by a person")
                .saying(format!("Evidence: {evidence}"))
                .event(PaymentEvent::found(n, Evidence::Person)),
        ];
        lines.extend(match word {
            Word::TookEffect { captured } => self.took_effect(n, captured, at, policy),
            Word::Nothing(reason) => self.ended(
                n,
                OperationState::Failed {
                    at,
                    reason: reason.to_owned(),
                },
                at,
                policy,
            ),
        });
        self.wake_runs(at);
        Ok(lines)
    }

    /// The answer to the merchant who asked for operation `n`: nothing (the payment itself), or why it was refused.
    pub fn verdict(&self, n: u32) -> Result<(), Fault> {
        let Some(operation) = self.operation(n) else {
            return Ok(());
        };
        let other = operation.other.filter(|other| other.recorded);
        if let Some(fault) = other.and_then(|other| other.fault(self)) {
            return Err(fault);
        }
        let (code, what) = match operation.kind {
            OperationKind::Authorise { .. } => return self.asks_customer(operation),
            OperationKind::Reverse { .. } | OperationKind::Abandon { .. } => return Ok(()),
            OperationKind::Capture => (Code::CaptureProcessor, "capture"),
            OperationKind::Cancel { .. } => (Code::CancelProcessor, "cancellation"),
            OperationKind::Refund { .. } => return self.refund_verdict(n),
        };
        match &operation.state {
            OperationState::Sent
            | OperationState::Unknown { .. }
            | OperationState::Pending { .. }
            | OperationState::Waiting { .. }
            | OperationState::Done { .. } => Ok(()),
            OperationState::Refused { reason, .. } | OperationState::Failed { reason, .. } => Err(
                Fault::new(code, format!("The {what} did not take effect: {reason}."))
                    .because(reason.clone())
                    .about(self.id)
                    .in_status(self.status),
            ),
        }
    }

    /// The fault that sends the customer to a page, while one is waited for.
    fn asks_customer(&self, operation: &Operation) -> Result<(), Fault> {
        let (OperationState::Waiting { .. }, Some(action)) = (&operation.state, &operation.action)
        else {
            return Ok(());
        };
        // Nobody is there who could be sent: it is given up.
        if !self.is_present(operation) {
            return Ok(());
        }
        let (code, what) = match action.kind {
            ActionKind::ThreeDSecure => (Code::Requires3dSecure, "3D Secure is required"),
            ActionKind::Apm => (Code::RequiresApm, "The customer's approval is required"),
        };
        let message = format!("{what}. Send the customer to {}", action.url);
        Err(Fault::new(code, message)
            .about(self.id)
            .at_url(action.url.clone()))
    }

    /// Whether the customer can be sent to a page for an attempt.
    pub(super) fn is_present(&self, attempt: &Operation) -> bool {
        self.initiator == Initiator::Customer && attempt.return_key.is_some()
    }
}

/// Before which time the processor asks not to be called again.
fn asked_to_wait(news: &News, at: Timestamp) -> Timestamp {
    match news {
        News::NoAnswer(known) => {
            let span = known.again_after.unwrap_or_default();
            at.after(span.min(LOOK_UP_WAITS_AT_MOST))
        }
        _ => at,
    }
}

/// Whether news about an operation comes after its end.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(LateNewsChangesState = super::bugs::never_ended)
)]
fn has_ended(operation: &Operation) -> bool {
    !operation.state.is_open()
}

/// How it became known what an operation came to, where that is not the answer to its call. `was_unknown`: the outcome was
/// unknown until now; `is_reported`: the processor reported it.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(EvidenceOmitted = super::bugs::no_evidence)
)]
fn evidence(
    source: Source,
    kind: OperationKind,
    was_unknown: bool,
    is_reported: bool,
) -> Option<(Evidence, String)> {
    let (by, words) = match source {
        Source::LookUp => {
            let words = format!(
                "Found out by asking the processor about the {}.",
                words(kind)
            );
            (Evidence::LookUp, words)
        }
        Source::Call if was_unknown => {
            let words = "The answer to the call itself came late.".to_owned();
            (Evidence::LateAnswer, words)
        }
        Source::Restored if is_reported => {
            let words = format!(
                "The processor had the {} from the time that was lost when the database was restored.",
                words(kind)
            );
            (Evidence::Restored, words)
        }
        Source::Notification(id) if is_reported => (Evidence::Notification, notified(kind, id)),
        Source::Call | Source::Restored | Source::Notification(_) => {
            return None;
        }
    };
    Some((by, words))
}

fn notified(kind: OperationKind, id: Uuid) -> String {
    format!(
        "The processor reported the {} by notification {id}.",
        words(kind)
    )
}

/// Puts before what a change says how it became known, and that after its message.
fn add_evidence(change: &mut Occurrence, event: PaymentEvent, words: &str) {
    change.events.insert(0, event);
    change.say_also(words);
}

pub(super) fn words(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Authorise { .. } => "authorisation",
        OperationKind::Capture => "capture",
        OperationKind::Cancel { .. } => "cancellation",
        OperationKind::Refund { .. } => "refund",
        OperationKind::Reverse { .. } => "reversal",
        OperationKind::Abandon { .. } => "giving up",
    }
}
