//! The story of a payment in plain words: what was tried where, what is proven of it, and what comes next.

use super::{
    Duty, Operation, OperationKind, OperationState, Payment, Status, TimelineEntry, settle::words,
};
use crate::{
    Timestamp,
    card_number::mask_card_numbers,
    dispute::{Dispute, DisputeStatus},
    money::Money,
    processor_text::one_line,
};

/// What a payment's story is made of besides the payment.
#[derive(Debug, Clone, Copy)]
pub struct StorySources<'a> {
    /// The timeline, in order.
    pub timeline: &'a [TimelineEntry],
    /// The payment's disputes.
    pub disputes: &'a [Dispute],
    /// Now.
    pub at: Timestamp,
}

impl Payment {
    /// The payment's story, a line each: how it stands, what happened and why, what was tried and what is proven of it, what
    /// comes next. Masked numbers are all that it shows of a card.
    pub fn explain(&self, sources: StorySources<'_>) -> Vec<String> {
        let mut lines = self.summary();
        lines.extend([String::new(), "What happened".to_owned()]);
        lines.extend(sources.timeline.iter().map(entry));
        lines.extend([
            String::new(),
            "What was tried, and what is proven".to_owned(),
        ]);
        if self.operations.is_empty() {
            lines.push("  Nothing was sent to a processor.".to_owned());
        }
        let tried = self.operations.iter().flat_map(|one| self.tried(one));
        lines.extend(tried);
        if !sources.disputes.is_empty() {
            lines.extend([String::new(), "Disputes".to_owned()]);
            let at = sources.at;
            lines.extend(sources.disputes.iter().map(|one| disputed(one, at)));
        }
        lines.extend([String::new(), "What comes next".to_owned()]);
        lines.extend(self.next_steps(&sources));
        lines.into_iter().map(shown).collect()
    }

    fn summary(&self) -> Vec<String> {
        let money = |minor| Money::new(minor, self.money.currency()).formatted();
        let mut amounts = vec![self.money.formatted()];
        if self.captured > 0 {
            amounts.push(format!("{} captured", money(self.captured)));
        }
        if self.refunded() > 0 {
            amounts.push(format!("{} refunded", money(self.refunded())));
        }
        let means = match &self.method.masked {
            Some(masked) => format!("{} {masked}", self.method.method.code()),
            None => self.method.method.code().to_owned(),
        };
        let ran = match (&self.flow, &self.imported) {
            (Some(run), _) => format!("under the flow {}, version {}", run.id, run.version),
            (None, Some(_)) => "by another system, and imported".to_owned(),
            (None, None) => "at the connection that the request named".to_owned(),
        };
        let mut lines = vec![
            format!("{} is {}: {}.", self.id, self.status, amounts.join(", ")),
            format!(
                "Made {} {ran}, paid with {means}.",
                self.created_at.rfc3339_seconds()
            ),
        ];
        lines.extend(self.status_words().map(str::to_owned));
        lines
    }

    /// What a status means that people ask about.
    fn status_words(&self) -> Option<&'static str> {
        match self.status {
            Status::NoAnswerFromPsp => Some(
                "Nobody knows yet whether the customer was charged. Until that is proven nothing else is charged for it.",
            ),
            Status::Needs3dSecure | Status::NeedsApmAuthorization => {
                Some("The customer has to act first. Nothing is charged yet, as far as is known.")
            }
            Status::GatewayHold => {
                Some("The processor reviews it, or the bank has not settled it yet.")
            }
            Status::RefundFailed => {
                Some("A refund did not reach the customer. It can be tried again.")
            }
            Status::Failed => Some("Nothing is charged: that is proven."),
            Status::Active
            | Status::Inactive
            | Status::Authorised
            | Status::Succeeded
            | Status::Refunded
            | Status::PartialRefunded
            | Status::Cancelled
            | Status::Declined
            | Status::Disputed
            | Status::Removed
            | Status::RefundPending
            | Status::Draft => None,
        }
    }

    /// An operation: what was asked, what is proven, and by what.
    fn tried(&self, operation: &Operation) -> Vec<String> {
        let money = Money::new(operation.amount, self.money.currency());
        let asked = format!(
            "  {}. {} of {} at {}, {}:",
            operation.n,
            capitalised(&asked_words(operation)),
            money.formatted(),
            operation.connection,
            operation.started_at.rfc3339_millis(),
        );
        let mut lines = vec![asked, format!("     {}", standing(operation))];
        if let Some(id) = &operation.processor_id {
            lines.push(format!("     The processor's id of it is {id}."));
        }
        if operation.looks > 0 {
            lines.push(format!(
                "     The processor was asked {} what became of it.",
                times(operation.looks)
            ));
        }
        if let Some(other) = &operation.other {
            lines.push(if other.recorded {
                "     The processor has something else than was asked for; it is recorded as the processor has it.".to_owned()
            } else {
                "     The processor has something else than was asked for: a person must look at it.".to_owned()
            });
        }
        if operation.owed.is_some() {
            lines.push(if self.is_given_back(operation.n) {
                "     It charged after the payment had ended otherwise; the charge has been given back.".to_owned()
            } else {
                "     It charged after the payment had ended otherwise; the charge is given back.".to_owned()
            });
        }
        lines
    }

    fn next_steps(&self, sources: &StorySources<'_>) -> Vec<String> {
        let at = sources.at;
        let mut due: Vec<(Timestamp, Duty)> = self.due().collect();
        due.sort_by_key(|(at, _)| *at);
        let mut lines: Vec<String> = due
            .into_iter()
            .map(|(due, duty)| {
                let when = if due <= at {
                    "Now".to_owned()
                } else {
                    due.rfc3339_seconds()
                };
                format!("  {when}: {}", duty_words(duty))
            })
            .collect();
        let under_way = self.operations.iter().filter(|one| one.state.is_open());
        for operation in under_way.filter(|one| one.next_at.is_none()) {
            lines.push(format!(
                "  Operation {} waits for the processor's notification, or for a person (resolvePayment with evidence).",
                operation.n
            ));
        }
        let open = sources.disputes.iter();
        let open = open.filter(|dispute| dispute.status().is_open());
        lines.extend(open.map(|dispute| dispute_step(dispute, at)));
        let lost = sources.disputes.iter();
        let lost = lost.filter(|dispute| dispute.status() == DisputeStatus::Lost);
        lines.extend(lost.map(|dispute| {
            let amount = dispute.money().formatted();
            let id = dispute.id();
            format!("  {amount} stays with the customer: the dispute {id} is lost.")
        }));
        lines.extend(self.possible().map(|text| format!("  {text}")));
        if lines.is_empty() {
            lines.push("  Nothing. It has ended.".to_owned());
        }
        lines
    }

    /// What the merchant can do now.
    fn possible(&self) -> Option<String> {
        let is_busy = self.operations.iter().any(|one| one.state.is_open());
        match self.status {
            Status::Authorised if is_busy => Some(
                "It can be captured or cancelled once what is under way has an outcome.".to_owned(),
            ),
            Status::Authorised if self.captured > 0 => {
                let rest = Money::new(self.capturable(), self.money.currency()).formatted();
                Some(format!(
                    "Up to {rest} more can be captured. After a final capture, or when the rest is cancelled, it can be refunded."
                ))
            }
            Status::Authorised => Some("It can be captured or cancelled.".to_owned()),
            Status::Succeeded
            | Status::PartialRefunded
            | Status::RefundFailed
            | Status::RefundPending => {
                let rest = Money::new(self.refundable(), self.money.currency());
                (rest.minor() > 0).then(|| format!("Up to {} can be refunded.", rest.formatted()))
            }
            Status::Declined | Status::Failed | Status::Cancelled => {
                Some("It has ended; a new payment can be made.".to_owned())
            }
            _ => None,
        }
    }
}

/// A line as it is shown: whatever text of others is in it, it is one line, commands no terminal and holds no card number.
fn shown(line: String) -> String {
    let text = line.trim_start_matches(' ');
    let indent = line.len().saturating_sub(text.len());
    let shown = one_line(text);
    let shown = mask_card_numbers(&shown);
    if shown == text {
        return line;
    }
    format!("{}{shown}", " ".repeat(indent))
}

fn entry(entry: &TimelineEntry) -> String {
    let message = entry
        .message
        .as_deref()
        .map_or_else(String::new, |message| format!(" {message}"));
    format!("  {}  {}.{message}", entry.at.rfc3339_millis(), entry.title)
}

fn asked_words(operation: &Operation) -> String {
    match operation.kind {
        OperationKind::Capture if operation.keeps_open => {
            "capture that is not the final one".to_owned()
        }
        OperationKind::Refund {
            capture: Some(capture),
            ..
        } => format!("refund of capture {capture}"),
        OperationKind::Authorise { capture: true } => "authorisation and capture".to_owned(),
        OperationKind::Reverse { target, .. } => format!("reversal of operation {target}"),
        OperationKind::Abandon { target, .. } => format!("giving up operation {target}"),
        other => words(other).to_owned(),
    }
}

fn standing(operation: &Operation) -> String {
    match &operation.state {
        OperationState::Sent => format!(
            "No answer yet. It is not sent after {}.",
            operation.send_by.rfc3339_millis()
        ),
        OperationState::Unknown { since } => format!(
            "Unknown since {}: it may have taken effect. It is not sent again, and not sent elsewhere.",
            since.rfc3339_millis()
        ),
        OperationState::Waiting { since } => format!(
            "Waits for the customer since {}. Nothing is authorised before the customer has finished.",
            since.rfc3339_millis()
        ),
        OperationState::Pending { since } => format!(
            "The processor has it since {} and decides later.",
            since.rfc3339_millis()
        ),
        // Nothing was sent from here.
        OperationState::Done { at } if operation.answer.is_none() && operation.send_by == *at => {
            format!(
                "Another system did it: reported by the processor, which dates it {}.",
                at.rfc3339_millis()
            )
        }
        OperationState::Done { at } => {
            format!(
                "It took effect: proven by the processor, known here since {}.",
                at.rfc3339_millis()
            )
        }
        OperationState::Refused { at, reason } => format!(
            "Refused, so nothing happened; known since {}. Reason: {reason}",
            at.rfc3339_millis()
        ),
        OperationState::Failed { at, reason } => format!(
            "It failed, and it is proven that nothing stands of it; known since {}. Reason: {reason}",
            at.rfc3339_millis()
        ),
    }
}

fn duty_words(duty: Duty) -> String {
    match duty {
        Duty::LookUp(n) => format!("the outcome of operation {n} is looked for at the processor."),
        Duty::Capture => "the authorised amount is captured.".to_owned(),
        Duty::Expire => {
            "the authorisation's life time ends, and it is cancelled at the processor.".to_owned()
        }
        Duty::Abandon => {
            "waiting for the customer ends, and it is given up at the processor.".to_owned()
        }
        Duty::Flow => "its flow goes on.".to_owned(),
        Duty::Triggered(_) => "a flow that its outcome started goes on.".to_owned(),
        Duty::Reverse { target, .. } => {
            format!("the charge of operation {target} is given back.")
        }
    }
}

/// What comes next of an open dispute.
fn dispute_step(dispute: &Dispute, at: Timestamp) -> String {
    let id = dispute.id();
    match (dispute.status(), dispute.respond_by()) {
        (DisputeStatus::NeedsResponse, Some(by)) if by > at => format!(
            "  Until {}: respond to {id} (disputeEvidence gathers what speaks for the merchant).",
            by.rfc3339_seconds()
        ),
        (DisputeStatus::NeedsResponse, Some(_)) => {
            format!("  The time to respond to {id} is over; the processor decides.")
        }
        (DisputeStatus::NeedsResponse, None) => {
            format!("  Respond to {id}; the processor has not said until when.")
        }
        _ => format!("  The processor goes on with the dispute {id}."),
    }
}

fn disputed(dispute: &Dispute, at: Timestamp) -> String {
    let respond = match dispute.respond_by() {
        Some(by) if dispute.status() == DisputeStatus::NeedsResponse => {
            let was = if by > at { "is" } else { "was" };
            format!(" A response {was} due by {}.", by.rfc3339_seconds())
        }
        Some(_) | None => String::new(),
    };
    format!(
        "  {}: {} over {}, {}, for the reason {}.{respond}",
        dispute.id(),
        dispute.stage().code(),
        dispute.money().formatted(),
        dispute.status().code(),
        dispute.reason().code(),
    )
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}
