//! `[webhooks]`: events that are sent to merchants' servers.

use std::time::Duration;

use domain::webhook::RetrySchedule;
use engine::WebhookSettings;

use super::reader::Reader;

/// Longest pause that makes sense.
const WEEK: Duration = Duration::from_hours(7 * 24);

/// `[webhooks]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhooks {
    /// The pauses before each further attempt.
    pub schedule: Vec<Duration>,
    /// By when an endpoint must have answered.
    pub timeout: Duration,
    /// How long deliveries that are over are kept. Unit: days.
    pub keep_days: u64,
}

impl Webhooks {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let usual = WebhookSettings::default();
        let schedule = reader.take("webhooks.retry_schedule", usual.schedule.0);
        if schedule.is_empty() || schedule.len() > 50 {
            reader.refuse("webhooks.retry_schedule", "must have from 1 to 50 entries");
        }
        if schedule.iter().any(|pause| *pause > WEEK) {
            reader.refuse(
                "webhooks.retry_schedule",
                "has an entry of more than a week",
            );
        }
        let range = Duration::from_millis(100)..=Duration::from_secs(20);
        Self {
            schedule,
            timeout: reader.within("webhooks.timeout", usual.timeout, &range),
            keep_days: reader.within("webhooks.keep_days", 30, &(1..=3_650)),
        }
    }

    /// For the engine.
    pub fn settings(&self, private_addresses: bool, connections: u32) -> WebhookSettings {
        WebhookSettings {
            schedule: RetrySchedule(self.schedule.clone()),
            timeout: self.timeout,
            retention: Duration::from_hours(self.keep_days.saturating_mul(24)),
            private_addresses,
            connections,
        }
    }
}
