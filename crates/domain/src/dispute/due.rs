//! What a dispute needs when nobody brings news: warnings about the time to respond, and a look at the processor.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Dispute, DisputeEvent, DisputeOccurrence, DisputeStatus, ResponseDue};
use crate::Timestamp;

/// So long before the time to respond ends the merchant is warned.
const NEAR: Duration = Duration::from_hours(72);

/// When the processor is asked again after the time to respond has ended.
const LOOK_AFTER_END: Duration = Duration::from_hours(24);

/// When the processor is asked again about a dispute that waits for somebody else.
const LOOK_WHILE_OPEN: Duration = Duration::from_hours(7 * 24);

/// A warning about the time to respond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// It ends soon.
    Near,
    /// It has ended.
    Past,
}

/// What is to be done about a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisputeDuty {
    /// Ask the processor, and warn when it still waits for a response.
    Warn(Warning),
    /// Ask the processor.
    LookUp,
    /// Find out whether the processor has this response.
    Confirm(u32),
}

impl Dispute {
    /// The next warning, and when it is due.
    fn next_warning(&self) -> Option<(Timestamp, Warning)> {
        if self.status != DisputeStatus::NeedsResponse {
            return None;
        }
        let by = self.respond_by?;
        match self.warned {
            None => Some((by.before(NEAR), Warning::Near)),
            Some(Warning::Near) => Some((by, Warning::Past)),
            Some(Warning::Past) => None,
        }
    }

    /// When a dispute that is committed, or was looked up, at `at` must be looked after next. `None`: it has ended.
    pub fn due_after(&self, at: Timestamp) -> Option<Timestamp> {
        let confirm = self.response_due().map(|(_, due)| due.max(at));
        match (confirm, self.look_after(at)) {
            (Some(confirm), Some(look)) => Some(confirm.min(look)),
            (confirm, look) => confirm.or(look),
        }
    }

    /// When it must be looked after next apart from its responses.
    fn look_after(&self, at: Timestamp) -> Option<Timestamp> {
        if !self.status.is_open() {
            return None;
        }
        let pause = if self.warned == Some(Warning::Past) {
            LOOK_AFTER_END
        } else {
            LOOK_WHILE_OPEN
        };
        let look = at.after(pause);
        // Never before it is written: jobs look no further back than they have looked.
        Some(self.next_warning().map_or(look, |(due, _)| due.max(at)))
    }

    /// What is to be done at `at` about a dispute that is due.
    pub fn duty(&self, at: Timestamp) -> Option<DisputeDuty> {
        if let Some((n, due)) = self.response_due()
            && due <= at
        {
            return Some(DisputeDuty::Confirm(n));
        }
        if !self.status.is_open() {
            return None;
        }
        // A near end that nobody was warned of in time is past.
        if self.status == DisputeStatus::NeedsResponse
            && self.warned != Some(Warning::Past)
            && self.respond_by.is_some_and(|by| by <= at)
        {
            return Some(DisputeDuty::Warn(Warning::Past));
        }
        match self.next_warning() {
            Some((due, warning)) if due <= at => Some(DisputeDuty::Warn(warning)),
            Some(_) | None => Some(DisputeDuty::LookUp),
        }
    }

    /// Warns that the time to respond ends soon, or has ended. Decides nothing. `None`: that is not to be said now.
    pub fn warn(&mut self, at: Timestamp) -> Option<DisputeOccurrence> {
        let Some(DisputeDuty::Warn(warning)) = self.duty(at) else {
            return None;
        };
        let by = self.respond_by?;
        self.warned = Some(warning);
        let (title, message) = match warning {
            Warning::Near => (
                "The response is due soon",
                format!(
                    "The processor takes a response until {}.",
                    by.rfc3339_seconds()
                ),
            ),
            Warning::Past => (
                "The time to respond has ended",
                format!(
                    "It ended at {}. The processor decides; until it does, the dispute stays as it is.",
                    by.rfc3339_seconds()
                ),
            ),
        };
        let event = DisputeEvent::ResponseDue(ResponseDue {
            dispute: self.facts(),
            is_past: warning == Warning::Past,
        });
        Some(
            DisputeOccurrence::new(at, title)
                .saying(message)
                .event(event),
        )
    }
}
